"""Iteration derivative: a function that runs one iteration of a checkpointed loop and reverses it.

The functions of `snapshot_functions` call it, after they have restored the state from a snapshot.

def loop_4_iteration(i, k, s, s_bar):           # the iteration, then its reverse: no trace outlives it
    ...
    return (k_bar, s_bar)
"""

from __future__ import annotations

from dataclasses import replace

import gast
import numpy as np

from srcad.runtime import kernels
from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.call_derivatives import Callees, Pair
from srcad.transforms.analysis.program_facts import analyse
from srcad.transforms.checkpointing.loop_outlining import Checkpointed, on_copies
from srcad.transforms.checkpointing.snapshot_functions import Drivers
from srcad.transforms.inference.subroutine_types import Specialised
from srcad.transforms.ir.build import Block, const, load, tuple_of
from srcad.transforms.ir.generated_functions import function
from srcad.transforms.ir.name_types import differentiable
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.derivative_versions import Gradient
from srcad.transforms.sweeps.callee_pairs import make_pair, make_tangent
from srcad.transforms.sweeps.gradient_function import (
    joined,
    result_of,
    results_of,
    reverse_program,
    seed_of,
    trace_blanks,
    with_lists,
)
from srcad.transforms.sweeps.gradient_pairs import make_gradient_pair, make_gradient_tangent
from srcad.transforms.sweeps.sweep_construction import sweeps


def make_any_pair(pair: Pair, callees: Callees) -> tuple[int, ...]:
    """Make the functions of a pair; returns the positions of arguments that the reverse function gets again."""
    version = pair.version
    if isinstance(version, Gradient):
        return make_gradient_pair(pair)
    if not isinstance(version, Checkpointed):
        return make_pair(pair, callees)
    active = _active(pair, version)
    drivers = Drivers(pair, version, active)
    needs = drivers.make()
    pair.functions.append(_iteration(drivers, callees))
    return needs


def make_any_tangent(name: str, version: Specialised, wrt: tuple[int, ...], callees: Callees) -> Unit:
    """The tangent function of a version: returns all results, then the tangents of those that have one."""
    if isinstance(version, Gradient):
        return make_gradient_tangent(name, version, wrt)
    if isinstance(version, Checkpointed):
        unit, types = on_copies(version)
        version = replace(version, unit=unit, types=types)
    return make_tangent(name, version, wrt, callees)


def _active(pair: Pair, version: Checkpointed) -> list[int]:
    """The positions, in the state, of the names that carry derivatives in some iteration."""
    state, advance = version.state, version.advance
    parameters = advance.unit.parameters[3:]
    ends = dict(zip(state.carried, results_of(advance.unit), strict=False))
    names = [getattr(ends.get(name), "id", parameter) for name, parameter in zip(state.names, parameters, strict=True)]
    outs = [state.names.index((*state.results, *state.works)[position]) for position in pair.outs]
    wrt = [position - 4 for position in pair.wrt]
    program = analyse(
        advance.unit, advance.types, [parameters[position] for position in wrt], [names[position] for position in outs]
    )
    return [
        position
        for position, name in enumerate(names)
        if differentiable(version.kinds[4 + position])
        and (position in wrt if position < len(state.inputs) else program.is_active(name))
    ]


def _iteration(drivers: Drivers, callees: Callees) -> gast.FunctionDef:
    """`(index, *state, *adjoints of arrays, *those of results) -> adjoints of numbers`; works in place on all arrays.

    Where several iterations are reversed together, the index is replaced by the first index, their number and the step.
    """
    pair, version, state = drivers.pair, drivers.version, drivers.state
    code = version.iteration
    unit, types, counts = code.unit, code.types, code.counts
    given = 1 if version.at_once == 1 else 3
    names = dict(zip(state.names, unit.parameters[given:], strict=True))
    ends = dict(zip((*state.carried, *state.works), results_of(unit), strict=True))
    wrt = [given + state.names.index(name) for name in drivers.active]
    program = reverse_program(unit, types, wrt, [k for k, name in enumerate(ends) if name in drivers.active])
    arrays = [names[name] for name in drivers.active if drivers.is_array(name)]
    adjoints = Adjoints(program, unit.names.copy(), dict(unit.bindings), callees, arrays)
    seeded = drivers.seeded()
    bars = [adjoints.names.fresh("result_bar") for _ in seeded]
    seed = seed_of(adjoints, [ends[name] for name in seeded], [*map(load, bars)])
    both = with_lists(sweeps(program, adjoints, counts, seed), adjoints)
    numbers = [names[name] for name in drivers.active if not drivers.is_array(name)]
    passed = [result_of(adjoints, name, handed_on=True) for name in numbers]
    last = gast.Return(value=tuple_of(*passed) if passed else const(None))
    body: Block = [*trace_blanks(both), *joined(both), last]
    added = [adjoints.bar(name) for name in arrays]
    own = {pair.trace: pair, pair.iteration: pair, version.advance.name: version.advance}
    if version.undo is not None:
        own[version.undo.name] = version.undo
    pair.bindings = {**adjoints.bindings, "np": np, "kernels": kernels, **own}
    pair.outputs = tuple(added)
    return adjoints.typed(function(pair.iteration, (*unit.parameters, *added, *bars), body))
