"""Kernels for the tape's rules of covariances, polynomial fits and least squares.

Like the rules in `tape_only`, they run on arrays and, through the functions that they call, on tensors; generated code
does not call them.
"""

from __future__ import annotations

from typing import Any

from srcad.refusals.numpy_calls import POLYFIT_COMPLEX
from srcad.runtime.kernels.arrays.rearrangements import polyval_slope
from srcad.runtime.kernels.linear_algebra.eigen import singular_values_adjoint
from srcad.runtime.kernels.tape_rules.matrix_functions import _is_nothing
from srcad.runtime.support.constant_arrays import MATRICES
from srcad.runtime.support.fast_numpy import swift as np


def centred_rows(m: Any, y: Any, rowvar: Any, correction: Any = None) -> Any:
    """The variables of `np.cov`, one row each, minus their means; with a correction, divided by its divisor.

    >>> centred_rows(np.array([[1.0, 3.0]]), np.array([0.0, 4.0]), True).tolist()
    [[-1.0, 1.0], [-2.0, 2.0]]
    >>> centred_rows(np.array([[1.0, 3.0]]), None, True, 0).tolist()
    [[-0.5, 0.5]]
    """
    rows = _rows(m, rowvar)
    if y is not None:
        rows = np.concatenate((rows, _rows(y, rowvar)), axis=0)
    count = rows.shape[1]
    divisor = 1 if correction is None else count - correction
    if type(rows) is np.ndarray and 0 < count <= _SHORT and rows.dtype == np.float64 and divisor > 0:
        return rows.dot(_less_the_mean(count, divisor))
    rest = rows - np.sum(rows, axis=1, keepdims=True) / count
    return rest if correction is None else rest / divisor


_SHORT = 64  # row length up to which a matrix product is faster than the separate steps


@MATRICES
def _less_the_mean(count: int, divisor: float) -> Any:
    return (np.eye(count) - 1.0 / count) / divisor


def _rows(m: Any, rowvar: Any) -> Any:
    if m.ndim < 2:
        return np.reshape(m, (1, -1))
    return m if rowvar else np.transpose(m)


def _both_ways(g: Any, count: int) -> Any:
    """A square matrix plus its transpose. A matrix with one element may be given as a number."""
    if g.ndim < 2:
        g = np.reshape(g, (count, count))
    return g + (g.T.copy() if type(g) is np.ndarray else np.transpose(g))  # adding arrays of one memory order is faster


def cov_adjoint(g: Any, m: Any, y: Any, rowvar: Any, bias: Any, ddof: Any) -> Any:
    """The adjoint of the variables of `np.cov`, in rows.

    >>> cov_adjoint(np.float64(1.0), np.array([1.0, 3.0]), None, True, False, None).tolist()
    [[-2.0, 2.0]]
    """
    correction = (0 if bias else 1) if ddof is None else ddof
    rest = centred_rows(m, y, rowvar, correction)
    return np.matmul(_both_ways(g, rest.shape[0]), rest)


def corrcoef_adjoint(g: Any, c: Any, x: Any, y: Any, rowvar: Any) -> Any:
    """The adjoint of the variables of `np.corrcoef`, whose result is `c`, in rows.

    >>> x = np.array([[1.0, 3.0, 8.0]])
    >>> abs(corrcoef_adjoint(np.float64(1.0), np.corrcoef(x), x, None, True).round(9)).tolist()
    [[0.0, 0.0, 0.0]]
    """
    rest = centred_rows(x, y, rowvar)
    count = rest.shape[0]
    size = np.sqrt(np.sum(rest * rest, axis=1, keepdims=True))
    unit, both = rest / size, _both_ways(g, count)
    along = np.sum(both * (c if c.ndim else np.reshape(c, (1, 1))), axis=1, keepdims=True)
    return (np.matmul(both, unit) - along * unit) / size


def first_rows(rows: Any, m: Any, rowvar: Any) -> Any:
    """The rows that belong to the first array, in its shape.

    >>> first_rows(np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros(2), True).tolist()
    [1.0, 2.0]
    """
    if m.ndim < 2:
        return np.reshape(rows[:1], m.shape)
    return rows[: m.shape[0]] if rowvar else np.transpose(rows[: m.shape[1]])


def last_rows(rows: Any, y: Any, rowvar: Any) -> Any:
    """The rows that belong to the second array, in its shape."""
    return first_rows(rows[rows.shape[0] - _rows(y, rowvar).shape[0] :], y, rowvar)


def polyfit_to_places(c: Any, values: Any, w: Any, x: Any, y: Any) -> Any:
    """The adjoint of x in `np.polyfit`, from its result `c`, the adjoint `values` of y, and the fit `w` to that.

    >>> x, y, values = np.array([0.0, 1.0]), np.array([2.0, 5.0]), np.array([-1.0, 1.0])
    >>> polyfit_to_places(np.array([3.0, 2.0]), values, np.array([2.0, -1.0]), x, y).round(9).tolist()
    [3.0, -3.0]
    """
    if x.dtype.kind == "c":
        raise POLYFIT_COMPLEX.error()
    if np.ndim(c) == 2:
        x = np.expand_dims(x, 1)
    found = (y - np.polyval(c, x)) * polyval_slope(w, x) - values * polyval_slope(c, x)
    return np.sum(found, axis=1) if np.ndim(c) == 2 else found


def lstsq_adjoint(g: Any, y: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """The adjoints of a matrix of full rank and of the right-hand side of `np.linalg.lstsq`.

    >>> a, b = np.array([[2.0]]), np.array([6.0])
    >>> none = (np.zeros(0), 0, np.zeros(1))
    >>> [each.round(9).tolist() for each in lstsq_adjoint((np.ones(1), *none), np.linalg.lstsq(a, b), a, b)]
    [[[-1.5]], [0.5]]
    """
    (of_x, of_residuals, _, of_values), x = g, y[0]
    rows, columns = np.shape(a)
    if int(y[2]) < min(rows, columns):
        raise np.linalg.LinAlgError("the solution for a matrix that does not have full rank has no derivative")
    turned = np.transpose(a)
    of_b = np.linalg.solve(turned, of_x) if rows == columns else np.linalg.lstsq(turned, of_x, None)[0]
    of_a = -_outer(of_b, x)
    if rows > columns:
        rest = b - np.matmul(a, x)
        of_a = of_a + _outer(rest, np.linalg.lstsq(a, of_b, None)[0])
        if not _is_nothing(of_residuals):
            # The sums of squares are minimal, so they do not change with the solution to first order.
            of_rest = 2.0 * rest * (of_residuals if np.ndim(b) > 1 else np.sum(of_residuals))
            of_a, of_b = of_a - _outer(of_rest, x), of_b + of_rest
    if rows < columns:
        of_a = of_a + _outer(np.linalg.lstsq(turned, x, None)[0], of_x - np.matmul(turned, of_b))
    return of_a if _is_nothing(of_values) else of_a + singular_values_adjoint(of_values, a), of_b


def _outer(u: Any, v: Any) -> Any:
    """The product of a matrix with the transpose of another; vectors count as columns."""
    if np.ndim(u) == 1:
        return np.expand_dims(u, 1) * np.expand_dims(v, 0)
    return np.matmul(u, np.transpose(v))
