"""From a function in core form to the text of generated functions: passes, differentiation, passes.

What each pass does, and in which order they run, stands in `srcad.driver.passes`.
"""

from __future__ import annotations

import itertools
import math
import operator
import sys
from collections import Counter, namedtuple
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import gast
import numba
import numpy as np
from numba import types as nb

from srcad.driver.back_end import finished, simplified
from srcad.driver.mid_end import infer_types
from srcad.driver.module_assembly import renamed, with_callees
from srcad.driver.options import checks_bounds
from srcad.driver.pass_manager import passed, run
from srcad.driver.pass_selection import row_named
from srcad.driver.passes import AGAIN, NORMALISE, OPTIMISE, ROWS, SIMPLIFY, UNCHECKED
from srcad.errors import BadArgument, MayOverlap, NotDifferentiable, Place, SrcadError, UnsupportedSyntax
from srcad.frontend.lower import prepare
from srcad.printing.printer import print_module
from srcad.refusals.derivatives import INNER_NOT_COMPILED
from srcad.runtime import kernels
from srcad.runtime.jit.gc_pause import nothing_collected
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.stop_gradient import stop_gradient
from srcad.runtime.support import stage_timer
from srcad.transforms.adjoint.call_derivatives import Callees
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.memory_scopes import Scopes, memory_scopes
from srcad.transforms.checkpointing.iteration_derivative import make_any_pair, make_any_tangent
from srcad.transforms.checkpointing.trace_memory_limit import bounded, recording, refuse_unbounded
from srcad.transforms.inference.derivative_callees import DerivativeCall
from srcad.transforms.inference.subroutine_types import Subroutine
from srcad.transforms.inference.type_inference import types_of
from srcad.transforms.ir.array_functions import LIBRARY
from srcad.transforms.ir.build import clone, dotted_path, place_of, walk
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.ir.cost_model import MOST_PEELED_ITERATIONS, MOST_REPEATED_STATEMENTS
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.pass_names import BROADCAST_ASSUMPTION
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.extent_checks import with_known_extents, with_unit_extents
from srcad.transforms.normalise.mask_places import with_mask_places
from srcad.transforms.normalise.observed_types import Observation, refuse_unknown
from srcad.transforms.normalise.one_element_results import with_number
from srcad.transforms.normalise.operands_apart import reads_what_it_writes, with_operands_apart
from srcad.transforms.normalise.type_splitting import count_statements, noted_join, split
from srcad.transforms.sweeps.forward_reverse_pair import split_functions
from srcad.transforms.sweeps.gradient_function import (
    gradient_function,
    refuse_arguments,
    refuse_records,
    refuse_result,
    tangent_function,
    tangent_unit,
)

MODULES: dict[str, tuple[Any, str]] = {
    "namedtuple": (namedtuple, "from collections import namedtuple"),
    "math": (math, "import math"),
    "operator": (operator, "import operator"),
    "np": (np, "import numpy as np"),
    "prange": (numba.prange, "from numba import prange"),
    "kernels": (kernels, "from srcad.runtime import kernels"),
}
INDEX_SETS = "index_sets"  # the kernels of patterns
__all__ = ["MODES", "Generated", "derive", "differentiable_state", "prepare", "simplified"]
# Checks of what generated code assumes, which raise `Widens`.
_ASSUMED = ("same_extent", "unit_extent", "known_extent", "least_extent", "require_iteration")
REVERSED = ("grad", "value_and_grad", "vjp")
MODES = ("core", "grad", "value_and_grad", "vjp", "tangent", "hvp", "pattern", "pattern_of_all")


@dataclass(frozen=True)
class Generated:
    """Generated source: a whole module, the names of its public functions, what its text cannot import, its trees."""

    text: str
    functions: tuple[str, ...]
    bindings: Mapping[str, Any]
    result: nb.Type | None
    made: Made

    @property
    def assumes(self) -> bool:
        """Whether the functions raise `Widens` where arrays broadcast that were taken not to, or loops are idle."""
        return any(f"kernels.{check}(" in self.text for check in _ASSUMED)

    def memory(self) -> dict[str, Scopes]:
        """By function, which of its arrays share no memory, for LLVM."""
        return {code.unit.name: memory_scopes(code) for code in self.made.codes()}


@nothing_collected()
def derive(
    unit: Unit,
    mode: str,
    wrt: Sequence[int],
    types: Sequence[nb.Type],
    *,
    loops: bool = True,
    tuple_result: bool = False,
    after: str | None = None,
    observed: Observation | None = None,
    assumes: bool = False,
    units: Collection[tuple[str, int]] = (),
    extents: Collection[tuple[str, int, int]] = (),
    without: Iterable[str] = (),
    max_trace_bytes: int | None = None,
    debug: bool = False,
    boundscheck: bool | None = None,
) -> Generated:
    """Source for one mode and one set of argument types; `observed` stands for Numba's inference.

    With `assumes`, arrays that may broadcast are taken not to, if the functions can be called again where they do; the
    extents of parameters along the axes `units` are taken to be 1, those in `extents` the number that is given there.
    `after` names a row of the table of passes (`passes.ROWS`): the function, or the generated functions, as they are
    after that pass. `without` names optional passes to be left out (`passes.PASSES`); `max_trace_bytes` bounds what
    loops record. With `debug`, statements are followed by checks, and most optional passes are left out.
    Raises CannotType where Numba has no type for the function, NotDifferentiable and other SrcadErrors.
    """
    _check(mode, after)
    unit = replace(unit, without=frozenset({*without, *(UNCHECKED if debug else ())}))
    settings = Settings(
        observed=observed,
        loops=(loops := loops and observed is None),
        assumes=assumes and not prints(unit) and unit.does(BROADCAST_ASSUMPTION),
        checks_bounds=checks_bounds(boundscheck, unit.options),
        is_reversed=mode in REVERSED,
        debug=debug,
        is_primal=mode == "core",
    )
    begin = _begun(Code(unit, signature=tuple(types), settings=settings), units, extents)
    if mode == "core" and after is None:
        core = _core(_made_compilable(_with_derivatives(begin)).unit)
        return _printed(_with_debug_checks(core) if debug else core, None)
    state = differentiable_state(begin, after)
    if mode in _OF_NUMBERS and after not in _BEFORE_DIFFERENTIATION:
        begin, state = _of_one_element(begin, state)
    if after in _BEFORE_DIFFERENTIATION:
        return _printed(_core(state.unit), state.types.result)
    made = _within(max_trace_bytes, state, begin, _Request(mode, tuple(wrt), tuple_result))
    return _printed(_finished(made, loops, unit, after, debug), state.types.result)


def _begun(code: Code, units: Collection[tuple[str, int]], extents: Collection[tuple[str, int, int]]) -> Code:
    """The function before all passes."""
    begin = _typed_if_needed(code)
    if begin.settings.assumes and units:
        begin = replace(begin, unit=with_unit_extents(begin.unit, units))
    if begin.settings.assumes and extents:
        known = {(name, axis): number for name, axis, number in extents}
        begin = replace(begin, unit=with_known_extents(begin.unit, known))
    return begin


_OF_NUMBERS = ("grad", "value_and_grad", "hvp")


def _of_one_element(begin: Code, state: Code) -> tuple[Code, Code]:
    """A function that returns an array with the number in it as the result, if there is one element."""
    if not isinstance(state.types.result, nb.Array):
        return begin, state
    try:
        refuse_result(state.unit, state.types)
    except NotDifferentiable as refused:
        unit = with_number(begin.unit, state.types.result, refused)
        if unit is not None:
            begin = replace(begin, unit=unit)
            return begin, differentiable_state(begin)
    return begin, state


def _made_compilable(begin: Code) -> Code:
    """The function itself, where it is to be compiled for types: with checks, and texts that Numba can build.

    Raises CannotType.
    """
    if not begin.settings.loops or len(begin.signature) != len(begin.parameters):
        return begin
    begin = run(ROWS["exception_messages"], begin)
    typed = with_operands_apart(begin if begin.is_typed else _typed_as_it_is(begin))
    _refuse_overlaps_in_callees(typed.unit)
    return passed(typed, (ROWS["typed_messages"], ROWS["integer_arithmetic"], ROWS["bounds_checks"]))


def _typed_as_it_is(begin: Code) -> Code:
    """The function itself, typed; with indices in place of masks that Numba does not know. Raises CannotType."""
    try:
        return begin.with_unit(begin.unit, types_of(begin.unit, begin.signature))
    except CannotType:
        masked = with_mask_places(begin.unit, begin.signature)
        if masked is None:
            raise
        return begin.with_unit(masked, types_of(masked, begin.signature))


def _with_derivatives(begin: Code) -> Code:
    """The function itself, with functions for the types of the call where it calls derivatives."""
    if not _calls_derivatives(begin.unit):
        return begin
    return passed(replace(begin, settings=replace(begin.settings, numbers=itertools.count())), NORMALISE)


def _calls_derivatives(unit: Unit) -> bool:
    """Whether a function, or one that it calls, calls derivatives; what only rules call is not meant."""
    units = [unit, *(each.ssa for each in _subroutines(unit))]
    return any(isinstance(thing, DerivativeCall) for each in units for thing in _named_in(each))


def _subroutines(unit: Unit) -> Iterable[Subroutine]:
    """The functions that are called by a function, or by those that it calls."""

    def called(each: Unit) -> list[Subroutine]:
        return [thing for thing in _named_in(each) if isinstance(thing, Subroutine)]

    return closure(called(unit), lambda each: called(each.ssa))


def _named_in(unit: Unit) -> list[Any]:
    names = dict.fromkeys(node.id for node in walk(unit.tree) if isinstance(node, gast.Name))
    return [unit.bindings[name] for name in names if name in unit.bindings]


def _refuse_overlaps_in_callees(unit: Unit) -> None:
    """Raise CannotType where a called function, which is compiled as it is, would need copies of operands."""
    for each in _subroutines(unit):
        for kinds in list(each.dispatcher.inferred):
            if reads_what_it_writes(Code(each.ssa, each.types_of(kinds), kinds)):
                raise CannotType(f"{each.name} changes an array in place by its own elements")


def _typed_if_needed(begin: Code) -> Code:
    """A function that calls derivatives, with inferred types, not observed ones: they are made for types.

    Refuses one that has no types.
    """
    if begin.settings.observed is None or not _calls_derivatives(begin.unit):
        return begin
    try:
        types_of(begin.unit, begin.signature)
    except CannotType as problem:
        raise INNER_NOT_COMPILED.at(problem.place, function=begin.unit.name, reason=problem.reason) from None
    return replace(begin, settings=replace(begin.settings, observed=None))


def _core(unit: Unit) -> Made:
    """The function itself, in core form, with those that it calls."""
    made = Made([clone(unit.tree)], dict(unit.bindings), (unit.tree.name,))  # names of what is printed change
    return with_callees(made, Callees(make_any_pair, make_any_tangent))


def _with_debug_checks(made: Made) -> Made:
    """Copies of functions in core form, with the checks of `debug_checks`."""
    row, own = row_named("debug_checks"), replace(made, functions=[clone(each) for each in made.functions])
    return replace(own, functions=[run(row, code).unit.tree for code in own.codes(debug=True)])


_BEFORE_DIFFERENTIATION = frozenset(row.name for row in (*NORMALISE, *OPTIMISE))
_AFTER_DIFFERENTIATION = frozenset(row.name for row in SIMPLIFY)


@dataclass(frozen=True)
class _Request:
    """Which derivative, by which parameters, and whether gradients are a tuple where there is but one."""

    mode: str
    wrt: tuple[int, ...]
    tuple_result: bool


def differentiable_state(begin: Code, after: str | None = None) -> Code:
    """The function after all passes before differentiation, or after the one of this name."""
    numbered = replace(begin, settings=replace(begin.settings, numbers=itertools.count()))
    state = _normalised(numbered, after)
    return state if any(row.name == after for row in NORMALISE) else passed(state, OPTIMISE, after)


def _normalised(begin: Code, after: str | None) -> Code:
    """The function after the passes up to types, with type splitting where a name would have two.

    Where what would follow a loop without iterations does not compile, loops are assumed to have one if they may be.
    """
    try:
        return passed(begin, NORMALISE, after)
    except _TYPE_ERRORS as problem:
        if noted_join(problem) is None:
            raise
        try:
            return _split(begin, problem, after, assumes=False)
        except _TYPE_ERRORS:
            if not begin.settings.assumes:
                raise
            return _split(begin, problem, after, assumes=True)


_TYPE_ERRORS = (CannotType, UnsupportedSyntax)


def _split(code: Code, problem: Exception, after: str | None, assumes: bool) -> Code:
    """The function after these passes, split at each join at which they have found a name with two types.

    Gives up where a loop has been peeled often: a name then has another type in each iteration, as a growing tuple.
    """
    most, peeled = count_statements(code.unit) + MOST_REPEATED_STATEMENTS, Counter[object]()
    while True:
        join, unit = noted_join(problem), None
        if join is not None and peeled[join[:3]] < MOST_PEELED_ITERATIONS:
            peeled[join[:3]] += 1
            unit = split(code.unit, join, assumes, most)
        if unit is None:
            raise problem
        code = code.with_unit(unit)
        try:
            return passed(code, NORMALISE, after)
        except _TYPE_ERRORS as next_problem:
            problem = next_problem


def _within(most: int | None, state: Code, begin: Code, request: _Request) -> Made:
    """The derivative; with a bound on what loops record, checkpointed loops where they would record."""
    unit, made = begin.unit, _attempted(state, begin, request)
    if most is None:
        return made
    known: set[Place | None] | None = None
    while True:
        places = (known or set()) | {place_of(each) for each in recording(made)}
        marked = None if places == known else bounded(unit, places, most)
        if marked is None:
            break
        begin, known = replace(begin, unit=marked), places
        made = _attempted(differentiable_state(begin), begin, request)
    refuse_unbounded(unit, made)
    return made


def _attempted(state: Code, begin: Code, request: _Request) -> Made:
    """The derivative; where names that may be one array stand in its way, once more without such names."""
    try:
        return _differentiated(state, request)
    except MayOverlap as refused:
        state = differentiable_state(replace(begin, settings=replace(begin.settings, insist=True)))
        try:
            return _differentiated(state, request)
        except SrcadError:
            raise refused from None


def _finished(made: Made, loops: bool, unit: Unit, after: str | None, debug: bool = False) -> Made:
    """The generated functions as they are to be printed, unless what comes before is asked for."""
    if after == "differentiate" or INDEX_SETS in made.bindings:  # whose sets are not the numbers that passes know
        return made
    made = simplified(made, loops, unit.without, after, debug)
    return made if after in _AFTER_DIFFERENTIATION else finished(made, loops, unit.without, after)


def _check(mode: str, after: str | None) -> None:
    if mode not in MODES:
        raise BadArgument(f"there is no mode '{mode}'", hint=f"modes are {', '.join(MODES)}")
    row = None if after is None else row_named(after)
    if row is not None and row.within:
        raise BadArgument(
            f"'{after}' is a choice within '{row.within}', not a step of its own",
            hint=f"ask for what is there after '{row.within}'" + f", with and without '{after}'" * row.optional,
        )


@stage_timer.stage("differentiate")
def _differentiated(state: Code, request: _Request) -> Made:
    """The derivative, where there is nothing to refuse."""
    is_observed = state.settings.observed is not None
    refuse_arguments(state.unit, state.types, request.wrt)
    refuse_records(state.unit, state.types)
    refuse_unknown(state.unit, state.types, request.wrt, is_observed)
    callees = Callees(make_any_pair, make_any_tangent)
    return with_callees(_made(state, request, callees), callees)


def _made(state: Code, request: _Request, callees: Callees) -> Made:
    """The functions of one mode."""
    unit, types, counts = state.unit, state.types, state.counts
    wrt, tuple_result = request.wrt, request.tuple_result
    match request.mode:
        case "grad" | "value_and_grad" as mode:
            return gradient_function(unit, types, counts, wrt, tuple_result, mode == "value_and_grad", callees)
        case "vjp":
            return split_functions(unit, types, counts, wrt, callees)
        case "tangent":
            return tangent_function(unit, types, wrt, callees)
        case "pattern" | "pattern_of_all" as mode:
            from srcad.transforms.sweeps.index_set_mode import index_set_function  # few derivatives are sparse

            return index_set_function(unit, types, wrt, all_branches=mode == "pattern_of_all")
    return _second_order(state, request, callees)


def prints(unit: Unit) -> bool:
    """Whether the function has an effect that a second call would repeat."""
    return any(dotted_path(node) in ("print", "kernels.effect") for node in walk(unit.tree))


def _second_order(state: Code, request: _Request, callees: Callees) -> Made:
    """Gradient of the directional derivative: Hessian times vector."""
    unit, wrt = state.unit, request.wrt
    refuse_result(unit, state.types)
    directional = tangent_unit(unit, state.types, wrt, Callees(make_any_pair, make_any_tangent))
    kinds = (*state.signature, *(state.signature[k] for k in wrt))
    observed = state.settings.observed
    numbers = state.settings.numbers
    settings = Settings(observed=observed, loops=False, is_reversed=True, is_again=True, numbers=numbers)
    begin = Code(directional, signature=kinds, settings=settings)
    second = infer_types(begin)
    refuse_unknown(second.unit, second.types, wrt, observed is not None)
    second = passed(passed(second, AGAIN), OPTIMISE)
    made = gradient_function(second.unit, second.types, second.counts, wrt, request.tuple_result, False, callees)
    name = f"{unit.name}_hvp"
    made.functions[0].name = name
    return replace(made, names=(name,))


@stage_timer.stage("print")
def _printed(made: Made, result: nb.Type | None) -> Generated:
    made = renamed(made)
    parts = [*made.before, *made.functions]
    used = {node.id for each in parts for node in walk(each) if isinstance(node, gast.Name)}
    bound = {name: made.bindings[name] for name in [*MODULES, *made.bindings] if name in used and name in made.bindings}
    imports = {name: text for name, thing in bound.items() if (text := _import_of(name, thing))}
    own = {name: thing for name, thing in bound.items() if name not in imports}
    return Generated(print_module(parts, [*imports.values()]), made.names, own, result, made)


def _import_of(name: str, thing: Any) -> str | None:
    """The statement that gives generated code what this name means, where there is one."""
    if thing is stop_gradient:
        return "from srcad import stop_gradient" + (f" as {name}" if name != "stop_gradient" else "")
    if name == LIBRARY and thing is sys.modules.get(name):
        return f"import {name}"  # which imports its parts when they are first asked for
    if name == INDEX_SETS and isinstance(thing, ModuleType):
        return f"from {kernels.__name__} import {name}"
    module, text = MODULES.get(name, (None, None))
    return text if module is thing else None
