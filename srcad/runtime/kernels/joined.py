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
    rest, pieces = None, []
    for condition, _ in zip(conditions, choices, strict=True):
        here = condition if rest is None else np.logical_and(rest, condition)
        pieces.append(np.where(here, g, 0.0))
        other = np.logical_not(condition)
        rest = other if rest is None else np.logical_and(rest, other)
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
    whole = [*arrays]
    if np.ndim(whole[0]) == 1:
        whole[0] = np.reshape(whole[0], (1, -1))
    if np.ndim(whole[-1]) == 1:
        whole[-1] = np.reshape(whole[-1], (-1, 1))
    left = [np.reshape(g, (whole[0].shape[0], whole[-1].shape[1]))]
    for each in whole[:-1]:
        left.append(np.matmul(np.transpose(each), left[-1]))
    right, pieces = None, []
    for each, before in zip(whole[::-1], left[::-1], strict=True):
        pieces.append(before if right is None else np.matmul(before, np.transpose(right)))
        right = each if right is None else np.matmul(each, right)
    return tuple([np.reshape(piece, np.shape(each)) for piece, each in zip(pieces[::-1], arrays, strict=True)])


def multi_dot_tangent(tangents: Any, arrays: Any) -> Any:
    """The tangent of `np.linalg.multi_dot`; None where it has none."""
    total = None
    for k, tangent in enumerate(tangents):
        if tangent is not None:
            term = np.linalg.multi_dot([*arrays[:k], tangent, *arrays[k + 1 :]])
            total = term if total is None else total + term
    return total
