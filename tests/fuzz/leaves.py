"""The numbers in arguments and gradients: arrays, numbers, and what tuples, lists, dictionaries and objects hold."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


def mapped(function: Callable[..., Any], value: Any, *others: Any) -> Any:
    """The function of each leaf, in the same structure; `others` have the structure of `value`, or None for a part."""

    def below(get: Callable[[Any], Any]) -> Any:
        return mapped(function, get(value), *(None if other is None else get(other) for other in others))

    if isinstance(value, dict):
        return {key: below(lambda each, key=key: each[key]) for key in value}
    if isinstance(value, (tuple, list)):
        return type(value)([below(lambda each, n=n: each[n]) for n in range(len(value))])
    if dataclasses.is_dataclass(value):
        names = [each.name for each in dataclasses.fields(value)]
        return dataclasses.replace(
            value, **{name: below(lambda each, name=name: getattr(each, name)) for name in names}
        )
    return function(value, *others)


def is_differentiable(leaf: Any) -> bool:
    """Whether a leaf has a derivative."""
    return np.asarray(leaf).dtype.kind in "fc"


def own_copy(value: Any) -> Any:
    """The same values in memory of their own, which is laid out in the same way."""
    return mapped(lambda leaf: laid_out(leaf, leaf) if isinstance(leaf, np.ndarray) else leaf, value)


def laid_out(values: np.ndarray, like: np.ndarray) -> np.ndarray:
    """A copy in the memory order of another array of this shape: C order, Fortran order, or with gaps."""
    if like.flags.c_contiguous or like.flags.f_contiguous:
        return np.array(values, order="C" if like.flags.c_contiguous else "F")
    return with_gaps(values)


def with_gaps(values: np.ndarray) -> np.ndarray:
    """A copy that is every other element, along each axis, of a larger array."""
    room = np.zeros([2 * extent for extent in values.shape], values.dtype)
    found = room[(slice(None, None, 2),) * values.ndim]
    found[...] = values
    return found


def direction_of(value: Any, rng: np.random.Generator) -> Any:
    """A random direction for each leaf that has a derivative, None for the others."""

    def drawn(leaf: Any) -> Any:
        if not is_differentiable(leaf):
            return None
        way = rng.normal(size=np.shape(leaf))
        if np.iscomplexobj(leaf):
            way = way + 1j * rng.normal(size=np.shape(leaf))
        if isinstance(leaf, (np.ndarray, np.generic)):
            return np.asarray(way, leaf.dtype)[()]
        return type(leaf)(way)

    return mapped(drawn, value)


def moved(value: Any, direction: Any, step: complex) -> Any:
    """`value + step * direction`, in double precision."""

    def along(leaf: Any, way: Any) -> Any:
        if way is None:
            return own_copy(leaf)
        if isinstance(leaf, (np.ndarray, np.generic)):
            double = np.complex128 if np.iscomplexobj(leaf) else np.float64
            leaf, way = leaf.astype(double), way.astype(double)
        found = leaf + step * way
        return laid_out(found, leaf) if isinstance(leaf, np.ndarray) else found

    return mapped(along, value, direction)


def inner(gradient: Any, direction: Any) -> float:
    """The slope along a direction; gradients by complex numbers point uphill, so they count conjugated."""
    total = 0.0

    def add(way: Any, slope: Any) -> None:
        nonlocal total
        if way is not None and slope is not None:
            total += float(np.sum(np.real(np.conj(slope) * way)))

    mapped(add, direction, gradient)
    return total
