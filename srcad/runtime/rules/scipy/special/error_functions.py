"""Rules of the error functions and the normal distribution in `scipy.special`."""

import numpy as np
import scipy.special

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import partial, refused


@partial(scipy.special.erf)
def erf(y, z):
    return 1.1283791670955126 * np.exp(-z * z)


@partial(scipy.special.erfc)
def erfc(y, z):
    return -1.1283791670955126 * np.exp(-z * z)


@partial(scipy.special.erfi)
def erfi(y, z):
    return 1.1283791670955126 * np.exp(z * z)


@partial(scipy.special.erfcx)
def erfcx(y, x):
    return kernels.scipy.erfcx_derivative(1, x)


@partial(kernels.scipy.erfcx_derivative)
def erfcx_derivative(y, n, x):
    return refused, kernels.scipy.erfcx_derivative(n + 1, x)


@partial(scipy.special.dawsn, handles_complex=False)
def dawsn(y, x):
    return kernels.scipy.dawsn_derivative(1, x)


@partial(kernels.scipy.dawsn_derivative)
def dawsn_derivative(y, n, x):
    return refused, kernels.scipy.dawsn_derivative(n + 1, x)


@partial(scipy.special.wofz)
def wofz(y, z):
    return 1.1283791670955126j - 2.0 * z * y  # cancels for large |z|


@partial(scipy.special.erfinv)
def erfinv(y, x):
    return 0.8862269254527580 * np.exp(y * y)


@partial(scipy.special.erfcinv)
def erfcinv(y, x):
    return -0.8862269254527580 * np.exp(y * y)


@partial(scipy.special.ndtr)
def ndtr(y, x):
    return 0.3989422804014327 * np.exp(-0.5 * x * x)


@partial(scipy.special.ndtri)
def ndtri(y, p):
    return 2.5066282746310002 * np.exp(0.5 * y * y)


@partial(scipy.special.log_ndtr)
def log_ndtr(y, x):
    return 0.7978845608028654 / scipy.special.erfcx(-0.7071067811865476 * x)


@partial(scipy.special.ndtri_exp)
def ndtri_exp(y, x):
    return 1.2533141373155001 * scipy.special.erfcx(-0.7071067811865476 * y)


@partial(scipy.special.owens_t)
def owens_t(y, h, a):
    return (
        -0.19947114020071635 * np.exp(-0.5 * h * h) * scipy.special.erf(0.7071067811865476 * a * h),
        0.15915494309189535 * np.exp(-0.5 * h * h * (1.0 + a * a)) / (1.0 + a * a),
    )


@partial(kernels.scipy.log_ndtr_between)
def log_ndtr_between(y, low, high):
    return (
        -0.3989422804014327 * np.exp(-0.5 * low * low - y),
        0.3989422804014327 * np.exp(-0.5 * high * high - y),
    )


@partial(kernels.scipy.skewnorm_cdf)
def skewnorm_cdf(y, z, a):
    return (
        0.7978845608028654 * np.exp(-0.5 * z * z) * scipy.special.ndtr(a * z),
        -0.3183098861837907 * np.exp(-0.5 * z * z * (1.0 + a * a)) / (1.0 + a * a),
    )


@partial(kernels.scipy.skewnorm_ppf)
def skewnorm_ppf(z, q, a):
    density = 0.7978845608028654 * np.exp(-0.5 * z * z) * scipy.special.ndtr(a * z)
    by_a = 0.3183098861837907 * np.exp(-0.5 * z * z * (1.0 + a * a)) / (1.0 + a * a)
    return 1.0 / density, by_a / density


@partial(kernels.scipy.vonmises_cdf)
def vonmises_cdf(y, z, kappa):
    density = 0.15915494309189535 * np.exp(kappa * scipy.special.cosm1(z)) / scipy.special.i0e(kappa)
    return density, kernels.scipy.vonmises_slope(1, 0, z, kappa)


@partial(kernels.scipy.vonmises_ppf)
def vonmises_ppf(z, q, kappa):
    density = 0.15915494309189535 * np.exp(kappa * scipy.special.cosm1(z)) / scipy.special.i0e(kappa)
    return 1.0 / density, -kernels.scipy.vonmises_slope(1, 0, z, kappa) / density


@partial(kernels.scipy.vonmises_slope)
def vonmises_slope(y, order, turns, z, kappa):
    return (
        refused,
        refused,
        kernels.scipy.vonmises_slope(order, turns + 1, z, kappa),
        kernels.scipy.vonmises_slope(order + 1, turns, z, kappa),
    )
