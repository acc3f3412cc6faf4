"""NumPy's structured scalars and arrays as one plain array per field.

    np.zeros(4, [("x", float), ("v", float, 3)])       x of shape (4,), v of shape (4, 3)

A single record is treated as an array with one record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

RECORD_KINDS = frozenset((np.ndarray, np.recarray, np.void, np.record))


def is_records(value: Any) -> bool:
    """Whether a value is a structured scalar or array.

    >>> is_records(np.zeros(2, [("x", float)])), is_records(np.zeros(2, [("x", float)])[0]), is_records(np.zeros(2))
    (True, True, False)
    """
    return type(value) in RECORD_KINDS and value.dtype.names is not None


@dataclass(frozen=True)
class Layout:
    """The form of records: NumPy's class, the dtype, and the number of axes; 0 for a single record."""

    kind: type
    dtype: np.dtype[Any]
    ndim: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return self.dtype.names or ()

    def field(self, name: str) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """The dtype of a field's entries, and their shape in one record."""
        kind = self.dtype[name]
        return kind.base, kind.shape


@dataclass(frozen=True)
class Records:
    """Records as arrays, in the order of the fields."""

    layout: Layout
    parts: tuple[Any, ...]


def records_of(value: Any) -> Records | None:
    """The arrays of the fields, all copies; None if a field is itself a record, or neither number nor boolean.

    >>> records_of(np.array([(1.0, 2)], [("x", float), ("k", int)])[0]).parts
    (array([1.]), array([2]))
    """
    layout = Layout(type(value), value.dtype, value.ndim)
    if any(layout.field(name)[0].kind not in "fciub" for name in layout.names):
        return None
    rows = np.atleast_1d(np.asarray(value))
    return Records(layout, tuple(np.array(rows[name], order="C") for name in layout.names))


def put_together(layout: Layout, parts: Sequence[Any]) -> Any:
    """Records from the arrays of their fields; None stands for zeros. Additional leading axes become axes of records.

    >>> layout = Layout(np.ndarray, np.dtype([("x", float), ("k", int)]), 1)
    >>> put_together(layout, [np.ones(2), None])
    array([(1., 0), (1., 0)], dtype=[('x', '<f8'), ('k', '<i8')])
    """
    found = [(name, np.asarray(part)) for name, part in zip(layout.names, parts, strict=True) if part is not None]
    if not found:
        return None
    name, first = found[0]
    shape = first.shape[: first.ndim - len(layout.field(name)[1])]
    made = np.zeros(shape, layout.dtype)
    for name, part in found:
        made[name] = part
    if layout.ndim == 0:
        made = made[..., 0]
    if made.ndim == 0 and issubclass(layout.kind, np.void):
        return made[()]
    return made.view(np.recarray) if layout.kind is np.recarray else made
