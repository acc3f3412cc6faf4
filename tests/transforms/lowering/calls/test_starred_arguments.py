"""What `*` and `**` stand for, of arrays as well."""

from typing import NamedTuple

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.45, 0.8, 0.3])


def model(t, a, b, c=1.0):
    return a * np.exp(-b * t) * c


def triple(a, b, c):
    return a * b + np.sin(c)


def total(*values, **options):
    return sum(values) * options.get("scale", 1.0) + len(values)


def outermost(*values):
    return values[0] * values[-1]


def of_arrays(x):
    rows = np.outer(x, x)
    pair = (x[0], x[1])
    first, *rest = (*pair, x[2])
    s = triple(*x) + triple(*x[:2], x[2]) + triple(x[0], *x[1:]) + triple(*x[-3:]) + triple(*np.sin(x))
    s += sum(triple(*row[:3]) for row in rows) + np.hypot(*x[:2]) + total(*x[1:3], *rest, scale=x[0])
    s += triple(*(2.0 * v for v in x[:3])) + outermost(*pair, *x[:2]) + np.array([*x[:2], first])[1]
    return s + model(x[0], *x[1:3]) + model(*pair[::-1], b=x[2], c=x[0])


@pytest.mark.slow
def test_arrays_of_known_length_are_arguments():
    assert_gradient(of_arrays, X, modes=["arrays", "tangent", "gradient"])


@pytest.mark.parametrize("size", [2, 4])
def test_an_array_of_another_length_raises(size):
    with pytest.raises(TypeError, match="does not have 3 elements"):
        srcad.grad(lambda x: triple(*x), jit=False)(np.ones(size))
    with pytest.raises(TypeError):
        triple(*np.ones(size))


def test_how_many_there_are_may_follow_from_the_arguments():
    assert srcad.grad(lambda x: model(*np.sin(x)), jit=False)(X) == pytest.approx(srcad.grad(by_element, jit=False)(X))
    assert srcad.grad(lambda x: max(*x), jit=False)(X).tolist() == [0.0, 1.0, 0.0]


def by_element(x):
    y = np.sin(x)
    return model(y[0], y[1], y[2])


def test_how_many_there_are_has_to_be_known():
    found = lambda x: x[x > 0.0]  # noqa: E731 - in one line with its uses
    for function in (lambda x: max(*found(x)), lambda x: model(*found(x)), lambda x: total(*found(x))):
        with pytest.raises(UnsupportedSyntax, match="whose number of elements is not known"):
            srcad.grad(function, jit=False)(X)


@pytest.mark.parametrize(
    "number",
    [
        lambda x: list(x.shape) == x.shape,
        lambda x: (2,) + [*x.shape],
        lambda x: list(x.shape).append(3),
        lambda x: x[list(x.shape[1:])][0, 0],
    ],
)
def test_lists_of_extents_are_not_taken_for_tuples(number):
    with pytest.raises((TypeError, UnsupportedSyntax)):
        srcad.grad(lambda x: np.sum(x) * len(np.shape(number(x))), jit=False)(np.ones((2, 3)))


def test_a_list_of_extents_that_is_changed_is_refused():
    def f(x):
        shape = list(x.shape)
        same = shape
        same[0] = 1
        return np.sum(x[:1].reshape(shape))

    with pytest.raises(UnsupportedSyntax):
        srcad.grad(f, jit=False)(np.ones((2, 3)))


class Triple(NamedTuple):
    a: float
    b: float
    c: float


class Controller:
    def __init__(self, kp, ki, kd, limit=2.0):
        self.kp, self.ki, self.kd, self.limit = kp, ki, kd, limit


def test_constructors_take_as_many_as_they_have_parameters():
    def f(x):
        controller = Controller(*x, limit=3.0)
        return controller.kp**2 * controller.ki * controller.limit + np.sin(controller.kd)

    def g(x):
        return np.sum(np.array([*Triple(*x)]) ** 2)

    assert_gradient(f, X)
    assert_gradient(g, X)
    with pytest.raises(TypeError, match="does not have 3 elements"):
        srcad.grad(f, jit=False)(np.ones(4))
    assert srcad.grad(lambda x: Controller(*x).kp, jit=False)(X).tolist() == [1.0, 0.0, 0.0]  # with the default limit
    with pytest.raises(UnsupportedSyntax, match="whose number of elements is not known"):
        srcad.grad(lambda x: Controller(*x[x > 0.0]).kp, jit=False)(X)
