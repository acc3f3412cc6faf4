"""Masks of several axes are indexed by the places of their true elements, compiled."""

import warnings

import numpy as np
import pytest

import srcad
from srcad.printing.printer import print_function
from srcad.runtime import kernels
from srcad.tools.type_signatures import parse_signature
from srcad.transforms.normalise.mask_places import with_mask_places
from tests.differences import directional_derivative
from tests.transforms.core_text import unit_of

POINT = np.random.default_rng(0).random((3, 4)) - 0.4
WAY = np.random.default_rng(1).normal(size=(3, 4))


def written_and_read(x):
    y = x.copy()
    m = y > 0.1
    z = y[m]
    y[m] = z * z + np.sum(z)
    y[~m] = 0.25
    y[y > 1.0] *= 3.0
    return np.sum(y**2) + np.sum(x[x < 0.0] ** 3)


def of_leading_axes(x):
    y = np.zeros((3, 4, 2)) + x[:, :, None]
    y[x > 0.2] = 0.5
    return np.sum(y[x < 0.1] ** 2) + np.sum(y**3)


def of_nothing(x):
    y = x.copy()
    y[y > 9.0] = y[y > 9.0] ** 2
    return np.sum(y**2)


FUNCTIONS = [written_and_read, of_leading_axes, of_nothing]


@pytest.mark.compiled
@pytest.mark.parametrize("function", FUNCTIONS)
def test_they_are_compiled_and_derivatives_are_differences(function):
    expected, error = directional_derivative(lambda step: function(POINT + step * WAY), 1e-5)
    assert error < 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("error", srcad.PerformanceWarning)
        assert srcad.function(function)(POINT) == pytest.approx(function(POINT), rel=1e-13)
        value, gradient = srcad.value_and_grad(function)(POINT)
        assert value == pytest.approx(function(POINT), rel=1e-13)
        assert np.sum(gradient * WAY) == pytest.approx(expected, abs=1e-6)
        assert srcad.jvp(function, (POINT,), (WAY,))[1] == pytest.approx(expected, abs=1e-6)


@pytest.mark.compiled
def test_a_mask_of_another_shape_is_an_error_as_in_numpy():
    def part(x):
        return np.sum(x[x[:2] > 0.0])

    for call in (part, srcad.function(part), srcad.grad(part)):
        with pytest.raises(IndexError):
            call(POINT)


def test_reads_and_stores_are_by_places():
    unit = unit_of("def f(x, m):\n    y = np.copy(x)\n    t = y[m]\n    y[m] = t\n    return t\n")
    found = with_mask_places(unit, parse_signature("f8[:, ::1], b1[:, ::1]"))
    assert "m_places = kernels.mask_places(y, m)" in print_function(found.tree)
    assert "y[m]" not in print_function(found.tree)


@pytest.mark.parametrize("signature", ["f8[:, ::1], b1[::1]", "f8[:, ::1], i8[::1]", "f8[:, ::1], i8"])
def test_other_subscripts_stay(signature):
    unit = unit_of("def f(x, m):\n    t = x[m]\n    return t\n")
    assert with_mask_places(unit, parse_signature(signature)) is None


def test_the_places_are_those_of_numpy():
    mask = POINT > 0.0
    assert all(np.array_equal(*each) for each in zip(kernels.mask_places(POINT, mask), np.nonzero(mask), strict=True))
    with pytest.raises(IndexError, match="shape of the mask"):
        kernels.mask_places(POINT, mask[:2])
