"""Iterations of parallel loops are shared out where that is right, in any order and any number of parts."""

import functools
import random
import re

import numba
import numpy as np
import pytest
from numba import njit, prange, typeof

import srcad
from srcad.driver import pipeline
from srcad.runtime import kernels
from tests.checking import slope
from tests.differences import own_copy
from tests.programs import parallel

X = np.array([0.3, -0.7, 0.9, 0.2, -0.4, 1.1])


@functools.cache
def derived(function, mode, is_parallel=True, loops=True, boundscheck=None):
    """The generated module of a function of X compiled with `parallel=True`, or without; and all that it is given."""
    unit = pipeline.prepare(njit(parallel=True)(function) if is_parallel else function)
    given = (X, *(capture.read() for capture in unit.hidden))
    kinds = [typeof(each) for each in given]
    return pipeline.derive(unit, mode, (0,), kinds, tuple_result=True, loops=loops, boundscheck=boundscheck), given


class OneByOne:
    """The kernels, with as many parts as there can be."""

    def __getattr__(self, name):
        return getattr(kernels, name)

    def parts(self, start, stop, step, width, shared, weight):
        count = kernels.trip_count(start, stop, step)
        return min(count, max(1, count // (width + 1)))


def in_any_order(count):
    order = list(range(count))
    random.Random(3).shuffle(order)
    return order if order != sorted(order) else order[::-1]


def functions(made, one_by_one=True):
    """The generated functions, run by Python: each iteration a part of its own, in an order that no one expects."""
    namespace = dict(made.bindings)
    exec(compile(made.text, "<generated>", "exec"), namespace)
    if one_by_one:
        namespace.update(kernels=OneByOne(), prange=in_any_order)
    return [namespace[name] for name in made.functions]


def loops_shared(text):
    return len(re.findall(r"^ +for \w+ in prange\(", text, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.parametrize("function", [*parallel.SHARED, *parallel.SHARED_IN_ONE_PIECE, *parallel.SERIAL])
def test_gradients_are_right_in_any_order_of_parts(function):
    direction = np.random.default_rng(0).normal(size=X.shape)
    expected, _ = slope(function, (X,), {0: direction}, 1.0)
    for one_by_one in (True, False):
        made, given = derived(function, "value_and_grad")
        value, (gradient,) = functions(made, one_by_one)[0](*map(own_copy, given))
        assert value == pytest.approx(function(X.copy()), rel=1e-12)
        assert gradient @ direction == pytest.approx(expected, rel=1e-6)
        made, given = derived(function, "vjp")
        forward, reverse = functions(made, one_by_one)
        value, trace = forward(*map(own_copy, given))
        assert value == pytest.approx(function(X.copy()), rel=1e-12)
        (gradient,) = reverse(*map(own_copy, given), trace, 1.0)
        assert gradient @ direction == pytest.approx(expected, rel=1e-6)
        made, given = derived(function, "tangent")
        _, change = functions(made, one_by_one)[0](*map(own_copy, given), direction)
        assert change == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("function", parallel.SHARED)
def test_loops_of_independent_iterations_are_shared_out_forwards_and_in_reverse(function):
    count = {"steps_in_time": 2, "until_small": 2}.get(function.__name__, 1)
    made, _ = derived(function, "grad")
    assert loops_shared(made.text) >= count
    made, _ = derived(function, "vjp")
    assert loops_shared(made.text) >= 2 * count
    made, _ = derived(function, "tangent")
    assert loops_shared(made.text) >= count


@pytest.mark.parametrize("function", parallel.SHARED_IN_ONE_PIECE)
def test_loops_of_which_more_must_be_kept_are_shared_out_where_nothing_is(function):
    made, _ = derived(function, "grad")
    assert loops_shared(made.text) == 1


@pytest.mark.parametrize("function", parallel.SERIAL)
def test_loops_that_pass_something_on_are_not(function):
    for mode in ("grad", "vjp"):
        made, _ = derived(function, mode, boundscheck=False)  # else a loop of checks may be left, which is shared
        assert loops_shared(made.text) == 0


def statements_of_arrays(x):
    u = np.sin(x) * x
    u[1:] += u[:-1] * x[0]
    return np.sum(np.exp(-u) * u * x)


def test_array_statements_are_shared_out_where_numba_would():
    made, given = derived(statements_of_arrays, "grad")
    assert loops_shared(made.text) >= 1
    assert loops_shared(derived(statements_of_arrays, "grad", is_parallel=False)[0].text) == 0
    direction = np.random.default_rng(0).normal(size=X.shape)
    (gradient,) = functions(made)[0](*map(own_copy, given))
    assert gradient @ direction == pytest.approx(slope(statements_of_arrays, (X,), {0: direction}, 1.0)[0], rel=1e-6)


def test_what_is_generated_for_threads_is_not_what_is_generated_without():
    serial, shared = statements_of_arrays, njit(parallel=True)(statements_of_arrays)
    assert srcad.source(serial, "grad", args=(X,)) != srcad.source(shared, "grad", args=(X,))


def test_only_what_is_compiled_in_parallel_is_run_in_parallel():
    function = parallel.sum_on_some_paths
    assert loops_shared(derived(function, "grad")[0].text) > 0
    assert loops_shared(derived(function, "grad", is_parallel=False)[0].text) == 0
    assert loops_shared(derived(function, "grad", loops=False)[0].text) == 0


def blurred(x, k):
    """Shared weights, neighbours, a sum, a product, an inner loop; fails for what is not positive."""
    y = np.zeros(x.shape[0])
    total, most, product = 0.0, 0.0, 1.0
    for i in prange(1, x.shape[0] - 1):
        if x[i] <= 0.0:
            raise ValueError("not positive")
        a = k[0] * x[i - 1] + k[1] * x[i] + k[2] * x[i + 1]
        for j in range(3):
            a = np.sin(a + k[j])
        y[i] = a
        total += a * x[i]
        most = max(most, a)
        product *= 1.0 + a / x.shape[0]
    return total + np.sum(y * y) * product + most


@pytest.fixture(scope="module")
def compiled_gradient():
    return srcad.grad(njit(parallel=True)(blurred), wrt=(0, 1))


@pytest.mark.compiled
def test_gradients_in_parallel_are_the_same_in_every_run_on_any_number_of_threads(compiled_gradient):
    x, k = np.random.default_rng(1).uniform(0.1, 1.0, 5003), np.array([0.3, 0.5, 0.1])
    first = compiled_gradient(x, k)
    for threads in (1, numba.get_num_threads()):
        before = numba.get_num_threads()
        numba.set_num_threads(threads)
        try:
            for _ in range(10):
                for found, expected in zip(compiled_gradient(x, k), first, strict=True):
                    assert np.array_equal(found, expected)
        finally:
            numba.set_num_threads(before)
    for found, expected in zip(srcad.grad(blurred, wrt=(0, 1), jit=False)(x, k), first, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("place", [1, 2500, 5001])
def test_an_exception_in_one_iteration_is_raised(compiled_gradient, place):
    x = np.ones(5003)
    x[place] = -1.0
    with pytest.raises(ValueError, match="not positive"):
        compiled_gradient(x, np.ones(3))
    x[place] = 1.0
    assert np.all(np.isfinite(compiled_gradient(x, np.ones(3))[0]))


@njit(parallel=True)
def shaped(x):
    a = x.reshape(3, -1)
    y = np.zeros(a.shape)
    for i in prange(a.shape[0]):
        for j in prange(a.shape[1]):
            y[i, j] = np.exp(np.sin(a[i, j]))
    return np.sum(y * y)


def test_what_a_loop_reads_of_a_trace_is_passed_by_itself():
    """Numba runs nothing in parallel that is given a tuple with a tuple in it, here the trace with the shape of `a`."""
    text = str(srcad.source(shaped, "vjp", args=(np.linspace(0.0, 1.0, 6),)))
    given = next(line for line in text.splitlines() if line.startswith("def shaped_reverse_parts("))
    assert "trace," not in given
    assert "trace_" in given
