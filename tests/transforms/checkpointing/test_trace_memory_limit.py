import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, TraceTooLarge, UnsupportedSyntax
from tests.transforms.checkpointing.test_loop_outlining import bytes_in

X = np.array([0.3, 0.7, 0.4])


def two_loops(x, n):
    y = x * 1.0
    for _ in range(n):
        y = y + 0.1 * np.sin(y * x)
    s = 0.0
    for i in range(n):
        s = s * 0.9 + np.sin(s) * y[i % 3]
    return np.sum(y * y) + s


def one_in_another(x, n):
    s = 0.0
    for k in range(n):
        y = x[k % 3]
        for i in range(4):
            y = np.sin(y * x[i % 3]) * y
        s = s + y * s * 0.1 + y
    return s


def checkpointed_in_a_branch(x, n):
    y = x[0]
    if n > 2:
        for i in srcad.checkpointed(range(n), snapshots=50):
            y = y + 0.1 * np.sin(y * x[i % 3])
    return y


def linear(x, n):
    s = 0.0
    for i in range(n):
        s += 2.0 * x[i % 3]
    return s


def bound(function, most):
    return srcad.function(function, jit=False, max_trace_bytes=most)


@pytest.mark.parametrize("most", [600, 3000, 10**7])
@pytest.mark.parametrize("function", [two_loops, one_in_another, checkpointed_in_a_branch, linear])
def test_gradients_within_a_bound_are_the_same(function, most):
    expected = srcad.grad(function, jit=False)(X, 100)
    assert srcad.grad(bound(function, most), jit=False)(X, 100) == pytest.approx(expected, rel=1e-13)


@pytest.mark.slow
def test_second_derivatives_within_a_bound_are_the_same():
    expected = srcad.hvp(two_loops, jit=False)(X, 20, X)
    assert srcad.hvp(bound(two_loops, 2000), jit=False)(X, 20, X) == pytest.approx(expected, rel=1e-12)


def trace_of(function, most, *args):
    """The trace of the pair of a function, uncompiled."""
    from numba import typeof

    from srcad.driver import pipeline

    kinds = tuple(map(typeof, args))
    made = pipeline.derive(pipeline.prepare(function), "vjp", (0,), kinds, loops=False, max_trace_bytes=most)
    namespace = dict(made.bindings)
    exec(made.text, namespace)
    return namespace[made.functions[0]](*args)[1]


@pytest.mark.parametrize("most", [600, 3000, 20000])
def test_loops_keep_no_more_than_the_bound(most):
    trace = trace_of(two_loops, most, X, 1000)
    kept = sum(bytes_in(record) for records in trace.calls for record in records[1:])
    assert most / 2 < kept <= most


def test_tapes_keep_within_the_bound():
    v = srcad.Variable(X)
    with srcad.GradientTape() as tape:
        y = bound(two_loops, 2000)(v, 50)
    assert tape.gradient(y, v).numpy() == pytest.approx(srcad.grad(two_loops, jit=False)(X, 50), rel=1e-13)


def test_no_room_for_a_single_snapshot_is_said():
    with pytest.raises(TraceTooLarge, match="less than what a checkpointed loop keeps"):
        srcad.grad(bound(two_loops, 100), jit=False)(X, 100)


def test_a_state_that_grows_beyond_the_bound_is_said():
    def growing(x, n):
        y = x * 1.0
        for _ in range(n):
            y = np.concatenate((y, np.sin(y)))
        return np.sum(y * y)

    with pytest.raises(TraceTooLarge, match="has grown"):
        srcad.grad(bound(growing, 1000), jit=False)(X, 8)


def turns(x, n):
    i = 0
    while i < n:
        x = np.sin(x) * x * 0.3 + 0.5
        i += 1
    return x


def left_early(x, n):
    for _ in range(n):
        x = np.sin(x) * x * 0.3 + 0.5
        if x > 9.0:
            break
    return x


def power(x, n):
    return x if n < 1 else np.sin(power(x, n - 1)) * x


def recursive(x, n):
    return power(x, n)


@pytest.mark.parametrize("function", [turns, left_early])
def test_loops_of_unknown_length_keep_no_more_than_the_bound(function):
    for steps in (4, 200):
        expected = srcad.grad(function, jit=False)(3.5, steps)
        assert srcad.grad(bound(function, 800), jit=False)(3.5, steps) == pytest.approx(expected, rel=1e-12)
        trace = trace_of(function, 800, 3.5, steps)
        assert sum(bytes_in(record) for records in trace.calls for record in records[1:]) <= 800


def test_what_records_without_a_bound_is_refused():
    with pytest.raises(UnsupportedSyntax, match="max_trace_bytes cannot be kept"):
        srcad.grad(bound(recursive, 10**6), jit=False)(0.5, 4)


def test_bounds_are_numbers_of_bytes():
    with pytest.raises(BadArgument, match="-1"):
        bound(linear, -1)
    with pytest.raises(TypeError):
        bound(linear, 2.5)
