"""Keywords of libraries' functions: dropped, expressed or refused; no definition says that a parameter is unknown."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import srcad
from srcad.errors import MissingRule
from srcad.runtime import rules
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.transforms.lowering.calls.library_keywords import WITHOUT_INFLUENCE, own_parameters, real_parameters
from tests.checking import assert_gradient

X = np.array([0.3, 1.2, -0.7, 0.9])
CALLS = [
    lambda x: np.median(x, 0, None, True) ** 2 + np.percentile(x, 30, overwrite_input=True),
    lambda x: np.multiply(x, x, dtype=np.float64, casting="same_kind", order="C") ** 2,
    lambda x: np.exp(x[0], dtype=np.float64, subok=False),
    lambda x: np.flip(m=x) * np.copy(a=x) + np.expand_dims(axis=0, a=x) * np.asarray(a=x) * np.transpose(a=x),
    lambda x: np.nanmean(np.where(x > 1, np.nan, x).reshape(2, 2), 1, None, None, True) ** 2,
    lambda x: np.nanvar(x, where=x > 0) + np.nanstd(x, correction=1) + np.nansum(x**2, where=x > 0, initial=2.0),
    lambda x: np.nanmax(x**2, initial=0.1) + np.nanmin(x, initial=9.0, where=x > 0) + np.nanprod(x, where=x > 0),
    lambda x: np.add.reduce(x**2, keepdims=True, initial=1.0) + np.maximum.reduce(x, initial=0.0),
    lambda x: np.add.accumulate(x, dtype=float) ** 2 + np.cumulative_sum(x, dtype=float),
    lambda x: np.quantile(x.reshape(2, 2), 0.4, keepdims=True) ** 2,
    lambda x: np.cov(x, x**2, dtype=np.float64) + np.corrcoef(x, x**2, dtype=np.float64),
    lambda x: np.geomspace(x[:2] ** 2, x[:2] ** 2 + 1, 4, axis=1) + np.logspace(x[:2], x[2:], 4, axis=-1),
    lambda x: np.stack([x, x**2], axis=1, dtype=np.float64) * np.concatenate([x, x], dtype=float).reshape(4, 2),
    lambda x: np.clip(x, min=-0.5, max=1.0) ** 2 + np.nan_to_num(x**2, nan=0.0, posinf=1.0),
    lambda x: np.angle(x + 1j, deg=True) + np.choose([0, 3, 1, 0], [x, x**2], mode="clip"),
    lambda x: np.interp(x * 3, np.array([1.0, 5.0, 2.0]), x[:3], period=4.0) ** 2,
    lambda x: np.polynomial.polynomial.polyint(x, 2, k=[1.0, 2.0], lbnd=0.5, scl=1.5) ** 2,
    lambda x: np.polynomial.polynomial.polyder(x, scl=2.0) ** 2,
    lambda x: np.polynomial.chebyshev.chebval(x, np.outer(x, x)) ** 2,
    lambda x: np.polynomial.legendre.legval(x, np.outer(x, x), tensor=False) ** 2,
    lambda x: np.polynomial.polynomial.polyval(x, np.outer(x, np.ones(3))) ** 2,
    lambda x: np.asarray(x.reshape(2, 2).T, order="C") ** 2 + x.astype(float, order="C").reshape(2, 2),
    lambda x: np.fromiter((v**2 for v in x), dtype=float) ** 2,
]


def copied_on_demand(x):
    first, second, same = np.asarray(x, copy=True), np.reshape(x, (2, 2), copy=True), np.asarray(x, copy=None)
    first *= 2
    second *= 3
    value = np.sum(x**2) + np.sum(first) + np.sum(second)
    same *= 5
    return value + np.sum(x**3)


def changed_without_a_copy(x):
    y = np.array(x * 1.0, copy=False)
    z = np.array(y, copy=False)
    z *= 2
    return np.sum(y**2)


DAILY = 5  # one in so many by day


@pytest.mark.parametrize("function", [*CALLS[::DAILY], copied_on_demand, changed_without_a_copy])
def test_calls_with_further_keywords_are_differentiated(function):
    assert_gradient(function, X, modes=("arrays",))


@pytest.mark.nightly
@pytest.mark.parametrize("function", CALLS)
def test_calls_with_further_keywords_are_differentiated_in_both_modes(function):
    assert_gradient(function, X, modes=("arrays", "tangent"))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: np.quantile(x, 0.3, weights=x, method="inverted_cdf"), "np.quantile with `weights`"),
        (lambda x: np.unique(x, equal_nan=False)[0], "np.unique with `equal_nan`"),
        (lambda x: np.ravel(np.add(x, 1.0, order="F")), "np.add does not cover the argument 'order'"),
    ],
)
def test_other_keywords_are_refused_by_the_name_that_the_user_calls(function, said):
    with pytest.raises(MissingRule, match=said):
        srcad.grad(function, jit=False)(X)


# What is refused: keywords with a meaning of their own. No definition may be added that lacks others.
REFUSED = {
    "out", "where", "weights", "mean", "correction", "axes", "axis", "keepdims", "signature", "equal_nan", "sorted",
    "requirements", "kind", "order", "copy", "cov", "disp", "atol", "rtol", "return_rank", "callback", "centered",
    "start", "dtype", "subok", "k", "initial", "nan_policy",
}  # fmt: skip


# Deprecated, and removed by NumPy 2.4.
REMOVED = {f"np.{name}": {"interpolation"} for name in ("nanpercentile", "nanquantile", "percentile", "quantile")}
REMOVED["np.corrcoef"] = {"bias", "ddof"}


def definitions():
    """The definitions of functions whose parameters Python tells."""
    for module in pkgutil.walk_packages(rules.__path__, rules.__name__ + "."):
        importlib.import_module(module.name)
    for primitive in registry.defined():
        if own_parameters(primitive) and real_parameters(primitive):
            yield primitive


def test_no_definition_lacks_a_keyword_that_is_not_known():
    lacking = {}
    for primitive in definitions():
        own = own_parameters(primitive)
        if own[0] not in real_parameters(primitive):
            continue  # by position only
        named = [name for name, each in real_parameters(primitive).items() if each.kind in _NAMED]
        known = {*own, *WITHOUT_INFLUENCE, *REFUSED, *REMOVED.get(primitive_name(primitive), ())}
        missing = [name for name in named if name not in known]
        if missing:
            lacking[primitive_name(primitive)] = missing
    assert lacking == {}


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
