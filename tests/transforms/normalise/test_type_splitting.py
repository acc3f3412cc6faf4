"""Names that would have two types: the statements after loops and branches are repeated, with the same results."""

import re

import numpy as np
import pytest

import srcad
from srcad.driver import pipeline
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.7, -0.4, 1.3])


def power_sum(x, n):
    s = 0.0
    for k in range(n):
        s = s + x ** (k + 1)
    return s


def first_element(x, n):
    return power_sum(x, n)[0] * np.sum(x)


def splits_of(function, *args, monkeypatch):
    """The joins that are split for a gradient."""
    joins = []

    def noted(unit, join, assumes, most):
        joins.append(join)
        return real(unit, join, assumes, most)

    real = pipeline.split
    monkeypatch.setattr(pipeline, "split", noted)
    srcad.grad(function, jit=False)(*args)
    return joins


def test_functions_whose_names_have_one_type_are_left_alone(monkeypatch):
    def squares(x):
        s = 0.0
        for i in range(x.size):
            s = s + x[i] ** 2
        return s

    assert splits_of(squares, X, monkeypatch=monkeypatch) == []


def test_a_loop_whose_iterations_are_counted_is_peeled_once(monkeypatch):
    def squares(x):
        s = 0.0
        for _ in range(3):
            s = s + x**2
        return np.sum(s)

    (join,) = splits_of(squares, X, monkeypatch=monkeypatch)
    assert (join.is_loop, join.name[0]) == (True, "s")


@pytest.mark.compiled
def test_a_loop_without_iterations_runs_uncompiled_if_what_follows_does_not_compile():
    gradient = srcad.grad(first_element)
    weights = np.sum(X) * np.eye(3)[0]
    assert gradient(X, 1) == pytest.approx(weights + X[0])
    with pytest.raises(TypeError, match="not subscriptable"):  # as in Python: a number has no elements
        gradient(X, 0)
    with pytest.warns(srcad.PerformanceWarning, match="runs uncompiled"):
        found = gradient(X, 2)
    assert found == pytest.approx(weights * (1 + 2 * X[0]) + X[0] + X[0] ** 2)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_values_have_the_form_that_python_gives(n):
    value, pullback = srcad.vjp(power_sum, X, n, jit=False)
    assert np.shape(value) == np.shape(power_sum(X, n))
    expected = np.zeros(3) if n == 0 else sum((k + 1) * X**k for k in range(n))
    assert pullback(np.ones_like(value))[0] == pytest.approx(expected)


def test_a_step_of_zero_is_an_error_as_in_python():
    def squares(x, step):
        s = 0.0
        for k in range(0, 3, step):
            s = s + x**k
        return np.sum(s)

    for step in (2, -1):
        assert_gradient(squares, X, step, modes=["arrays"])
    with pytest.raises(ValueError, match="zero"):
        srcad.grad(squares, jit=False)(X, 0)


def test_a_number_and_an_array_in_turn_are_refused():
    def in_turn(x):
        s = 0.0
        for k in range(4):
            s = s + x if k % 2 else np.sum(s) * x[0]
        return np.sum(s)

    with pytest.raises(UnsupportedSyntax, match=re.escape("the variable 's' is an array of float64 with 1 axis")):
        srcad.grad(in_turn, jit=False)(X)


def test_a_loop_that_gives_a_name_another_type_in_each_iteration_is_not_peeled_for_ever():
    def f(x, n):
        shape = x.shape
        for _ in range(n):
            shape = shape + x.shape
        return np.sum(x) * len(shape)

    with pytest.warns(srcad.PerformanceWarning, match="runs uncompiled"):
        assert np.array_equal(srcad.grad(f)(np.ones(2), 3), [4.0, 4.0])
