"""Derivative rules as Python functions of values, for the tape.

Each rule is compiled once, for the adjoints or tangents that are wanted, to a plain Python function with readable
source.
"""

from __future__ import annotations

import ast
import copy
import functools
import linecache
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import gast
import numpy as np

from srcad.names import Names
from srcad.refusals.names_and_functions import NO_RULE_BY_ARGUMENT
from srcad.refusals.tapes import EAGER_NO_COMPLEX_RULE, EAGER_NO_RULE, NO_ADJOINT, NO_TANGENT
from srcad.runtime import kernels
from srcad.runtime.rulebook.partial_rules import partials_as_adjoint, partials_as_tangent
from srcad.runtime.rulebook.registry import Rule, find
from srcad.runtime.rulebook.rule_slicing import active_part, is_d, wanted_part
from srcad.runtime.rulebook.rule_template import Template, primitive_name
from srcad.runtime.rulebook.strong_zeros import guarded, infinite_names
from srcad.runtime.tape.reverse.rules_on_tensors import as_primitive, is_kernel, on_tensors

Run = Callable[..., Any]


def pushforward(
    primitive: Any,
    result: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    tangents: Sequence[Any],
    live: bool = False,
) -> Any:
    """The tangent of `result`, or None if it is zero whatever the tangents are.

    `tangents` has an item for each of `args`: a tangent, None for an argument without, or a tuple of these for a tuple
    argument. With `live`, all values are tensors, and the computation is recorded.

    >>> x = np.array([1.0, 2.0])
    >>> pushforward(np.multiply, x * x, (x, x), {}, (np.ones(2), None))
    array([1., 2.])
    """
    kwargs = _stated(kwargs)
    active = [k for k, each in enumerate(tangents) if not _is_nothing(each)]
    rule = _rule(primitive, args, set(active))
    if rule.kind == "zero" or not active:
        return None
    if not rule.handles_complex and (is_complex(result) or is_complex(args)):
        raise EAGER_NO_COMPLEX_RULE.error(function=primitive_name(rule.primitive))
    names = names_of(rule, len(args), tuple(kwargs))
    if rule.is_linear:
        moved = [each for each in names if each in rule.linear_in]
        mixed = [_filled(each, like) if name in moved else like for name, each, like in zip(names, tangents, args)]  # noqa: B905
        # What is linear and given by keyword, such as the default of `np.select`, does not move.
        named = dict(zip(names[len(args) :], kwargs.items(), strict=True))
        still = {key: _filled(None, each) if name in moved else each for name, (key, each) in named.items()}
        return (as_primitive(primitive) if live and is_kernel(primitive) else primitive)(*mixed, **still)
    run = _pushforward_function(rule, tuple(names[k] for k in active))
    if run is None:
        return None
    inputs = dict(zip(names, (*args, *kwargs.values()), strict=True))
    run = on_tensors(run) if live else run
    with np.errstate(all="ignore"):
        tangent = run([tangents[k] for k in active], result, **inputs)
    if rule.elementwise and np.shape(tangent) != np.shape(result):
        return np.broadcast_to(tangent, np.shape(result))
    return tangent


def _stated(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments without those that only repeat a default."""
    return {name: value for name, value in kwargs.items() if says_something(name, value)}


def says_something(name: str, value: Any) -> bool:
    """Whether a keyword argument is more than a repeated default. `axis=None` is not the default everywhere.

    >>> [says_something(*each) for each in (("out", None), ("axis", None), ("where", True), ("axis", 0))]
    [False, True, False, True]
    """
    return name == "axis" or not (value is None or (name == "where" and value is True))


def _rule(primitive: Any, args: Sequence[Any], active: Collection[int]) -> Rule:
    ndims = [None if isinstance(each, tuple | list) else np.ndim(each) for each in args]
    literals = [k for k, each in enumerate(args) if k not in active and type(each) in (int, float) and each != 0]
    rule = find(primitive, ndims, literals)
    if rule is None:
        raise EAGER_NO_RULE.error(function=primitive_name(primitive), where="")
    return rule


@functools.cache
def names_of(rule: Rule, count: int, keywords: tuple[str, ...]) -> tuple[str, ...]:
    """The names that the rule gives to the positional and keyword arguments."""
    marks = [object() for _ in range(count + len(keywords))]
    bound = rule.bind(marks[:count], dict(zip(keywords, marks[count:], strict=True)))
    return tuple(name for mark in marks for name, value in bound.items() if value is mark)


def is_complex(argument: Any) -> bool:
    """Whether an argument is or contains a complex number or array.

    >>> is_complex(np.ones(2)), is_complex((1.0, (2j,)))
    (False, True)
    """
    kind = type(argument)
    if kind is np.ndarray:
        return argument.dtype.kind == "c"  # type: ignore[no-any-return]
    if kind is float or kind is int or kind is np.float64:
        return False
    if isinstance(argument, (tuple, list)):
        return any(is_complex(part) for part in argument)
    found = getattr(getattr(argument, "dtype", None), "kind", None)  # the dtype of a class is a descriptor
    return isinstance(argument, complex) if found is None else bool(found == "c")


def _is_nothing(tangent: Any) -> bool:
    return tangent is None or (isinstance(tangent, tuple | list) and all(_is_nothing(each) for each in tangent))


def _filled(tangent: Any, like: Any) -> Any:
    if isinstance(like, tuple | list):
        return tuple(_filled(None if tangent is None else tangent[k], each) for k, each in enumerate(like))
    return np.zeros_like(like) if tangent is None else tangent


@functools.cache
def pullback_function(rule: Rule, wanted: tuple[str, ...]) -> Run:
    """`def tanh_pullback(y_bar, y, x): ...`, which returns a tuple of the wanted adjoints, None where there is none."""
    template = rule.partials or rule.adjoint
    if template is None:
        raise NO_ADJOINT.error(function=primitive_name(rule.primitive))
    _refuse_unknown(rule, template, wanted)
    names = _Bars(template, "_bar")
    result = template.parameters[0]
    body = guarded(
        partials_as_adjoint(template) if rule.partials else template.body,
        infinite_names(rule.primitive, rule.parameters),
    )
    lines = [names.text(statement) for statement in wanted_part(body, wanted)]
    stated = [name for name in wanted if any(line.startswith(f"{names.of(name)} =") for line in lines)]
    returned = "".join(f"{names.of(name) if name in stated else None}, " for name in wanted)
    return _made(rule, template, "pullback", names.of(result), [*lines, f"return ({returned})"])


@functools.cache
def _pushforward_function(rule: Rule, active: tuple[str, ...]) -> Run | None:
    """`def tanh_pushforward(dots, y, x): ...`."""
    template = rule.tangent or rule.partials
    if template is None:
        raise NO_TANGENT.error(function=primitive_name(rule.primitive))
    _refuse_unknown(rule, template, active)
    names = _Bars(template, "_dot")
    result = template.parameters[0]
    body = guarded(
        template.body if rule.tangent else partials_as_tangent(template),
        infinite_names(rule.primitive, template.parameters),
    )
    lines = [names.text(statement) for statement in active_part(body, active)]
    if not any(line.startswith(f"{names.of(result)} =") for line in lines):
        return None
    lines = [f"({', '.join(names.of(name) for name in active)},) = dots", *lines, f"return {names.of(result)}"]
    return _made(rule, template, "pushforward", "dots", lines)


def _refuse_unknown(rule: Rule, template: Template, asked: Collection[str]) -> None:
    for name in sorted(template.refuses & {*asked}):
        raise NO_RULE_BY_ARGUMENT.error(function=primitive_name(rule.primitive), argument=name)


class _Bars:
    """Writes a rule's statements as text, with `d[x]` as `x_bar` or `x_dot`."""

    def __init__(self, template: Template, ending: str) -> None:
        used = {node.id for each in template.body for node in gast.walk(each) if isinstance(node, gast.Name)}
        names = Names({*template.parameters, *template.bindings, *used})
        self._names = {name: names.fresh(name + ending) for name in template.parameters}

    def of(self, name: str) -> str:
        return self._names[name]

    def text(self, statement: gast.stmt) -> str:
        renamed = _Renamer(self._names).visit(copy.deepcopy(statement))
        return ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(renamed)))


class _Renamer(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
        if is_d(node):
            return gast.Name(id=self._names[node.slice.id], ctx=node.ctx, annotation=None, type_comment=None)
        return self.generic_visit(node)


def _made(rule: Rule, template: Template, what: str, first: str, lines: Sequence[str]) -> Run:
    """A function with the rule's bindings; its source is registered for tracebacks and debuggers."""
    defaults = [f"{name}={name}_default" if name in template.defaults else name for name in template.parameters]
    name = primitive_name(rule.primitive).split(".")[-1] + "_" + what
    text = "\n    ".join([f"def {name}({first}, {', '.join(defaults)}):", *lines]) + "\n"
    file = f"<srcad {what} {primitive_name(rule.primitive)} {len(linecache.cache)}>"
    space: dict[str, Any] = {
        "kernels": kernels,
        **template.bindings,
        **{f"{key}_default": value for key, value in template.defaults.items()},
    }
    exec(compile(text, file, "exec"), space)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    made: Run = space[name]
    return made
