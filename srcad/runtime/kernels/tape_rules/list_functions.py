"""Kernels for the tape's rules of functions of lists of arrays, such as select, choose and multi_dot.

Like the rules in `tape_only`, they run on arrays and, through the functions that they call, on tensors; generated code
does not call them.
"""

from __future__ import annotations

from typing import Any

from srcad.runtime.kernels.arrays.joins import _unjoin
from srcad.runtime.kernels.arrays.unbroadcast import unbroadcast
from srcad.runtime.kernels.linear_algebra.products import times, times_transpose, transpose_times
from srcad.runtime.support.fast_numpy import swift as np


class Operands(list[Any]):
    """The operands of a call that takes a list, and for each whether its adjoint is wanted; else it may be None."""

    __slots__ = ("wanted",)

    wanted: list[bool]


def _wanted(operands: Any) -> Any:
    """For each operand whether its adjoint is wanted.

    >>> _wanted((1.0, 2.0))
    [True, True]
    """
    return operands.wanted if type(operands) is Operands else [True] * len(operands)


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
    before, pieces = None, []  # where an earlier condition holds
    for condition, is_wanted in zip(conditions, _wanted(choices), strict=True):
        if is_wanted:
            # For booleans, less means: the second, and not the first.
            pieces.append(np.where(condition if before is None else np.less(before, condition), g, 0.0))
        else:
            pieces.append(None)
        if len(pieces) < len(choices):
            before = condition if before is None else np.logical_or(before, condition)
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
    pieces = []
    for k, is_wanted in enumerate(_wanted(choices)):
        pieces.append(np.where(np.equal(a, k), g, 0.0) if is_wanted else None)
    if isinstance(choices, (list, tuple)):
        return tuple(pieces)
    return np.stack([unbroadcast(piece, choices[k]) for k, piece in enumerate(pieces)])


def multi_dot_adjoint(g: Any, arrays: Any) -> Any:
    """The adjoint of each operand of `np.linalg.multi_dot`.

    >>> [each.tolist() for each in multi_dot_adjoint(2.0, (np.ones(1), np.eye(1), np.array([3.0])))]
    [[6.0], [[6.0]], [2.0]]
    """
    if np.ndim(arrays[0]) == 1 or np.ndim(arrays[-1]) == 1:
        whole = Operands(arrays)
        whole.wanted = _wanted(arrays)
        if np.ndim(whole[0]) == 1:
            whole[0] = np.reshape(whole[0], (1, -1))
        if np.ndim(whole[-1]) == 1:
            whole[-1] = np.reshape(whole[-1], (-1, 1))
        g = np.reshape(g, (whole[0].shape[0], whole[-1].shape[1]))
        pairs = zip(multi_dot_adjoint(g, whole), arrays, strict=True)
        return tuple([None if piece is None else np.reshape(piece, np.shape(each)) for piece, each in pairs])
    wanted, count = _wanted(arrays), len(arrays)
    first, last = wanted.index(True), count - 1 - wanted[::-1].index(True)
    pieces: list[Any] = [None] * count
    left = [g]  # the adjoint times the operands before the first, the second, ...
    for each in arrays[:last]:
        left.append(transpose_times(each, left[-1]))
    right = None  # the product of the operands after this one
    for k in range(count - 1, first - 1, -1):
        if wanted[k]:
            pieces[k] = left[k] if right is None else times_transpose(left[k], right)
        if k > first:
            right = arrays[k] if right is None else times(arrays[k], right)
    return tuple(pieces)


def multi_dot_tangent(tangents: Any, arrays: Any) -> Any:
    """The tangent of `np.linalg.multi_dot`; None if no operand has one."""
    total = None
    for k, tangent in enumerate(tangents):
        if tangent is not None:
            term = np.linalg.multi_dot([*arrays[:k], tangent, *arrays[k + 1 :]])
            total = term if total is None else total + term
    return total
