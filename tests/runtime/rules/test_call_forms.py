"""Calls with arguments that few programs pass: values are NumPy's and SciPy's own, derivatives are differences.

Several calls share a function, which returns all their results.
"""

from __future__ import annotations

import ast
import linecache
from typing import Any

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal

import srcad
from srcad.tools.finite_differences import directional_derivative

RANDOM = np.random.default_rng(5)
M, S = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(4, 4)) + 3.0 * np.eye(4)
Z = S + 1j * RANDOM.normal(size=(4, 4))
POINTS: dict[str, Any] = {
    "t": 0.7,
    "v": RANDOM.normal(size=5),
    "w": np.abs(RANDOM.normal(size=5)) + 0.5,
    "h": RANDOM.normal(size=3),
    "m": M,
    "s": S,
    "z": Z,
    "e": S @ S.T + np.eye(4),
    "y": Z @ np.conj(Z.T) + np.eye(4),
    "c": RANDOM.normal(size=(2, 3, 4)),
    "f": RANDOM.normal(size=(3, 4)).astype(np.float32),
    "n": np.array([1.0, np.nan, -2.0, 0.5, 3.0]),
    "i": np.array([1.0, np.inf, -2.0, -np.inf, 3.0]),
    "k": np.array([0, 2, 2, 1, 4]),
    "u": np.array([0, 2, 2, 1, 4], np.uint8),
    "b": np.array([True, False, True, True, False]),
    "x": np.cumsum(np.abs(RANDOM.normal(size=5)) + 0.2),
}
SMOOTH = """\
np.percentile(np.arange(101) * t, 57, method="higher")
np.array(v, ndmin=3)
np.array(t, ndmin=3)
np.reshape(m, [4, 3], order="F")
np.logspace(t, 1.0, 5, base=w)
np.logspace(h, h, 3, base=np.exp(h), axis=1)
np.geomspace(w, t, 5)
np.polyint(v, 2, [1.0, t])
np.polyint(v, 2, [t])
np.polynomial.polynomial.polyder(v, 5)
np.polynomial.polynomial.polysub(np.append(v, 2.0), np.append(w, 2.0))
np.diagonal(c, -1)
np.take(v, b)
np.diff(v, n=0, prepend=t)
np.trapezoid(m, dx=h)
np.trapezoid(c, dx=m[:2, :1], axis=1)
np.minimum.accumulate(u) * t
np.linalg.slogdet(z)
np.linalg.cholesky(y)
np.linalg.cholesky(y, upper=True)
np.linalg.pinv(s, hermitian=True)
np.linalg.pinv(y, hermitian=True)
np.linalg.lstsq(z[:, :2], z[:, 3])[1]
np.linalg.norm(m, 1, keepdims=True)
np.linalg.eig(s)[0] * np.linalg.eig(s)[1]
scipy.interpolate.CubicSpline(x, v, extrapolate="periodic").integrate(0.3, 29.0)
scipy.interpolate.RegularGridInterpolator((x[2::-1], x[:4]), m, bounds_error=False, fill_value=None)(m[:, :2])
scipy.interpolate.RegularGridInterpolator((x[:3], x[3::-1]), m, "nearest", False, None)(m[:, :2])
scipy.signal.windows.kaiser(1, t)
"""
VALUES = """\
np.median(n)
np.median(np.stack((v, n)), axis=1)
np.quantile(n, 0.3)
np.quantile(np.stack((v, n)), [0.3, 0.5], axis=1)
np.nanmax(n * np.nan)
np.nanmin(np.stack((v, n * np.nan)), axis=1, keepdims=True)
np.nan_to_num(i, posinf=np.inf)
np.nan_to_num(n, nan=1.5, posinf=np.inf, neginf=-np.inf)
np.polynomial.polynomial.polymul(v, 0.0 * v)
scipy.interpolate.interp1d(x, v, kind="previous", fill_value="extrapolate")(n * 4)
scipy.interpolate.interp1d(x, v, kind="next", fill_value="extrapolate")(i)
scipy.ndimage.convolve(f, m)
"""
IN_ONE = 6  # calls in a function


def groups(table: str) -> list[Any]:
    calls = table.splitlines()
    return [pytest.param(calls[k : k + IN_ONE], id=calls[k]) for k in range(0, len(calls), IN_ONE)]


def function_of(calls: list[str]) -> tuple[Any, list[str]]:
    """A function that returns the results of these calls, and the names of its arguments."""
    names = [name for name in POINTS if any(is_read(name, each) for each in calls)]
    text = f"def f({', '.join(names)}):\n    return (\n" + "".join(f"        {each},\n" for each in calls) + "    )\n"
    file = f"<calls {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {"np": np, "scipy": scipy}
    exec(compile(text, file, "exec"), space)
    return space["f"], names


def is_read(name: str, call: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(ast.parse(call)))


def numbers(value: Any) -> Any:
    """All the numbers in a result, as complex ones."""
    if isinstance(value, (tuple, list)):
        return np.concatenate([numbers(each) for each in value])
    return np.ravel(np.asarray(value, complex))


def direction(value: Any, random: Any) -> Any:
    """Random numbers of the shape and the type of a result or an argument."""
    if isinstance(value, (tuple, list)):
        return tuple(direction(each, random) for each in value)
    drawn = random.normal(size=np.shape(value))
    drawn = drawn + 1j * random.normal(size=np.shape(value)) if np.iscomplexobj(value) else drawn
    return drawn if isinstance(value, np.ndarray) else drawn[()]


def product(one: Any, other: Any) -> float:
    return float(np.sum(np.conj(numbers(one)) * numbers(other)).real)


def assert_alike(found: Any, expected: Any) -> None:
    """Values of the same shapes and types."""
    if isinstance(expected, (tuple, list)):
        for each in zip(found, expected, strict=True):
            assert_alike(*each)
    else:
        assert np.shape(found) == np.shape(expected)
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6 if np.asarray(found).dtype == np.float32 else 1e-9)


@pytest.mark.parametrize("calls", groups(SMOOTH))
def test_values_and_derivatives_of_rare_forms_of_calls(calls):
    f, names = function_of(calls)
    args = [POINTS[name] for name in names]
    wrt = [k for k, each in enumerate(args) if np.asarray(each).dtype.kind in "fc"]
    random = np.random.default_rng(3)
    towards = {k: direction(args[k], random) for k in wrt}
    value, pull = srcad.vjp(f, *args, wrt=tuple(wrt), jit=False)
    assert_alike(value, f(*args))
    bar = direction(value, random)

    def along(step: float) -> float:
        there = [each + step * towards[k] if k in towards else each for k, each in enumerate(args)]
        return product(bar, f(*there))

    expected, error = directional_derivative(along)
    slope = sum(product(each, towards[k]) for k, each in zip(wrt, pull(bar), strict=True))
    assert slope == pytest.approx(expected, rel=1e-7, abs=10.0 * error)
    tangent = srcad.jvp(f, args, [towards.get(k) for k in range(len(args))], jit=False)[1]
    assert product(bar, tangent) == pytest.approx(slope, rel=1e-9)


@pytest.mark.filterwarnings("ignore:All-NaN:RuntimeWarning")
@pytest.mark.parametrize("calls", groups(VALUES))
def test_values_of_rare_forms_of_calls(calls):
    f, names = function_of(calls)
    args = [POINTS[name] for name in names]
    wrt = [k for k, each in enumerate(args) if np.asarray(each).dtype.kind == "f"]
    assert_alike(srcad.vjp(f, *args, wrt=tuple(wrt), jit=False)[0], f(*args))


def test_spline_at_nan_has_derivatives_that_are_nan():
    def f(v, q):
        return np.sum(scipy.interpolate.CubicSpline(np.arange(5.0), v)(q))

    assert np.all(np.isnan(srcad.grad(f, jit=False)(POINTS["v"], POINTS["n"])))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("np.choose(k, [v, w])", ValueError),
        ("np.linalg.lstsq(s, v[:4], rcond=0.9)[0]", np.linalg.LinAlgError),
        ("scipy.linalg.lstsq(s[:, :2], v[:4], 0.9)[0]", np.linalg.LinAlgError),
        ("scipy.linalg.orthogonal_procrustes(m, m)", np.linalg.LinAlgError),
        ("scipy.interpolate.interp1d(x, v, fill_value=0.0)(9.0 * x)", ValueError),
        ("np.einsum('ij->i', f, dtype=float)", NotImplementedError),
        ("np.block([[[v, w]], [[w, v]]])", NotImplementedError),
        ("np.reshape(m, np.array([4, 3]), order='F')", NotImplementedError),
    ],
)
def test_calls_that_have_no_value_or_no_rule_are_errors(call, error):
    f, names = function_of([call])
    with pytest.raises(error):
        srcad.vjp(f, *[POINTS[name] for name in names], jit=False)


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors are deprecated:DeprecationWarning")
def test_cross_products_of_vectors_of_two_components_have_no_wrong_adjoint():
    def f(a, b):
        return np.sum(np.cross(a, b))

    with pytest.raises(ValueError, match="reshape"):
        srcad.vjp(f, S[:2, :2], S[2, :2], jit=False)[1](1.0)
