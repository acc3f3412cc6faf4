"""Loops are joined where no iteration comes too early, and where it helps; that the numbers are right, others test."""

import gast
import numpy as np
import pytest

import srcad
from srcad.transforms.sweeps.gradient_function import dependents_of
from srcad.transforms.sweeps.loop_fusion import merged
from tests.programs import joins
from tests.transforms.sweeps.test_iteration_local_reversal import ready


def loops(function):
    """How many loops there are, before and after joining."""
    unit, types, _ = ready(function, np.ones(6))
    joined = merged(unit, types, [unit.parameters[0]], dependents_of(unit))
    return tuple(sum(isinstance(each, gast.For) for each in gast.walk(one.tree)) for one in (unit, joined))


@pytest.mark.parametrize("function", joins.JOINED)
def test_a_loop_is_joined_with_the_one_that_reads_its_results(function):
    before, after = loops(function)
    has_inner = function in (joins.misfit_of_rows, joins.columns_with_branches)  # an inner loop is joined as well
    assert after == before - (2 if has_inner else 1)


def test_loops_that_use_the_same_arrays_are_joined():
    assert loops(joins.side_by_side)[1] == 1
    text = srcad.source(joins.correlation, args=(np.ones(6),))
    assert sum(line.lstrip().startswith("for ") for line in text.splitlines()) == 6  # three in each sweep


def test_loops_in_a_loop_are_joined():
    before, after = loops(joins.rows_in_a_loop)
    assert before - after == 2


def test_loops_in_loops_that_stay_apart_are_joined():
    assert loops(joins.rows_apart) == (8, 4)  # the sum of rows as well


@pytest.mark.parametrize("function", joins.APART)
def test_others_stay_apart(function):
    before, after = loops(function)
    assert after == before
