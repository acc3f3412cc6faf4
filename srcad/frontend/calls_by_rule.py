"""Calls of functions with a rule of the user's own (`custom_vjp`, `custom_jvp`).

    y = f(x)           becomes          <the statements of f_fwd(x), which give t1 and what is saved, t2>
                                        y = f_result(t1, x, t2)

The forward function of the rule is inlined in place of the function, and nothing is differentiated through it: the
adjoint of `f_result` is a call of the backward function, which is lowered separately. For forward mode the backward
function, which is linear in its cotangent, is transposed; that of a `custom_jvp`, in its tangents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Protocol

import gast

from srcad.errors import Place, SrcadError
from srcad.frontend.call_arguments import known_arguments
from srcad.frontend.captured_values import spell
from srcad.frontend.load_source import load as load_source
from srcad.frontend.load_source import name_of, plain_function
from srcad.frontend.recursive_and_large_helpers import Outline, Outlined, is_builtin
from srcad.frontend.scope import Meaning, Procedure, is_users, procedure_of
from srcad.refusals.users_rules import FORWARD_NO_PAIR, RULE_COUNT, RULE_FORM, RULE_OF_VARIADIC, TANGENT_NO_PAIR
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule_result import RuleFunction, RuleResult, Unaliased
from srcad.transforms.inference.subroutine_types import Subroutine
from srcad.transforms.ir.array_functions import Result, result_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    binary,
    call,
    clone,
    const,
    dotted,
    load,
    loop,
    names_in,
    place_of,
    subscript,
    tuple_of,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.lowering.anf import Flattener
from srcad.transforms.lowering.inlining import bind_arguments
from srcad.transforms.lowering.lowering_context import Draft
from srcad.transforms.lowering.structure_passing import inside
from srcad.transforms.lowering.structures.abstract_state import Callee, Memory, Structure
from srcad.transforms.lowering.structures.structure_expressions import Outside
from srcad.transforms.normalise.callee_normalisation import normalised


class Lowering(Outside, Protocol):
    """What is needed of the lowering of a whole function."""

    draft: Draft
    outline: Outline

    def read(self, procedure: Procedure) -> Procedure:
        """Refuse unsupported syntax."""

    def call(self, node: gast.Call, caller: Flattener) -> gast.expr | None:
        """Inline a call."""


@dataclass(frozen=True)
class UsersRule:
    """A rule as the user stated it.

    function     the function that it belongs to
    kind         "vjp" or "jvp"
    functions    (forward, backward), or (jvp,), or one tangent function for each differentiable argument, or None
    by_argument  whether there is a tangent function for each argument (`defjvps`)
    constant     positions of the arguments by which nothing is differentiated, and which come first in the rule
    transposed   makes, of a function that is linear in some arguments, its gradient by these
    """

    function: Callable[..., Any]
    kind: str
    functions: tuple[Any, ...]
    by_argument: bool
    constant: tuple[int, ...]
    transposed: Callable[[Any, tuple[int, ...]], Any]

    @property
    def name(self) -> str:
        """The name of the function."""
        return name_of(self.function)

    def origin(self, which: int) -> str:
        """What messages call one of its functions."""
        function = self.functions[which]
        try:
            plain: Any = plain_function(function)
        except SrcadError:
            return f"the rule of `{self.name}`, `{getattr(function, '__name__', function)}`"
        code = plain.__code__
        return f"the rule of `{self.name}`, `{plain.__name__}` ({code.co_filename}:{code.co_firstlineno})"


def call_by_rule(lowering: Lowering, node: gast.Call, custom: Any, caller: Flattener, place: Place | None) -> gast.expr:
    """The value of a call of a function that has a rule of the user's own."""
    rule: UsersRule = custom.rule_at(place)
    lowering.draft.freeze(custom.state, "rule", rule)
    return RuleCall(lowering, rule, caller, place).lowered(node)


class RuleCall:
    """One call while it is lowered. `arguments` has the parameters with what is passed, in their order."""

    def __init__(self, lowering: Lowering, rule: UsersRule, caller: Flattener, place: Place | None) -> None:
        self.lowering, self.rule, self.caller, self.place = lowering, rule, caller, place
        self.draft = lowering.draft
        self.arguments: list[tuple[str, gast.expr]] = []

    def lowered(self, node: gast.Call) -> gast.expr:
        """Emit the statements of the call, and return its value."""
        self.bind(node)
        mark = len(self.caller.made)
        outs, saved = self.value()
        body = self.caller.made[mark:]
        leaves = [leaf for leaf in _leaves(outs, self.caller.memory) if isinstance(leaf, gast.Name)]
        if not leaves:
            return outs
        make = self.results(outs, saved, leaves)
        results = make.made()
        for each in walk_statements(body):
            self.within_rule(each, results[0])
        closed = self.read_from_outside(body)
        renamed: dict[str, gast.expr] = {}
        for result, leaf in zip(results, leaves, strict=True):
            passed = [*make.order(result), *map(load, closed)]
            result.closed = (*result.closed, *range(len(passed) - len(closed), len(passed)))
            result.count = len(passed)
            name = self.draft.names.temporary()
            self.caller.emit(assign(name, call(self.draft.bind(result.__name__, result), *passed), self.place))
            self.caller.memory.learn(name, load(leaf.id))
            self.caller.memory.known.pop(name, None)
            renamed[leaf.id] = load(name)
        return _copied(outs, self.caller.memory, self.caller.memory, lambda leaf: clone(renamed[leaf.id]))

    def within_rule(self, statement: gast.stmt, result: RuleResult) -> None:
        """Mark a statement of the inlined function; what it calls may be unknown to all passes."""
        if notes_of(statement).rule_call is None:
            note(statement, rule_call=result)
        value: Any = getattr(statement, "value", None)
        called = primitive_of(value, self.draft.bindings) if isinstance(value, gast.Call) else None
        if called is None or isinstance(called, Subroutine) or result_of(called) is not Result.ANY or _is_own(called):
            return
        known = [each for each in self.draft.bindings.values() if getattr(each, "function", None) is called]
        apart = next((each for each in known if isinstance(each, Unaliased)), None) or Unaliased(called)
        value.func = at(dotted(self.draft.bind(apart.__name__, apart)), place_of(value.func))

    def bind(self, node: gast.Call) -> None:
        """Evaluate the arguments."""
        procedure = procedure_of(load_source(self.rule.function))
        if procedure.rest or procedure.options:
            raise RULE_OF_VARIADIC.at(self.place, function=self.rule.name)
        self.draft.note_source(procedure.source.text)
        given = bind_arguments(node, procedure, self.place)
        statics = known_arguments(procedure, given, self.caller.memory, self.draft.bindings)
        values: dict[str, gast.expr] = {}
        for name, argument in given.items():
            value = spell(argument, self.draft, self.place, name) if isinstance(argument, Meaning) else argument
            values[name] = self.known(name, statics[name]) if name in statics else self.caller.part(value)
        self.arguments = [(name, values[name]) for name in procedure.names]

    def known(self, name: str, meaning: Meaning) -> gast.expr:
        """The expression for an argument that is known while compiling."""
        return spell(meaning, self.draft, self.place, name)

    @property
    def constant(self) -> list[gast.expr]:
        """The arguments by which nothing is differentiated."""
        return [value for k, (_, value) in enumerate(self.arguments) if k in self.rule.constant]

    @property
    def varying(self) -> list[tuple[str, gast.expr]]:
        """The others, with their names."""
        return [each for k, each in enumerate(self.arguments) if k not in self.rule.constant]

    def value(self) -> tuple[gast.expr, gast.expr | None]:
        """The value of the function, and what its backward function gets."""
        every = [clone(value) for _, value in self.arguments]
        if self.rule.kind == "jvp":
            return self.caller.part(self.called(self.rule.function, every)), None
        found = self.caller.core(self.called(self.rule.functions[0], every))
        if not isinstance(found, Structure):
            if not _may_be_tuple(found, self.caller):
                raise FORWARD_NO_PAIR.at(self.place, rule=self.rule.origin(0), found="one value")
            held = self.caller.held_in_atom(found)
            parts = [self.caller.part(subscript(clone(held), const(k))) for k in range(2)]
            return parts[0], parts[1]
        parts = _contents(found, self.caller.memory)
        if not found.cell.is_sequence or len(parts) != 2:
            what = f"a tuple of {len(parts)}" if found.cell.is_sequence else found.cell.called
            raise FORWARD_NO_PAIR.at(self.place, rule=self.rule.origin(0), found=what)
        return parts[0], parts[1]

    def called(self, function: Any, arguments: list[gast.expr]) -> gast.Call:
        """A call of a function of the rule."""
        name = getattr(function, "__name__", "rule").strip("<>") or "rule"
        made = gast.Call(func=dotted(self.draft.bind(name, self.lowerable(function))), args=arguments, keywords=[])
        return at(made, self.place)

    def lowerable(self, function: Any) -> Any:
        """What a function of the rule is called as: it is lowered whatever package it belongs to."""
        if not isinstance(function, FunctionType) or is_users(function) or registry.definition(function) is not None:
            return function
        return self.lowering.read(procedure_of(load_source(function)))

    def results(self, outs: gast.expr, saved: gast.expr | None, leaves: list[gast.Name]) -> RuleResults:
        """What makes the results of the call."""
        return RuleResults(self, outs, saved, leaves)

    def read_from_outside(self, body: Block) -> list[str]:
        """The variables that the inlined function reads, and that are neither its own nor its arguments."""
        own = {leaf.id for _, value in self.arguments for leaf in names_among(value, self.caller.memory)}
        own |= {str(written(each)) for each in walk_statements(body)}
        own |= {node.id for each in body for node in walk(each) if _is_stored(node)}
        read = dict.fromkeys(name for each in body for name in names_in(each))
        return [name for name in read if name not in own and name not in self.draft.bindings and not is_builtin(name)]


class RuleResults:
    """Makes the results of a call, and the functions that derivatives of them call."""

    def __init__(self, called: RuleCall, outs: gast.expr, saved: gast.expr | None, leaves: list[gast.Name]) -> None:
        self.call, self.rule, self.leaves = called, called.rule, leaves
        self.outs, self.saved = outs, saved
        self.memory = called.caller.memory
        # The arguments of a result after its value: variables of the caller.
        self.passed: list[str] = []

    def made(self) -> list[RuleResult]:
        """A primitive for each result."""
        backward, forward = self.backward(), self.forward()
        results: list[RuleResult] = []
        inputs = {leaf.id for _, value in self.call.varying for leaf in names_among(value, self.memory)}
        for number in range(len(self.leaves)):
            made = RuleResult(self.rule.name, self.rule.origin(-1), number, len(self.leaves))
            made.backward, made.forward = backward, forward
            made.first = results[0] if results else made
            made.inputs = tuple(self.place(name) for name in self.passed if name in inputs)
            made.others = {k: 1 + len(self.passed) + k for k in range(len(self.leaves))}
            results.append(made)
        return results

    def order(self, result: RuleResult) -> list[gast.expr]:
        """The arguments of a result."""
        several = self.leaves if len(self.leaves) > 1 else []
        own = self.leaves[result.number]
        return [load(each) for each in (own.id, *self.passed, *(leaf.id for leaf in several))]

    def place(self, name: str) -> int:
        """The place of a variable among the arguments."""
        if name not in self.passed:
            self.passed.append(name)
        return 1 + self.passed.index(name)

    def backward(self) -> RuleFunction | None:
        """What takes the adjoints of the results to contributions to those of the arguments."""
        return self.pulled() if self.rule.kind == "vjp" else self.transposed()

    def forward(self) -> RuleFunction | None:
        """What takes the tangents of the arguments to those of the results."""
        return self.pushed_by_units() if self.rule.kind == "vjp" else self.pushed()

    def pushed(self) -> RuleFunction:
        """The tangent function itself."""
        body = RuleBody(self, f"{self.rule.name}_jvp")
        return body.function(body.pushed(), [])

    def transposed(self) -> RuleFunction:
        """The adjoints of the arguments: the gradient by their tangents of the results' tangents, times adjoints."""
        body = RuleBody(self, f"{self.rule.name}_vjp")
        bars = [body.parameter(f"{leaf.id}_bar", ("bar", k)) for k, leaf in enumerate(self.leaves)]
        weighted = body.weighted(body.pushed(), [load(bar) for bar in bars], self.rule.origin(-1))
        wrt = tuple(k for k, (what, _) in enumerate(body.passed) if what == "dot")
        targets = [place for what, place in body.passed if what == "dot"]
        body.passed = [("zero", place) if what == "dot" else (what, place) for what, place in body.passed]
        made = body.function([weighted], targets, as_tuple=False)
        made.made = lambda function: self.rule.transposed(function, wrt)
        return made

    def pulled(self) -> RuleFunction:
        """The backward function itself."""
        body = RuleBody(self, f"{self.rule.name}_vjp")
        bars = {leaf.id: body.parameter(f"{leaf.id}_bar", ("bar", k)) for k, leaf in enumerate(self.leaves)}
        found = body.pulled(lambda leaf: load(bars[leaf.id]))
        return body.function([value for _, value in found], [self.place(name) for name, _ in found])

    def pushed_by_units(self) -> RuleFunction:
        """The tangents of the results: in each element, the adjoints of the arguments times their tangents."""
        body = RuleBody(self, f"{self.rule.name}_jvp")
        for _, value in self.call.varying:
            for leaf in names_among(value, self.memory):
                body.dot(leaf.id)
        return body.function([body.pushed_by_units(leaf) for leaf in self.leaves], [])


class RuleBody:
    """A function of a rule while it is lowered separately: its parameters stand for variables of the caller."""

    def __init__(self, results: RuleResults, wish: str) -> None:
        self.results, self.called = results, results.call
        self.lowering, self.draft = results.call.lowering, results.call.draft
        self.callee = Subroutine(self.draft.names.fresh(wish), wish, normalised)
        self.draft.bindings[self.callee.name] = self.callee
        self.memory = inside(results.memory, wish)
        self.flattener = Flattener(
            self.draft.names, self.draft.bindings, self.lowering.call, self.memory, self.lowering
        )
        self.flattener.stand_at(self.called.place)
        self.parameters: list[str] = []
        self.passed: list[tuple[str, int]] = []
        self.known: dict[str, str] = {}
        self.dots: dict[str, str] = {}

    def parameter(self, wish: str, passed: tuple[str, int]) -> str:
        """A new parameter."""
        name = self.draft.names.fresh(wish)
        self.parameters.append(name)
        self.passed.append(passed)
        return name

    def argument(self, leaf: gast.Name) -> gast.expr:
        """The parameter for a variable of the caller."""
        if leaf.id not in self.known:
            self.known[leaf.id] = self.parameter(leaf.id, ("argument", self.results.place(leaf.id)))
        return load(self.known[leaf.id])

    def dot(self, name: str) -> str:
        """The parameter for the tangent of a variable of the caller."""
        if name not in self.dots:
            self.dots[name] = self.parameter(f"{name}_dot", ("dot", self.results.place(name)))
        return self.dots[name]

    def received(self, value: gast.expr) -> gast.expr:
        """A value of the caller, inside."""
        return _copied(value, self.results.memory, self.memory, self.argument)

    def pulled(self, bar: Callable[[gast.Name], gast.expr]) -> list[tuple[str, gast.expr]]:
        """Call the backward function with these cotangents: variables of the caller, and contributions to them."""
        results, rule = self.results, self.called.rule
        constant = [self.received(value) for value in self.called.constant]
        cotangent = _copied(results.outs, results.memory, self.memory, bar)
        assert results.saved is not None
        given = [*constant, self.received(results.saved), cotangent]
        found = self.flattener.core(self.called.called(rule.functions[1], given))
        varying, origin = self.called.varying, rule.origin(1)
        if isinstance(found, Structure):
            parts = _contents(found, self.memory)
            if not found.cell.is_sequence or len(parts) != len(varying):
                raise self.wrong_count(found, parts)
        else:
            if not _may_be_tuple(found, self.flattener):
                raise self.wrong_count(found, [])
            held = self.flattener.held_in_atom(found)
            parts = [self.flattener.part(subscript(clone(held), const(k))) for k in range(len(varying))]
        pairs: list[tuple[str, gast.expr]] = []
        for (name, value), part in zip(varying, parts, strict=True):
            pairs += self.matched(value, part, name, origin)
        return pairs

    def wrong_count(self, found: gast.expr, parts: list[gast.expr]) -> SrcadError:
        """The error for a rule that returns another number of derivatives."""
        count = len(self.called.varying)
        what = f"{len(parts)} derivatives" if isinstance(found, Structure) else "no tuple"
        if isinstance(found, Structure) and not found.cell.is_sequence:
            what = found.cell.called
        return RULE_COUNT.at(
            self.called.place,
            rule=self.called.rule.origin(1),
            found=what,
            count=count,
            what="is" if count == 1 else "are",
            way="return a tuple with one for each differentiable argument, such as `(x_bar,)`; None for no derivative",
        )

    def matched(self, value: gast.expr, part: gast.expr, name: str, origin: str) -> list[tuple[str, gast.expr]]:
        """The variables in an argument, each with its part of what the rule returned for the argument."""
        if isinstance(part, gast.Constant) and part.value is None:
            return []
        if isinstance(value, Structure):
            held = self.results.memory.cells[value.cell]
            inner = self.memory.cells[part.cell] if isinstance(part, Structure) else None
            if not isinstance(inner, dict) or [*inner] != [*held]:
                what = part.cell.called if isinstance(part, Structure) else "a number or an array"
                raise RULE_FORM.at(self.called.place, rule=origin, found=what, what=value.cell.called, name=name)
            return [pair for key in held for pair in self.matched(held[key], inner[key], f"{name}[{key!r}]", origin)]
        if not isinstance(value, gast.Name):
            return []
        if isinstance(part, (Structure, Callee)):
            what = part.cell.called if isinstance(part, Structure) else "a function"
            raise RULE_FORM.at(self.called.place, rule=origin, found=what, what="a number or an array", name=name)
        return [(value.id, self.flattener.held_in_atom(part))]

    def pushed(self) -> list[gast.expr]:
        """Call the tangent function: the tangents of the results."""
        rule, results = self.called.rule, self.results
        if rule.by_argument:
            return self.pushed_by_argument()
        constant = [self.received(value) for value in self.called.constant]
        primals = [self.received(value) for _, value in self.called.varying]
        tangents = [self.tangent(value) for _, value in self.called.varying]
        pair = [self.memory.new(tuple, dict(enumerate(each))) for each in (primals, tangents)]
        found = self.flattener.core(self.called.called(rule.functions[0], [*constant, *pair]))
        if isinstance(found, Structure):
            parts = _contents(found, self.memory)
            if not found.cell.is_sequence or len(parts) != 2:
                what = f"a tuple of {len(parts)}" if found.cell.is_sequence else found.cell.called
                raise TANGENT_NO_PAIR.at(self.called.place, rule=rule.origin(0), found=what)
            part = parts[1]
        elif not _may_be_tuple(found, self.flattener):
            raise TANGENT_NO_PAIR.at(self.called.place, rule=rule.origin(0), found="one value")
        else:
            part = self.flattener.part(subscript(self.flattener.held_in_atom(found), const(1)))
        return self.tangents_of(results.outs, part, rule.origin(0))

    def tangent(self, value: gast.expr) -> gast.expr:
        """The tangent of a value of the caller: that of a constant is 0, that of a function the function."""
        made = _copied(value, self.results.memory, self.memory, lambda leaf: load(self.dot(leaf.id)))
        return const(0.0) if isinstance(made, gast.Constant) and _is_number(made.value) else made

    def pushed_by_argument(self) -> list[gast.expr]:
        """Call the tangent function of each argument, and add up what they return."""
        rule, results = self.called.rule, self.results
        varying = self.called.varying
        if len(rule.functions) != len(varying):
            raise RULE_COUNT.at(
                self.called.place,
                rule=f"`{rule.name}.defjvps`",
                found=f"{len(rule.functions)} functions",
                count=len(varying),
                what="is" if len(varying) == 1 else "are",
                way="give one for each differentiable argument, None for one without a derivative",
            )
        totals: list[gast.expr] = []
        for k, (function, (_, value)) in enumerate(zip(rule.functions, varying, strict=True)):
            if function is None:
                continue
            constant = [self.received(each) for each in self.called.constant]
            given = [self.tangent(value), self.received(results.outs), *(self.received(each) for _, each in varying)]
            part = self.flattener.part(self.called.called(function, [*constant, *given]))
            found = self.tangents_of(results.outs, part, rule.origin(k))
            totals = [self.sum(*pair) for pair in zip(totals, found, strict=True)] if totals else found
        return totals or [self.zero(leaf) for leaf in results.leaves]

    def tangents_of(self, outs: gast.expr, part: gast.expr, origin: str) -> list[gast.expr]:
        """What a tangent function returned, for each result."""
        pairs = dict(self.matched(outs, part, "result", origin))
        return [pairs[leaf.id] if leaf.id in pairs else self.zero(leaf) for leaf in self.results.leaves]

    def zero(self, leaf: gast.Name) -> gast.expr:
        """Zero, for a result without a derivative."""
        return self.flattener.held_in_atom(call("kernels.zero_like", self.argument(leaf)))

    def sum(self, one: gast.expr, other: gast.expr) -> gast.expr:
        """The sum of two tangents."""
        return self.flattener.held_in_atom(binary(one, gast.Add, other))

    def weighted(self, values: list[gast.expr], weights: list[gast.expr], origin: str) -> gast.expr:
        """The sum of inner products of values and weights."""
        total: gast.expr | None = None
        for value, weight in zip(values, weights, strict=True):
            fitting = self.flattener.held_in_atom(call("kernels.fitted", value, clone(weight), const(origin)))
            product = self.flattener.held_in_atom(call("kernels.inner", fitting, clone(weight)))
            total = product if total is None else self.sum(total, product)
        return const(0.0) if total is None else total

    def pushed_by_units(self, leaf: gast.Name) -> gast.expr:
        """The tangent of one result, element by element: unit cotangents, pulled, times the tangents.

        It is as expensive as one call of the backward function for each element of the result.
        """
        body, names = self.flattener, self.draft.names
        like, count, elements = self.argument(leaf), names.temporary(), names.temporary()
        body.let(count, call("kernels.element_count", clone(like)))
        body.let(elements, call("kernels.elements_of", clone(like)))
        k, unit = names.fresh("k"), names.temporary()
        outer, body.made = body.made, []
        start = self.memory.copy()
        body.let(unit, call("kernels.unit_like", clone(like), load(k)))

        def bar(each: gast.Name) -> gast.expr:
            return (
                load(unit) if each.id == leaf.id else body.held_in_atom(call("kernels.zero_like", self.argument(each)))
            )

        pairs = self.pulled(bar)
        dots = [load(self.dot(name)) for name, _ in pairs]
        total = self.weighted([value for _, value in pairs], dots, self.called.rule.origin(1))
        body.emit(assign(subscript(load(elements), load(k), store=True), total, self.called.place))
        inner, body.made = body.made, outer
        self.memory.become(start)
        body.emit(at(loop(k, [load(count)], inner), self.called.place))
        return body.held_in_atom(call("kernels.shaped_like", load(elements), clone(like)))

    def function(self, values: list[gast.expr], targets: list[int], as_tuple: bool = True) -> RuleFunction:
        """The finished function, which returns these values."""
        last = at(gast.Return(value=tuple_of(*values) if as_tuple else values[0]), self.called.place)
        finished = Outlined(self.callee, self.parameters, [*self.flattener.made, last], self.called.place)
        self.lowering.outline.finished[self.callee] = finished
        return RuleFunction(self.callee, self.passed, targets)


def _may_be_tuple(value: gast.expr, flattener: Flattener) -> bool:
    """Whether a value may be a tuple when the program runs: what a function without a rule returns."""
    if isinstance(value, gast.Name):
        made = [each.value for each in walk_statements(flattener.made) if written(each) == value.id]
        return any(_may_be_tuple(each, flattener) for each in made)
    called = primitive_of(value, flattener.bindings) if isinstance(value, gast.Call) else None
    return called is not None and not registry.variants(called)


def _contents(structure: Structure, memory: Memory) -> list[gast.expr]:
    held = memory.cells[structure.cell]
    return list(held.values()) if isinstance(held, dict) else []


def _leaves(value: gast.expr, memory: Memory) -> list[gast.expr]:
    """The numbers and arrays in a value."""
    if isinstance(value, Structure):
        return [leaf for part in _contents(value, memory) for leaf in _leaves(part, memory)]
    return [value]


def names_among(value: gast.expr, memory: Memory) -> list[gast.Name]:
    """The variables in a value."""
    return [leaf for leaf in _leaves(value, memory) if isinstance(leaf, gast.Name)]


def _copied(value: gast.expr, source: Memory, target: Memory, change: Callable[[gast.Name], gast.expr]) -> gast.expr:
    """The same value with other variables, in another memory."""
    if isinstance(value, Structure):
        held = source.cells[value.cell]
        parts = {key: _copied(part, source, target, change) for key, part in held.items()}
        return target.new(value.cell.type, parts)
    return change(value) if isinstance(value, gast.Name) else clone(value)


def _is_stored(node: Any) -> bool:
    return isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex)) and not isinstance(value, bool)


def _is_own(called: Any) -> bool:
    """Whether the compiler knows a function: those of Python's operators, its builtins, and our own."""
    return str(getattr(called, "__module__", "")).partition(".")[0] in ("_operator", "builtins", "math", "srcad")
