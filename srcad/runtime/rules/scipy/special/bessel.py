"""Rules of Bessel and Airy functions in `scipy.special`. The derivative by the order is not known."""

import numpy as np
import scipy.special

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, partial, refused
from srcad.runtime.rules.scipy.written_out import define_by_text


@partial(scipy.special.j0)
def j0(y, x):
    return -scipy.special.j1(x)


@partial(scipy.special.j1)
def j1(y, x):
    return 0.5 * (scipy.special.j0(x) - scipy.special.jv(2.0, x))


@partial(scipy.special.jv)
def jv(y, v, z):
    return refused, 0.5 * (scipy.special.jv(v - 1.0, z) - scipy.special.jv(v + 1.0, z))


@partial(scipy.special.y0)
def y0(y, x):
    return -scipy.special.y1(x)


@partial(scipy.special.y1)
def y1(y, x):
    return 0.5 * (scipy.special.y0(x) - scipy.special.yn(2, x))


@partial(scipy.special.yn)
def yn(y, n, x):
    return refused, 0.5 * (scipy.special.yn(n - 1, x) - scipy.special.yn(n + 1, x))


@partial(scipy.special.yv)
def yv(y, v, z):
    return refused, 0.5 * (scipy.special.yv(v - 1.0, z) - scipy.special.yv(v + 1.0, z))


@partial(scipy.special.i0)
def i0(y, x):
    return scipy.special.i1(x)


@partial(scipy.special.i1)
def i1(y, x):
    return 0.5 * (scipy.special.i0(x) + scipy.special.iv(2.0, x))


@partial(scipy.special.iv)
def iv(y, v, z):
    return refused, 0.5 * (scipy.special.iv(v - 1.0, z) + scipy.special.iv(v + 1.0, z))


@partial(scipy.special.k0)
def k0(y, x):
    return -scipy.special.k1(x)


@partial(scipy.special.k1)
def k1(y, x):
    return -0.5 * (scipy.special.k0(x) + scipy.special.kn(2, x))


@partial(scipy.special.kn)
def kn(y, n, x):
    return refused, -0.5 * (scipy.special.kn(n - 1, x) + scipy.special.kn(n + 1, x))


@partial(scipy.special.kv)
def kv(y, v, z):
    return refused, -0.5 * (scipy.special.kv(v - 1.0, z) + scipy.special.kv(v + 1.0, z))


@partial(scipy.special.i0e)
def i0e(y, x):
    return kernels.scipy.ive_slope(0.0, x)


@partial(scipy.special.i1e)
def i1e(y, x):
    return kernels.scipy.ive_slope(1.0, x)


@partial(scipy.special.ive, handles_complex=False)
def ive(y, v, x):
    return refused, kernels.scipy.ive_slope(v, x)


@partial(kernels.scipy.ive_slope)
def ive_slope(y, v, x):
    around = 0.5 * (kernels.scipy.ive_slope(v - 1.0, x) + kernels.scipy.ive_slope(v + 1.0, x))
    return refused, around - np.sign(x) * y


@partial(scipy.special.k0e)
def k0e(y, x):
    return kernels.scipy.kve_slope(0.0, x)


@partial(scipy.special.k1e)
def k1e(y, x):
    return kernels.scipy.kve_slope(1.0, x)


@partial(scipy.special.kve, handles_complex=False)
def kve(y, v, x):
    return refused, kernels.scipy.kve_slope(v, x)


@partial(kernels.scipy.kve_slope)
def kve_slope(y, v, x):
    return refused, y - 0.5 * (kernels.scipy.kve_slope(v - 1.0, x) + kernels.scipy.kve_slope(v + 1.0, x))


@define(scipy.special.spherical_jn)
def spherical_jn_or_slope(n, z, derivative=False):
    if derivative:
        return (
            n * kernels.scipy.spherical_jn(np.maximum(n - 1, 0), z) - (n + 1) * kernels.scipy.spherical_jn(n + 1, z)
        ) / (2 * n + 1)
    return kernels.scipy.spherical_jn(n, z)


@partial(kernels.scipy.spherical_jn)
def spherical_jn(y, n, x):
    below = n * kernels.scipy.spherical_jn(np.maximum(n - 1, 0), x)
    return refused, (below - (n + 1) * kernels.scipy.spherical_jn(n + 1, x)) / (2 * n + 1)


@define(scipy.special.spherical_yn)
def spherical_yn_or_slope(n, z, derivative=False):
    if derivative:
        return (
            n * kernels.scipy.spherical_yn(np.maximum(n - 1, 0), z) - (n + 1) * kernels.scipy.spherical_yn(n + 1, z)
        ) / (2 * n + 1)
    return kernels.scipy.spherical_yn(n, z)


@partial(kernels.scipy.spherical_yn)
def spherical_yn(y, n, x):
    below = n * kernels.scipy.spherical_yn(np.maximum(n - 1, 0), x)
    return refused, (below - (n + 1) * kernels.scipy.spherical_yn(n + 1, x)) / (2 * n + 1)


@define(scipy.special.spherical_in)
def spherical_in_or_slope(n, z, derivative=False):
    if derivative:
        return (
            n * kernels.scipy.spherical_in(np.maximum(n - 1, 0), z) + (n + 1) * kernels.scipy.spherical_in(n + 1, z)
        ) / (2 * n + 1)
    return kernels.scipy.spherical_in(n, z)


@partial(kernels.scipy.spherical_in)
def spherical_in(y, n, x):
    below = n * kernels.scipy.spherical_in(np.maximum(n - 1, 0), x)
    return refused, (below + (n + 1) * kernels.scipy.spherical_in(n + 1, x)) / (2 * n + 1)


@define(scipy.special.spherical_kn)
def spherical_kn_or_slope(n, z, derivative=False):
    if derivative:
        return -(
            n * kernels.scipy.spherical_kn(np.maximum(n - 1, 0), z) + (n + 1) * kernels.scipy.spherical_kn(n + 1, z)
        ) / (2 * n + 1)
    return kernels.scipy.spherical_kn(n, z)


@partial(kernels.scipy.spherical_kn)
def spherical_kn(y, n, x):
    below = n * kernels.scipy.spherical_kn(np.maximum(n - 1, 0), x)
    return refused, -(below + (n + 1) * kernels.scipy.spherical_kn(n + 1, x)) / (2 * n + 1)


@define(scipy.special.airy)
def airy(z):
    return (
        kernels.scipy.airy_ai(z),
        kernels.scipy.airy_ai_slope(z),
        kernels.scipy.airy_bi(z),
        kernels.scipy.airy_bi_slope(z),
    )


@partial(kernels.scipy.airy_ai)
def airy_ai(y, x):
    return kernels.scipy.airy_ai_slope(x)


@partial(kernels.scipy.airy_ai_slope)
def airy_ai_slope(y, x):
    return x * kernels.scipy.airy_ai(x)


@partial(kernels.scipy.airy_bi)
def airy_bi(y, x):
    return kernels.scipy.airy_bi_slope(x)


@partial(kernels.scipy.airy_bi_slope)
def airy_bi_slope(y, x):
    return x * kernels.scipy.airy_bi(x)


@partial(scipy.special.jve, handles_complex=False)
def jve(y, v, z):
    return refused, 0.5 * (scipy.special.jve(v - 1.0, z) - scipy.special.jve(v + 1.0, z))


@partial(scipy.special.yve, handles_complex=False)
def yve(y, v, z):
    return refused, 0.5 * (scipy.special.yve(v - 1.0, z) - scipy.special.yve(v + 1.0, z))


@partial(scipy.special.hankel1)
def hankel1(y, v, z):
    return refused, 0.5 * (scipy.special.hankel1(v - 1.0, z) - scipy.special.hankel1(v + 1.0, z))


@partial(scipy.special.hankel2)
def hankel2(y, v, z):
    return refused, 0.5 * (scipy.special.hankel2(v - 1.0, z) - scipy.special.hankel2(v + 1.0, z))


@partial(scipy.special.hankel1e)
def hankel1e(y, v, z):
    return refused, 0.5 * (scipy.special.hankel1e(v - 1.0, z) - scipy.special.hankel1e(v + 1.0, z)) - 1j * y


@partial(scipy.special.hankel2e)
def hankel2e(y, v, z):
    return refused, 0.5 * (scipy.special.hankel2e(v - 1.0, z) - scipy.special.hankel2e(v + 1.0, z)) + 1j * y


@partial(scipy.special.struve)
def struve(y, v, x):
    constant = (0.5 * x) ** v * scipy.special.rgamma(v + 1.5) * 0.5641895835477563
    return refused, 0.5 * (scipy.special.struve(v - 1.0, x) - scipy.special.struve(v + 1.0, x) + constant)


@partial(scipy.special.modstruve)
def modstruve(y, v, x):
    constant = (0.5 * x) ** v * scipy.special.rgamma(v + 1.5) * 0.5641895835477563
    return refused, 0.5 * (scipy.special.modstruve(v - 1.0, x) + scipy.special.modstruve(v + 1.0, x) + constant)


# The n-th derivative by the argument is a sum over orders from v - n to v + n, with binomial weights.
for _name, _of, _sign, _share in (
    ("jvp", "jv", "-", 0.5),
    ("yvp", "yv", "-", 0.5),
    ("ivp", "iv", "", 0.5),
    ("kvp", "kv", "", -0.5),
):
    define_by_text(
        getattr(scipy.special, _name),
        f"scipy.special.{_name}",
        "v, z, n=1",
        [
            "total = 0.0 * z",
            "weight = 1.0",
            "for k in range(n + 1):",
            f"    total = total + weight * scipy.special.{_of}(v - n + 2.0 * k, z)",
            f"    weight = {_sign}weight * (n - k) / (k + 1.0)",
            f"return total * ({_share}) ** n",
        ],
        {"scipy": scipy},
    )
