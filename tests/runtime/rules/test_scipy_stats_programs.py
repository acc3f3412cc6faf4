"""Distributions of `scipy.stats` in programs: gradients by all arguments against differences of SciPy's values."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
from scipy import stats

import srcad
from srcad.errors import MissingRule
from srcad.runtime.rulebook.registry import definition
from srcad.runtime.rules.scipy.stats.discrete_formulas import DISCRETE
from srcad.runtime.rules.scipy.stats.distributions import CONTINUOUS
from srcad.runtime.rules.scipy.stats.formulas import COMMON
from tests.night import by_day, every
from tests.runtime.scipy_stats_samples import PERIODIC, invalid_samples_of, methods_of, shapes_of

HEADER = "import numpy as np\nfrom scipy import stats\n\n\n"
POINTS = np.array([-2.9, 0.25, 0.55, 1.05, 1.65, 9.0])
UNKNOWN = {"ncx2": (0,)}  # the order of a Bessel function
OFTEN = (*COMMON, "genpareto", "gennorm", "binom", "poisson", "betabinom")  # the others are read from the same tables
PROBABILITIES = np.array([0.05, 0.3, 0.9])


def function_of(text: str, folder: Any) -> Any:
    path = folder / "program.py"
    path.write_text(HEADER + text)
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def program(name: str, folder: Any) -> tuple[Any, list[Any]]:
    """A function that adds up all methods of a distribution, by its shapes, loc and scale, and of the points."""
    shapes = [f"s{k}" for k in range(len(shapes_of(name)))]
    is_discrete = name in DISCRETE
    given = [*shapes] if is_discrete else [*shapes, "loc", "scale"]
    terms = [
        f"    t += np.sum(np.sin(np.exp(-np.abs(stats.{name}.{method}({', '.join([x, *given])})))))"
        for method in methods_of(name)
        for x in [("q" if method in ("ppf", "isf") else "x")]
    ]
    text = f"def f({', '.join([*given, 'x', 'q'])}):\n    t = 0.0\n" + "\n".join(terms) + "\n    return t\n"
    values = [*shapes_of(name), *([] if is_discrete else [0.1, 1.3])]
    points = np.arange(0, 6) if is_discrete else POINTS[:-1] if name in PERIODIC else POINTS
    return function_of(text, folder), [*values, points, PROBABILITIES]


def check(name: str, folder: Any, jit: bool) -> None:
    f, args = program(name, folder)
    places = [k for k, each in enumerate(args) if isinstance(each, float) and k not in UNKNOWN.get(name, ())]
    places += [] if name in DISCRETE else [len(args) - 2, len(args) - 1]
    value, bars = srcad.value_and_grad(f, wrt=tuple(places), jit=jit)(*args)
    assert value == pytest.approx(f(*args), rel=1e-11)
    for place, bar in zip(places, bars, strict=True):
        step = 1e-6 * np.cos(np.arange(1.0, 1.0 + np.size(args[place]))).reshape(np.shape(args[place]))
        there, back = (
            f(*(each + sign * step if k == place else each for k, each in enumerate(args))) for sign in (1.0, -1.0)
        )
        assert np.sum(bar * step) == pytest.approx((there - back) / 2.0, rel=1e-4, abs=1e-13), place


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=() if each in OFTEN else pytest.mark.nightly) for each in (*CONTINUOUS, *DISCRETE)],
)
def test_gradients_by_all_arguments_are_differences(name, tmp_path):
    check(name, tmp_path, jit=False)


@pytest.mark.compiled
@pytest.mark.parametrize("name", by_day(["norm", "gamma", "t", "truncnorm", "poisson", "nbinom"], every(2, first=1)))
def test_compiled_gradients_by_all_arguments_are_differences(name, tmp_path):
    check(name, tmp_path, jit=True)


@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_shapes_scales_and_probabilities_without_meaning_give_what_scipy_gives(name):
    for method in methods_of(name):
        if name in DISCRETE and method in ("logcdf", "logsf"):
            continue  # for some counts SciPy does not look at the shapes
        function = getattr(getattr(stats, name), method)
        for sample in invalid_samples_of(name, method):
            with np.errstate(all="ignore"):
                found = definition(function)(*sample.args, **sample.kwargs)
            np.testing.assert_allclose(found, function(*sample.args, **sample.kwargs), rtol=1e-12, err_msg=method)


FROZEN = """FIXED = stats.gamma(2.5, scale=np.float64(0.5))


def f(m, s, x):
    d = stats.norm(m * m, scale=s)
    m = 5.0
    return np.sum(d.logpdf(x)) + np.sum(stats.norm(0.0, s).cdf(x) * d.sf(x)) + np.sum(FIXED.logpdf(x * x)) + m
"""


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_frozen_distributions_are_taken_apart(jit, tmp_path):
    f = function_of(FROZEN, tmp_path)
    x = np.array([0.3, 1.4])
    value, bars = srcad.value_and_grad(f, wrt=(0, 1), jit=jit)(0.7, 1.3, x)
    assert value == pytest.approx(f(0.7, 1.3, x), rel=1e-13)
    assert bars[0] == pytest.approx((f(0.7 + 1e-6, 1.3, x) - f(0.7 - 1e-6, 1.3, x)) / 2e-6, rel=1e-7)
    assert bars[1] == pytest.approx((f(0.7, 1.3 + 1e-6, x) - f(0.7, 1.3 - 1e-6, x)) / 2e-6, rel=1e-7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(k):\n    return stats.poisson.logpmf(k, 2.0)\n", "count has no derivative rule by its argument 'k'"),
        ("def f(x):\n    return stats.nct.logpdf(x, 2.0, 1.0)\n", "scipy.stats.nct.logpdf has no derivative rule"),
    ],
)
def test_what_has_no_derivative_is_refused_by_name(text, message, tmp_path):
    with pytest.raises(MissingRule, match=message) as caught:
        srcad.grad(function_of(text, tmp_path), jit=False)(2.0)
    assert "program.py:6" in str(caught.value)


@pytest.mark.parametrize("method", ["laplace.logsf", "norm.pdf", "gumbel_r.cdf"])
def test_complex_numbers_are_refused(method, tmp_path):
    text = f"def f(x):\n    return np.sum(np.real(stats.{method}(x)))\n"
    with pytest.raises(MissingRule, match=r"scipy\.stats does not cover complex numbers") as caught:
        srcad.grad(function_of(text, tmp_path), jit=False)(np.array([0.3 + 0.1j, -1.2]))
    assert "program.py:6" in str(caught.value)


def test_normal_and_dirichlet_densities_of_vectors(tmp_path):
    text = "def f(m, c, a, x):\n    p = np.exp(x) / np.sum(np.exp(x))\n"
    text += "    return stats.multivariate_normal(m, c).logpdf(x) + stats.dirichlet.logpdf(p, a)\n"
    f = function_of(text, tmp_path)
    args = np.array([0.1, 0.5]), np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([1.5, 0.7]), np.array([0.4, -0.2])
    value, bars = srcad.value_and_grad(f, wrt=(0, 1, 2, 3), jit=False)(*args)
    assert value == pytest.approx(f(*args), rel=1e-12)
    for place, bar in enumerate(bars):
        step = 1e-6 * np.array([[1.0, 0.5], [0.5, -2.0]] if place == 1 else [1.0, -0.7])
        there, back = (
            f(*(each + sign * step if k == place else each for k, each in enumerate(args))) for sign in (1.0, -1.0)
        )
        assert np.sum(bar * step) == pytest.approx((there - back) / 2.0, rel=1e-6)


def test_a_distribution_as_it_is_has_the_same_methods():
    assert stats.norm.logpdf == stats.norm.logpdf
    assert hash(stats.norm.logpdf) == hash(stats.norm.logpdf)
