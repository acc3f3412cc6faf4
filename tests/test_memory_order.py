"""Arrays in Fortran order or with gaps give what Python gives, or are refused where views of them are not known."""

import numpy as np
import pytest

import srcad
from srcad.errors import MayOverlap
from tests.differences import directional_derivative
from tests.fuzz.leaves import laid_out, with_gaps

POINT = np.random.default_rng(0).random((4, 4)) + 0.1
WAY = np.random.default_rng(1).normal(size=(4, 4))
ORDERS = {"C": np.copy(POINT), "F": np.asfortranarray(POINT), "gaps": with_gaps(POINT)}


def flat_view_of_a_copy(x):
    y = x.copy()
    flat = np.ravel(y)
    s = np.sum(flat * flat)
    y[0] = y[0] * s
    return np.sum(y**2)


def view_read_after_a_write(x):
    y = x.copy()
    v = np.ravel(y.T[0])
    y[:] = y * 2
    return np.sum(y * y) + np.sum(v * v)


def view_of_a_result(x):
    y = x * 1.0
    v = np.ravel(y.T)
    y[:] = y * 2
    return np.sum(y * y) + np.sum(v**3)


def write_through_a_reshaped_row(x):
    y = x.copy()
    v = y[0].reshape(2, -1)
    v[0] = 3.0 * v[1] * v[1]
    return np.sum(y * y)


def write_through_a_flat_copy(x):
    y = x[:, ::-1].copy()
    z = y.ravel()
    z[3] = 2.0 * z[0]
    return np.sum(y * x)


def named_order(x):
    y = np.copy(x, order="C")
    z = y.reshape(-1)
    z[1:] = z[1:] * z[:-1]
    return np.sum(y**2)


def shortest_paths(x):
    path = x.copy()
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, np.add.outer(path[:, k], path[k, :]))
    return np.sum(path * path)


def squares_of_columns(x):
    y = x.copy()
    for k in range(y.shape[0]):
        v = np.reshape(y[:, k], (y.shape[0], 1))
        y[:] = y * 0.5 + v * v * 0.3
    return np.sum(y * y)


PROGRAMS = [
    flat_view_of_a_copy,
    view_read_after_a_write,
    view_of_a_result,
    write_through_a_reshaped_row,
    write_through_a_flat_copy,
    named_order,
    shortest_paths,
    squares_of_columns,
]
REFUSED = {view_read_after_a_write, view_of_a_result}  # in C order as well, until layouts are part of types


def ways(function, x, jit):
    yield lambda: np.sum(srcad.grad(function, jit=jit)(x) * WAY)
    yield lambda: srcad.jvp(function, (x,), (WAY,), jit=jit)[1]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("function", PROGRAMS)
def test_derivatives_are_differences_in_every_order_or_refused(function, order):
    x = ORDERS[order]
    expected, error = directional_derivative(lambda step: function(laid_out(x + step * WAY, x)), 1e-4)
    assert error < 1e-6 * abs(expected)
    for slope in ways(function, x, jit=False):
        if function in REFUSED:
            with pytest.raises(MayOverlap, match="may be a view or a copy"):
                slope()
        else:
            assert slope() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("function", PROGRAMS)
def test_values_are_those_of_python(function, order):
    x = ORDERS[order]
    assert srcad.function(function, jit=False)(x) == pytest.approx(function(x), rel=1e-13)


@pytest.mark.compiled
@pytest.mark.parametrize("function", [flat_view_of_a_copy, write_through_a_reshaped_row])
def test_compiled_code_has_the_order_of_python(function):
    x = ORDERS["F"]
    assert srcad.function(function)(x) == pytest.approx(function(x), rel=1e-13)
    expected = srcad.grad(function, jit=False)(np.copy(x, order="C"))
    assert srcad.grad(function)(x) == pytest.approx(expected, rel=1e-13)
    assert srcad.jvp(function, (x,), (WAY,))[1] == pytest.approx(np.sum(expected * WAY), rel=1e-12)
