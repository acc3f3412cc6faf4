"""Definitions of functions of polynomials, whose coefficients are in decreasing (`np.poly...`) or increasing order."""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, inlined, zero

polynomial, chebyshev, legendre = np.polynomial.polynomial, np.polynomial.chebyshev, np.polynomial.legendre
hermite, hermite_e, laguerre = np.polynomial.hermite, np.polynomial.hermite_e, np.polynomial.laguerre


@define(np.polyadd)
def polyadd(a1, a2):
    length = max(len(a1), len(a2))
    return np.pad(a1, (length - len(a1), 0)) + np.pad(a2, (length - len(a2), 0))


@define(np.polysub)
def polysub(a1, a2):
    length = max(len(a1), len(a2))
    return np.pad(a1, (length - len(a1), 0)) - np.pad(a2, (length - len(a2), 0))


@define(np.polymul)
def polymul(a1, a2):
    return np.convolve(a1, a2)


@define(np.polydiv)
def polydiv(u, v):
    rest = 1.0 * u + 0.0 * v[0]
    quotient = np.zeros(max(len(u) - len(v) + 1, 1), rest.dtype)
    for k in range(len(u) - len(v) + 1):
        factor = rest[k] / v[0]
        quotient[k] = factor
        rest[k : k + len(v)] = rest[k : k + len(v)] - factor * v
    return quotient, rest[kernels.leading_zeros(rest) :]


zero(kernels.leading_zeros)


@define(np.polyder)
def polyder(p, m=1):
    y = p
    for _ in range(m):
        y = y[:-1] * np.arange(len(y) - 1, 0, -1)
    return y


@define(np.polyint)
def polyint(p, m=1, k=None):
    y = p
    for step in range(m):
        if k is None:
            constant = 0.0
        elif isinstance(k, (list, tuple)):
            constant = k[0] if len(k) == 1 else k[step]
        elif np.ndim(k) == 0:
            constant = k
        else:
            constant = k[0] if k.shape[0] == 1 else k[step]
        y = np.append(y / np.arange(len(y), 0, -1), constant)
    return y


@define(np.poly)
def poly(seq_of_zeros):
    if np.ndim(seq_of_zeros) != 1:
        raise NotImplementedError("np.poly of a matrix: pass its eigenvalues")
    y = np.ones(1, seq_of_zeros.dtype)
    for k in range(seq_of_zeros.shape[0]):
        y = np.append(y, 0.0) - np.append(np.zeros(1, y.dtype), y * seq_of_zeros[k])
    return y


@inlined
def spread(x, c, tensor):
    """The coefficients, several series of them with an axis for each of the points, at all of which each is taken."""
    if np.ndim(c) == 1 or np.ndim(x) == 0 or not tensor:
        return c
    return np.reshape(c, c.shape + (1,) * np.ndim(x))


@define(polynomial.polyval)
def polynomial_polyval(x, c, tensor=True):
    c = spread(x, c, tensor)
    y = x * 0.0 + c[-1]
    for k in range(len(c) - 2, -1, -1):
        y = y * x + c[k]
    return y


@define(polynomial.polyvander)
def polyvander(x, deg):
    return np.vander(x, deg + 1, increasing=True)


@define(polynomial.polyder)
def polynomial_polyder(c, m=1, scl=1):
    if np.ndim(c) != 1:
        raise NotImplementedError("np.polynomial.polynomial.polyder of several polynomials: call it for each")
    y = c
    for _ in range(m):
        y = y[1:] * np.arange(1, len(y)) * scl
    return y if m < len(c) else 0.0 * c[:1]


@define(polynomial.polyint)
def polynomial_polyint(c, m=1, k=None, lbnd=0, scl=1):
    if np.ndim(c) != 1:
        raise NotImplementedError("np.polynomial.polynomial.polyint of several polynomials: call it for each")
    y = c
    for step in range(m):
        y = np.append(0.0, y * scl / np.arange(1, len(y) + 1))
        if k is None or isinstance(k, (list, tuple)):
            start = 0.0 if k is None or step >= len(k) else k[step]
        elif np.ndim(k) == 0:
            start = k if step == 0 else 0.0
        else:
            start = k[step] if step < k.shape[0] else 0.0
        y = np.append(start - np.polynomial.polynomial.polyval(lbnd, y), y[1:])
    return y


@inlined
def without_trailing_zeros(c):
    return c[: max(kernels.nonzero_range(c)[1], 1)]


@define(polynomial.polymul)
def polynomial_polymul(c1, c2):
    return without_trailing_zeros(np.convolve(c1, c2))


@define(polynomial.polyadd)
def polynomial_polyadd(c1, c2):
    length = max(len(c1), len(c2))
    return without_trailing_zeros(np.pad(c1, (0, length - len(c1))) + np.pad(c2, (0, length - len(c2))))


@define(polynomial.polysub)
def polynomial_polysub(c1, c2):
    length = max(len(c1), len(c2))
    return without_trailing_zeros(np.pad(c1, (0, length - len(c1))) - np.pad(c2, (0, length - len(c2))))


@define(polynomial.polyfit)
def polynomial_polyfit(x, y, deg, rcond=None, full=False, w=None):
    return np.polyfit(x, y, deg, rcond, full, w)[::-1]


# Series of orthogonal polynomials, by their recurrences. The sum starts with the first two polynomials.


@define(chebyshev.chebval)
def chebval(x, c, tensor=True):
    c = spread(x, c, tensor)
    before, here = x * 0.0 + 1.0, x * 1.0
    y = c[0] * before
    for k in range(1, len(c)):
        y = y + c[k] * here
        before, here = here, 2.0 * x * here - before
    return y


@define(legendre.legval)
def legval(x, c, tensor=True):
    c = spread(x, c, tensor)
    before, here = x * 0.0 + 1.0, x * 1.0
    y = c[0] * before
    for k in range(1, len(c)):
        y = y + c[k] * here
        before, here = here, ((2.0 * k + 1.0) * x * here - k * before) / (k + 1.0)
    return y


@define(hermite.hermval)
def hermval(x, c, tensor=True):
    c = spread(x, c, tensor)
    before, here = x * 0.0 + 1.0, 2.0 * x
    y = c[0] * before
    for k in range(1, len(c)):
        y = y + c[k] * here
        before, here = here, 2.0 * x * here - 2.0 * k * before
    return y


@define(hermite_e.hermeval)
def hermeval(x, c, tensor=True):
    c = spread(x, c, tensor)
    before, here = x * 0.0 + 1.0, x * 1.0
    y = c[0] * before
    for k in range(1, len(c)):
        y = y + c[k] * here
        before, here = here, x * here - k * before
    return y


@define(laguerre.lagval)
def lagval(x, c, tensor=True):
    c = spread(x, c, tensor)
    before, here = x * 0.0 + 1.0, 1.0 - x
    y = c[0] * before
    for k in range(1, len(c)):
        y = y + c[k] * here
        before, here = here, ((2.0 * k + 1.0 - x) * here - k * before) / (k + 1.0)
    return y
