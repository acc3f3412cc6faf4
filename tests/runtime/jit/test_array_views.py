"""Views of arrays in other shapes, as in NumPy, from instructions; nothing is compiled for them."""

import itertools

import numpy as np
import pytest
from numba import njit
from numba.core import event

from srcad.runtime.jit.fast_compiler_pipeline import Quick

CUBE = np.arange(24.0).reshape(2, 3, 4)


@njit(pipeline_class=Quick)
def reshaped(a, shape):
    return np.reshape(a, shape)


@njit(pipeline_class=Quick)
def spread(a, shape):
    return np.broadcast_to(a, shape)


@njit(pipeline_class=Quick)
def common(one, two):
    return np.broadcast_shapes(one, two)


@njit(pipeline_class=Quick)
def packed(a):
    return np.ascontiguousarray(a)


def both(ours, theirs, *args):
    """What a function gives compiled and in NumPy; None for a ValueError."""
    found = []
    for each in (ours, theirs):
        try:
            found.append(each(*args))
        except ValueError:
            found.append(None)
    return found


def same(found, expected, base):
    assert (found is None) == (expected is None)
    if found is not None:
        np.testing.assert_array_equal(found, expected)
        assert found.shape == expected.shape
        assert found.flags.writeable == expected.flags.writeable
        assert np.shares_memory(found, base) == np.shares_memory(expected, base)


@pytest.mark.compiled
def test_reshape():
    for size, shape in itertools.product((24, 0), itertools.product((-1, 0, 2, 3, 12, 24), repeat=2)):
        a = np.arange(float(size))
        if -1 in shape and 0 in shape:  # Numba takes the extent for 0 where NumPy says that it could be any
            continue
        same(*both(reshaped, np.reshape, a, shape), a)
    for shape in ((24,), (2, -1, 3), (1, 24, 1), (-1,)):
        same(*both(reshaped, np.reshape, CUBE, shape), CUBE)
    same(reshaped(CUBE, -1), CUBE.reshape(-1), CUBE)
    assert reshaped(CUBE, 24).flags.c_contiguous
    assert reshaped(np.ones((1, 1)), ()).shape == ()


@pytest.mark.compiled
def test_broadcast_to():
    row = np.arange(3.0)
    for shape in itertools.product((-1, 0, 1, 3), (0, 1, 3, 4)):
        for a in (row, np.ones((1, 3))[:, ::-1], np.ones((3, 1))):
            same(*both(spread, np.broadcast_to, a, shape), a)
    assert spread(row, (2, 3)).strides == (0, 8)
    assert spread(np.array(2.0), (2,)).tolist() == [2.0, 2.0]


@pytest.mark.compiled
def test_broadcast_shapes():
    for one, two in itertools.product(itertools.product((0, 1, 2, 3), repeat=2), [(0,), (1,), (2,), (3,)]):
        for pair in ((one, two), (two, one)):
            found, expected = both(common, np.broadcast_shapes, *pair)
            assert found == expected, pair


@pytest.mark.compiled
def test_ascontiguousarray():
    for a in (CUBE, CUBE.T, CUBE[:, ::-1], CUBE[1:], CUBE[:, :1], CUBE[:0, ::2], CUBE[0, 0, ::2], CUBE.T[:1]):
        same(packed(a), np.ascontiguousarray(a), a)
        assert packed(a).flags.c_contiguous


@pytest.mark.compiled
def test_the_views_keep_the_memory_and_compile_nothing():
    @njit(pipeline_class=Quick)
    def made(n):
        x = np.reshape(np.zeros(2 * n), (2, n))
        y = np.asarray(np.ascontiguousarray(x.T))
        return np.broadcast_to(np.reshape(y, y.size), np.broadcast_shapes(x.shape, (2 * n,)))

    with event.install_recorder("numba:compile") as recorder:
        assert made(1).shape == (2, 2)
    compiled = [str(each.data["dispatcher"]) for _, each in recorder.buffer if each.is_start]
    assert len(compiled) == 1, compiled
