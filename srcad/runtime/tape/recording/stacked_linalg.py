"""Linear algebra on stacks of matrices: on a tape, applied to each matrix, with the results stacked again.

    np.linalg.det(x)        np.stack([np.linalg.det(x[0]), np.linalg.det(x[1])]), for x of shape (2, n, n)

The rules are those of a single matrix; this way they serve for stacks too. Without a tape NumPy's own function runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.refusals.tapes import EMPTY_STACK
from srcad.runtime.rulebook.rule_template import primitive_name

linalg = np.linalg
OF_MATRICES = frozenset((linalg.cholesky, linalg.cond, linalg.det, linalg.eigh, linalg.eigvalsh, linalg.matrix_power))
OF_MATRICES |= {linalg.pinv, linalg.qr, linalg.slogdet, linalg.solve, linalg.svd, linalg.svdvals}


def holds_stack(primitive: Any, arguments: Sequence[Any]) -> bool:
    """Whether a function of matrices is given a stack of them.

    >>> holds_stack(np.linalg.det, (np.ones((2, 3, 3)),)), holds_stack(np.linalg.det, (np.ones((3, 3)),))
    (True, False)
    """
    return primitive in OF_MATRICES and any(getattr(each, "ndim", 0) > 2 for each in arguments)


def of_each_matrix(primitive: Any, *arguments: Any, **keywords: Any) -> Any:
    """The results of a function for each matrix, stacked like the matrices. Raises MissingRule for an empty stack.

    >>> of_each_matrix(np.linalg.det, np.array([[[2.0]], [[4.0]]])).tolist()
    [2.0, 4.0]
    """
    stacks = [each for each in arguments if getattr(each, "ndim", 0) > 1]
    around = np.broadcast_shapes(*[each.shape[:-2] for each in stacks])
    count = int(np.prod(around))
    if not count:
        raise EMPTY_STACK.error(function=primitive_name(primitive))
    rows = [_flat(each, around) if getattr(each, "ndim", 0) > 1 else [each] * count for each in arguments]
    found = [primitive(*each, **keywords) for each in zip(*rows, strict=True)]
    if isinstance(found[0], tuple):
        parts = [_stacked(each, around) for each in zip(*found, strict=True)]
        return tuple(parts) if type(found[0]) is tuple else type(found[0])(*parts)
    return _stacked(found, around)


def _flat(stack: Any, around: tuple[int, ...]) -> Any:
    """The matrices along a single leading axis, after broadcasting to the shape of the widest stack."""
    shape = stack.shape[-2:]
    whole = stack if stack.shape[:-2] == around else np.broadcast_to(stack, (*around, *shape))
    return np.reshape(whole, (-1, *shape))


def _stacked(parts: Sequence[Any], around: tuple[int, ...]) -> Any:
    return np.reshape(np.stack(parts), (*around, *np.shape(parts[0])))
