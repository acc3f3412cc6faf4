"""The functional API in programs: decorators, `jvp`, gradients in compiled loops, what a call costs."""

import itertools
import math

import numba
import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, SrcadError, UnsupportedSyntax

X = np.array([1.0, -2.0, 0.5])


def energy(x, k=2.0):
    total = 0.0
    for i in range(x.shape[0]):
        total += k * x[i] * x[i]
    return total


def test_every_public_name_is_there_and_documented():
    for name in srcad.__all__:
        assert getattr(srcad, name).__doc__, name
    assert sorted(srcad.__all__) == srcad.__all__


def test_function_is_a_decorator_with_and_without_options():
    @srcad.function
    def plain(x):
        return x * x

    @srcad.function(jit=False)
    def optional(x):
        return x * x

    assert plain(3.0) == optional(3.0) == 9.0
    assert srcad.grad(plain)(3.0) == srcad.grad(optional)(3.0) == 6.0


@pytest.mark.parametrize("jit", [True, False])
def test_value_and_grad_gives_both(jit):
    value, gradient = srcad.value_and_grad(energy, jit=jit)(X)
    assert value == energy(X)
    np.testing.assert_array_equal(gradient, 4.0 * X)
    value, (by_k, by_x) = srcad.value_and_grad(energy, wrt=("k", "x"), jit=jit)(X, 1.0)
    assert (value, by_k) == (X @ X, X @ X)
    np.testing.assert_array_equal(by_x, 2.0 * X)


@pytest.mark.parametrize("jit", [True, False])
def test_jvp_moves_the_arguments_that_have_a_tangent(jit):
    v = np.array([0.5, 0.0, 1.0])
    assert srcad.jvp(energy, (X, 3.0), (v, None), jit=jit) == (3.0 * X @ X, pytest.approx(6.0 * X @ v))
    assert srcad.jvp(energy, (X, 3.0), (None, 2.0), jit=jit)[1] == pytest.approx(2.0 * X @ X)
    assert srcad.jvp(energy, (X, 3.0), (v, 2.0), jit=jit)[1] == pytest.approx(6.0 * X @ v + 2.0 * X @ X)


@pytest.mark.parametrize(
    ("tangents", "message"),
    [
        ((X,), "there are 2 primals but 1 tangents"),
        ((None, None), "no tangent is given"),
        ((np.ones(2), None), r"the tangent has the shape \(2,\), what it belongs to has \(3,\)"),
    ],
)
def test_tangents_must_fit(tangents, message):
    with pytest.raises(BadArgument, match=message):
        srcad.jvp(energy, (X, 3.0), tangents)


def valley(p):
    return (1.0 - p[0]) ** 2 + 10.0 * (p[1] - p[0] ** 2) ** 2


SLOPE = srcad.grad(valley)


@numba.njit
def descend(p, rate, steps):
    for _ in range(steps):
        slope = SLOPE(p)
        for i in range(p.shape[0]):
            p[i] -= rate * slope[i]
    return p


def test_a_gradient_descent_runs_compiled_as_a_whole():
    np.testing.assert_allclose(descend(np.array([-1.0, 1.0]), 0.01, 5000), [1.0, 1.0], atol=1e-4)


@pytest.mark.parametrize("thing", [3, "f", None, int, open, len])
def test_what_is_no_python_function_is_refused(thing):
    with pytest.raises(SrcadError):
        srcad.grad(thing)


@pytest.mark.parametrize(
    ("function", "x", "slope"),
    [
        (np.tanh, 0.3, 1.0 - np.tanh(0.3) ** 2),
        (math.sin, 0.3, math.cos(0.3)),
        (np.linalg.norm, np.array([3.0, 4.0]), np.array([0.6, 0.8])),
        (np.sum, np.ones(2), np.ones(2)),
        (np.var, np.array([1.0, 3.0]), np.array([-1.0, 1.0])),
    ],
)
def test_functions_that_have_rules_can_be_differentiated_themselves(function, x, slope):
    np.testing.assert_allclose(srcad.grad(function, jit=False)(x), slope)


def test_a_call_costs_what_a_call_of_numba_costs():
    def by_hand(x, k):
        return 3.0 * k * x * x

    def cube(x, k):
        return k * x * x * x

    slope = srcad.grad(cube)
    assert slope(1.0, 2.0) == numba.njit(by_hand)(1.0, 2.0)
    # What is called from then on is the dispatcher itself, with no layer of Python around it.
    assert isinstance(slope.__call__, numba.core.dispatcher.Dispatcher)


def unknown_count(*args):
    return args[0] * args[1]


def unknown_names(x, **options):
    return x * options["rate"]


@pytest.mark.parametrize(
    ("f", "call"),
    [
        (unknown_count, lambda f: srcad.hvp(f)(2.0, 3.0, 1.0)),
        (unknown_count, lambda f: srcad.hessian(f)(2.0, 3.0)),
        (unknown_count, lambda f: srcad.jvp(f, (2.0, 3.0), (1.0, 1.0))),
        *itertools.product(
            (unknown_count, unknown_names),
            (
                lambda f: srcad.vjp(f, 2.0, 3.0),
                lambda f: srcad.vjp(f, 2.0, 3.0, wrt=1),
                lambda f: srcad.grad(srcad.grad(f))(2.0, 3.0),
            ),
        ),
    ],
)
def test_parameters_without_a_name_are_refused_in_the_same_words(f, call):
    with pytest.raises(UnsupportedSyntax, match=r"the parameters `\*args` and") as caught:
        call(f)
    assert caught.value.at.file == __file__
    assert "give each parameter a name" in caught.value.hint


def test_gathered_arguments_are_differentiated():
    def energy(*args, scale=1.0, **options):
        return scale * args[0] ** 2 * args[1] * options["rate"] ** 3

    assert srcad.grad(energy, jit=False)(2.0, 3.0, rate=0.5) == pytest.approx(1.5)
    found = srcad.grad(energy, wrt=(1, "rate", "scale"), jit=False)(2.0, 3.0, rate=0.5, scale=2.0)
    assert found == pytest.approx((1.0, 18.0, 1.5))
    value, gradients = srcad.value_and_grad(energy, wrt="args", jit=False)(2.0, 3.0, rate=0.5)
    assert (value, *gradients) == pytest.approx((1.5, 1.5, 0.5))
    assert srcad.jacobian(lambda *args: args[0] * args[1], jit=False)(np.ones(2), 3.0) == pytest.approx(3 * np.eye(2))
    with pytest.raises(srcad.BadArgument, match=r"args\[0\]"):
        srcad.grad(energy, jit=False)()


def cubed(x, k=2.0, **options):
    return np.sum(x**3) * k * options.get("rate", 1.0)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_directions_follow_the_arguments_of_functions_that_gather_keywords(jit):
    x, v = np.array([1.0, 2.0]), np.array([1.0, 0.5])
    product = srcad.hvp(cubed, jit=jit)
    np.testing.assert_allclose(product(x, v), 12.0 * x * v)
    np.testing.assert_allclose(product(x, 3.0, v), 18.0 * x * v)
    np.testing.assert_allclose(product(x, v, rate=4.0), 48.0 * x * v)
    np.testing.assert_allclose(product(v, rate=4.0, k=3.0, x=x), 72.0 * x * v)
    by_both, by_rate = srcad.hvp(cubed, ("x", "rate"), jit=jit)(x, v, 10.0, rate=4.0)
    np.testing.assert_allclose(by_both, 48.0 * x * v + 60.0 * x**2)
    assert by_rate == pytest.approx(6.0 * np.sum(x**2 * v))
    np.testing.assert_allclose(srcad.hessian(cubed, jit=jit)(x, rate=4.0), np.diag(48.0 * x))
    assert srcad.jvp(cubed, (x, 3.0), (v, None), jit=jit)[1] == pytest.approx(9.0 * np.sum(x**2 * v))
    with pytest.raises(TypeError):
        product(x, 3.0, 4.0, 5.0, v)


def test_as_many_arguments_as_parameters_are_gathered_too():
    """A tuple given to `*args` was taken for all that it gathers."""

    def first(*args):
        return np.sum(args[0][0] ** 2)

    x = np.array([1.0, 2.0])
    for found in srcad.grad(first, jit=False)((x, x)), srcad.value_and_grad(first, jit=False)((x, x))[1]:
        np.testing.assert_allclose(found[0], 2.0 * x)
        np.testing.assert_allclose(found[1], 0.0 * x)
    assert srcad.function(first, jit=False)((x, x)) == 5.0
    np.testing.assert_allclose(srcad.grad(first, jit=False)(np.stack((x, x))), [2.0 * x, 0.0 * x])
