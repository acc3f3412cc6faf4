"""Rows of a matrix whose columns leave different remainders, found from two products for each remainder.

The columns with one remainder by m make a group. The products with the group's ones, and with its columns' numbers
counted from one, have the ratio j + 1 in a row that has just one entry in the group, in column j. A row is known if
the entries found in all groups have the product along a random direction that the row has; others are tried again with
another divisor. Bands and grids are known after the first or second divisor, from some ten products.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from srcad.sparse.compiled_loops import compiled_loop
from srcad.sparse.sparse_loops import gather, large, settle, singles

_DIVISORS = (4, 7, 11)
_MOST_UNKNOWN = 0.5  # of the rows, after which no third divisor is tried


@functools.lru_cache(4)
def random_direction(width: int) -> Any:
    """A vector of random numbers between 0.5 and 1.5, the same at each call, not to be written to.

    >>> bool(0.5 <= random_direction(1)[0] <= 1.5)
    True
    """
    return np.random.default_rng(0).uniform(0.5, 1.5, width)


class KnownRows:
    """The rows that have been found; `is_known` says which.

    >>> matrix = np.array([[2.0, 0.0, -2.0], [0.0, 3.0, 0.0]])
    >>> probe = np.array([0.5, 0.7, 1.1])
    >>> rows = KnownRows(lambda v: matrix @ v, probe, matrix @ probe, 1e-11)
    >>> rows.all_known, rows.matrix().toarray()
    (True, array([[ 2.,  0., -2.],
           [ 0.,  3.,  0.]]))
    """

    def __init__(self, product: Callable[[Any], Any], probe: Any, along: Any, noise: float) -> None:
        self.shape = along.size, probe.size
        self.counts = np.full(along.size, -1, np.int32)  # of entries of each row; -1 for unknown ones
        self._rounds: list[tuple[Any, list[Any]]] = []
        self._round_of = np.zeros(along.size, np.int8)
        for divisor in _DIVISORS:
            rest = self._search(product, min(divisor, max(1, probe.size)), probe, along)
            self._doubt(rest, probe, along, noise)
            columns = self._rounds[-1][0]
            unknown = compiled_loop(settle)(self.counts, self._round_of, len(self._rounds) - 1, rest, columns)
            self.all_known = unknown == 0
            if self.all_known or (divisor > _DIVISORS[0] and unknown > _MOST_UNKNOWN * along.size):
                break

    @property
    def is_known(self) -> Any:
        """Which rows are known."""
        return self.counts >= 0

    def _search(self, product: Callable[[Any], Any], divisor: int, probe: Any, along: Any) -> Any:
        """What the entries that are found in each row leave of its product along the probe."""
        rest, numbers = along.copy(), np.arange(1.0, probe.size + 1.0)
        columns, values = np.empty((divisor, along.size), np.int32), []
        ones, places = np.zeros(probe.size), np.zeros(probe.size)
        for group in range(divisor):
            ones[group::divisor], places[group::divisor] = 1.0, numbers[group::divisor]
            values.append(_apart(product(ones), ones))
            compiled_loop(singles)(columns[group], values[-1], product(places), probe, rest)
            ones[group::divisor] = places[group::divisor] = 0.0
        self._rounds.append((columns, values))
        return rest

    def _doubt(self, rest: Any, probe: Any, along: Any, noise: float) -> None:
        """Let the rest be infinite where it is more than rounding errors of the row's terms."""
        rows = compiled_loop(large)(rest, along, noise)
        columns, values = self._rounds[-1]
        size = np.abs(along[rows])
        with np.errstate(all="ignore"):
            for column, value in zip(columns, values, strict=True):
                size += np.where(column[rows] >= 0, np.abs(value[rows] * probe[column[rows]]), 0.0)
        rest[rows] = np.where(np.abs(rest[rows]) <= noise * size, 0.0, np.inf)

    def pattern(self) -> tuple[Any, Any]:
        """The pattern of the known rows in CSR form: where each row starts, and its columns in order."""
        starts = np.zeros(self.counts.size + 1, np.int32)
        np.cumsum(np.maximum(self.counts, 0), out=starts[1:])
        indices = np.empty(int(starts[-1]), np.int32)
        for k, (columns, _) in enumerate(self._rounds):
            compiled_loop(gather)(indices, starts, self.counts, self._round_of, k, columns)
        return starts, indices

    def matrix(self) -> Any:
        """The known rows with their values; the other rows are empty."""
        starts, indices = self.pattern()
        rows = np.repeat(np.arange(self.counts.size), np.diff(starts))
        data = np.empty(indices.size, self._rounds[0][1][0].dtype)
        for k, (_, values) in enumerate(self._rounds):
            remainders = indices % len(values)
            for group, value in enumerate(values):
                here = (self._round_of[rows] == k) & (remainders == group)
                data[here] = value[rows[here]]
        return csr_array((data, indices, starts), shape=self.shape)


def _apart(found: Any, vector: Any) -> Any:
    """What a product has given, in memory of its own."""
    return found.copy() if np.may_share_memory(found, vector) else found
