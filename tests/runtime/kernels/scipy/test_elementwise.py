"""Kernels of numbers on numbers and arrays, in Python and compiled."""

import numba
import numpy as np
import pytest

from srcad.runtime import kernels

k = kernels.scipy


def test_short_arrays_run_as_python_and_give_what_numbers_give():
    x = np.array([0.5, 1.5, 30.0])
    np.testing.assert_array_equal(k.polygamma(1, x), [k.polygamma(1, each) for each in x])
    assert k.gamma_density(x[:, None], x).shape == (3, 3)
    assert k.polygamma(1, x.astype(np.float32)).dtype == np.float32
    assert isinstance(k.polygamma(1, 0.5), np.float64)


@numba.njit
def compiled(a, x):
    return k.gammainc_slope(a, x), k.polygamma(1, x), k.betainc_slope_b(a, 2.0, 0.25), k.ive_slope(a, x)


@pytest.mark.compiled
@pytest.mark.parametrize("a", [0.7, np.array([[0.7], [30.0]])], ids=["number", "array"])
def test_compiled_kernels_give_what_python_gives(a):
    x = np.array([0.5, 3.5, 40.0])
    given = (a, x) if np.ndim(a) else (a, 3.5)
    expected = [f(*each) for f, each in (
        (k.gammainc_slope, given), (k.polygamma, (1, given[1])),
        (k.betainc_slope_b, (a, 2.0, 0.25)), (k.ive_slope, given),
    )]  # fmt: skip
    for one, other in zip(compiled(*given), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize(
    ("a", "x", "slope", "bend"),
    [
        (0.5638414621353149, 1.7735481818114547, -0.185487112640254, -0.203458989364943),
        (1.323303976910626, 2.3744640164304895, -0.205889460070425, -0.118484500398268),
        (0.08986755694526107, 4.711626380358376, -0.00234796305595389, -0.00901614043086397),
    ],
)
def test_a_fraction_ends_where_rounding_keeps_its_derivatives_from_settling(a, x, slope, bend):
    """The values are those of mpmath."""
    np.testing.assert_allclose((k.gammainc_slope(a, x), k.gammainc_bend(a, x)), (slope, bend), rtol=1e-13)


@pytest.mark.compiled
def test_long_arrays_are_compiled_and_give_the_same():
    x = np.linspace(0.1, 20.0, 200)
    np.testing.assert_allclose(k.erfcx_derivative(1, x), [k.erfcx_derivative(1, each) for each in x], rtol=1e-13)


@pytest.mark.parametrize("name", [each for each in k.__all__ if hasattr(getattr(k, each), "__wrapped__")])
@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf, 1e300])
def test_kernels_end_for_all_numbers(name, x):
    function = k.__dict__[name]
    parameters = function.__wrapped__.__code__.co_varnames[: function.__wrapped__.__code__.co_argcount]
    with np.errstate(all="ignore"):
        found = function(*[2 if each == "n" else x for each in parameters])
    assert isinstance(found, np.floating)


@numba.njit
def chosen(condition, x):
    return k.choose(condition, x, 2.0)


@pytest.mark.compiled
def test_a_choice_of_numbers_is_a_number():
    assert chosen(True, 1.0) == 1.0
    np.testing.assert_array_equal(chosen(np.array([True, False]), np.array([1.0, 3.0])), [1.0, 2.0])
