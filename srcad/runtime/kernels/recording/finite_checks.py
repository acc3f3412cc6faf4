r"""Checks of values as they are made: whether a statement has made a NaN or an infinity out of finite numbers.

    y = np.sqrt(t1)
    kernels.check_finite(y, (t1,), (i,), "primal\n...")         raises NonFinite

A value is *born* if the result holds a NaN, or an infinity, and no operand does. The last argument describes the
statement (`site_text`). It is put together with the values when a check fails, so a check that passes costs one look at
the result. Callers inside `@njit` get the same message as those from Python.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from srcad.errors import NonFinite, Place

_NAN, _INFINITE = 1, 2
_SWEEPS = {"primal": "primal", "tangent": "tangent", "reverse": "reverse sweep"}
_HINTS = {
    "primal": "if it is meant to be there, check the function without srcad.debug()",
    "tangent": "the slope has no finite value here: move the point, or keep the operand away from it",
    "reverse": "the slope has no finite value here: move the point, or keep the operand away from it",
}


def site_text(
    sweep: str, statement: str, target: str, operands: Sequence[str], loops: Sequence[str], place: Place | None
) -> str:
    r"""The description of a checked statement, as one literal of generated code.

    >>> site_text("primal", "statement", "y", ["x"], [], Place("f.py", 3, 4, 15, "    y = 1 / x"))
    'primal\nstatement\ny\nx\n\nf.py\t3\t4\t15\t    y = 1 / x'
    """
    lines = [sweep, statement, target, "\t".join(operands), "\t".join(loops)]
    while place is not None:
        lines.append(f"{place.file}\t{place.line}\t{place.column}\t{place.end_column}\t{place.text}")
        place = place.inside
    return "\n".join(lines)


def check_finite(value: Any, operands: tuple[Any, ...], turns: tuple[Any, ...], site: str) -> None:
    """Raise NonFinite if `value` holds a NaN or an infinity and no operand holds one.

    turns   the numbers of the iterations of the loops around the statement
    site    what `site_text` says of the statement

    >>> check_finite(np.ones(2), (0.0,), (), "")
    """
    found = finiteness(value)
    if found and found & ~finiteness(operands):
        raise Born(site, described(value), described(operands), turns)


def finiteness(value: Any) -> int:
    """What is in a number, an array, or a tuple of these: 1 for a NaN, 2 for an infinity, 3 for both, else 0.

    >>> finiteness(1.0), finiteness((np.array([1.0, np.nan]), -np.inf)), finiteness("text")
    (0, 3, 0)
    """
    if isinstance(value, tuple):
        return functools.reduce(operator.or_, map(finiteness, value), 0)
    if not isinstance(value, (float, complex, np.ndarray, np.generic)):
        return 0
    if np.result_type(value).kind not in "fc" or np.isfinite(value).all():
        return 0
    return _NAN * bool(np.isnan(value).any()) | _INFINITE * bool(np.isinf(value).any())


def described(value: Any) -> Any:
    """A value as numbers: of an array its shape with the first element that is not finite.

    An array becomes (None, shape, the flat index of that element or -1, the element).

    >>> described((2.0, np.array([1.0, np.inf])))
    (2.0, (None, (2,), 1, inf))
    """
    if isinstance(value, tuple):
        return tuple(described(each) for each in value)
    if isinstance(value, np.ndarray):
        bad: Any = np.flatnonzero(~np.isfinite(value)) if value.dtype.kind in "fc" else ()
        where = int(bad[0]) if len(bad) else -1
        return None, value.shape, where, value.flat[where].item() if len(bad) else 0.0
    return value if isinstance(value, (bool, int, float, complex, np.generic)) else None


def kept_before(value: Any) -> Any:
    """The value of an operand that the statement is about to overwrite.

    >>> kept_before(2.0), kept_before(np.ones(2))
    (2.0, array([1., 1.]))
    """
    return value.copy() if isinstance(value, np.ndarray) else value


class Born(NonFinite):
    """The error for a failed check, from the description of the statement and of the values."""

    def __init__(self, site: str, value: Any, operands: Any, turns: tuple[Any, ...]) -> None:
        sweep, statement, target, names, loops, *places = site.split("\n")
        labels = names.split("\t") if names else []
        primals = [each for label, each in zip(labels, operands, strict=True) if not _is_derivative(label)]
        what = f"{_noun(value)} first appears in the {_SWEEPS[sweep]} of this line"
        if sweep != "primal":
            what += f", where the primal is {'' if all(map(_is_finite, primals)) else 'not '}finite"
        details = [f"in the {statement}, with", f"    {target} = {_said(value)}"]
        details += [f"    {label} = {_said(each)}" for label, each in zip(labels, operands, strict=True)]
        details += [f"in the iteration {each} = {turn}" for each, turn in zip(loops.split("\t"), turns, strict=False)]
        super().__init__(what, _place(places), _HINTS[sweep], details)
        self.sweep, self._failed = sweep, (site, value, operands, turns)

    def __reduce__(self) -> Any:
        return Born, self._failed


def _place(lines: list[str]) -> Place | None:
    """The place that the last lines of a description give, with the calls that led there."""
    place = None
    for line in reversed(lines):
        file, number, column, end, text = line.split("\t", 4)
        place = Place(file, int(number), int(column), int(end), text, place)
    return place


def _is_derivative(label: str) -> bool:
    """Whether a name in generated code is that of an adjoint or tangent."""
    name = re.split(r"[\[ ]", label, maxsplit=1)[0].rstrip("0123456789").rstrip("_")
    return name.endswith(("_bar", "_dot"))


def _noun(value: Any) -> str:
    numbers = [part for part in _parts(value) if not np.isfinite(part)]
    return "a NaN" if any(map(np.isnan, numbers)) else "an infinity"


def _is_finite(value: Any) -> bool:
    return all(np.isfinite(part) for part in _parts(value))


def _parts(value: Any) -> list[Any]:
    """The numbers in a description."""
    if isinstance(value, tuple):
        if value and value[0] is None and len(value) == 4:
            return [value[3]]
        return [part for each in value for part in _parts(each)]
    return [] if value is None else [value]


def _said(value: Any) -> str:
    """A described value in words."""
    if not isinstance(value, tuple):
        return "no number" if value is None else str(value)
    if not (len(value) == 4 and value[0] is None):
        return f"({', '.join(map(_said, value))})"
    _, shape, where, element = value
    size = " x ".join(map(str, shape)) or "no dimensions"
    if where < 0:
        return f"an array of shape {size}, all finite"
    index = ", ".join(str(int(each)) for each in np.unravel_index(where, shape))
    return f"an array of shape {size}, first {element} at [{index}]"


# In compiled code, which can raise an exception with arguments that are known at run time only.


@overload(check_finite)
def _check_finite(value, operands, turns, site):
    def check(value, operands, turns, site):
        found = finiteness(value)
        if found != 0 and found & ~finiteness(operands) != 0:
            raise Born(site, described(value), described(operands), turns)

    return check


@overload(finiteness)
def _finiteness(value):
    if isinstance(value, types.Float):
        return lambda value: 0 if value - value == 0.0 else (_NAN if value != value else _INFINITE)
    if isinstance(value, types.Complex):
        return lambda value: finiteness(value.real) | finiteness(value.imag)
    if isinstance(value, types.Array) and isinstance(value.dtype, (types.Float, types.Complex)):
        return _finiteness_of_array
    if isinstance(value, types.BaseTuple) and len(value):
        return lambda value: finiteness(value[0]) | finiteness(value[1:])
    return lambda value: 0


def _finiteness_of_array(value):
    found = 0
    for element in value.flat:
        found |= finiteness(element)
    return found


@overload(described)
def _described(value):
    if isinstance(value, (types.Number, types.Boolean)):
        return lambda value: value
    if isinstance(value, types.Array):
        if isinstance(value.dtype, (types.Float, types.Complex)):
            return _described_array
        return lambda value: (None, value.shape, -1, 0.0)
    if isinstance(value, types.BaseTuple):
        if not len(value):
            return lambda value: ()
        return lambda value: (described(value[0]), *described(value[1:]))
    return lambda value: None


def _described_array(value):
    for number, element in enumerate(value.flat):
        if finiteness(element) != 0:
            return (None, value.shape, number, element)
    return (None, value.shape, -1, value.dtype.type(0))


@overload(kept_before)
def _kept_before(value):
    if isinstance(value, types.Array):
        return lambda value: value.copy()
    return lambda value: value
