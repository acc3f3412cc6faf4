"""Packed lists: a long list of elements of one form becomes arrays, so that any index can be computed.

    [0.5, 1.5, ...]                         one array, and how many there are
    [np.ones(2), np.zeros(2), ...]          one array with an axis more
    [np.ones(2), np.zeros(3), ...]          all elements in a row, where each array begins, and the shapes
    [(0.5, np.ones(2)), ...]                the same for each part of the tuples

The number of elements is not part of the form, so lists of any length share the generated code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from srcad.transforms.ir.pytree_form import LEAF, Added, Form, Part, built

_NUMBERS = {float: "d", np.float64: "d", int: "q", bool: "?", complex: "D", np.complex128: "D"}


@dataclass(frozen=True)
class Column:
    """One leaf of all elements: numbers (`rank` 0), arrays of one shape (`even`) or of several."""

    code: str = field(compare=False)  # of the dtype
    rank: int
    even: bool = True

    @property
    def parts(self) -> tuple[str, ...]:
        """Its arrays: the values and, for arrays of several shapes, where each starts and the shapes."""
        if self.even:
            return ("values",)
        return ("values", "starts") if self.rank == 1 else ("values", "starts", "shapes")


@dataclass(frozen=True)
class Layout:
    """The class of a long list, the form of its elements, and a column for each of their leaves."""

    kind: type
    element: Part
    columns: tuple[Column, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of all arrays, preceded by the number of elements."""
        many = len(self.columns) > 1
        return ("count", *(f"{p}_{k}" if many else p for k, each in enumerate(self.columns) for p in each.parts))

    def by_column(self, parts: Sequence[Any]) -> list[tuple[Column, list[Any]]]:
        """The arrays, column by column."""
        left = iter(parts)
        next(left)
        return [(column, [next(left) for _ in column.parts]) for column in self.columns]


@dataclass(frozen=True)
class LongForm(Form):
    """The form of a long list."""

    layout: Layout

    @classmethod
    def of(cls, layout: Layout) -> LongForm:
        """The form of a list of this layout."""
        return cls(list, layout.keys, (LEAF,) * len(layout.keys), layout)

    def made(self, parts: list[Any]) -> Any:
        """The list."""
        return unpacked(self.layout, parts)


def layout_leaves(part: Part) -> Iterator[bool]:
    """For each leaf, constants included, whether it belongs to the layout of a long list (counts, starts, shapes)."""
    if isinstance(part, LongForm):
        yield from (not key.startswith("values") for key in part.keys)
    elif isinstance(part, Form):
        for each in part.parts:
            yield from layout_leaves(each)
    elif not isinstance(part, Added):
        yield False


@dataclass(frozen=True)
class Long:
    """A long list as arrays: the number of elements, then those of each column."""

    layout: Layout
    parts: tuple[Any, ...]


def column_of(leaves: Sequence[Any]) -> tuple[Column, list[Any]] | None:
    """The arrays for one leaf of all elements; None where the elements are of several kinds.

    >>> column_of([np.ones(2), np.zeros(3)])
    (Column(code='d', rank=1, even=False), [array([1., 1., 0., 0., 0.]), array([0, 2, 5])])
    """
    kinds = {type(leaf) for leaf in leaves}
    if kinds == {np.ndarray}:
        return _arrays(leaves)
    codes = {_NUMBERS.get(kind) or (np.dtype(kind).char if issubclass(kind, np.number) else None) for kind in kinds}
    code = codes.pop()
    if codes or code is None:
        return None
    try:
        return Column(code, 0), [np.array(leaves, dtype=code)]
    except OverflowError:
        return None


def _arrays(leaves: Sequence[Any]) -> tuple[Column, list[Any]] | None:
    if len({(leaf.dtype, leaf.ndim) for leaf in leaves}) > 1 or not leaves[0].ndim:
        return None
    code, rank = leaves[0].dtype.char, leaves[0].ndim
    if leaves[0].dtype.kind not in "fciub":
        return None
    shapes = [leaf.shape for leaf in leaves]
    if len(set(shapes)) == 1:
        return Column(code, rank), [np.stack(leaves)]
    starts = np.zeros(len(leaves) + 1, dtype=np.int64)
    np.cumsum([leaf.size for leaf in leaves], out=starts[1:])
    parts = [np.concatenate([leaf.ravel() for leaf in leaves]), starts]
    return Column(code, rank, False), parts if rank == 1 else [*parts, np.array(shapes, dtype=np.int64)]


def share_memory(leaves: Sequence[Any]) -> bool:
    """Whether some of the arrays, or single records, may share memory.

    >>> x = np.zeros((2, 3))
    >>> share_memory([x[0], x[1]]), share_memory([x[:, 0], x[:, 1], 1.0]), share_memory([x[0], x])
    (False, False, True)
    """
    leaves = [np.asarray(leaf) if isinstance(leaf, np.void) else leaf for leaf in leaves]
    bounds = sorted(
        ((*byte_bounds(leaf), k) for k, leaf in enumerate(leaves) if isinstance(leaf, np.ndarray) and leaf.size)
    )
    open_ends: list[tuple[int, int]] = []
    for first, last, k in bounds:
        open_ends = [each for each in open_ends if each[0] > first]
        for _, other in open_ends:
            try:
                if np.shares_memory(leaves[k], leaves[other], max_work=1000):  # type: ignore[arg-type]
                    return True
            except np.exceptions.TooHardError:
                return True
        open_ends.append((last, k))
    return False


def unpacked(layout: Layout, parts: Sequence[Any]) -> list[Any]:
    """The elements, from arrays; additional leading axes, as in Jacobians, are those of each element.

    >>> unpacked(Layout(list, LEAF, (Column("d", 1, False),)), [2, np.arange(3.0), np.array([0, 1, 3])])
    [array([0.]), array([1., 2.])]
    """
    columns = [_split(column, parts[0], arrays) for column, arrays in layout.by_column(parts)]
    return [built(layout.element, iter(leaves)) for leaves in zip(*columns, strict=True)]


def _split(column: Column, count: int, arrays: list[Any]) -> list[Any]:
    values = arrays[0]
    if values is None:
        return [None] * int(count)
    if column.even:
        moved = np.moveaxis(values, values.ndim - 1 - column.rank, 0)
        numbers = moved.ndim == 1 and column.code in "dD"
        return moved.tolist() if numbers else [each.copy() if each.ndim else each for each in moved]
    starts = arrays[1]
    pieces = [values[..., first:last] for first, last in pairwise(starts)]
    shapes = arrays[2] if column.rank > 1 else [piece.shape[-1:] for piece in pieces]
    return [piece.reshape(*piece.shape[:-1], *shape).copy() for piece, shape in zip(pieces, shapes, strict=True)]
