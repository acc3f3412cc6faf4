"""Arguments that look like numbers and arrays and are refused: their dtype or class, and what to pass instead."""

from __future__ import annotations

import decimal
import fractions
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

from srcad.errors import SrcadError
from srcad.refusals.types_and_results import (
    ARGUMENT_DTYPE,
    DEVICE_ARGUMENT,
    MASKED_ARGUMENT,
    MATRIX_ARGUMENT,
    NUMBER_ARGUMENT,
)

# The dtypes to convert to, by kind.
_CONVERTED = {"f": "np.float64", "c": "np.complex128"}
_NUMBERS = (fractions.Fraction, decimal.Decimal)


def refusal_of(name: str, value: Any) -> SrcadError | None:
    """The error for an argument, if it is of a kind that is known and has a cure; else None.

    >>> print(refusal_of("x", np.ones(2, dtype=">f8")).hint)
    convert it with x.astype(x.dtype.newbyteorder("="))
    >>> refusal_of("x", object())
    """
    if is_on_device(value):
        return DEVICE_ARGUMENT.error(type=type(value).__name__)
    if isinstance(value, np.matrix):
        return MATRIX_ARGUMENT.error(name=name)
    if isinstance(value, np.ma.MaskedArray):
        return MASKED_ARGUMENT.error(name=name, dtype=value.dtype)
    if isinstance(value, _NUMBERS):
        return NUMBER_ARGUMENT.error(name=name, type=type(value).__name__)
    found = _of_dtype(name, value) if isinstance(value, (np.ndarray, np.generic)) else None
    if found is None:
        return None
    why, cure = found
    return ARGUMENT_DTYPE.error(name=name, dtype=value.dtype, why=why, cure=f"convert it with {name}.{cure}")


def refuse_on_device(values: Iterable[Any]) -> None:
    """Raise NotDifferentiable for arrays in the memory of a GPU."""
    for value in values:
        if is_on_device(value):
            raise DEVICE_ARGUMENT.error(type=type(value).__name__)


def is_on_device(value: Any) -> bool:
    """Whether this is an array in the memory of a GPU: of CuPy, PyTorch, numba.cuda or its simulator."""
    return hasattr(value, "__cuda_array_interface__") or bool(getattr(value, "__cuda_ndarray__", False))


def _of_dtype(name: str, value: np.ndarray[Any, Any] | np.generic) -> tuple[str, str] | None:
    """Why a dtype is refused, and the method that converts it."""
    dtype = value.dtype
    if not dtype.isnative:
        return "whose bytes are not in the machine's order", f'astype({name}.dtype.newbyteorder("="))'
    if dtype.char in "gG":
        return "with which Numba does not calculate", f"astype({_CONVERTED[dtype.kind]})"
    if dtype.hasobject and dtype.names is None and all(isinstance(each, numbers.Number) for each in value.flat):
        is_complex = any(isinstance(each, (complex, np.complexfloating)) for each in value.flat)
        return "that is, of Python objects", "astype(complex)" if is_complex else "astype(float)"
    return None
