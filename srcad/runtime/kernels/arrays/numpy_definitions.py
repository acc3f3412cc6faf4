"""Kernels that the definitions of NumPy functions call for some of their arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload


def only_element(x: Any) -> Any:
    """The number in an array of one element, or the number itself.

    >>> float(only_element(np.array([[2.5]])))
    2.5
    """
    return np.asarray(x).item()


def norm_of_order(x: Any, order: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """`np.linalg.norm` with an order.

    >>> float(norm_of_order(np.array([3.0, -4.0]), 1))
    7.0
    """
    return np.linalg.norm(x, order, axis, keepdims)


def norm_of_vectors(x: Any, order: Any, axis: Any, keepdims: bool = False) -> Any:
    """The norms of the vectors along an axis, or of all elements along several, for a given order.

    >>> norm_of_vectors(np.array([[3.0, -4.0], [1.0, 0.0]]), 1, 1)
    array([7., 1.])
    """
    return np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=order)


def norm_of_matrices(x: Any, order: Any, axis: Any, keepdims: bool = False) -> Any:
    """The norms of the matrices along two axes, for a given order.

    >>> norm_of_matrices(np.array([[[3.0, -4.0], [1.0, 0.0]]]), 1, (1, 2))
    array([4.])
    """
    return np.linalg.norm(x, order, axis, keepdims)


def norm_of_all(x: Any, order: Any) -> Any:
    """A norm of a vector or a matrix, for a given order.

    >>> float(norm_of_all(np.array([[3.0, 0.0], [0.0, -4.0]]), "nuc"))
    7.0
    """
    return np.linalg.norm(x, order)


def joined_rows(parts: Any) -> Any:
    """`np.r_` of these parts.

    >>> joined_rows((1.0, np.array([2.0, 3.0])))
    array([1., 2., 3.])
    """
    return np.r_[tuple(parts)]


def joined_columns(parts: Any) -> Any:
    """`np.c_` of these parts.

    >>> joined_columns((np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    array([[1., 3.],
           [2., 4.]])
    """
    return np.c_[tuple(parts)]


def with_first(y: Any, first: float, axis: int | None = None) -> Any:
    """Running sums or products along an axis, preceded by that of no elements.

    >>> with_first(np.array([2.0, 6.0]), 1.0)
    array([1., 2., 6.])
    """
    return np.insert(y, 0, first, axis=axis or 0)


def places(indices: Any) -> Any:
    """Indices, or the positions where a mask is true, as a vector of integers.

    >>> places(np.array([True, False, True])), places([[1, 0]])
    (array([0, 2]), array([1, 0]))
    """
    found = np.ravel(np.asarray(indices))
    return np.nonzero(found)[0] if found.dtype == np.bool_ else found


@overload(places)
def _places(indices):
    if not isinstance(indices, types.Array):
        return lambda indices: np.ravel(np.asarray(indices))
    if indices.dtype == types.boolean:
        return lambda indices: np.nonzero(np.ravel(indices))[0]
    return lambda indices: np.ravel(indices)


def central_differences(f: Any, spacing: Any) -> Any:
    """`np.gradient` along the first axis.

    >>> central_differences(np.array([0.0, 1.0, 4.0]), 0.5)
    array([2., 4., 6.])
    """
    return np.gradient(f, spacing, axis=0)


def gradient_along(f: Any, spacing: Any, axis: int | None = None, edge_order: Any = 1) -> Any:
    """`np.gradient` along one axis.

    >>> gradient_along(np.array([0.0, 1.0, 4.0]), 0.5)
    array([2., 4., 6.])
    """
    return np.gradient(f, spacing, axis=axis, edge_order=edge_order)


def widths(spacing: Any, ones: Any) -> Any:
    """The distances between neighbouring points: differences of points on a line, or one distance for all.

    >>> widths(np.array([0.0, 1.0, 4.0]), np.ones(2)), widths(0.5, np.ones(2))
    (array([1., 3.]), array([0.5, 0.5]))
    """
    return np.diff(1.0 * spacing) if np.ndim(spacing) else spacing * ones


@overload(widths)
def _widths(spacing, ones):
    if isinstance(spacing, types.Array):
        return lambda spacing, ones: 1.0 * spacing[1:] - spacing[:-1]
    return lambda spacing, ones: spacing * ones
