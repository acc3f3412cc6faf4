"""Parts of a range that threads take, and the loop's text."""

import threading

import numpy as np
import pytest

import srcad
from srcad.batching.element_loop import share_out, thread_count
from srcad.runtime.jit.machine_code import MachineCode


def test_all_elements_are_done_once():
    done, lock = [], threading.Lock()

    def work(first, last):
        with lock:
            done.extend(range(first, last))

    share_out(work, 3, 1000, 4)
    assert sorted(done) == list(range(3, 1000))
    assert thread_count() >= 1


@pytest.mark.parametrize("workers", [1, 3])
def test_the_first_exception_is_raised(workers):
    def work(first, last):
        for k in range(first, last):
            if k in (40, 700):
                raise ValueError(k)

    with pytest.raises(ValueError, match="40"):
        share_out(work, 0, 1000, workers)


def doubled(x):
    return x * 2.0


@pytest.mark.compiled
def test_machine_code_of_a_loop_is_kept_on_disk():
    mapped = srcad.vmap(doubled)
    assert mapped(np.arange(3.0)).tolist() == [0.0, 2.0, 4.0]
    (loop,) = mapped._loops.values()
    sweep = loop._loop._sweep
    (signature,) = sweep.overloads
    assert isinstance(sweep._cache, MachineCode)
    assert sweep._cache.holds(signature)


def shifted(x, k):
    return np.sum((x + k) ** 2)


@pytest.mark.nightly
@pytest.mark.compiled
def test_arrays_that_broadcast_have_the_loop_made_again():
    rows, same, one = np.arange(6.0).reshape(2, 3), np.ones((2, 3)), np.ones((2, 1))
    mapped = srcad.vmap(srcad.grad(shifted, wrt=(0, 1)))
    for k in (same, one, same):
        of_x, of_k = mapped(rows, k)
        np.testing.assert_allclose(of_x, 2.0 * (rows + k))
        expected = 2.0 * (rows + k)
        np.testing.assert_allclose(of_k, expected.sum(1, keepdims=True) if k is one else expected)
