"""Check a cotangent or a tangent against the value that it belongs to, and convert it to that value's dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import BadArgument


def matching(given: Any, value: Any, what: str) -> Any:
    """`given`, a cotangent or tangent of `value`, in the dtype of `value`: a number, an array, or a tuple of these.

    `what` names it in messages. Raises BadArgument if its shape, or the length of a tuple, is not that of `value`.
    """
    if isinstance(value, tuple):
        if not isinstance(given, (tuple, list)) or len(given) != len(value):
            raise BadArgument(f"{what} of a tuple of {len(value)} is a tuple of as many", hint=f"not {given!r}")
        parts = [matching(bar, part, what) for bar, part in zip(given, value, strict=True)]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, np.ndarray):
        bar = np.asarray(given, dtype=value.dtype if value.dtype.kind in "fc" else float)
        if bar.shape != value.shape:
            raise BadArgument(f"{what} has the shape {bar.shape}, what it belongs to has {value.shape}")
        # Contiguous: the function that was compiled for contiguous arrays then serves any layout of the caller's.
        return np.ascontiguousarray(bar) if bar.ndim else bar
    if np.ndim(given):
        raise BadArgument(f"{what} has the shape {np.shape(given)}, what it belongs to is a number")
    if isinstance(value, np.inexact):
        return value.dtype.type(given)
    return complex(given) if isinstance(value, complex) else float(given)
