"""Systems of 2 and 3 rows: as accurate as LAPACK, also of matrices that are close to singular or triangular."""

import functools
from fractions import Fraction

import numba
import numpy as np
import pytest

from srcad.runtime import kernels

small = kernels.small


def cofactors(a):
    """The exact cofactors."""
    n, exact = len(a), [[Fraction(float(each)) for each in row] for row in a]

    def minor(i, j):
        rest = [[exact[r][c] for c in range(n) if c != j] for r in range(n) if r != i]
        return rest[0][0] if n == 2 else rest[0][0] * rest[1][1] - rest[0][1] * rest[1][0]

    return np.array([[float((-1) ** (i + j) * minor(i, j)) for j in range(n)] for i in range(n)])


@functools.cache
def compiled(n):
    @numba.njit(error_model="numpy")
    def determinants(a):
        factors, found = np.empty((n + 1, n)), np.empty((n, n))
        small.lu_factors_into(factors, a, n)
        whole = small.determinant_factored(a, factors, n)
        small.cofactors_factored_into(found, a, factors, whole, n)
        return whole, found

    @numba.njit(error_model="numpy")
    def solutions(a, b):
        factors, x, y, inverse, columns = (
            np.empty((n + 1, n)),
            np.empty(n),
            np.empty(n),
            np.empty((n, n)),
            np.empty((n, n)),
        )
        small.lu_factors_into(factors, a, n)
        small.solve_factored_into(x, a, factors, b, n, 1)
        small.solve_factored_transposed_into(y, a, factors, b, n, 1)
        small.inverse_factored_into(inverse, a, factors, n)
        small.solve_factored_into(columns, a, factors, a, n, n)
        return x, y, inverse, columns

    return determinants, solutions


def matrices(n):
    """Regular ones: any, close to singular, triangular on either side, with a small column."""
    rng = np.random.default_rng(n)
    for _ in range(40):
        a = rng.normal(size=(n, n))
        close = a.copy()
        close[-1] = close[0] * (1.0 + 1e-7 * rng.normal(size=n))
        yield from (a, close, np.tril(a), np.triu(a), a * [1e-9, *[1.0] * (n - 1)], a[::-1])


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("n", [2, 3])
def test_as_accurate_as_lapack(n):
    determinants, solutions = compiled(n)
    b = np.arange(1.0, n + 1.0)
    for a in matrices(n):
        whole, found = determinants(a)
        exact = cofactors(a)
        np.testing.assert_allclose(found, exact, rtol=0.0, atol=2e-14 * np.max(np.abs(exact)))
        assert abs(whole - a[0] @ exact[0]) <= 1e-14 * np.sum(np.abs(a[0] * exact[0])) * np.linalg.cond(a)
        bound = 3e-15 * np.linalg.cond(a)
        x, y, inverse, columns = solutions(a, b)
        expected = np.linalg.solve(a, b), np.linalg.solve(a.T, b), np.linalg.inv(a), np.eye(n)
        for one, other in zip((x, y, inverse, columns), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=0.0, atol=bound * np.max(np.abs(other)))


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("n", [2, 3])
def test_a_singular_matrix_has_cofactors_and_no_solution(n):
    determinants, solutions = compiled(n)
    a = np.arange(1.0, n * n + 1.0).reshape(n, n)
    a[1] = 2.0 * a[0]
    whole, found = determinants(a)
    assert whole == 0.0
    np.testing.assert_allclose(found, cofactors(a), rtol=0.0, atol=1e-13)
    with pytest.raises(np.linalg.LinAlgError):
        solutions(a, np.ones(n))
    assert np.all(determinants(np.zeros((n, n)))[1] == 0.0)
    assert np.isnan(determinants(np.full((n, n), np.nan))[0])


def test_as_they_stand():
    a, b = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([1.0, 4.0])
    factors, x, inverse = np.empty((3, 2)), np.empty(2), np.empty((2, 2))
    small.lu_factors_into(factors, a, 2)
    small.solve_factored_into(x, a, factors, b, 2, 1)
    np.testing.assert_allclose(a @ x, b)
    small.solve_factored_transposed_into(x, a, factors, b, 2, 1)
    np.testing.assert_allclose(a.T @ x, b)
    small.inverse_factored_into(inverse, a, factors, 2)
    np.testing.assert_allclose(a @ inverse, np.eye(2), atol=1e-15)
    small.cofactors_factored_into(inverse, a, factors, 5.0, 2)
    np.testing.assert_allclose(inverse, cofactors(a))
    assert small.determinant_factored(a, factors, 2) == pytest.approx(5.0)
