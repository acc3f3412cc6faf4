"""A sparse matrix from products with one vector for each colour."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from srcad.errors import BadArgument
from srcad.sparse.compiled_loops import compiled_loop
from srcad.sparse.plans import Plan
from srcad.sparse.remainder_search import random_direction
from srcad.sparse.sparse_loops import add_products, agrees, by_colour, star_sources, take


class Compressed:
    """The matrices of a plan.

    >>> matrix = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    >>> Compressed(Plan.of(matrix)).matrix(lambda vector: matrix @ vector).toarray()
    array([[1., 0., 2.],
           [0., 3., 0.]])
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        # The structure is that of all matrices; no caller can write into it.
        self._structure = tuple(each.copy() for each in (plan.indices, plan.indptr))
        for each in self._structure:
            each.flags.writeable = False
        self._read: _FromColumns | _FromMirror
        self._order: Any = None  # of entries by rows among those by columns
        if plan.way == "rows":
            transposed = plan.transposed()
            self._read, places = _FromColumns(transposed), np.arange(plan.indices.size)
            mirrored = csr_array((places, transposed.indices, transposed.indptr), shape=transposed.shape)
            self._order = mirrored.T.tocsr().data
        else:
            self._read = (_FromMirror if plan.way == "symmetric" else _FromColumns)(plan)
        _keep_freed_memory()

    def matrix(self, product: Callable[[Any], Any]) -> Any:
        """The matrix with these products, of the transposed matrix for a plan by rows; None if it has other entries.

        Entries outside of the pattern are seen along a random direction, in each row by itself, or in each column for a
        plan by rows. A product may not write to the vector that it is given.
        """
        data = self._read.data(product)
        if data is None:
            return None
        data = data if self._order is None else data[self._order]
        found = csr_array((data, *self._structure), shape=self.plan.shape)
        found.has_canonical_format = True
        return found


class _FromColumns:
    """Entries from the products of columns that have no row in common."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._probe = plan, random_direction(plan.shape[1])
        self._seeds = _seeds(plan)
        # For each colour, what the probe is at the column of each row's entry; zero where a row has none.
        self._weights = np.zeros((plan.colours, plan.shape[0]))
        given = plan.indptr, plan.indices, plan.colour_of, self._probe, self._weights
        self._starts, self._places, self._rows = compiled_loop(by_colour)(*given)

    def data(self, product: Callable[[Any], Any]) -> Any:
        """The entries, or None if there are others."""
        taken, expected = compiled_loop(take), product(self._probe)
        data = np.empty(self._plan.indices.size, expected.dtype)
        total, terms = np.zeros_like(expected), np.abs(expected)
        for colour, seed in enumerate(self._seeds):
            of = slice(self._starts[colour], self._starts[colour + 1])
            taken(data, product(seed), self._places[of], self._rows[of], self._weights[colour], total, terms)
        return data if compiled_loop(agrees)(expected, total, terms) else None


class _FromMirror:
    """Entries of a symmetric matrix from the products of columns with a star colouring."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._probe = plan, random_direction(plan.shape[1])
        self._seeds = _seeds(plan)
        is_own = compiled_loop(star_sources)(plan.indptr, plan.indices, plan.colour_of, plan.colours)
        rows, columns = np.repeat(np.arange(plan.shape[0]), np.diff(plan.indptr)), plan.indices
        colours = plan.colour_of[np.where(is_own, columns, rows)]
        self._places = [np.flatnonzero(colours == each) for each in range(plan.colours)]
        sources = np.where(is_own, rows, columns)
        self._rows = [sources[each] for each in self._places]

    def data(self, product: Callable[[Any], Any]) -> Any:
        """The entries, or None if there are others."""
        expected = product(self._probe)
        data = np.empty(self._plan.indices.size, expected.dtype)
        for seed, places, rows in zip(self._seeds, self._places, self._rows, strict=True):
            data[places] = product(seed)[rows]
        total, terms = np.zeros_like(expected), np.abs(expected)
        compiled_loop(add_products)(self._plan.indptr, self._plan.indices, data, self._probe, total, terms)
        return data if compiled_loop(agrees)(expected, total, terms) else None


def _seeds(plan: Plan) -> list[Any]:
    """For each colour, the sum of the unit vectors of its columns."""
    return [np.asarray(plan.colour_of == each, np.float64) for each in range(plan.colours)]


@functools.cache
def _keep_freed_memory() -> None:
    """Let the allocator keep what is freed for the next product, instead of giving it back to the system.

    The C library takes blocks larger than any that has been freed so far from the system, one by one, and gives them
    back. To free a large one raises that size; memory that is not touched costs nothing.
    """
    np.empty(31 * 2**20, np.int8)


def refuse_pattern() -> None:
    """Raise BadArgument for a given pattern that lacks entries."""
    raise BadArgument("there are entries outside of the pattern", hint="add them to the pattern, or leave it out")
