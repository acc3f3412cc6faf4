"""Axes in another order, as in NumPy, from a few instructions."""

import itertools

import numpy as np
import pytest
from numba import njit

import srcad.runtime.kernels.overloads  # noqa: F401 - Numba before 0.62 has no np.moveaxis of its own
from srcad.runtime.jit.fast_compiler_pipeline import Quick

CUBE = np.arange(24.0).reshape(2, 3, 4)[:, ::-1]


def compiled(function):
    return njit(pipeline_class=Quick)(function)


def same_view(found, expected, base):
    np.testing.assert_array_equal(found, expected)
    assert found.shape == expected.shape
    assert found.strides == expected.strides
    assert np.shares_memory(found, base)


@compiled
def transposed(a, axes):
    return np.transpose(a, axes)


@compiled
def swapped(a, i, j):
    return np.swapaxes(a, i, j)


@compiled
def moved(a, i, j):
    return np.moveaxis(a, i, j)


def test_transpose():
    for axes in itertools.permutations(range(3)):
        same_view(transposed(CUBE, axes), np.transpose(CUBE, axes), CUBE)
    same_view(transposed(CUBE, (-1, 0, -2)), np.transpose(CUBE, (-1, 0, -2)), CUBE)


@pytest.mark.parametrize("pair", [*itertools.product(range(-3, 3), repeat=2)])
def test_swapaxes_and_moveaxis(pair):
    same_view(swapped(CUBE, *pair), np.swapaxes(CUBE, *pair), CUBE)
    same_view(moved(CUBE, *pair), np.moveaxis(CUBE, *pair), CUBE)


def test_vectors_and_elements_of_other_types():
    ints = np.arange(6)
    same_view(moved(ints, 0, -1), np.moveaxis(ints, 0, -1), ints)
    flags = np.ones((2, 3), np.bool_)
    same_view(swapped(flags, 0, 1), np.swapaxes(flags, 0, 1), flags)


@pytest.mark.parametrize("axes", [(0, 0, 1), (0, 1, 3), (0, 1, -4)])
def test_orders_that_are_none(axes):
    with pytest.raises(ValueError, match="ax"):
        transposed(CUBE, axes)


@pytest.mark.parametrize("call", [swapped, moved])
def test_axes_that_the_array_does_not_have(call):
    with pytest.raises(ValueError, match="axis is out of bounds"):
        call(CUBE, 0, 3)
    with pytest.raises(ValueError, match="axis is out of bounds"):
        call(CUBE, -4, 0)


def turned(a):
    return np.transpose(a)


def test_what_is_left_to_numba():
    same_view(compiled(lambda a: np.moveaxis(a, (0, 1), (1, 2)))(CUBE), np.moveaxis(CUBE, (0, 1), (1, 2)), CUBE)
    same_view(compiled(turned)(CUBE), np.transpose(CUBE), CUBE)


def test_the_view_keeps_the_memory():
    @compiled
    def fresh(n):
        return np.swapaxes(np.ones((n, 2)), 0, 1)

    assert fresh(3).sum() == 6.0


def test_one_function_is_compiled():
    text = next(iter(transposed.inspect_llvm().values()))
    assert sum(line.startswith("define") for line in text.splitlines()) <= 5
