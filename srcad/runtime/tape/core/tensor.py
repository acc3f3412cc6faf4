"""`Tensor`: an immutable array value with an identity, by which tapes know it.

The identity is a number that is never used twice. Tapes store identities and nodes; tensors have no reference to a
tape. A tape that is deleted therefore releases what it recorded, even if tensors live on. The array inside a tensor is
never written to, and never returned as a writable array.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcad.errors import BadArgument, BadType, BadValue
from srcad.runtime.support.nested_structures import flatten, map_leaves
from srcad.runtime.tape.core.operand import Operand

next_identity = itertools.count(1).__next__


class Tensor(Operand):
    """An immutable array that NumPy's functions and operators accept, and that a `GradientTape` can follow.

    Tensors are made by `srcad.constant`, `srcad.convert_to_tensor` and by operations on other tensors.

    >>> import srcad
    >>> x = srcad.constant([1.0, 2.0])
    >>> np.sin(x) * 2.0 + x[0]
    <srcad.Tensor: shape=(2,), dtype=float64, numpy=array([2.68294197, 2.81859485])>
    """

    __slots__ = ("__weakref__", "_identity", "_value")

    _identity: int
    _value: Any

    def __init__(self) -> None:
        raise TypeError("tensors are made by srcad.constant(value)")

    def _array(self) -> Any:
        return self._value

    def __repr__(self) -> str:
        value = self._value if self._value.ndim else self._value.item()
        return f"<srcad.Tensor: shape={self.shape}, dtype={self.dtype}, numpy={value!r}>"

    def __str__(self) -> str:
        return f"srcad.Tensor({self._value}, shape={self.shape}, dtype={self.dtype})"

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: object) -> Tensor:
        return self


_new = object.__new__


def tensor_of(value: Any) -> Tensor:
    """A tensor that holds this array or NumPy scalar without a copy; nobody may write to it afterwards."""
    tensor = _new(Tensor)
    tensor._value = value
    tensor._identity = next_identity()
    return tensor


default_dtype: list[Any] = [np.dtype(np.float64)]  # its only element: the dtype of Python floats in new tensors


def _is_of_python_floats(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_of_python_floats(each) for each in value)
    return type(value) in (float, int, bool)


def as_array(value: Any, dtype: Any, copy: bool) -> np.ndarray[Any, Any]:
    """The value as an array of numbers, copied if `copy`. Raises BadValue, BadArgument or BadType if it is none."""
    if value is None:
        what = "Attempt to convert a value (None) with an unsupported type to a Tensor"
        raise BadArgument(what, hint="pass a number or an array")
    if dtype is None and default_dtype[0] != np.float64 and _is_of_python_floats(value):
        array = np.asarray(value)
        return array.astype(default_dtype[0]) if array.dtype == np.float64 else array
    if holds_operands(value):
        value = map_leaves(lambda leaf: leaf._array() if isinstance(leaf, Operand) else leaf, value)
    if type(value) is not np.ndarray and isinstance(value, np.ndarray) and isinstance(value, np.ma.MaskedArray):
        raise BadType("a masked array is no array of numbers", hint="pass a plain array, such as x.filled(0.0)")
    try:
        array = np.array(value, dtype) if copy else np.asarray(value, dtype)
    except (TypeError, ValueError) as error:
        what = f"{value!r} does not become an array{f' of {dtype}' if dtype else ''}: {error}"
        raise BadValue(what, hint="pass numbers, lists of equal length, and a dtype of NumPy's") from error
    if array.dtype == object:
        raise BadArgument(f"{value!r} is no array of numbers", hint="pass numbers, or lists of equal length")
    return array


def holds_operands(value: Any) -> bool:
    """Whether a value is a list or tuple, nested or not, that contains a tensor or variable."""
    return isinstance(value, (list, tuple)) and any(isinstance(each, Operand) for each in flatten(value))


def tensors_in(structure: Any) -> Iterator[Tensor]:
    """All tensors in nested lists, tuples and dictionaries, in the order of `flatten`."""
    return (leaf for leaf in flatten(structure) if type(leaf) is Tensor)


def unwrapped(structure: Any) -> Any:
    """The structure with arrays in place of tensors."""
    if type(structure) is Tensor:
        return structure._value
    if type(structure) is tuple:
        return tuple([each._value if type(each) is Tensor else unwrapped(each) for each in structure])
    return map_leaves(unwrapped, structure) if isinstance(structure, (list, tuple, dict)) else structure
