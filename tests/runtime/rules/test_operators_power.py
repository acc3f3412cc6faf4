"""The slopes of a power are TensorFlow's: `log(x)` is taken as 0 where the base x is not positive."""

import numpy as np
import pytest

import srcad

# Bases and exponents whose power is a real number, and what TensorFlow's `_PowGrad` gives for them.
X = np.array([2.0, 0.5, -2.0, -1.0, -3.0, 0.0, 0.0])
P = np.array([3.0, -1.5, 3.0, 2.0, -2.0, 2.0, 1.0])
BY_X = np.array([12.0, -1.5 * 0.5**-2.5, 12.0, -2.0, -2.0 * (-3.0) ** -3.0, 0.0, 1.0])
BY_P = np.array([8.0 * np.log(2.0), 0.5**-1.5 * np.log(0.5), 0.0, 0.0, 0.0, 0.0, 0.0])


def power(x, p):
    return x**p


def total(x, p):
    return np.sum(x**p)


def of_pair(v):
    return v[0] ** v[1]


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_gradients_of_numbers_and_of_arrays(jit):
    slope = srcad.grad(power, wrt=(0, 1), jit=jit)
    for x, p, dx, dp in zip(X.tolist(), P.tolist(), BY_X, BY_P, strict=True):
        np.testing.assert_allclose(slope(x, p), (dx, dp), rtol=1e-14)
    for found, expected in zip(srcad.grad(total, wrt=(0, 1), jit=jit)(X, P), (BY_X, BY_P), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_tangents(jit):
    ones, zeros = np.ones_like(X), np.zeros_like(X)
    for towards, expected in (((ones, zeros), BY_X), ((zeros, ones), BY_P), ((ones, ones), BY_X + BY_P)):
        _, tangent = srcad.jvp(power, (X, P), towards, jit=jit)
        np.testing.assert_allclose(tangent, expected, rtol=1e-14)


@pytest.mark.parametrize("function", [power, np.power, np.float_power])
def test_the_tape(function):
    x, p = srcad.constant(X), srcad.constant(P)
    with srcad.GradientTape() as tape:
        tape.watch([x, p])
        y = function(x, p)
    for found, expected in zip(tape.gradient(y, [x, p]), (BY_X, BY_P), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    with srcad.ForwardAccumulator([x, p], [srcad.constant(np.ones_like(X))] * 2) as forward:
        y = function(x, p)
    np.testing.assert_allclose(forward.jvp(y), BY_X + BY_P, rtol=1e-14)


def test_one_exponent_for_bases_of_both_signs():
    x, p = srcad.constant([2.0, -2.0, 0.0, 3.0]), srcad.Variable(2.0)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = x**p
    of_x, of_p = tape.gradient(y, [x, p])
    np.testing.assert_allclose(of_x, [4.0, -4.0, 0.0, 6.0])
    assert float(of_p) == pytest.approx(4.0 * np.log(2.0) + 9.0 * np.log(3.0))


def test_integer_exponents_have_no_gradient_and_do_not_change_that_of_the_base():
    x, p = srcad.constant([2.0, -2.0, 0.0]), srcad.constant([3, 3, 2])
    with srcad.GradientTape() as tape:
        tape.watch([x])
        y = x**p
    of_x, of_p = tape.gradient(y, [x, p])
    assert of_x.tolist() == [12.0, 12.0, 0.0]
    assert of_p is None
    assert srcad.grad(total)(np.array([2.0, -2.0, 0.0]), np.array([3, 3, 2])).tolist() == [12.0, 12.0, 0.0]


# By x and x, x and p, p and x, p and p. The mixed ones differ for a negative base, as they do in TensorFlow: there the
# slope by p is 0 whatever x is, and that by x is p * x ** (p - 1).
SECOND = {
    (2.0, 3.0): (12.0, 4.0 + 12.0 * np.log(2.0), 12.0 * np.log(2.0) + 4.0, 8.0 * np.log(2.0) ** 2),
    (-2.0, 3.0): (-12.0, 4.0, 0.0, 0.0),
    (0.0, 3.0): (0.0, 0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
@pytest.mark.parametrize("point", SECOND)
def test_second_derivatives_of_grad(point, jit):
    found = srcad.jacobian(srcad.grad(of_pair, jit=jit))(np.array(point))
    # Second derivatives of `grad` are taken to be symmetric, so either of the mixed ones may stand for the other.
    np.testing.assert_allclose(sorted(found.ravel()), sorted(SECOND[point]), rtol=1e-14)
    np.testing.assert_allclose(np.diag(found), SECOND[point][::3], rtol=1e-14)


@pytest.mark.parametrize("point", SECOND)
def test_second_derivatives_of_the_tape(point):
    x, p = map(srcad.constant, point)
    with srcad.GradientTape(persistent=True) as outer:
        outer.watch([x, p])
        with srcad.GradientTape() as tape:
            tape.watch([x, p])
            y = x**p
        of_x, of_p = tape.gradient(y, [x, p])
    found = [
        *outer.gradient(of_x, [x, p], unconnected_gradients="zero"),
        *outer.gradient(of_p, [x, p], unconnected_gradients="zero"),
    ]
    np.testing.assert_allclose([float(each) for each in found], SECOND[point], rtol=1e-14)


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_a_number_stays_so():
    # The power itself is nan, or infinite: a slope of 0 would hide it.
    x, p = np.array([-2.0, 0.0]), np.array([0.5, -1.0])
    for jit in (False, True):
        assert np.isnan(srcad.grad(total, wrt=1, jit=jit)(x, p)).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_complex_exponent_of_a_negative_base_has_a_logarithm():
    x, p = srcad.constant(-2.0 + 0.0j), srcad.constant(0.5 + 0.3j)
    with srcad.GradientTape() as tape:
        tape.watch(p)
        y = x**p
    expected = np.conj((-2.0 + 0.0j) ** (0.5 + 0.3j) * np.log(-2.0 + 0.0j))
    assert complex(tape.gradient(y, p)) == pytest.approx(expected)
