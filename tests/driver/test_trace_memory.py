"""What is said when there is no memory for a trace: how much it takes, for which lines, and what would help."""

import numpy as np
import pytest
from numba.core import types

import srcad
from srcad.driver.trace_memory import filled, sizes
from srcad.driver.version import Request, Version
from srcad.errors import TraceTooLarge


def decay(x, n):
    v = x
    for _ in range(n):
        v = v * np.sin(v)
    return v


def waves(x, n):
    u = x.copy()
    for _ in range(n):
        u = np.sin(u) * u
    return np.sum(u)


def tree_of(function, *kinds):
    return Version(function, Request("grad", (0,))).generated(kinds).made.functions[0]


def lines(function):
    return function.__code__.co_firstlineno


def test_the_size_of_a_trace_follows_from_the_arguments():
    tree = tree_of(decay, types.float64, types.int64)
    found = [size for _, size in sizes(tree, (0.5, 1000))]
    assert found
    assert set(found) == {8000}
    assert {place.line for place, _ in sizes(tree, (0.5, 1000))} <= {lines(decay) + 2, lines(decay) + 3}


def test_arrays_count_with_their_shape():
    tree = tree_of(waves, types.float64[::1], types.int64)
    found = [size for _, size in sizes(tree, (np.ones(7), 10))]
    assert found
    assert set(found) == {8 * 7 * 10, 8 * 7 * 11}  # a trace of the states has a row for the last one


def test_each_trace_has_the_line_whose_values_it_holds():
    places = dict(filled(tree_of(waves, types.float64[::1], types.int64)))
    assert places
    assert {place.line for place in places.values()} <= {lines(waves) + 2, lines(waves) + 3}


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
@pytest.mark.parametrize(("function", "argument"), [(decay, 0.5), (waves, np.ones(1000))])
def test_too_large_a_trace_is_told_with_its_lines(function, argument, jit):
    slope = srcad.grad(function, jit=jit)
    before = slope(argument, 3)
    with pytest.raises(
        TraceTooLarge, match=r"PiB for line \d+(.|\n)*srcad.checkpointed(.|\n)*max_trace_bytes"
    ) as caught:
        slope(argument, 10**15)
    assert isinstance(caught.value, MemoryError)
    assert caught.value.at.line >= lines(function)
    np.testing.assert_array_equal(slope(argument, 3), before)


def test_memory_of_the_function_itself_stays_its_own_error():
    def f(x, n):
        y = np.zeros(n)
        return np.sum(y) * x

    with pytest.raises(MemoryError) as caught:
        srcad.grad(f, jit=False)(2.0, 10**15)
    assert not isinstance(caught.value, TraceTooLarge)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_a_pullback_and_a_tape_tell_it_too(jit):
    with pytest.raises(TraceTooLarge, match="whose trace takes"):
        srcad.vjp(decay, 0.5, 10**15, jit=jit)
    x = srcad.constant(0.5)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(TraceTooLarge, match="whose trace takes"):
            srcad.function(decay, jit=jit)(x, 10**15)
