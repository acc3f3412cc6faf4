"""Adjoints of extremes along axes: ties, numbers that are not finite, in place."""

import numpy as np
import pytest

import srcad
from srcad.runtime import kernels


def extremes(x, w):
    shifted = x - np.max(x, axis=1, keepdims=True)
    least = np.min(x * x, axis=1)
    return (
        np.sum(np.exp(shifted) * w) + np.sum(np.sin(least)) + np.sum(np.max(x * w, axis=-1) * np.max(x, axis=0).sum())
    )


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_adjoints_are_those_of_numpy():
    compiled, plain = (srcad.grad(extremes, wrt=(0, 1), jit=jit) for jit in (True, False))
    rng = np.random.default_rng(3)
    strange = rng.normal(size=(5, 3))
    strange[0, 0] = np.nan
    for x in (rng.normal(size=(3, 4)), np.round(rng.normal(size=(5, 3))), np.ones((4, 1)), strange):
        w = rng.normal(size=x.shape)
        for one, other in zip(compiled(x, w), plain(x, w), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10)


def test_equal_elements_have_equal_shares_of_what_is_added():
    total, a = np.ones((2, 3)), np.array([[2.0, 2.0, 1.0], [0.0, 5.0, 4.0]])
    kernels.add_extremum(total, np.array([4.0, 3.0]), np.array([2.0, 5.0]), a, 1)
    np.testing.assert_array_equal(total, [[3.0, 3.0, 1.0], [1.0, 4.0, 1.0]])
