"""What is remembered of calls of a kind holds for all of them; what no rule covers is refused when it is called."""

import operator

import numpy as np
import pytest

from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.call_plans import DIRECT, NESTED, OTHERS, READS, Plan, is_as_it_is
from srcad.runtime.tape.values.conversions import constant

V = np.array([0.7, 1.3, 0.4])
M = np.array([[0.7, 1.3], [0.4, 2.1]])


def gradient(function, value):
    x = constant(value)
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


COVERED = {
    "sum": lambda x: np.sum(x, 0, "float64"),
    "sum, a method": lambda x: x.sum(0, np.float64),
    "cumsum": lambda x: np.cumsum(x, 0, np.float64),
    "sort": lambda x: np.sort(x, -1, "stable"),
    "trace": lambda x: np.trace(x, 0, 1, 0),
    "diagonal": lambda x: np.diagonal(x, 0, 1, 0),
    "reshape": lambda x: np.reshape(x, (4,), "F"),
    "ravel": lambda x: np.ravel(x, "F"),
    "copy": lambda x: np.copy(x, "F"),
    "take": lambda x: np.take(x, [0], 0, None, "clip"),
    "var": lambda x: np.var(x, 0, None, None, 1),
}


@pytest.mark.parametrize("function", COVERED.values(), ids=COVERED.keys())
def test_an_argument_by_position_that_only_a_definition_knows_is_recorded(function):
    weights = np.arange(1.0, 1.0 + np.size(function(M))).reshape(np.shape(function(M)))

    def value(x):
        return np.sum(weights * np.sin(function(x)))

    found = gradient(value, M)
    for k in np.ndindex(2, 2):
        step = np.zeros((2, 2))
        step[k] = 1e-6
        assert float(found[k]) == pytest.approx((value(M + step) - value(M - step)) / 2e-6, abs=1e-8)


NOT_COVERED = {
    "sum": (lambda x: np.sum(x, 0, "float32", np.zeros(2)), "out"),
    "nansum": (lambda x: np.nansum(x, 0, np.float32, np.zeros(2)), "out"),
    "reshape": (lambda x: np.reshape(x, (4,), "A"), "orders"),
    "median": (lambda x: np.median(x, 0, np.zeros(2)), "out"),
}


@pytest.mark.parametrize(("function", "name"), NOT_COVERED.values(), ids=NOT_COVERED.keys())
def test_an_argument_by_position_that_a_rule_does_not_know_is_refused_when_it_is_recorded(function, name):
    x = constant(M)
    with GradientTape() as tape:
        tape.watch(x)
        for _ in range(2):
            with pytest.raises(NotImplementedError, match=name):
                function(x)
        y = x * 2.0
    assert tape.gradient(y, x).tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_one_kind_of_call_has_rules_by_rank():
    np.testing.assert_allclose(gradient(np.trace, M), np.eye(2))
    of_stack = gradient(lambda x: np.trace(x) * np.array([1.0, 3.0]), np.stack([M, M]))
    np.testing.assert_allclose(of_stack, [[[1.0, 3.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 3.0]]])
    np.testing.assert_allclose(gradient(np.trace, M), np.eye(2))


def test_none_for_an_argument_that_a_rule_does_not_know_says_nothing():
    assert gradient(lambda x: np.sum(x, 0, None), V).tolist() == [1.0, 1.0, 1.0]
    assert gradient(lambda x: np.max(x, 0, None) + x.sum(None, None), V).tolist() == [1.0, 2.0, 1.0]
    assert gradient(lambda x: np.sum(x, axis=None, dtype=None, out=None), V).tolist() == [1.0, 1.0, 1.0]


def test_one_kind_of_call_with_other_ranks_and_other_literals():
    for _ in range(2):
        assert gradient(np.sum, 2.0) == 1.0
        assert gradient(np.sum, V).tolist() == [1.0, 1.0, 1.0]
        assert gradient(lambda x: x**0, V).tolist() == [0.0, 0.0, 0.0]
        assert gradient(lambda x: x**2, V).tolist() == [1.4, 2.6, 0.8]
        assert gradient(lambda x: np.dot(x, np.array([1.0, 2.0, 3.0])), V).tolist() == [1.0, 2.0, 3.0]
        assert gradient(lambda x: np.dot(x, np.array([1.0, 2.0])), M).tolist() == [[1.0, 2.0], [1.0, 2.0]]
        assert gradient(lambda x: np.max(x, 0), np.float64(2.0)) == 1.0


CHANGED = {
    "an index": ([0, 2, 2], lambda x, part: x[part]),
    "an array": (np.array([1.0, 2.0, 3.0]), lambda x, part: x * part),
    "an index array in a tuple": (np.array([0, 2]), lambda x, part: np.stack([x, x])[1, part]),
    "an array by keyword": (np.array([1.0, 2.0, 4.0]), lambda x, part: np.average(x * x, weights=part)),
    "a grid by keyword": (np.array([1.0, 2.0, 4.0]), lambda x, part: np.trapezoid(x, x=part)),
    "a condition": ([True, False, True], lambda x, part: np.where(part, x, 0.0)),
}


def change(part):
    if isinstance(part, np.ndarray):
        part[:] = 0
    elif isinstance(part, list):
        part[:] = [0] * len(part)


@pytest.mark.parametrize(("part", "function"), CHANGED.values(), ids=CHANGED.keys())
def test_what_is_changed_after_the_call_is_kept_as_it_was(part, function):
    found = []
    for changes in (False, True, True):
        x, own = constant(V), part.copy()
        with GradientTape() as tape:
            tape.watch(x)
            y = function(x, own)
        if changes:
            change(own)
        found.append(np.asarray(tape.gradient(y, x)).tolist())
    assert found[0] == found[1] == found[2]
    assert any(found[0])


def test_a_list_of_tensors_that_is_changed_after_the_call_is_kept_as_it_was():
    x, array = constant(V), np.ones(3)
    for _ in range(2):
        with GradientTape() as tape:
            tape.watch(x)
            parts = [x, array, x * 2.0]
            y = np.concatenate(parts)
        parts.clear()
        array[:] = 5.0
        assert tape.gradient(y, x).tolist() == [3.0, 3.0, 3.0]


def test_short_ways_to_reduce_are_numpys():
    for function in (np.sum, np.prod, np.max, np.min):
        short = Plan(function, [Tensor]).compute
        for array in (V, M, M > 1.0, np.arange(4), np.float64(2.5), np.float32([1.5, 2.5])):
            for keywords in ({}, {"keepdims": True}, {"axis": None}, {"axis": -1} if np.ndim(array) else {}):
                found, expected = short(array, **keywords), function(array, **keywords)
                assert (type(found), found.dtype) == (type(expected), expected.dtype)
                np.testing.assert_array_equal(found, expected)
        assert short(M, 0, None).tolist() == function(M, 0, None).tolist()


@pytest.mark.parametrize(
    ("primitive", "arguments", "keywords", "way"),
    [
        (np.sum, (constant(V),), {"axis": 0}, DIRECT),
        (np.sum, (constant(V), (0,)), {}, NESTED),
        (np.sum, (Variable(V),), {}, READS),
        (np.sum, (constant(V),), {"out": np.zeros(())}, OTHERS),
        (np.median, (constant(V),), {}, DIRECT),
        (np.median, (constant(V),), {"overwrite_input": True}, OTHERS),
        (np.nan_to_num, (constant(V), False), {}, OTHERS),
        (operator.mul, (constant(V), [1.0, 2.0, 3.0]), {}, OTHERS),
        (operator.getitem, (constant(V), [0, 1]), {}, NESTED),
    ],
)
def test_how_calls_are_computed(primitive, arguments, keywords, way):
    plan = Plan(primitive, list(map(type, arguments)), {name: type(each) for name, each in keywords.items()})
    assert plan.way == way


def test_lists_and_tuples_are_looked_into():
    plan = Plan(operator.getitem, [Tensor, tuple])
    x = constant(V)
    assert is_as_it_is(plan, (x, (0, slice(None))), {})
    assert is_as_it_is(plan, (x, (np.array([0]), [1])), {})
    assert not is_as_it_is(plan, (x, (constant(0), 1)), {})
    join = Plan(np.stack, [list])
    assert is_as_it_is(join, ([x, V],), {})
    assert not is_as_it_is(join, ([x, [x]],), {})
