"""Derivatives of elliptic integrals, and single results of functions that return several."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
from numba.extending import register_jitable

from srcad.runtime.kernels.scipy.elementwise import elementwise


@elementwise
def ellipk_slope(m):
    """The derivative of the complete elliptic integral of the first kind, by Carlson's integrals: without cancellation.

    >>> round(float(ellipk_slope(0.0)), 12)
    0.392699081699
    """
    return float(scipy.special.elliprd(0.0, 1.0, 1.0 - m) / 6.0)


@elementwise
def ellipkm1_slope(p):
    """The derivative of ellipkm1, of which the argument is 1 - m.

    >>> round(float(ellipkm1_slope(1.0)), 12)
    -0.392699081699
    """
    return float(scipy.special.elliprd(0.0, 1.0, p) / -6.0)


@elementwise
def ellipe_slope(m):
    """The derivative of the complete elliptic integral of the second kind.

    >>> round(float(ellipe_slope(0.0)), 12)
    -0.392699081699
    """
    return float(scipy.special.elliprd(0.0, 1.0 - m, 1.0) / -6.0)


@register_jitable
def _reduced(phi):
    """The multiple of pi that is nearest to an amplitude, and the sine and the squared cosine of the rest."""
    turns = np.floor(phi / math.pi + 0.5)
    rest = phi - turns * math.pi
    cosine = np.cos(rest)
    return turns, np.sin(rest), cosine * cosine


@elementwise
def ellipkinc_slope(phi, m):
    """The derivative of the incomplete elliptic integral of the first kind by m.

    >>> round(float(ellipkinc_slope(1.0, 0.5)), 12)
    0.2057614014
    """
    turns, sine, square = _reduced(phi)
    part = sine**3 * scipy.special.elliprd(square, 1.0, 1.0 - m * sine * sine) / 6.0
    if turns != 0.0:
        part += 2.0 * turns * scipy.special.elliprd(0.0, 1.0, 1.0 - m) / 6.0
    return float(part)


@elementwise
def ellipeinc_slope(phi, m):
    """The derivative of the incomplete elliptic integral of the second kind by m.

    >>> round(float(ellipeinc_slope(1.0, 0.5)), 12)
    -0.155886889221
    """
    turns, sine, square = _reduced(phi)
    part = sine**3 * scipy.special.elliprd(square, 1.0 - m * sine * sine, 1.0) / -6.0
    if turns != 0.0:
        part -= 2.0 * turns * scipy.special.elliprd(0.0, 1.0 - m, 1.0) / 6.0
    return float(part)


@elementwise
def sine_integral(x):
    """The first result of sici."""
    return scipy.special.sici(x)[0]


@elementwise
def cosine_integral(x):
    """The second result of sici."""
    return scipy.special.sici(x)[1]


@elementwise
def sinh_integral(x):
    """The first result of shichi."""
    return scipy.special.shichi(x)[0]


@elementwise
def cosh_integral(x):
    """The second result of shichi."""
    return scipy.special.shichi(x)[1]


@elementwise
def fresnel_s(x):
    """The first result of fresnel."""
    return scipy.special.fresnel(x)[0]


@elementwise
def fresnel_c(x):
    """The second result of fresnel."""
    return scipy.special.fresnel(x)[1]


@elementwise
def airy_ai(x):
    """The first result of airy: Ai(x)."""
    return scipy.special.airy(x)[0]


@elementwise
def airy_ai_slope(x):
    """The second result of airy: Ai'(x)."""
    return scipy.special.airy(x)[1]


@elementwise
def airy_bi(x):
    """The third result of airy: Bi(x)."""
    return scipy.special.airy(x)[2]


@elementwise
def airy_bi_slope(x):
    """The fourth result of airy: Bi'(x)."""
    return scipy.special.airy(x)[3]


@elementwise
def jacobi_sn(u, m):
    """The first result of ellipj."""
    return scipy.special.ellipj(u, m)[0]


@elementwise
def jacobi_cn(u, m):
    """The second result of ellipj."""
    return scipy.special.ellipj(u, m)[1]


@elementwise
def jacobi_dn(u, m):
    """The third result of ellipj."""
    return scipy.special.ellipj(u, m)[2]


@elementwise
def jacobi_amplitude(u, m):
    """The fourth result of ellipj."""
    return scipy.special.ellipj(u, m)[3]


@elementwise
def finite_or_zero(x):
    """A number, or 0 if it is infinite; its derivative is taken as 0, since only results that it cancels from use it.

    >>> float(finite_or_zero(-math.inf)), float(finite_or_zero(2.0))
    (0.0, 2.0)
    """
    return type(x)(0) if abs(x) == math.inf else x


@elementwise
def spence_slope(z):
    """The derivative of spence: log(z) / (1 - z).

    >>> float(spence_slope(1.0))
    -1.0
    """
    return -1.0 if z == 1.0 else np.log(z) / (1.0 - z) if z > 0.0 else (math.inf if z < 0.0 else -math.inf)


def lambert_w(z: Any, k: Any) -> Any:
    """The branch k of Lambert's function. Not compiled."""
    return scipy.special.lambertw(z, k)


def spherical_harmonic(n: Any, m: Any, theta: Any, phi: Any) -> Any:
    """A spherical harmonic, 0 for |m| > n. Not compiled."""
    return scipy.special.sph_harm_y(n, m, theta, phi)
