"""`scipy.integrate.quad`: both limits, arguments and captured variables, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import fixed_quad, quad, quad_vec
from scipy.special import erf

import srcad
from srcad.errors import MissingRule, NoSolution


def test_limits_and_captured_variables_in_first_and_second_derivatives():
    def area(a, b, k):
        return quad(lambda x: np.sin(k * x), a, b)[0]

    a, b, k = 1.1, 0.3, 2.0
    value, (by_a, by_b, by_k) = srcad.value_and_grad(area, (0, 1, 2), jit=False)(a, b, k)
    assert value == pytest.approx((np.cos(k * a) - np.cos(k * b)) / k, rel=1e-13)
    assert (by_a, by_b) == (pytest.approx(-np.sin(k * a)), pytest.approx(np.sin(k * b)))
    assert by_k == pytest.approx((b * np.sin(k * b) - a * np.sin(k * a)) / k - value / k, rel=1e-12)
    second = srcad.hessian(area, (0, 1, 2), jit=False)(a, b, k)
    assert second[1][1] == pytest.approx(k * np.cos(k * b))
    assert second[1][2] == pytest.approx(b * np.cos(k * b))
    assert second[0][1] == pytest.approx(0.0)


def test_infinite_limits():
    gauss = lambda k, m: quad(lambda x: np.exp(-k * (x - m) ** 2), -np.inf, np.inf)[0]  # noqa: E731 - as users write it
    by_k, by_m = srcad.grad(gauss, (0, 1), jit=False)(2.0, 0.3)
    assert by_k == pytest.approx(-0.5 * np.sqrt(np.pi) * 2.0**-1.5, rel=1e-9)
    assert by_m == pytest.approx(0.0, abs=1e-9)
    tail = lambda k, a: quad(lambda x, k: np.exp(-k * x), a, np.inf, args=(k,))[0]  # noqa: E731
    assert srcad.grad(tail, (0, 1), jit=False)(2.0, 0.5) == pytest.approx(
        (-np.exp(-1.0) * 0.5, -np.exp(-1.0)), rel=1e-9
    )
    head = lambda k, b: quad(lambda x: np.exp(k * x), -np.inf, b)[0]  # noqa: E731
    assert srcad.jvp(head, (2.0, 0.5), (0.0, 1.0), jit=False)[1] == pytest.approx(np.exp(1.0), rel=1e-9)


def test_what_has_no_derivative_is_refused():
    with pytest.raises(NoSolution, match="extrapolation"):
        srcad.grad(lambda a: quad(lambda x: np.log(a * x), 0.0, 1.0)[0], jit=False)(2.0)
    with pytest.raises(NoSolution, match="`quad` found no solution"):
        srcad.grad(lambda a: quad(lambda x: 1.0 / x**a, 0.0, 1.0)[0], jit=False)(2.0)
    with pytest.raises(MissingRule, match="weight"):
        srcad.grad(lambda a: quad(lambda x: a * x, 0.0, 1.0, weight="cos", wvar=2.0)[0], jit=False)(2.0)


@pytest.mark.nightly
def test_rules_of_vectors_and_of_fixed_nodes():
    def areas(a, k):
        both = quad_vec(lambda x: np.array([np.exp(-k * x * x), np.sin(k * x)]), a, 3.0)[0]
        return both @ np.array([1.0, 2.0]) + quad_vec(lambda x, k: np.exp(-k * x), 2.0, a, args=(k,))[0]

    def closed(a, k):
        first = 0.5 * np.sqrt(np.pi / k) * (erf(3.0 * np.sqrt(k)) - erf(a * np.sqrt(k)))
        return first + 2.0 * (np.cos(k * a) - np.cos(3.0 * k)) / k + (np.exp(-2.0 * k) - np.exp(-k * a)) / k

    value, gradient = srcad.value_and_grad(areas, (0, 1), jit=False)(0.7, 1.3)
    assert value == pytest.approx(closed(0.7, 1.3), rel=1e-12)
    assert gradient == pytest.approx(srcad.grad(closed, (0, 1), jit=False)(0.7, 1.3), rel=1e-10)
    fixed = lambda a, k: fixed_quad(lambda x, k: np.exp(-k * x), a, 2.0, (k,), 12)[0]  # noqa: E731
    exact = lambda a, k: (np.exp(-k * a) - np.exp(-2.0 * k)) / k  # noqa: E731
    found = srcad.grad(fixed, (0, 1), jit=False)(0.7, 1.3)
    assert found == pytest.approx(srcad.grad(exact, (0, 1), jit=False)(0.7, 1.3), rel=1e-12)
    with pytest.raises(NoSolution, match="finite intervals"):
        srcad.grad(lambda k: quad_vec(lambda x: np.exp(-k * x), 0.0, np.inf)[0], jit=False)(1.0)
