"""Slopes that are right within their error, and reasons not to believe others."""

import math

import numpy as np
import pytest

from srcad.tools.finite_differences import directional_derivative, quick_slope, slope

EPS = 2.0**-52


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (math.exp, 1.0),
        (lambda t: math.sin(3.0 * t), 3.0),
        (lambda t: 1.0 / (2.0 + t), -0.25),
        (lambda t: 5.0, 0.0),
        (lambda t: 1e6 * t + t**3, 1e6),
    ],
)
def test_slope_of_a_smooth_function_is_found_to_ten_digits(f, expected):
    found, error = directional_derivative(f)
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-12)
    assert error <= 1e-9 * max(1.0, abs(expected))


def test_slope_beside_a_kink_is_that_of_the_own_side():
    found, _ = directional_derivative(lambda t: abs(t - 1e-3))
    assert found == pytest.approx(-1.0)


def test_slope_of_noise_is_not_believed():
    _, error = directional_derivative(lambda t: math.sin(1e7 * t))
    assert error > 1.0


def single(t):
    return float(np.sin(np.float32(1.0 + t)))


def iterated(t):
    y = 1.0
    for _ in range(100):
        y, before = 0.5 * (y + (2.0 + t) / y), y
        if abs(y - before) < 1e-4:
            break
    return y


def beyond(f):
    def or_nan(t):
        try:
            return float(f(t))
        except (ArithmeticError, ValueError):
            return math.nan

    return or_nan


SMOOTH = {
    "single precision inside": (single, 1.0, math.cos(1.0)),
    "an iteration that stops early": (iterated, 1.0, 0.5 / math.sqrt(2.0)),
    "large numbers": (lambda t: (1e12 + t) ** 2, 1e12, 2e12),
    "small numbers": (lambda t: (1e-12 + t) ** 2, 1.0, 2e-12),
    "the logarithm of a small number": (lambda t: math.log(1e-12 + t), 1.0, 1e12),
    "beside a pole": (lambda t: 1.0 / (1e-6 + t), 1.0, -1e12),
    "fast waves": (lambda t: math.sin(1e7 * t), 1.0, 1e7),
    "a kink beside the point": (lambda t: abs(t - 1e-4), 1.0, -1.0),
    "a jump beside the point": (lambda t: t + (t > 1e-3), 1.0, 1.0),
    "a slope that has a kink": (lambda t: t * abs(t), 1.0, 0.0),
    "steps of a staircase": (lambda t: math.floor(t * 1e6 + 0.5) * 1e-6, 1.0, 1.0),
    "a large constant": (lambda t: 1e12 + t, 1.0, 1.0),
    "nothing": (lambda t: 0.0, 1.0, 0.0),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_the_slope_is_within_its_error(name):
    f, scale, expected = SMOOTH[name]
    found = slope(beyond(f), scale, EPS)
    assert found.reason == ""
    assert abs(found.value - expected) <= 3.0 * found.error + 1e-10 * abs(expected)
    assert found.error <= 0.1 * max(abs(expected), 1e-3)


ROUGH = {
    "kink": (abs, "there is a kink: the slope is -1 to one side and 1 to the other"),
    "small kink": (lambda t: 10.0 * t + 1e-3 * abs(t), "there is a kink"),
    "one-sided": (lambda t: max(t, 0.0), "there is a kink: the slope is 0 to one side and 1 to the other"),
    "jump": (lambda t: float(t > 0.0), "there is a jump"),
    "jump in a slope": (lambda t: 3.0 * t + (t >= 0.0), "there is a jump"),
    "root": (math.sqrt, "the function is finite at the point, but not below it"),
    "root of the square": (lambda t: math.sqrt(abs(t)), "the slope is infinite here"),
    "cube root": (np.cbrt, "the slope is infinite here"),
    "pole": (lambda t: 1.0 / t, "the function is not finite here"),
    "point": (lambda t: 1.0 if t == 0.0 else math.nan, "the function is finite at the point, but not on both sides"),
}


@pytest.mark.parametrize("name", ROUGH)
def test_what_differences_do_not_tell_has_a_reason(name):
    f, reason = ROUGH[name]
    assert slope(beyond(f), 1.0, EPS).reason.startswith(reason)


def test_four_values_are_enough_for_a_smooth_function():
    found = quick_slope(math.exp, 1.0, EPS)
    assert found.value == pytest.approx(1.0, rel=1e-9)
