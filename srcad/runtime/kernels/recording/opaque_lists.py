"""Pass lists in a trace through Python as opaque objects, so that they are not converted to Python lists and back.

    return y, Trace(kernels.hold(calls))            calls = kernels.release(trace.calls)

In plain Python both functions return their argument.
"""

from __future__ import annotations

from typing import Any

from numba import njit, types
from numba.experimental import structref
from numba.extending import overload


@structref.register
class HeldType(types.StructRef):  # type: ignore[misc]  # Numba carries no annotations
    """Numba's type of a box with one value."""

    def preprocess_fields(self, fields: Any) -> Any:
        """The types of the fields, without literals, as Numba requires."""
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class Held(structref.StructRefProxy):  # type: ignore[misc]
    """The box in Python: an object that can only be passed back."""


structref.define_boxing(HeldType, Held)


def hold(value: Any) -> Any:
    """The value in a box that can be passed to Python and back.

    >>> hold([1.0])
    [1.0]
    """
    return value


def release(held: Any) -> Any:
    """The value that was given to `hold`.

    >>> release(hold([1.0]))
    [1.0]
    """
    return _contents(held) if isinstance(held, Held) else held


@njit
def _contents(held):
    return held.value


@overload(hold)
def _overload_hold(value):  # Numba compares the signatures, annotations included
    kind = HeldType([("value", types.unliteral(value))])

    def made(value):
        held = structref.new(kind)
        held.value = value
        return held

    return made


@overload(release)
def _overload_release(held):
    return lambda held: held.value
