"""A sparse matrix from products with one vector for each colour, and the plan by which it is read from them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from srcad.errors import BadArgument
from srcad.sparse.colouring import column_colours, fewest_colours
from srcad.sparse.compiled_loops import compiled_loop
from srcad.sparse.remainder_search import random_direction
from srcad.sparse.sparse_loops import agrees, are_apart, by_colour, take

_FORMAT = 1  # of files that hold plans


@dataclass(frozen=True, eq=False)
class Plan:
    """The pattern of a matrix, in CSR form, with colours of its columns; it can be pickled and saved.

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
        matrix.sum_duplicates()  # which sorts, too
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

    def save(self, file: Any) -> None:
        """Write the plan to a file, a name or an open file, in NumPy's format `.npz`: arrays only.

        >>> import io
        >>> file = io.BytesIO()
        >>> Plan.of(np.eye(3)).save(file)
        >>> Plan.load(io.BytesIO(file.getvalue())).shape
        (3, 3)
        """
        held = {"shape": np.array(self.shape), "indptr": self.indptr, "indices": self.indices}
        np.savez_compressed(file, srcad_plan=np.array(_FORMAT), colour_of=self.colour_of, **held)

    @staticmethod
    def load(file: Any) -> Plan:
        """The plan that `save` has written. Nothing in the file is executed; raises BadArgument for another content."""
        with np.load(file, allow_pickle=False) as held:
            if "srcad_plan" not in held or int(held["srcad_plan"]) != _FORMAT:
                raise BadArgument(
                    f"the file holds no plan of format {_FORMAT}", hint="write it anew, with the `save` of a plan"
                )
            height, width = (int(each) for each in held["shape"])
            plan = Plan((height, width), held["indptr"], held["indices"], held["colour_of"])
        if not plan._is_valid():
            raise BadArgument("the plan in the file is damaged", hint="write it anew, with the `save` of a plan")
        return plan

    def _is_valid(self) -> bool:
        height, width = self.shape
        arrays = (self.indptr, self.indices, self.colour_of)
        if any(each.ndim != 1 or each.dtype.kind != "i" for each in arrays):
            return False
        if self.indptr.size != height + 1 or self.colour_of.size != width or self.indptr[0] != 0:
            return False
        if self.indptr[-1] != self.indices.size or np.any(np.diff(self.indptr) < 0):
            return False
        if self.indices.size and not 0 <= self.indices.min() <= self.indices.max() < width:
            return False
        if not self.pattern.has_canonical_format or self.colour_of.min(initial=0) < 0 or self.colours > max(width, 1):
            return False
        return bool(compiled_loop(are_apart)(self.indptr, self.indices, self.colour_of, self.colours))

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
        self._probe = random_direction(plan.shape[1])
        self._seeds = [np.asarray(plan.colour_of == each, np.float64) for each in range(plan.colours)]
        # For each colour, what the probe is at the column of each row's entry; zero where a row has none.
        self._weights = np.zeros((plan.colours, plan.shape[0]))
        given = plan.indptr, plan.indices, plan.colour_of, self._probe, self._weights
        self._starts, self._places, self._rows = compiled_loop(by_colour)(*given)
        _keep_freed_memory()

    def matrix(self, product: Callable[[Any], Any]) -> Any:
        """The matrix with these products; None if it has entries outside of the pattern.

        That is seen along a random direction, in each row by itself. A product may not write to the vector that it is
        given.
        """
        plan, taken = self.plan, compiled_loop(take)
        expected = product(self._probe)
        data = np.empty(plan.indices.size, expected.dtype)
        total, terms = np.zeros_like(expected), np.abs(expected)
        for colour, seed in enumerate(self._seeds):
            of = slice(self._starts[colour], self._starts[colour + 1])
            taken(data, product(seed), self._places[of], self._rows[of], self._weights[colour], total, terms)
        if not compiled_loop(agrees)(expected, total, terms):
            return None
        found = csr_array((data, *self._structure), shape=plan.shape)
        found.has_canonical_format = True
        return found


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
