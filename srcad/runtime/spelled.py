"""Functions that a tape records as others: what they mean on tensors, in terms of functions that have rules.

    np.abs(z)             np.hypot(np.real(z), np.imag(z)), for complex z
    np.split(x, 3)        [x[0:n], x[n:2*n], x[2*n:3*n]]

Only while a tape follows the argument; else NumPy's own function runs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np


def imaginary(z: Any) -> Any:
    """The imaginary part of a complex tensor."""
    return np.real(z * -1j)


def modulus(z: Any) -> Any:
    """The absolute value of a complex tensor; slope 0 at the origin."""
    return np.hypot(np.real(z), imaginary(z))


def phase(z: Any, deg: bool = False) -> Any:
    """The angle of a complex tensor, in radians or degrees."""
    angle = np.arctan2(imaginary(z), np.real(z))
    return angle * (180.0 / np.pi) if deg else angle


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Parts of equal length, or between the indices given."""
    sections = np.ndim(indices_or_sections) == 0
    if sections and x.shape[axis] % int(indices_or_sections):
        raise ValueError("array split does not result in an equal division")
    return array_split(x, indices_or_sections, axis)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Parts of nearly equal length, or between the indices given."""
    length = x.shape[axis]
    if np.ndim(indices_or_sections) == 0:
        count = int(indices_or_sections)
        sizes = [length // count + (k < length % count) for k in range(count)]
        ends: Sequence[int] = np.cumsum(sizes).tolist()
        starts = [0, *ends[:-1]]
    else:
        inner = [int(index) for index in indices_or_sections]
        starts, ends = [0, *inner], [*inner, length]
    before = (slice(None),) * (axis % x.ndim)
    keys = [(*before, slice(start, end)) for start, end in zip(starts, ends, strict=True)]
    return [x[key] for key in keys]


def hsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the second axis, or the only one."""
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


def vsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the first axis."""
    return split(x, indices_or_sections, 0)


def dsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the third axis."""
    return split(x, indices_or_sections, 2)


ALWAYS: Mapping[Any, Callable[..., Any]] = {
    np.split: split,
    np.array_split: array_split,
    np.hsplit: hsplit,
    np.vsplit: vsplit,
    np.dsplit: dsplit,
}
FOR_COMPLEX: Mapping[Any, Callable[..., Any]] = {
    np.absolute: modulus,
    operator.abs: modulus,
    np.angle: phase,
    np.imag: imaginary,
}
