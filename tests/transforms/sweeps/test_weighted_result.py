"""The weighted sum of a function's results."""

import gast
import numpy as np
import pytest

from srcad.driver import pipeline
from srcad.errors import NotDifferentiable
from srcad.transforms.sweeps.weighted_result import weighted


def several(x, k):
    return x * k, (k + 1.0, 2)


def runnable(unit):
    space = dict(unit.bindings)
    exec(compile(gast.gast_to_ast(gast.fix_missing_locations(gast.Module([unit.tree], []))), "weighted", "exec"), space)
    return space[unit.name]


def test_weights_follow_the_arguments():
    unit = weighted(pipeline.prepare(several), (1, 0, None))
    assert unit.parameters == ("x", "k", "result_bar", "result_bar_2")
    total = runnable(unit)(np.array([1.0, 2.0]), 3.0, np.array([10.0, 100.0]), 7.0)
    assert total == 30.0 + 600.0 + 28.0


def test_the_function_itself_stays_as_it_is():
    unit = pipeline.prepare(several)
    weighted(unit, (1, 0, None))
    assert unit.parameters == ("x", "k")
    assert runnable(unit)(2.0, 3.0) == (6.0, (4.0, 2))


def test_captured_arrays_stay_last():
    table = np.ones(2)
    unit = weighted(pipeline.prepare(lambda x: x * table), (1,))
    assert unit.parameters == ("x", "result_bar", "table")


def test_results_that_do_not_match_are_refused():
    with pytest.raises(NotDifferentiable, match="several"):
        weighted(pipeline.prepare(several), (1,))
