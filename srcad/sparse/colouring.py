"""Colours of the columns of a sparse matrix: no two columns of one colour have an entry in the same row.

All columns of a colour are then read from one product of the matrix with a vector (Curtis, Powell and Reid, 1974). This
is a distance-2 colouring of the bipartite graph of rows and columns, by the greedy algorithm (Gebremedhin, Manne and
Pothen, What color is your Jacobian?, SIAM Review 47(4), 2005). Greedy colourings in which colours follow each other as
in an earlier one have no more colours, and often fewer (Culberson, Iterated greedy graph coloring and the difficulty
landscape, technical report, University of Alberta, 1992). No matrix needs fewer colours than its fullest row has
entries.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from srcad.sparse.compiled_loops import compiled_loop
from srcad.sparse.regular_colourings import lattice_colourings
from srcad.sparse.sparse_loops import are_apart, greedy_colours, least_period, most_in_a_row, star_colours

_LONG = 10**8  # vertices at distance two, from which one order of a star colouring is tried
_HUBS, _LARGE = 16, 3000  # of a star colouring: most rows that keep a colour for themselves, fewest entries of these
_TURNS, _PERIODS, _REGULAR = (
    12,
    32,
    64,
)  # of iterated greedy colourings; of periods, and colourings of grids, to be tried


def column_colours(pattern: Any) -> Any:
    """A colour for each column of a matrix in CSR form: the best of a few orders.

    >>> from scipy.sparse import csr_array
    >>> column_colours(csr_array(np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]])))
    array([0, 1, 0])
    """
    fewest = max(1, fewest_colours(pattern))
    if compiled_loop(least_period)(pattern.indptr, pattern.indices, pattern.shape[1], fewest, fewest + 1) == fewest:
        return np.arange(pattern.shape[1]) % fewest  # a regular colouring, as bands have it; none has fewer colours
    columns = pattern.tocsc()
    given = columns.indptr, columns.indices, pattern.indptr, pattern.indices
    best = compiled_loop(greedy_colours)(np.arange(pattern.shape[1]), *given)
    if best.max(initial=-1) < fewest:
        return best
    most = min(best.max() + 1, fewest + _PERIODS)
    period = compiled_loop(least_period)(pattern.indptr, pattern.indices, pattern.shape[1], fewest + 1, most)
    if period <= best.max():  # grids and bands have regular colourings, which greedy ones miss
        best = np.arange(pattern.shape[1]) % period
    best = _on_lattice(pattern, best, fewest)
    fullest = np.argsort(-_distance_two_degrees(pattern, columns), kind="stable")
    best = min(best, compiled_loop(greedy_colours)(fullest, *given), key=np.max)
    for turn in range(_TURNS):
        if best.max() < fewest:
            break
        best = compiled_loop(greedy_colours)(by_classes(best, turn), *given)
    return best


def _on_lattice(pattern: Any, best: Any, fewest: int) -> Any:
    """The first of the regular colourings for grids that is valid and has fewer colours; else what is given."""
    counts = range(fewest, best.max() + 1)
    tried = itertools.chain.from_iterable(
        ((colours, count) for colours in lattice_colourings(pattern, count)) for count in counts
    )
    for colours, count in itertools.islice(tried, _REGULAR):
        if compiled_loop(are_apart)(pattern.indptr, pattern.indices, colours, count):
            return colours
    return best


def symmetric_colours(pattern: Any) -> Any:
    """A colour for each column of a symmetric matrix in CSR form, such that entries are read from a row or its mirror.

    It is a star colouring of the graph of the matrix: neighbours differ, and no path of four vertices has two colours
    (Gebremedhin, Tarafdar, Manne and Pothen, New acyclic and star coloring algorithms with application to computing
    Hessians, SIAM J. Sci. Comput. 29(3), 2007). It has at most as many colours as one by columns needs.

    >>> from scipy.sparse import csr_array
    >>> arrow = np.eye(5)
    >>> arrow[0] = arrow[:, 0] = 1.0
    >>> symmetric_colours(csr_array(arrow))
    array([0, 1, 1, 1, 1])
    """
    graph, degrees = (pattern.indptr, pattern.indices), np.diff(pattern.indptr).astype(np.int64)
    fullest = np.argsort(-degrees, kind="stable")
    hub = hub_size(degrees[fullest])
    found = compiled_loop(star_colours)(fullest, *graph, hub)
    if not found.size or degrees.max() >= hub or degrees @ degrees > _LONG:
        return found
    return min(found, compiled_loop(star_colours)(np.arange(found.size), *graph, hub), key=np.max)


def hub_size(degrees: Any) -> int:
    """From how many entries on a row is a hub, given the numbers of entries, the largest first.

    >>> hub_size(np.array([100_000] + [2] * 99_999)), hub_size(np.array([10_000] * 99))
    (3000, 10001)
    """
    return max(_LARGE, int(degrees[_HUBS]) + 1 if degrees.size > _HUBS else 0)


def by_classes(colours: Any, turn: int) -> Any:
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
    return int(compiled_loop(most_in_a_row)(pattern.indptr))


def _distance_two_degrees(pattern: Any, columns: Any) -> Any:
    """For each column, the entries of all rows in which it has one: at least as many as columns it meets."""
    by_row = np.diff(pattern.indptr)
    sums = np.concatenate(([0], np.cumsum(by_row[columns.indices])))
    return sums[columns.indptr[1:]] - sums[columns.indptr[:-1]]
