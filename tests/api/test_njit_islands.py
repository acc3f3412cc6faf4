"""Derivatives that Numba cannot compile, inside `@njit`."""

import numba
import numpy as np
import pytest
from numba.core import types

import srcad
from srcad.api.njit_islands import as_type, result_types
from srcad.errors import UnsupportedSyntax

POINT = np.array([[0.1, 0.2], [0.3, -0.4]])


def loss(x, k=2.0):
    """Numba knows no `np.squeeze`."""
    return np.sum(np.squeeze(x) ** 3 * k)


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore::srcad.PerformanceWarning")
def test_a_derivative_that_numba_cannot_compile_runs_as_python_inside_njit():
    slope, both = srcad.grad(loss), srcad.value_and_grad(loss, wrt=("k", 0))

    @numba.njit
    def used(x):
        value, (by_factor, by_array) = both(x, 3.0)
        return value, by_factor, by_array, slope(x.T), slope(x=x, k=5.0)

    x = POINT
    value, by_factor, by_array, turned, named = used(x)
    assert value == pytest.approx(3.0 * np.sum(x**3))
    assert by_factor == pytest.approx(np.sum(x**3))
    np.testing.assert_allclose(by_array, 9.0 * x**2)
    np.testing.assert_allclose(turned, 6.0 * x.T**2)
    np.testing.assert_allclose(named, 15.0 * x**2)
    assert by_array.flags.c_contiguous
    assert turned.flags.c_contiguous


@pytest.mark.compiled
def test_where_the_type_of_a_result_is_not_known_the_error_names_the_line_and_a_way_out():
    value = srcad.function(loss)

    @numba.njit
    def used(x):
        return value(x, 2.0)

    with pytest.raises(UnsupportedSyntax, match=r"(?s)test_njit_islands.py:17:\d+: .*loss is called .*objmode"):
        used(POINT)


def test_gradients_have_the_types_of_what_they_are_by():
    array, single = types.float64[:, :], types.float32
    assert result_types(srcad.grad(loss), (array, types.float64)) == types.float64[:, ::1]
    assert result_types(srcad.grad(loss, (1, 0)), (array, single)) == types.Tuple((single, types.float64[:, ::1]))
    assert result_types(srcad.value_and_grad(loss, 1), (array, single)) == types.Tuple((types.float64, single))
    assert result_types(srcad.grad(loss), (types.int64[:], single)) is None
    assert result_types(srcad.function(loss)._core, (array, single)) is None


def test_a_result_is_converted_to_its_type():
    found = as_type((np.float32(0.5), np.ones((2, 3)).T, 2.0), types.Tuple((single, types.float32[:, ::1], scalar)))
    assert [type(each) for each in found] == [float, np.ndarray, np.ndarray]
    assert found[1].dtype == np.float32
    assert found[1].flags.c_contiguous
    assert found[2].shape == ()


single, scalar = types.float32, types.Array(types.float64, 0, "C")
