"""Regular colourings of matrices whose entries are near to few diagonals, as those of grids are.

On a grid in two or three dimensions, numbered line by line, the colour `(i + s j + t k) mod p` repeats itself along
each line. Greedy colourings miss these; the remainder of the column's number alone is one of them only for some
lengths of lines.

The lengths of lines are the most frequent distances from the diagonal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

_LENGTHS, _FREQUENT = 3, 0.5  # most lengths that are tried; how many columns have an entry at such a distance, at least


def lattice_colourings(pattern: Any, count: int) -> Iterator[Any]:
    """Colours of the columns, `count` of them, that repeat themselves along lines of a grid. Not all are valid.

    >>> from scipy.sparse import csr_array
    >>> grid = np.eye(6) + np.eye(6, k=3) + np.eye(6, k=-3) + np.eye(6, k=1) + np.eye(6, k=-1)
    >>> next(lattice_colourings(csr_array(grid), 3))
    array([0, 1, 2, 1, 2, 0])
    """
    numbers = np.arange(pattern.shape[1])
    lengths = line_lengths(pattern)
    for length in lengths:
        for step in range(1, count):
            yield (numbers % length + step * (numbers // length)) % count
    for short, long in itertools.combinations(lengths, 2):
        if long % short == 0:
            lines, planes = numbers % long // short, numbers // long
            for step, other in itertools.product(range(1, count), repeat=2):
                yield (numbers % short + step * lines + other * planes) % count


def line_lengths(pattern: Any) -> list[int]:
    """The most frequent distances of entries from the diagonal, beyond one, in increasing order.

    >>> from scipy.sparse import csr_array
    >>> line_lengths(csr_array(np.eye(6) + np.eye(6, k=3) + np.eye(6, k=1)))
    [3]
    """
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    frequent = np.bincount(np.abs(pattern.indices - rows), minlength=2)
    frequent[:2] = 0
    most = np.argsort(-frequent, kind="stable")[:_LENGTHS]
    return sorted(int(each) for each in most if each > 1 and frequent[each] >= _FREQUENT * pattern.shape[1])
