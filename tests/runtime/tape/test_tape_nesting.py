"""Tapes and variables, several tapes at once, higher orders, threads."""

import numpy as np
import pytest

from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant
from tests.waiting import in_threads


@pytest.fixture(autouse=True)
def _nothing_is_left_recording():
    yield
    left, active.tapes = active.tapes, ()
    assert left == ()


@pytest.fixture
def x():
    return constant([1.0, 2.0])


def test_assignment_after_recording_does_not_change_the_gradient():
    v = Variable(3.0)
    with GradientTape() as tape:
        y = v * v
    v.assign(100.0)
    assert float(tape.gradient(y, v)) == 6.0


def test_each_reading_counts_with_the_value_read():
    v = Variable(2.0)
    with GradientTape() as tape:
        total = constant(0.0)
        for _ in range(3):
            total = total + v * v
            v.assign_add(1.0)
    assert float(tape.gradient(total, v)) == 18.0


def test_assignment_inside_the_block_is_not_differentiated():
    v = Variable([1.0, 2.0])
    with GradientTape() as tape:
        v.assign_add(v * 2.0)
        y = v * v
    assert tape.gradient(y, v).tolist() == [6.0, 12.0]


def test_the_result_of_an_assignment_is_a_reading():
    v = Variable([1.0, 2.0])
    with GradientTape() as tape:
        y = v * v
        z = y * v.assign([5.0, 6.0])
    assert tape.gradient(z, v).tolist() == [11.0, 28.0]


def test_a_value_read_is_computed_from_the_variable():
    v = Variable([1.0, 2.0])
    with GradientTape() as tape:
        w = v.read_value()
        y = w * w
    assert [each.tolist() for each in tape.gradient(y, [v, w])] == [[2.0, 4.0], [2.0, 4.0]]


def test_an_array_changed_after_recording_does_not_change_the_gradient():
    x, factor = constant([1.0, 2.0]), np.array([3.0, 4.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = x * factor
    factor[:] = 0.0
    assert tape.gradient(y, x).tolist() == [3.0, 4.0]


def test_indices_changed_after_recording_do_not_change_the_gradient():
    x, index = constant([1.0, 2.0, 3.0]), np.array([0, 0, 2])
    rows = [1, 1]
    with GradientTape() as tape:
        tape.watch(x)
        y = x[index].sum() + x[rows].sum()
    index[:] = 1
    rows[0] = 0
    assert tape.gradient(y, x).tolist() == [2.0, 2.0, 1.0]


def test_tapes_can_be_left_in_any_order(x):
    first, second = GradientTape(), GradientTape()
    first.__enter__()
    first.watch(x)
    second.__enter__()
    second.watch(x)
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    assert first.gradient(z, x) is None
    assert second.gradient(z, x).tolist() == [3.0, 12.0]


def test_nesting_gives_higher_orders():
    x = constant(3.0)
    with GradientTape() as third:
        third.watch(x)
        with GradientTape() as second:
            second.watch(x)
            with GradientTape() as first:
                first.watch(x)
                y = x**4
            slope = first.gradient(y, x)
        bend = second.gradient(slope, x)
    assert float(slope) == 108.0
    assert float(bend) == 108.0
    assert float(third.gradient(bend, x)) == 72.0


def test_the_fifth_derivative_of_the_sine_is_the_cosine():
    x = constant(0.7)
    tapes = [GradientTape() for _ in range(5)]
    for tape in tapes:
        tape.__enter__()
        tape.watch(x)
    y = np.sin(x)
    for tape in reversed(tapes):
        tape.__exit__(None, None, None)
        y = tape.gradient(y, x)
    assert float(y) == pytest.approx(np.cos(0.7))


@pytest.mark.parametrize("n", [0, 1, 2.0])
def test_derivatives_of_powers_at_zero(n):
    x = constant([0.0, 0.0])
    slopes = [x**n]
    with GradientTape(persistent=True) as third, GradientTape(persistent=True) as second, GradientTape() as first:
        for tape in (first, second, third):
            tape.watch(x)
        y = x**n
        for tape in (first, second, third):
            y = tape.gradient(y, x)
            slopes.append(y)
    expected = {0: [1.0, 0.0, 0.0, 0.0], 1: [0.0, 1.0, 0.0, 0.0], 2: [0.0, 0.0, 2.0, 0.0]}[n]
    assert [each.numpy()[0] for each in slopes] == expected


def test_mixed_second_derivatives():
    x, w = constant(2.0), Variable(3.0)
    with GradientTape(persistent=True) as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = x * x * w + w * w
        slope_x, slope_w = inner.gradient(y, [x, w])
    assert float(outer.gradient(slope_x, w)) == 4.0
    assert float(outer.gradient(slope_w, x)) == 4.0
    assert float(outer.gradient(slope_w, w)) == 2.0


def test_the_norm_of_a_gradient_is_differentiated():
    w = Variable([1.0, -2.0])
    with GradientTape() as outer:
        with GradientTape() as inner:
            y = (w * w * w).sum()
        slope = inner.gradient(y, w)
        penalty = (slope * slope).sum()
    # sum of (3 w^2)^2 = 9 w^4
    assert outer.gradient(penalty, w).tolist() == [36.0, -288.0]


def test_a_second_derivative_that_vanishes_identically_is_none_or_zero():
    x = constant(3.0)
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = 5.0 * x
        slope = inner.gradient(y, x)
    assert outer.gradient(slope, x) is None


def test_threads_do_not_see_each_others_tapes():
    v = Variable(3.0)
    found = []

    def work(factor):
        for _ in range(20):
            with GradientTape() as tape:
                y = v * v * factor
            found.append(float(tape.gradient(y, v)) / factor)

    with GradientTape() as tape:
        in_threads(work, (1.0, 2.0))
    assert tape.watched_variables() == ()
    assert found == [6.0] * 40


def test_second_derivatives_of_running_products_and_determinants():
    a, m = constant([2.0, 3.0, 4.0]), constant([[2.0, 1.0], [1.0, 3.0]])
    with GradientTape(persistent=True) as tape:
        tape.watch([a, m])
        total, determinant = np.sum(np.cumprod(a)), np.linalg.det(m)
    assert tape.hessian(total, a).tolist() == [[0.0, 5.0, 3.0], [5.0, 0.0, 2.0], [3.0, 2.0, 0.0]]
    expected = np.zeros((2, 2, 2, 2))
    expected[0, 0, 1, 1] = expected[1, 1, 0, 0] = 1.0
    expected[0, 1, 1, 0] = expected[1, 0, 0, 1] = -1.0
    np.testing.assert_allclose(tape.hessian(determinant, m), expected, atol=1e-12)


@pytest.mark.parametrize("axes", [0, 1, 2])
def test_slopes_that_are_zero_go_on_through_tensordot_under_an_outer_tape(axes):
    x = constant([[1.0, -2.0], [0.5, 3.0]])
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = np.sign(np.tensordot(-x, x, axes))
        slope = inner.gradient(y, x)
    assert slope.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert outer.gradient(slope, x).tolist() == [[0.0, 0.0], [0.0, 0.0]]
