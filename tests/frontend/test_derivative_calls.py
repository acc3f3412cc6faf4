"""Calls of derivatives in core form."""

import re

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from srcad.printing.printer import print_function
from tests.checking import assert_gradient


def text_of(function):
    return print_function(lower(load(function)).tree)


def energy(p, x):
    return p["w"] * np.sum(x * x) + p["b"]


def test_a_gradient_by_a_structure_is_a_structure_of_its_parts():
    def f(w, x):
        g = srcad.grad(energy)({"w": w, "b": 1.0}, x)
        return g["w"] + g["b"]

    text = text_of(f)
    assert re.search(r"energy_grad_\d+\(\w+, 1\.0, x\)", text)
    assert srcad.grad(f, 1, jit=False)(2.0, np.ones(2)).tolist() == [2.0, 2.0]


def test_a_function_that_is_differentiated_twice_is_lowered_once():
    def f(x):
        return np.sum(srcad.grad(total)(x)) + np.sum(srcad.grad(total)(2.0 * x))

    called = re.findall(r"total_grad_\d+", text_of(f))
    assert len(called) == 2
    assert len(set(called)) == 1


def total(x):
    return np.sum(x**3)


def test_a_closure_reads_structures_as_they_are_at_the_call():
    def f(a):
        p = {"a": a}
        slope = srcad.grad(lambda t: p["a"] * t * t)
        first = slope(1.0)
        p["a"] = 3.0 * a
        return first + 10.0 * slope(1.0)

    assert srcad.grad(f, jit=False)(1.0) == pytest.approx(2.0 + 60.0)


def test_a_closure_that_is_differentiated_cannot_change_structures_around_it():
    def f(a):
        p = {"a": a}

        def g(t):
            p["a"] = p["a"] + t
            return p["a"] * t

        return srcad.grad(g)(a) + p["a"]

    with pytest.raises(SrcadError, match="hint:"):
        srcad.grad(f, jit=False)(1.0)


def test_arguments_are_evaluated_once():
    calls = []

    def f(x):
        def moved(y):
            print("moved")
            return y + 1.0

        value, slope = srcad.value_and_grad(lambda t: t**3)(moved(x))
        return value * slope

    assert srcad.grad(f, jit=False)(1.0) == pytest.approx(3.0 * 5.0 * 2.0**4)
    assert text_of(f).count("print(") == 1
    assert not calls


A = np.array([[1.0, 2.0], [3.0, -1.0]])


def mixed(z):
    return np.sin(A @ z) * z


def power(z, k, n=2):
    return z**n * k


def several(z):
    return np.sum(z**3), z * z


def line(p, z):
    return p["a"] * z**2 + p["b"]


def by_all(x):
    y, pull = srcad.vjp(mixed, x, jit=False)
    return np.sum(y) + np.sum(pull(y)[0] ** 2)


def by_names(x):
    y, pull = srcad.vjp(power, x, x[0], wrt=("k", 0), jit=False)
    by_factor, by_base = pull(y)
    return by_factor**2 + np.sum(by_base**3)


def by_one(x):
    _, pull = srcad.vjp(power, x, 2.0, wrt="z", jit=False)
    return np.sum(pull(x) * x)


def of_integers_and_defaults(x):
    _, pull = srcad.vjp(power, x, 2.0, 3, jit=False)
    by_base, by_factor, by_exponent = pull(x)
    return np.sum(by_base**2) + by_factor if by_exponent is None else 0.0


def of_several_results(x):
    (s, _), pull = srcad.vjp(several, x, jit=False)
    (slope,) = pull((s, x))
    return np.sum(slope * slope)


def of_structures(x):
    y, pull = srcad.vjp(line, {"a": x[0], "b": x}, x, jit=False)
    p, z = pull(y)
    return p["a"] * np.sum(p["b"]) + np.sum(z)


def of_an_array_that_is_overwritten(x):
    z = x * 1.0
    _, pull = srcad.vjp(mixed, z, jit=False)
    z[0] = 7.0
    return np.sum(pull(z)[0]) + z[0] * x[1]


def of_a_closure_in_a_loop(x):
    total = 0.0
    for i in range(3):
        y, pull = srcad.vjp(lambda z: z**2 * x[0], x + i, jit=False)
        for e in np.eye(2):
            total = total + np.sum(pull(e * y)[0])
    return total


def of_a_gradient(x):
    _, pull = srcad.vjp(srcad.grad(lambda z: np.sum(z**4), jit=False), x, jit=False)
    return np.sum(pull(np.sin(x))[0] ** 2)


PULLBACKS = [
    by_all,
    by_names,
    by_one,
    of_integers_and_defaults,
    of_several_results,
    of_structures,
    of_an_array_that_is_overwritten,
    of_a_closure_in_a_loop,
    of_a_gradient,
]


@pytest.mark.parametrize("f", PULLBACKS, ids=lambda each: each.__name__)
def test_pullbacks_are_differentiated(f):
    """The expected values are differences of the function, in which `srcad.vjp` is called from Python."""
    x, step = np.array([0.3, 0.7]), 1e-5 * np.eye(2)
    expected = [(f(x + each) - f(x - each)) / 2e-5 for each in step]
    np.testing.assert_allclose(srcad.grad(f, jit=False)(x), expected, rtol=1e-6, atol=1e-8)


def test_pullbacks_are_differentiated_twice_and_forward():
    x, direction = np.array([0.3, 0.7]), np.array([1.0, -2.0])
    slope = srcad.grad(by_all, jit=False)
    expected = (slope(x + 1e-5 * direction) - slope(x - 1e-5 * direction)) / 2e-5
    np.testing.assert_allclose(srcad.hvp(by_all, jit=False)(x, direction), expected, rtol=1e-6)
    _, along = srcad.jvp(by_all, (x,), (direction,), jit=False)
    assert along == pytest.approx(slope(x) @ direction)


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_pullbacks_give_what_uncompiled_ones_give():
    x = np.array([0.3, 0.7])
    np.testing.assert_allclose(srcad.grad(of_structures)(x), srcad.grad(of_structures, jit=False)(x), rtol=1e-13)


def writing(a, b):
    a[0] = a[0] * a[1]
    b *= a
    return np.sum(a * b)


def derivatives_of_what_writes(x):
    a, b = 1.0 * x, np.ones(2)
    value, (by_a, by_b) = srcad.value_and_grad(writing, wrt=(0, 1))(a, b)
    same, change = srcad.jvp(writing, (a, b), (x, 2.0 * x))
    again, pull = srcad.vjp(writing, a, b)
    rows = srcad.jacobian(lambda v: writing(v, np.ones(2)) * v)(a)
    return value * np.sum(by_a * by_b) + same * change + again * pull(x[0])[0][1] + np.sum(rows * a) + np.sum(b)


def test_the_arguments_of_a_function_that_writes_stay_as_they_are():
    assert_gradient(derivatives_of_what_writes, np.array([0.5, 1.25]), modes=("arrays", "gradient"))
