"""Sparse systems of equations, by SuperLU: `A @ y = b`, with A given by its elements and their places."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import objmode, types
from numba.extending import overload

from srcad.errors import NoSolution


def sparse_solve(values: Any, rows: Any, columns: Any, b: Any) -> Any:
    """The solution of a system with a vector, or the columns of a matrix, at the right. Raises NoSolution.

    >>> sparse_solve(np.array([2.0, 4.0]), np.array([0, 1]), np.array([0, 1]), np.array([1.0, 1.0]))
    array([0.5 , 0.25])
    """
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    size = b.shape[0]
    matrix = csc_array((values, (rows, columns)), shape=(size, size))
    try:
        found = splu(matrix).solve(np.asarray(b, dtype=np.float64))
    except RuntimeError:
        raise _singular() from None
    if not np.isfinite(found).all() and np.isfinite(matrix.data).all() and np.isfinite(b).all():
        raise _singular()
    return np.ascontiguousarray(found)


def _singular() -> NoSolution:
    return NoSolution(
        "a sparse system of equations has a singular matrix", None, "solve a system whose matrix is regular"
    )


@overload(sparse_solve)
def _overload_sparse_solve(values, rows, columns, b):
    solve = _of_vector if b.ndim == 1 else _of_matrix
    return lambda values, rows, columns, b: solve(values, rows, columns, b)


def _in_object_mode(kind: Any) -> Any:
    """The function for compiled code, with a result of this type.

    It is defined in no module: `jit.library_types` takes those of srcad's modules to need no code before they are
    called, and Numba finds the type of a function in object mode only by compiling it.
    """
    text = "def solve(values, rows, columns, b):\n    with objmode(found=kind):\n"
    text += "        found = sparse_solve(values, rows, columns, b)\n    return found\n"
    namespace = {"objmode": objmode, "kind": kind, "sparse_solve": sparse_solve}
    exec(text, namespace)
    return numba.njit(namespace["solve"])


_of_vector, _of_matrix = _in_object_mode(types.float64[::1]), _in_object_mode(types.float64[:, ::1])


def sparse_product(values: Any, rows: Any, columns: Any, x: Any, size: int) -> Any:
    """The product of a sparse matrix of `size` rows and a vector or a matrix.

    >>> sparse_product(np.array([2.0, 3.0]), np.array([0, 0]), np.array([0, 1]), np.array([1.0, 1.0]), 2)
    array([5., 0.])
    """
    if x.ndim == 1:
        return np.bincount(rows, values * x[columns], size)
    found = np.zeros((size, *x.shape[1:]))
    np.add.at(found, rows, values.reshape(-1, *[1] * (x.ndim - 1)) * x[columns])
    return found


@overload(sparse_product)
def _overload_sparse_product(values, rows, columns, x, size):
    def of_vector(values, rows, columns, x, size):
        found = np.zeros(size)
        for k in range(values.shape[0]):
            found[rows[k]] += values[k] * x[columns[k]]
        return found

    def of_matrix(values, rows, columns, x, size):
        found = np.zeros((size, x.shape[1]))
        for k in range(values.shape[0]):
            for j in range(x.shape[1]):
                found[rows[k], j] += values[k] * x[columns[k], j]
        return found

    return of_vector if x.ndim == 1 else of_matrix


def products_at(a: Any, i: Any, b: Any, j: Any) -> Any:
    """The elements of the outer product of two vectors, or of `a @ b.T`, at some places.

    >>> products_at(np.array([2.0, 3.0]), np.array([1]), np.array([5.0, 7.0]), np.array([0]))
    array([15.])
    """
    found = a[i] * b[j]
    return found if found.ndim == 1 else np.sum(found, axis=tuple(range(1, found.ndim)))


@overload(products_at)
def _overload_products_at(a, i, b, j):
    def of_vectors(a, i, b, j):
        found = np.empty(i.shape[0])
        for k in range(i.shape[0]):
            found[k] = a[i[k]] * b[j[k]]
        return found

    def of_matrices(a, i, b, j):
        found = np.zeros(i.shape[0])
        for k in range(i.shape[0]):
            for m in range(a.shape[1]):
                found[k] += a[i[k], m] * b[j[k], m]
        return found

    return of_vectors if a.ndim == 1 else of_matrices


def apart_by_iteration(
    method: str, values: Any, rows: Any, columns: Any, b: Any, x: Any, rtol: float, atol: float, restart: int, most: int
) -> Any:
    """By how much the solution that an iteration of SciPy finds differs from the exact one. Not compiled."""
    import scipy.sparse.linalg
    from scipy.sparse import csr_array

    matrix = csr_array((values, (rows, columns)), shape=(b.shape[0], b.shape[0]))
    options: dict[str, Any] = {"rtol": rtol, "atol": atol, "maxiter": None if most < 0 else most}
    if restart >= 0:
        options["restart"] = restart
    found, told = getattr(scipy.sparse.linalg, method)(matrix, b, **options)
    if told != 0:
        raise NoSolution(
            f"`{method}` has not converged (info is {told}), so that there is no derivative",
            None,
            "allow more iterations, or use spsolve",
        )
    return found - x
