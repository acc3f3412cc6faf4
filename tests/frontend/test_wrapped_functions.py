"""Wrappers that decorators make: they take the arguments of the function that they wrap."""

import functools

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.frontend.wrapped_functions import plain_signature
from tests.checking import assert_gradient

X = np.array([0.5, -1.5, 2.0])


def handing_on(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 3.0 * function(*args, **kwargs)

    return wrapper


def without_keywords(function):
    @functools.wraps(function)
    def wrapper(first, *others):
        return function(first, *others) + first

    return wrapper


def looking_into(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * len(args)

    return wrapper


def dropping_keywords(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args)

    return wrapper


def plain(x, k=2, *, scale=1.0):
    return np.sum(scale * x**k)


def of_two(a, b=0.5):
    return a * b


@pytest.mark.parametrize(
    ("wrapper", "signature"),
    [
        (handing_on(plain), "(x, k=2, *, scale=1.0)"),
        (without_keywords(of_two), "(first, b=0.5)"),
        (handing_on(handing_on(of_two)), "(a, b=0.5)"),
        (of_two, "(a, b=0.5)"),
    ],
)
def test_the_signature_is_that_of_the_wrapped_function(wrapper, signature):
    assert str(plain_signature(wrapper)) == signature


def test_arguments_by_place_and_by_name_give_the_same():
    wrapper = handing_on(plain)
    by_place = srcad.grad(wrapper, jit=False)(X, 3)
    assert by_place == pytest.approx(9 * X**2)
    assert srcad.grad(wrapper, jit=False)(X, k=3) == pytest.approx(by_place)
    assert srcad.grad(wrapper, wrt="x", jit=False)(X, scale=2.0) == pytest.approx(12 * X)


def test_several_arguments_are_differentiated():
    assert_gradient(without_keywords(of_two), 0.7, 1.2, wrt=(0, 1))


def test_methods_are_wrapped_as_well():
    class Model:
        def __init__(self, weight):
            self.weight = weight

        @handing_on
        def loss(self, x):
            return self.weight * np.sum(x**2)

    assert srcad.grad(Model(0.5).loss, jit=False)(X) == pytest.approx(3 * X)


@pytest.mark.parametrize("decorator", [looking_into, dropping_keywords])
def test_wrappers_to_which_it_matters_how_arguments_are_passed_are_refused(decorator):
    with pytest.raises(UnsupportedSyntax, match=r"is wrapped by a decorator(.|\n)*__wrapped__"):
        srcad.grad(decorator(plain), jit=False)(X)


def test_a_parameter_with_the_name_of_a_captured_object_is_refused():
    def named_alike(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args)

        return wrapper

    def of_function(function):
        return function**2

    with pytest.raises(UnsupportedSyntax, match="is wrapped by a decorator"):
        srcad.grad(named_alike(of_function), jit=False)(2.0)
