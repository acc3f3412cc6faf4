"""Places of elements in sparse matrices: which elements lie in the rows or columns that an index selects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable


@register_jitable
def elements_at(wanted: Any, held: Any) -> Any:
    """The elements, by number, whose place is one of those wanted, in the order of these; and of each, which one it is.

    >>> elements_at(np.array([2, 0, 2]), np.array([0, 1, 2, 0]))
    (array([2, 0, 3, 2]), array([0, 1, 1, 2]))
    """
    order = np.argsort(held, kind="mergesort")
    first = np.searchsorted(held[order], wanted, side="left")
    counts = np.searchsorted(held[order], wanted, side="right") - first
    before = np.cumsum(counts) - counts
    elements = order[np.repeat(first - before, counts) + np.arange(np.sum(counts))]
    return elements, np.repeat(np.arange(wanted.shape[0]), counts)
