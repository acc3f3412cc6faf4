"""Arguments that are broadcast are seen in the call, and code is made for them at once."""

import numba
import numpy as np
import pytest

import srcad
from srcad.driver.broadcast_arguments import broadcast_axes
from srcad.driver.version import Request, Version

RANDOM = np.random.default_rng(5)


def normal(*shape):
    return RANDOM.normal(size=shape)


def masses(m, p):
    """Pairs of columns, as in codes for many bodies."""
    return np.sum(m * m.T * np.exp(p[:, 0:1] - p[:, 1:2].T))


def by_complex_steps(args, place):
    found = np.zeros(args[place].shape)
    for index in np.ndindex(found.shape):
        moved = [each.astype(complex) for each in args]
        moved[place][index] += 1e-30j
        found[index] = masses(*moved).imag / 1e-30
    return found


TEXT = """
def f(x, y, k):
    x_shape = x.shape
    n = x_shape[0]
    m = x_shape[1]
    kernels.same_extent(n, y.shape[0])
    if k > 0:
        kernels.same_extent(n, 100)
    l = 3
    for i in range(n):
        l = l + 1
    kernels.same_extent(l, n)
    kernels.same_extent(m, np.sin(y).shape[0])
    kernels.unit_extent(m)
"""


def test_checks_that_follow_from_shapes_are_evaluated_and_others_are_not():
    assert broadcast_axes(TEXT, "f", (np.ones((3, 1)), np.ones(3), 1)) == (True, set())
    assert broadcast_axes(TEXT, "f", (np.ones((3, 1)), np.ones(1), 1)) == (False, {("y", 0)})
    assert broadcast_axes(TEXT, "f", (np.ones((1, 1)), np.ones(3), 1)) == (False, {("x", 0)})
    assert broadcast_axes(TEXT, "f", (np.ones((3, 2)), np.ones(3), 1)) == (False, set())
    assert broadcast_axes(TEXT, "f", (np.ones((3, 1)), np.ones(2), 1)) == (False, set())


def version_for(*args):
    version = Version(masses, Request("grad", (0, 1), True))
    kinds = tuple(map(numba.typeof, args))
    return version, version.suit(kinds, args), version.generated(kinds)


def test_a_version_suits_a_column_and_keeps_its_assumptions():
    version, changed, generated = version_for(normal(5, 1), normal(5, 2))
    assert (changed, version.assumes, version.units) == (True, True, {("m", 1)})
    assert "kernels.unit_extent(m" in generated.text
    assert "expand" not in generated.text


def test_arguments_that_are_not_broadcast_change_nothing():
    version, changed, _ = version_for(normal(3, 3), normal(3, 2))
    assert (changed, version.assumes, version.units) == (False, True, frozenset())


@pytest.mark.compiled
def test_columns_squares_and_rows_have_right_gradients_in_any_order():
    """A first call with a column ran twice the time that compiling takes, and slow code after that."""
    gradient = srcad.grad(masses, wrt=(0, 1))
    for args in (
        *((normal(5, 1), normal(5, 2)), (normal(7, 1), normal(7, 3)), (normal(1, 1), normal(1, 2))),
        *((normal(4, 4), normal(4, 2)), (normal(1, 3), normal(3, 2)), (normal(3, 1), normal(3, 2))),
    ):
        for place, found in enumerate(gradient(*args)):
            np.testing.assert_allclose(found, by_complex_steps(args, place), rtol=1e-10)
