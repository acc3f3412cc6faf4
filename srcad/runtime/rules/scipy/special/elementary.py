"""Rules of elementary functions, Kelvin functions, means and further functions in `scipy.special`."""

import numpy as np
import scipy.special

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, partial, refused, zero


@partial(scipy.special.exp2)
def exp2(y, x):
    return 0.6931471805599453 * y


@partial(scipy.special.expm1)
def expm1(y, x):
    return y + 1.0


@partial(scipy.special.log1p)
def log1p(y, x):
    return 1.0 / (1.0 + x)


@partial(scipy.special.cbrt)
def cbrt(y, x):
    return 1.0 / (3.0 * y * y)


@partial(scipy.special.sindg)
def sindg(y, x):
    return 0.017453292519943295 * scipy.special.cosdg(x)


@partial(scipy.special.cosdg)
def cosdg(y, x):
    return -0.017453292519943295 * scipy.special.sindg(x)


@partial(scipy.special.tandg)
def tandg(y, x):
    return 0.017453292519943295 * (1.0 + y * y)


@partial(scipy.special.cotdg)
def cotdg(y, x):
    return -0.017453292519943295 * (1.0 + y * y)


@partial(scipy.special.radian)
def radian(y, d, m, s):
    return 0.017453292519943295, 0.0002908882086657216, 4.84813681109536e-06


@define(scipy.special.softplus)
def softplus(x, **kwargs):
    return np.logaddexp(0.0, x)


@define(scipy.special.diric)
def diric(x, n):
    half = 0.5 * x
    at_pole = np.sin(half) == 0.0
    safe = kernels.scipy.choose(at_pole, 1.0, half)
    sign = np.where(np.round(x / (2.0 * np.pi)) * (n - 1) % 2 == 0.0, 1.0, -1.0)
    return kernels.scipy.choose(at_pole, sign, np.sin(n * safe) / (n * np.sin(safe)))


@partial(scipy.special.wrightomega)
def wrightomega(y, z):
    return y / (1.0 + y)


@define(scipy.special.lambertw)
def lambertw(z, k=0, tol=1e-8):
    return kernels.scipy.lambert_w(z, k)


@partial(kernels.scipy.lambert_w)
def lambert_w(y, z, k):
    # The branch point -1/e has an infinite slope.
    return 1.0 / (np.exp(y) * (1.0 + y)), None


@partial(scipy.special.agm)
def agm(y, a, b):
    scale = 0.2122065907891938 * y * y
    return (
        scale * a * scipy.special.elliprd(0.0 * a, b * b, a * a),
        scale * b * scipy.special.elliprd(0.0 * b, a * a, b * b),
    )


@partial(scipy.special.elliprc)
def elliprc(z, x, y):
    return scipy.special.elliprd(y, y, x) / -6.0, scipy.special.elliprd(x, y, y) / -3.0


@partial(scipy.special.ber)
def ber(y, x):
    return scipy.special.berp(x)


@partial(scipy.special.bei)
def bei(y, x):
    return scipy.special.beip(x)


@partial(scipy.special.ker)
def ker(y, x):
    return scipy.special.kerp(x)


@partial(scipy.special.kei)
def kei(y, x):
    return scipy.special.keip(x)


@partial(scipy.special.berp)
def berp(y, x):
    return -scipy.special.bei(x) - y / x


@partial(scipy.special.beip)
def beip(y, x):
    return scipy.special.ber(x) - y / x


@partial(scipy.special.kerp)
def kerp(y, x):
    return -scipy.special.kei(x) - y / x


@partial(scipy.special.keip)
def keip(y, x):
    return scipy.special.ker(x) - y / x


@define(scipy.special.factorial)
def factorial(n, exact=False, extend="zero"):
    if exact or extend != "zero":
        raise NotImplementedError("scipy.special.factorial has a derivative with exact=False and extend='zero'")
    return kernels.scipy.choose(n < 0, 0.0, scipy.special.gamma(np.maximum(n, 0) + 1.0))


@define(scipy.special.comb)
def comb(N, k, *, exact=False, repetition=False):
    if exact:
        raise NotImplementedError("scipy.special.comb has a derivative with exact=False")
    total = N + k - 1.0 if repetition else N
    value = scipy.special.binom(total, k)
    return kernels.scipy.choose(np.logical_and(np.logical_and(k <= total, total >= 0), k >= 0), value, 0.0)


@define(scipy.special.perm)
def perm(N, k, exact=False):
    if exact:
        raise NotImplementedError("scipy.special.perm has a derivative with exact=False")
    value = scipy.special.poch(N - k + 1.0, k)
    return kernels.scipy.choose(np.logical_and(np.logical_and(k <= N, N >= 0), k >= 0), value, 0.0)


@define(scipy.special.voigt_profile)
def voigt_profile(x, sigma, gamma):
    z = (x + 1j * gamma) / (1.4142135623730951 * sigma)
    return np.real(scipy.special.wofz(z)) / (2.5066282746310002 * sigma)


@define(scipy.special.sph_harm_y)
def sph_harm_y(n, m, theta, phi, *, diff_n=0):
    if diff_n != 0:
        raise NotImplementedError("scipy.special.sph_harm_y has a derivative with diff_n=0: differentiate it")
    return kernels.scipy.spherical_harmonic(n, m, theta, phi)


@partial(kernels.scipy.spherical_harmonic)
def spherical_harmonic(y, n, m, theta, phi):
    # By the operators that raise and lower m, which have no pole.
    up = np.sqrt(np.maximum((n - m) * (n + m + 1.0), 0.0)) * kernels.scipy.spherical_harmonic(n, m + 1, theta, phi)
    down = np.sqrt(np.maximum((n + m) * (n - m + 1.0), 0.0)) * kernels.scipy.spherical_harmonic(n, m - 1, theta, phi)
    return refused, refused, 0.5 * (np.exp(-1j * phi) * up - np.exp(1j * phi) * down), 1j * m * y


zero(
    *(scipy.special.roots_chebyc, scipy.special.roots_chebys, scipy.special.roots_chebyt, scipy.special.roots_chebyu),
    *(scipy.special.roots_hermite, scipy.special.roots_hermitenorm, scipy.special.roots_laguerre),
    *(scipy.special.roots_sh_chebyt, scipy.special.roots_sh_chebyu, scipy.special.roots_sh_legendre),
)
