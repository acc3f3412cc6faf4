"""Sparse matrices of `scipy.sparse`: products and systems, by the elements and the dense operand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import factorized, splu, spsolve

import srcad
from srcad.errors import MissingRule, NoSolution

STARTS, INDICES = np.array([0, 2, 3, 5, 7]), np.array([0, 2, 1, 0, 2, 1, 3])
DATA = np.array([4.0, 1.0, 3.0, 0.5, 5.0, 0.3, 2.0])
X = np.array([1.0, 2.0, 3.0, 4.0])


def product(data, x):
    a = sp.csr_array((data, INDICES, STARTS), shape=(4, 4))
    return np.sum((a @ x) ** 2) + np.sum(x @ a * np.arange(4.0))


def product_with_a_matrix(data, x):
    a = sp.csc_array((data, INDICES, STARTS), shape=(4, 4))
    return np.sum((a @ (x[:, None] * np.array([1.0, 2.0, 3.0]))) ** 2)


def coordinates(data, x):
    # One place occurs twice.
    places = (np.array([0, 0, 1, 2, 2, 2, 3]), np.array([0, 1, 1, 2, 0, 2, 3]))
    a = sp.coo_matrix((data, places), shape=(4, 4))
    return np.sum((a.T @ x) ** 2) + np.sum((-2.0 * a).tocsr().dot(x))


def system(data, x):
    a = sp.csr_array((data, INDICES, STARTS), shape=(4, 4))
    return np.sum(spsolve(a.tocsc(), x) ** 2)


def factors(data, x):
    lu = splu(sp.csc_matrix((data, INDICES, STARTS), shape=(4, 4)))
    return np.sum(lu.solve(x) ** 2) + np.sum(lu.solve(x, "T"))


def diagonals(data, x):
    a = sp.diags_array([data[:3], data[:4], data[4:]], offsets=[-1, 0, 1])
    b = a + 3.0 * sp.eye_array(4)
    solve = factorized(b.tocsc())
    return np.sum(solve(x) ** 2) + b.sum() + np.sum(a.sum(axis=0) ** 2) + np.sum(b.diagonal() ** 2)


PROGRAMS = [product, product_with_a_matrix, coordinates, system, factors, diagonals]


def slope(f, along, h=1e-3):
    """The derivative along a direction, by central differences that are extrapolated once."""
    there = lambda step: f(DATA + step * along[:7], X + step * along[7:])  # noqa: E731
    coarse, fine = ((there(step) - there(-step)) / (2 * step) for step in (h, h / 2))
    return (4 * fine - coarse) / 3


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_by_the_elements_and_the_dense_operand(f):
    value, (by_data, by_x) = srcad.value_and_grad(f, (0, 1), jit=False)(DATA, X)
    assert value == pytest.approx(f(DATA, X), rel=1e-13)
    for number, along in enumerate(np.eye(11)):
        found = np.concatenate([by_data, by_x])[number]
        assert found == pytest.approx(slope(f, along), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("f", [product, system])
def test_second_derivatives_and_tangents(f):
    along = np.cos(np.arange(11.0))
    gradient = srcad.grad(f, (0, 1), jit=False)
    twice = np.concatenate(srcad.hvp(f, (0, 1), jit=False)(DATA, X, along[:7], along[7:]))
    expected = slope(lambda data, x: np.concatenate(gradient(data, x)), along)
    np.testing.assert_allclose(twice, expected, rtol=1e-6, atol=1e-7)
    tangent = srcad.jvp(f, (DATA, X), (along[:7], along[7:]), jit=False)[1]
    assert tangent == pytest.approx(np.concatenate(gradient(DATA, X)) @ along, rel=1e-12)


def poisson(conductivity, source):
    """Heat in a rod whose ends are cold: the energy of the temperature."""
    inner = conductivity[1:] + conductivity[:-1]
    a = sp.diags_array([-conductivity[1:-1], inner, -conductivity[1:-1]], offsets=[-1, 0, 1])
    temperature = spsolve(a.tocsc(), source)
    return source @ temperature


def test_sparse_partial_differential_equation_compiled():
    conductivity, source = 1.0 + 0.1 * np.arange(21.0), np.ones(20)
    by_conductivity, by_source = srcad.grad(poisson, (0, 1))(conductivity, source)
    # The system is symmetric: the adjoint is the temperature itself.
    inner = conductivity[1:] + conductivity[:-1]
    a = np.diag(inner) - np.diag(conductivity[1:-1], 1) - np.diag(conductivity[1:-1], -1)
    temperature = np.linalg.solve(a, source)
    np.testing.assert_allclose(by_source, 2.0 * temperature, rtol=1e-10)
    steps = np.diff(np.concatenate([[0.0], temperature, [0.0]]))
    np.testing.assert_allclose(by_conductivity, -(steps**2), rtol=1e-9, atol=1e-9)


def test_singular_matrix_is_refused():
    singular = lambda k: np.sum(spsolve(sp.diags_array([k * np.array([1.0, 0.0])], offsets=[0]).tocsc(), np.ones(2)))  # noqa: E731
    with pytest.raises(NoSolution, match="singular"):
        srcad.grad(singular, jit=False)(1.0)


def test_what_may_mean_two_things_is_refused():
    star = lambda k: np.sum((k * sp.identity(2)) * np.ones(2))  # noqa: E731
    with pytest.raises(MissingRule, match="two things"):
        srcad.grad(star, jit=False)(1.0)
    both = lambda k: ((k * sp.eye_array(2)) @ sp.eye_array(2)).sum()  # noqa: E731
    with pytest.raises(MissingRule, match="product of sparse matrices"):
        srcad.grad(both, jit=False)(1.0)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_complex_systems_are_refused(jit):
    """The imaginary parts of the right-hand side were dropped."""

    def f(data, b):
        return np.sum(np.abs(spsolve(sp.csc_array((data, (np.arange(4), np.arange(4))), shape=(4, 4)), b)))

    for data, b in ((X, X + 1j), (X + 1j, X)):
        with pytest.raises(MissingRule, match="sparse system of complex equations"):
            srcad.grad(f, jit=jit)(data, b)
    np.testing.assert_allclose(srcad.grad(f, 1, jit=jit)(X, X), 1.0 / X)
