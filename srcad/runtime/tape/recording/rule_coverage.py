"""Check which arguments and keywords of a call a derivative rule covers, and report functions that have no rule."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import gast
import numpy as np

from srcad.errors import MissingRule
from srcad.refusals.tapes import CALL_NOT_COVERED, NO_RULE_FOR_RANKS, TAPE_EINSUM_LISTS, TAPE_NO_RULE
from srcad.runtime.rulebook.registry import find, variants
from srcad.runtime.rulebook.rule_slicing import is_d
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.support.nested_structures import flatten
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.reverse.eager_rules import says_something


def covering(
    primitive: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[int, tuple[str, ...], bool]:
    """How many arguments and which keywords to record, and whether the rules cover arguments of all ranks.

    Raises MissingRule for calls that the primitive's rule does not cover.

    >>> import numpy as np
    >>> covering(np.sum, (np.ones((2, 2)), 0, None), {"keepdims": True, "out": None})
    (2, ('keepdims',), True)
    """
    if primitive is np.einsum and not isinstance(arguments[0], str):
        raise TAPE_EINSUM_LISTS.error()
    rule = rule_of(primitive, arguments)
    stated = tuple([name for name, value in keywords.items() if name in rule.parameters or says_something(name, value)])
    count, given = len(arguments), {name: keywords[name] for name in stated}
    while count > 1 and arguments[count - 1] is None and not _covers(rule, arguments[:count], given):
        count -= 1
    rule.bind(arguments[:count], given)
    others = [each for each in variants(primitive) if each.fit.arity in (None, len(arguments))]
    is_general = any(not each.fit.ndim for each in others)
    return count, stated, is_general and all(_covers(each, arguments[:count], given) for each in others)


@functools.cache
def next_required(primitive: Any, count: int) -> str:
    """The name of the parameter after `count` positional ones, if it has no default, else "".

    >>> next_required(np.take, 1), next_required(np.take, 2), next_required(np.add, 0)
    ('indices', '', '')
    """
    try:
        parameters = list(inspect.signature(primitive).parameters.values())
    except (TypeError, ValueError):  # not written in Python
        return ""
    if count >= len(parameters) or isinstance(primitive, np.ufunc):
        return ""
    following = parameters[count]
    is_one = following.kind is following.POSITIONAL_OR_KEYWORD and following.default is following.empty
    return following.name if is_one else ""


@functools.cache
def from_out_on(primitive: Any) -> tuple[int, tuple[str, ...]]:
    """The place of the parameter `out`, and the names of the parameters from there on; none if it has none.

    >>> from_out_on(np.clip), from_out_on(np.dot), from_out_on(np.sort)
    ((3, ('out',)), (2, ('out',)), (0, ()))
    """
    try:
        parameters = inspect.signature(primitive).parameters.values()
    except (TypeError, ValueError):
        return 0, ()
    names = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    if "out" not in names or isinstance(primitive, np.ufunc):
        return 0, ()
    return names.index("out"), tuple(names[names.index("out") :])


def rule_of(primitive: Any, arguments: Sequence[Any]) -> Any:
    """The rule for a call. Raises MissingRule if there is none for arguments of these ranks."""
    rule = find(primitive, [_rank(each) for each in arguments])
    if rule is None:
        raise NO_RULE_FOR_RANKS.error(
            function=primitive_name(primitive),
            count=len(arguments),
            ranks=", ".join(str(_rank(each)) for each in arguments),
        )
    return rule


def _rank(argument: Any) -> int | None:
    if isinstance(argument, (tuple, list)):
        return None
    return 0 if isinstance(argument, type) else int(getattr(argument, "ndim", 0))


def check_covered(primitive: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Raise MissingRule if the rule of a primitive does not know a keyword, before anything is computed."""
    rule = find(primitive, [_rank(each) for each in arguments]) if keywords else None
    if rule is not None:
        stated = {name: value for name, value in keywords.items() if says_something(name, value)}
        rule.bind(arguments, stated)


def check_meaning(primitive: Any, meaning: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Raise MissingRule if the function that defines a primitive does not take such arguments."""
    error = _unbound(meaning, len(arguments), tuple(keywords))
    if error:
        raise CALL_NOT_COVERED.error(function=primitive_name(primitive), problem=error)


@functools.cache
def _unbound(meaning: Any, count: int, names: tuple[str, ...]) -> str:
    """Python's error message for a call with so many arguments and these keywords; empty if it is valid."""
    try:
        inspect.signature(meaning).bind(*range(count), **dict.fromkeys(names))
    except TypeError as error:
        return str(error)
    return ""


def _covers(rule: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    try:
        rule.bind(arguments, keywords)
    except MissingRule:
        return False
    return True


def check_discrete(primitive: Any, result: Any) -> None:
    """Raise MissingRule if the result of a function without a rule could have a derivative.

    Nothing is raised inside a function that has a custom gradient.
    """
    if active.customs:
        return
    leaves = flatten(result)
    if any(leaf is None or isinstance(leaf, (float, complex)) or _may_vary(leaf) for leaf in leaves):
        raise missing(primitive)


def missing(primitive: Any) -> MissingRule:
    """The error for a function that has no rule."""
    return TAPE_NO_RULE.error(function=primitive_name(primitive))


def _may_vary(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray)) and value.dtype.kind not in "biuSUmM"


_INDICES = {np.take: 1, np.bincount: 0}  # where tuples are indices like lists


@functools.cache
def operands(primitive: Any, count: int) -> frozenset[int]:
    """The places of the arguments for which the rules of a function state derivatives.

    >>> sorted(operands(np.matmul, 2)), sorted(operands(np.take, 2))
    ([0, 1], [0, 1])
    """
    found = {_INDICES[primitive]} if primitive in _INDICES else set()
    for rule in variants(primitive):
        places = {name: place for place, name in enumerate(rule.parameters[1 : count + 1])}
        if rule.kind == "partial":
            found.update(places.values())
        elif rule.adjoint is not None:
            nodes = [node for each in rule.adjoint.body for node in gast.walk(each) if is_d(node)]
            found.update(places[node.slice.id] for node in nodes if node.slice.id in places)
    return frozenset(found)
