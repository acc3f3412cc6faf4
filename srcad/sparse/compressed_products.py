"""A sparse matrix from products with one vector for each colour."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from srcad.api.products_at_once import in_blocks
from srcad.errors import BadArgument
from srcad.runtime.kernels.directions import WIDTH
from srcad.sparse.compiled_loops import compiled_loop
from srcad.sparse.plans import Plan
from srcad.sparse.remainder_search import random_direction
from srcad.sparse.sparse_loops import (
    add_products,
    agrees,
    by_colour,
    mirrors,
    star_sources,
    substitute,
    substitution_order,
    take,
    take_in_order,
    trees_of_edges,
)


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
        self._read: _FromColumns | _FromMirror | _FromTrees
        self._order: Any = None  # of entries by rows among those by columns
        if plan.way == "rows":
            transposed = plan.transposed()
            self._read, places = _FromColumns(transposed), np.arange(plan.indices.size)
            mirrored = csr_array((places, transposed.indices, transposed.indptr), shape=transposed.shape)
            self._order = mirrored.T.tocsr().data
        else:
            readers: dict[str, Any] = {"symmetric": _FromMirror, "acyclic": _FromTrees}
            self._read = readers.get(plan.way, _FromColumns)(plan)
        _keep_freed_memory()

    def matrix(self, product: Callable[[Any], Any], at_once: AtOnce | None = None) -> Any:
        """The matrix with these products, of the transposed matrix for a plan by rows; None if it has other entries.

        Entries outside of the pattern are seen along a random direction, in each row by itself, or in each column for a
        plan by rows. A product may not write to the vector that it is given. `at_once` gives products with vectors that
        are the columns of blocks, as columns of blocks, or None where single ones are to be taken.
        """
        blocks = None if at_once is None else at_once(self._read.blocks, self.plan.colours + 1)
        data = self._read.data(product) if blocks is None else self._read.from_blocks(blocks)
        if not self._read.is_accurate:
            vars(self).update(vars(Compressed(self.plan.without_substitution())))
            return self.matrix(product, at_once)
        if data is None:
            return None
        data = data if self._order is None else data[self._order]
        found = csr_array((data, *self._structure), shape=self.plan.shape)
        found.has_canonical_format = True
        return found


_LISTED_AFTER = 4  # matrices
_AT_ONCE = 16  # products that are kept before entries are read from them
AtOnce = Callable[[Callable[[], Sequence[Any]], int], "list[Any] | None"]


class _Reader:
    """What both ways to read the entries from products share: the vectors, and the test that no entry is left out."""

    _plan: Plan
    _probe: Any
    _seeds: list[Any]
    is_accurate = (
        True  # False if entries of the last matrix are not found by substitution as exactly as they have to be
    )

    def blocks(self) -> list[Any]:
        """The vectors of all colours and the random one as the columns of blocks."""
        if self._blocks is None:
            self._blocks = in_blocks([*self._seeds, self._probe])
        return self._blocks

    _blocks: list[Any] | None = None

    def _checked(self, data: Any, expected: Any) -> Any:
        total, terms = np.zeros_like(expected), np.abs(expected)
        compiled_loop(add_products)(self._plan.indptr, self._plan.indices, data, self._probe, total, terms)
        return data if compiled_loop(agrees)(expected, total, terms) else None

    def _probed(self, blocks: Sequence[Any]) -> Any:
        return np.ascontiguousarray(blocks[-1][:, len(self._seeds) % WIDTH])


class _FromColumns(_Reader):
    """Entries from the products of columns that have no row in common.

    The first matrices are read row by row. To list the entries by colours takes as long as that does a few times; it
    is done for those who need more.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan, self._probe = plan, random_direction(plan.shape[1])
        self._seeds, self._calls = _seeds(plan), 0

    @functools.cached_property
    def _listed(self) -> tuple[Any, Any, Any, Any]:
        """Where each colour starts among places and rows of entries; for each colour, the probe at each row's entry."""
        plan, weights = self._plan, np.zeros((self._plan.colours, self._plan.shape[0]))
        given = plan.indptr, plan.indices, plan.colour_of, self._probe, weights
        return (*compiled_loop(by_colour)(*given), weights)

    def data(self, product: Callable[[Any], Any]) -> Any:
        """The entries, or None if there are others."""
        expected = product(self._probe)
        data = np.empty(self._plan.indices.size, expected.dtype)
        self._calls += 1
        if self._calls > _LISTED_AFTER:
            return self._by_colour(product, data, expected)
        for first in range(0, len(self._seeds), _AT_ONCE):
            self._take(data, np.array([product(seed) for seed in self._seeds[first : first + _AT_ONCE]]), first)
        return self._checked(data, expected)

    def _by_colour(self, product: Callable[[Any], Any], data: Any, expected: Any) -> Any:
        starts, places, rows, weights = self._listed
        taken, total, terms = compiled_loop(take), np.zeros_like(expected), np.abs(expected)
        for colour, seed in enumerate(self._seeds):
            of = slice(starts[colour], starts[colour + 1])
            taken(data, product(seed), places[of], rows[of], weights[colour], total, terms)
        return data if compiled_loop(agrees)(expected, total, terms) else None

    def from_blocks(self, blocks: Sequence[Any]) -> Any:
        """The entries from the products with the vectors in blocks, or None if there are others."""
        data = np.empty(self._plan.indices.size)
        for k, block in enumerate(blocks):
            self._take(data, block.T, k * WIDTH)
        return self._checked(data, self._probed(blocks))

    def _take(self, data: Any, products: Any, first: int) -> None:
        compiled_loop(take_in_order)(data, products, self._plan.indptr, self._plan.indices, self._plan.colour_of, first)


class _FromMirror(_Reader):
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
        return self._checked(data, expected)

    def from_blocks(self, blocks: Sequence[Any]) -> Any:
        """The entries from the products with the vectors in blocks, or None if there are others."""
        data = np.empty(self._plan.indices.size)
        for colour, (places, rows) in enumerate(zip(self._places, self._rows, strict=True)):
            data[places] = blocks[colour // WIDTH][rows, colour % WIDTH]
        return self._checked(data, self._probed(blocks))


class _FromTrees(_Reader):
    """Entries of a symmetric matrix from the products of columns with an acyclic colouring, by substitution."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._probe = plan, random_direction(plan.shape[1])
        self._seeds, graph = _seeds(plan), (plan.indptr, plan.indices)
        across = compiled_loop(mirrors)(*graph)
        order, _ = compiled_loop(substitution_order)(*graph, across, plan.colour_of, plan.colours, 0)
        trees = compiled_loop(trees_of_edges)(order, plan.shape[0] * plan.colours)
        self._order = order[:, np.argsort(trees, kind="stable")]  # tree by tree, as rows of one are near to each other
        if max(plan.shape[0] * plan.colours, plan.indices.size) < np.iinfo(np.int32).max:
            self._order = self._order.astype(np.int32)
        rows = np.repeat(np.arange(plan.shape[0]), np.diff(plan.indptr))
        self._diagonal = np.flatnonzero(rows == plan.indices)
        self._ends = plan.colour_of[rows[self._diagonal]] * plan.shape[0] + rows[self._diagonal]

    def data(self, product: Callable[[Any], Any]) -> Any:
        """The entries, or None if there are others."""
        expected = product(self._probe)
        products = np.empty((len(self._seeds), expected.size), expected.dtype)
        for row, seed in zip(products, self._seeds, strict=True):
            row[:] = product(seed)
        return self._checked(self._substituted(products), expected)

    def from_blocks(self, blocks: Sequence[Any]) -> Any:
        """The entries from the products with the vectors in blocks, or None if there are others."""
        products = np.concatenate([block.T for block in blocks])[: len(self._seeds)]
        return self._checked(self._substituted(products), self._probed(blocks))

    def _substituted(self, products: Any) -> Any:
        flat = np.ascontiguousarray(products).reshape(-1)
        data = np.empty(self._plan.indices.size, flat.dtype)
        data[self._diagonal] = flat[self._ends]
        scales = np.zeros(self._plan.shape[0])
        scales[self._plan.indices[self._diagonal]] = np.sqrt(np.abs(data[self._diagonal]))
        self.is_accurate = compiled_loop(substitute)(data, flat, self._order, scales, np.zeros(flat.size))
        return data


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
