"""Kernels for the tape's rule of `np.gradient`.

Like the rules in `tape_only`, they run on arrays and, through the functions that they call, on tensors; generated code
does not call them.
"""

from __future__ import annotations

from typing import Any

from srcad.runtime.kernels.tape_rules.composed_functions import ends
from srcad.runtime.support.fast_numpy import swift as np


def gradient_adjoint(g: Any, spacing: Any, axis: Any, edge_order: int) -> Any:
    """The adjoint of the values of `np.gradient` along one axis.

    >>> gradient_adjoint(np.array([0.0, 1.0, 0.0]), 0.5, None, 1).tolist()
    [-1.0, 0.0, 1.0]
    """
    if type(g) is np.ndarray and g.ndim == 1 and edge_order == 1 and isinstance(spacing, float):
        return _of_line(g * (0.5 / spacing))
    g = g if axis is None else np.moveaxis(g, axis, -1)
    if np.ndim(spacing) == 0 and edge_order == 1:
        found = ends(_to_pieces(g) / spacing, -1.0)
    else:
        gaps, _, _ = _gaps(spacing, g)
        found = ends(_to_slopes(g, gaps, edge_order)[0] / gaps, -1.0)
    return found if axis is None else np.moveaxis(found, -1, axis)


def _of_line(part: Any) -> Any:
    """`gradient_adjoint` for a vector, given `g` divided by twice the spacing; it is overwritten."""
    part[0] *= 2.0
    part[-1] *= 2.0
    found = np.empty(len(part), part.dtype)
    found[1:] = part[:-1]
    found[1:-1] -= part[2:]
    found[0] = -part[0] - part[1]
    found[-1] += part[-1]
    return found


def _to_pieces(g: Any) -> Any:
    """The adjoint of the slope of each interval, all of one length: half of that of each inner point beside it."""
    half = 0.5 * g
    first = np.concatenate((g[..., :1], half[..., 1:-1]), axis=-1)
    return first + np.concatenate((half[..., 1:-1], g[..., -1:]), axis=-1)


def _gaps(spacing: Any, g: Any) -> tuple[Any, Any, Any]:
    """The lengths of all intervals; those before each inner point; those after it."""
    gaps = np.diff(np.multiply(1.0, spacing)) if np.ndim(spacing) else spacing * np.ones(np.shape(g)[-1] - 1)
    return gaps, gaps[:-1], gaps[1:]


def _to_slopes(g: Any, gaps: Any, edge_order: int) -> tuple[Any, Any]:
    """The adjoint of the slope of each interval, and of the curvature of the parabola through three neighbours."""
    before, after = gaps[:-1], gaps[1:]
    inside, first, last = g[..., 1:-1], g[..., :1], g[..., -1:]
    of_bend = before * inside
    if edge_order == 2:
        none = np.zeros(np.shape(inside[..., 1:]))
        of_bend = of_bend + np.concatenate((-gaps[:1] * first, none), axis=-1)
        of_bend = of_bend + np.concatenate((none, gaps[-1:] * last), axis=-1)
    part = of_bend / (before + after)
    return np.concatenate((first, part), axis=-1) + np.concatenate((inside - part, last), axis=-1), of_bend


def to_spacing(g: Any, y: Any, f: Any, spacing: Any, axis: Any, edge_order: int) -> Any:
    """The adjoint of the spacing, or of the coordinates, of `np.gradient`, whose result is `y`."""
    if np.ndim(spacing) == 0:
        return -np.sum(g * y) / spacing
    if axis is not None:
        g, f = np.moveaxis(g, axis, -1), np.moveaxis(f, axis, -1)
    gaps, before, after = _gaps(spacing, g)
    slopes = (f[..., 1:] - f[..., :-1]) / gaps
    bend = (slopes[..., 1:] - slopes[..., :-1]) / (before + after)
    of_slopes, of_bend = _to_slopes(g, gaps, edge_order)
    of_sum = -bend * of_bend / (before + after)
    first, last = g[..., :1], g[..., -1:]
    if edge_order == 2:
        first, last = -bend[..., :1] * first, bend[..., -1:] * last
    else:
        first = last = np.zeros(np.shape(first))
    of_gaps = np.concatenate((first, of_sum), axis=-1) - of_slopes * slopes / gaps
    of_gaps = of_gaps + np.concatenate((bend * g[..., 1:-1] + of_sum, last), axis=-1)
    return ends(np.reshape(np.sum(np.reshape(of_gaps, (-1, gaps.shape[0])), axis=0), gaps.shape), -1.0)
