"""Eigenvalues and eigenvectors of symmetric matrices in `scipy.linalg`, generalised ones too.

The vectors are those of NumPy, of which SciPy's differ by signs: both call other functions of LAPACK.
"""

import numpy as np
import scipy.linalg

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, inlined, zero
from srcad.runtime.rulebook.theorems import NoRule

NO_TYPE = NoRule("eigh with `type` or `subset_by_value`", "multiply the matrices before the call; use subset_by_index")
NO_SELECTION = NoRule("eigh_tridiagonal with `select`", "leave it out, and take a slice")


@inlined
def _reduced(a, b, lower):
    """The matrix whose eigenvalues are those of a v = w b v, and a factor of b; for no b, the matrix itself."""
    whole = a if lower else np.conjugate(np.swapaxes(a, -1, -2))
    if b is None:
        return whole, None
    if np.ndim(a) != 2 or np.ndim(b) != 2:
        raise NotImplementedError("eigenvalues of stacks of pairs in scipy.linalg have no derivative: call it for each")
    factor = np.linalg.cholesky(b if lower else np.transpose(b))
    symmetric = kernels.scipy.from_triangle(whole, True)
    half = kernels.scipy.triangular_solve(factor, symmetric, True, False)
    return kernels.scipy.triangular_solve(factor, np.transpose(half), True, False), factor


@define(scipy.linalg.eigvalsh)
def eigvalsh(
    a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, subset_by_index=None,
    subset_by_value=None, driver=None
):  # fmt: skip
    if type != 1 or subset_by_value is not None:
        NO_TYPE()
    reduced, _ = _reduced(a, b, lower)
    values = np.linalg.eigvalsh(reduced)
    if subset_by_index is None:
        return values
    return values[..., subset_by_index[0] : subset_by_index[1] + 1]


@define(scipy.linalg.eigh)
def eigh(
    a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
    subset_by_index=None, subset_by_value=None, driver=None
):  # fmt: skip
    if eigvals_only:
        return scipy.linalg.eigvalsh(
            a, b, lower=lower, type=type, subset_by_index=subset_by_index, subset_by_value=subset_by_value
        )
    if type != 1 or subset_by_value is not None:
        NO_TYPE()
    if np.ndim(a) != 2 or np.iscomplexobj(a):
        raise NotImplementedError("the eigenvectors of scipy.linalg.eigh have a derivative for one real matrix")
    reduced, factor = _reduced(a, b, lower)
    values, vectors = np.linalg.eigh(reduced)
    if factor is not None:
        vectors = kernels.scipy.triangular_solve(factor, vectors, True, True)
    if subset_by_index is not None:
        values = values[subset_by_index[0] : subset_by_index[1] + 1]
        vectors = vectors[:, subset_by_index[0] : subset_by_index[1] + 1]
    return values, vectors * kernels.scipy.signs_of_eigenvectors(vectors, a, b, lower, subset_by_index, driver)


@define(scipy.linalg.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal(d, e, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"):
    if select != "a":
        NO_SELECTION()
    return np.linalg.eigvalsh(np.diag(d) + np.diag(e, -1))


@define(scipy.linalg.eigh_tridiagonal)
def eigh_tridiagonal(
    d, e, eigvals_only=False, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"
):
    if select != "a":
        NO_SELECTION()
    whole = np.diag(d) + np.diag(e, -1)
    if eigvals_only:
        return np.linalg.eigvalsh(whole)
    values, vectors = np.linalg.eigh(whole)
    return values, vectors * kernels.scipy.signs_of_tridiagonal_eigenvectors(vectors, d, e)


zero(kernels.scipy.signs_of_eigenvectors, kernels.scipy.signs_of_tridiagonal_eigenvectors)
