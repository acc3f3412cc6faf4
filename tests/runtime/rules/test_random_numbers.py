"""Random numbers: each is drawn once, in the order of the function, from the source that the function draws from."""

import contextlib

import numpy as np
import pytest

import srcad
from srcad.errors import MissingRule, UnsupportedSyntax

RNG = np.random.default_rng(11)


def of_global_state(x):
    first = np.random.normal()
    v = x * np.ones(3)
    total = (
        np.sum(np.random.normal(v, 2.0 * v)) + np.sum(np.random.uniform(0.0, v)) + np.sum(np.random.exponential(v, 3))
    )
    total += np.random.gumbel(x, x) + np.random.laplace(x, 2.0 * x) + np.random.logistic(x, 1.0)
    total += np.random.lognormal(0.1 * x, 0.2 * x) + np.random.gamma(2.0, x) + np.random.standard_t(3.0) * x
    for _ in range(2):
        total += np.random.random() * x + np.random.standard_normal(2)[1] * total
    total += np.sum(np.random.randint(0, 5, 3) * v) + np.random.standard_exponential() * x
    return total + x * first + np.random.standard_gamma(1.5) * x


def of_generator(x, rng):
    first = rng.normal()
    v = x * np.ones(3)
    total = np.sum(rng.normal(v, 2.0 * v)) + np.sum(rng.uniform(0.0, v)) + np.sum(rng.exponential(v, 3))
    total += rng.gumbel(x, x) + rng.laplace(x, 2.0 * x) + rng.logistic(x, 1.0)
    total += rng.lognormal(0.1 * x, 0.2 * x) + rng.gamma(2.0, x) + rng.standard_t(3.0) * x
    for _ in range(2):
        total += rng.random() * x + rng.standard_normal(2)[1] * total
    total += np.sum(rng.integers(0, 5, 3) * v) + rng.standard_exponential() * x
    return total + x * first + rng.standard_gamma(1.5) * x


def made_inside(x):
    return of_generator(x, np.random.default_rng(5))


def captured(x):
    return x * RNG.normal(x, 1.0)


MODES = [False, pytest.param(True, marks=pytest.mark.compiled)]


def difference(run, x, h=1e-5):
    return (run(x + h) - run(x - h)) / (2.0 * h)


@pytest.mark.parametrize("jit", MODES)
def test_a_seed_of_numpys_global_state_reaches_the_derivative(jit):
    def run(x):
        np.random.seed(3)
        return of_global_state(x)

    expected, value = difference(run, 1.5), run(1.5)
    after = np.random.random()
    for _ in range(2):
        np.random.seed(3)
        found = srcad.value_and_grad(of_global_state, jit=jit)(1.5)
        assert np.random.random() == after
        assert found[0] == pytest.approx(value, rel=1e-15)
        assert found[1] == pytest.approx(expected, rel=1e-7)
        np.random.seed(3)
        assert srcad.grad(of_global_state, jit=jit)(1.5) == pytest.approx(expected, rel=1e-7)
        assert np.random.random() == after


@pytest.mark.parametrize("jit", MODES)
def test_a_generator_is_advanced_as_by_the_function(jit):
    generator = np.random.default_rng(7)
    value, after = of_generator(1.5, generator), generator.random()
    expected = difference(lambda x: of_generator(x, np.random.default_rng(7)), 1.5)
    for _ in range(2):
        generator = np.random.default_rng(7)
        found, pullback = srcad.vjp(of_generator, 1.5, generator, jit=jit)
        assert generator.random() == after
        assert found == pytest.approx(value, rel=1e-15)
        assert pullback(1.0)[0] == pytest.approx(expected, rel=1e-7)
        generator = np.random.default_rng(7)
        assert srcad.jvp(of_generator, (1.5, generator), (1.0, None), jit=jit)[1] == pytest.approx(expected, rel=1e-7)
        assert generator.random() == after


@pytest.mark.parametrize("jit", MODES)
def test_a_generator_made_inside_draws_the_same_each_time(jit):
    expected, slope = difference(made_inside, 1.5), srcad.grad(made_inside, jit=jit)
    with pytest.warns(srcad.PerformanceWarning, match="default_rng") if jit else contextlib.nullcontext():
        found = [slope(1.5) for _ in range(2)]
    assert found == pytest.approx([expected] * 2, rel=1e-7)


def test_other_draws_are_numpys_as_well():
    def f(x, rng):
        total = np.sum(x[rng.permutation(3)] * np.arange(3.0)) + np.sum(np.random.rand(3) * x)
        total += np.random.randn() * x[0] + np.sum(np.random.randn(2, 2)) * x[1] + np.random.rand() * x[2]
        return total + np.random.choice(np.array([1.0, 2.0, 3.0])) * x[0]

    x = np.array([0.5, 2.0, 1.0])
    np.random.seed(4)
    value = f(x, np.random.default_rng(4))
    np.random.seed(4)
    found, slope = srcad.value_and_grad(f, jit=False)(x, np.random.default_rng(4))
    assert found == pytest.approx(value, rel=1e-15)
    assert np.dot(slope, x) == pytest.approx(value, rel=1e-14)  # it is linear


def test_a_permutation_of_an_array_is_refused():
    with pytest.raises(UnsupportedSyntax, match="permutation"):
        srcad.grad(lambda x, rng: np.sum(rng.permutation(x) * x), jit=False)(np.ones(3), np.random.default_rng(4))


def test_a_captured_generator_goes_on_from_call_to_call():
    RNG.bit_generator.state = np.random.default_rng(2).bit_generator.state
    other = np.random.default_rng(2)
    for _ in range(3):
        z = other.normal()
        assert srcad.grad(captured, jit=False)(0.7) == pytest.approx(2.0 * 0.7 + z)


def test_second_derivatives_draw_once():
    def f(x, rng):
        return np.sum(rng.normal(x, 1.0) ** 2 * x)

    x = np.array([0.5, 2.0])
    z = np.random.default_rng(0).normal(0.0, 1.0, 2)
    found = srcad.hvp(f, jit=False)(x, np.random.default_rng(0), np.ones(2))
    np.testing.assert_allclose(found, 6.0 * x + 4.0 * z, rtol=1e-12)


def gamma_of_scale(a):
    return np.random.gamma(a, 2.0)


@pytest.mark.parametrize("f", [np.random.standard_gamma, gamma_of_scale, np.random.standard_t])
def test_the_shape_of_a_distribution_has_no_derivative(f):
    with pytest.raises(MissingRule, match="no derivative rule"):
        srcad.grad(f, jit=False)(2.0)


def test_an_inner_derivative_of_a_function_that_draws_is_refused():
    def f(x):
        return srcad.grad(lambda y: y * y * np.random.normal())(x)

    with pytest.raises(UnsupportedSyntax, match="draws random numbers"):
        srcad.grad(f, jit=False)(2.0)


def test_what_is_drawn_before_something_new_is_reached_is_drawn_once():
    def f(x, rng):
        z = rng.normal()
        if z > 0.0:
            y = np.einsum("i,i->", x, x) * z
        else:
            y = np.einsum("i,i->", x, x * x) * z
        return y

    slope = srcad.grad(f, jit=False)
    generator, other = np.random.default_rng(1), np.random.default_rng(1)
    x = np.array([0.5, 2.0])
    for _ in range(6):
        z = other.normal()
        expected = 2.0 * x * z if z > 0.0 else 3.0 * x * x * z
        np.testing.assert_allclose(slope(x, generator), expected)


def test_an_attempt_draws_nothing():
    def f(x, rng):
        try:
            y = np.linalg.inv(np.diag(rng.normal(x, 1.0, 2)))[0, 0]
        except np.linalg.LinAlgError:
            y = x
        return y * x

    generator, other = np.random.default_rng(1), np.random.default_rng(1)
    z = other.normal(0.5, 1.0, 2)
    assert srcad.grad(f, jit=False)(0.5, generator) == pytest.approx(1.0 / z[0] - 0.5 / z[0] ** 2)
    assert generator.random() == other.random()
