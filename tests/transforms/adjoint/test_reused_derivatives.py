"""Slopes are read by the names under which the function has computed them, in the iteration that has."""

import re

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient

X = np.linspace(0.2, 0.9, 5)


def turned(x, n):
    total = 0.0
    for i in range(n):
        c, s = np.cos(x[i]), np.sin(x[i])
        total += c * s * total + s
    return total


def in_arms(x, n):
    total = 0.0
    for i in range(n):
        a = 0.5 * x[i]
        if total < 0.4:
            total += np.cos(a) + np.sinh(a)
        else:
            total -= np.sin(a) * np.cosh(a)
    return total


def of_another_iteration(x, n):
    a, c, total = x[0], 0.0, 0.0
    for i in range(n):
        total += np.sin(a) * c
        a = a * x[i]
        c = np.cos(a)
    return total


def stopped(x, n):
    total = 0.0
    for i in range(n):
        s = np.sin(x[i])
        total += s * s
        if total > 0.5:
            break
        total += np.cos(x[i])
    return total


def inside(x, n):
    total = 0.0
    for i in range(n):
        c = np.cos(x[i])
        for j in range(i):
            total += np.sin(x[i]) * x[j] * c
    return total


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("program", [turned, in_arms, of_another_iteration, stopped, inside])
def test_gradients(program, n):
    assert_gradient(program, X, n)


@pytest.mark.parametrize(
    ("program", "anew"),
    [(turned, []), (in_arms, ["np.cos(a)", "np.cosh(a)", "np.sin(a)", "np.sinh(a)"]), (inside, [])],
)
def test_functions_that_are_computed_anew_in_reverse(program, anew):
    code = re.sub(
        r"#.*",
        "",
        srcad.source(program, args=(X, 3), without="iteration_local_reversal,vector_math").partition("x_bar = ")[2],
    )
    found = re.findall(r"np.(?:sin|cos|sinh|cosh)\(.*?\)", code)
    assert sorted(set(found)) == anew


def test_names_that_hold_them_are_kept():
    assert "c_trace[i] = c  # needed in reverse" in srcad.source(
        turned, args=(X, 3), without="iteration_local_reversal"
    )
