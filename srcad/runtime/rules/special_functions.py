"""Rules of special functions of `math`, and of the kernels that other elementwise rules call."""

import math

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, partial, tangent


@partial(math.erf)
def erf(y, x):
    return 1.1283791670955126 * np.exp(-x * x)


@partial(math.erfc)
def erfc(y, x):
    return -1.1283791670955126 * np.exp(-x * x)


@partial(math.gamma)
def gamma(y, x):
    return y * kernels.polygamma(0, x)


@partial(math.lgamma)
def lgamma(y, x):
    return kernels.polygamma(0, x)


@partial(kernels.polygamma)
def polygamma(y, n, x):
    return None, kernels.polygamma(n + 1, x)


@partial(kernels.ratio)
def ratio(y, a, b):
    return kernels.ratio(1.0, b), -kernels.ratio(y, b)


@partial(kernels.root)
def root(y, x):
    return kernels.ratio(0.5, y)


@partial(kernels.power_mean)
def power_mean(y, x, p):
    return kernels.ratio(y, x) / p, -y * np.log(kernels.select(x > 0.0, x, 1.0)) / (p * p)


@partial(kernels.power_slope)
def power_slope(y, a, b):
    return kernels.power_bend(b, a, b - 1.0), a ** (b - 1.0) + kernels.power_log(y, a)


@partial(kernels.power_bend)
def power_bend(y, c, a, b):
    # Each higher derivative by a is one call: a product of several could be 0 times infinity at a == 0.
    return (
        kernels.power_slope(a, b),
        kernels.power_bend(c * b, a, b - 1.0),
        c * a ** (b - 1.0) + kernels.power_log(y, a),
    )


@partial(kernels.power_log)
def power_log(y, p, a):
    # The one is complex if p is: then so is the logarithm of a negative number.
    return kernels.power_log(p * 0 + 1, a), kernels.power_log_slope(p, a)


@partial(kernels.power_log_slope)
def power_log_slope(y, p, a):
    return kernels.power_log_slope(p * 0 + 1, a), -kernels.power_log_slope(y, a)


@adjoint(kernels.strong_product, elementwise=True)
def strong_product(y, bar, slope):
    # As for the plain product, so that second derivatives lose no term where `bar` happens to be 0.
    d[bar] = kernels.strong_product(d[y], slope)
    d[slope] = kernels.product_of_derivatives(bar, d[y])


@tangent(kernels.strong_product)
def strong_product_tangent(y, bar, slope):
    d[y] = kernels.strong_product(d[bar], slope) + kernels.product_of_derivatives(bar, d[slope])


@adjoint(kernels.product_of_derivatives, elementwise=True)
def product_of_derivatives(y, one, other):
    d[one] = kernels.product_of_derivatives(d[y], other)
    d[other] = kernels.product_of_derivatives(one, d[y])


@tangent(kernels.product_of_derivatives)
def product_of_derivatives_tangent(y, one, other):
    d[y] = kernels.product_of_derivatives(d[one], other) + kernels.product_of_derivatives(one, d[other])


@adjoint(kernels.strong_quotient, elementwise=True)
def strong_quotient(y, bar, divisor):
    d[bar] = kernels.strong_quotient(d[y], divisor)
    d[divisor] = -kernels.strong_quotient(
        kernels.strong_quotient(kernels.product_of_derivatives(bar, d[y]), divisor), divisor
    )


@tangent(kernels.strong_quotient)
def strong_quotient_tangent(y, bar, divisor):
    d[y] = kernels.strong_quotient(d[bar], divisor) - kernels.strong_quotient(
        kernels.strong_product(d[divisor], y), divisor
    )
