"""Definitions of integrals of functions in `scipy.integrate`: the nodes that SciPy chose, differentiated.

SciPy runs first and divides the interval. The division is then taken as constant (as fractions of the interval), and
the sum over its nodes is written in terms of what has rules, so that both limits and all that the integrand reads have
derivatives. The error of a derivative is that of the same nodes for the derivative of the integrand.

R. Piessens, E. de Doncker-Kapenga, C. W. Ueberhuber and D. K. Kahaner, QUADPACK, Springer 1983.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.integrate
import scipy.special

from srcad.errors import NoSolution
from srcad.runtime.rulebook.registry import define, inlined, zero
from srcad.runtime.rulebook.theorems import NoRule, SolvedBy, Unsolved

# The nodes and weights of Kronrod's rule of 21 points on [-1, 1], to the precision of a double; symmetric.
_NODES = (
    *(0.995657163025808080735527280689003, 0.973906528517171720077964012084452, 0.930157491355708226001207180059508),
    *(0.865063366688984510732096688423493, 0.780817726586416897063717578345042, 0.679409568299024406234327365114874),
    *(0.562757134668604683339000099272694, 0.433395394129247190799265943165784, 0.294392862701460198131126603103866),
    *(0.148874338981631210884826001129720, 0.0),
)
_WEIGHTS = (
    *(0.011694638867371874278064396062192, 0.032558162307964727478818972459390, 0.054755896574351996031381300244580),
    *(0.075039674810919952767043140916190, 0.093125454583697605535065465083366, 0.109387158802297641899210590325805),
    *(0.123491976262065851077958109585166, 0.134709217311473325928054001771707, 0.142775938577060080797094273138717),
    *(0.147739104901338491374841515972068, 0.149445554002916905664936468389821),
)
NODES = np.concatenate([-np.array(_NODES), np.array(_NODES[-2::-1])])
WEIGHTS = np.concatenate([np.array(_WEIGHTS), np.array(_WEIGHTS[-2::-1])])


def _run_division(function: Any, a: float, b: float, epsabs: float, epsrel: float, limit: int) -> Any:
    """The integral, its error, and the ends of the parts into which QUADPACK divides the interval, each cut in half.

    The ends are fractions of the interval; of an infinite one, those of (0, 1), onto which it is mapped.
    """
    value, error, told, *problem = scipy.integrate.quad(
        function, a, b, full_output=1, epsabs=epsabs, epsrel=epsrel, limit=limit
    )
    if problem:
        raise Unsolved(str(problem[0]))
    ends = np.array([0.0, 1.0])
    if a != b:
        starts = np.sort(told["alist"][: told["last"]])
        if np.isfinite(a) and np.isfinite(b):
            starts = (starts - min(a, b)) / abs(b - a)
        ends = np.append(starts, 1.0)
    halved = np.sort(np.concatenate([ends, 0.5 * (ends[1:] + ends[:-1])]))
    return np.concatenate([[value, error], halved])


DIVISION = SolvedBy("quad", _run_division, None)
NO_WEIGHT = NoRule(
    "quad with `weight`, `points`, `full_output` or `complex_func`", "integrate part by part without them"
)


@inlined
def _sum(func, a, b, given, found):
    """The sum over the nodes of all parts; an infinite interval is mapped onto (0, 1), one of two sides folded."""
    low, high = (1.0 * b, 1.0 * a) if a > b else (1.0 * a, 1.0 * b)
    is_finite = np.isfinite(low) and np.isfinite(high)
    sides = 2 if np.isinf(low) and np.isinf(high) else 1
    base = 0.0
    way = 1.0
    if np.isfinite(low):
        base = low
    elif np.isfinite(high):
        base = high
        way = -1.0
    total = 0.0
    for i in range(2, found.shape[0] - 1):
        half = 0.5 * (found[i + 1] - found[i])
        for k in range(21):
            t = 0.5 * (found[i + 1] + found[i]) + half * NODES[k]
            for side in range(sides):
                if is_finite:
                    x = low + (high - low) * t
                    scale = (high - low) * half
                else:
                    x = base + way * (1.0 - 2.0 * side) * (1.0 - t) / t
                    scale = half / (t * t)
                total += WEIGHTS[k] * scale * func(x, *given)
    return -total if a > b else total


@define(scipy.integrate.quad)
def quad(
    func,
    a,
    b,
    args=(),
    full_output=0,
    epsabs=1.49e-08,
    epsrel=1.49e-08,
    limit=50,
    points=None,
    weight=None,
    wvar=None,
    wopts=None,
    maxp1=50,
    limlst=50,
    complex_func=False,
):
    if points is not None or weight is not None:
        NO_WEIGHT()
    if full_output or complex_func:
        NO_WEIGHT()
    given = args if isinstance(args, tuple) else (args,)
    found = DIVISION(func, given, a, b, epsabs, epsrel, limit)
    value = _sum(func, a, b, given, found)
    if abs(value - found[0]) > 100.0 * max(epsabs, epsrel * abs(found[0])):
        raise NoSolution(
            "quad has reached its value by extrapolation, as of integrands with a singularity: there is no derivative",
            None,
            "substitute a variable that removes the singularity",
        )
    return value, found[1]


def _run_vector_division(function: Any, a: float, b: float, options: dict[str, Any]) -> Any:
    """The ends of the parts into which SciPy divides the interval, as fractions of it."""
    _, _, told = scipy.integrate.quad_vec(function, a, b, full_output=True, **options)
    if not told.success:
        raise Unsolved(str(told.message))
    if not (np.isfinite(a) and np.isfinite(b)):
        raise Unsolved("quad_vec has a derivative on finite intervals")
    ends = np.unique(np.append(told.intervals, [[a, b]]))
    return (ends - min(a, b)) / abs(b - a) if a != b else np.array([0.0, 1.0])


VECTOR_DIVISION = SolvedBy("quad_vec", _run_vector_division, None, "np.ravel(np.asarray(function(x{args})))")
NO_VECTOR_OPTION = NoRule("quad_vec with `points`, `workers`, `quadrature` or `full_output`", "leave it out")


@define(scipy.integrate.quad_vec)
def quad_vec(
    f,
    a,
    b,
    epsabs=1e-200,
    epsrel=1e-08,
    norm="2",
    cache_size=100000000.0,
    limit=10000,
    workers=1,
    points=None,
    quadrature=None,
    full_output=False,
    *,
    args=(),
):
    if points is not None or quadrature is not None or full_output:
        NO_VECTOR_OPTION()
    given = args if isinstance(args, tuple) else (args,)
    options = {"epsabs": epsabs, "epsrel": epsrel, "norm": norm, "limit": limit}
    ends = VECTOR_DIVISION(f, given, a, b, options)
    low, high = (1.0 * b, 1.0 * a) if a > b else (1.0 * a, 1.0 * b)
    total = 0.0 * np.asarray(f(low, *given))
    for i in range(ends.shape[0] - 1):
        half = 0.5 * (ends[i + 1] - ends[i])
        for k in range(21):
            x = low + (high - low) * (ends[i] + half * (1.0 + NODES[k]))
            total = total + WEIGHTS[k] * half * (high - low) * np.asarray(f(x, *given))
    return (-total if a > b else total), 0.0


@define(scipy.integrate.fixed_quad)
def fixed_quad(func, a, b, args=(), n=5):
    nodes, weights = scipy.special.roots_legendre(n)
    x = 0.5 * (b - a) * (nodes + 1.0) + a
    return 0.5 * (b - a) * np.sum(weights * func(x, *args), axis=-1), None


zero(scipy.special.roots_legendre)
