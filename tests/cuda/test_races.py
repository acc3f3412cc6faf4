"""Kernels that are refused for races and barriers, and kernels like them that are not."""

import pytest
from numba import cuda, float64
from numba import types as nb

from srcad.cuda.adjoint_text import written
from srcad.cuda.kernel_source import read_kernel
from srcad.errors import UnsupportedSyntax

ARRAY, TABLE = nb.float64[:], nb.int64[:]


@cuda.jit
def scattered(x, index, y):
    i = cuda.grid(1)
    if i < x.size:
        y[index[i]] = x[i]


@cuda.jit
def shifted(x, index, y):
    i = cuda.grid(1)
    if 0 < i < x.size:
        y[i] = x[i]
        x[i - 1] = 2.0


@cuda.jit
def neighbour(x, index, y):
    i = cuda.grid(1)
    if 0 < i < x.size:
        y[i] = y[i - 1] * x[i]


@cuda.jit
def one_for_all(x, index, y):
    i = cuda.grid(1)
    y[0] = x[i]


@cuda.jit
def plain_sum(x, index, y):
    i = cuda.grid(1)
    y[index[0]] += x[i]


@cuda.jit
def read_and_added(x, index, y):
    i = cuda.grid(1)
    cuda.atomic.add(y, index[i], x[i] * y[i])


@cuda.jit
def two_guards(x, index, y):
    t = cuda.threadIdx.x
    if t == 0:
        y[0] = x[0]
    if t == 1:
        y[0] = x[1]


@cuda.jit
def no_barrier(x, index, y):
    part = cuda.shared.array(8, float64)
    t = cuda.threadIdx.x
    part[t] = x[t]
    y[t] = part[7 - t]


@cuda.jit
def barrier_after_the_branch(x, index, y):
    part = cuda.shared.array(8, float64)
    t = cuda.threadIdx.x
    for k in range(3):
        part[t] = x[t] * k
        cuda.syncthreads()
        y[t] = part[7 - t]


@cuda.jit
def overlapping_halves(x, index, y):
    part = cuda.shared.array(8, float64)
    t = cuda.threadIdx.x
    part[t] = x[t]
    cuda.syncthreads()
    s = 2
    if t <= s:
        part[t] += part[t + s]
    cuda.syncthreads()
    y[t] = part[t]


@cuda.jit
def named_like_a_place(x, index, y):
    i = cuda.grid(1)
    thread_x = index[0]
    y[thread_x] = x[i]


REFUSED = (
    *(scattered, shifted, neighbour, one_for_all, plain_sum, read_and_added, two_guards, no_barrier),
    *(barrier_after_the_branch, overlapping_halves, named_like_a_place),
)


def derived(kernel, **options):
    return written(read_kernel(kernel), (ARRAY, TABLE, ARRAY), (0, 2), options.get("race_free", False))


@pytest.mark.parametrize("kernel", REFUSED, ids=lambda k: k.py_func.__name__)
def test_what_may_be_a_race_is_refused_with_its_place(kernel):
    with pytest.raises(UnsupportedSyntax, match="two threads never reach the same element") as refused:
        derived(kernel)
    assert "race_free=True" in refused.value.hint
    assert refused.value.at.file == __file__


def test_what_is_said_to_have_no_race_is_differentiated():
    assert "y_bar[t4] = 0.0" in derived(scattered, race_free=True).text


@cuda.jit
def half_a_barrier(x, index, y):
    i = cuda.grid(1)
    if i < x.size:
        cuda.syncthreads()
        y[i] = x[i]


@cuda.jit
def unequal_loops(x, index, y):
    i = cuda.grid(1)
    for _ in range(index[i]):
        cuda.syncthreads()
    y[i] = x[i]


@cuda.jit
def after_a_return(x, index, y):
    i = cuda.grid(1)
    if i >= x.size:
        return
    cuda.syncthreads()
    y[i] = x[i]


@pytest.mark.parametrize("kernel", [half_a_barrier, unequal_loops, after_a_return], ids=lambda k: k.py_func.__name__)
def test_a_barrier_that_not_all_threads_reach_is_refused(kernel):
    with pytest.raises(UnsupportedSyntax, match="under a condition that differs between threads"):
        derived(kernel)


@cuda.jit
def equal_loops(x, index, y):
    i = cuda.grid(1)
    for _ in range(index[0]):
        cuda.syncthreads()
    if i < x.size:
        y[i] = x[i]
        if index[0] > cuda.blockIdx.x:
            y[i] = 2.0 * x[i]


@cuda.jit
def same_for_all(x, index, y):
    y[index[0]] = x[0]


def test_a_kernel_that_does_not_tell_threads_apart_may_have_one_only():
    assert derived(same_for_all).axes == frozenset()


def test_a_barrier_under_a_condition_that_a_block_shares_is_not():
    assert derived(equal_loops).axes == {"block.x", "thread.x"}


@cuda.jit
def by_hand(x, index, y):
    i = cuda.threadIdx.x + cuda.blockDim.x * cuda.blockIdx.x
    if i < x.size:
        y[3 * i + 1] = x[i] * x[2 * i]


@cuda.jit
def by_block(x, index, y):
    if cuda.threadIdx.x == 0:
        y[cuda.blockIdx.x] = x[cuda.blockIdx.x]


@pytest.mark.parametrize("kernel", [by_hand, by_block], ids=lambda k: k.py_func.__name__)
def test_writes_of_a_thread_to_elements_of_its_own_are_seen(kernel):
    assert derived(kernel).axes == {"block.x", "thread.x"}


def test_elements_that_other_threads_read_are_added_to_by_atomic_operations():
    text = derived(by_hand).text
    assert text.count("cuda.atomic.add(x_bar") == 2
    assert "cuda.atomic.add" not in derived(by_block).text
