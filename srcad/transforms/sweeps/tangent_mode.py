"""Forward mode: each statement is followed by its tangent, so that the result is core form with the same SSA names.

    v = np.sin(x)      becomes      v = np.sin(x)
                                    v_dot = np.cos(x) * x_dot

A name has a tangent if it depends on an independent parameter; for all others the tangent's terms are dropped. The
tangent of a view is the same view of the tangent, a store also stores the tangent, and control flow does not change.
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.errors import CompilerBug, Place
from srcad.names import Names
from srcad.refusals.names_and_functions import NO_FORWARD_RULE
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.registry import Rule
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.call_derivatives import Callees, CallTangents, calls_in
from srcad.transforms.adjoint.rule_expansion import (
    bound,
    infinite_in,
    refuse_closed,
    refuse_unknown,
    splice,
    weighted,
    with_strong_zeros,
)
from srcad.transforms.adjoint.to_core_form import Splitter
from srcad.transforms.analysis.activity import known_numbers, missing_rule, ranks
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    augment,
    binary,
    call,
    clone,
    const,
    inner_blocks,
    load,
    names_in,
    place_of,
    subscript,
    tuple_of,
)
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.primitive import operands, primitive_of
from srcad.transforms.storage.tbr import names_with_content


class Tangents:
    """Writes tangents; `dots` maps names to the names of their tangents."""

    def __init__(
        self, program: Program, names: Names, bindings: dict[str, Any], callees: Callees | None = None
    ) -> None:
        self.program, self.names, self.bindings = program, names, bindings
        self.zeros = Adjoints(program, names, bindings)
        self.calls = CallTangents(calls_in(program.unit), callees)
        self.dots: dict[str, str] = {}

    def dot(self, name: str) -> str:
        """The name of a name's tangent."""
        if name not in self.dots:
            self.dots[name] = self.names.fresh(f"{name}_dot")
        return self.dots[name]

    def of_atom(self, node: gast.expr, like: str | None = None) -> gast.expr:
        """The tangent of an atom, or of a tuple of atoms: zero where it has none."""
        if isinstance(node, gast.Tuple):
            return tuple_of(*(self.of_atom(element) for element in node.elts))
        if isinstance(node, gast.Name) and self.program.is_active(node.id):
            return load(self.dot(node.id))
        if isinstance(node, gast.Name) and self.program.types.is_array(node.id):
            return call("np.zeros_like", load(node.id))
        if any(map(self.program.is_active, names_with_content(node))):
            raise CompilerBug(f"the tangent of something else than an atom: {gast.dump(node)}")
        return const(0.0)

    def with_tangents(self, statement: gast.stmt) -> Block:
        """A statement with the tangent statements before and after it."""
        if not inner_blocks(statement) and self.calls.is_active_call(statement, self.program):
            return [self.calls.called(statement, self)]
        first, second = self.statement(statement)
        splitter = Splitter(self.names)
        before, after = splitter.block(first), splitter.block(second)
        for each in (*before, *after):
            note(each, sweep="tangent")
        return [*before, statement, *after]

    def statement(self, statement: gast.stmt) -> tuple[Block, Block]:
        """The tangent statements before and after one simple statement."""
        place = place_of(statement)
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                if not self.program.is_active(str(name)):
                    return [], []
                return [], self.assignment(str(name), value, place)
            case gast.Assign(targets=[gast.Subscript() as target], value=value):
                if not self.program.is_active(target.value.id):
                    return [], []
                return [], [assign(self.of_target(target), self.of_atom(value), place)]
            case gast.AugAssign(target=target, op=op, value=value):
                if not self.program.is_active(target.value.id) or not self.is_varied(value):
                    return [], []
                return [], [augment(self.of_target(target), type(op), self.of_atom(value), place)]
        return [], []

    def is_varied(self, value: gast.expr) -> bool:
        """Whether an atom has a tangent."""
        return isinstance(value, gast.Name) and self.program.is_active(value.id)

    def of_target(self, target: gast.Subscript) -> gast.Subscript:
        """The same element or slice of the tangent."""
        return subscript(load(self.dot(target.value.id)), clone(target.slice), store=True)

    def assignment(self, name: str, value: gast.expr, place: Place | None) -> Block:
        """`name = value`, where the name has a tangent."""
        dot = self.dot(name)
        if not any(self.program.is_active(read) for read in names_in(value)):
            return [assign(dot, self.zeros.zero(name), place)]
        match value:
            case gast.Name() | gast.Tuple():
                return [assign(dot, self.of_atom(value), place)]
            case gast.Subscript(value=gast.Name(id=base)) if base in self.calls.calls:
                return [assign(dot, self.calls.part(name, base, self.program), place)]
            case gast.Subscript(value=gast.Name(id=base), slice=index):
                return [assign(dot, subscript(self.of_atom(load(base)), clone(index)), place)]
        return self.operation(name, value, place)

    def operation(self, name: str, value: gast.expr, place: Place | None) -> Block:
        """`name = f(...)` by the rule of `f`."""
        primitive = primitive_of(value, self.program.unit.bindings)
        positional, keywords = operands(value)
        rule = registry.find(primitive, ranks(positional, self.program.types), known_numbers(positional))
        if rule is None:
            raise missing_rule(primitive, place)
        if rule.kind == "zero":
            return [assign(self.dot(name), self.zeros.zero(name), place)]
        inputs = bound(rule, positional, keywords, self.program.types, place)
        refuse_closed(rule, name, inputs, self.program, place)
        if rule.partials is not None:
            return self.by_partials(name, rule, inputs, place)
        if rule.tangent is not None:
            return self.by_template(name, rule, inputs, place)
        if rule.is_linear or rule.kind == "view":
            return [assign(self.dot(name), self.applied(value, rule, inputs), place)]
        raise NO_FORWARD_RULE.at(place, function=primitive_name(primitive))

    def by_partials(self, name: str, rule: Rule, inputs: dict[str, gast.expr], place: Place | None) -> Block:
        """The sum of partial derivatives times tangents."""
        template = rule.partials
        assert template is not None
        refuse_unknown(rule, template, inputs, self.program, place)
        spliced = splice(
            template,
            {template.parameters[0]: load(name), **inputs},
            lambda _: const(0.0),
            self.names,
            self.bindings,
            not self.program.types.is_array(name),
            self.program.types,
        )
        infinite = infinite_in(rule, template, name, spliced, self.program)
        total: gast.expr | None = None
        for parameter, factor in zip(template.parameters[1:], spliced.returned, strict=False):
            argument = inputs.get(parameter)
            is_flat = isinstance(factor, gast.Constant) and factor.value is None
            if argument is not None and self.is_varied(argument) and not is_flat:
                dot = self.of_atom(argument)
                term = weighted(dot, factor, infinite, self.program, self.names, self.bindings, slope_first=True)
                total = _plus(total, term)
        if total is None:
            return [at(assign(self.dot(name), self.zeros.zero(name)), place)]
        total = self.owned(name, self.full(name, total, inputs, spliced.locals))
        code = [*spliced.locals, assign(self.dot(name), total, place)]
        return [at(statement, place) for statement in code]

    def owned(self, name: str, value: gast.expr) -> gast.expr:
        """A tangent in memory of its own, if the result is a new array that may be written to."""
        if not isinstance(value, (gast.Name, gast.Subscript)) or not self.program.types.is_array(name):
            return value
        read = next(names_in(value))
        back = {dot: primal for primal, dot in self.dots.items()}
        aliases = self.program.aliases
        written = aliases.is_written(name) or aliases.is_written(back.get(read, read))
        return call("np.copy", value) if written else value

    def full(self, name: str, total: gast.expr, inputs: dict[str, gast.expr], first: Block) -> gast.expr:
        """A tangent broadcast to the shape of the result, if operands without a tangent may determine that shape."""
        types = self.program.types
        if not types.is_array(name):
            return total
        back = {dot: primal for primal, dot in self.dots.items()}
        seen = {back.get(read, read) for node in [total, *first] for read in names_in(node)}
        arrays = {each.id for each in inputs.values() if isinstance(each, gast.Name) and types.is_array(each.id)}
        if name in seen or arrays <= seen:
            return total
        return binary(call("np.zeros_like", load(name)), gast.Add, total)

    def by_template(self, name: str, rule: Rule, inputs: dict[str, gast.expr], place: Place | None) -> Block:
        """The tangent rule, without the terms of inputs that have no tangent."""
        assert rule.tangent is not None
        refuse_unknown(rule, rule.tangent, inputs, self.program, place)
        template = with_strong_zeros(rule, rule.tangent, inputs, self.program)

        def derivative(parameter: str) -> gast.expr:
            argument = inputs.get(parameter)
            if isinstance(argument, gast.Tuple):
                return self.of_atom(argument)
            if argument is not None and (rule.needs_all_tangents or self.is_varied(argument)):
                return self.of_atom(argument)
            return load(_ABSENT)

        known = {template.parameters[0]: load(name), **inputs}
        numbers = rule.elementwise and not self.program.types.is_array(name)
        spliced = splice(template, known, derivative, self.names, self.bindings, numbers, self.program.types)
        code = spliced.locals
        absent = {statement.targets[0].id for statement in code if _ABSENT in names_in(statement.value)}
        kept = [statement for statement in code if statement.targets[0].id not in absent]
        (_, value), *more = spliced.contributions
        if more:
            raise CompilerBug(f"the tangent rule of {primitive_name(rule.primitive)} has two results")
        term = _without_absent(value, absent | {_ABSENT})
        sources = inputs if rule.elementwise else {}
        total = self.zeros.zero(name) if term is None else self.full(name, term, sources, kept)
        return [at(statement, place) for statement in [*kept, assign(self.dot(name), self.owned(name, total))]]

    def applied(self, value: gast.expr, rule: Rule, inputs: dict[str, gast.expr]) -> gast.expr:
        """A linear primitive applied to tangents."""
        changed = clone(value)
        linear = {id(inputs[parameter]) for parameter in rule.linear_in if parameter in inputs}
        linear |= {id(next(iter(inputs.values())))} if rule.kind == "view" else set()

        def swap(node: gast.expr, original: gast.expr) -> gast.expr:
            if id(original) not in linear:
                return node
            return self.of_atom(node)

        match changed, value:
            case gast.Call(), gast.Call():
                changed.args = [swap(a, b) for a, b in zip(changed.args, value.args, strict=True)]
                for a, b in zip(changed.keywords, value.keywords, strict=True):
                    a.value = swap(a.value, b.value)
            case gast.UnaryOp(), _:
                changed.operand = swap(changed.operand, value.operand)
            case gast.BinOp(), _:
                changed.left, changed.right = swap(changed.left, value.left), swap(changed.right, value.right)
        return changed


_ABSENT = "no_tangent"


def _plus(total: gast.expr | None, term: gast.expr) -> gast.expr:
    if total is None:
        return term
    if isinstance(term, gast.UnaryOp) and isinstance(term.op, gast.USub):
        return binary(total, gast.Sub, term.operand)
    return binary(total, gast.Add, term)


def _without_absent(node: gast.expr, absent: set[str]) -> gast.expr | None:
    """A sum without the terms that contain absent names; None if nothing is left."""
    if not absent & set(names_in(node)):
        return node
    match node:
        case gast.BinOp(left=left, op=gast.Add() | gast.Sub() as op, right=right):
            a, b = _without_absent(left, absent), _without_absent(right, absent)
            if a is None:
                return b if b is None or isinstance(op, gast.Add) else gast.UnaryOp(op=gast.USub(), operand=b)
            return a if b is None else binary(a, type(op), b)
        case gast.BinOp(left=left, op=gast.Mult() | gast.Div() as op, right=right):
            a, b = _without_absent(left, absent), _without_absent(right, absent)
            return None if a is None or b is None else binary(a, type(op), b)
        case gast.Call(
            func=gast.Attribute(attr="strong_product" | "strong_quotient" | "product_of_derivatives"), args=args
        ):
            parts = [_without_absent(each, absent) for each in args]
            return None if None in parts else gast.Call(func=node.func, args=parts, keywords=[])
        case gast.UnaryOp(op=op, operand=operand):
            inner = _without_absent(operand, absent)
            return None if inner is None else gast.UnaryOp(op=op, operand=inner)
    return None
