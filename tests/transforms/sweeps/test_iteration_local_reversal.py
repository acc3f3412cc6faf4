"""Loops are reversed on the spot where that is right, and only there; that the numbers are right, others test."""

import inspect

import numpy as np
import pytest
from numba import typeof

import srcad
from srcad.driver import pipeline
from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.reverse_plan import spot_of
from srcad.transforms.ir.build import const, place_of
from srcad.transforms.ir.code import Code
from srcad.transforms.sweeps.gradient_function import results_of, reverse_program, seed_of
from srcad.transforms.sweeps.iteration_local_reversal import candidates
from srcad.transforms.sweeps.reverse_control_flow import Reverser
from tests.programs import spots


def ready(function, *args):
    """The function as it is when it is differentiated, its types and the names of its counts."""
    unit = pipeline.prepare(function)
    kinds = [typeof(each) for each in (*args, *(capture.read() for capture in unit.hidden))]
    state = pipeline.differentiable_state(Code(unit, signature=tuple(kinds)))
    return state.unit, state.types, state.counts


def line_on_the_spot(function, *args):
    """The line of the loop that is reversed on the spot, from the function's first; None where there is none."""
    unit, types, counts = ready(function, *args)
    program = reverse_program(unit, types, (0,))
    adjoints = Adjoints(program, unit.names.copy(), dict(unit.bindings))
    seed = seed_of(adjoints, results_of(unit), [const(1.0)])
    loop = spot_of(Reverser(program, adjoints, counts).plan(seed, candidates(program)))
    return None if loop is None else place_of(loop).line - inspect.getsourcelines(function)[1]


def is_on_the_spot(function, *args):
    """Whether the function's first loop is."""
    lines = inspect.getsource(function).splitlines()
    first = next(k for k, line in enumerate(lines) if line.lstrip().startswith("for "))
    return line_on_the_spot(function, *args) == first


@pytest.mark.slow
@pytest.mark.parametrize("function", spots.ON_THE_SPOT)
def test_independent_iterations_are_reversed_on_the_spot(function):
    assert is_on_the_spot(function, np.ones(6))


def test_exits_of_inner_loops_do_not_matter():
    assert is_on_the_spot(spots.paths_that_end_early, np.ones(6), 2.5)


@pytest.mark.parametrize("function", spots.OTHERWISE)
def test_others_are_not(function):
    assert not is_on_the_spot(function, np.ones(6))


def _guarded(x, y):
    total = 0.0
    for i in range(len(x)):
        t = np.sin(x[i])
        total += t * t
    if len(y) < len(x):
        raise ValueError("y is too short")
    for i in range(len(x)):
        total += y[i] * y[i]
    return total


def _widened(x, y):
    near = np.mean((x - y) ** 2)
    m = np.zeros(1) + y[0]
    d = x - m
    return near + np.sum(d * d) * near


@pytest.mark.parametrize("arrays", [True, False])
def test_what_follows_a_guard_never_runs_before_it(arrays):
    text = srcad.source(_guarded, signature="f8[::1], f8[::1]", wrt=(0, 1), arrays=arrays)
    assert text.index("raise ValueError") < text.index("y[i")
    gradient = srcad.grad(_guarded, wrt=(0, 1), jit=False)
    with pytest.raises(ValueError, match="y is too short"):
        gradient(np.ones(3), np.ones(2))


def test_extents_are_compared_before_the_loops_that_rely_on_them():
    lines = srcad.source(_widened, signature="f8[::1], f8[::1]", wrt=(0,)).splitlines()
    checks = [k for k, line in enumerate(lines) if "same_extent" in line]
    loops = [k for k, line in enumerate(lines) if line.lstrip().startswith("for ")]
    assert checks
    assert max(checks) < min(loops)


def _replaced(x, n):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    for _ in range(n):
        total = np.sin(x[0])
    return total


@pytest.mark.parametrize("n", [0, 2])
def test_what_replaces_the_result_of_a_loop_stays_behind_it(n):
    x = np.array([0.3, 0.5])
    value, slope = srcad.value_and_grad(_replaced, jit=False)(x, n)
    assert value == _replaced(x, n)
    np.testing.assert_allclose(slope, 2.0 * x if n == 0 else [np.cos(0.3), 0.0])
