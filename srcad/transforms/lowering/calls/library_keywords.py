"""Keywords of NumPy's and SciPy's functions that a rule or a definition of ours does not have.

    np.median(x, overwrite_input=True)           becomes         np.median(x)
    np.exp(x, dtype=np.float32)                                  np.exp(np.asarray(x, np.float32))
    np.nanmax(x, 0, None, True)                                  np.nanmax(x, 0, keepdims=True)
    np.flip(m=x)                                                 np.flip(x)

Some change nothing in the result, or have the value that they have anyway: they are dropped. The type in which a ufunc
computes is that of its arguments. What is given by position in a place that a definition does not have is given by
name; the first argument of other functions is given by position. The rest is refused, with a reason, by the name of
the function that the user calls.
"""

from __future__ import annotations

import inspect
from collections.abc import Hashable
from functools import cache
from typing import Any

import gast
import numpy as np

from srcad.errors import Place
from srcad.refusals.numpy_calls import KEYWORD_WITHOUT_RULE
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.transforms.ir.build import call, dotted_path, place_of

# Where results are written, and how they are computed.
WITHOUT_INFLUENCE = frozenset(
    {
        *("overwrite_input", "overwrite_a", "overwrite_b", "check_finite", "subok", "device", "xp", "like", "casting"),
        *("maxprint", "workers", "blocksize", "finite_diff_jac_sparsity"),
    }
)
_OF_UFUNCS = WITHOUT_INFLUENCE | {"signature"}
_REASONS = {
    "out": "assign the result",
    "where": "use np.where on the arguments or on the result",
    "weights": "sort the elements and use np.interp on the cumulative sums of their weights",
}
_UNSAID = object()
_astype = getattr(np, "astype", None)  # what the method is, which has more parameters


def fitted(node: gast.Call, callee: Any, place: Place | None) -> None:
    """Change the arguments of a call of a library's function to those that our rule or definition has."""
    if not (node.keywords or len(node.args) > 1) or not isinstance(callee, Hashable):
        return
    if not registry.has_own_rule(callee):
        return
    if any(isinstance(each, gast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords):
        return
    own, real = own_parameters(callee), real_parameters(callee)
    if own and real:
        _name_places(node, own, real)
    node.keywords = [each for each in node.keywords if not _is_dropped(each, node, callee, own, real)]
    if not own and not node.args:
        _place_first(node, real)
    for each in node.keywords:
        if own and each.arg not in own and each.arg in real:
            way = _REASONS.get(each.arg, "leave it out, or write what it does with other functions")
            raise KEYWORD_WITHOUT_RULE.at(
                place_of(node) or place, name=primitive_name(callee), keyword=each.arg, way=way
            )


def _name_places(node: gast.Call, own: tuple[str, ...], real: dict[str, Any]) -> None:
    """Give arguments by name from the first place on that has another name in our definition."""
    named = [name for name, each in real.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    places = [name for name, each in real.items() if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    given = places[: len(node.args)]
    first = next((k for k, name in enumerate(given) if name in named and _is_other(name, own[k : k + 1], real)), None)
    if first is None or len(given) < len(node.args) or not {*given[first:]} <= {*named}:
        return
    node.keywords = [
        *(gast.keyword(arg=name, value=each) for name, each in zip(given[first:], node.args[first:], strict=True)),
        *node.keywords,
    ]
    del node.args[first:]


def _place_first(node: gast.Call, real: dict[str, Any]) -> None:
    """Give the first argument by place, where passes look for the array that a function has the shape or memory of."""
    first = next(iter(real.values()), None)
    if first is not None and first.kind is first.POSITIONAL_OR_KEYWORD:
        node.args = [each.value for each in node.keywords if each.arg == first.name]
        node.keywords = [each for each in node.keywords if each.arg != first.name]


def _is_other(name: str, ours: tuple[str, ...], real: dict[str, Any]) -> bool:
    """Whether a parameter has another place in our definition, or none; it may have another name there."""
    return name not in ours and (not ours or ours[0] in real)


def _is_dropped(
    keyword: gast.keyword, node: gast.Call, callee: Any, own: tuple[str, ...], real: dict[str, Any]
) -> bool:
    """Whether a keyword is not needed, or is expressed by the arguments now."""
    name, value = keyword.arg, keyword.value
    if name in own:
        return False
    is_ufunc = isinstance(callee, np.ufunc)
    if name == "dtype" and is_ufunc and _is_type(value):
        node.args = [call("np.asarray", each, value) for each in node.args]
        return True
    is_known = isinstance(value, gast.Constant) or dotted_path(value) is not None
    if name == "order" and (is_ufunc or callee is _astype):  # results of arrays in C order then have it as well
        return isinstance(value, gast.Constant) and value.value in ("K", "A", "C")
    if name in (_OF_UFUNCS if is_ufunc or callee is _astype else WITHOUT_INFLUENCE) and is_known:
        return True
    default = real[name].default if name in real else _UNSAID
    return isinstance(value, gast.Constant) and type(value.value) is type(default) and value.value == default


def _is_type(node: gast.expr) -> bool:
    return dotted_path(node) is not None or (isinstance(node, gast.Constant) and node.value is not None)


@cache
def own_parameters(callee: Any) -> tuple[str, ...]:
    """The parameters of our definition of a function, those for certain calls included; none if it has a rule.

    >>> own_parameters(np.median)
    ('a', 'axis', 'keepdims')
    """
    definition, found = registry.definition(callee), dict[str, None]()
    if definition is None:
        return ()
    for each in (definition, registry.restricted_to(callee)):
        if each is not None:
            parameters = inspect.signature(each).parameters.values()
            if any(one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL) for one in parameters):
                return ()
            found.update(dict.fromkeys(one.name for one in parameters))
    return tuple(found)


@cache
def real_parameters(callee: Any) -> dict[str, inspect.Parameter]:
    """The parameters that a function of a library has, by their names; none where Python does not tell.

    >>> "overwrite_input" in real_parameters(np.median)
    True
    """
    try:
        return dict(inspect.signature(callee).parameters)
    except (TypeError, ValueError):
        return {}
