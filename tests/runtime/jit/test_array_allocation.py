"""New arrays as instructions are those that NumPy makes, errors included, and compile nothing."""

import numba
import numpy as np
import pytest
from numba.core import event

from srcad.runtime.jit.fast_compiler_pipeline import Quick

X = np.arange(12.0).reshape(4, 3)


@pytest.mark.compiled
def test_arrays_are_those_of_numpy():
    def forms(x, n):
        given = np.zeros(n), np.zeros((n, 2)), np.zeros(n, np.bool_), np.zeros(x.shape, "float32"), np.zeros((0, n))
        like = np.zeros_like(x), np.zeros_like(x.T), np.zeros_like(x[::2]), np.zeros_like(2.5), np.zeros_like(x[:0])
        unset = np.empty(n, np.int64), np.empty((n, n), float), np.empty(()), np.empty_like(x), np.empty_like(x.T)
        copies = np.copy(x), np.copy(x[::2]), np.copy(x.T), np.copy(x[:, 1])
        return given, like, unset, copies

    found, expected = numba.njit(pipeline_class=Quick)(forms)(X, 5), forms(X, 5)
    for kind, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        for a, b in zip(ours, theirs, strict=True):
            assert (a.shape, a.dtype, a.flags.writeable) == (b.shape, b.dtype, True)
            assert a.strides == b.strides or a.size == 0 or kind == 1
            assert kind == 2 or np.array_equal(a, b)


@pytest.mark.compiled
def test_a_copy_of_a_tuple_is_numbas():
    def copied(x):
        return np.copy((x, 2.5))

    try:
        expected = numba.njit(copied)(1.5)
    except UnboundLocalError:  # a mistake of Numba 0.61's, which copies arrays alone
        with pytest.raises(UnboundLocalError):
            numba.njit(pipeline_class=Quick)(copied)(1.5)
    else:
        assert numba.njit(pipeline_class=Quick)(copied)(1.5).tolist() == expected.tolist() == [1.5, 2.5]


@pytest.mark.compiled
def test_a_negative_size_raises_what_it_raised():
    @numba.njit(pipeline_class=Quick)
    def make(n):
        return np.zeros((2, n))

    assert make(0).shape == (2, 0)
    with pytest.raises(ValueError, match="negative dimensions not allowed"):
        make(-1)


@pytest.mark.compiled
def test_a_copy_shares_nothing_with_its_original():
    @numba.njit(pipeline_class=Quick)
    def changed(x):
        y = np.copy(x)
        y[0] = -1.0
        return y

    x = np.ones(3)
    assert changed(x).tolist() == [-1.0, 1.0, 1.0]
    assert x.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.compiled
def test_nothing_is_compiled_for_a_new_array():
    @numba.njit(pipeline_class=Quick)
    def make(x, n):
        return np.zeros_like(x), np.zeros(n), np.empty((n, n)), np.copy(x)

    with event.install_recorder("numba:compile") as recorder:
        make(X, 3)
    names = {each.data["dispatcher"].py_func.__qualname__ for _, each in recorder.buffer}
    own = test_nothing_is_compiled_for_a_new_array.__name__ + ".<locals>.make"
    assert own in names
    assert names == {own}
