"""What the tape's rules of functions of lists of arrays are made of.

As in `direct`, these run on arrays, and on tensors as what they call; no generated code calls them.
"""

from __future__ import annotations

from typing import Any

from srcad.runtime.kernels.join import _unjoin
from srcad.runtime.kernels.spread import unbroadcast
from srcad.runtime.swift import swift as np


def undstack(g: Any, arrays: Any) -> Any:
    """The pieces of a cotangent that belong to the operands of `np.dstack`.

    >>> [each.tolist() for each in undstack(np.arange(4.0).reshape(1, 2, 2), (np.zeros(2), np.zeros((1, 2))))]
    [[0.0, 2.0], [[1.0, 3.0]]]
    """
    return _unjoin(g, arrays, 2, lambda shape: 1 if len(shape) < 3 else shape[2])


def unselect(g: Any, conditions: Any, choices: Any) -> Any:
    """What belongs to each choice of `np.select`, where it is the first whose condition holds.

    >>> [each.tolist() for each in unselect(np.array([1.0, 2.0]), [np.array([True, False])] * 2, [0.0, 0.0])]
    [[1.0, 0.0], [0.0, 0.0]]
    """
    before, pieces = None, []  # where a condition holds so far
    for condition, _ in zip(conditions, choices, strict=True):
        # Of truth values, less is: the second, and not the first.
        pieces.append(np.where(condition if before is None else np.less(before, condition), g, 0.0))
        if len(pieces) < len(choices):
            before = condition if before is None else np.logical_or(before, condition)
    return tuple(pieces)


def not_selected(g: Any, conditions: Any) -> Any:
    """What belongs to the default of `np.select`."""
    for condition in conditions:
        g = np.where(condition, 0.0, g)
    return g


def unchoose(g: Any, a: Any, choices: Any) -> Any:
    """What belongs to each choice of `np.choose`.

    >>> [each.tolist() for each in unchoose(np.array([1.0, 2.0]), np.array([1, 0]), [0.0, 0.0])]
    [[0.0, 2.0], [1.0, 0.0]]
    """
    pieces = [np.where(np.equal(a, k), g, 0.0) for k in range(len(choices))]
    if isinstance(choices, (list, tuple)):
        return tuple(pieces)
    return np.stack([unbroadcast(piece, choices[k]) for k, piece in enumerate(pieces)])


def multi_dot_adjoint(g: Any, arrays: Any) -> Any:
    """What belongs to each operand of `np.linalg.multi_dot`.

    >>> [each.tolist() for each in multi_dot_adjoint(2.0, (np.ones(1), np.eye(1), np.array([3.0])))]
    [[6.0], [[6.0]], [2.0]]
    """
    if np.ndim(arrays[0]) == 1 or np.ndim(arrays[-1]) == 1:
        whole = [*arrays]
        if np.ndim(whole[0]) == 1:
            whole[0] = np.reshape(whole[0], (1, -1))
        if np.ndim(whole[-1]) == 1:
            whole[-1] = np.reshape(whole[-1], (-1, 1))
        g = np.reshape(g, (whole[0].shape[0], whole[-1].shape[1]))
        pieces = multi_dot_adjoint(g, whole)
        return tuple([np.reshape(piece, np.shape(each)) for piece, each in zip(pieces, arrays, strict=True)])
    left = [g]
    for each in arrays[:-1]:
        left.append(np.matmul(np.transpose(each), left[-1]))
    right, pieces = arrays[-1], [left.pop()]
    for each in arrays[-2::-1]:
        pieces.append(np.matmul(left.pop(), np.transpose(right)))
        right = np.matmul(each, right) if left else None
    return tuple(pieces[::-1])


def multi_dot_tangent(tangents: Any, arrays: Any) -> Any:
    """The tangent of `np.linalg.multi_dot`; None where it has none."""
    total = None
    for k, tangent in enumerate(tangents):
        if tangent is not None:
            term = np.linalg.multi_dot([*arrays[:k], tangent, *arrays[k + 1 :]])
            total = term if total is None else total + term
    return total
