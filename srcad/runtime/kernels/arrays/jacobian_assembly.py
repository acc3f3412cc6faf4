"""Kernels that put Jacobians together from derivatives along unit directions, for numbers and arrays alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload


def element_count(x: Any) -> int:
    """The number of elements of an array; 1 for a number.

    >>> element_count(2.0), element_count(np.ones((2, 3)))
    (1, 6)
    """
    return int(np.size(x))


@overload(element_count)
def _element_count(x):
    return (lambda x: x.size) if isinstance(x, types.Array) else lambda x: 1


def unit_direction(x: Any, k: int) -> Any:
    """The direction, like `x`, in which only the k-th element moves.

    >>> unit_direction(2.0, 0), unit_direction(np.ones(3), 1)
    (1.0, array([0., 1., 0.]))
    """
    if not isinstance(x, np.ndarray):
        return type(x)(1.0)
    found = np.zeros(x.size, x.dtype)
    found[k] = 1.0
    return found.reshape(x.shape)


@overload(unit_direction)
def _unit_direction(x, k):
    if not isinstance(x, types.Array):
        one = {types.float32: np.float32(1.0), types.complex64: np.complex64(1.0), types.complex128: 1.0 + 0.0j}.get(
            x, 1.0
        )
        return lambda x, k: one

    def of_array(x, k):
        found = np.zeros(x.size, x.dtype)
        found[k] = 1.0
        return found.reshape(x.shape)

    return of_array


def as_row(values: Any) -> Any:
    """All elements of an array, or a number, as a vector of doubles.

    >>> as_row(2.0), as_row(np.ones((2, 1)))
    (array([2.]), array([1., 1.]))
    """
    return np.array(values, np.float64).reshape(-1)


@overload(as_row)
def _as_row(values):
    if isinstance(values, types.Array):
        return lambda values: values.copy().reshape(values.size).astype(np.float64)
    return lambda values: np.array([np.float64(values)])


def from_row(row: Any, like: Any) -> Any:
    """The elements of a vector in the form of `like`, a number or an array: the adjoint of `as_row`.

    >>> from_row(np.arange(4.0), np.ones((2, 2)))
    array([[0., 1.],
           [2., 3.]])
    """
    found = np.array(row, getattr(like, "dtype", np.float64)).reshape(np.shape(like))
    return found if isinstance(like, np.ndarray) else found[()]


@overload(from_row)
def _from_row(row, like):
    if isinstance(like, types.Array):
        return lambda row, like: row.copy().astype(like.dtype).reshape(like.shape)
    return lambda row, like: row[0]


def from_columns(columns: Any, value: Any, x: Any) -> Any:
    """A Jacobian from its columns: the shape of the value, then that of the argument.

    columns     the derivatives of the value by each element of `x`, one in each row

    >>> from_columns(np.ones((6, 4)), np.ones(4), np.ones((2, 3))).shape
    (4, 2, 3)
    >>> float(from_columns(np.array([[5.0]]), 1.0, 2.0))
    5.0
    """
    dtype = np.float32 if getattr(x, "dtype", None) == np.float32 else np.float64
    found = columns.T.reshape(np.shape(value) + np.shape(x)).astype(dtype)
    return found if found.ndim else found[()]


@overload(from_columns)
def _from_columns(columns, value, x):
    dtype = np.float32 if getattr(x, "dtype", x) == types.float32 else np.float64
    if isinstance(value, types.Array) and isinstance(x, types.Array):
        return lambda columns, value, x: columns.T.copy().reshape(value.shape + x.shape).astype(dtype)
    if isinstance(value, types.Array):
        return lambda columns, value, x: columns.copy().reshape(value.shape).astype(dtype)
    if isinstance(x, types.Array):
        return lambda columns, value, x: columns.copy().reshape(x.shape).astype(dtype)
    return lambda columns, value, x: dtype(columns[0, 0])


def into_columns(jacobian: Any, columns: Any) -> Any:
    """The columns of a Jacobian, one in each row: the adjoint of `from_columns`.

    >>> into_columns(np.ones((4, 2, 3)), np.ones((6, 4))).shape
    (6, 4)
    """
    return np.array(jacobian, np.float64).reshape(columns.shape[::-1]).T.copy()


@overload(into_columns)
def _into_columns(jacobian, columns):
    if isinstance(jacobian, types.Array):
        return lambda jacobian, columns: (
            jacobian.copy().reshape((columns.shape[1], columns.shape[0])).T.copy().astype(np.float64)
        )
    return lambda jacobian, columns: np.full((1, 1), np.float64(jacobian))
