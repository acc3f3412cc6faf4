"""What is made from a function is found again, and lives as long as the function."""

import functools
import gc
import pickle
import weakref

import numba
import numpy as np
import pytest

import srcad
from srcad.driver.memoisation import remembered


def cube(x):
    return x * x * x


def test_asking_again_gives_the_same_object():
    assert srcad.grad(cube) is srcad.grad(cube, wrt="x")
    assert srcad.grad(cube) is not srcad.grad(cube, jit=False)


@pytest.mark.slow
def test_a_function_with_its_data_is_not_kept_alive():
    def scaled(data):
        return lambda x: x * x * data[0]

    data = np.array([2.0, 3.0])
    seen = weakref.ref(data)
    assert srcad.grad(scaled(data))(3.0) == 12.0
    assert srcad.vjp(scaled(data), 3.0)[1](1.0) == (12.0,)
    del data
    gc.collect()
    assert seen() is None


def test_a_wrapper_does_not_inherit_what_was_made_from_the_function():
    srcad.grad(cube)(2.0)

    @functools.wraps(cube)
    def wrapper(x):
        return cube(x) * 2.0

    assert srcad.grad(wrapper)(2.0) == 24.0
    assert srcad.grad(numba.njit(cube)).function is not cube


def test_methods_are_told_apart_by_their_object():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        def apply(self, x):
            return self.factor * x

    two, three = Scale(2.0), Scale(3.0)
    assert [srcad.grad(each.apply)(1.0) for each in (two, three, two)] == [2.0, 3.0, 2.0]


def test_objects_that_cannot_be_hashed_are_served_without_memory():
    class Unhashable:
        __hash__ = None

        def __call__(self, x):
            return x

    assert remembered(Unhashable(), "key", list) == []


def test_a_function_with_something_made_can_still_be_pickled():
    srcad.grad(cube)
    assert pickle.loads(pickle.dumps(cube)) is cube
    assert pickle.loads(pickle.dumps(vars(cube))) == {"__srcad_made__": {}}


def test_a_function_that_is_given_other_code_or_defaults_is_made_anew():
    def total(x, k=2.0, *, m=1.0):
        return np.sum(x) * k * m

    def squares(x, k=2.0, *, m=1.0):
        return np.sum(x * x) * k * m

    x = np.array([1.0, 3.0])
    assert np.allclose(srcad.grad(total, jit=False)(x), 2.0)
    total.__defaults__ = (5.0,)
    assert np.allclose(srcad.grad(total, jit=False)(x), 5.0)
    total.__kwdefaults__ = {"m": 3.0}
    assert np.allclose(srcad.grad(total, jit=False)(x), 15.0)
    total.__code__ = squares.__code__
    assert np.allclose(srcad.grad(total, jit=False)(x), 30.0 * x)
