"""A sparse matrix from products with one vector for each colour, and the plan by which it is read from them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from scipy.sparse import csr_array

from srcad.errors import BadArgument
from srcad.sparse.colouring import column_colours, fewest_colours

_TOLERANCE = 1e-9  # of the test that the pattern is complete, relative to the size of the terms of a row


@dataclass(frozen=True, eq=False)
class Plan:
    """The pattern of a matrix, in CSR form, with colours of its columns; it can be pickled.

    `colours` is the number of sweeps of one matrix, and `fewest_colours` what no colouring is below.
    """

    shape: tuple[int, int]
    indptr: Any
    indices: Any
    colour_of: Any

    @staticmethod
    def of(pattern: Any) -> Plan:
        """The plan for a pattern, a matrix, dense or sparse, that is not zero where entries may be.

        >>> plan = Plan.of(np.eye(4) + np.eye(4, k=1))
        >>> plan.colours, plan.fewest_colours, plan.shape
        (2, 2, (4, 4))
        """
        matrix = csr_array(pattern)
        matrix.sum_duplicates()
        matrix.sort_indices()
        return Plan(matrix.shape, matrix.indptr, matrix.indices, column_colours(matrix))

    @property
    def colours(self) -> int:
        """The number of products that give the matrix."""
        return int(self.colour_of.max(initial=-1)) + 1

    @property
    def fewest_colours(self) -> int:
        """A lower bound of the number of colours, whatever the colouring."""
        return fewest_colours(self.pattern)

    @property
    def pattern(self) -> Any:
        """The pattern, a `scipy.sparse.csr_array` of truth values."""
        return csr_array((np.ones(self.indices.size, bool), self.indices, self.indptr), shape=self.shape)

    def united(self, pattern: Any) -> Plan:
        """The plan for what is in this pattern or another one of the same shape."""
        return Plan.of(self.pattern + csr_array(pattern).astype(bool))


class Compressed:
    """The matrices of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        # The structure is that of all matrices; no caller can write into it.
        self._structure = tuple(each.copy() for each in (plan.indices, plan.indptr))
        for each in self._structure:
            each.flags.writeable = False
        self._colours = plan.colour_of[plan.indices].astype(np.int32)  # of each entry
        self._seeds = [np.asarray(plan.colour_of == each, np.float64) for each in range(plan.colours)]
        self._probe = np.random.default_rng(0).uniform(0.5, 1.5, plan.shape[1])

    def matrix(self, product: Callable[[Any], Any]) -> Any:
        """The matrix with these products; None if it has entries outside of the pattern.

        That is seen along a random direction, in each row by itself.
        """
        plan = self.plan
        expected = product(self._probe)
        products = np.empty((plan.colours, plan.shape[0]), expected.dtype)
        for seed, row in zip(self._seeds, products, strict=True):
            row[:] = product(seed)
        data = np.empty(plan.indices.size, products.dtype)
        if not _reader()(data, products, self._colours, *self._structure, self._probe, expected):
            return None
        found = csr_array((data, *self._structure), shape=plan.shape)
        found.has_canonical_format = True
        return found


@functools.cache
def _reader() -> Callable[..., Any]:
    return numba.njit(_read)  # type: ignore[no-any-return]


def _read(data: Any, products: Any, colours: Any, indices: Any, indptr: Any, probe: Any, expected: Any) -> bool:
    """Fill in the entries of a matrix in CSR form; whether each row has the product with `probe` that is expected."""
    agrees = True
    for row in range(indptr.size - 1):
        total, terms = 0.0, abs(expected[row])
        for place in range(indptr[row], indptr[row + 1]):
            value = products[colours[place], row]
            data[place] = value
            term = value * probe[indices[place]]
            total += term
            terms += abs(term)
        off = abs(expected[row] - total)
        is_close = off <= _TOLERANCE * terms and off < np.inf
        agrees &= is_close or total == expected[row] or total != total  # infinity, and NaN that the row has itself
    return agrees


def refuse_pattern() -> None:
    """Raise BadArgument for a given pattern that lacks entries."""
    raise BadArgument("there are entries outside of the pattern", hint="add them to the pattern, or leave it out")
