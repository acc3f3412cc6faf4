"""Slopes by finite differences, with an estimate of their error, and whether they are to be believed.

Ridders' method: central differences with halving steps are extrapolated to step 0 in a tableau, and the entry on which
its neighbours agree best is taken; their disagreement is the estimate (C. J. F. Ridders, Accurate computation of F'(x)
and F'(x)F''(x), Advances in Engineering Software 4(2), 1982; Press et al., Numerical Recipes, section 5.7). Noise makes
neighbours agree by chance, so `slope` does this with two first steps of about the same size, and what the two results
differ by counts as error. It does so at several sizes, and takes the result with the smallest error. One-sided
differences tell a kink or a jump from a slope. Nothing here knows how a gradient is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np

_SHRINK, _STEPS = 1.6, 12
_WIDEST = (3e-2, 1e-3, 3e-5, 1e-6, 3e-8, 1e-10, 1e-13)  # first steps, in units of the point's scale
_JITTER = (1.0, 0.83)
_JUMP = "there is a jump: differences grow without bound as steps shrink"
_INFINITE = "the slope is infinite here: differences grow without bound as steps shrink"


@dataclass(frozen=True)
class Slope:
    """A slope with the estimate of its error; `reason` says why it is not to be believed, if it is not.

    `is_flat` is whether the function is constant over narrow steps for no known reason: then 0 may be the slope.
    """

    value: float
    error: float
    reason: str = ""
    is_flat: bool = False


def directional_derivative(f: Callable[[float], float], first_step: float = 2e-2) -> tuple[float, float]:
    """The slope of `f` at 0 by Ridders' extrapolation of central differences, and an estimate of its error.

    >>> value, error = directional_derivative(np.exp)
    >>> bool(abs(value - 1.0) < 1e-10), bool(error < 1e-9)
    (True, True)
    """
    best, error = 0.0, np.inf
    previous: list[float] = []
    for k in range(_STEPS):
        step = first_step / _SHRINK**k
        row = [(f(step) - f(-step)) / (2.0 * step)]
        for order, coarse in enumerate(previous, start=1):
            gain = _SHRINK ** (2 * order)
            row.append((gain * row[-1] - coarse) / (gain - 1.0))
            estimate = max(abs(row[-1] - row[-2]), abs(row[-1] - coarse))
            if estimate <= error:
                best, error = row[-1], estimate
        previous = row
    return best, error


def quick_slope(f: Callable[[float], float], scale: float, precision: float) -> Slope:
    """The slope of a smooth function at 0 from four values; the error is that of rounding alone.

    scale       the size of the numbers among which `f` moves
    precision   of the arithmetic: the relative distance of neighbouring numbers

    >>> float(quick_slope(np.exp, 1.0, 2.0**-52).value)  # doctest: +ELLIPSIS
    1.0000000...
    """
    step = float(precision**0.2) * scale * 0.1
    values = [f(each) for each in (step, -step, 0.5 * step, -0.5 * step)]
    wide, narrow = (values[0] - values[1]) / (2.0 * step), (values[2] - values[3]) / step
    return Slope((4.0 * narrow - wide) / 3.0, 4.0 * precision * max(map(abs, values)) / step)


def slope(f: Callable[[float], float], scale: float, precision: float) -> Slope:
    """The slope of any function at 0, or the reason why differences do not tell it.

    `scale` and `precision` are as for `quick_slope`.

    >>> slope(abs, 1.0, 2.0**-52).reason
    'there is a kink: the slope is -1 to one side and 1 to the other'
    """
    f = cache(f)
    reason = _not_finite(f, scale, precision) or _unbounded(f, scale, precision) or _one_sided(f, scale, precision)
    if reason:
        return Slope(np.nan, np.inf, reason)
    is_constant = len({f(each * scale) for each in (*_WIDEST, 0.0)}) == 1
    found = [_with_jitter(f, widest * scale, precision, is_constant) for widest in _WIDEST]
    best = min(found, key=lambda each: each.error)
    is_flat = any(
        _is_flat(f, widest * scale) and _is_seen(f, best.value * widest * scale, precision) for widest in _WIDEST
    )
    return replace(best, is_flat=is_flat and not is_constant)


def _is_flat(f: Callable[[float], float], first: float) -> bool:
    return f(first) == f(-first) == f(0.0)


def _is_seen(f: Callable[[float], float], difference: float, precision: float) -> bool:
    """Whether rounding leaves something of a difference of this size."""
    return abs(difference) > 8.0 * precision * abs(f(0.0))


def _with_jitter(f: Callable[[float], float], first: float, precision: float, is_constant: bool) -> Slope:
    """Ridders' slope for first steps around this one; its error is infinite where steps are below the resolution."""
    found = [directional_derivative(f, first * each) for each in _JITTER]
    steps = [first * each / _SHRINK**k for each in _JITTER for k in range(_STEPS)]
    values = [f(each) for each in steps]
    if not np.all(np.isfinite(values)):
        return Slope(np.nan, np.inf)
    distinct = len({*values})
    if distinct < 0.8 * len(steps) and not is_constant:
        return Slope(found[0][0], np.inf)  # a staircase: rounding of the argument, or inside
    spread = abs(found[0][0] - found[1][0])
    rounding = precision * max(map(abs, values)) / first
    return Slope(found[0][0], max(spread, rounding, *(error for _, error in found)))


def _not_finite(f: Callable[[float], float], scale: float, precision: float) -> str:
    """The reason, if the function is not finite at the point or beside it, however close."""
    if not np.isfinite(f(0.0)):
        return "the function is not finite here"
    steps = [0.93 * scale * 10.0**-power for power in range(4, 15) if 10.0**-power > 8.0 * precision]
    sides = [any(np.isfinite(f(sign * each)) for each in steps) for sign in (-1.0, 1.0)]
    if all(sides):
        return ""
    where = "on both sides" if not any(sides) else "below it" if sides[1] else "above it"
    return f"the function is finite at the point, but not {where}"


def _unbounded(f: Callable[[float], float], scale: float, precision: float) -> str:
    """The reason, if central differences grow without bound as steps shrink, by the same factor each time."""
    found = []
    for step in _decades(scale):
        difference = abs(f(step) - f(-step))
        if difference > 400.0 * precision * max(abs(f(step)), abs(f(0.0))):
            found.append(difference / step)
    return _growth(_ratios(found))


def _one_sided(f: Callable[[float], float], scale: float, precision: float) -> str:
    """The reason, if differences to the two sides disagree at all steps, or grow as steps shrink."""
    noise = 400.0 * precision * max(abs(f(0.0)), abs(f(scale * 1e-3)), abs(f(-scale * 1e-3)))
    gaps, slopes = list[float](), [(0.0, 0.0)]
    for step in _decades(scale):
        forward, backward = (f(step) - f(0.0)) / step, (f(0.0) - f(-step)) / step
        gap = abs(forward - backward)
        if np.isfinite(gap) and noise / step <= max([gap, *gaps[:1]]):  # else rounding may have made it
            gaps.append(gap)
            slopes.append((backward, forward))
    ratios = _ratios(gaps)
    if ratios and min(ratios) > 0.8 and max(ratios) < 1.25:
        return "there is a kink: the slope is {:.3g} to one side and {:.3g} to the other".format(*slopes[-1])
    return _growth(ratios)


def _decades(scale: float) -> list[float]:
    return [scale * 10.0**-power for power in range(2, 10)]


def _ratios(found: list[float]) -> list[float]:
    """By what numbers change from one step to the next, over the narrowest steps; empty where these are few."""
    ratios = [narrow / wide if wide else 0.0 for wide, narrow in pairwise(found)]
    return ratios[-5:] if len(ratios) >= 3 else []


def _growth(ratios: list[float]) -> str:
    """What it means that differences change by these factors when steps shrink to a tenth."""
    if not ratios or min(ratios) < 1.5 or max(ratios) > 1.2 * min(ratios):
        return ""
    return _JUMP if min(ratios) > 9.0 else _INFINITE
