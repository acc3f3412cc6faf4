"""The pattern of a matrix that is known by its products with vectors: which entries are not zero at one point.

Columns are dealt out into groups. A row that has one entry within a group shows in which column it is: the product with
weights w, and that with j w_j, have the ratio j. What is found is subtracted, and columns are dealt out again until the
rest is zero along a random direction. It is the peeling by which sparse vectors are recovered from sums (Eppstein
and Goodrich, Straggler identification in round-trip data streams, IEEE TKDE 23(2), 2011), done in all rows at once: the
number of products depends on the entries of a row, not on the number of columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from srcad.errors import BadArgument
from srcad.sparse.remainder_search import KnownRows, random_direction

_GROUPS = (8, 16, 32, 64, 64, 128, 128, 256, 256)
_FULL = 64  # the most rows that are asked for one by one
_NOISE = 1e-11  # relative size of rounding errors in a row
_EXACT = 1e-6  # how near to an integer a ratio has to be

Product = Callable[[Any], Any]


def found_pattern(product: Product, width: int, height: int, row: Callable[[int], Any] | None = None) -> Any:
    """The pattern of a matrix of this size from products with vectors, in CSR form. A vector may be used again.

    `row` gives one row of the matrix, which is asked for a few that are too full to be found from products.

    Raises BadArgument for a matrix with rows of some hundred entries.

    >>> matrix = np.array([[2.0, 0.0, -2.0], [0.0, 3.0, 0.0]])
    >>> found_pattern(lambda v: matrix @ v, 3, 2).toarray()
    array([[ True, False,  True],
           [False,  True, False]])
    """
    generator = np.random.default_rng(0)
    probe = random_direction(width)
    along = product(probe)
    if not np.all(np.isfinite(along)):
        raise BadArgument(
            "the derivative is not finite where its pattern is looked for", hint="call it at another point first"
        )
    rows = KnownRows(product, probe, along, _NOISE)
    if rows.all_known:
        starts, indices = rows.pattern()
        return csr_array((np.ones(indices.size, bool), indices, starts), shape=(height, width))
    known = rows.matrix()
    for turn, count in enumerate(_GROUPS):
        full = np.flatnonzero(_are_unknown(known, probe, along))
        if row is not None and full.size <= _FULL:
            return _pattern_of(_with_rows(known, [(k, row(k)) for k in full.tolist()]))
        # Neighbours come into different groups first: bands need one round.
        groups = np.arange(width) % count if turn < 1 else generator.integers(0, count, width)
        singles = [_singles(product, known, groups == group, generator) for group in range(max(1, min(count, width)))]
        known = _united(known, singles)
        if not np.any(_are_unknown(known, probe, along)):
            return _pattern_of(known)
    raise BadArgument(
        "the pattern of the Jacobian is not found: it has rows with hundreds of entries",
        hint="give the pattern, or take the dense srcad.jacobian",
    )


def _are_unknown(known: Any, probe: Any, along: Any) -> Any:
    """Which rows have other entries than those that are known."""
    return ~(np.abs(along - known @ probe) <= _NOISE * (abs(known) @ probe + np.abs(along)))


def _with_rows(known: Any, rows: list[tuple[int, Any]]) -> Any:
    """What is known, with other rows in the place of these."""
    kept = np.ones(known.shape[0])
    kept[[k for k, _ in rows]] = 0.0
    entries = [(values[values != 0.0], np.flatnonzero(values), k) for k, values in rows]
    places = np.concatenate([np.zeros(0, np.int64), *[np.full(each.size, k) for each, _, k in entries]])
    data, columns = (np.concatenate([np.zeros(0), *[each[j] for each in entries]]) for j in range(2))
    added = csr_array((data, (places, columns.astype(np.int64))), shape=known.shape)
    found = csr_array(known.multiply(kept[:, None])) + added
    found.eliminate_zeros()
    return found


def _singles(product: Product, known: Any, members: Any, generator: Any) -> tuple[Any, Any, Any]:
    """The entries of rows that have one within a group, apart from those that are known."""
    width = members.size
    places = np.arange(1.0, width + 1.0)
    one, two = (np.where(members, generator.uniform(0.5, 1.5, width), 0.0) for _ in range(2))
    first, ratio, second = (_rest(product, known, each) for each in (one, one * places, two))
    rows = np.flatnonzero(first)
    quotient = ratio[rows] / first[rows]
    columns = np.rint(quotient).astype(np.int64) - 1
    fits = (np.abs(quotient - columns - 1.0) < _EXACT) & (columns >= 0) & (columns < width)
    fits &= members[np.clip(columns, 0, width - 1)]
    rows, columns = rows[fits], columns[fits]
    values = first[rows] / one[columns]
    fits = np.abs(second[rows] - values * two[columns]) <= _EXACT * np.abs(values)
    return values[fits], rows[fits], columns[fits]


def _united(known: Any, singles: list[tuple[Any, Any, Any]]) -> Any:
    """What is known with the entries that have been found, which are at other places."""
    values, rows, columns = (np.concatenate(parts) for parts in zip(*singles, strict=True))
    found = csr_array((values, (rows, columns)), shape=known.shape)
    return known + found if known.nnz else found


def _rest(product: Product, known: Any, vector: Any) -> Any:
    """The product of the unknown entries with a vector; rounding errors count as zero."""
    along = product(vector)
    if not known.nnz:
        return along
    rest = along - known @ vector
    return np.where(np.abs(rest) <= _NOISE * (abs(known) @ vector + np.abs(along)), 0.0, rest)


def _pattern_of(known: Any) -> Any:
    pattern = csr_array((np.ones(known.nnz, bool), known.indices, known.indptr), shape=known.shape)
    pattern.sort_indices()
    return pattern
