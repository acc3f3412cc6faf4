"""Acyclic colourings of symmetric matrices, whose entries are found by substitution.

Neighbours in the graph of the matrix differ, and no cycle has two colours. The entries between two colours then form
trees: that of a leaf is read from a product, and subtracted from what its other end has, which is a leaf next (Coleman
and Cai, The cyclic coloring problem and estimation of sparse Hessian matrices, SIAM J. Alg. Disc. Meth. 7(2), 1986;
Gebremedhin, Tarafdar, Manne and Pothen, New acyclic and star coloring algorithms with application to computing
Hessians, SIAM J. Sci. Comput. 29(3), 2007). A band of half-width b takes b + 1 products, instead of 2 b + 1.

Rounding errors add up along chains of substitutions. Long ones, which bands have, are cut: rows far from each other get
a colour of their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcad.sparse.colouring import by_classes, hub_size
from srcad.sparse.compiled_loops import compiled_loop
from srcad.sparse.regular_colourings import lattice_colourings
from srcad.sparse.sparse_loops import (
    acyclic_colours,
    differs_from_neighbours,
    mirrors,
    substitution_order,
)

_TURNS, _WORK = 8, 10**8  # of greedy colourings from each order; most vertices at distance two that all turns visit
_PERIODS, _REGULAR = 8, 48  # how many more colours than the bound regular colourings have; how many of these are tried
_CHAIN, _LONGEST = 300, 3000  # substitutions after which a chain is cut; the longest chain that a colouring may leave


def substituted_colours(pattern: Any) -> Any:
    """A colour for each column of a symmetric matrix in CSR form, an acyclic colouring; None if chains are too long.

    >>> from scipy.sparse import csr_array
    >>> band = np.eye(6) + sum(np.eye(6, k=k) + np.eye(6, k=-k) for k in (1, 2))
    >>> substituted_colours(csr_array(band))
    array([0, 1, 2, 0, 1, 2])
    """
    graph = pattern.indptr, pattern.indices
    across = compiled_loop(mirrors)(*graph)
    best, fewest = _regular(pattern, across), fewest_substituted(pattern)
    if best is None or best.max(initial=-1) >= fewest:
        found = [*([] if best is None else [best]), *_greedy(graph, across, fewest)]
        best = min(found, key=np.max) if found else None
    return None if best is None else _with_short_chains(graph, across, best)


def _greedy(graph: tuple[Any, Any], across: Any, fewest: int) -> Iterator[Any]:
    """Greedy colourings in a few orders: by degrees, as numbered, and by the colours that were found."""
    degrees = np.diff(graph[0]).astype(np.int64)
    fullest = np.argsort(-degrees, kind="stable")
    hub = hub_size(degrees[fullest])
    work = int(np.minimum(degrees, hub) @ degrees)
    turns = int(min(_TURNS, _WORK // max(work, 1)))
    for order in (fullest, np.arange(fullest.size))[: 2 if turns > 0 else 0]:
        found = compiled_loop(acyclic_colours)(order, *graph, across, hub)
        yield found
        for turn in range(turns - 1):
            if found.max(initial=-1) < fewest:
                return
            found = compiled_loop(acyclic_colours)(by_classes(found, turn), *graph, across, hub)
            yield found


def fewest_substituted(pattern: Any) -> int:
    """A lower bound of the colours: two classes have fewer entries between them than they have rows.

    >>> from scipy.sparse import csr_array
    >>> fewest_substituted(csr_array(np.ones((4, 4))))
    4
    """
    rows = pattern.shape[0]
    edges, count = (pattern.nnz - int(np.count_nonzero(pattern.diagonal()))) // 2, 1
    while count < rows and (count - 1) * rows - count * (count - 1) // 2 < edges:
        count += 1
    return int(min(count, rows))


def _regular(pattern: Any, across: Any) -> Any:
    """A regular colouring with the fewest colours, None if there is none with few."""
    graph, rows = (pattern.indptr, pattern.indices), pattern.shape[0]
    edges = (pattern.nnz - int(np.count_nonzero(pattern.diagonal()))) // 2
    fewest = fewest_substituted(pattern)
    tried = 0
    for count in range(fewest, fewest + _PERIODS):
        for colours in itertools.chain([np.arange(rows) % count], lattice_colourings(pattern, count)):
            if compiled_loop(differs_from_neighbours)(*graph, colours):
                if compiled_loop(substitution_order)(*graph, across, colours, count, 0)[0].shape[1] == edges:
                    return colours
                tried += 1
            if tried >= _REGULAR:  # then by their remainders only
                break
    return None


def _with_short_chains(graph: tuple[Any, Any], across: Any, colours: Any) -> Any:
    """The colouring with long chains of substitutions cut by rows in other colours; None if they stay long."""
    count = int(colours.max(initial=-1)) + 1
    if compiled_loop(substitution_order)(*graph, across, colours, count, 0)[1] <= _CHAIN:
        return colours
    cut = colours.copy()
    compiled_loop(substitution_order)(*graph, across, cut, count, _CHAIN)
    count = int(cut.max()) + 1
    return cut if compiled_loop(substitution_order)(*graph, across, cut, count, 0)[1] <= _LONGEST else None
