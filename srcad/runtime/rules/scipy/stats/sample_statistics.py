"""Definitions of statistics of samples in `scipy.stats`: means, moments, correlation, regression, entropy.

`nan_policy` other than "propagate" is refused. Statistics of ranks have no derivative: they change by jumps.
"""

from collections import namedtuple

import numpy as np
import scipy.special
import scipy.stats

from srcad.runtime.rulebook.registry import define, inlined
from srcad.runtime.rulebook.theorems import NoRule

Correlation = namedtuple("Correlation", ["statistic", "pvalue"])
Regression = namedtuple("Regression", ["slope", "intercept", "rvalue", "pvalue", "stderr"])

NO_POLICY = NoRule("a statistic with this `nan_policy`", "leave NaN out of the samples before the call")
NO_DTYPE = NoRule("a mean with `dtype`", "convert the samples before the call")
NO_ALTERNATIVE = NoRule("a test with an `alternative` or a `method`", "leave it out, and use the statistic")
NO_CENTER = NoRule("a moment about a `center`", "write the mean of the powers")


@inlined
def _average(a, weights, axis, keepdims):
    if weights is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    if np.ndim(weights) != np.ndim(a):
        raise NotImplementedError("weights of a mean have the shape of the samples")
    return np.sum(weights * a, axis=axis, keepdims=keepdims) / np.sum(
        weights + np.zeros_like(a), axis=axis, keepdims=keepdims
    )


@inlined
def _moment(a, order, axis, keepdims):
    return np.mean((a - np.mean(a, axis=axis, keepdims=True)) ** order, axis=axis, keepdims=keepdims)


@define(scipy.stats.gmean)
def gmean(a, axis=0, dtype=None, weights=None, *, nan_policy="propagate", keepdims=False):
    if dtype is not None:
        NO_DTYPE()
    if nan_policy != "propagate":
        NO_POLICY()
    return np.exp(_average(np.log(a), weights, axis, keepdims))


@define(scipy.stats.hmean)
def hmean(a, axis=0, dtype=None, *, weights=None, nan_policy="propagate", keepdims=False):
    if dtype is not None:
        NO_DTYPE()
    if nan_policy != "propagate":
        NO_POLICY()
    return 1.0 / _average(1.0 / a, weights, axis, keepdims)


@define(scipy.stats.pmean)
def pmean(a, p, *, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False):
    if dtype is not None:
        NO_DTYPE()
    if nan_policy != "propagate":
        NO_POLICY()
    if p == 0:
        return np.exp(_average(np.log(a), weights, axis, keepdims))
    return _average(a**p, weights, axis, keepdims) ** (1.0 / p)


@define(scipy.stats.zscore)
def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    if nan_policy != "propagate":
        NO_POLICY()
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


@define(scipy.stats.zmap)
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    if nan_policy != "propagate":
        NO_POLICY()
    return (scores - np.mean(compare, axis=axis, keepdims=True)) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


@define(scipy.stats.gzscore)
def gzscore(a, *, axis=0, ddof=0, nan_policy="propagate"):
    if nan_policy != "propagate":
        NO_POLICY()
    return scipy.stats.zscore(np.log(a), axis, ddof)


@define(scipy.stats.gstd)
def gstd(a, axis=0, ddof=1, *, keepdims=False, nan_policy="propagate"):
    if nan_policy != "propagate":
        NO_POLICY()
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof, keepdims=keepdims))


@define(scipy.stats.sem)
def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    if nan_policy != "propagate":
        NO_POLICY()
    size = a.size if axis is None else a.shape[axis]
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.sqrt(size)


@define(scipy.stats.variation)
def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False):
    if nan_policy != "propagate":
        NO_POLICY()
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.mean(a, axis=axis, keepdims=keepdims)


@define(scipy.stats.moment)
def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False):
    if nan_policy != "propagate":
        NO_POLICY()
    if center is not None:
        NO_CENTER()
    if np.ndim(order) != 0:
        raise NotImplementedError("scipy.stats.moment has a derivative for one order")
    return _moment(a, order, axis, keepdims)


@define(scipy.stats.skew)
def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False):
    if nan_policy != "propagate":
        NO_POLICY()
    value = _moment(a, 3, axis, keepdims) / _moment(a, 2, axis, keepdims) ** 1.5
    if bias:
        return value
    n = a.size if axis is None else a.shape[axis]
    return value * np.sqrt((n - 1.0) * n) / (n - 2.0)


@define(scipy.stats.kurtosis)
def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False):
    if nan_policy != "propagate":
        NO_POLICY()
    value = _moment(a, 4, axis, keepdims) / _moment(a, 2, axis, keepdims) ** 2
    if not bias:
        n = 1.0 * (a.size if axis is None else a.shape[axis])
        value = ((n * n - 1.0) * value - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return value - 3.0 if fisher else value


@define(scipy.stats.entropy)
def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False):
    if nan_policy != "propagate":
        NO_POLICY()
    share = pk / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        value = np.sum(scipy.special.entr(share), axis=axis, keepdims=keepdims)
    else:
        other = qk / np.sum(qk, axis=axis, keepdims=True)
        value = np.sum(scipy.special.rel_entr(share, other), axis=axis, keepdims=keepdims)
    return value if base is None else value / np.log(base)


@define(scipy.stats.pearsonr)
def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0):
    if alternative != "two-sided" or method is not None:
        NO_ALTERNATIVE()
    if np.ndim(x) != 1 or np.ndim(y) != 1:
        raise NotImplementedError("scipy.stats.pearsonr has a derivative for vectors")
    u, v = x - np.mean(x), y - np.mean(y)
    r = np.sum(u * v) / (np.sqrt(np.sum(u * u)) * np.sqrt(np.sum(v * v)))
    half = 0.5 * x.shape[0] - 1.0
    return Correlation(r, 2.0 * scipy.special.betainc(half, half, 0.5 * (1.0 - np.abs(r))))


@define(scipy.stats.linregress)
def linregress(x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False):
    if nan_policy != "propagate":
        NO_POLICY()
    if alternative != "two-sided":
        NO_ALTERNATIVE()
    if np.ndim(x) != 1 or np.ndim(y) != 1 or keepdims:
        raise NotImplementedError("scipy.stats.linregress has a derivative for vectors")
    n = 1.0 * x.shape[0]
    u, v = x - np.mean(x), y - np.mean(y)
    xx, xy, yy = np.mean(u * u), np.mean(u * v), np.mean(v * v)
    slope = xy / xx
    r = xy / np.sqrt(xx * yy)
    df = n - 2.0
    t = r * np.sqrt(df / ((1.0 - r) * (1.0 + r)))
    error = np.sqrt((1.0 - r * r) * yy / xx / df)
    return Regression(slope, np.mean(y) - slope * np.mean(x), r, 2.0 * scipy.special.stdtr(df, -np.abs(t)), error)


@define(scipy.stats.boxcox_llf)
def boxcox_llf(lmb, data, *, axis=0, keepdims=False, nan_policy="propagate"):
    if nan_policy != "propagate":
        NO_POLICY()
    if np.ndim(data) != 1 or keepdims:
        raise NotImplementedError("scipy.stats.boxcox_llf has a derivative for vectors")
    moved = scipy.special.boxcox(data, lmb)
    return (lmb - 1.0) * np.sum(np.log(data)) - 0.5 * data.shape[0] * np.log(np.var(moved))


@define(scipy.stats.boxcox)
def boxcox(x, lmbda=None, alpha=None, optimizer=None):
    if lmbda is None or alpha is not None or optimizer is not None:
        raise NotImplementedError("scipy.stats.boxcox has a derivative with `lmbda`, and without `alpha`")
    return scipy.special.boxcox(x, lmbda)
