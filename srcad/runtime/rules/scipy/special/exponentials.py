"""Rules of exponentials, logarithms, entropies and their kin in `scipy.special`."""

import numpy as np
import scipy.special

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, partial, refused, tangent, zero


@partial(scipy.special.expit)
def expit(y, x):
    return y * scipy.special.expit(-x)


@partial(scipy.special.logit)
def logit(y, x):
    return 1.0 / (x * (1.0 - x))


@partial(scipy.special.log_expit)
def log_expit(y, x):
    return scipy.special.expit(-x)


@partial(scipy.special.exp10)
def exp10(y, x):
    return 2.302585092994046 * y


@partial(scipy.special.exprel)
def exprel(y, x):
    return kernels.scipy.exponential_moment(1, x)


@partial(kernels.scipy.exponential_moment)
def exponential_moment(y, n, x):
    return refused, kernels.scipy.exponential_moment(n + 1, x)


@partial(scipy.special.cosm1)
def cosm1(y, x):
    return -np.sin(x)


@partial(scipy.special.powm1)
def powm1(y, x, power):
    return power * x ** (power - 1.0), (y + 1.0) * np.log(x)


@partial(scipy.special.xlogy)
def xlogy(z, x, y):
    return np.log(y), np.where(x == 0.0, 0.0, x / y)


@partial(scipy.special.xlog1py)
def xlog1py(z, x, y):
    return np.log1p(y), np.where(x == 0.0, 0.0, x / (1.0 + y))


@partial(scipy.special.entr)
def entr(y, x):
    return -np.log(x) - 1.0


@partial(scipy.special.rel_entr)
def rel_entr(z, x, y):
    return np.log(x / y) + 1.0, -x / y


@partial(scipy.special.kl_div)
def kl_div(z, x, y):
    return np.log(x / y), 1.0 - x / y


@partial(scipy.special.huber)
def huber(y, delta, r):
    # At |r| == delta both sides have the same slope.
    return np.maximum(np.abs(r) - delta, 0.0), np.minimum(np.maximum(r, -delta), delta)


@partial(scipy.special.pseudo_huber)
def pseudo_huber(y, delta, r):
    length = np.hypot(delta, r)
    share = kernels.ratio(r, length + np.abs(delta))
    return np.sign(delta) * share * share * r * kernels.ratio(r, length), r * kernels.ratio(np.abs(delta), length)


@partial(scipy.special.boxcox)
def boxcox(y, x, lmbda):
    logarithm = np.log(x)
    return x ** (lmbda - 1.0), logarithm * logarithm * kernels.scipy.exponential_moment(1, lmbda * logarithm)


@partial(scipy.special.boxcox1p)
def boxcox1p(y, x, lmbda):
    logarithm = np.log1p(x)
    by_lmbda = logarithm * logarithm * kernels.scipy.exponential_moment(1, lmbda * logarithm)
    return np.exp((lmbda - 1.0) * logarithm), by_lmbda


@partial(scipy.special.inv_boxcox)
def inv_boxcox(x, y, lmbda):
    by_lmbda = -0.5 * x * y * y * scipy.special.hyp2f1(2.0, 2.0, 3.0, -lmbda * y)
    return x / (1.0 + lmbda * y), by_lmbda


@partial(scipy.special.inv_boxcox1p)
def inv_boxcox1p(x, y, lmbda):
    by_lmbda = -0.5 * (1.0 + x) * y * y * scipy.special.hyp2f1(2.0, 2.0, 3.0, -lmbda * y)
    return (1.0 + x) / (1.0 + lmbda * y), by_lmbda


@define(scipy.special.logsumexp)
def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    shift = kernels.scipy.finite_or_zero(np.max(a, axis=axis, keepdims=True))
    terms = np.exp(a - shift) if b is None else b * np.exp(a - shift)
    total = np.sum(terms, axis=axis, keepdims=keepdims)
    level = kernels.scipy.finite_or_zero(np.max(a, axis=axis, keepdims=keepdims))
    if return_sign:
        return np.log(np.abs(total)) + level, np.sign(total)
    return np.log(total) + level


@define(scipy.special.softmax)
def softmax(x, axis=None):
    terms = np.exp(x - kernels.scipy.finite_or_zero(np.max(x, axis=axis, keepdims=True)))
    return terms / np.sum(terms, axis=axis, keepdims=True)


@define(scipy.special.log_softmax)
def log_softmax(x, axis=None):
    shifted = x - kernels.scipy.finite_or_zero(np.max(x, axis=axis, keepdims=True))
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@adjoint(kernels.scipy.choose, elementwise=True)
def choose(y, condition, x, otherwise):
    d[x] = kernels.scipy.choose(condition, d[y], 0.0)
    d[otherwise] = kernels.scipy.choose(condition, 0.0, d[y])


@tangent(kernels.scipy.choose)
def choose_tangent(y, condition, x, otherwise):
    d[y] = kernels.scipy.choose(condition, d[x], 0.0) + kernels.scipy.choose(condition, 0.0, d[otherwise])


zero(kernels.scipy.finite_or_zero, scipy.special.round, elementwise=True)


@partial(kernels.scipy.mean_log1p)
def mean_log1p(y, c, z):
    return -0.5 * z * z * scipy.special.hyp2f1(2.0, 2.0, 3.0, -c * z), 1.0 / (1.0 + c * z)
