"""Definitions of integrals over several variables in `scipy.integrate`, as integrals of integrals.

The estimate of the error that they return is that of the outermost integral.
"""

from __future__ import annotations

import scipy.integrate

from srcad.runtime.rulebook.registry import define, inlined
from srcad.runtime.rulebook.theorems import NoRule

NO_COUNT = NoRule("nquad over more than three variables", "write the inner integral as a function of its own")
NO_OPTION = NoRule("nquad with `opts` or `full_output`", "leave it out, or call quad in the integrand")


@inlined
def _between(limits, given):
    """The limits of an integral, which may be a function of the variables outside."""
    if callable(limits):
        return limits(*given)
    return limits


@inlined
def _limit(limit, given):
    """One limit of an integral, likewise."""
    if callable(limit):
        return limit(*given)
    return limit


@define(scipy.integrate.dblquad)
def dblquad(func, a, b, gfun, hfun, args=(), epsabs=1.49e-08, epsrel=1.49e-08):
    def along(x, *given):
        return scipy.integrate.quad(
            func, _limit(gfun, (x,)), _limit(hfun, (x,)), (x, *given), epsabs=epsabs, epsrel=epsrel
        )[0]

    return scipy.integrate.quad(along, a, b, args, epsabs=epsabs, epsrel=epsrel)


@define(scipy.integrate.tplquad)
def tplquad(func, a, b, gfun, hfun, qfun, rfun, args=(), epsabs=1.49e-08, epsrel=1.49e-08):
    def along(y, x, *given):
        low, high = _limit(qfun, (x, y)), _limit(rfun, (x, y))
        return scipy.integrate.quad(func, low, high, (y, x, *given), epsabs=epsabs, epsrel=epsrel)[0]

    return scipy.integrate.dblquad(along, a, b, gfun, hfun, args, epsabs, epsrel)


@define(scipy.integrate.nquad)
def nquad(func, ranges, args=None, opts=None, full_output=False):
    if opts is not None or full_output:
        NO_OPTION()
    given = () if args is None else args
    if len(ranges) == 1:
        return scipy.integrate.quad(func, *_between(ranges[0], given), given)
    if len(ranges) > 3:
        NO_COUNT()

    def first(*outer):
        low, high = _between(ranges[0], outer)
        return scipy.integrate.quad(func, low, high, outer)[0]

    def second(*outer):
        low, high = _between(ranges[1], outer)
        return scipy.integrate.quad(first, low, high, outer)[0]

    low, high = _between(ranges[len(ranges) - 1], given)
    return scipy.integrate.quad(first if len(ranges) == 2 else second, low, high, given)
