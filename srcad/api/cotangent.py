"""Check a cotangent or a tangent against the value that it belongs to, and convert it to that value's dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import BadArgument, BadType, BadValue


def matching(given: Any, value: Any, what: str) -> Any:
    """`given`, a cotangent or tangent of `value`, in the dtype of `value`: a number, an array, or a tuple of these.

    `what` names it in messages. Raises BadArgument if its shape, or the length of a tuple, is not that of `value`,
    BadValue if it holds no numbers, and BadType if it is a masked array or an np.matrix.
    """
    if isinstance(value, tuple):
        if not isinstance(given, (tuple, list)) or len(given) != len(value):
            raise BadArgument(
                f"{what} is {given!r}, and belongs to a tuple of {len(value)}", hint="give a tuple of as many"
            )
        parts = [matching(bar, part, what) for bar, part in zip(given, value, strict=True)]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if type(given) is not np.ndarray and isinstance(given, np.ndarray):
        _refuse_other_arrays(given, what)
    if np.iscomplexobj(given) and not np.iscomplexobj(value):
        raise _unfit(given, what)
    if isinstance(value, np.ndarray):
        bar = _converted(given, lambda: np.asarray(given, value.dtype if value.dtype.kind in "fc" else float), what)
        if bar.shape != value.shape:
            raise BadArgument(
                f"{what} has the shape {bar.shape}, what it belongs to has {value.shape}",
                hint="give an array of the same shape",
            )
        # Contiguous: the function that was compiled for contiguous arrays then serves any layout of the caller's.
        return np.ascontiguousarray(bar) if bar.ndim else bar
    if np.ndim(given):
        raise BadArgument(
            f"{what} has the shape {np.shape(given)}, what it belongs to is a number", hint="give a number"
        )
    if isinstance(value, np.inexact):
        return _converted(given, lambda: value.dtype.type(given), what)
    return _converted(given, lambda: complex(given) if isinstance(value, complex) else float(given), what)


def _refuse_other_arrays(given: Any, what: str) -> None:
    if isinstance(given, (np.matrix, np.ma.MaskedArray)):
        raise BadType(
            f"{what} is of type {type(given).__name__}, not an array",
            hint="give a plain array: x.filled(0.0) of a masked one, np.asarray(x) of a matrix",
        )


def _converted(given: Any, convert: Callable[[], Any], what: str) -> Any:
    try:
        return convert()
    except (TypeError, ValueError):
        raise _unfit(given, what) from None


def _unfit(given: Any, what: str) -> BadValue:
    hint = "give numbers, real ones unless what it belongs to is complex"
    return BadValue(f"{what} is {given!r}, which does not become what it belongs to", hint=hint)
