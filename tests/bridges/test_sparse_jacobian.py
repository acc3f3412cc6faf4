"""Sparse Jacobians from groups of columns, against dense ones."""

import numpy as np
import pytest

import srcad
from srcad.bridges.sparse_jacobian import SparseJacobian

scipy_sparse = pytest.importorskip("scipy.sparse")


@pytest.mark.parametrize("density", [0.0, 0.05, 0.3, 1.0])
def test_a_matrix_is_found_again_from_products(density):
    rng = np.random.default_rng(int(100 * density))
    matrix = rng.normal(size=(12, 9)) * (rng.uniform(size=(12, 9)) < density)
    found = SparseJacobian(matrix != 0.0, lambda x, direction: x * (matrix @ direction))(2.0)
    assert scipy_sparse.issparse(found)
    assert np.allclose(found.toarray(), 2.0 * matrix, rtol=1e-14)


@pytest.mark.parametrize("place", [(0, 5), (3, 1), (5, 0)])
def test_a_pattern_that_lacks_an_entry_is_refused(place):
    matrix = np.diag(np.arange(1.0, 7.0))
    pattern = matrix.copy()
    matrix[place] = 1e-3
    with pytest.raises(srcad.BadArgument, match="jac_sparsity"):
        SparseJacobian(pattern, lambda x, direction: matrix @ direction)(None)
