"""Windows of `scipy.ndimage`'s filters: how far they reach, and what lies around an element."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from numba.extending import overload

from srcad.runtime.kernels.scipy.elementwise import as_it_stands

_MODES = {
    "constant": "constant",
    "grid-constant": "constant",
    "nearest": "edge",
    "mirror": "reflect",
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "wrap": "wrap",
    "grid-wrap": "wrap",
}


def gaussian_radius(sigma: float, truncate: float) -> int:
    """How many elements a Gaussian reaches to each side.

    >>> gaussian_radius(1.2, 4.0)
    5
    """
    return int(truncate * float(sigma) + 0.5)


@as_it_stands
def place_of_axis(size, k, count):
    """Where a parameter with so many elements has that for the k-th of the axes: one element is for all axes.

    >>> place_of_axis(2, 1, 2), place_of_axis(1, 1, 2)
    (1, 0)
    """
    if size not in (1, count):
        raise RuntimeError("sequence argument must have length equal to the number of axes")
    return k if size > 1 else 0


def with_axes(shape: tuple[int, ...], ndim: int, axes: Any) -> tuple[int, ...]:
    """A shape whose extents are those of some axes, with the extent 1 for all others.

    >>> with_axes((3, 5), 3, (0, 2))
    (3, 1, 5)
    """
    given = (axes,) if isinstance(axes, int) else axes
    whole = [1] * ndim
    for axis, size in zip(given, shape, strict=True):
        whole[axis] = size
    return tuple(whole)


def _all(value: Any, count: int) -> tuple[Any, ...]:
    return tuple(np.broadcast_to(value, (count,)).tolist())


def neighbours(shape: tuple[int, ...], size: Any, footprint: Any, mode: Any, origin: Any, axes: Any) -> Any:
    """Where the neighbours of each element lie in the raveled array: a row for each place of the window.

    The constant beyond the border is taken to lie after the last element.

    >>> neighbours((3,), 3, None, "constant", 0, None)
    array([[3, 0, 1],
           [0, 1, 2],
           [1, 2, 3]])
    """
    ndim, total = len(shape), int(np.prod(shape))
    along = tuple(range(ndim)) if axes is None else (axes,) if isinstance(axes, int) else tuple(axes)
    if footprint is None and size is None:
        raise RuntimeError("no footprint or filter size provided")
    window = np.ones(_all(size, len(along)), bool) if footprint is None else np.asarray(footprint, bool)
    whole = window.reshape(with_axes(window.shape, ndim, along))
    origins, modes = [0] * ndim, ["reflect"] * ndim
    for axis, start, name in zip(along, _all(origin, len(along)), _all(mode, len(along)), strict=True):
        origins[axis], modes[axis] = start, name
    places = np.arange(total).reshape(shape)
    for axis, (start, name) in enumerate(zip(origins, modes, strict=True)):
        extent: int = whole.shape[axis]
        widths = [(0, 0)] * ndim
        before = extent // 2 + start
        if not 0 <= before < extent:
            raise ValueError("invalid origin")
        widths[axis] = (before, extent - 1 - before)
        options = {"constant_values": total} if _MODES[name] == "constant" else {}
        places = np.pad(places, widths, _MODES[name], **options)  # type: ignore[call-overload]
    parts = np.lib.stride_tricks.sliding_window_view(places, whole.shape)
    return np.ascontiguousarray(parts[..., whole].reshape(total, -1).T)


def rank_among(count: int, rank: Any, is_share: bool) -> int:
    """The place of a rank among so many sorted elements; of a percentage, if it is a share.

    >>> rank_among(9, -1, False), rank_among(9, 50.0, True), rank_among(4, 50.0, True)
    (8, 4, 2)
    """
    if is_share:
        share = rank + 100.0 if rank < 0 else rank
        rank = count - 1 if share == 100.0 else int(float(count) * share / 100.0)
    place = int(rank) + count if rank < 0 else int(rank)
    if not 0 <= place < count:
        raise RuntimeError("rank not within filter footprint size")
    return place


@overload(gaussian_radius)
def _overload_gaussian_radius(sigma, truncate):
    return lambda sigma, truncate: int(truncate * sigma + 0.5)


@overload(rank_among)
def _overload_rank_among(count, rank, is_share):
    def impl(count, rank, is_share):
        place = rank
        if is_share:
            share = rank + 100.0 if rank < 0 else rank
            place = count - 1 if share == 100.0 else count * share / 100.0
        place = place + count if place < 0 else place
        if not 0 <= place < count:
            raise RuntimeError("rank not within filter footprint size")
        return int(place)

    return impl


def extents(shape: tuple[int, ...]) -> Any:
    """A shape as a column of numbers.

    >>> extents((2, 3))
    array([[2.],
           [3.]])
    """
    return np.array(shape, np.float64).reshape(-1, 1)


def pixel_coordinates(shape: tuple[int, ...]) -> Any:
    """The indices of all elements, a row for each axis.

    >>> pixel_coordinates((2, 2))
    array([[0., 0., 1., 1.],
           [0., 1., 0., 1.]])
    """
    return np.indices(shape, np.float64).reshape(len(shape), -1)


def zoomed_shape(shape: tuple[int, ...], zoom: Any) -> tuple[int, ...]:
    """The shape of a zoomed array."""
    factors = np.broadcast_to(zoom, (len(shape),)).tolist()
    return tuple([round(size * factor) for size, factor in zip(shape, factors, strict=True)])


def rotated_shape(shape: tuple[int, int], angle: float) -> tuple[int, ...]:
    """The shape of a rotated matrix that holds all of it.

    >>> rotated_shape((2, 5), 90.0)
    (5, 2)
    """
    cosine, sine = scipy.special.cosdg(angle), scipy.special.sindg(angle)
    ends = np.array([[cosine, sine], [-sine, cosine]]) @ [[0, 0, shape[0], shape[0]], [0, shape[1], 0, shape[1]]]
    rows, columns = (np.ptp(ends, axis=1) + 0.5).astype(int).tolist()
    return rows, columns


def is_homogeneous(matrix: Any, ndim: int) -> bool:
    """Whether the matrix of an affine transform has the offset as its last column.

    >>> is_homogeneous(np.eye(3), 2), is_homogeneous(np.eye(2), 2)
    (True, False)
    """
    return bool(matrix.shape[1] == ndim + 1)


@overload(extents)
def _overload_extents(shape):
    def impl(shape):
        found = np.empty((len(shape), 1))
        for k in range(len(shape)):
            found[k, 0] = shape[k]
        return found

    return impl


@overload(pixel_coordinates)
def _overload_pixel_coordinates(shape):
    def impl(shape):
        total = 1
        for k in range(len(shape)):
            total *= shape[k]
        found = np.empty((len(shape), total))
        for i in range(total):
            rest = i
            for back in range(len(shape)):
                k = len(shape) - 1 - back
                found[k, i] = rest % shape[k]
                rest //= shape[k]
        return found

    return impl


@overload(is_homogeneous)
def _overload_is_homogeneous(matrix, ndim):
    return lambda matrix, ndim: matrix.shape[1] == ndim + 1
