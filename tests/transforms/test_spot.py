"""Loops are reversed on the spot where that is right, and only there; that the numbers are right, others test."""

import inspect

import numpy as np
import pytest
from numba import typeof

from srcad import pipeline
from srcad.transforms.accumulate import Adjoints
from srcad.transforms.build import const
from srcad.transforms.control import Reverser
from srcad.transforms.gradient import results_of, reverse_program, seed_of
from srcad.transforms.plan import spot_of
from srcad.transforms.spot import candidates
from tests.programs import spots


def ready(function, *args):
    """The function as it is when it is differentiated, its types and the names of its counts."""
    unit = pipeline.prepare(function)
    kinds = [typeof(each) for each in (*args, *(capture.read() for capture in unit.hidden))]
    *_, stage = pipeline._stages(unit, tuple(kinds), True, None)
    return stage.unit, stage.facts, stage.counts


def line_on_the_spot(function, *args):
    """The line of the loop that is reversed on the spot, from the function's first; None where there is none."""
    unit, types, counts = ready(function, *args)
    program = reverse_program(unit, types, (0,))
    adjoints = Adjoints(program, unit.names.copy(), dict(unit.bindings))
    seed = seed_of(adjoints, results_of(unit), [const(1.0)])
    loop = spot_of(Reverser(program, adjoints, counts).plan(seed, candidates(program)))
    return None if loop is None else loop.place.line - inspect.getsourcelines(function)[1]


def is_on_the_spot(function, *args):
    """Whether the function's first loop is."""
    lines = inspect.getsource(function).splitlines()
    first = next(k for k, line in enumerate(lines) if line.lstrip().startswith("for "))
    return line_on_the_spot(function, *args) == first


@pytest.mark.parametrize("function", spots.ON_THE_SPOT)
def test_independent_iterations_are_reversed_on_the_spot(function):
    assert is_on_the_spot(function, np.ones(6))


def test_exits_of_inner_loops_do_not_matter():
    assert is_on_the_spot(spots.paths_that_end_early, np.ones(6), 2.5)


@pytest.mark.parametrize("function", spots.OTHERWISE)
def test_others_are_not(function):
    assert not is_on_the_spot(function, np.ones(6))
