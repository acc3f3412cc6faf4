"""Definitions of distances in `scipy.spatial`, written out from a table of metrics.

    def euclidean(u, v, w=None):
        if w is None:
            return kernels.root(np.sum((u - v) ** 2, axis=-1))
        return kernels.root(np.sum(w * (u - v) ** 2, axis=-1))

A formula is for rows u and v along the last axis, so that `cdist` and `pdist` are the formula on rows that broadcast.
The derivative of a distance that is 0 is taken to be 0, the subgradient of least norm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.spatial
import scipy.spatial.distance as distances
import scipy.special

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, inlined, zero
from srcad.runtime.rulebook.theorems import NoRule
from srcad.runtime.rules.scipy.written_out import function_of_text

NO_METRIC = NoRule("a distance by this metric, which is none of numbers", "pass the name of a metric of numbers")
NO_OUT = NoRule("a distance with `out`", "use the result")
_SPACE = {"np": np, "kernels": kernels, "special": scipy.special, "NO_METRIC": NO_METRIC}


@dataclass(frozen=True)
class Metric:
    """A metric: a formula of rows `u` and `v`, in which `{w}` becomes `w * ` where there are weights.

    other_names  what else SciPy's `cdist` calls it
    given        the parameter that it has, with the default that the metric has as a function
    weighted     the formula with weights, if it is another one; None: it takes no weights
    as_function  whether SciPy has it as a function of this signature
    """

    formula: str
    other_names: tuple[str, ...] = ()
    given: str = ""
    weighted: str | None = ""
    as_function: bool = True


_COSINE = (
    "1.0 - np.sum({w}({u} * {v}), axis=-1)"
    " / (np.sqrt(np.sum({w}{u} ** 2, axis=-1)) * np.sqrt(np.sum({w}{v} ** 2, axis=-1)))"
)
_CENTRED = {each: f"({each} - np.mean({each}, axis=-1, keepdims=True))" for each in "uv"}
_WEIGHTED_CENTRED = {each: f"({each} - np.sum(w * {each}, axis=-1, keepdims=True) / np.sum(w))" for each in "uv"}
_KEEP = {"w": "{w}"}
_SHARES = {each: f"({each} / np.sum({each}, axis=-1, keepdims=True))" for each in "uv"}
_ENTROPIES = " + ".join(
    f"special.rel_entr({each}, 0.5 * ({_SHARES['u']} + {_SHARES['v']}))" for each in _SHARES.values()
)
_DIVERGENCE = f"kernels.root(0.5 * np.sum({_ENTROPIES}, axis=-1))"

METRICS = {
    "euclidean": Metric("kernels.root(np.sum({w}(u - v) ** 2, axis=-1))", ("euclid", "eu", "e")),
    "sqeuclidean": Metric("np.sum({w}(u - v) ** 2, axis=-1)", ("sqe", "sqeuclid")),
    "cityblock": Metric("np.sum({w}np.abs(u - v), axis=-1)", ("cblock", "cb", "c")),
    "chebyshev": Metric(
        *("np.max(np.abs(u - v), axis=-1)", ("chebychev", "cheby", "cheb", "ch")),
        weighted="np.max(np.where(w > 0.0, np.abs(u - v), 0.0), axis=-1)",
    ),
    "minkowski": Metric("kernels.power_mean(np.sum({w}np.abs(u - v) ** p, axis=-1), p)", ("mi", "m", "pnorm"), "p=2"),
    "cosine": Metric(_COSINE.format(u="u", v="v", **_KEEP), ("cos",)),
    "correlation": Metric(
        _COSINE.format(**_CENTRED, **_KEEP), ("co",), weighted=_COSINE.format(**_WEIGHTED_CENTRED, **_KEEP)
    ),
    "canberra": Metric("np.sum({w}kernels.ratio(np.abs(u - v), np.abs(u) + np.abs(v)), axis=-1)"),
    "braycurtis": Metric("np.sum({w}np.abs(u - v), axis=-1) / np.sum({w}np.abs(u + v), axis=-1)"),
    "seuclidean": Metric("kernels.root(np.sum((u - v) ** 2 / V, axis=-1))", ("se", "s"), given="V", weighted=None),
    "mahalanobis": Metric(
        "kernels.root(np.sum(((u - v) @ VI) * (u - v), axis=-1))", ("mahal", "mah"), "VI", weighted=None
    ),
    "jensenshannon": Metric(_DIVERGENCE, ("js",), weighted=None, as_function=False),
    "hamming": Metric(
        *("np.mean(1.0 * (u != v), axis=-1)", ("matching", "hamm", "ha", "h")),
        weighted="np.sum((w / np.sum(w)) * (u != v), axis=-1)",
    ),
}


def _lines(name: str, metric: Metric) -> list[str]:
    """The lines of the function of two rows."""
    plain = f"return {metric.formula.replace('{w}', '')}"
    if metric.weighted is None:
        return [plain]
    weighted = (metric.weighted or metric.formula).replace("{w}", "w * ")
    lines = ["if w is not None:", f"    return {weighted}", plain]
    if name == "minkowski":
        largest = _lines("chebyshev", METRICS["chebyshev"])
        return ["if p == np.inf:", *(f"    {line}" for line in largest), *lines]
    return lines


def _head(metric: Metric) -> str:
    """The parameters of the function of two rows, as SciPy names them."""
    return ", ".join(["u", "v", *filter(None, [metric.given]), *([] if metric.weighted is None else ["w=None"])])


def _choice() -> list[str]:
    """The lines of the choice of a metric by its name, with all arguments that a metric can have."""
    lines = []
    for name, metric in METRICS.items():
        given = [metric.given.partition("=")[0]] if metric.given else []
        args = ", ".join(["u", "v", *given, *([] if metric.weighted is None else ["w"])])
        lines += [f"if metric in {(name, *metric.other_names)!r}:", f"    return {name}({args})"]
    return [*lines, "NO_METRIC()"]


for _name, _metric in METRICS.items():
    _rows = inlined(function_of_text(f"scipy.spatial.distance.{_name}", _head(_metric), _lines(_name, _metric), _SPACE))
    _SPACE[_name] = _rows
    if _metric.as_function:
        define(getattr(distances, _name))(_rows)

_distance = inlined(function_of_text("scipy.spatial.distance", "u, v, metric, p, w, V, VI", _choice(), _SPACE))


@inlined
def _variances(metric, rows):
    """The variances of columns, for the one metric that needs them."""
    if metric in ("seuclidean", "se", "s"):
        return np.var(rows, axis=0, ddof=1)
    return None


@inlined
def _inverse_covariances(metric, rows):
    """The inverse of the covariances of columns, for the one metric that needs it."""
    if metric in ("mahalanobis", "mahal", "mah"):
        return np.linalg.inv(np.cov(np.transpose(rows)))
    return None


@define(distances.cdist)
def cdist(XA, XB, metric="euclidean", *, out=None, p=2, w=None, V=None, VI=None):
    if out is not None:
        NO_OUT()
    variances = _variances(metric, np.concatenate((XA, XB))) if V is None else V
    inverse = _inverse_covariances(metric, np.concatenate((XA, XB))) if VI is None else VI
    return _distance(XA[:, None, :], XB[None, :, :], metric, p, w, variances, inverse)


@define(distances.pdist)
def pdist(X, metric="euclidean", *, out=None, p=2, w=None, V=None, VI=None):
    if out is not None:
        NO_OUT()
    variances = _variances(metric, X) if V is None else V
    inverse = _inverse_covariances(metric, X) if VI is None else VI
    one, other = kernels.scipy.first_of_pairs(X.shape[0]), kernels.scipy.second_of_pairs(X.shape[0])
    return _distance(X[one], X[other], metric, p, w, variances, inverse)


@define(distances.squareform)
def squareform(X, force="no", checks=True):
    if np.ndim(X) == 1:
        return np.concatenate((X, np.zeros(1, X.dtype)))[kernels.scipy.places_in_square(X.shape[0])]
    size = X.shape[0]
    return X[kernels.scipy.first_of_pairs(size), kernels.scipy.second_of_pairs(size)]


@define(distances.jensenshannon)
def jensenshannon(p, q, base=None, *, axis=0, keepdims=False):
    one, other = p / np.sum(p, axis=axis, keepdims=True), q / np.sum(q, axis=axis, keepdims=True)
    middle = 0.5 * (one + other)
    apart = scipy.special.rel_entr(one, middle) + scipy.special.rel_entr(other, middle)
    divergence = np.sum(apart, axis=axis, keepdims=keepdims)
    if base is not None:
        divergence = divergence / np.log(base)
    return kernels.root(0.5 * divergence)


@define(scipy.spatial.minkowski_distance_p)
def minkowski_distance_p(x, y, p=2.0):
    if p == np.inf:
        return np.max(np.abs(y - x), axis=-1)
    return np.sum(np.abs(y - x) ** p, axis=-1)


@define(scipy.spatial.minkowski_distance)
def minkowski_distance(x, y, p=2.0):
    if p == np.inf:
        return np.max(np.abs(y - x), axis=-1)
    return kernels.power_mean(np.sum(np.abs(y - x) ** p, axis=-1), p)


@define(scipy.spatial.distance_matrix)
def distance_matrix(x, y, p=2.0, threshold=1000000):
    one, other = x[:, None, :], y[None, :, :]
    if p == np.inf:
        return np.max(np.abs(other - one), axis=-1)
    return kernels.power_mean(np.sum(np.abs(other - one) ** p, axis=-1), p)


zero(kernels.scipy.first_of_pairs, kernels.scipy.second_of_pairs, kernels.scipy.places_in_square)
