"""Values as Python text: what generated code reads by name, and example arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcad.errors import BadArgument

_MOST = 1000  # elements of an array that is written as text


def literal(value: Any, what: str) -> str:
    """A text that gives this value again, in a module that has NumPy as `np`; `what` is named if there is none.

    >>> literal((1.5, np.array([1.0, 2.0], "f4"), None), "x")
    '(1.5, np.array([1.0, 2.0], np.float32), None)'
    """
    if isinstance(value, (bool, int, str, bytes, type(None))):
        return repr(value)
    if isinstance(value, np.generic):
        return f"np.{value.dtype.type.__name__}({_item(value.item())})"
    if isinstance(value, (float, complex)):
        return _item(value)
    if type(value) is tuple:
        return f"({', '.join(literal(each, what) for each in value)}{',' * (len(value) == 1)})"
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return _array(value, what)
    raise BadArgument(
        f"{what} is a {type(value).__name__}, which cannot be written into a module",
        hint="pass it as an argument of numbers or arrays",
    )


def _array(value: Any, what: str) -> str:
    if value.size > _MOST:
        raise BadArgument(
            f"{what} has {value.size} elements, too many to be written into a module",
            hint="export with smaller example arguments, and pass large constants as arguments",
        )
    kind = f"np.{value.dtype.type.__name__}"
    text = f"np.array({_nested(value.tolist())}, {kind})"
    if value.size == 0:
        text = f"np.empty({value.shape}, {kind})"
    is_by_columns = value.ndim > 1 and value.flags.f_contiguous and not value.flags.c_contiguous
    return f"np.asfortranarray({text})" if is_by_columns else text


def _nested(value: Any) -> str:
    return f"[{', '.join(_nested(each) for each in value)}]" if isinstance(value, list) else _item(value)


def _item(value: Any) -> str:
    """A number; infinities and NaN, which have no literal, by name.

    >>> _item(math.inf), _item(-math.inf), _item(1j)
    ('np.inf', '-np.inf', '1j')
    """
    if isinstance(value, complex):
        return repr(value) if math.isfinite(value.real) and math.isfinite(value.imag) else _parts(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    return repr(value)


def _parts(value: complex) -> str:
    return f"complex({_item(value.real)}, {_item(value.imag)})"
