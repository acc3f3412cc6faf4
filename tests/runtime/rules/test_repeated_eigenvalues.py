"""At repeated eigenvalues and singular values a gradient is right or nan, never a wrong number."""

import numpy as np
import pytest

import srcad

ROTATION = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]
WEIGHTS = np.random.default_rng(2).normal(size=(4, 4))
MATRICES = [np.eye(4), ROTATION @ np.diag([1.0, 1.0, 2.0, 2.0]) @ ROTATION.T, np.diag([0.0, 0.0, 0.0, 3.0])]


def squares(x):
    return np.sum(np.linalg.eigh(x)[0] ** 2)


def squares_alone(x):
    return np.sum(np.linalg.eigvalsh(x) ** 2)


def cubes(x):
    return np.sum(np.linalg.svd(x, full_matrices=False)[1] ** 3)


def square_root(x):
    values, vectors = np.linalg.eigh(x)
    return np.sum((vectors * np.sqrt(values + 1.0)) @ vectors.T * WEIGHTS)


def polar_factor(x):
    u, _, v = np.linalg.svd(x, full_matrices=False)
    return np.sum(u @ v * WEIGHTS)


def largest_vector(x):
    return np.sum(np.linalg.eigh(x)[1][:, 3] ** 2 * WEIGHTS[0])


# By day one function of values and one of vectors is compiled, which have all kernels of eigenvalues.
JIT = [False, pytest.param(True, marks=[pytest.mark.compiled, pytest.mark.nightly])]


@pytest.mark.compiled
def test_compiled_functions_have_their_gradient_or_none():
    matrix = (MATRICES[1] + MATRICES[1].T) / 2
    value, bar = srcad.value_and_grad(squares)(matrix)
    assert value == pytest.approx(squares(matrix))
    np.testing.assert_allclose((bar + bar.T) / 2, 2 * matrix, atol=1e-13)
    assert np.isnan(srcad.grad(square_root)(matrix)).any()


@pytest.mark.parametrize("jit", JIT)
@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("function", [squares, squares_alone])
def test_functions_of_the_values_alone_have_their_gradient(function, matrix, jit):
    found = srcad.grad(function, jit=jit)((matrix + matrix.T) / 2)
    np.testing.assert_allclose((found + found.T) / 2, 2 * matrix, atol=1e-13)
    with srcad.GradientTape() as tape:
        x = srcad.Variable((matrix + matrix.T) / 2)
        y = function(x)
    taped = np.asarray(tape.gradient(y, x))
    np.testing.assert_allclose((taped + taped.T) / 2, 2 * matrix, atol=1e-13)


@pytest.mark.parametrize("matrix", MATRICES[:2])
def test_singular_values_alone_have_their_gradient(matrix):
    u, s, v = np.linalg.svd(matrix)
    np.testing.assert_allclose(srcad.grad(cubes, jit=False)(matrix), 3 * (u * s**2) @ v, atol=1e-13)


@pytest.mark.parametrize("jit", JIT)
@pytest.mark.parametrize("matrix", MATRICES[:2])
@pytest.mark.parametrize("function", [square_root, polar_factor])
def test_what_asks_how_vectors_turn_is_nan(function, matrix, jit):
    matrix = (matrix + matrix.T) / 2
    assert np.isnan(srcad.grad(function, jit=jit)(matrix)).any()
    direction = np.arange(16.0).reshape(4, 4) / 7
    assert np.isnan(srcad.jvp(function, (matrix,), (direction + direction.T,), jit=jit)[1])


def test_a_vector_of_a_value_that_is_not_repeated_has_its_derivative():
    matrix = ROTATION @ np.diag([1.0, 1.0, 1.0, 2.0]) @ ROTATION.T
    matrix = (matrix + matrix.T) / 2
    found = srcad.grad(largest_vector, jit=False)(matrix)
    direction = np.random.default_rng(3).normal(size=(4, 4))
    direction += direction.T
    step = 1e-5
    slope = (largest_vector(matrix + step * direction) - largest_vector(matrix - step * direction)) / (2 * step)
    np.testing.assert_allclose(np.sum(found * direction), slope, rtol=1e-7)
