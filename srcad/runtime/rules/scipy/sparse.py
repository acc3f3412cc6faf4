"""Definitions of sparse matrices of `scipy.sparse`: their elements and places are arrays, their operations loops.

A matrix of any format is held by its elements, one after the other, with their rows and columns; elements with the same
place add up. Places are integers, by which there is no derivative. Systems of equations are solved by SuperLU, and
differentiated by  dy = A^-1 (db - dA y).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, inlined, tangent, zero
from srcad.runtime.rulebook.stand_ins import stands_for
from srcad.runtime.rulebook.theorems import NoRule

NO_PRODUCT = NoRule(
    "a product of sparse matrices, or a sum with what is not sparse", "multiply with vectors one after the other"
)
NO_STAR = NoRule("`*` of a sparse matrix, which may mean two things", "write `A @ x`, or `k * A` with a number first")
NO_INDEX = NoRule("a sparse matrix at several places, or by a mask", "use toarray(), or numbers and slices")
NO_VECTOR = NoRule("a sparse vector", "take rows and columns by slices, `A[i : i + 1]`, or of a csr_matrix")
_OUT_OF_RANGE = "index out of range of a sparse matrix"
_ELEMENTS = "scipy.sparse: a sparse matrix times an array, element by element: multiply its values by the array"
NO_MATRIX = NoRule("a result of class np.matrix", "use csr_array, diags_array and their like, whose results are arrays")
NO_FORM = NoRule("a sparse matrix made from a dense one, or from nothing", "pass elements and their places")
NO_DENSE_SYSTEM = NoRule("an iteration with a dense matrix or an operator", "use np.linalg.solve, or a sparse matrix")
NO_ITERATION_OPTION = NoRule("an iteration with `x0` or `M`", "leave it out: it has no influence on the derivative")
NO_SHAPE = NoRule("a sparse matrix in coordinates without a shape", "pass `shape`")


@adjoint(kernels.scipy.sparse_solve)
def sparse_solve(y, values, rows, columns, b):
    w = kernels.scipy.sparse_solve(values, columns, rows, d[y])
    d[b] = w
    d[values] = -kernels.scipy.products_at(w, rows, y, columns)


@tangent(kernels.scipy.sparse_solve)
def sparse_solve_tangent(y, values, rows, columns, b):
    d[y] = kernels.scipy.sparse_solve(values, rows, columns, d[b]) - kernels.scipy.sparse_solve(
        values, rows, columns, kernels.scipy.sparse_product(d[values], rows, columns, y, b.shape[0])
    )


@adjoint(kernels.scipy.sparse_product)
def sparse_product(y, values, rows, columns, x, size):
    d[values] = kernels.scipy.products_at(d[y], rows, x, columns)
    d[x] = kernels.scipy.sparse_product(values, columns, rows, d[y], x.shape[0])


@tangent(kernels.scipy.sparse_product)
def sparse_product_tangent(y, values, rows, columns, x, size):
    d[y] = kernels.scipy.sparse_product(d[values], rows, columns, x, size) + kernels.scipy.sparse_product(
        values, rows, columns, d[x], size
    )


@adjoint(kernels.scipy.products_at)
def products_at(y, a, i, b, j):
    d[a] = kernels.scipy.sparse_product(d[y], i, j, b, a.shape[0])
    d[b] = kernels.scipy.sparse_product(d[y], j, i, a, b.shape[0])


@tangent(kernels.scipy.products_at)
def products_at_tangent(y, a, i, b, j):
    d[y] = kernels.scipy.products_at(d[a], i, b, j) + kernels.scipy.products_at(a, i, d[b], j)


@inlined
class Sparse:
    """A sparse matrix. `is_matrix`: whether `*` is the product of matrices, as of `csr_matrix`."""

    def __init__(self, values, rows, columns, shape, is_matrix):
        self.values = values
        self.rows = rows
        self.columns = columns
        self.shape = shape
        self.is_matrix = is_matrix
        self.nnz = np.size(values)
        self.ndim = 2

    @property
    def T(self):
        """The transpose."""
        return Sparse(self.values, self.columns, self.rows, (self.shape[1], self.shape[0]), self.is_matrix)

    def transpose(self):
        """The transpose."""
        return self.T

    def tocsr(self, copy=False):
        """The same matrix: all formats are one here."""
        return self

    def tocsc(self, copy=False):
        """The same matrix."""
        return self

    def tocoo(self, copy=False):
        """The same matrix."""
        return self

    def asformat(self, format, copy=False):
        """The same matrix."""
        return self

    def copy(self):
        """A copy of the matrix."""
        return Sparse(np.copy(self.values), self.rows, self.columns, self.shape, self.is_matrix)

    def dot(self, x):
        """The product with a vector or a matrix."""
        return self @ x

    def __matmul__(self, x):
        if isinstance(x, Sparse):
            NO_PRODUCT()
        return kernels.scipy.sparse_product(self.values, self.rows, self.columns, np.asarray(x), self.shape[0])

    def __rmatmul__(self, x):
        return np.transpose(self.T @ np.transpose(x))

    def __mul__(self, x):
        if isinstance(x, Sparse):
            NO_PRODUCT()
        if self.is_matrix:
            NO_STAR()
        return self.multiply(x)

    def __rmul__(self, x):
        return self.times(x) if self.is_matrix else self.multiply(x)

    def times(self, x):
        """A multiple."""
        if np.ndim(x) > 0:
            raise NotImplementedError(_ELEMENTS)
        return Sparse(self.values * x, self.rows, self.columns, self.shape, self.is_matrix)

    def multiply(self, other):
        """The product element by element with a number, or an array that is repeated along rows or columns."""
        if isinstance(other, Sparse):
            NO_PRODUCT()
        factors = _factors(np.asarray(other), self.rows, self.columns, self.shape)
        return Sparse(self.values * factors, self.rows, self.columns, self.shape, self.is_matrix)

    def __getitem__(self, index):
        if isinstance(index, tuple):
            if len(index) != 2:
                NO_INDEX()
            i, j = index[0], index[1]
        else:
            i, j = index, slice(None)
        if not isinstance(i, slice) and not isinstance(j, slice):
            return _elements(self.values, self.rows, self.columns, i, j, self.shape, self.is_matrix)
        if not self.is_matrix and not (isinstance(i, (slice, list)) and isinstance(j, (slice, list))):
            NO_VECTOR()
        return self.part(i, j)

    def part(self, i, j):
        """Some of the rows and columns."""
        rows, columns = _places(i, self.shape[0]), _places(j, self.shape[1])
        found, below = kernels.scipy.elements_at(rows, self.rows)
        kept, beside = kernels.scipy.elements_at(columns, self.columns[found])
        extents = (rows.shape[0], columns.shape[0])
        return Sparse(self.values[found[kept]], below[kept], beside, extents, self.is_matrix)

    def getrow(self, i):
        """A row, as a matrix."""
        return self.part(i, slice(None))

    def getcol(self, j):
        """A column, as a matrix."""
        return self.part(slice(None), j)

    def __truediv__(self, x):
        if np.ndim(x) > 0:
            raise NotImplementedError(_ELEMENTS)
        return Sparse(self.values / x, self.rows, self.columns, self.shape, self.is_matrix)

    def __neg__(self):
        return Sparse(-self.values, self.rows, self.columns, self.shape, self.is_matrix)

    def __add__(self, other):
        if not isinstance(other, Sparse):
            NO_PRODUCT()
        return Sparse(
            np.concatenate((self.values, other.values)),
            np.concatenate((self.rows, other.rows)),
            np.concatenate((self.columns, other.columns)),
            self.shape,
            self.is_matrix,
        )

    def __sub__(self, other):
        return self + (-other)

    def sum(self, axis=None):
        """The sum of all elements, or of the columns or rows."""
        if axis is None:
            return np.sum(self.values)
        if self.is_matrix:
            NO_MATRIX()
        if axis in (0, -2):
            return self.T @ np.ones(self.shape[0])
        return self @ np.ones(self.shape[1])

    def toarray(self):
        """The dense matrix."""
        return self @ np.eye(self.shape[1])

    def todense(self):
        """The dense matrix."""
        if self.is_matrix:
            NO_MATRIX()
        return self.toarray()

    def trace(self):
        """The sum of the main diagonal."""
        return np.sum(self.diagonal())

    def mean(self, axis=None):
        """The mean of all elements, or of the columns or rows."""
        total = self.sum(axis)
        if axis is None:
            return total / (self.shape[0] * self.shape[1])
        return total / (self.shape[0] if axis in (0, -2) else self.shape[1])

    def diagonal(self):
        """The main diagonal."""
        on = self.rows == self.columns
        places = self.rows[on]
        return kernels.scipy.sparse_product(
            self.values[on], places, np.zeros_like(places), np.ones(1), min(self.shape[0], self.shape[1])
        )


@inlined
def _places(index, size):
    """The rows or columns that an index selects."""
    if isinstance(index, slice):
        return np.arange(size)[index]
    places = np.atleast_1d(np.asarray(index))
    if np.any(np.logical_or(places < -size, places >= size)):
        raise IndexError(_OUT_OF_RANGE)
    return np.where(places < 0, places + size, places)


@inlined
def _elements(values, rows, columns, i, j, shape, is_matrix):
    """An element, or several of an array."""
    if np.ndim(i) > 0 or np.ndim(j) > 0:
        if is_matrix:
            raise NotImplementedError("elements of a sparse matrix at several places: use toarray()")
        return kernels.scipy.sparse_product(values, rows, columns, np.eye(shape[1]), shape[0])[i, j]
    if i < -shape[0] or i >= shape[0] or j < -shape[1] or j >= shape[1]:
        raise IndexError(_OUT_OF_RANGE)
    is_there = np.logical_and(rows == i % shape[0], columns == j % shape[1])
    return np.sum(np.where(is_there, values, 0.0))


@inlined
def _factors(x, rows, columns, shape):
    """The elements of an array, repeated to a shape, at places."""
    if np.ndim(x) == 0:
        return x * np.ones(rows.shape[0])
    if np.ndim(x) == 1:
        return np.broadcast_to(x, (shape[1],))[columns]
    return np.reshape(np.copy(np.broadcast_to(x, shape)), (-1,))[rows * shape[1] + columns]


def _coordinates(made):
    return made.tocoo(copy=False)


for _kind in (scipy.sparse.sparray, scipy.sparse.spmatrix):
    stands_for(
        _kind,
        Sparse,
        values=lambda made: np.ascontiguousarray(_coordinates(made).data),
        rows=lambda made: np.asarray(_coordinates(made).row, np.int64),
        columns=lambda made: np.asarray(_coordinates(made).col, np.int64),
        shape=lambda made: tuple(map(int, made.shape)),
        is_matrix=lambda made: isinstance(made, scipy.sparse.spmatrix),
        nnz=lambda made: int(made.nnz),
        ndim=lambda made: int(made.ndim),
    )


@inlined
def _compressed(arg1, shape, by_rows, is_matrix):
    """A matrix from elements, indices and the beginnings of rows or columns; or from elements and coordinates."""
    if isinstance(arg1, Sparse):
        return Sparse(arg1.values, arg1.rows, arg1.columns, arg1.shape, is_matrix)
    if not isinstance(arg1, tuple):
        NO_FORM()
    if len(arg1) == 2:
        if shape is None:
            NO_SHAPE()
        places = arg1[1]
        return Sparse(np.asarray(arg1[0]), np.asarray(places[0]), np.asarray(places[1]), shape, is_matrix)
    data, indices, starts = np.asarray(arg1[0]), np.asarray(arg1[1]), np.asarray(arg1[2])
    outer = np.repeat(np.arange(starts.shape[0] - 1), np.diff(starts))
    if by_rows:
        extents = (starts.shape[0] - 1, np.max(indices) + 1) if shape is None else shape
        return Sparse(data, outer, indices, extents, is_matrix)
    extents = (np.max(indices) + 1, starts.shape[0] - 1) if shape is None else shape
    return Sparse(data, indices, outer, extents, is_matrix)


@define(scipy.sparse.csr_array)
def csr_array(arg1, shape=None, dtype=None, copy=False):
    return _compressed(arg1, shape, True, False)


@define(scipy.sparse.csc_array)
def csc_array(arg1, shape=None, dtype=None, copy=False):
    return _compressed(arg1, shape, False, False)


@define(scipy.sparse.coo_array)
def coo_array(arg1, shape=None, dtype=None, copy=False):
    return _compressed(arg1, shape, True, False)


@define(scipy.sparse.csr_matrix)
def csr_matrix(arg1, shape=None, dtype=None, copy=False):
    return _compressed(arg1, shape, True, True)


@define(scipy.sparse.csc_matrix)
def csc_matrix(arg1, shape=None, dtype=None, copy=False):
    return _compressed(arg1, shape, False, True)


@define(scipy.sparse.coo_matrix)
def coo_matrix(arg1, shape=None, dtype=None, copy=False):
    return _compressed(arg1, shape, True, True)


@inlined
def _of_diagonals(diagonals, offsets, shape, is_matrix):
    """A matrix from its diagonals."""
    if not isinstance(offsets, (tuple, list)):
        offsets = (offsets,)
        diagonals = diagonals if isinstance(diagonals, (tuple, list)) else (diagonals,)
    size = np.size(diagonals[0]) + abs(offsets[0])
    extents = (size, size) if shape is None else shape
    values, rows, columns = [], [], []
    for k in range(len(offsets)):
        offset = offsets[k]
        first, left = max(0, -offset), max(0, offset)
        count = min(extents[0] - first, extents[1] - left)
        values.append(np.asarray(diagonals[k]) * np.ones(count))
        rows.append(first + np.arange(count))
        columns.append(left + np.arange(count))
    return Sparse(np.concatenate(values), np.concatenate(rows), np.concatenate(columns), extents, is_matrix)


@define(scipy.sparse.diags)
def diags(diagonals, offsets=0, shape=None, format=None, dtype=None):
    return _of_diagonals(diagonals, offsets, shape, True)


@define(scipy.sparse.diags_array)
def diags_array(diagonals, *, offsets=0, shape=None, format=None, dtype=None):
    return _of_diagonals(diagonals, offsets, shape, False)


@inlined
def _identity(n, is_matrix):
    return Sparse(np.ones(n), np.arange(n), np.arange(n), (n, n), is_matrix)


@define(scipy.sparse.identity)
def identity(n, dtype="d", format=None):
    return _identity(n, True)


@define(scipy.sparse.eye)
def eye(m, n=None, k=0, dtype=float, format=None):
    if n is not None or k != 0:
        NO_FORM()
    return _identity(m, True)


@define(scipy.sparse.eye_array)
def eye_array(m, n=None, *, k=0, dtype=float, format=None):
    if n is not None or k != 0:
        NO_FORM()
    return _identity(m, False)


@inlined
def _solved(matrix, b):
    """The solution of a system of real equations."""
    if np.iscomplexobj(matrix.values) or np.iscomplexobj(b):
        raise NotImplementedError("a sparse system of complex equations: solve it for real and imaginary parts")
    return kernels.scipy.sparse_solve(matrix.values, matrix.rows, matrix.columns, b)


@inlined
class Factor:
    """The factors of a sparse matrix."""

    def __init__(self, matrix):
        self.matrix = matrix

    def solve(self, b, trans="N"):
        """The solution of the system, or of the transposed one."""
        matrix = self.matrix if trans == "N" else self.matrix.T
        return _solved(matrix, np.asarray(b))

    def __call__(self, b):
        """The solution of the system."""
        return self.solve(b)


@define(scipy.sparse.linalg.spsolve)
def spsolve(A, b, permc_spec=None, use_umfpack=True):
    return _solved(A, np.asarray(b))


@define(scipy.sparse.linalg.splu)
def splu(A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options=None):
    return Factor(A)


@define(scipy.sparse.linalg.factorized)
def factorized(A):
    return Factor(A)


@inlined
def _iterated(method, A, b, rtol, atol, restart, maxiter):
    """The solution by an iteration: the exact one, and by how much SciPy's differs from it, as a constant."""
    if not isinstance(A, Sparse):
        NO_DENSE_SYSTEM()
    right = np.asarray(b)
    x = _solved(A, right)
    limits = (-1 if restart is None else restart, -1 if maxiter is None else maxiter)
    return x + kernels.scipy.apart_by_iteration(
        method, A.values, A.rows, A.columns, right, x, 1.0 * rtol, 1.0 * atol, limits[0], limits[1]
    )


@define(scipy.sparse.linalg.cg)
def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    if x0 is not None or M is not None:
        NO_ITERATION_OPTION()
    return _iterated("cg", A, b, rtol, atol, None, maxiter), 0


@define(scipy.sparse.linalg.bicgstab)
def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    if x0 is not None or M is not None:
        NO_ITERATION_OPTION()
    return _iterated("bicgstab", A, b, rtol, atol, None, maxiter), 0


@define(scipy.sparse.linalg.gmres)
def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None, callback_type=None):
    if x0 is not None or M is not None:
        NO_ITERATION_OPTION()
    return _iterated("gmres", A, b, rtol, atol, restart, maxiter), 0


zero(kernels.scipy.apart_by_iteration)
zero(kernels.scipy.elements_at)
