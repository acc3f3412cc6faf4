"""The compiler's table of contents: the stages in order, from a function to the text of generated functions."""

from __future__ import annotations

import math
import operator
from collections import namedtuple
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import gast
import numba
import numpy as np
from numba import types as nb

from srcad.driver.generated_module import renamed, with_callees
from srcad.driver.mid_end import Middle, Stage, reached_types
from srcad.errors import BadArgument, MayOverlap, Place, SrcadError
from srcad.frontend.lower import prepare
from srcad.printing.printer import print_module
from srcad.runtime import kernels
from srcad.runtime.stop_gradient import stop_gradient
from srcad.runtime.support import clock
from srcad.transforms.adjoint.call_derivatives import Callees
from srcad.transforms.checkpointing.iteration_derivative import make_any_pair
from srcad.transforms.checkpointing.memory_bound import bounded, recording, refuse_unbounded
from srcad.transforms.inference.type_inference import Types
from srcad.transforms.ir.build import place_of
from srcad.transforms.ir.generated_functions import Made, function
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.callee_specialisation import Library
from srcad.transforms.normalise.in_place_resolution import settle
from srcad.transforms.normalise.list_arrays import with_lists
from srcad.transforms.normalise.messages import with_plain_messages
from srcad.transforms.normalise.observed_types import Observation, refuse_unknown
from srcad.transforms.normalise.optional_values import with_flags
from srcad.transforms.normalise.ssa import to_ssa
from srcad.transforms.normalise.type_decided_branches import without_decided
from srcad.transforms.parallel.work_sharing import divided
from srcad.transforms.postoptimise.forward_substitution import fold
from srcad.transforms.postoptimise.llvm_assumptions import with_promises
from srcad.transforms.sweeps.callee_pairs import make_tangent
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
__all__ = ["MODES", "STAGES", "Generated", "Stage", "derive", "prepare", "simplified"]
STAGES = ("lower", "ssa", "settle", "specialise", "choose", "fuse", "tidy", "ready", "differentiate", "simplify")
REVERSED = ("grad", "value_and_grad", "vjp")
# What `_stages` is given: a function, types, loops or not, what was observed, assuming or not, reversed or not.
_Given: TypeAlias = tuple[Unit, tuple[nb.Type, ...], bool, "Observation | None", bool, bool]
MODES = ("core", "grad", "value_and_grad", "vjp", "tangent", "hvp")


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
        """Whether the functions raise `kernels.Widens` where arrays broadcast that were taken not to."""
        return "kernels.same_extent(" in self.text


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
    without: Iterable[str] = (),
    max_trace_bytes: int | None = None,
) -> Generated:
    """Stages 4 to 8: source for one mode, one set of argument types; `observed` stands for Numba's inference.

    With `assumes`, arrays that may broadcast are taken not to, if the functions can be called again where they do.
    `after` names one of STAGES: the function as it is then, before differentiation, or before it is simplified.
    `without` names optional passes to be left out (`passes.PASSES`); `max_trace_bytes` bounds what loops record.
    Raises CannotType where Numba has no type for the function, NotDifferentiable and other SrcadErrors.
    """
    _check(mode, after)
    if mode == "core":
        after = after or "lower"
    loops = loops and observed is None
    unit = replace(unit, without=frozenset(without))
    given: _Given = unit, tuple(types), loops, observed, assumes and not prints(unit), mode in REVERSED
    for stage in _stages(*given):
        if stage.name == after:
            made = with_callees(Made([stage.unit.tree], dict(stage.unit.bindings), (stage.unit.tree.name,)))
            return _printed(made, stage.facts and stage.facts.result)
    request = mode, tuple(types), wrt, tuple_result, observed
    made = _attempted(stage, given, request)
    if max_trace_bytes is not None:
        made = _within(max_trace_bytes, made, given, request)
    return _printed(_finished(made, loops, unit, after), stage.facts and stage.facts.result)


def _within(most: int, made: Made, given: _Given, request: tuple[Any, ...]) -> Made:
    """The same with loops checkpointed, where they would record."""
    unit = given[0]
    known: set[Place | None] | None = None
    while True:
        places = (known or set()) | {place_of(each) for each in recording(made)}
        marked = None if places == known else bounded(unit, places, most)
        if marked is None:
            break
        given, known = (marked, *given[1:]), places
        *_, stage = _stages(*given)
        made = _attempted(stage, given, request)
    refuse_unbounded(unit, made)
    return made


def _attempted(stage: Stage, given: _Given, request: tuple[Any, ...]) -> Made:
    """Stage 6; where names that may be one array stand in its way, once more without such names."""
    try:
        return _differentiated(stage, *request)
    except MayOverlap as refused:
        *_, stage = _stages(*given, insist=True)
        try:
            return _differentiated(stage, *request)
        except SrcadError:
            raise refused from None


def _finished(made: Made, loops: bool, unit: Unit, after: str | None) -> Made:
    """Stage 7, unless what comes before it is asked for."""
    if after == "differentiate":
        return made
    made = simplified(made, loops, unit.without)
    if not loops:
        return made
    return with_promises(divided(made) if unit.does("parallel") else made)


def _check(mode: str, after: str | None) -> None:
    if mode not in MODES:
        raise BadArgument(f"there is no mode '{mode}'", hint=f"modes are {', '.join(MODES)}")
    if after is not None and after not in STAGES:
        raise BadArgument(f"there is no stage '{after}'", hint=f"stages are {', '.join(STAGES)}")


@clock.stage("differentiate")
def _differentiated(
    stage: Stage,
    mode: str,
    types: tuple[nb.Type, ...],
    wrt: Sequence[int],
    tuple_result: bool,
    observed: Observation | None,
) -> Made:
    """Stage 6, where there is nothing to refuse."""
    assert stage.facts is not None
    refuse_arguments(stage.unit, stage.facts, wrt)
    refuse_records(stage.unit, stage.facts)
    refuse_unknown(stage.unit, stage.facts, wrt, observed is not None)
    return with_callees(_made(mode, stage, types, wrt, tuple_result, observed))


def _made(
    mode: str,
    stage: Stage,
    types: tuple[nb.Type, ...],
    wrt: Sequence[int],
    tuple_result: bool,
    observed: Observation | None,
) -> Made:
    """Stage 6: the functions of one mode."""
    unit, facts, counts = stage.unit, stage.facts, stage.counts
    assert facts is not None
    callees = Callees(make_any_pair, make_tangent)
    match mode:
        case "grad" | "value_and_grad":
            return gradient_function(unit, facts, counts, wrt, tuple_result, mode == "value_and_grad", callees)
        case "vjp":
            return split_functions(unit, facts, counts, wrt, callees)
        case "tangent":
            return tangent_function(unit, facts, wrt, callees)
    return _second_order(unit, facts, types, wrt, tuple_result, observed)


def prints(unit: Unit) -> bool:
    """Whether the function has an effect that a second call would repeat."""
    return any(isinstance(node, gast.Name) and node.id == "print" for node in gast.walk(unit.tree))


def _stages(
    unit: Unit,
    types: tuple[nb.Type, ...],
    loops: bool,
    observed: Observation | None,
    assumes: bool = False,
    is_reversed: bool = False,
    insist: bool = False,
) -> Iterator[Stage]:
    """The stages before differentiation; in modes with a reverse sweep, checkpointed loops become calls."""
    yield Stage("lower", unit)
    unit = to_ssa(with_lists(unit, types, None if observed is None else observed.samples))
    unit, facts = _facts(with_flags(with_plain_messages(unit) if loops else unit), types, observed)
    yield Stage("ssa", unit, facts)
    unit, facts = settle(unit, facts)
    yield Stage("settle", unit, facts)
    middle = Middle(loops, assumes and unit.does("assume"), insist, is_reversed, unit.without)
    unit, facts = Library(middle.finish).specialise(unit, facts)
    unit = unit if observed is not None else without_decided(unit, facts)
    yield Stage("specialise", unit, facts)
    yield from middle.stages(unit, facts, types)


def _facts(unit: Unit, types: tuple[nb.Type, ...], observed: Observation | None) -> tuple[Unit, Types]:
    """Types from Numba's inference, else from what was observed; the unit then without what was not."""
    if observed is not None:
        return observed.types_of(unit)
    return reached_types(unit, types)


def _second_order(
    unit: Unit,
    facts: Types,
    types: tuple[nb.Type, ...],
    wrt: Sequence[int],
    tuple_result: bool,
    observed: Observation | None,
) -> Made:
    """Gradient of the directional derivative: Hessian times vector."""
    refuse_result(unit, facts)
    directional = tangent_unit(unit, facts, wrt, Callees(make_any_pair, make_tangent))
    kinds = (*types, *(types[k] for k in wrt))
    directional, second = _facts(directional, kinds, observed)
    refuse_unknown(directional, second, wrt, observed is not None)
    middle = Middle(False, False, False, True, unit.without, is_again=True)
    settled = Library(middle.finish).specialise(*settle(directional, second))
    directional, second, counts = middle.finish(*settled, kinds)
    callees = Callees(make_any_pair, make_tangent)
    made = gradient_function(directional, second, counts, wrt, tuple_result, False, callees)
    name = f"{unit.name}_hvp"
    made.functions[0].name = name
    return replace(made, names=(name,))


@clock.stage("simplify")
def simplified(made: Made, loops: bool = True, without: Collection[str] = ()) -> Made:
    """Generated functions without what nothing reads; for Numba, with `loops` that it can vectorise."""
    functions = []
    for each in made.functions:
        if notes_of(each).is_finished:
            functions.append(each)
            continue
        parameters = tuple(argument.id for argument in each.args.args)
        kinds = notes_of(each).kinds if loops else None
        body = fold(each.body, parameters, made.outputs.get(each.name, ()), kinds, without, notes_of(each).primals)
        functions.append(function(each.name, parameters, body))
    return replace(made, functions=functions)


@clock.stage("print")
def _printed(made: Made, result: nb.Type | None) -> Generated:
    made = renamed(made)
    parts = [*made.before, *made.functions]
    used = {node.id for each in parts for node in gast.walk(each) if isinstance(node, gast.Name)}
    bound = {name: made.bindings[name] for name in [*MODULES, *made.bindings] if name in used and name in made.bindings}
    imports = {name: text for name, thing in bound.items() if (text := _import_of(name, thing))}
    own = {name: thing for name, thing in bound.items() if name not in imports}
    return Generated(print_module(parts, [*imports.values()]), made.names, own, result, made)


def _import_of(name: str, thing: Any) -> str | None:
    """The statement that gives generated code what this name means, where there is one."""
    if thing is stop_gradient:
        return "from srcad import stop_gradient" + (f" as {name}" if name != "stop_gradient" else "")
    module, text = MODULES.get(name, (None, None))
    return text if module is thing else None
