import operator

import numpy as np
import pytest

from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.call_plans import Plan
from srcad.runtime.tape.recording.retention import frozen, retained, what_is_read
from srcad.runtime.tape.values.conversions import constant

LARGE = 2000


@pytest.mark.parametrize(
    ("primitive", "count", "read"),
    [
        (operator.add, 2, []),
        (np.subtract, 2, []),
        (operator.mul, 2, [0, 1]),
        (np.exp, 1, [-1]),
        (np.sin, 1, [0]),
        (np.tanh, 1, [-1]),
        (operator.truediv, 2, [-1, 0, 1]),
        (np.arcsinh, 1, [-1, 0]),
    ],
)
def test_what_a_pullback_reads(primitive, count, read):
    assert sorted(what_is_read(primitive, count)) == read


def nodes_of(function, *inputs):
    with GradientTape(persistent=True) as tape:
        tape.watch(inputs[0])
        y = function(*inputs)
        nodes = list(active.tapes[0].nodes)
    return tape, y, nodes


def bytes_held(node):
    values = [getattr(each, "_value", each) for each in (*node.arguments, node.result)]
    return sum(each.nbytes for each in values if isinstance(each, np.ndarray) and 0 not in each.strides)


def test_a_sum_of_large_arrays_holds_none_of_them():
    x, a = constant(np.ones(LARGE)), np.full(LARGE, 2.0)
    tape, y, (node,) = nodes_of(lambda x, a: x + a, x, a)
    assert bytes_held(node) == 0
    assert tape.gradient(y, x).tolist() == [1.0] * LARGE


def test_a_function_known_from_its_result_holds_only_that():
    x = constant(np.linspace(0.0, 1.0, LARGE))
    tape, y, (node,) = nodes_of(np.exp, x)
    assert bytes_held(node) == 8 * LARGE
    np.testing.assert_allclose(tape.gradient(y, x), np.exp(np.linspace(0.0, 1.0, LARGE)))


def test_what_holds_no_array_serves_higher_orders_too():
    x = constant(np.linspace(1.0, 2.0, LARGE))
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = np.exp(x + 1.0) - x * x
        slope = inner.gradient(y, x)
    np.testing.assert_allclose(outer.gradient(slope, x), np.exp(np.linspace(2.0, 3.0, LARGE)) - 2.0)


@pytest.mark.parametrize(
    ("function", "second"),
    [
        (lambda x: (x * x) / (x + 2.0), lambda x: 8.0 / (x + 2.0) ** 3),
        (lambda x: np.divide(1.0, x), lambda x: 2.0 / x**3),
        (np.tan, lambda x: 2.0 * np.tan(x) / np.cos(x) ** 2),
        (np.expm1, np.exp),
        (np.arcsinh, lambda x: -x / (1.0 + x * x) ** 1.5),
        (np.arccosh, lambda x: -x / (x * x - 1.0) ** 1.5),
    ],
)
def test_second_derivatives_of_large_arrays_read_what_first_ones_do_not(function, second):
    points = np.linspace(1.1, 1.4, LARGE)
    x = constant(points)
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        slope = inner.gradient(y, x)
    np.testing.assert_allclose(outer.gradient(slope, x), second(points), rtol=1e-9)


def test_small_arguments_are_kept_as_they_are():
    arguments, result = (constant([1.0]), 2.0), constant([2.0])
    plan = Plan(operator.add, [Tensor, float])
    assert retained(plan, arguments, result) == (arguments, result)


def test_arrays_that_nobody_can_change_are_not_copied():
    array = np.ones(3)
    assert frozen(array) is not array
    array.flags.writeable = False
    assert frozen(array) is array
    writable = np.ones(3)
    view = writable[:]
    view.flags.writeable = False
    assert frozen(view) is not view


def test_a_large_array_that_does_not_change_is_held_once():
    x, matrix = constant(np.ones(64)), np.eye(64)
    with GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(5):
            y = matrix @ y
        assert tape.trace.nbytes < 2 * matrix.nbytes
        matrix[0, 0] = 3.0
        y = matrix @ y
        matrix[0, 0] = -0.0
        y = matrix @ y
        assert 3 * matrix.nbytes < tape.trace.nbytes < 4 * matrix.nbytes
    assert tape.gradient(y, x).tolist() == [0.0] + [1.0] * 63
