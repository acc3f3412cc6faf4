"""Lower a function to core form, with the user's functions that it calls inlined.

`_Lowering.body` lists the passes in order. When flattening reaches a call of a user's function, the same passes run on
the callee, in a scope of its own, and the resulting statements replace the call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import gast

from srcad.errors import Place, SrcadError
from srcad.frontend.call_arguments import completed, constant_parameters, known_arguments, reachable
from srcad.frontend.captured_values import spell
from srcad.frontend.derivative_functions import described
from srcad.frontend.effects import refuse_read
from srcad.frontend.generators import collector, generator, only_reads, readable, yields
from srcad.frontend.load_source import Source, deepest_expression
from srcad.frontend.load_source import load as load_source
from srcad.frontend.numba_callables import python_of
from srcad.frontend.one_shot_iterators import refuse_kept
from srcad.frontend.recursive_and_large_helpers import ChangesForm, Frame, Outline, Outlined, Recurs
from srcad.frontend.resolve import resolve
from srcad.frontend.scope import (
    Meaning,
    Method,
    Procedure,
    Scope,
    closed_over,
    is_users,
    open_scope,
    procedure_of,
    rebound,
    source_order,
)
from srcad.frontend.structured_parameters import given_parameter
from srcad.frontend.try_statements import Attempted
from srcad.refusals.constructs import DEEP_EXPRESSION, GENERATOR, STARRED_PARAMETERS
from srcad.refusals.loops import KEPT_GENERATOR
from srcad.refusals.names_and_functions import DEEP_CALLS
from srcad.refusals.numpy_calls import FORM_WITHOUT_RULE
from srcad.runtime.jit.gc_pause import nothing_collected
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.theorems import NoRule, SolvedBy
from srcad.runtime.support.stage_timer import stage
from srcad.transforms.inference.attempts import Attempt
from srcad.transforms.inference.subroutine_types import Subroutine
from srcad.transforms.ir.build import Block, assign, at, call, clone, dotted, effect, has_place, load, place_of, stored
from srcad.transforms.ir.canonical_names import root_name
from srcad.transforms.ir.cost_model import MOST_NESTED_CALLS
from srcad.transforms.ir.pytree_form import LEAF, Part
from srcad.transforms.ir.unit import Unit
from srcad.transforms.lowering.anf import Flattener
from srcad.transforms.lowering.calls.library_keywords import fitted
from srcad.transforms.lowering.desugaring.desugar import desugar
from srcad.transforms.lowering.desugaring.structured_exits import structure_exits
from srcad.transforms.lowering.inlining import bind_arguments, static_value
from srcad.transforms.lowering.lowering_context import Draft
from srcad.transforms.lowering.structure_passing import (
    Form,
    at_call,
    check_form,
    check_length,
    form_of,
    inside,
    leaves_of,
    parts_of_result,
    received,
    returned_length,
)
from srcad.transforms.lowering.structures.abstract_state import Memory, Structure
from srcad.transforms.lowering.structures.iterator_objects import Iterator


@nothing_collected()
@stage("lower")
def prepare(function: Callable[..., Any]) -> Unit:
    """Stages 1 to 3: load a function and lower it to core form, without types."""
    try:
        return lower(load_source(function), getattr(function, "forms", None), getattr(function, "extents", ()))
    except RecursionError:
        place = deepest_expression(function)
    raise DEEP_EXPRESSION.at(place)


def lower(
    source: Source, forms: Mapping[str, Part] | None = None, extents: Sequence[tuple[int, ...] | None] = ()
) -> Unit:
    """The unit in core form of a loaded function.

    `forms` gives the form of each parameter that is not a plain number or array, `extents` the shapes of the leaves, in
    order, if they are constants.

    >>> from srcad.frontend.load_source import load
    >>> from srcad.printing.printer import print_function
    >>> def f(x):
    ...     s = 0.0
    ...     for v in x:
    ...         s += v * v
    ...     return s
    >>> print(print_function(lower(load(f)).tree), end="")
    def f(x):
        s = 0.0
        t1 = len(x)
        for i in range(t1):
            v = x[i]
            t2 = v * v
            s = operator.iadd(s, t2)
        return s
    """
    return _Lowering().unit(source, forms or {}, extents)


_NOT_THAT: Any = object()


class _Lowering:
    def __init__(self) -> None:
        self.draft = Draft()
        self.outline = Outline(self.draft)
        self.result: Part = LEAF
        self.made_derivatives: dict[tuple[Any, ...], Any] = {}

    def unit(self, source: Source, forms: Mapping[str, Part], extents: Sequence[tuple[int, ...] | None] = ()) -> Unit:
        procedure = procedure_of(source)
        statics = constant_parameters(procedure, forms) if forms else {}
        procedure = self.read(reachable(procedure, statics) if statics else procedure)
        gathered = [name for name in (procedure.rest, procedure.options) if name is not None]
        if any(forms.get(name, LEAF) is LEAF for name in gathered):
            raise STARRED_PARAMETERS.at(source.place(source.tree))
        scope = open_scope(procedure, statics, self.draft.names)
        self.draft.names.reserve(source.name)
        self.outline.frames.append(Frame(self.outline.base(procedure, {}, {}), {}))
        memory, names = Memory(), list[str]()
        for name in [each for each in source_order(procedure) if each in procedure.names]:
            if name in statics:
                continue
            names += given_parameter(name, scope.variables[name], forms.get(name, LEAF), source, memory, self.draft)
        for name, extent in zip(names, extents, strict=False):
            memory.measure(name, extent)
        body, result = self.body(scope, True, memory)
        form = self.result
        if self.draft.changed:
            refuse_read(self.draft)
        last = at(gast.Return(value=result), place_of(result) or (place_of(body[-1]) if body else None))
        called = self.outline.finish([*body, last], names)
        unit = self.draft.unit(source.name, names, [*body, last], source.options, called)
        return replace(unit, result=form, changes=bool(memory.touched))

    def read(self, procedure: Procedure) -> Procedure:
        """The procedure without `match` and `try`; unsupported syntax is refused."""
        return readable(procedure, self.draft)

    def body(self, scope: Scope, as_value: bool, memory: Memory) -> tuple[Block, gast.expr]:
        """Run the passes on the body of a procedure, in order."""
        draft = self.draft
        if found := yields(scope.procedure.tree):
            raise (KEPT_GENERATOR if self.outline.frames[1:] else GENERATOR).at(scope.place(found[0]))
        shared = rebound(scope.procedure.tree.body)
        memory.rebound.update(name for own, name in scope.variables.items() if own in shared)
        inner = closed_over(scope.procedure.tree.body)
        memory.closed.update(name for own, name in scope.variables.items() if own in inner)
        held = {own: memory.names.get(name) for own, name in scope.variables.items() if not scope.stores.get(own)}
        scope.classes |= {own: each.cell.type for own, each in held.items() if isinstance(each, Structure)}
        block = resolve(scope, draft)
        refuse_kept(block, draft.bindings)
        block = desugar(block, draft.names, memory.rebound)
        *block, last = structure_exits(block, draft.names, scope.place(scope.procedure.tree), may_be_none=not as_value)
        if last.value is not None and not has_place(last.value):
            at(last.value, place_of(last))
        flattener = Flattener(draft.names, draft.bindings, self.call, memory, self)
        finished = flattener.finish(block, last.value, as_value)
        self.result = flattener.form
        return finished

    def call(self, node: gast.Call, caller: Flattener) -> gast.expr | None:
        """Inline a call of a user's function, or lower the function on its own; None for other calls."""
        place = place_of(node) or caller.place
        callee = static_value(node.func, self.draft.bindings)
        if callee is not None:
            fitted(node, callee, place)
        for other in (self.attempt, self.derivative, self.with_bound_arguments, self.by_users_rule):
            if (found := other(node, callee, caller, place)) is not _NOT_THAT:
                return found
        try:
            procedure = self.procedure(callee, node)
        except SrcadError as problem:
            raise problem.called_from(place) from None
        if procedure is None:
            return None
        given = bind_arguments(node, procedure, place, lambda each: _evaluated(each, caller))
        return self.called(procedure, given, caller, place)

    def called(self, procedure: Procedure, given: dict[str, Any], caller: Flattener, place: Place | None) -> gast.expr:
        """A call of a user's function: inlined, or lowered on its own if it is recursive or large.

        What turns out to be impossible is undone, and the call is lowered again.
        """
        before, length, made = caller.memory.copy(), len(caller.made), len(self.outline.made)
        again = _copied(given)
        statics = known_arguments(procedure, given, caller.memory, self.draft.bindings)
        base = whole = self.outline.base(procedure, statics, given)
        if whole in self.outline.by_form:
            given = {name: _evaluated(argument, caller) for name, argument in given.items()}
            forms = tuple((name, form_of(each, caller.memory, place)) for name, each in given.items() if _is_part(each))
            base = self.outline.for_form(whole, forms, procedure.name, place)
        known = self.outline.known(statics, base)
        frame = Frame(base, known)
        try:
            if self.outline.is_outlined(base, known):
                return self.outlined(procedure, base, given, statics, caller, place)
            if len(self.outline.frames) > MOST_NESTED_CALLS:
                raise DEEP_CALLS.at(place, function=procedure.name)
            return self.inlined(procedure, frame, given, statics, caller, place)
        except Recurs as found:
            if found.frame is not frame:
                raise
            self.outline.recursive.add(base)
            self.outline.variable.setdefault(base, set()).update(found.differing)
        except ChangesForm as found:
            if found.base != base or any(each.base == base for each in self.outline.frames):
                raise
            self.outline.by_form.add(base)
        except SrcadError:
            if not self.outline.inline_after_all(base):
                raise
        caller.memory.become(before)
        del caller.made[length:]
        self.outline.forget(made)
        return self.called(procedure, again, caller, place)

    # Calls that are not of a procedure. These give `_NOT_THAT` for other calls, and None for calls that stay calls.

    def derivative(self, node: gast.Call, callee: Any, caller: Flattener, place: Place | None) -> gast.expr | None:
        """A call of a derivative."""
        derived = described(callee)
        if derived is None:
            return _NOT_THAT
        from srcad.frontend.derivative_calls import DerivativeCalls  # few functions call derivatives

        return DerivativeCalls(self, self.made_derivatives).call(node, derived, caller, place)

    def with_bound_arguments(
        self, node: gast.Call, callee: Any, caller: Flattener, place: Place | None
    ) -> gast.expr | None:
        """A call of a functools.partial."""
        if not isinstance(callee, functools.partial):
            return _NOT_THAT
        return caller.call(completed(node, Meaning(callee), self.draft, place))

    def by_users_rule(self, node: gast.Call, callee: Any, caller: Flattener, place: Place | None) -> gast.expr | None:
        """A call of a function with a rule of the user's own; where that is stated, the call becomes a primitive's."""
        bound = callee.function if isinstance(callee, Method) else callee
        if isinstance(bound, NoRule):
            raise FORM_WITHOUT_RULE.at(None if place is None else place.shown(), what=bound.what, way=bound.way)
        if isinstance(bound, SolvedBy):
            from srcad.frontend.solver_calls import call_of_solver  # which few programs need

            return call_of_solver(self, node, bound, caller, place)
        if hasattr(type(bound), "__srcad_custom__"):
            from srcad.frontend.calls_by_rule import call_by_rule  # which few programs need

            if isinstance(callee, Method):
                node.args = [spell(callee.receiver, self.draft, place, "self"), *node.args]
            if hasattr(bound, "residual"):
                from srcad.frontend.solver_calls import call_of_users_solver  # likewise

                return call_of_users_solver(self, node, bound, caller, place)
            return call_by_rule(self, node, bound, caller, place)
        if callable(callee):
            registry.meet(callee, self.draft.bindings.get(root_name(node.func) or ""))
        ruled = registry.called_by(callee)
        if ruled is None:
            return _NOT_THAT
        name = getattr(callee, "__name__", "function")
        node.func = at(dotted(self.draft.bind(name if name.isidentifier() else "function", ruled)), place)
        return None

    def attempt(self, node: gast.Call, callee: Any, caller: Flattener, place: Place | None) -> gast.expr | None:
        """The number of the handler that catches what a function raises, or 0."""
        if not isinstance(callee, Attempted):
            return _NOT_THAT
        procedure = callee.function
        around, key = at_call(caller.memory, procedure.name)
        for cell in [each for each in around.frozen if each.type is Iterator]:
            del around.frozen[cell]  # what an attempt changes is its own
        base = self.outline.base(procedure, {}, {}), procedure.name, key
        called, _ = self.separate(procedure, base, {}, {}, caller, place, around)
        name = self.draft.names.fresh("attempt")
        self.draft.bindings[name] = Attempt(name, called, callee.handlers)
        result = load(self.draft.names.temporary())
        caller.emit(assign(result.id, call(name), place))
        return result

    def inlined(
        self,
        procedure: Procedure,
        frame: Frame,
        given: dict[str, Any],
        statics: dict[str, Meaning],
        caller: Flattener,
        place: Place | None,
    ) -> gast.expr:
        """Replace a call by the statements of the function, and return the expression for its result."""
        scope = open_scope(procedure, statics, self.draft.names, place)
        for name, argument in given.items():
            if name not in statics:
                value = spell(argument, self.draft, place, name) if isinstance(argument, Meaning) else argument
                caller.assign(stored(scope.variables[name]), value)
        mark = len(self.outline.frames)
        self.outline.frames.append(frame)  # after the arguments, which are evaluated first
        try:
            body, result = self.body(scope, False, caller.memory)
        finally:
            del self.outline.frames[mark:]
        self.outline.note_inlined(frame.base, body)
        caller.emit(*body)
        return result

    def outlined(
        self,
        procedure: Procedure,
        base: Hashable,
        given: dict[str, Any],
        statics: dict[str, Meaning],
        caller: Flattener,
        place: Place | None,
    ) -> gast.expr:
        """A call of a function that is lowered separately instead of inlined."""
        called, values = self.separate(procedure, base, given, statics, caller, place)
        arguments = [leaf for value in values.values() for leaf in leaves_of(value, caller)]
        result = load(self.draft.names.temporary())
        caller.emit(effect(assign(result.id, call(called.name, *arguments), place)))
        caller.memory.learn(result.id, result)
        return parts_of_result(result, returned_length(procedure.tree), caller, place)

    def separate(
        self,
        procedure: Procedure,
        base: Hashable,
        given: dict[str, Any],
        statics: dict[str, Meaning],
        caller: Flattener,
        place: Place | None,
        around: Memory | None = None,
    ) -> tuple[Subroutine, dict[str, gast.expr]]:
        """A function that is lowered separately, and the arguments of a call of it by its parameters, in order.

        `around` is the state around the call, where it may read structures there because it is called only there.
        """
        outline = self.outline
        values: dict[str, gast.expr] = {}
        for name, argument in given.items():
            if name not in outline.known(statics, base):
                value = spell(argument, self.draft, place, name) if isinstance(argument, Meaning) else argument
                values[name] = caller.part(value)
        called = None
        while called is None:
            known = outline.known(statics, base)
            if outline.generalise(base, known):
                continue
            for name, meaning in statics.items():
                if name not in known and name not in values:  # it differs from call to call, so it is a parameter
                    values[name] = caller.part(spell(meaning, self.draft, place, name))
            forms = {name: form_of(values[name], caller.memory, place) for name in values}
            called = outline.callee(base, known, forms, place) or self.lowered(
                procedure, base, known, forms, statics, around or inside(caller.memory, procedure.name), place
            )
        return called, {name: values[name] for name in procedure.names if name in values}

    def lowered(
        self,
        procedure: Procedure,
        base: Hashable,
        known: dict[str, Hashable],
        forms: dict[str, Form],
        statics: dict[str, Meaning],
        memory: Memory,
        place: Place | None,
    ) -> Subroutine | None:
        """The function lowered separately; None if it turns out to call itself with other known arguments."""
        outline = self.outline
        scope = open_scope(procedure, {name: statics[name] for name in known}, self.draft.names, place)
        count, mark = len(outline.made), len(outline.frames)
        frame = outline.begin(procedure.name, base, known, forms)
        parameters = [name for name in procedure.names if name not in known]
        names = [
            leaf
            for name in parameters
            for leaf in received(scope.variables[name], forms[name], memory, self.draft.names, procedure.name)
        ]
        try:
            body, result = self.body(scope, True, memory)
        except Recurs as found:
            outline.forget(count)
            if found.frame is not frame:
                raise
            outline.variable.setdefault(base, set()).update(found.differing)
            return None
        finally:
            del outline.frames[mark:]
        last = at(gast.Return(value=result), place_of(result) or place)
        check_length(procedure.tree, result, last)
        check_form(self.result, last)
        assert frame.callee is not None
        outline.finished[frame.callee] = Outlined(frame.callee, names, [*body, last], place)
        return frame.callee

    def bind(self, wish: str, thing: Any) -> str:
        """A free name that is bound to this object."""
        return self.draft.bind(wish, thing)

    def constants(self, values: list[Any]) -> str:
        """The name of an array of constants."""
        return self.draft.constants(values)

    def attribute(self, owner: Any, name: str, place: Place | None) -> gast.expr:
        """The expression for an attribute of a class, with its current value."""
        return spell(Meaning(owner).attribute(name), self.draft, place, name)

    def collected(self, function: Any) -> Procedure | None:
        """A generator that only reads, as a function that returns a list of its values; None for others."""
        procedure = generator(Meaning(function), self.draft)
        return None if procedure is None or not only_reads(procedure.tree) else collector(procedure)

    def procedure(self, callee: Any, node: gast.Call | None = None) -> Procedure | None:
        """The procedure to inline for a call of a callee, or None if it stays a call."""
        if isinstance(callee, Procedure):
            return callee
        if isinstance(callee, Method):
            if callee.receiver.owner is not None:  # the name may be given an object of a class with another method
                self.draft.freeze(callee.receiver.standing(), "its class", type(callee.receiver.value))
            return self.read(procedure_of(load_source(callee.function), callee.receiver))
        if callee is None or hasattr(callee, "__srcad_primitive__"):
            return None
        count, names = (0, []) if node is None else (len(node.args), [each.arg for each in node.keywords])
        definition = registry.meaning_of_call(callee, count, names)
        if definition is not None:
            return self.read(procedure_of(load_source(definition)))
        other = None if is_users(callee) else python_of(callee)
        return self.read(procedure_of(load_source(other or callee))) if other or is_users(callee) else None


def _copied(given: dict[str, Any]) -> dict[str, Any]:
    return {name: clone(each) if isinstance(each, gast.AST) else each for name, each in given.items()}


def _evaluated(argument: Any, caller: Flattener) -> Any:
    """An argument as an atom or a structure, evaluated now."""
    return caller.kept(caller.part(argument)) if isinstance(argument, gast.AST) else argument


def _is_part(argument: Any) -> bool:
    return isinstance(argument, Structure)
