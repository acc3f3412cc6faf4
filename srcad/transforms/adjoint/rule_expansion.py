"""Rule expansion: substitute the arguments of one call into a derivative rule."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gast
from numba import types as nb
from numba.core.types import BaseTuple

from srcad.errors import CompilerBug, MissingRule, Place, UnsupportedSyntax
from srcad.names import Names
from srcad.refusals.names_and_functions import NO_COMPLEX_RULE, NO_RULE_BY_ARGUMENT
from srcad.refusals.types_and_results import TUPLE_VALUE
from srcad.refusals.users_rules import RULE_OF_TUPLE, RULE_READS_ACTIVE
from srcad.runtime import kernels
from srcad.runtime.rulebook.rule import Rule
from srcad.runtime.rulebook.rule_template import Template, primitive_name
from srcad.runtime.rulebook.strong_zeros import guarded, infinite_names, is_finite, is_nonzero
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.algebraic_simplification import simplify
from srcad.transforms.ir.array_functions import STRONG_QUOTIENT
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    call,
    clone,
    const,
    dotted,
    dotted_path,
    load,
    names_in,
    noted,
    tuple_of,
)
from srcad.transforms.ir.name_types import Types, carries_derivatives, is_complex
from srcad.transforms.ir.node_notes import note


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


def refuse_closed(
    rule: Rule, name: str, inputs: Mapping[str, gast.expr], program: Program, place: Place | None
) -> None:
    """Refuse a user's rule for a tuple, or one that reads, beside its arguments, a value that carries derivatives."""
    if rule.needs_all_tangents and isinstance(program.types.get(name), BaseTuple):
        raise RULE_OF_TUPLE.at(place, function=primitive_name(rule.primitive).rpartition(".")[2])
    for closed in rule.closed:
        read = inputs[closed]
        if isinstance(read, gast.Name) and program.is_active(read.id):
            raise RULE_READS_ACTIVE.at(place, function=rule.primitive.wish, name=read.id, rule=rule.primitive.origin)


def _is_whole(node: gast.expr, types: Types, any_tuple: bool) -> bool:
    """Whether this is a tuple that may hold derivatives, or that may broadcast an elementwise result."""
    if isinstance(node, gast.Tuple):
        return any_tuple
    kind = types.get(node.id) if isinstance(node, gast.Name) else None
    return isinstance(kind, BaseTuple) and (any_tuple or carries_derivatives(kind))


def refuse_unknown(
    rule: Rule, template: Template, inputs: Mapping[str, gast.expr], program: Program, place: Place | None
) -> None:
    """Raise MissingRule if an active argument is one by which the rule knows no derivative."""
    for parameter in sorted(template.refuses & inputs.keys()):
        if any(program.is_active(name) for name in names_in(inputs[parameter])):
            raise NO_RULE_BY_ARGUMENT.at(place, function=primitive_name(rule.primitive), argument=parameter)


def whole_tuple(place: Place | None) -> UnsupportedSyntax:
    """The error for a tuple of differentiated values that is used as a whole."""
    return TUPLE_VALUE.at(place)


def with_strong_zeros(rule: Rule, template: Template, inputs: Mapping[str, gast.expr], program: Program) -> Template:
    """The adjoint or tangent rule of a call with strong products and quotients where a slope is not always finite."""
    nonzero = {parameter for parameter, node in inputs.items() if is_nonzero(node, numbers_of(program))}
    infinite = infinite_names(rule.primitive, template.parameters, nonzero)
    known, key = template.guarded_forms, (frozenset(infinite), frozenset(nonzero))
    if key not in known:
        known[key] = replace(template, body=tuple(guarded(template.body, infinite, nonzero)))
    return known[key]


def numbers_of(program: Program) -> Callable[[str], gast.expr | None]:
    """The expressions that names of real numbers stand for; an array may have been written to since."""

    def definition(name: str) -> gast.expr | None:
        is_number = isinstance(program.types.get(name), (nb.Float, nb.Integer))
        return program.flow.definition(name) if is_number else None

    return definition


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
    if "kernels" not in free and any("kernels" in names_in(statement) for statement in template.body):
        free["kernels"] = _bound("kernels", kernels, names, bindings)  # of strong products and quotients
    select = _bound("kernels", kernels, names, bindings) if of_numbers else None
    reader = _Splicer(known, free, derivative, select, types)
    read = (name for value in arguments.values() for name in names_in(value))
    reader.divides = of_numbers and any(is_complex(reader.kinds.get(name)) for name in read)
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


def infinite_in(rule: Rule, template: Template, name: str, spliced: Spliced, program: Program) -> set[str]:
    """The names that the slopes of a call read and that may be infinite or nan: of its result, and of locals."""
    found = {name} if infinite_names(rule.primitive, template.parameters) else set()
    for statement in spliced.locals:
        if not is_finite(statement.value, found, nonzero=numbers_of(program)):
            found.add(statement.targets[0].id)
    return found


def weighted(
    derivative: gast.expr,
    slope: gast.expr,
    infinite: Collection[str],
    program: Program,
    names: Names,
    bindings: dict[str, Any],
    slope_first: bool = False,
) -> gast.expr:
    """An adjoint or tangent times a partial derivative: a strong product where that is not always finite.

    `infinite` has the names of values that may be infinite or nan.
    """
    if is_finite(slope, infinite, nonzero=numbers_of(program)):
        return product(slope, derivative) if slope_first else product(derivative, slope)
    if isinstance(slope, gast.UnaryOp) and isinstance(slope.op, gast.USub):
        return gast.UnaryOp(
            op=gast.USub(), operand=weighted(derivative, slope.operand, infinite, program, names, bindings)
        )
    return call(f"{_bound('kernels', kernels, names, bindings)}.strong_product", derivative, slope)


def product(left: gast.expr, right: gast.expr) -> gast.expr:
    """`left * right`, without multiplications by one."""
    for factor, rest in ((left, right), (right, left)):
        if isinstance(factor, gast.Constant) and factor.value in (1, 1.0) and not isinstance(factor.value, bool):
            return rest
        match factor:
            case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=1 | 1.0)):
                return gast.UnaryOp(op=gast.USub(), operand=rest)
    match left, right:
        case gast.UnaryOp(op=gast.USub(), operand=inner), _:
            return gast.UnaryOp(op=gast.USub(), operand=product(inner, right))
        case _, gast.UnaryOp(op=gast.USub(), operand=inner):
            return gast.UnaryOp(op=gast.USub(), operand=product(left, inner))
    return binary(left, gast.Mult, right)


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
        self.divides = False

    def visit_Attribute(self, node: gast.Attribute) -> gast.expr:
        made = self.generic_visit(node)
        is_number = isinstance(made.value, gast.Name) and isinstance(self.kinds.get(made.value.id), nb.Number)
        return tuple_of() if is_number and node.attr == "shape" else made

    def visit_Call(self, node: gast.Call) -> gast.expr:
        if self.select is not None and dotted_path(node.func) == "np.where":
            node.func = dotted(f"{self.select}.select")
        is_quotient = dotted_path(node.func) == STRONG_QUOTIENT
        return note(self.generic_visit(node), of_rule=is_quotient)

    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        made = self.generic_visit(node)
        if self.divides and isinstance(made.op, gast.Div):  # `/` of complex numbers raises an exception, also in Numba
            return note(call("np.divide", made.left, made.right), of_rule=True)
        return noted(made)

    def visit_Name(self, node: gast.Name) -> gast.expr:
        if node.id in self.known:
            return clone(self.known[node.id])
        return load(self.free.get(node.id, node.id))

    def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
        match node:
            case gast.Subscript(value=gast.Name(id="d"), slice=gast.Name(id=parameter)):
                return self.derivative(str(parameter))
        return self.generic_visit(node)
