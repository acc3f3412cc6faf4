"""Callee specialisation: each call of a function that is not inlined gets an effect-free version for its types.

    def scale(v, k):           t = scale(v, 2.0)      becomes      t = scale_2(v, 2.0)
        v *= k                                                     v_2 = t[0]
                                                                   v[...] = v_2

The version works on copies of the arrays that it writes, and returns their final contents after its results. So a call
is an operation on values, and its caller stores what the call changed. A result that is one of the arguments is passed
on as that argument; a result that may be a view of one is returned as a copy, and refused where anything is written
through either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gast
from numba import typeof
from numba import types as nb

from srcad.errors import Place
from srcad.refusals.large_functions import NAMED_TUPLE_RESULT, NOT_COMPILED, OTHER_ARGUMENT, VIEW_RESULT
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.rulebook.rule_result import RuleFunction, RuleResult
from srcad.transforms.analysis.aliases import aliases_of_unit
from srcad.transforms.analysis.dataflow import fixed_point
from srcad.transforms.inference.derivative_callees import DerivativeCall, derivative_kind
from srcad.transforms.inference.subroutine_types import (
    Kinds,
    Specialised,
    Subroutine,
    Summary,
    callee_of,
    results_of_calls,
)
from srcad.transforms.inference.type_inference import as_written, callees_in
from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    const,
    dotted_path,
    effect,
    load,
    place_of,
    rewrite,
    subscript,
    tuple_of,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import look_up, primitive_of
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.derivative_versions import Family, Passes, rewritten
from srcad.transforms.normalise.exception_messages import with_plain_messages
from srcad.transforms.normalise.in_place_resolution import settle
from srcad.transforms.normalise.observed_types import Observation

# The passes between this one and differentiation.
Finish = Callable[[Code], Code]


def calls_functions(unit: Unit) -> bool:
    """Whether a unit calls functions that have no versions yet, or functions of rules will."""
    return any(isinstance(each, Subroutine) or takes_derivatives(each) for each in unit.bindings.values())


class Library:
    """The versions that the calls of one derivative need."""

    def __init__(
        self, finish: Finish, numbers: Iterator[int], derivatives: Passes, observed: Observation | None = None
    ) -> None:
        """`finish` has the passes that a version goes through, `derivatives` those that make derivatives.

        `observed` has the types of what Numba cannot type, if the caller has been observed.
        """
        self.finish, self.numbers, self.derivatives, self.observed = finish, numbers, derivatives, observed
        self.known: dict[tuple[Subroutine, Kinds], Specialised] = {}
        self.families: dict[tuple[Subroutine, Kinds], Family] = {}

    def specialise(self, code: Code) -> Code:
        """Rewrite calls as operations on values; in-place operations are resolved before and after."""
        unit, types = code.unit, code.types
        if not calls_functions(unit):
            return code
        rewriter = _Rewriter(self, unit, types)
        tree = unit.copy_tree()
        tree.body = rewrite(tree.body, rewriter.statement)
        types = Types(rewriter.known, types.result)
        code = settle(code.with_unit(unit.with_tree(tree, names=rewriter.names, bindings=rewriter.bindings), types))
        _refuse_writes_through_views(code.unit, code.types)
        return code

    def version(self, subroutine: Subroutine, kinds: Kinds, place: Place | None) -> Specialised:
        """The version for these argument types; while it is being made, recursive calls get what is known of it."""
        key = subroutine, kinds
        if key not in self.known:
            self._make(key, place)
        return self.known[key]

    def family(self, subroutine: Subroutine, kinds: Kinds, place: Place | None) -> Family:
        """The derivatives of a function for these argument types."""
        key = subroutine, kinds
        if key not in self.families:
            begin = settle(with_plain_messages(Code(*self._typed(*key, place), kinds)))
            code = self.specialise(replace(begin, signature=kinds))
            self.families[key] = Family(code, subroutine.wish, self.derivatives, self.numbers)
        return self.families[key]

    def _typed(self, subroutine: Subroutine, kinds: Kinds, place: Place | None) -> tuple[Unit, Types]:
        """The function and the types of its names, by Numba's inference or from what was observed in its calls."""
        try:
            return subroutine.ssa, subroutine.types_of(kinds)
        except CannotType as problem:
            if self.observed is None:
                raise
            found = self.observed.types_in_calls(subroutine, kinds)
            if found is None:
                at = problem.place or place
                raise NOT_COMPILED.at(at, function=subroutine.wish, reason=as_written(problem.reason, at)) from None
            return found

    def _make(self, key: tuple[Subroutine, Kinds], place: Place | None) -> None:
        subroutine, kinds = key
        unit, types = self._typed(*key, place)
        made = Specialised(f"_version_{next(self.numbers)}_{subroutine.wish}", subroutine, kinds)
        made.summary = _summary_of(types.result)
        self.known[key] = made
        count = len(self.known)
        code = Code(unit, types, kinds)

        def summary(assumed: Summary) -> Summary:
            """What the function writes to if its own recursive calls write to what is assumed."""
            nonlocal code
            made.summary = assumed
            for later in list(self.known)[count:]:
                del self.known[later]
            code = self.specialise(settle(with_plain_messages(Code(unit, types, kinds))))
            return _summary(code.unit, code.types, kinds, assumed)

        fixed_point(summary, made.summary)
        done = self.finish(code.with_unit(*_returning(code.unit, code.types, made)))
        made.unit, made.types, made.counts = done.unit, done.types, done.counts


class _Rewriter:
    def __init__(self, library: Library, unit: Unit, types: Types) -> None:
        self.library = library
        self.names = unit.names.copy()
        self.bindings = dict(unit.bindings)
        self.known: dict[str, Any] = dict(types.of)

    def statement(self, statement: gast.stmt) -> Block:
        value = getattr(statement, "value", None)
        callee = callee_of(value, self.bindings)
        if isinstance(value, gast.Call) and takes_derivatives(result := primitive_of(value, self.bindings)):
            return [self.by_rule(statement, result)]
        return self.call(statement, callee) if isinstance(callee, Subroutine) else [statement]

    def by_rule(self, statement: Any, result: RuleResult) -> gast.stmt:
        """The same statement with a rule whose functions are versions for the types of the arguments."""
        place, arguments = place_of(statement), statement.value.args
        kinds = [self.kind(each, result, place) for each in arguments]  # type: ignore[arg-type]

        def kind_of(what: str, at: int) -> nb.Type:
            if what == "argument":
                return kinds[at]
            number_of_result = what == "bar" and at != result.number
            place = 0 if what in ("result", "bar") else at
            return derivative_kind(kinds[result.others[at]] if number_of_result else kinds[place])

        def version(function: RuleFunction) -> Specialised:
            given = [kind_of(*each) for each in function.passed]
            return self.library.version(function.lowered, (*given, *(kinds[at] for at in function.captured)), place)

        made = result.with_versions(version)
        name = self.names.fresh(made.__name__)
        self.bindings[name] = made
        statement.value.func = load(name)
        return statement

    def call(self, statement: Any, callee: Subroutine) -> Block:
        """The call, the parts of its result, and stores for the arrays that the callee writes."""
        place, arguments = place_of(statement), statement.value.args
        kinds = tuple(self.kind(argument, callee, place) for argument in arguments)
        if isinstance(callee, DerivativeCall):
            return rewritten(statement, callee, kinds, self)
        version = self.library.version(callee, kinds, place)
        self.bindings[version.name] = version
        whole, summary = self.names.temporary(), version.summary
        self.known[whole] = nb.Tuple(version.outcome)
        code: Block = [effect(assign(whole, call(version.name, *arguments), place))]
        parts: list[gast.expr] = []
        for position, kind in enumerate(version.outcome):
            part = self.names.temporary()
            self.known[part] = kind
            code.append(assign(part, subscript(load(whole), const(position)), place))
            parts.append(load(part))
        fresh = iter(parts)
        results = [next(fresh) if same is None else arguments[same] for same in summary.same]
        value = tuple_of(*results) if summary.is_tuple else results[0] if results else const(None)
        code.append(assign(str(written(statement)), value, place))
        whole_array = gast.Constant(value=..., kind=None)
        for position, part in zip(summary.written, fresh, strict=True):
            code.append(assign(subscript(arguments[position], whole_array, store=True), part, place))
        return code

    def kind(self, argument: gast.expr, callee: Subroutine, place: Place | None) -> nb.Type:
        """The type of an argument."""
        match argument:
            case gast.Name(id=name) if name in self.known:
                kind = self.known[name]
            case gast.Tuple(elts=elements):
                return nb.Tuple(tuple(self.kind(element, callee, place) for element in elements))
            case gast.Constant(value=value):
                kind = typeof(value)
            case gast.UnaryOp(operand=gast.Constant(value=value)):
                kind = typeof(-value)
            case _:
                kind = typeof(look_up(dotted_path(argument) or "", self.bindings))
        if kind is None or isinstance(kind, nb.Optional):
            raise OTHER_ARGUMENT.at(place, function=callee.wish)
        return kind


def takes_derivatives(value: Any) -> bool:
    """Whether a value is a result by a rule whose functions call derivatives, and have no versions yet."""
    if not hasattr(type(value), "__srcad_result__"):
        return False
    units = [each.lowered.unit for each in value.functions if each.version is None]
    return any(_calls_derivatives(each) for each in units)


def _calls_derivatives(unit: Unit) -> bool:
    return any(
        isinstance(thing, DerivativeCall) or takes_derivatives(thing)
        for each in (unit, *callees_in(unit))
        for thing in each.bindings.values()
    )


def _summary_of(result: nb.Type) -> Summary:
    """The initial summary of a call, from the type of its result."""
    if isinstance(result, nb.NoneType):
        return Summary()
    kinds = tuple(result) if isinstance(result, nb.BaseTuple) else (result,)
    return Summary(kinds, isinstance(result, nb.BaseTuple), (), (None,) * len(kinds), ((),) * len(kinds))


def _results(unit: Unit, summary: Summary) -> list[gast.expr]:
    """The returned expressions; the elements, if a named tuple variable is returned."""
    value = unit.tree.body[-1].value
    if isinstance(value, gast.Tuple):
        return list(value.elts)
    if summary.is_tuple:
        return [subscript(load(value.id), const(position)) for position in range(len(summary.same))]
    return [value] if summary.same else []


def _summary(unit: Unit, types: Types, kinds: Kinds, before: Summary) -> Summary:
    """The function's effects and results, given the assumed ones of its own calls."""
    aliases = aliases_of_unit(unit, types)
    arrays = [name for name, kind in zip(unit.parameters, kinds, strict=True) if isinstance(kind, nb.Array)]
    positions = {name: unit.parameters.index(name) for name in arrays}
    changed = tuple(positions[name] for name in arrays if name in aliases.written)
    same: list[int | None] = []
    views: list[tuple[int, ...]] = []
    taken: set[str] = set()
    for result, kind in zip(_results(unit, before), before.results, strict=True):
        name = getattr(result, "id", "")
        if isinstance(kind, nb.Array) and not name:
            raise NAMED_TUPLE_RESULT.at(place_of(unit.tree.body[-1]), function=unit.name)
        found = aliases.points_to(name)
        same.append(positions.get(name))
        reached = tuple(positions[each] for each in arrays if each in found) + ((_OTHER,) if found & taken else ())
        views.append(() if same[-1] is not None else reached)
        taken |= found
    return replace(before, written=changed, same=tuple(same), views=tuple(views))


_OTHER = -1  # stands for another result, among the positions of arguments


def _returning(unit: Unit, types: Types, made: Specialised) -> tuple[Unit, Types]:
    """The function with everything returned that its version returns, in arrays that nothing else refers to."""
    tree, names, known = unit.copy_tree(), unit.names.copy(), dict(types.of)
    summary = made.summary
    *body, last = tree.body
    outcome: list[gast.expr] = []
    for value, kind, same, views in zip(
        _results(unit, summary), summary.results, summary.same, summary.views, strict=True
    ):
        if same is not None:
            continue
        if views or not isinstance(value, (gast.Name, gast.Constant)):
            part = names.temporary()
            body.append(assign(part, call("np.copy", value) if views else value, place_of(last)))
            known[part] = kind
            value = load(part)
        outcome.append(value)
    outcome += [load(unit.parameters[position]) for position in summary.written]
    last.value = tuple_of(*outcome)
    tree.body = [*body, last]
    return unit.with_tree(tree, names=names), Types(known, nb.Tuple(made.outcome))


def _refuse_writes_through_views(unit: Unit, types: Types) -> None:
    """Refuse writes through a result that should be a view of an argument, or through that argument: it is a copy."""
    calls = {name: each for name, each in results_of_calls(unit).items() if any(each.summary.views)}
    if not calls:
        return
    aliases = aliases_of_unit(unit, types)
    for statement in walk_statements(unit.tree.body):
        version = calls.get(str(written(statement)))
        if version is None:
            continue
        summary, arguments = version.summary, statement.value.args
        results = [
            read.targets[0].id for read in walk_statements(unit.tree.body) if _reads(read, str(written(statement)))
        ]
        names = [arguments[position].id for found in summary.views for position in found if position != _OTHER]
        if any(aliases.is_written(name) for name in [*names, *results]):
            raise VIEW_RESULT.at(place_of(statement), function=version.wish)


def _reads(statement: Any, whole: str) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name) and value.value.id == whole
