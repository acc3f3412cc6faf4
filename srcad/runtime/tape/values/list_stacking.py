"""Pack lists that contain tensors into one tensor, for functions that take an array, so that tapes can follow it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.runtime.rulebook.registry import find
from srcad.runtime.support.nested_structures import flatten, map_leaves
from srcad.runtime.tape.core.operand import Operand, Readable
from srcad.runtime.tape.core.tensor import holds_operands, tensors_in


def packed(parts: Any) -> Any:
    """Nested lists as one array, or as a tensor computed from the tensors in them.

    >>> packed([[1.0, 2.0], [3.0, 4.0]]).shape
    (2, 2)
    """
    if not isinstance(parts, Operand) and not holds_operands(parts):
        return np.asarray(parts)
    return np.stack([packed(each) if isinstance(each, (list, tuple)) else each for each in parts])


def without_variables(structure: Any) -> Any:
    """The structure with tensors in place of variables, which are thereby read."""
    if isinstance(structure, Readable):
        return structure._read()
    return map_leaves(without_variables, structure) if isinstance(structure, (list, tuple, dict)) else structure


def holds_tensors(argument: Any) -> bool:
    """Whether an argument is a list or tuple, nested or not, that contains a tensor.

    >>> import srcad
    >>> holds_tensors([[srcad.constant(1.0)], 2.0]), holds_tensors(srcad.constant(1.0)), holds_tensors([2.0])
    (True, False, False)
    """
    return isinstance(argument, (list, tuple)) and next(tensors_in(argument), None) is not None


def holds_variables(argument: Any) -> bool:
    """Whether a list contains a variable, or another operand that is read as a tensor.

    >>> import srcad
    >>> holds_variables([1.0, srcad.Variable(2.0)]), holds_variables([1.0])
    (True, False)
    """
    return any(isinstance(each, Readable) for each in flatten(argument))


def takes_lists(primitive: Any, arguments: Sequence[Any]) -> bool:
    """Whether the rule of a primitive takes lists of operands.

    >>> takes_lists(np.concatenate, [[1.0, 2.0]]), takes_lists(np.sin, [[1.0, 2.0], [3.0]])
    (True, False)
    """
    if primitive in _OF_ARRAYS:
        return False
    rule = find(primitive, [None if isinstance(each, (list, tuple)) else np.ndim(each) for each in arguments])
    return rule is not None and not rule.elementwise


# Their rules are for arrays only, of any rank.
_OF_ARRAYS = frozenset(
    (np.average, np.convolve, np.interp, np.linalg.vecdot, np.matvec, np.polyval, np.trapezoid, np.vecdot, np.vecmat)
)
