"""`Plan`: the pattern of a sparse matrix, and the colours by which few products give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from srcad.errors import BadArgument
from srcad.sparse.acyclic_colouring import substituted_colours
from srcad.sparse.colouring import column_colours, fewest_colours, symmetric_colours
from srcad.sparse.compiled_loops import compiled_loop
from srcad.sparse.sparse_loops import are_apart, differs_from_neighbours, mirrors, star_sources, substitution_order

_FORMAT = 1  # of files that hold plans
_WAYS = ("columns", "rows", "symmetric", "acyclic")
_MANY = 3  # colours, from which other ways than columns are tried
_FEWER = 0.75  # of the colours, for which entries are found by substitution


@dataclass(frozen=True, eq=False)
class Plan:
    """The pattern of a matrix, in CSR form, with colours of its columns; it can be pickled and saved.

    way         "columns": columns of one colour have no row in common, and are read from one product; "rows": the same
                for rows, `colour_of` being theirs, and products of the transposed matrix; "symmetric": columns have a
                star colouring, and entries are read from their row or from its mirror; "acyclic": columns have an
                acyclic colouring, and entries are found by substitution

    `colours` is the number of sweeps of one matrix, and `fewest_colours` what no colouring of columns is below.
    """

    shape: tuple[int, int]
    indptr: Any
    indices: Any
    colour_of: Any
    way: str = "columns"

    @staticmethod
    def of(pattern: Any, ways: tuple[str, ...] = ("columns",)) -> Plan:
        """The plan for a pattern, a matrix, dense or sparse, that is not zero where entries may be.

        Of several ways, the one with the fewest sweeps is taken; one for a row counts twice.

        >>> plan = Plan.of(np.eye(4) + np.eye(4, k=1))
        >>> plan.colours, plan.fewest_colours, plan.shape
        (2, 2, (4, 4))
        """
        matrix = csr_array(pattern)
        matrix.sum_duplicates()  # which sorts, too
        fewest = fewest_colours(matrix)
        if "rows" in ways and fewest > _MANY and 2 * fewest_colours(matrix.T.tocsr()) < fewest:
            colours = column_colours(_booleans(matrix.T.tocsr()))
            if 2 * (colours.max() + 1) < fewest:
                return Plan(matrix.shape, matrix.indptr, matrix.indices, colours, "rows")
        plan = None
        if "symmetric" in ways and fewest > _MANY:
            both = _symmetric(matrix)
            colours = symmetric_colours(both)
            if colours.max() + 1 < fewest:
                plan = Plan(both.shape, both.indptr, both.indices, colours, "symmetric")
        if plan is None:
            plan = Plan(matrix.shape, matrix.indptr, matrix.indices, column_colours(matrix))
        return plan._by_substitution(matrix) if "acyclic" in ways and plan.colours > _MANY else plan

    def _by_substitution(self, matrix: Any) -> Plan:
        """A plan by substitution for this symmetric matrix, if it needs clearly fewer products, else this one."""
        both = _symmetric(matrix)
        colours = substituted_colours(both)
        if colours is None or colours.max() + 1 > _FEWER * self.colours:
            return self
        return Plan(both.shape, both.indptr, both.indices, colours, "acyclic")

    def without_substitution(self) -> Plan:
        """The plan for the same symmetric matrix by which each entry is read from one product.

        >>> Plan.of(np.ones((4, 4)) - np.eye(4, k=3), ("acyclic",)).without_substitution().way
        'columns'
        """
        return Plan.of(self.pattern, ("columns", "symmetric"))

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
        np.savez_compressed(
            file, srcad_plan=np.array(_FORMAT), way=np.array(_WAYS.index(self.way)), colour_of=self.colour_of, **held
        )

    @staticmethod
    def load(file: Any) -> Plan:
        """The plan that `save` has written. Nothing in the file is executed; raises BadArgument for another content."""
        with np.load(file, allow_pickle=False) as held:
            if "srcad_plan" not in held or int(held["srcad_plan"]) != _FORMAT:
                raise BadArgument(
                    f"the file holds no plan of format {_FORMAT}", hint="write it again, with the `save` of a plan"
                )
            height, width = (int(each) for each in held["shape"])
            way = int(held["way"])
            plan = Plan((height, width), held["indptr"], held["indices"], held["colour_of"], _WAYS[way % len(_WAYS)])
        if not 0 <= way < len(_WAYS) or not plan._is_valid():
            raise BadArgument("the plan in the file is damaged", hint="write it again, with the `save` of a plan")
        return plan

    def _is_valid(self) -> bool:
        height, width = self.shape
        arrays = (self.indptr, self.indices, self.colour_of)
        if any(each.ndim != 1 or each.dtype.kind != "i" for each in arrays):
            return False
        coloured = height if self.way == "rows" else width
        if self.indptr.size != height + 1 or self.colour_of.size != coloured or self.indptr[0] != 0:
            return False
        if self.indptr[-1] != self.indices.size or np.any(np.diff(self.indptr) < 0):
            return False
        if self.indices.size and not 0 <= self.indices.min() <= self.indices.max() < width:
            return False
        if (
            not self.pattern.has_canonical_format
            or self.colour_of.min(initial=0) < 0
            or self.colours > max(coloured, 1)
        ):
            return False
        if self.way == "acyclic":
            return height == width and self._is_acyclic()
        if self.way == "symmetric":
            found = compiled_loop(star_sources)(self.indptr, self.indices, self.colour_of, self.colours)
            return height == width and bool(found.size == self.indices.size)
        matrix = self.pattern.T.tocsr() if self.way == "rows" else self
        return bool(compiled_loop(are_apart)(matrix.indptr, matrix.indices, self.colour_of, self.colours))

    def _is_acyclic(self) -> bool:
        graph, mirrored = (self.indptr, self.indices), self.pattern.T.tocsr()
        if not np.array_equal(mirrored.indptr, self.indptr) or not np.array_equal(mirrored.indices, self.indices):
            return False
        if not compiled_loop(differs_from_neighbours)(*graph, self.colour_of):
            return False
        across = compiled_loop(mirrors)(*graph)
        listed = compiled_loop(substitution_order)(*graph, across, self.colour_of, self.colours, 0)[0].shape[1]
        return bool(2 * listed + np.count_nonzero(self.pattern.diagonal()) == self.indices.size)

    def united(self, pattern: Any, ways: tuple[str, ...] = ("columns",)) -> Plan:
        """The plan for what is in this pattern or another one of the same shape."""
        return Plan.of(self.pattern + csr_array(pattern).astype(bool), ways)

    def transposed(self) -> Plan:
        """The plan by rows as one for the columns of the transposed matrix."""
        matrix = self.pattern.T.tocsr()
        return Plan(matrix.shape, matrix.indptr, matrix.indices, self.colour_of)


def _symmetric(matrix: Any) -> Any:
    """The pattern of a matrix and its mirror, in canonical form."""
    both = csr_array(_booleans(matrix) + _booleans(matrix).T.tocsr())
    both.sort_indices()
    return both


def _booleans(matrix: Any) -> Any:
    """The pattern of a matrix, with True also for entries that are stored and zero."""
    return csr_array((np.ones(matrix.nnz, bool), matrix.indices, matrix.indptr), shape=matrix.shape)
