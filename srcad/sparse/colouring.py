"""Colours of the columns of a sparse matrix: no two columns of one colour have an entry in the same row.

All columns of a colour are then read from one product of the matrix with a vector (Curtis, Powell and Reid, 1974). This
is a distance-2 colouring of the bipartite graph of rows and columns, by the greedy algorithm (Gebremedhin, Manne and
Pothen, What color is your Jacobian?, SIAM Review 47(4), 2005). Greedy colourings in which colours follow each other as
in an earlier one have no more colours, and often fewer (Culberson, Iterated greedy graph coloring and the difficulty
landscape, technical report, University of Alberta, 1992). No matrix needs fewer colours than its fullest row has
entries.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

_TURNS, _PERIODS = 12, 32  # of iterated greedy colourings; of periods that are tried


def column_colours(pattern: Any) -> Any:
    """A colour for each column of a matrix in CSR form: the best of a few orders.

    >>> from scipy.sparse import csr_array
    >>> column_colours(csr_array(np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]])))
    array([0, 1, 0])
    """
    columns = pattern.tocsc()
    given = columns.indptr, columns.indices, pattern.indptr, pattern.indices
    best, fewest = _greedy()(np.arange(pattern.shape[1]), *given), max(1, fewest_colours(pattern))
    if best.max(initial=-1) < fewest:
        return best
    period = _least_period()(pattern.indptr, pattern.indices, fewest, min(best.max() + 1, fewest + _PERIODS))
    if period <= best.max():  # grids and bands have regular colourings, which greedy ones miss
        best = np.arange(pattern.shape[1]) % period
    fullest = np.argsort(-_distance_two_degrees(pattern, columns), kind="stable")
    best = min(best, _greedy()(fullest, *given), key=np.max)
    for turn in range(_TURNS):
        if best.max() < fewest:
            break
        best = _greedy()(_by_classes(best, turn), *given)
    return best


def _by_classes(colours: Any, turn: int) -> Any:
    """An order in which columns of one colour follow each other: colours last first, or the most frequent first."""
    if turn % 2:
        return np.argsort(-np.bincount(colours)[colours] * (colours.max() + 1) + colours, kind="stable")
    return np.argsort(-colours, kind="stable")


def fewest_colours(pattern: Any) -> int:
    """A lower bound of the number of colours: the most entries of a row.

    >>> from scipy.sparse import csr_array
    >>> fewest_colours(csr_array(np.array([[1, 1, 0], [0, 1, 1]])))
    2
    """
    return int(np.diff(pattern.indptr).max(initial=0))


def _distance_two_degrees(pattern: Any, columns: Any) -> Any:
    """For each column, the entries of all rows in which it has one: at least as many as columns it meets."""
    by_row = np.diff(pattern.indptr)
    sums = np.concatenate(([0], np.cumsum(by_row[columns.indices])))
    return sums[columns.indptr[1:]] - sums[columns.indptr[:-1]]


@functools.cache
def _greedy() -> Callable[..., Any]:
    return numba.njit(_greedy_colours)  # type: ignore[no-any-return]


@functools.cache
def _least_period() -> Callable[..., Any]:
    return numba.njit(_least_period_of)  # type: ignore[no-any-return]


def _least_period_of(row_starts: Any, row_columns: Any, low: int, high: int) -> int:
    """The least number from `low` on by which the columns of no row leave equal remainders; `high` if none is less."""
    row_of = np.full(max(high, 1), -1, np.int64)  # of each remainder, the row and divisor for which it was last found
    for period in range(low, high):
        fits = True
        for row in range(row_starts.size - 1):
            for place in range(row_starts[row], row_starts[row + 1]):
                remainder = row_columns[place] % period
                fits &= row_of[remainder] != period * row_starts.size + row
                row_of[remainder] = period * row_starts.size + row
            if not fits:
                break
        if fits:
            return period
    return high


def _greedy_colours(order: Any, starts: Any, rows: Any, row_starts: Any, row_columns: Any) -> Any:
    """To each column in this order, the least colour that no column has with which it shares a row."""
    count = starts.size - 1
    colours = np.full(count, -1, np.int64)
    taken_for = np.full(count + 1, -1, np.int64)  # of each colour, the column for which it was last found taken
    for column in order:
        for place in range(starts[column], starts[column + 1]):
            row = rows[place]
            for other in range(row_starts[row], row_starts[row + 1]):
                colour = colours[row_columns[other]]
                if colour >= 0:
                    taken_for[colour] = column
        colour = 0
        while taken_for[colour] == column:
            colour += 1
        colours[column] = colour
    return colours
