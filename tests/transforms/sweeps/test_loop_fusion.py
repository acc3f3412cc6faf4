"""Loops are joined where no iteration comes too early, and where it helps; that the numbers are right, others test."""

import gast
import numpy as np
import pytest

from srcad.transforms.sweeps.gradient_function import dependents_of
from srcad.transforms.sweeps.loop_fusion import merged
from tests.programs import joins
from tests.transforms.sweeps.test_iteration_local_reversal import ready


def loops(function):
    """How many loops stand in the outermost block, before and after joining."""
    unit, types, _ = ready(function, np.ones(6))
    joined = merged(unit, types, [unit.parameters[0]], dependents_of(unit))
    return tuple(sum(isinstance(each, gast.For) for each in one.tree.body) for one in (unit, joined))


@pytest.mark.parametrize("function", joins.JOINED)
def test_a_loop_is_joined_with_the_one_that_reads_its_results(function):
    before, after = loops(function)
    assert after == before - 1


@pytest.mark.parametrize("function", joins.APART)
def test_others_stay_apart(function):
    before, after = loops(function)
    assert after == before
