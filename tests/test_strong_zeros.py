"""A path that does not matter makes no nan: where a derivative is exactly zero, an infinite slope does not count."""

import math

import numpy as np
import pytest

import srcad

INF = np.inf


def unselected_root(x):
    return np.sum(np.where(x > 0.0, np.sqrt(np.abs(x)), 2.0 * x))


def unselected_logarithm(x):
    return np.sum(np.where(x > 0.0, np.log(x), 0.0))


def unselected_quotient(x):
    return np.sum(np.where(x == 0.0, 3.0 * x, 2.0 / x))


def unselected_powers(x):
    return np.sum(np.where(x > 0.0, x**1.5 + x**-0.5 + np.power(x, x), x))


def unselected_arcs(x):
    inside = np.arcsin(x) + np.arccos(2.0 * x) + np.arctanh(x)
    return np.sum(np.where(np.abs(x) < 0.5, inside, x))


def unselected_arccosh(x):
    return np.sum(np.where(x > 1.0, np.arccosh(x), 0.5 * x))


def masked_by_a_product(x):
    return np.sum(np.where(x > 0.0, 1.0, 0.0) * np.cbrt(x))


def dropped_elements(x):
    root = np.sqrt(x)
    return np.sum(root[x > 0.0]) + 0.5 * root[-1]


def one_angle(x):
    return np.sum(np.where(x[:1] != 0.0, np.arctan2(x[:1], x[1:]), x[:1] + 2.0 * x[1:]))


def distance_powers(p):
    d = np.expand_dims(p, 1) - np.expand_dims(p, 0)
    close = (d * d) ** -0.75
    return np.sum(np.triu(close, 1))


def inverse_distances(p):
    d = np.expand_dims(p, 1) - np.expand_dims(p, 0)
    inverse = 1.0 / np.sqrt(d * d)
    np.fill_diagonal(inverse, 0.0)
    return 0.5 * np.sum(inverse)


def deviation_that_does_not_count(x):
    return np.sum(np.where(x[:1] == x[1:], x[:1], np.std(x)))


def quotient_of_a_root(x):
    return np.sum(x / (1.0 + np.sqrt(x)))


# Program, point, expected gradient: worked out by hand.
CASES = [
    (unselected_root, [4.0, 0.0, -1.0], [0.25, 2.0, 2.0]),
    (unselected_logarithm, [4.0, 0.0, -1.0], [0.25, 0.0, 0.0]),
    (unselected_quotient, [4.0, 0.0], [-0.125, 3.0]),
    (unselected_powers, [1.0, 0.0, -1.0], [2.0, 1.0, 1.0]),
    (unselected_arcs, [0.0, 1.0, -1.0, 0.5, 2.0], [0.0, 1.0, 1.0, 1.0, 1.0]),
    (unselected_arccosh, [math.sqrt(2.0), 1.0, 0.0], [1.0, 0.5, 0.5]),
    (masked_by_a_product, [8.0, 0.0], [1.0 / 12.0, 0.0]),
    (dropped_elements, [0.0, 4.0, 1.0], [0.0, 0.25, 0.75]),
    (one_angle, [0.0, 0.0], [1.0, 2.0]),
    (distance_powers, [0.0, 1.0], [1.5, -1.5]),
    (inverse_distances, [0.0, 2.0], [0.25, -0.25]),
    (deviation_that_does_not_count, [3.0, 3.0], [1.0, 0.0]),
    (quotient_of_a_root, [0.0, 1.0], [1.0, 0.375]),
]
NAMED = pytest.mark.parametrize(("f", "point", "expected"), CASES, ids=[f.__name__ for f, *_ in CASES])
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@NAMED
def test_of_grad(f, point, expected):
    np.testing.assert_allclose(srcad.grad(f, jit=False)(np.array(point)), expected, atol=1e-12)


def everything(a, b, c, d, f, g, h, i, j, k):
    one = unselected_root(a) + unselected_logarithm(b) + unselected_quotient(c) + unselected_powers(d)
    two = unselected_arcs(f) + unselected_arccosh(g) + masked_by_a_product(h)
    return one + two + dropped_elements(i) + one_angle(j) + distance_powers(k)


def test_of_compiled_grad():
    points = [np.array(point) for _, point, _ in CASES[:10]]
    found = srcad.grad(everything, wrt=tuple(range(10)))(*points)
    for one, (_, _, expected) in zip(found, CASES, strict=False):
        np.testing.assert_allclose(one, expected, atol=1e-12)


def test_of_compiled_programs_that_write():
    for f, point, expected in CASES[10:]:
        np.testing.assert_allclose(srcad.grad(f)(np.array(point)), expected, atol=1e-12)


RECORDED = [each for each in CASES if each[0] is not inverse_distances]  # a tensor is not written to


@pytest.mark.parametrize(("f", "point", "expected"), RECORDED, ids=[f.__name__ for f, *_ in RECORDED])
def test_of_the_tape(f, point, expected):
    with srcad.GradientTape() as tape:
        x = srcad.Variable(np.array(point))
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x), expected, atol=1e-12)


# Where the tangent of the element in question is zero, so is that of what it goes through.
MOVING = [
    (unselected_root, [4.0, 0.0], [1.0, 0.0], 0.25),
    (unselected_logarithm, [4.0, 0.0], [1.0, 0.0], 0.25),
    (unselected_quotient, [4.0, 0.0], [1.0, 0.0], -0.125),
    (unselected_powers, [1.0, 0.0, -1.0], [1.0, 0.0, 0.0], 2.0),
    (unselected_arcs, [0.0, 1.0, -1.0, 0.5], [1.0, 0.0, 0.0, 0.0], 0.0),
    (inverse_distances, [0.0, 2.0], [1.0, 0.0], 0.25),
    (distance_powers, [0.0, 1.0], [0.0, 1.0], -1.5),
]


@pytest.mark.parametrize(("f", "point", "direction", "expected"), MOVING, ids=[f.__name__ for f, *_ in MOVING])
def test_of_tangents(f, point, direction, expected):
    _, tangent = srcad.jvp(f, (np.array(point),), (np.array(direction),), jit=False)
    assert tangent == pytest.approx(expected)


def test_of_compiled_tangents():
    _, tangent = srcad.jvp(inverse_distances, (np.array([0.0, 2.0]),), (np.array([1.0, 0.0]),))
    assert tangent == pytest.approx(0.25)


MOVING_TENSORS = [each for each in MOVING if each[0] is not inverse_distances]


@pytest.mark.parametrize(
    ("f", "point", "direction", "expected"), MOVING_TENSORS, ids=[f.__name__ for f, *_ in MOVING_TENSORS]
)
def test_of_forward_accumulators(f, point, direction, expected):
    x = srcad.Variable(np.array(point))
    with srcad.ForwardAccumulator(x, np.array(direction)) as accumulator:
        y = f(x)
    assert float(accumulator.jvp(y)) == pytest.approx(expected)


# Second derivatives: no term is lost because an adjoint happens to be zero.


def root_times_square(v):
    return v[0] * v[0] * np.sqrt(v[1])


def quotient_times_product(v):
    return v[0] * v[1] / v[2]


def logarithm_of_power(v):
    return v[0] * np.log(v[1]) + v[0] * v[1] ** 1.5


def coulomb(p):
    d = np.expand_dims(p, 1) - np.expand_dims(p, 0)
    inverse = (d * d) ** -0.5
    return np.sum(np.triu(inverse, 1))


def unselected_inverse(v):
    return np.sum(np.where(v > 0.0, 1.0 / v, v * v * v))


SECOND = [
    (root_times_square, [0.0, 4.0], [[4.0, 0.0], [0.0, 0.0]]),
    (quotient_times_product, [0.0, 0.0, 2.0], [[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]),
    (quotient_times_product, [0.0, 3.0, 2.0], [[0.0, 0.5, -0.75], [0.5, 0.0, 0.0], [-0.75, 0.0, 0.0]]),
    (logarithm_of_power, [0.0, 4.0], [[0.0, 3.25], [3.25, 0.0]]),
    (coulomb, [0.0, 2.0], [[0.25, -0.25], [-0.25, 0.25]]),
    (unselected_inverse, [0.0, 2.0], [[0.0, 0.0], [0.0, 0.25]]),
]
TWICE = pytest.mark.parametrize(
    ("f", "point", "expected"), SECOND, ids=[f"{f.__name__}-{n}" for n, (f, *_) in enumerate(SECOND)]
)


@TWICE
def test_of_second_derivatives(f, point, expected):
    np.testing.assert_allclose(srcad.hessian(f, jit=False)(np.array(point)), expected, atol=1e-12)


def test_of_compiled_second_derivatives():
    np.testing.assert_allclose(srcad.hessian(coulomb)(np.array([0.0, 2.0])), [[0.25, -0.25], [-0.25, 0.25]])


@TWICE
def test_of_reverse_mode_over_reverse_mode(f, point, expected):
    x = srcad.Variable(np.array(point))
    with srcad.GradientTape(persistent=True) as outer:
        with srcad.GradientTape() as inner:
            y = f(x)
        slopes = inner.gradient(y, x)
        parts = [slopes[k] for k in range(len(point))]
    np.testing.assert_allclose([outer.gradient(part, x) for part in parts], expected, atol=1e-12)


@TWICE
def test_of_forward_mode_over_reverse_mode(f, point, expected):
    x = srcad.Variable(np.array(point))
    for direction, row in zip(np.eye(len(point)), expected, strict=True):
        with srcad.ForwardAccumulator(x, direction) as accumulator:
            with srcad.GradientTape() as tape:
                y = f(x)
            slopes = tape.gradient(y, x)
        np.testing.assert_allclose(accumulator.jvp(slopes), row, atol=1e-12)


# What is infinite or no number stays so where it matters.


@pytest.mark.parametrize("jit", [False, True])
def test_an_infinite_slope_that_matters_is_infinite(jit):
    def f(x):
        return np.sum(np.sqrt(x) + np.log(x))

    np.testing.assert_array_equal(srcad.grad(f, jit=jit)(np.array([0.0, 1.0])), [INF, 1.5])


@pytest.mark.parametrize("jit", [False, True])
def test_nan_of_the_primal_stays(jit):
    def f(x, y):
        return np.sum(x * np.sqrt(y))

    value, (by_x, by_y) = srcad.value_and_grad(f, wrt=(0, 1), jit=jit)(np.array([0.0, 2.0]), np.array([np.nan, np.nan]))
    assert math.isnan(value)
    assert np.isnan(by_x).all()
    assert np.isnan(by_y[1])


def test_a_product_with_an_infinite_value_is_nan():
    def f(x, y):
        return np.sum(np.where(x > 0.0, x * y, 0.0))

    assert math.isnan(srcad.grad(f, jit=False)(np.array([-1.0]), np.array([INF]))[0])


@pytest.mark.parametrize("jit", [False, True])
def test_overflow_does_not_turn_into_a_zero(jit):
    def f(x):
        return np.sum(np.log(1.0 + np.exp(x)))  # the slope is 1, which 0 * inf does not tell

    assert np.isnan(srcad.grad(f, jit=jit)(np.array([1000.0]))[0])
