"""Derivatives that are made inside compiled code."""

import numba
import numpy as np
import pytest

import srcad
from srcad.errors import NotDifferentiable, UnsupportedSyntax


@numba.njit
def cubic(x, k):
    return k * x**3


@pytest.mark.compiled
def test_made_of_a_function_that_is_handed_over():
    @numba.njit
    def descend(f, x):
        found = srcad.value_and_grad(f, wrt=(0, "k"))(x, 2.0)
        return srcad.grad(f)(x, 2.0), found, srcad.hvp(f)(x, 2.0, 1.0)

    assert descend(cubic, 1.0) == (6.0, (2.0, (6.0, 1.0)), 12.0)


@pytest.mark.compiled
def test_made_of_a_function_inside():
    @numba.njit
    def slope(x):
        def square(y, z):
            return y * y * z

        g = srcad.grad(square)
        return g(x, x)

    assert slope(1.5) == 4.5


@pytest.mark.parametrize(
    ("program", "error", "what"),
    [
        (lambda f, x: srcad.jacobian(f)(x, x), UnsupportedSyntax, "srcad.jacobian cannot be called inside @njit"),
        (lambda f, x: srcad.grad(f, x > 1.0)(x, x), UnsupportedSyntax, "`wrt` is known only at run time"),
        (lambda f, x: srcad.grad(srcad.grad(f))(x, x), NotDifferentiable, "cannot be called inside @njit"),
        (lambda f, x: srcad.grad(x)(x, x), UnsupportedSyntax, "float64, which is not a function"),
    ],
)
def test_what_cannot_be_made_inside_is_refused(program, error, what):
    with pytest.raises(error, match=what):
        numba.njit(program)(cubic, 1.5)


@numba.njit
def element(x, k):
    return x[k] * x[0]


@pytest.mark.compiled
def test_checks_of_indices_are_chosen_inside_njit_too():
    @numba.njit
    def checked(x, k):
        return srcad.grad(element)(x, k), srcad.value_and_grad(element, 0, None)(x, k)[0]

    @numba.njit
    def unchecked(x, k):
        return srcad.grad(element, boundscheck=False)(x, k), srcad.hvp(element, boundscheck=False)(x, k, x)

    x = np.array([2.0, 3.0])
    gradient, value = checked(x, 1)
    assert (gradient.tolist(), value) == ([3.0, 2.0], 6.0)
    assert [each.tolist() for each in unchecked(x, 1)] == [[3.0, 2.0], [3.0, 2.0]]
    with pytest.raises(IndexError, match=r"x\[k\]"):
        checked(x, 2)


@pytest.mark.compiled
def test_a_choice_at_run_time_is_refused():
    @numba.njit
    def choosing(x, k, checks):
        return srcad.grad(element, boundscheck=checks)(x, k)

    with pytest.raises(UnsupportedSyntax, match="`boundscheck` is known only at run time"):
        choosing(np.ones(2), 1, False)
