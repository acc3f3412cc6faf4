"""Rules of orthogonal polynomials and hypergeometric functions in `scipy.special`, by their last argument.

The derivative of a polynomial is one of the next family, of a degree less. That of degree 0 is 0.
"""

import numpy as np
import scipy.special

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import partial, refused


@partial(scipy.special.eval_legendre)
def eval_legendre(y, n, x):
    return refused, np.where(n == 0, 0.0, 0.5 * (n + 1) * scipy.special.eval_jacobi(n - 1, 1.0, 1.0, x))


@partial(scipy.special.eval_sh_legendre)
def eval_sh_legendre(y, n, x):
    return refused, np.where(n == 0, 0.0, (n + 1) * scipy.special.eval_jacobi(n - 1, 1.0, 1.0, 2.0 * x - 1.0))


@partial(scipy.special.eval_jacobi)
def eval_jacobi(y, n, alpha, beta, x):
    below = scipy.special.eval_jacobi(n - 1, alpha + 1.0, beta + 1.0, x)
    return refused, refused, refused, np.where(n == 0, 0.0, 0.5 * (n + alpha + beta + 1.0) * below)


@partial(scipy.special.eval_sh_jacobi)
def eval_sh_jacobi(y, n, p, q, x):
    below = scipy.special.eval_sh_jacobi(n - 1, p + 2.0, q + 1.0, x)
    return refused, refused, refused, np.where(n == 0, 0.0, n * below)


@partial(scipy.special.eval_chebyt)
def eval_chebyt(y, n, x):
    return refused, np.where(n == 0, 0.0, n * scipy.special.eval_chebyu(n - 1, x))


@partial(scipy.special.eval_chebyu)
def eval_chebyu(y, n, x):
    return refused, np.where(n == 0, 0.0, 2.0 * scipy.special.eval_gegenbauer(n - 1, 2.0, x))


@partial(scipy.special.eval_chebyc)
def eval_chebyc(y, n, x):
    return refused, np.where(n == 0, 0.0, n * scipy.special.eval_chebys(n - 1, x))


@partial(scipy.special.eval_chebys)
def eval_chebys(y, n, x):
    return refused, np.where(n == 0, 0.0, scipy.special.eval_gegenbauer(n - 1, 2.0, 0.5 * x))


@partial(scipy.special.eval_sh_chebyt)
def eval_sh_chebyt(y, n, x):
    return refused, np.where(n == 0, 0.0, 2.0 * n * scipy.special.eval_chebyu(n - 1, 2.0 * x - 1.0))


@partial(scipy.special.eval_sh_chebyu)
def eval_sh_chebyu(y, n, x):
    return refused, np.where(n == 0, 0.0, 4.0 * scipy.special.eval_gegenbauer(n - 1, 2.0, 2.0 * x - 1.0))


@partial(scipy.special.eval_gegenbauer)
def eval_gegenbauer(y, n, alpha, x):
    below = scipy.special.eval_gegenbauer(n - 1, alpha + 1.0, x)
    return refused, refused, np.where(n == 0, 0.0, 2.0 * alpha * below)


@partial(scipy.special.eval_hermite)
def eval_hermite(y, n, x):
    return refused, 2.0 * n * scipy.special.eval_hermite(np.maximum(n - 1, 0), x)


@partial(scipy.special.eval_hermitenorm)
def eval_hermitenorm(y, n, x):
    return refused, 1.0 * n * scipy.special.eval_hermitenorm(np.maximum(n - 1, 0), x)


@partial(scipy.special.eval_laguerre)
def eval_laguerre(y, n, x):
    return refused, np.where(n == 0, 0.0, -scipy.special.eval_genlaguerre(n - 1, 1.0, x))


@partial(scipy.special.eval_genlaguerre)
def eval_genlaguerre(y, n, alpha, x):
    return refused, refused, np.where(n == 0, 0.0, -scipy.special.eval_genlaguerre(n - 1, alpha + 1.0, x))


@partial(scipy.special.lpmv)
def lpmv(y, m, v, x):
    # Not at -1 and 1.
    below = scipy.special.lpmv(m, np.where(v == 0.0, 0.0, v - 1.0), x)
    return refused, refused, (v * x * y - (v + m) * below) / (x * x - 1.0)


@partial(scipy.special.hyp0f1)
def hyp0f1(y, v, z):
    return refused, scipy.special.hyp0f1(v + 1.0, z) / v


@partial(scipy.special.hyp1f1)
def hyp1f1(y, a, b, z):
    return (
        kernels.scipy.hyp1f1_slope_a(a, b, z),
        kernels.scipy.hyp1f1_slope_b(a, b, z),
        a * scipy.special.hyp1f1(a + 1.0, b + 1.0, z) / b,
    )


@partial(kernels.scipy.hyp1f1_slope_a)
def hyp1f1_slope_a(y, a, b, z):
    above = scipy.special.hyp1f1(a + 1.0, b + 1.0, z) / b
    return refused, refused, above + a / b * kernels.scipy.hyp1f1_slope_a(a + 1.0, b + 1.0, z)


@partial(kernels.scipy.hyp1f1_slope_b)
def hyp1f1_slope_b(y, a, b, z):
    above = scipy.special.hyp1f1(a + 1.0, b + 1.0, z) / b
    return refused, refused, a / b * (kernels.scipy.hyp1f1_slope_b(a + 1.0, b + 1.0, z) - above)


@partial(scipy.special.hyp2f1)
def hyp2f1(y, a, b, c, z):
    return (
        kernels.scipy.hyp2f1_slope_a(a, b, c, z),
        kernels.scipy.hyp2f1_slope_a(b, a, c, z),
        kernels.scipy.hyp2f1_slope_c(a, b, c, z),
        a * b * scipy.special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z) / c,
    )


@partial(kernels.scipy.hyp2f1_slope_a)
def hyp2f1_slope_a(y, a, b, c, z):
    above = b / c * scipy.special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)
    by_z = above + a * b / c * kernels.scipy.hyp2f1_slope_a(a + 1.0, b + 1.0, c + 1.0, z)
    return refused, refused, refused, by_z


@partial(kernels.scipy.hyp2f1_slope_c)
def hyp2f1_slope_c(y, a, b, c, z):
    above = scipy.special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z) / c
    by_z = a * b / c * (kernels.scipy.hyp2f1_slope_c(a + 1.0, b + 1.0, c + 1.0, z) - above)
    return refused, refused, refused, by_z


@partial(scipy.special.hyperu)
def hyperu(y, a, b, x):
    return refused, refused, -a * scipy.special.hyperu(a + 1.0, b + 1.0, x)
