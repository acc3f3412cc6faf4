"""Definitions of FITPACK's splines in `scipy.interpolate`: those that go through all points, and their values.

A spline that is smoothed chooses its knots by the values, which has no derivative; made outside, it is a constant.
"""

from __future__ import annotations

import numpy as np
import scipy.interpolate

from srcad.runtime.rulebook.registry import define, inlined
from srcad.runtime.rulebook.theorems import NoRule
from srcad.runtime.rules.scipy.interpolate.basis_splines import Spline

NO_SMOOTHING = NoRule(
    "a smoothing spline, whose knots depend on the values", "pass `s=0`, or use make_lsq_spline with knots of your own"
)
NO_KNOTS = NoRule("splrep with knots, a period or `full_output`", "use make_interp_spline or make_lsq_spline")


@inlined
class FittedSpline:
    """A spline by knots, coefficients and degree; `ext` says what is beyond the points, as in FITPACK."""

    def __init__(self, t, c, k, ext):
        self.t = t
        self.c = c
        self.k = k
        self.ext = ext

    def __call__(self, x, nu=0, ext=None):
        """The values, or derivatives, at points."""
        beyond = self.ext if ext is None else ext
        points = 1.0 * np.asarray(x)
        first, last = self.t[self.k], self.t[-self.k - 1]
        outside = np.logical_or(points < first, points > last)
        if beyond in (2, "raise") and np.any(outside):
            raise ValueError("Input data must be in the interpolation range.")
        if beyond in (3, "const"):
            points = np.minimum(np.maximum(points, first), last)
        y = Spline(self.t, self.c, self.k, True, 0)(points, nu)
        return np.where(outside, 0.0, y) if beyond in (1, "zeros") else y

    def derivative(self, n=1):
        """The derivative."""
        made = Spline(self.t, self.c, self.k, True, 0).derivative(n)
        return FittedSpline(made.t, made.c, made.k, self.ext)

    def get_knots(self):
        """The knots between the ends, and these."""
        return self.t[self.k : self.t.shape[0] - self.k]


@inlined
def _through(x, y, w, s, k):
    """The spline through all points."""
    if w is not None or (s is not None and s != 0):
        NO_SMOOTHING()
    return scipy.interpolate.make_interp_spline(x, y, k)


@define(scipy.interpolate.InterpolatedUnivariateSpline)
def interpolated_univariate_spline(x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
    made = _through(x, y, w, 0, k)
    return FittedSpline(made.t, made.c, made.k, ext)


@define(scipy.interpolate.UnivariateSpline)
def univariate_spline(x, y, w=None, bbox=(None, None), k=3, s=None, ext=0, check_finite=False):
    if s is None:
        NO_SMOOTHING()
    made = _through(x, y, w, s, k)
    return FittedSpline(made.t, made.c, made.k, ext)


@define(scipy.interpolate.splrep)
def splrep(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1):
    if xb is not None or xe is not None or task != 0 or t is not None or full_output or per:
        NO_KNOTS()
    made = _through(x, y, w, s, k)
    return made.t, np.concatenate((made.c, np.zeros(k + 1))), k


@define(scipy.interpolate.splev)
def splev(x, tck, der=0, ext=0):
    if isinstance(tck, Spline):
        return tck(x, der)
    if isinstance(tck[1], (list, tuple)):
        raise NotImplementedError("splev of several splines at once: call it for each")
    t, k = tck[0], tck[2]
    return FittedSpline(t, tck[1][: t.shape[0] - k - 1], k, ext)(x, der)
