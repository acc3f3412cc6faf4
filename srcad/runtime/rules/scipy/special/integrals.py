"""Rules of elliptic, exponential, trigonometric and Fresnel integrals in `scipy.special`."""

import numpy as np
import scipy.special

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, partial, refused


@partial(scipy.special.ellipk)
def ellipk(y, m):
    return kernels.scipy.ellipk_slope(m)


@partial(kernels.scipy.ellipk_slope)
def ellipk_slope(y, m):
    return 0.4417864669110646 * scipy.special.hyp2f1(2.5, 2.5, 3.0, m)


@partial(scipy.special.ellipkm1)
def ellipkm1(y, p):
    return kernels.scipy.ellipkm1_slope(p)


@partial(kernels.scipy.ellipkm1_slope)
def ellipkm1_slope(y, p):
    return 0.4417864669110646 * scipy.special.hyp2f1(2.5, 2.5, 3.0, 1.0 - p)


@partial(scipy.special.ellipe)
def ellipe(y, m):
    return kernels.scipy.ellipe_slope(m)


@partial(kernels.scipy.ellipe_slope)
def ellipe_slope(y, m):
    return -0.14726215563702156 * scipy.special.hyp2f1(1.5, 2.5, 3.0, m)


@partial(scipy.special.ellipkinc)
def ellipkinc(y, phi, m):
    return 1.0 / np.sqrt(1.0 - m * np.sin(phi) ** 2), kernels.scipy.ellipkinc_slope(phi, m)


@partial(kernels.scipy.ellipkinc_slope)
def ellipkinc_slope(y, phi, m):
    square = np.sin(phi) ** 2
    return 0.5 * square / (1.0 - m * square) ** 1.5, refused


@partial(scipy.special.ellipeinc)
def ellipeinc(y, phi, m):
    return np.sqrt(1.0 - m * np.sin(phi) ** 2), kernels.scipy.ellipeinc_slope(phi, m)


@partial(kernels.scipy.ellipeinc_slope)
def ellipeinc_slope(y, phi, m):
    square = np.sin(phi) ** 2
    return -0.5 * square / np.sqrt(1.0 - m * square), refused


@define(scipy.special.ellipj)
def ellipj(u, m):
    return (
        kernels.scipy.jacobi_sn(u, m),
        kernels.scipy.jacobi_cn(u, m),
        kernels.scipy.jacobi_dn(u, m),
        kernels.scipy.jacobi_amplitude(u, m),
    )


@partial(kernels.scipy.jacobi_sn)
def jacobi_sn(y, u, m):
    return kernels.scipy.jacobi_cn(u, m) * kernels.scipy.jacobi_dn(u, m), refused


@partial(kernels.scipy.jacobi_cn)
def jacobi_cn(y, u, m):
    return -kernels.scipy.jacobi_sn(u, m) * kernels.scipy.jacobi_dn(u, m), refused


@partial(kernels.scipy.jacobi_dn)
def jacobi_dn(y, u, m):
    return -m * kernels.scipy.jacobi_sn(u, m) * kernels.scipy.jacobi_cn(u, m), refused


@partial(kernels.scipy.jacobi_amplitude)
def jacobi_amplitude(y, u, m):
    return kernels.scipy.jacobi_dn(u, m), refused


@partial(scipy.special.elliprf)
def elliprf(y, a, b, c):
    return (
        scipy.special.elliprd(b, c, a) / -6.0,
        scipy.special.elliprd(c, a, b) / -6.0,
        scipy.special.elliprd(a, b, c) / -6.0,
    )


@partial(scipy.special.elliprd)
def elliprd(y, a, b, c):
    return refused, refused, refused


@partial(scipy.special.expi)
def expi(y, x):
    return np.exp(x) / x


@partial(scipy.special.exp1)
def exp1(y, z):
    return -np.exp(-z) / z


@partial(scipy.special.expn)
def expn(y, n, x):
    at_zero = np.exp(-x) * (1.0 + x) / (x * x)
    return refused, -np.where(n == 0, at_zero, scipy.special.expn(np.maximum(n - 1, 0), x))


@define(scipy.special.sici)
def sici(x):
    return kernels.scipy.sine_integral(x), kernels.scipy.cosine_integral(x)


@partial(kernels.scipy.sine_integral)
def sine_integral(y, x):
    return np.where(x == 0.0, 1.0, np.sin(x) / x)


@partial(kernels.scipy.cosine_integral)
def cosine_integral(y, x):
    return np.cos(x) / x


@define(scipy.special.shichi)
def shichi(x):
    return kernels.scipy.sinh_integral(x), kernels.scipy.cosh_integral(x)


@partial(kernels.scipy.sinh_integral)
def sinh_integral(y, x):
    return np.where(x == 0.0, 1.0, np.sinh(x) / x)


@partial(kernels.scipy.cosh_integral)
def cosh_integral(y, x):
    return np.cosh(x) / x


@define(scipy.special.fresnel)
def fresnel(z):
    return kernels.scipy.fresnel_s(z), kernels.scipy.fresnel_c(z)


@partial(kernels.scipy.fresnel_s)
def fresnel_s(y, x):
    return np.sin(1.5707963267948966 * x * x)


@partial(kernels.scipy.fresnel_c)
def fresnel_c(y, x):
    return np.cos(1.5707963267948966 * x * x)


@partial(scipy.special.spence, handles_complex=False)
def spence(y, z):
    return kernels.scipy.spence_slope(z)


@partial(kernels.scipy.spence_slope)
def spence_slope(y, z):
    return 0.5 * scipy.special.hyp2f1(2.0, 2.0, 3.0, 1.0 - z)
