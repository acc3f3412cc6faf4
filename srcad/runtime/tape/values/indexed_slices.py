"""`IndexedSlices`: the sparse gradient of a gather, which has only the rows that were read.

    np.take(table, ids, axis=0)         table a Variable: its gradient has as many rows as there are ids
    table[ids]

During a reverse sweep these are `Rows`, whose sum is the concatenation of their rows.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srcad.errors import BadArgument
from srcad.runtime import kernels
from srcad.runtime.tape.core.node import SparseAdjoint
from srcad.runtime.tape.core.operand import Readable
from srcad.runtime.tape.core.tensor import Tensor, tensor_of
from srcad.runtime.tape.reverse.pullbacks import GATHERS
from srcad.runtime.tape.reverse.rules_on_tensors import as_primitive
from srcad.runtime.tape.values.conversions import convert_to_tensor


class IndexedSlices(Readable):
    """Rows of an array that is zero elsewhere; rows with the same index are added up.

    values        the rows, a tensor whose first axis is that of the indices
    indices       the positions of the rows, a tensor of integers
    dense_shape   the shape of the whole array, a tensor of integers, or None if unknown

    It is an operand: NumPy's functions, operators and `np.asarray` use it as the whole array.

    >>> slices = IndexedSlices([[1.0, 2.0], [10.0, 20.0]], [1, 1], (3, 2))
    >>> np.asarray(slices).tolist()
    [[0.0, 0.0], [11.0, 22.0], [0.0, 0.0]]
    """

    __slots__ = ("__weakref__", "_dense", "dense_shape", "indices", "values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values: Tensor = convert_to_tensor(values)
        self.indices: Tensor = convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else convert_to_tensor(np.asarray(dense_shape, np.int64))
        self._dense: Tensor | None = None

    def _read(self) -> Tensor:
        """The whole array as a tensor, recorded as a function of the values."""
        if self._dense is None:
            if self.dense_shape is None:
                raise BadArgument(
                    "the length of the array that IndexedSlices are of is not known", hint="give dense_shape"
                )
            index = self.indices._value
            self._dense = as_primitive(kernels.scatter)(self.values, self.shape, index)
        return self._dense

    @property
    def _identity(self) -> int:  # type: ignore[override]
        return self._read()._identity

    def _array(self) -> Any:
        return self._read()._value

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes of the whole array."""
        if self.dense_shape is None:
            return self._read().shape
        return tuple(self.dense_shape.tolist())

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self.values.dtype

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __repr__(self) -> str:
        return f"IndexedSlices(indices={self.indices!r}, values={self.values!r}, dense_shape={self.dense_shape!r})"

    __str__ = __repr__


class Rows(SparseAdjoint):
    """A contribution to an adjoint: pairs of indices and rows, as arrays or, in a recorded sweep, tensors."""

    __slots__ = ("dtype", "is_taken", "parts", "shape")

    __array_ufunc__ = None  # arrays and tensors then leave sums to `__radd__`

    def __init__(self, parts: list[tuple[Any, Any]], shape: tuple[int, ...], dtype: Any, is_taken: bool) -> None:
        self.parts, self.shape, self.dtype, self.is_taken = parts, shape, dtype, is_taken

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Rows):
            return Rows(self.parts + other.parts, self.shape, self.dtype, self.is_taken and other.is_taken)
        return self.dense() + other

    __radd__ = __add__

    def dense(self) -> Any:
        """The whole array."""
        if not any(isinstance(values, Tensor) for _, values in self.parts):
            return kernels.scatter(_joined([each for _, each in self.parts]), self.shape, self._indices())
        total = None
        for index, values in self.parts:
            part = as_primitive(kernels.scatter)(values, self.shape, index)
            total = part if total is None else total + part
        return total

    def _indices(self) -> Any:
        return _joined([index for index, _ in self.parts])

    def slices(self, as_recorded: bool = False) -> IndexedSlices:
        """The rows for the user. A sweep adds the last call first; with `as_recorded` the first call comes first."""
        parts = self.parts[::-1] if as_recorded else self.parts
        values: Any = _joined([values for _, values in parts])
        indices = _joined([index for index, _ in parts])
        indices = np.where(indices < 0, indices + self.shape[0], indices)
        return IndexedSlices(
            values if isinstance(values, Tensor) else tensor_of(values), tensor_of(indices), self.shape
        )


def _joined(parts: Sequence[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def rows_of(bar: Any, index: Any, like: Tensor, primitive: Any) -> Rows:
    """The contribution of a gather whose result has the adjoint `bar`."""
    shape, dtype = like._value.shape, like._value.dtype
    rows = (index.size, *shape[1:])
    values = bar if bar.shape == rows else np.reshape(bar, rows)
    if values.dtype is not dtype and values.dtype != dtype:
        values = values.astype(dtype)
    return Rows([(index if index.ndim == 1 else index.reshape(-1), values)], shape, dtype, primitive is np.take)


def gathered(primitive: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """The indices with which a call takes rows of its first argument; None if it does something else."""
    table, key, *rest = arguments
    if primitive not in GATHERS or type(table) is not Tensor or not table._value.ndim:
        return None
    if primitive is np.take:
        axis = rest[0] if rest else keywords.get("axis")
        if len(rest) > 1 or set(keywords) - {"axis"} or not (axis == 0 or (axis is None and table.ndim == 1)):
            return None
    elif not isinstance(key, (list, np.ndarray, Tensor)):
        return None
    index = key._value if type(key) is Tensor else key
    if type(index) is not np.ndarray:
        index = np.asarray(index)
    if index.dtype.kind not in "iu" or (primitive is operator.getitem and not index.ndim):
        return None
    return index
