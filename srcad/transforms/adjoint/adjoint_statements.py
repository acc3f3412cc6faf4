"""Adjoint statements: the adjoint of each simple statement of core form.

For `y = f(a, b)`, the adjoint of `y` is propagated to the adjoints of `a` and `b` by the rule of `f`. A store
propagates the adjoint of the overwritten element to the stored value, and leaves zero. A view's adjoint is the same
view of its base's adjoint, so nothing has to be propagated. Control flow is reversed in `reverse_control_flow`.
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.errors import CompilerBug, Place
from srcad.refusals.memory import ALTERNATING_VIEW
from srcad.refusals.names_and_functions import NO_REVERSE_RULE
from srcad.runtime import kernels
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.registry import Rule
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.primal_values import PrimalValues
from srcad.transforms.adjoint.rule_expansion import (
    bound,
    infinite_in,
    refuse_closed,
    refuse_unknown,
    splice,
    weighted,
    whole_tuple,
    with_strong_zeros,
)
from srcad.transforms.analysis.activity import known_numbers, missing_rule, ranks
from srcad.transforms.analysis.aliases import is_basic
from srcad.transforms.analysis.ownership import check_copy
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.analysis.view_adjoints import is_view
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    augment,
    call,
    clone,
    const,
    index_value,
    load,
    names_in,
    place_of,
    subscript,
)
from srcad.transforms.ir.primitive import constant, operands, primitive_of


class StatementAdjoints:
    """Writes the adjoint of one simple statement at a time."""

    def __init__(self, program: Program, adjoints: Adjoints) -> None:
        self.program, self.adjoints = program, adjoints
        self.values = PrimalValues(program)

    def of(self, statement: gast.stmt) -> Block:
        """The adjoint statements of an assignment, a store or an effect."""
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                return self.assignment(statement, str(name), value)
            case gast.Assign(targets=[gast.Subscript() as target], value=value):
                return self.store(statement, target, value, None)
            case gast.AugAssign(target=target, op=op, value=value):
                return self.store(statement, target, value, type(op))
            case gast.Assert() | gast.Raise() | gast.Expr() | gast.Pass():
                return []
        raise CompilerBug(f"no adjoint for {gast.dump(statement)}")

    def assignment(self, statement: gast.stmt, name: str, value: gast.expr) -> Block:
        """`name = value`: propagate the adjoint; that of the name's previous value, if any, then starts at zero."""
        if not self.program.is_active(name):
            return []
        self.refuse_unsupported(statement, name, value)
        code = self.contributions(statement, name, value)
        if self.is_overwriting(statement, name):
            code += self.adjoints.clear(name, place_of(statement))
        return code

    def is_overwriting(self, statement: gast.stmt, name: str) -> bool:
        """Whether the assignment replaces a value from an earlier iteration."""
        flow = self.program.flow
        return len(flow.spot(statement).loops) > self.program.loops_at_home(name)

    def contributions(self, statement: gast.stmt, name: str, value: gast.expr) -> Block:
        """The contributions of an assignment to the adjoints of what it reads."""
        program, place = self.program, place_of(statement)
        if self.adjoints.calls.handles(name, value):
            return self.adjoints.calls.of(name, self.adjoints, place)
        bar = load(self.adjoints.bar(name))
        match value:
            case gast.Constant() | gast.UnaryOp(operand=gast.Constant()) | gast.Attribute():
                return []
            case gast.Name(id=source):
                if program.types.is_array(name):
                    check_copy(program, statement)
                return self.adjoints.add(str(source), bar, place) if program.is_active(str(source)) else []
            case gast.Subscript(value=gast.Name(id=base), slice=index):
                return self.read(name, str(base), index, place)
        if is_view(self.program, name, value):
            return self.widened(name, value, place)
        return self.operation(statement, name, value)

    def widened(self, name: str, value: gast.expr, place: Place | None) -> Block:
        """If `kernels.expand` made a copy and not a view, the copy's adjoint must be summed into the base's."""
        if primitive_of(value, self.program.unit.bindings) is not kernels.expand:
            return []
        base = load(self.adjoints.bar(value.args[0].id))
        return [_effect(call(self.adjoints.kernel("unexpand"), base, load(self.adjoints.bar(name))), place)]

    def read(self, name: str, base: str, index: gast.expr, place: Place | None) -> Block:
        """`name = base[index]`."""
        if not self.program.is_active(base):
            return []
        types, bar = self.program.types, load(self.adjoints.bar(name))
        if getattr(types.get(base), "ndim", None) == 0:  # NumPy turns zero-dimensional results into numbers
            return self.adjoints.add(base, bar, place)
        if is_basic(index, types):
            if types.is_array(name) and is_view(self.program, name, subscript(load(base), index)):
                return []
            return [augment(subscript(load(self.adjoints.bar(base)), clone(index), store=True), gast.Add, bar, place)]
        arguments = (load(self.adjoints.bar(base)), index_value(clone(index)), bar)
        return [_effect(call(self.adjoints.kernel("scatter_add"), *arguments), place)]

    def operation(self, statement: gast.stmt, name: str, value: gast.expr) -> Block:
        """`name = f(...)` by the rule of `f`."""
        program, place = self.program, place_of(statement)
        primitive = primitive_of(value, program.unit.bindings)
        positional, keywords = operands(value)
        rule = registry.find(primitive, ranks(positional, program.types), known_numbers(positional))
        if rule is None:
            raise missing_rule(primitive, place)
        if rule.kind == "zero":
            return []
        inputs = bound(rule, positional, keywords, program.types, place)
        refuse_closed(rule, name, inputs, program, place)
        return self.values.read(self.by_rule(name, rule, inputs, place), statement)

    def by_rule(self, name: str, rule: Rule, inputs: dict[str, gast.expr], place: Place | None) -> Block:
        """The contributions that a rule states, with the call's arguments substituted."""
        adjoints, program = self.adjoints, self.program
        bar = load(adjoints.bar(name))
        template = rule.partials or rule.adjoint
        if template is None:
            raise NO_REVERSE_RULE.at(place, function=primitive_name(rule.primitive))
        refuse_unknown(rule, template, inputs, program, place)
        template = with_strong_zeros(rule, template, inputs, program)
        known = {template.parameters[0]: load(name), **inputs}
        plain = rule.elementwise and not program.types.is_array(name)
        spliced = splice(template, known, lambda _: clone(bar), adjoints.names, adjoints.bindings, plain, program.types)
        pairs = spliced.contributions
        if rule.partials is not None:
            infinite = infinite_in(rule, template, name, spliced, program)
            pairs = [
                (parameter, weighted(clone(bar), factor, infinite, program, adjoints.names, adjoints.bindings))
                for parameter, factor in zip(template.parameters[1:], spliced.returned, strict=False)
                if not _is_none(factor)
            ]
        code: Block = []
        for parameter, contribution in pairs:
            if parameter in inputs:
                code += self.contribute(name, rule, inputs, parameter, contribution, place)
            elif not rule.elementwise:
                continue
        return [*(_placed(spliced.locals, place) if code else []), *code]

    def contribute(
        self,
        name: str,
        rule: Rule,
        inputs: dict[str, gast.expr],
        parameter: str,
        contribution: gast.expr,
        place: Place | None,
    ) -> Block:
        """One contribution of a rule, if the argument is active."""
        adjoints, program = self.adjoints, self.program
        argument = inputs[parameter]
        if isinstance(argument, gast.Tuple):
            return self.contribute_to_parts(argument, contribution, place)
        if not isinstance(argument, gast.Name) or not program.is_active(argument.id):
            return []
        if rule.elementwise:
            rank = program.types.rank(name) or 0
            alone = self.is_only_array(argument.id, inputs)
            same = alone or adjoints.same_shape(argument.id, name)
            contribution = adjoints.summed(argument.id, contribution, rank, same)
        return adjoints.add(argument.id, contribution, place, is_exact=not program.types.is_array(name))

    def is_only_array(self, name: str, inputs: dict[str, gast.expr]) -> bool:
        """Whether the name is the only array among the inputs, so that the result has its shape."""
        types = self.program.types
        arrays = {each.id for each in inputs.values() if isinstance(each, gast.Name) and types.is_array(each.id)}
        return arrays == {name}

    def contribute_to_parts(self, parts: gast.Tuple, contribution: gast.expr, place: Place | None) -> Block:
        """A rule that gives a tuple of contributions, for a tuple of arguments."""
        whole = self.adjoints.names.temporary()
        code = self.add_parts(parts, load(whole), place)
        return [assign(whole, contribution, place), *code] if code else []

    def add_parts(self, parts: gast.Tuple, whole: gast.expr, place: Place | None) -> Block:
        """Add the elements of a tuple, nested like the arguments, to their adjoints."""
        code: Block = []
        for k, part in enumerate(parts.elts):
            if isinstance(part, gast.Tuple):
                code += self.add_parts(part, subscript(clone(whole), const(k)), place)
            elif isinstance(part, gast.Name) and self.program.is_active(part.id):
                code += self.adjoints.add(part.id, subscript(clone(whole), const(k)), place)
        return code

    def store(
        self, statement: gast.stmt, target: gast.Subscript, value: gast.expr, operation: type[gast.operator] | None
    ) -> Block:
        """`base[index] = value`, or `+=`, `-=`."""
        program, adjoints, place = self.program, self.adjoints, place_of(statement)
        base = str(target.value.id)
        if not program.is_active(base):
            return []
        bar: gast.expr = load(adjoints.bar(base))
        if constant(target.slice) is not ...:
            bar = subscript(bar, clone(target.slice))
        if not is_basic(target.slice, program.types):
            index = index_value(clone(target.slice))
            bar = call(adjoints.kernel("stored_bar"), load(adjoints.bar(base)), index)
        clear: Block = []
        if operation is None:
            clear = [assign(subscript(load(adjoints.bar(base)), clone(target.slice), store=True), const(0.0), place)]
        if not isinstance(value, gast.Name) or not program.is_active(value.id):
            return clear
        if program.aliases.may_alias(value.id, base):
            # The stored value is a view of the same memory: its adjoint must not change when the target's is cleared.
            taken = adjoints.names.temporary()
            first = assign(taken, call("np.copy", bar), place)
            return [first, *clear, *self.stored_value(value.id, base, target.slice, load(taken), operation, place)]
        return [*self.stored_value(value.id, base, target.slice, bar, operation, place), *clear]

    def stored_value(
        self,
        name: str,
        base: str,
        index: gast.expr,
        bar: gast.expr,
        operation: type[gast.operator] | None,
        place: Place | None,
    ) -> Block:
        """Propagate the adjoint of a stored element or slice to the stored value."""
        types, adjoints = self.program.types, self.adjoints
        if not self.is_element(base, index):
            if not types.is_array(name):
                bar = call("np.sum", bar)
            elif not self.fills(name, base, index):
                bar = call(adjoints.kernel("unbroadcast"), bar, load(name))
        sign: Any = gast.Sub if operation is gast.Sub else gast.Add
        return adjoints.add(name, bar, place, sign)

    def fills(self, name: str, base: str, index: gast.expr) -> bool:
        """Whether a stored array is known to have the shape of the part that it is stored into."""
        sizes, rank = self.program.meeting, self.program.types.rank(name) or 0
        if not is_basic(index, self.program.types) or self.rank_of_part(base, index) != rank:
            return False
        return all(sizes.part(base, index, axis) == sizes.size(name, axis) for axis in range(rank))

    def rank_of_part(self, base: str, index: gast.expr) -> int:
        """The rank of what a basic subscript selects."""
        rank = self.program.types.rank(base) or 0
        for part in index.elts if isinstance(index, gast.Tuple) else [index]:
            if isinstance(part, gast.Constant) and part.value is None:
                rank += 1
            elif not isinstance(part, gast.Slice) and constant(part) is not ...:
                rank -= 1
        return rank

    def is_element(self, base: str, index: gast.expr) -> bool:
        """Whether a subscript selects one element."""
        types = self.program.types
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        scalars = [
            part
            for part in parts
            if (isinstance(part, gast.Name) and not types.is_array(part.id))
            or isinstance(part, gast.UnaryOp)
            or (isinstance(part, gast.Constant) and isinstance(part.value, int))
        ]
        return len(scalars) == len(parts) == types.rank(base)

    def refuse_unsupported(self, statement: gast.stmt, name: str, value: gast.expr) -> None:
        """Refuse what would need an adjoint that cannot be kept: run-time tuples, varying views of written memory."""
        # An element of a tuple display has an index that is known at run time only.
        if isinstance(value.value if isinstance(value, gast.Subscript) else value, gast.Tuple):
            raise whole_tuple(place_of(statement))
        if name in self.program.aliases.views and len(self.program.flow.stores.get(name, [])) > 1:
            for source in names_in(value):
                if self.program.aliases.is_written(source) and not isinstance(value, gast.Name):
                    raise ALTERNATING_VIEW.at(place_of(statement), name=name)


MISSING_HINT = "rewrite it with functions that have one, or keep it out of the gradient with srcad.stop_gradient"


def _effect(value: gast.expr, place: Place | None) -> gast.stmt:
    return at(gast.Expr(value=value), place)


def _placed(block: Block, place: Place | None) -> Block:
    return [at(statement, place) for statement in block]


def _is_none(node: gast.expr) -> bool:
    return isinstance(node, gast.Constant) and node.value is None
