"""Types of names: what is known of the values that the names of a function hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import gast
from numba import types


@dataclass(frozen=True)
class Types:
    """The types of names; `result` is the type of the function's result, where that is known."""

    of: Mapping[str, types.Type] = field(default_factory=dict)
    result: types.Type | None = None

    def get(self, name: str) -> types.Type | None:
        """The type of a name, or None where it is not known."""
        return self.of.get(name)

    def rank(self, name: str) -> int | None:
        """The rank of an array, else None."""
        kind = self.of.get(name)
        return kind.ndim if isinstance(kind, types.Array) else None

    def is_array(self, name: str) -> bool:
        """Whether the name holds an array."""
        return isinstance(self.of.get(name), types.Array)

    def is_opaque(self, index: gast.expr) -> bool:
        """Whether a part of an index is a name of neither integer nor array type: a slice, or a tuple."""
        known = (types.Integer, types.Boolean, types.Array)
        return isinstance(index, gast.Name) and not isinstance(self.of.get(index.id), known)

    def is_real(self, name: str) -> bool:
        """Whether the name holds a float, or an array of floats."""
        kind = self.of.get(name)
        return isinstance(kind.dtype if isinstance(kind, types.Array) else kind, types.Float)

    def is_real_or_complex(self, name: str) -> bool:
        """Whether the name holds values that can have a derivative: floats, complex numbers, their arrays or tuples."""
        return carries_derivatives(self.of.get(name))


def differentiable(kind: types.Type | None) -> bool:
    """Whether values of this type can have a derivative."""
    if isinstance(kind, types.Array):
        kind = kind.dtype
    return isinstance(kind, (types.Float, types.Complex))


def carries_derivatives(kind: types.Type | None) -> bool:
    """Whether anything inside a value of this type can have a derivative, also in tuples, lists and optional values.

    >>> carries_derivatives(types.List(types.Tuple((types.int64, types.float64))))
    True
    >>> carries_derivatives(types.Tuple((types.int64, types.Optional(types.float64))))
    True
    """
    if isinstance(kind, types.Optional):
        return carries_derivatives(kind.type)
    if isinstance(kind, types.BaseTuple):
        return any(carries_derivatives(element) for element in kind)
    inside = getattr(kind, "yield_type", None) or getattr(kind, "dtype", None)  # of iterators, lists and arrays
    return differentiable(kind) if inside is None or inside is kind else carries_derivatives(inside)


def is_complex(kind: types.Type | None) -> bool:
    """Whether this is a complex type, or an array of complex numbers.

    The sweeps use plain, unconjugated derivatives; at the interface they are conjugated, so that gradients point
    uphill.
    """
    return isinstance(kind.dtype if isinstance(kind, types.Array) else kind, types.Complex)
