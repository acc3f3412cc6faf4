"""The passes that make derivatives which a function calls."""

import numpy as np
import pytest

import srcad


def slow(x):
    return np.sum(np.exp(np.sin(x)))


def energy(x):
    total = 0.0
    for i in srcad.checkpointed(range(4)):
        total += np.sum(np.sin(x) ** 2) * (total + i + 1.0)
    return total


def test_inner_functions_with_checkpointed_loops():
    def f(x):
        return np.sum(srcad.grad(energy, jit=False)(x) ** 2)

    x = np.array([0.3, 0.5])
    h = 1e-6
    expected = [(f(x + h * e) - f(x - h * e)) / (2.0 * h) for e in np.eye(2)]
    np.testing.assert_allclose(srcad.grad(f, jit=False)(x), expected, rtol=1e-7)


def test_passes_that_are_left_out_are_left_out_of_inner_derivatives_too():
    def f(x):
        return np.sum(srcad.grad(slow)(x) ** 2)

    x = np.array([0.3, 0.5])
    without = srcad.grad(f, jit=False, without=("elementwise_fusion", "cse_and_licm", "dead_code"))(x)
    np.testing.assert_allclose(without, srcad.grad(f, jit=False)(x), rtol=1e-13)


@pytest.mark.parametrize("shape", [(0,), (2, 3)])
def test_gradients_have_memory_of_their_own(shape):
    def f(x):
        g = srcad.grad(np.sum)(x)
        g *= x
        return np.sum(g * g)

    x = np.arange(float(np.prod(shape))).reshape(shape)
    np.testing.assert_allclose(srcad.grad(f, jit=False)(x), 2.0 * x)
