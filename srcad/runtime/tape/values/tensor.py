"""`Tensor`: an immutable array value with an identity, by which tapes know it.

The identity is a number that is never used twice. Tapes store identities and nodes; tensors have no reference to a
tape. A tape that is deleted therefore releases what it recorded, even if tensors live on. The array inside a tensor is
never written to, and never returned as a writable array.
"""

from __future__ import annotations

import itertools
from typing import Any, TypeGuard

import numpy as np

from srcad.errors import BadArgument, BadValue
from srcad.refusals.tapes import CONSTANT_SIZE
from srcad.runtime.support.nested_structures import flatten, map_leaves
from srcad.runtime.tape.values.tensor_protocols import Operand

next_identity = itertools.count(1).__next__


class Tensor(Operand):
    """An immutable array that NumPy's functions and operators accept, and that a `GradientTape` can follow.

    Tensors are made by `srcad.constant`, `srcad.convert_to_tensor` and by operations on other tensors.

    >>> x = constant([1.0, 2.0])
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

    def __reduce__(self) -> Any:
        return constant, (np.asarray(self._value),)


_new = object.__new__


def tensor_of(value: Any) -> Tensor:
    """A tensor that holds this array or NumPy scalar without a copy; nobody may write to it afterwards."""
    tensor = _new(Tensor)
    tensor._value = value
    tensor._identity = next_identity()
    return tensor


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor with a copy of the value; a single number fills the `shape`. The dtype follows NumPy.

    A tensor is returned as it is, as in TensorFlow. A list with tensors is converted as by `convert_to_tensor`: tapes
    that follow the tensors follow the result.

    Raises ValueError if the value is not an array of numbers (such as None), TypeError if it does not fit the `shape`.

    >>> constant([1, 2], dtype="float32")
    <srcad.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    >>> constant(0.5, shape=(2,)).tolist()
    [0.5, 0.5]
    """
    if isinstance(value, Tensor) or _holds_operands(value):
        return _reshaped(convert_to_tensor(value), dtype, shape)
    array = as_array(value, dtype, copy=True)
    if shape is None:
        return tensor_of(array if array.ndim else array[()])
    wanted = _lengths(shape)
    if array.size == 1:
        return tensor_of(np.full(wanted, array.reshape(())))
    if array.size != np.prod(wanted):
        raise CONSTANT_SIZE.error(size=array.size, shape=wanted)
    return tensor_of(array.reshape(wanted))


def _reshaped(tensor: Tensor, dtype: Any, shape: Any) -> Tensor:
    """A tensor in another dtype and shape, recorded as computed from the first one."""
    made: Any = tensor if dtype is None or tensor.dtype == np.dtype(dtype) else tensor.astype(dtype)
    if shape is None or made.shape == _lengths(shape):
        return made  # type: ignore[no-any-return]
    if made.size == 1:
        return np.broadcast_to(made.reshape(()), _lengths(shape))  # type: ignore[return-value]
    if made.size != np.prod(_lengths(shape)):
        raise CONSTANT_SIZE.error(size=made.size, shape=_lengths(shape))
    return made.reshape(_lengths(shape))  # type: ignore[no-any-return]


def _lengths(shape: Any) -> tuple[int, ...]:
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)


def _holds_operands(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(each, Operand) for each in flatten(value))


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """The value as a tensor: a tensor itself, a variable's current value, or a copy of anything else.

    A list with tensors becomes a tensor that tapes record as computed from these. Raises ValueError if a tensor or
    variable has another dtype than `dtype`.

    >>> x = constant(2.0)
    >>> convert_to_tensor(x) is x, convert_to_tensor([1, 2]).dtype
    (True, dtype('int64'))
    """
    if isinstance(value, Operand):
        if dtype is not None and value.dtype != np.dtype(dtype):
            raise BadArgument(f"Tensor conversion requested dtype {np.dtype(dtype)} for {value!r}")
        if isinstance(value, Tensor):
            return value
        return +value if value.dtype.kind in "iufc" else np.copy(value)  # type: ignore[return-value]
    if _holds_operands(value):
        from srcad.runtime.tape.values.list_stacking import packed

        return convert_to_tensor(packed(value), dtype, dtype_hint)
    if dtype is None and dtype_hint is not None:
        hinted = as_array(value, None, copy=False)
        if np.can_cast(hinted.dtype, dtype_hint, "same_kind"):
            dtype = dtype_hint
    return constant(value, dtype)


def is_tensor(value: Any) -> TypeGuard[Operand]:
    """Whether a value is a tensor or a variable.

    >>> is_tensor(constant(1.0)), is_tensor(1.0)
    (True, False)
    """
    return isinstance(value, Operand)


_default: list[Any] = [np.dtype(np.float64)]


def set_default_dtype(dtype: Any) -> None:
    """Set the dtype of Python floats in new tensors and variables: float64 by default; float32 is that of TensorFlow.

    NumPy's arrays and numbers keep their dtype. Raises ValueError if it is not a floating-point dtype.

    >>> set_default_dtype("float32")
    >>> constant([1.0, 2.0]).dtype, constant(np.ones(2)).dtype
    (dtype('float32'), dtype('float64'))
    >>> set_default_dtype("float64")
    """
    wanted = np.dtype(dtype)
    if wanted.kind != "f":
        raise BadArgument(f"the default dtype is a floating one, not {wanted}")
    _default[0] = wanted


def _is_of_python_floats(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_of_python_floats(each) for each in value)
    return type(value) in (float, int, bool)


def as_array(value: Any, dtype: Any, copy: bool) -> np.ndarray[Any, Any]:
    """The value as an array of numbers, copied if `copy`. Raises ValueError if it is none."""
    if value is None:
        raise BadArgument("Attempt to convert a value (None) with an unsupported type to a Tensor")
    if dtype is None and _default[0] != np.float64 and _is_of_python_floats(value):
        array = np.asarray(value)
        return array.astype(_default[0]) if array.dtype == np.float64 else array
    if _holds_operands(value):
        value = map_leaves(lambda leaf: leaf._array() if isinstance(leaf, Operand) else leaf, value)
    try:
        array = np.array(value, dtype) if copy else np.asarray(value, dtype)
    except (TypeError, ValueError) as error:
        raise BadValue(f"{value!r} does not become an array{f' of {dtype}' if dtype else ''}: {error}") from error
    if array.dtype == object:
        raise BadArgument(f"{value!r} is no array of numbers", hint="pass numbers, or lists of equal length")
    return array
