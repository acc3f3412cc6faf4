"""Sparse Jacobians from groups of columns, against dense ones."""

import numpy as np
import pytest

import srcad
from srcad.bridges.scipy import least_squares, solve_ivp
from srcad.bridges.sparse_jacobian import SparseJacobian
from srcad.sparse.plans import Plan

scipy_sparse = pytest.importorskip("scipy.sparse")


@pytest.mark.parametrize("density", [0.0, 0.05, 0.3, 1.0])
def test_a_matrix_is_found_again_from_products(density):
    rng = np.random.default_rng(int(100 * density))
    matrix = rng.normal(size=(12, 9)) * (rng.uniform(size=(12, 9)) < density)
    found = SparseJacobian(matrix != 0.0, lambda x, direction: x * (matrix @ direction), 9)(2.0)
    assert scipy_sparse.issparse(found)
    assert np.allclose(found.toarray(), 2.0 * matrix, rtol=1e-14)


@pytest.mark.parametrize("place", [(0, 5), (3, 1), (5, 0)])
def test_a_pattern_that_lacks_an_entry_is_refused(place):
    matrix = np.diag(np.arange(1.0, 7.0))
    pattern = matrix.copy()
    matrix[place] = 1e-3
    with pytest.raises(srcad.BadArgument, match="jac_sparsity"):
        SparseJacobian(pattern, lambda x, direction: matrix @ direction, 6)(None)


def test_a_pattern_is_found_and_extended():
    matrix = np.diag(np.arange(1.0, 7.0))
    other = matrix.copy()
    other[3, 1] = 2.0
    found = SparseJacobian("find", lambda x, direction: x @ direction, 6)
    for each in (matrix, other, matrix):
        np.testing.assert_array_equal(found(each).toarray(), each)
    assert found(matrix).nnz == 7


def test_a_plan_is_taken_and_other_texts_are_refused():
    row = np.eye(9)
    row[0] = 1.0
    for plan in (Plan.of(row), Plan.of(row, ("columns", "rows"))):
        found = SparseJacobian(plan, lambda x, direction: row @ direction, 9)(None)
        np.testing.assert_array_equal(found.toarray(), row)
    with pytest.raises(srcad.BadArgument, match="jac_sparsity"):
        SparseJacobian("yes", lambda x, direction: direction, 9)


def chain(p, x):
    return np.concatenate((p[1:] - p[:-1] ** 2 - x[1:], p[:1] - x[0]))


def decay(t, y):
    return np.concatenate((-100.0 * y[:1], y[:-1] - y[1:] ** 2))


def test_solvers_find_the_pattern():
    x = np.linspace(0.1, 0.4, 8)
    found = least_squares(chain, np.full(8, 0.5), args=(x,), jac_sparsity="find", tr_solver="lsmr", jit=False)
    assert scipy_sparse.issparse(found.jac)
    assert np.abs(chain(found.x, x)).max() < 1e-8
    one, two = (
        solve_ivp(decay, (0.0, 0.3), np.ones(5), "BDF", jac_sparsity=each, rtol=1e-8, atol=1e-10, jit=False).y[:, -1]
        for each in ("find", None)
    )
    np.testing.assert_allclose(one, two, rtol=1e-7)
