"""Kinds of number: results and gradients have the types of NumPy's promotion, complex gradients point uphill."""

import numpy as np
import pytest

import srcad
from srcad.errors import NotDifferentiable
from tests.checking import generated

X = np.array([0.3, -0.7, 0.9, 0.2], np.float32)
W = np.arange(4.0)
Z = np.array([0.5 + 1.0j, -0.3 + 0.2j, 1.1 - 0.7j])


def with_literals(x):
    return np.sum(x * 2.5 + 1)


def with_a_number(x, k):
    return np.sum(x * k)


def in_place(x):
    a = np.zeros(4, np.float32)
    a[:] = x * 0.1
    a *= 1.5
    a[0] += 2.0
    return np.sum(a * a)


def running(x):
    s = x[0]
    for v in x:
        s = s * 0.5 + v
    return s


def of_two_arrays(x, w):
    return np.sum(x * w)


def with_integers(x, n):
    return np.sum(x * n) + np.sum(x / n)


def elements(x):
    return np.exp(x[0]) * np.sqrt(x[2]) + x[1] ** 2


CASES = [
    (with_literals, (X,)),
    (with_a_number, (X, np.float32(0.1))),
    (with_a_number, (X, 0.1)),
    (with_a_number, (X, np.float64(0.1))),
    (with_a_number, (W, np.float32(0.1))),
    (in_place, (X,)),
    (running, (X,)),
    (of_two_arrays, (X, W)),
    (of_two_arrays, (X, W.astype(np.float32))),
    (with_integers, (X, 3)),
    (elements, (X,)),
]


@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize(("f", "args"), CASES)
def test_single_and_double_precision_mix_as_in_numpy(f, args, loops):
    (run, *_), given, _ = generated(f, args, "value_and_grad", (0,), loops)
    value, (gradient,) = run(*given)
    assert np.asarray(value).dtype == np.asarray(f(*args)).dtype
    assert gradient.dtype == args[0].dtype
    assert gradient.shape == args[0].shape
    np.testing.assert_allclose(value, f(*args), rtol=1e-6)


def conjugate_slope(f, z, step=1e-6):
    """By differences: df/dRe + i df/dIm, the direction of steepest ascent, for a real `f`."""
    found = np.zeros(z.shape, complex)
    for k in range(z.size):
        for unit in (1.0, 1.0j):
            d = np.zeros(z.shape, complex)
            d[k] = unit * step
            found[k] += unit * (f(z + d) - f(z - d)) / (2 * step)
    return found


def power(z):
    return np.sum(np.real(z * np.conj(z)))


def holomorphic_then_real(z):
    return np.real(np.sum(z * z * z) * (1.0 + 2.0j))


def mixed_by_a_loop(z):
    total = 0.0
    w = 1.0 + 0.0j
    for k in range(z.shape[0]):
        w = w * z[k] + 0.5j
        total += (w * w * (1.0 - 2.0j)).real
    return total


def exponentials(z):
    return np.sum((np.exp(1j * z) * np.sin(z)).real)


def statistics(z):
    pair = np.stack((z, z * z))
    spread = np.var(z) + np.std(z * z) + np.nanvar(z)
    return spread + np.real(np.cov(z)) + np.imag(np.cov(pair)[0, 1])


def directions(z):
    return np.sum(np.abs(np.sign(z) * (1.0 + 2.0j) + z))


def determinant(z):
    return np.abs(np.linalg.det(np.outer(z, z * z) + np.eye(z.shape[0])))


COMPLEX = [power, holomorphic_then_real, mixed_by_a_loop, exponentials, statistics, directions, determinant]


@pytest.mark.slow
@pytest.mark.parametrize("f", COMPLEX)
def test_complex_gradients_point_uphill(f):
    found = srcad.grad(f, jit=False)(Z)
    assert found.dtype == np.complex128
    np.testing.assert_allclose(found, conjugate_slope(f, Z), rtol=1e-6)


@pytest.mark.compiled
def test_compiled_complex_gradients_point_uphill():
    def all_of_them(z):
        return directions(z) + determinant(z) + np.var(z)

    np.testing.assert_allclose(srcad.grad(all_of_them)(Z), conjugate_slope(all_of_them, Z), rtol=1e-6)


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("given", [3, True, np.array([1, 2]), np.array([True])])
def test_integers_and_booleans_have_no_gradient_and_the_message_names_the_cure(given, jit):
    with pytest.raises(NotDifferentiable, match=r"pass 2\.0 instead of 2|\.astype\(float\)"):
        srcad.grad(lambda n: np.sum(2.0 * n), jit=jit)(given)


def test_errors_of_the_function_are_its_own():
    def guarded(x, n):
        if x[n] < 0.0:
            raise ValueError("negative")
        return np.sqrt(x[n])

    gradient = srcad.grad(guarded, jit=False)
    with pytest.raises(ValueError, match="negative"):
        gradient(W - 2.0, 1)
    with pytest.raises(IndexError):
        gradient(W, 9)
