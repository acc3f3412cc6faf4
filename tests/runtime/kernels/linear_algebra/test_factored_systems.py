"""Systems from factors, block by block, as plain Python."""

import numpy as np
import pytest

from srcad.runtime.kernels.linear_algebra import factored_systems
from srcad.runtime.kernels.linear_algebra.closed_forms import store_closed_form


def packed(n, order):
    """Factors as `lu_factors` packs them, and their matrix."""
    rng = np.random.default_rng(n)
    lower = np.tril(rng.normal(size=(n, n)) / n, -1) + np.eye(n)
    upper = np.triu(rng.normal(size=(n, n)) / n, 1) + np.diag(1.0 + rng.random(n))
    rows = np.arange(n)
    for k, p in enumerate(order):
        rows[[k, p]] = rows[[p, k]]
    a = np.empty((n, n))
    a[rows] = lower @ upper
    return np.vstack(((lower + upper - np.eye(n)).T, order)), a


@pytest.mark.parametrize("n", [1, 5, 32, 40])
def test_columns_of_any_number_for_the_matrix_and_its_transpose(n):
    rng = np.random.default_rng(1)
    factors, a = packed(n, [rng.integers(k, n) for k in range(n)])
    lower = np.vstack((np.tril(a + 3.0 * np.eye(n)).T, np.where(np.arange(n) == 0, -1, np.arange(n))))
    for columns in (0, 1, 4, 6):
        b = rng.normal(size=(n, columns))
        for packed_factors, matrix in ((factors, a), (lower, np.tril(a + 3.0 * np.eye(n)))):
            x, y = b.copy(), b.copy()
            factored_systems.solve_columns(packed_factors, x, False)
            factored_systems.solve_columns(packed_factors, y, True)
            np.testing.assert_allclose(matrix @ x, b, atol=1e-12)
            np.testing.assert_allclose(matrix.T @ y, b, atol=1e-12)


def test_an_inverse_in_place_of_factors():
    a, b = np.array([[2.0, 1.0, 0.5], [0.0, 4.0, 1.0], [1.0, 0.0, 3.0]]), np.arange(6.0).reshape(3, 2)
    for m in (a, a[:2, :2].copy()):
        factors, right = np.empty((len(m) + 1, len(m))), b[: len(m)]
        assert store_closed_form(factors, m)
        assert factored_systems.is_inverse(factors)
        factored_systems.refuse_singular(factors)
        for is_turned, matrix in ((False, m), (True, m.T)):
            x = right.copy()
            factored_systems.solve_columns(factors, x, is_turned)
            np.testing.assert_allclose(matrix @ x, right, atol=1e-14)


def test_singular_and_oblong_matrices_are_refused():
    for factors in (np.zeros((3, 2)), np.ones((3, 3))):
        with pytest.raises(np.linalg.LinAlgError):
            factored_systems.refuse_singular(factors)
