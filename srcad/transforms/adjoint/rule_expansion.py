"""Rule expansion: substitute the arguments of one call into a derivative rule."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gast
from numba import types as nb
from numba.core.types import BaseTuple

from srcad.errors import CompilerBug, MissingRule, Place, UnsupportedSyntax
from srcad.names import Names
from srcad.refusals.names_and_functions import NO_COMPLEX_RULE
from srcad.refusals.types_and_results import TUPLE_VALUE
from srcad.runtime import kernels
from srcad.runtime.rulebook.rule import Rule
from srcad.runtime.rulebook.rule_template import Template, primitive_name
from srcad.transforms.ir.algebraic_simplification import simplify
from srcad.transforms.ir.build import Block, assign, clone, const, dotted, dotted_path, load, names_in, noted, tuple_of
from srcad.transforms.ir.name_types import Types, carries_derivatives, is_complex


@dataclass
class Spliced:
    """An expanded rule: statements to run first, and (input, contribution) pairs or the returned expressions."""

    locals: Block
    contributions: list[tuple[str, gast.expr]]
    returned: list[gast.expr]


def bound(
    rule: Rule, positional: Sequence[gast.expr], keywords: Mapping[str, gast.expr], types: Types, place: Place | None
) -> dict[str, gast.expr]:
    """The arguments of a call by the rule's inputs; raises MissingRule where the rule does not cover them.

    An operation on a whole tuple with differentiated values is refused: rules cover numbers and arrays only.
    """
    if any(_is_whole(node, types, rule.elementwise) for node in positional):
        raise whole_tuple(place)
    if not rule.handles_complex:
        read = {name for node in (*positional, *keywords.values()) for name in names_in(node)}
        if any(is_complex(types.get(name)) for name in read):
            raise NO_COMPLEX_RULE.at(place, function=primitive_name(rule.primitive))
    try:
        return rule.bind(positional, keywords)
    except MissingRule as problem:
        raise MissingRule(problem.what, at=place, hint=problem.hint) from None


def _is_whole(node: gast.expr, types: Types, any_tuple: bool) -> bool:
    """Whether this is a tuple that may hold derivatives, or that may broadcast an elementwise result."""
    if isinstance(node, gast.Tuple):
        return any_tuple
    kind = types.get(node.id) if isinstance(node, gast.Name) else None
    return isinstance(kind, BaseTuple) and (any_tuple or carries_derivatives(kind))


def whole_tuple(place: Place | None) -> UnsupportedSyntax:
    """The error for a tuple of differentiated values that is used as a whole."""
    return TUPLE_VALUE.at(place)


def splice(
    template: Template,
    arguments: dict[str, gast.expr],
    derivative: Callable[[str], gast.expr],
    names: Names,
    bindings: dict[str, Any],
    of_numbers: bool = False,
    types: Types | None = None,
) -> Spliced:
    """Instantiate a template; with `of_numbers` its operands are scalars; `types` tells which names have the shape ().

    arguments   parameter -> the expression passed for it (the result included)
    derivative  the expression for `d[parameter]` where it is read
    bindings    bindings of the generated code; extended by the objects that the rule refers to
    """
    known = dict(arguments)
    for parameter, default in template.defaults.items():
        if parameter not in known:
            known[parameter] = _literal(default)
    free = {name: _bound(name, value, names, bindings) for name, value in template.bindings.items()}
    select = _bound("kernels", kernels, names, bindings) if of_numbers else None
    reader = _Splicer(known, free, derivative, select, types)
    result = Spliced([], [], [])
    for statement in template.body:
        match clone(statement):
            case gast.Return(value=gast.Tuple(elts=elements)):
                result.returned = [simplify(reader.visit(element)) for element in elements]
            case gast.Return(value=value):
                result.returned = [simplify(reader.visit(value))]
            case gast.Assign(targets=[gast.Subscript(slice=gast.Name(id=parameter))], value=value):
                result.contributions.append((parameter, simplify(reader.visit(value))))
            case gast.Assign(targets=[gast.Name(id=local)], value=value):
                value = reader.visit(value)
                own = names.fresh(local) if local not in ("t",) else names.temporary()
                result.locals.append(assign(own, value))
                known[local] = load(own)
            case other:
                raise CompilerBug(f"a rule template holds {gast.dump(other)}")
    return result


def _literal(value: Any) -> gast.expr:
    if isinstance(value, tuple):
        return tuple_of(*(_literal(each) for each in value))
    return const(value)


def _bound(name: str, value: Any, names: Names, bindings: dict[str, Any]) -> str:
    """The name by which generated code refers to an object."""
    if getattr(builtins, name, None) is value and name not in bindings:
        return name
    if bindings.get(name, value) is value:
        bindings[name] = value
        return name
    for known, other in bindings.items():
        if other is value:
            return known
    alias = names.fresh(name)
    bindings[alias] = value
    return alias


class _Splicer(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(
        self,
        known: dict[str, gast.expr],
        free: dict[str, str],
        derivative: Callable[[str], gast.expr],
        select: str | None,
        types: Types | None,
    ) -> None:
        self.known, self.free, self.derivative, self.select = known, free, derivative, select
        self.kinds: Mapping[str, nb.Type] = types.of if types is not None else {}

    def visit_Attribute(self, node: gast.Attribute) -> gast.expr:
        made = self.generic_visit(node)
        is_number = isinstance(made.value, gast.Name) and isinstance(self.kinds.get(made.value.id), nb.Number)
        return tuple_of() if is_number and node.attr == "shape" else made

    def visit_Call(self, node: gast.Call) -> gast.expr:
        if self.select is not None and dotted_path(node.func) == "np.where":
            node.func = dotted(f"{self.select}.select")
        return self.generic_visit(node)

    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        return noted(self.generic_visit(node))

    def visit_Name(self, node: gast.Name) -> gast.expr:
        if node.id in self.known:
            return clone(self.known[node.id])
        return load(self.free.get(node.id, node.id))

    def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
        match node:
            case gast.Subscript(value=gast.Name(id="d"), slice=gast.Name(id=parameter)):
                return self.derivative(str(parameter))
        return self.generic_visit(node)
