"""Convolutions and cross products, compiled, are those of NumPy."""

import itertools

import numpy as np
import pytest
from numba import njit

from srcad.runtime import kernels
from srcad.runtime.jit.fast_compiler_pipeline import Quick

MODES = ("full", "same", "valid")
HAS_PLANE_VECTORS = np.lib.NumpyVersion(np.__version__) < "2.5.0"
of_plane_vectors = pytest.mark.skipif(
    not HAS_PLANE_VECTORS, reason="NumPy 2.5 has cross products of vectors of three components alone"
)


@njit(pipeline_class=Quick)
def convolutions(a, v):
    return np.convolve(a, v), np.convolve(a, v, "same"), np.convolve(a, v, "valid")


@njit(pipeline_class=Quick)
def adjoints(g, other, like):
    return (
        kernels.convolve_adjoint(g[0], other, like, "full"),
        kernels.convolve_adjoint(g[1], other, like, "same"),
        kernels.convolve_adjoint(g[2], other, like, "valid"),
    )


@njit(pipeline_class=Quick)
def convolution(a, v):
    return np.convolve(a, v)


@njit(pipeline_class=Quick)
def cross(a, b):
    return np.cross(a, b)


@pytest.mark.compiled
def test_convolutions_and_their_adjoints():
    rng = np.random.default_rng(0)
    for n, m in itertools.product(range(1, 11), repeat=2):
        a, v = rng.normal(size=n), rng.normal(size=m)
        expected = [np.convolve(a, v, mode) for mode in MODES]
        for found, wanted in zip(convolutions(a, v), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
        g = tuple(rng.normal(size=each.size) for each in expected)
        for found, each, mode in zip(adjoints(g, v, a), g, MODES, strict=True):
            direction = rng.normal(size=n)
            np.testing.assert_allclose(
                found @ direction, each @ np.convolve(direction, v, mode), rtol=1e-10, atol=1e-12
            )
    a, v = np.arange(9.0)[::-2], np.array([1.0, 2j])  # another type and layout
    np.testing.assert_allclose(convolution(a, v), np.convolve(a, v))
    with pytest.raises(ValueError, match="empty"):
        convolutions(np.zeros(0), np.ones(1))


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
@pytest.mark.parametrize(
    "shapes",
    [((3,), (3,)), ((4, 3), (1, 3)), pytest.param(((4, 3), (1, 2)), marks=of_plane_vectors), ((0, 3), (1, 3))],
)
def test_cross_products(shapes):
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=each) for each in shapes)
    for one, two in ((a, b), (b, a)):
        np.testing.assert_allclose(cross(one, two), np.cross(one, two), rtol=1e-13)


@of_plane_vectors
@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
def test_a_component_that_is_not_there_is_zero_also_beside_infinity():
    a, b = np.array([1.0, np.inf]), np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(cross(a, b), np.cross(a, b))
    with pytest.raises(ValueError, match="components"):
        cross(a, a)
