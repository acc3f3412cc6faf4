"""Compiled functions under a tape, from end to end."""

import numpy as np
import pytest

import srcad

pytestmark = pytest.mark.compiled

SCALE = srcad.Variable([1.0, 2.0, 3.0])


@srcad.function
def drag(x, k):
    v = 1.0
    s = 0.0
    for i in range(x.shape[0]):
        a = k * v * v
        if a > 0.5:
            v = v - 0.1 * a
        else:
            v = v - 0.1 * np.sin(x[i]) * v
        s += v
    return s


@srcad.function
def squares(x):
    y = np.empty_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i]
    return y


@srcad.function
def scaled(x):
    return np.sum(SCALE * x * x)


@srcad.function
def polar(r, phi):
    return r * np.cos(phi), r * np.sin(phi)


def difference(function, x, along):
    step = 1e-6
    return (function(x + step * along) - function(x - step * along)) / (2 * step)


def test_tensors_and_variables_as_arguments():
    x, k = np.array([0.3, 1.2, 2.5]), 0.45
    tensor, variable = srcad.constant(x), srcad.Variable(k)
    with srcad.GradientTape() as tape:
        tape.watch(tensor)
        y = drag(tensor, variable) * 2.0
    along = np.array([1.0, -2.0, 0.5])
    by_x, by_k = tape.gradient(y, [tensor, variable])
    assert np.sum(by_x * along) == pytest.approx(2 * difference(lambda x: drag(x, k), x, along), rel=1e-7)
    assert float(by_k) == pytest.approx(2 * difference(lambda k: drag(x, k), k, 1.0), rel=1e-7)


def test_the_value_is_that_of_the_plain_call():
    x = np.array([0.3, 1.2, 2.5])
    assert float(drag(srcad.constant(x), 0.45)) == drag(x, 0.45)


def test_jacobians_run_on_one_trace():
    x = srcad.constant([1.0, 2.0, 3.0])
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = squares(x)
    assert tape.jacobian(y, x).tolist() == np.diag([2.0, 4.0, 6.0]).tolist()
    assert tape.gradient(y, x).tolist() == [2.0, 4.0, 6.0]


def test_captured_variables_are_watched_and_differentiated():
    x = srcad.constant([1.0, 2.0, 3.0])
    with srcad.GradientTape() as tape:
        y = scaled(x)
    assert [each.ref() for each in tape.watched_variables()] == [SCALE.ref()]
    assert tape.gradient(y, SCALE).tolist() == [1.0, 4.0, 9.0]


def test_several_results():
    r, phi = srcad.constant(2.0), srcad.constant(0.5)
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch([r, phi])
        x, y = polar(r, phi)
    assert float(tape.gradient(x, phi)) == pytest.approx(-2.0 * np.sin(0.5))
    assert float(tape.gradient([x, y], r)) == pytest.approx(np.cos(0.5) + np.sin(0.5))


def test_calls_and_operations_mix():
    x, w = srcad.constant([1.0, 2.0, 3.0]), srcad.Variable(2.0)
    with srcad.GradientTape() as tape:
        y = np.sum(squares(x * w) * [1.0, 10.0, 100.0])
    # d/dw of w^2 (1 + 40 + 900)
    assert float(tape.gradient(y, w)) == pytest.approx(4.0 * 941.0)


def test_second_derivatives():
    x = np.array([0.3, 1.2, 2.5])
    tensor = srcad.constant(x)
    with srcad.GradientTape() as outer:
        outer.watch(tensor)
        with srcad.GradientTape() as inner:
            inner.watch(tensor)
            y = drag(tensor, 0.45)
        slope = inner.gradient(y, tensor)
    expected = [difference(lambda x: srcad.grad(drag)(x, 0.45), x, unit) for unit in np.eye(3)]
    np.testing.assert_allclose(outer.jacobian(slope, tensor), expected, atol=1e-7)


def test_an_outer_tape_that_follows_nothing_of_it_costs_no_second_run():
    x = srcad.constant([1.0, 2.0, 3.0])
    with srcad.GradientTape():
        with srcad.GradientTape() as inner:
            inner.watch(x)
            y = squares(x)  # writes into an array, which could not be recorded
        assert inner.gradient(y, x).tolist() == [2.0, 4.0, 6.0]
