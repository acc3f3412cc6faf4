"""Loops over reversible steps, against the same loops with traces."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax, WrongRule
from tests.transforms.checkpointing.test_loop_outlining import bytes_in, module_of, peak

X = np.array([1.0, 0.5, 0.7])


def forth(x, v, k):
    v = v - 0.1 * k * np.sin(x)
    return x + 0.1 * v, v


def back(x, v, k):
    x = x - 0.1 * v
    return x, v + 0.1 * k * np.sin(x)


def in_place(u, v, k):
    for j in range(u.shape[0]):
        v[j] -= 0.1 * k * np.sin(u[j]) * u[j - 1]
    for j in range(u.shape[0]):
        u[j] += 0.1 * v[j]


def in_place_back(u, v, k):
    for j in range(u.shape[0]):
        u[j] -= 0.1 * v[j]
    for j in range(u.shape[0]):
        v[j] += 0.1 * k * np.sin(u[j]) * u[j - 1]


@srcad.reversible(back)
def step(x, v, k):
    return forth(x, v, k)


@srcad.reversible(in_place_back)
def step_in_place(u, v, k):
    in_place(u, v, k)


def summed(step, x, k, n):
    v, total, path = x * 0.0, 0.0, np.zeros(n)
    for i in range(n):
        x, v = step(x, v, k * (i + 1.0))
        path[i] = np.sum(x) + total
        if i % 3 == 1:
            total -= np.sum(x * v)
            continue
        total += np.sum(x)
    return np.sum(x * x) + total + np.sum(path)


def left_early(step, x, k, n):
    u, v, t, path = x.copy(), np.zeros(x.shape[0]), 0, np.zeros(1)
    while t < n and u[0] > 0.6:
        step(u, v, k)
        path[0] += u[1]
        t += 1
    return np.sum(u * u * v) + path[0] * path[0]


def backwards(step, x, k, n):
    v = np.zeros(x.shape[0])
    for row in reversed(np.outer(x, x)):
        for i in range(n, 0, -2):
            x, v = step(x, v, k * i)
        v = v + row
    return np.sum(x * v)


CASES = [
    (summed, step, forth, 1.0),
    (summed, step, forth, X),
    (left_early, step_in_place, in_place, X),
    (backwards, step, forth, X),
]


def with_step(function, step):
    return lambda x, k, n: function(step, x, k, n)


@pytest.mark.parametrize(("function", "given", "plain", "x"), CASES)
def test_gradients_are_those_of_loops_with_traces(function, given, plain, x):
    both = [srcad.value_and_grad(with_step(function, each), wrt=(0, 1), jit=False) for each in (given, plain)]
    for n in (0, 1, 12):
        ours, theirs = (each(x, 2.0, n) for each in both)
        assert ours[0] == theirs[0]
        for one, other in zip(ours[1], theirs[1], strict=True):
            assert one == pytest.approx(other, rel=1e-11, abs=1e-12)


def first(x, k, n):
    return summed(step, x, k, n) * k


def first_plain(x, k, n):
    return summed(forth, x, k, n) * k


@pytest.mark.compiled
def test_compiled_gradients_are_those_of_loops_with_traces():
    ours, theirs = (srcad.grad(each, wrt=(0, 1))(X, 2.0, 12) for each in (first, first_plain))
    assert np.allclose(ours[0], theirs[0], rtol=1e-11)
    assert ours[1] == pytest.approx(theirs[1], rel=1e-11)


def test_second_derivatives_and_tangents_are_right():
    expected = srcad.hvp(first_plain, jit=False)(X, 2.0, 7, X)
    assert srcad.hvp(first, jit=False)(X, 2.0, 7, X) == pytest.approx(expected, rel=1e-10)
    ours, theirs = (srcad.jvp(each, (X, 2.0, 7), (X, 1.0, None), jit=False)[1] for each in (first, first_plain))
    assert ours == pytest.approx(theirs, rel=1e-13)


def test_one_trace_serves_many_cotangents():
    _, pullback = srcad.vjp(first, X, 2.0, 7, jit=False)
    one = pullback(1.0)[0]
    assert pullback(2.0)[0] == pytest.approx(2.0 * one, rel=1e-15)


def test_memory_does_not_grow_with_the_number_of_iterations():
    def walk(x, n):
        v = x * 0.0
        for _ in range(n):
            x, v = step(x, v, 2.0)
        return np.sum(x * v)

    gradient, x = srcad.grad(walk, jit=False), np.linspace(0.1, 1.0, 2000)
    gradient(x, 2)
    few, many = peak(gradient, x, 5), peak(gradient, x, 200)
    assert many < 1.1 * few
    forward = module_of(walk, "reverse", x, 5)["walk_forward"]
    assert bytes_in(forward(x, 500)[1]) < 10 * x.nbytes


# What is refused, or found at run time


@srcad.reversible(lambda x, k: x - 0.1 * k * k)
def wrong_unless_one(x, k):
    return x + 0.1 * k


@srcad.reversible(lambda x, k: np.sqrt(x / k))
def squared(x, k):
    return x * x * k


def over(step):
    def walk(x, k, n):
        for _ in range(n):
            x = step(x, k)
        return x * x

    return walk


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_an_inverse_that_does_not_recover_the_state_is_an_error_at_the_loop(jit):
    gradient = srcad.grad(over(wrong_unless_one), jit=jit)
    assert gradient(1.0, 1.0, 3) == pytest.approx(2.6, rel=1e-14)
    with pytest.raises(WrongRule, match=r"test_reversible_steps.py:\d+: the inverse of this loop's"):
        gradient(1.0, 2.0, 3)


@pytest.mark.parametrize("x", [np.nan, -1.1])
def test_an_inverse_that_finds_no_number_or_another_state_is_an_error(x):
    assert srcad.grad(over(squared), jit=False)(1.1, 1.0, 3) == pytest.approx(16.0 * 1.1**15, rel=1e-12)
    with pytest.raises(WrongRule, match="does not recover"):
        srcad.grad(over(squared), jit=False)(x, 1.0, 3)


def flipped(x, k, n):
    v = 0.0
    for _ in range(n):
        x, v = step(x, v, k)
        v = -v
    return x + v


def test_a_state_that_something_else_changes_is_an_error_even_if_it_comes_back():
    for n in (1, 2, 4):
        with pytest.raises(WrongRule, match="does not recover"):
            srcad.grad(flipped, jit=False)(1.0, 2.0, n)


def multiplied(x, k, n):
    c = 1.0
    for _ in range(n):
        x = wrong_unless_one(x, k)
        c = c * x
    return c


def of_own_parameter(x, k, n):
    rate = k
    for _ in range(n):
        rate = rate * 1.01
        x = wrong_unless_one(x, rate)
    return x


def branching(x, k, n):
    c = 0.0
    for _ in range(n):
        x = wrong_unless_one(x, k)
        c += x * x if c < 1.0 else x
    return c


def counted(x, k, n):
    i, c = 0, 0.0
    while i < n:
        x = wrong_unless_one(x, k)
        c += x * i
        i += 1
    return c


@pytest.mark.parametrize(
    ("function", "name"), [(multiplied, "c"), (of_own_parameter, "rate"), (branching, "c"), (counted, "i")]
)
def test_values_that_the_inverse_does_not_recover_are_refused_where_they_are_needed(function, name):
    with pytest.raises(UnsupportedSyntax, match=f"needs `{name}` as it was"):
        srcad.grad(function, jit=False)(1.0, 1.0, 3)
