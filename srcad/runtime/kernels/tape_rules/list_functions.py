"""Kernels for the tape's rules of functions of lists of arrays, such as select, choose and multi_dot.

Like the rules in `tape_only`, they run on arrays and, through the functions that they call, on tensors; generated code
does not call them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.runtime.kernels.arrays.joins import _unjoin
from srcad.runtime.kernels.arrays.unbroadcast import unbroadcast
from srcad.runtime.kernels.linear_algebra.products import times, times_transpose, transpose_times


def undstack(g: Any, arrays: Any) -> Any:
    """The parts of an adjoint that belong to the operands of `np.dstack`.

    >>> [each.tolist() for each in undstack(np.arange(4.0).reshape(1, 2, 2), (np.zeros(2), np.zeros((1, 2))))]
    [[0.0, 2.0], [[1.0, 3.0]]]
    """
    return _unjoin(g, arrays, 2, lambda shape: 1 if len(shape) < 3 else shape[2])


def unselect(g: Any, conditions: Any, choices: Any) -> Any:
    """The adjoint of each choice of `np.select`, where its condition is the first one that holds.

    >>> [each.tolist() for each in unselect(np.array([1.0, 2.0]), [np.array([True, False])] * 2, [0.0, 0.0])]
    [[1.0, 0.0], [0.0, 0.0]]
    """
    pieces = []
    for condition in conditions:
        pieces.append(np.where(condition, g, 0.0))
        g = np.where(condition, 0.0, g)
    return tuple(pieces)


def not_selected(g: Any, conditions: Any) -> Any:
    """The adjoint of the default of `np.select`."""
    for condition in conditions:
        g = np.where(condition, 0.0, g)
    return g


def unchoose(g: Any, a: Any, choices: Any) -> Any:
    """The adjoint of each choice of `np.choose`.

    >>> [each.tolist() for each in unchoose(np.array([1.0, 2.0]), np.array([1, 0]), [0.0, 0.0])]
    [[0.0, 2.0], [1.0, 0.0]]
    """
    pieces = [np.where(np.equal(a, k), g, 0.0) for k in range(len(choices))]
    if isinstance(choices, (list, tuple)):
        return tuple(pieces)
    return np.stack([unbroadcast(piece, choices[k]) for k, piece in enumerate(pieces)])


def multi_dot_adjoint(g: Any, arrays: Any) -> Any:
    """The adjoint of each operand of `np.linalg.multi_dot`.

    >>> [each.tolist() for each in multi_dot_adjoint(2.0, (np.ones(1), np.eye(1), np.array([3.0])))]
    [[6.0], [[6.0]], [2.0]]
    """
    if np.ndim(arrays[0]) == 1 or np.ndim(arrays[-1]) == 1:
        first, *inner, last = arrays
        first = np.reshape(first, (1, -1)) if np.ndim(first) == 1 else first
        last = np.reshape(last, (-1, 1)) if np.ndim(last) == 1 else last
        pieces = multi_dot_adjoint(np.reshape(g, (first.shape[0], last.shape[1])), (first, *inner, last))
        return tuple([np.reshape(piece, np.shape(each)) for piece, each in zip(pieces, arrays, strict=True)])
    left = [g]  # the adjoint times the operands before the first, the second, ...
    for each in arrays[:-1]:
        left.append(transpose_times(each, left[-1]))
    pieces = [left.pop()]
    right = None  # the product of the operands after this one
    for each in arrays[:0:-1]:
        right = each if right is None else times(each, right)
        pieces.append(times_transpose(left.pop(), right))
    return tuple(pieces[::-1])


def multi_dot_tangent(tangents: Any, arrays: Any) -> Any:
    """The tangent of `np.linalg.multi_dot`; None if no operand has one."""
    total = None
    for k, tangent in enumerate(tangents):
        if tangent is not None:
            term = np.linalg.multi_dot([*arrays[:k], tangent, *arrays[k + 1 :]])
            total = term if total is None else total + term
    return total
