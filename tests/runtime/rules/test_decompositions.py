"""Decompositions and what their results are called."""

import numpy as np
import pytest

import srcad

A = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.7, 0.1, 1.1]])
NAMED = {
    "eigh": lambda a: np.linalg.eigh(a + a.T).eigenvalues[0] + np.linalg.eigh(a + a.T).eigenvectors[0, 0] ** 2,
    "eig": lambda a: np.linalg.eig(a).eigenvalues.real[0],
    "svd": lambda a: np.linalg.svd(a).S[0] * np.linalg.svd(a).U[0, 0] ** 2 + np.linalg.svd(a).Vh[0, 0] ** 2,
    "qr": lambda a: np.linalg.qr(a).Q[0, 1] ** 2 + np.linalg.qr(a).R[1, 2] ** 2,
    "slogdet": lambda a: np.linalg.slogdet(a).logabsdet * np.linalg.slogdet(a).sign,
}


@pytest.mark.parametrize(
    ("name", "jit"), [*((name, False) for name in NAMED), pytest.param("eigh", True, marks=pytest.mark.compiled)]
)
def test_results_have_the_names_that_numpy_gives_them(name, jit):
    srcad.check_grads(NAMED[name], (A,), jit=jit)


def test_results_are_of_numpys_classes():
    value, _ = srcad.vjp(np.linalg.svd, A, jit=False)
    assert value._fields == ("U", "S", "Vh")
    np.testing.assert_allclose(value.S, np.linalg.svd(A).S)


def test_polynomials_are_fitted_to_complex_points():
    points, values = np.array([0.3, 1.1 + 0.2j, 1.9, 2.6 - 0.1j]), np.array([1.0 + 2.0j, 0.5, -0.3j, 2.0 - 1.0j])
    weights = np.array([1.0, 0.5, 2.0, 0.7])

    def f(x, y):
        return np.sum(np.abs(np.polyfit(x, y, 1)) ** 2) + np.real(np.polyfit(x, y, 2, w=weights)[0])

    value, _ = srcad.value_and_grad(f, jit=False)(points, values)
    assert value == pytest.approx(f(points, values), rel=1e-12)
    srcad.check_grads(f, (points, values), jit=False)


def rebuilt(a):
    u, s, v = np.linalg.svd(a, full_matrices=False)
    return np.sum(np.sin((u * s) @ v))


def of_the_largest(a):
    u, s, v = np.linalg.svd(a, full_matrices=False)
    return np.sum(u[:, 0] ** 2 * np.arange(1.0, a.shape[0] + 1)) + s[0] * v[0, 0] ** 2


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("factor", [0.0, 1.0])
def test_singular_vectors_of_a_matrix_without_full_rank(factor, jit):
    a = np.random.default_rng(0).normal(size=(5, 3))
    a[:, 2] = factor * (a[:, 0] - a[:, 1])
    vectors = srcad.function(lambda a: np.linalg.svd(a, full_matrices=False)[0], jit=jit)(a)
    np.testing.assert_allclose(vectors, np.linalg.svd(a, full_matrices=False)[0])
    if factor:  # else what reaches a vector is multiplied by a singular value of exactly 0: the strong zero
        np.testing.assert_allclose(srcad.grad(rebuilt, jit=jit)(a), np.cos(a), rtol=1e-12)
        assert np.isnan(srcad.grad(rebuilt, jit=jit)(a.T)).any()  # the vectors may turn out of their space
    direction = np.random.default_rng(1).normal(size=a.shape)
    near = 1e-6 * direction
    slope = (of_the_largest(a + near) - of_the_largest(a - near)) / 2e-6
    assert np.sum(srcad.grad(of_the_largest, jit=jit)(a) * direction) == pytest.approx(slope, rel=1e-6)
