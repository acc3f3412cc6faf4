"""Which element of an array each element of a view is: affine maps, as basic subscripts and broadcasting make them.

    x[1:-1]            element i is x[1 + i]
    x[:, None]         element i, j is x[i]
    x[2, ::-1]         element j is x[2, n - 1 - j]

All extents are known: they are those of one call.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Along:
    """An axis of what is viewed: index `start + step * k`, where k is the index along axis `axis` of the view.

    Without an axis, it is `start` everywhere.
    """

    start: int
    step: int = 0
    axis: int | None = None


@dataclass(frozen=True)
class View:
    """A view: its shape, and for each axis of what it views, where its elements lie."""

    shape: Shape
    along: tuple[Along, ...]

    def then(self, other: View) -> View:
        """A view of this view, as a view of what this one views.

        >>> whole_view((5,)).then(subscript((5,), slice(1, 4))).then(subscript((3,), 2)).along
        (Along(start=3, step=0, axis=None),)
        """
        return View(other.shape, tuple(composed(each, other.along) for each in self.along))

    def is_whole(self, shape: Shape) -> bool:
        """Whether it is all of an array of this shape, as it is."""
        return self == whole_view(shape)

    def reaches_once(self) -> bool:
        """Whether no two elements of the view are one element of the array."""
        used = {each.axis for each in self.along if each.axis is not None and each.step}
        return all(extent <= 1 or axis in used for axis, extent in enumerate(self.shape))


def composed(own: Along, along: Sequence[Along]) -> Along:
    """An index that follows from others, which follow from those of a view."""
    if own.axis is None:
        return own
    other = along[own.axis]
    if other.axis is None:
        return Along(own.start + own.step * other.start)
    return Along(own.start + own.step * other.start, own.step * other.step, other.axis)


def relation(written: View, read: View) -> View | bool | None:
    """What part of a view `written` another view of the same array is, as a view of the first one.

    False if they have no element in common, None if it is not one of both, or not known.

    >>> rows = subscript((5, 4), 2)
    >>> relation(rows, subscript((5, 4), (2, slice(1, 3))))
    View(shape=(2,), along=(Along(start=1, step=1, axis=0),))
    >>> relation(rows, subscript((5, 4), 3))
    False
    """
    inside: dict[int, Along] = {}
    is_inside = True
    for own, other in zip(written.along, read.along, strict=True):
        place = _place_in(own, written.shape, other, read.shape)
        if place is False:
            return False
        if not isinstance(place, Along):
            is_inside = False
        elif own.axis is not None:
            inside[own.axis] = place
    if not is_inside or 0 in read.shape:
        return None
    return View(read.shape, tuple(inside.get(axis, Along(0)) for axis in range(len(written.shape))))


def _place_in(own: Along, shape: Shape, other: Along, other_shape: Shape) -> Along | bool | None:
    """Where the indices of `other` lie in those of `own`, along one axis."""
    step = own.step if own.axis is not None else 1
    count = shape[own.axis] if own.axis is not None else 1
    last = other_shape[other.axis] - 1 if other.axis is not None else 0
    if abs(step) != 1 or last < 0:
        return None
    start, stride = (other.start - own.start) * step, other.step * step
    least, greatest = sorted((start, start + stride * last))
    if greatest < 0 or least >= count:
        return False
    return Along(start, stride, other.axis) if least >= 0 and greatest < count else None


def whole_view(shape: Shape) -> View:
    """All of an array."""
    return View(shape, tuple(Along(0, 1, axis) for axis in range(len(shape))))


def subscript(shape: Shape, key: Any) -> View | None:
    """What a basic subscript takes of an array of this shape; None for masks and arrays of indices.

    Raises IndexError as NumPy does.

    >>> subscript((4, 3), (slice(1, None), None, -1))
    View(shape=(3, 1), along=(Along(start=1, step=1, axis=0), Along(start=2, step=0, axis=None)))
    """
    keys = key if isinstance(key, tuple) else (key,)
    count = sum(each is not None and each is not Ellipsis for each in keys)
    if count > len(shape):
        raise IndexError(f"too many indices for array: array is {len(shape)}-dimensional, but {count} were indexed")
    if sum(each is Ellipsis for each in keys) == 0:
        keys = (*keys, Ellipsis)
    made: list[int] = []
    along: list[Along] = []
    for each in keys:
        if each is None:
            made.append(1)
        elif each is Ellipsis:
            for extent in shape[len(along) : len(along) + len(shape) - count]:
                along.append(Along(0, 1, len(made)))
                made.append(extent)
        elif isinstance(each, slice):
            start, stop, step = each.indices(shape[len(along)])
            along.append(Along(start, step, len(made)))
            made.append(len(range(start, stop, step)))
        else:
            place = _integer(each, shape, len(along))
            if place is None:
                return None
            along.append(Along(place))
    return View(tuple(made), tuple(along))


def _integer(key: Any, shape: Shape, axis: int) -> int | None:
    if isinstance(key, bool) or not hasattr(key, "__index__") or getattr(key, "shape", ()) != ():
        return None
    place = operator.index(key)
    if not -shape[axis] <= place < shape[axis]:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {shape[axis]}")
    return place % shape[axis]


def permuted(shape: Shape, axes: Sequence[int]) -> View:
    """The array with its axes in another order.

    >>> permuted((2, 3), (1, 0)).shape
    (3, 2)
    """
    return View(tuple(shape[axis] for axis in axes), tuple(Along(0, 1, list(axes).index(k)) for k in range(len(shape))))


def broadcast(shape: Shape, wider: Shape) -> View:
    """The array broadcast to a shape. Raises ValueError where it does not fit.

    >>> broadcast((3, 1), (2, 3, 4)).along
    (Along(start=0, step=1, axis=1), Along(start=0, step=0, axis=None))
    """
    surplus = len(wider) - len(shape)
    fits = surplus >= 0 and all(own in (1, other) for own, other in zip(shape, wider[max(surplus, 0) :], strict=True))
    if not fits:
        raise ValueError(f"could not broadcast input array from shape {shape} into shape {wider}")
    along = (Along(0, 1, k + surplus) if wider[k + surplus] == own else Along(0) for k, own in enumerate(shape))
    return View(wider, tuple(along))


def with_units(shape: Shape, places: Sequence[int]) -> View:
    """The array with axes of one element at these places of the result, as `np.expand_dims` makes it."""
    result, own, along = [], iter(shape), []
    for k in range(len(shape) + len(places)):
        if k in places:
            result.append(1)
        else:
            along.append(Along(0, 1, k))
            result.append(next(own))
    return View(tuple(result), tuple(along))


def without_units(shape: Shape, axes: Sequence[int]) -> View:
    """The array without some axes of one element, as `np.squeeze` makes it."""
    kept = [k for k in range(len(shape)) if k not in axes]
    along = (Along(0, 1, kept.index(k)) if k in kept else Along(0) for k in range(len(shape)))
    return View(tuple(shape[k] for k in kept), tuple(along))


def moved_units(shape: Shape, wanted: Shape) -> View | None:
    """A reshape that only makes or drops axes of one element, as a view; None for any other.

    >>> moved_units((3, 1, 4), (1, 3, 4)).along
    (Along(start=0, step=1, axis=1), Along(start=0, step=0, axis=None), Along(start=0, step=1, axis=2))
    """
    places = [k for k, extent in enumerate(wanted) if extent != 1]
    if [wanted[k] for k in places] != [extent for extent in shape if extent != 1]:
        return None
    rest = iter(places)
    return View(wanted, tuple(Along(0) if extent == 1 else Along(0, 1, next(rest)) for extent in shape))


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that an argument `axis` names, in order. Raises IndexError for one that there is not.

    >>> axes_of(None, 2), axes_of(-1, 2), axes_of((1, 0), 2)
    ((0, 1), (1,), (0, 1))
    """
    if axis is None:
        return tuple(range(ndim))
    found = [operator.index(each) for each in (axis if isinstance(axis, tuple) else (axis,))]
    if any(not -ndim <= each < ndim for each in found) or len({each % ndim for each in found}) < len(found):
        raise IndexError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return tuple(sorted(each % ndim for each in found))
