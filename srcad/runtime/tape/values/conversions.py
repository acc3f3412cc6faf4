"""Tensors of values that are none yet: `constant` and `convert_to_tensor`."""

from __future__ import annotations

import copyreg
from typing import Any, TypeGuard

import numpy as np

from srcad.errors import BadArgument, BadValue
from srcad.refusals.tapes import CONSTANT_SIZE
from srcad.runtime.tape.core.operand import Operand
from srcad.runtime.tape.core.tensor import Tensor, as_array, default_dtype, holds_operands, tensor_of
from srcad.runtime.tape.values.list_stacking import packed


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor with a copy of the value; a single number fills the `shape`. The dtype follows NumPy.

    A tensor is returned as it is, and the present value of a variable is taken, as in TensorFlow. A list with tensors
    is converted as by `convert_to_tensor`: tapes that follow the tensors follow the result.

    Raises ValueError if the value is not an array of numbers (such as None), TypeError if it does not fit the `shape`.

    >>> constant([1, 2], dtype="float32")
    <srcad.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    >>> constant(0.5, shape=(2,)).tolist()
    [0.5, 0.5]
    """
    if isinstance(value, Tensor) or holds_operands(value):
        return _reshaped(convert_to_tensor(value), dtype, shape)
    array = as_array(value.numpy() if isinstance(value, Operand) else value, dtype, copy=True)
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
            raise BadArgument(
                f"Tensor conversion requested dtype {np.dtype(dtype)} for {value!r}",
                hint="write .astype(dtype) instead",
            )
        if isinstance(value, Tensor):
            return value
        return +value if value.dtype.kind in "iufc" else np.copy(value)  # type: ignore[return-value]
    if holds_operands(value):
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


def set_default_dtype(dtype: Any) -> None:
    """Set the dtype of Python floats in new tensors and variables: float64 by default; float32 is that of TensorFlow.

    NumPy's arrays and numbers keep their dtype. Raises ValueError if it is not a floating-point dtype.

    >>> set_default_dtype("float32")
    >>> constant([1.0, 2.0]).dtype, constant(np.ones(2)).dtype
    (dtype('float32'), dtype('float64'))
    >>> set_default_dtype("float64")
    """
    hint = "it is float64, or float32"
    try:
        wanted = np.dtype(dtype)
    except TypeError as error:
        raise BadValue(str(error), hint=hint) from None
    if wanted.kind != "f":
        raise BadArgument(f"the default dtype is a floating one, not {wanted}", hint=hint)
    default_dtype[0] = wanted


copyreg.pickle(Tensor, lambda tensor: (constant, (np.asarray(tensor._value),)))
