"""The forward and the reverse function of one that calls itself: records go onto a list, and are read from its end."""

import numpy as np
import pytest

from srcad.driver import pipeline
from srcad.driver.pipeline import prepare
from srcad.tools.type_signatures import parse_signature
from tests.checking import generated


def tower(v, n):
    if n == 0:
        return np.sin(v)
    return v * tower(v, n - 1) * tower(0.5 * v, n - 1)


def caller(x, n):
    return tower(x, n)


def made(mode):
    found = pipeline.derive(prepare(caller), mode, (0,), parse_signature("f8, i8"), loops=False)
    namespace = dict(found.bindings)
    exec(compile(found.text, "<generated>", "exec"), namespace)
    return found.text, namespace


def slope(x, n, h=1e-20):
    """The complex step."""
    return caller(x + 1j * h, n).imag / h


@pytest.mark.parametrize("n", [0, 1, 3])
def test_the_pair_agrees_with_the_complex_step(n):
    _, functions = made("vjp")
    value, trace = functions["caller_forward"](0.7, n)
    assert value == pytest.approx(caller(0.7, n), rel=1e-14)
    expected = pytest.approx(slope(0.7, n), rel=1e-12)
    assert functions["caller_reverse"](0.7, n, trace, 1.0)[0] == expected
    assert functions["caller_reverse"](0.7, n, trace, 1.0)[0] == expected  # nothing is taken off the list


def test_the_reverse_function_calls_in_the_opposite_order():
    text, _ = made("grad")
    forward, reverse = text.split("def tower_forward")[1].split("def tower_reverse")
    assert forward.index("tower_forward(v") < forward.index("tower_forward(0.5 * v")
    calls = [line for line in reverse.splitlines() if "tower_reverse(" in line]
    assert len(calls) == 2
    assert "at[0] -= 1" in reverse


@pytest.mark.parametrize("n", [0, 2])
def test_the_tangent_function_agrees_with_the_complex_step(n):
    _, functions = made("tangent")
    value, change = functions["caller_tangent"](0.7, n, 2.0)
    assert value == pytest.approx(caller(0.7, n), rel=1e-14)
    assert change == pytest.approx(2.0 * slope(0.7, n), rel=1e-12)


def power_of_36(v, n=2):
    if n == 0:
        return v
    for _ in range(2):
        v = v * v
    return power_of_36(v, n - 1) * v


def sum_of_powers(v):
    return np.sum(power_of_36(v))


@pytest.mark.slow
def test_pairs_of_one_function_that_are_made_within_each_other_leave_each_other_alone():
    v, direction = np.array([0.9, 1.1]), np.array([1.0, -0.5])
    (product, *_), _, _ = generated(sum_of_powers, (v,), "hvp", (0,), loops=True)
    np.testing.assert_allclose(product(v, direction)[0], 36.0 * 35.0 * v**34 * direction, rtol=1e-12)
