"""The adjoint of a Cholesky factorisation in blocks is that of the formula with the inverse."""

import numba
import numpy as np
import pytest

from srcad.runtime import kernels


@pytest.mark.compiled
def test_blocks_give_what_the_formula_gives():
    compiled = numba.njit(lambda g, y: kernels.cholesky_adjoint(g, y))  # noqa: PLW0108 - Numba compiles it
    rng = np.random.default_rng(2)
    for n in (0, 1, 2, 5, 47, 48, 49, 97, 100):
        a, g = rng.normal(size=(n, n)), rng.normal(size=(n, n))
        y = np.linalg.cholesky(a @ a.T + n * np.eye(n))
        expected = kernels.cholesky_adjoint(np.tril(g), y)
        scale = np.max(np.abs(expected), initial=1e-300)
        np.testing.assert_allclose(compiled(g, y) / scale, expected / scale, rtol=1e-9, atol=1e-13)
