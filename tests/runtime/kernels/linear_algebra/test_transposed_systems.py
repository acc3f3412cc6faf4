"""Systems with a transposed matrix: triangular ones, others, and their derivatives."""

import numba
import numpy as np
import pytest

import srcad
from srcad.runtime import kernels
from tests.checking import assert_gradient


@pytest.mark.nightly
@pytest.mark.compiled
def test_triangular_matrices_and_others():
    compiled = numba.njit(lambda a, b: kernels.solve_transposed(a, b))  # noqa: PLW0108 - Numba compiles it
    rng = np.random.default_rng(2)
    for n in (1, 2, 5):
        a, b = rng.normal(size=(n, n)) + 4.0 * np.eye(n), rng.normal(size=n)
        nearly = np.tril(a)
        nearly[0, -1] = 1e-9
        for matrix in (a, np.tril(a), np.triu(a), np.diag(np.diag(a)), nearly):
            np.testing.assert_allclose(compiled(matrix, b), np.linalg.solve(matrix.T, b), rtol=1e-12)
        with pytest.raises(np.linalg.LinAlgError):
            compiled(np.tril(a, -1), b)
    strange = np.tril(np.ones((3, 3)))
    strange[0, 2] = np.nan
    with pytest.raises(np.linalg.LinAlgError):  # as Numba has it for any matrix
        compiled(strange, np.ones(3))
    with pytest.raises(ValueError, match=r"[Ii]ncompatible|broadcast|dimension"):
        compiled(np.eye(3), np.ones(2))


def solved(a, b):
    return np.sum(np.sin(np.linalg.solve(a, b)))


def test_gradients_and_second_derivatives_with_triangular_matrices():
    rng = np.random.default_rng(3)
    a, b = np.tril(rng.normal(size=(3, 3))) + 3.0 * np.eye(3), rng.normal(size=3)
    assert_gradient(solved, a, b, modes=("loops", "tangent", "second"))
    with srcad.GradientTape() as tape:
        watched = srcad.Variable(b)
        value = solved(a, watched)
    np.testing.assert_allclose(tape.gradient(value, watched), srcad.grad(solved, wrt=1, jit=False)(a, b), rtol=1e-10)
