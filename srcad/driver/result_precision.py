"""Numbers in the precision that Numba types them with: a compiled function hands out Python's, which are double."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numba.core import types

if TYPE_CHECKING:
    from srcad.driver.version import Version

_SINGLE = (np.dtype(np.float32), np.dtype(np.complex64))
_NUMBERS: dict[Any, Callable[[Any], Any]] = {types.float32: np.float32, types.complex64: np.complex64}


def is_single(value: Any) -> bool:
    """Whether a number or array is in single precision.

    >>> is_single(np.float32(1.0)), is_single(np.ones(2)), is_single(1.0)
    (True, False, False)
    """
    return getattr(value, "dtype", None) in _SINGLE


def in_precision(value: Any, version: Version, arguments: Sequence[Any]) -> Any:
    """What a compiled function has returned for these arguments, captured arrays among them."""
    if type(value) is np.ndarray or not any(map(is_single, arguments)):
        return value
    return of_kind(value, version.result_kind(arguments))


def of_kind(value: Any, kind: Any) -> Any:
    """Python's numbers in a value as those of its Numba type.

    >>> of_kind((1.0, (2.0, 3)), types.Tuple((types.float32, types.Tuple((types.float64, types.int64)))))
    (np.float32(1.0), (2.0, 3))
    """
    if type(value) is tuple and isinstance(kind, types.BaseTuple):
        return tuple([of_kind(part, each) for part, each in zip(value, kind, strict=True)])
    number = _NUMBERS.get(kind) if type(value) in (float, complex) else None
    return value if number is None else number(value)


def python_numbers(value: Any) -> Any:
    """What uncompiled code has returned, with Python's numbers where compiled code returns them.

    >>> python_numbers((np.float64(1.0), np.float32(2.0), (np.int64(3),)))
    (1.0, np.float32(2.0), (3,))
    """
    if type(value) is tuple:
        return tuple([python_numbers(each) for each in value])
    return value.item() if type(value) in _PYTHONS else value


_PYTHONS = (np.float64, np.complex128, np.int64, np.bool_)
