"""Loops over all unit directions give what single sweeps give."""

import numpy as np
import pytest

import srcad
from srcad.api import all_directions

SCALE = np.array([2.0, 3.0])
X = np.linspace(0.1, 1.0, 5)


def waves(x):
    y = np.empty((2, x.shape[0]))
    for i in range(x.shape[0]):
        y[0, i] = np.sin(x[i]) * x[i - 1] * SCALE[0]
        y[1, i] = x[i] ** 2
    return y


def power(x, n):
    return x if n == 0 else x * power(x, n - 1)


def recursive(x):
    y = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = power(x[i], min(i, 1))
    return y


def energy(x):
    return np.sum((x[1:] - x[:-1] ** 2) ** 2) + np.dot(x, x) ** 2


def roots_and_choices(x):
    y = np.zeros(3)
    for i in range(2):
        root = np.sqrt(x[i])
        for j in range(2):
            y[j] += max(root, x[j]) * x[1 - i]
    y[2] = x[0] * np.log(x[0] + (x[0] == 0.0))
    return y


def pair(x):
    return x * 2.0, x[0]


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(all_directions, "PAYS_AFTER", 0)


@pytest.mark.compiled
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_loop_gives_what_sweeps_give(mode, monkeypatch):
    jac, single = srcad.jacobian(waves, mode=mode), srcad.jacobian(waves, mode=mode, jit=False)
    for scale in (SCALE, np.array([5.0, 0.0])):
        monkeypatch.setitem(globals(), "SCALE", scale)
        found = jac(X)
        assert found.shape == (2, 5, 5)
        np.testing.assert_allclose(found, single(X), rtol=1e-14)
    assert jac._all_directions._in_lanes[1] is not None
    assert jac._all_directions._held is None


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("mode", ["reverse"])
def test_without_vector_mode_there_is_a_loop_of_single_sweeps(mode):
    jac = srcad.jacobian(recursive, mode=mode)
    np.testing.assert_allclose(jac(X), np.diag([1.0, *(2.0 * X[1:])]), rtol=1e-14)
    assert jac._all_directions._in_lanes[1] is None
    assert jac._all_directions._held[1] is not None


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.usefixtures("at_once")
def test_hessians_in_vector_mode():
    found = srcad.hessian(energy)(X)
    np.testing.assert_allclose(found, srcad.hessian(energy, jit=False)(X), rtol=1e-13)
    np.testing.assert_array_equal(srcad.jacobian(srcad.grad(energy))(X), found)


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.usefixtures("at_once")
def test_infinities_are_those_of_single_sweeps():
    point = np.array([0.0, 1.0])
    jac = srcad.jacobian(roots_and_choices, mode="reverse")
    np.testing.assert_array_equal(jac(point), srcad.jacobian(roots_and_choices, mode="reverse", jit=False)(point))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_tuples_and_uncompiled_sweeps_have_no_loop(mode):
    jac = srcad.jacobian(pair, mode=mode, jit=False)
    for block, expected in zip(jac(X), (2.0 * np.eye(5), np.eye(5)[0]), strict=True):
        np.testing.assert_array_equal(block, expected)
    assert jac._all_directions._held is None


def test_loops_are_compiled_after_as_much_time_as_that_takes():
    loops = all_directions.AllDirections(True)
    assert not loops.pays
    loops.spent = all_directions.PAYS_AFTER
    assert loops.pays
    uncompiled = all_directions.AllDirections(False)
    uncompiled.spent = 2.0 * all_directions.PAYS_AFTER
    assert not uncompiled.pays


def test_single_sweeps_stop_where_a_loop_has_been_compiled(monkeypatch):
    monkeypatch.setattr(all_directions, "PAYS_AFTER", 0.0)
    loops = all_directions.AllDirections(True)
    loops.spent = -1e-9  # one sweep takes longer
    sweeps = all_directions.SingleSweeps(loops, range(5), lambda: "all")
    assert list(sweeps) == [0]
    assert sweeps.found == "all"
    loops.spent = -1e-9
    sweeps = all_directions.SingleSweeps(loops, range(5), lambda: None)
    assert list(sweeps) == [0, 1, 2, 3, 4]
    assert sweeps.found is None


def beside(x, k):
    return np.sin(x + k) * x


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.usefixtures("at_once")
def test_arrays_that_broadcast_have_the_loop_made_again():
    jac = srcad.jacobian(beside, mode="forward")
    for k in (np.ones(5), np.ones(1), np.ones(5)):
        np.testing.assert_allclose(jac(X, k), np.diag(np.cos(X + k) * X + np.sin(X + k)), rtol=1e-14)
    assert jac._all_directions._in_lanes[1] is not None


class Slow:
    """A version whose sweeps in vector mode take longer than single ones did."""


def test_vector_mode_that_takes_longer_is_given_up(monkeypatch):
    loops, version = all_directions.AllDirections(True), Slow()
    monkeypatch.setattr(all_directions, "lanes_of", lambda *_: lambda *_: (np.ones((2, 2)),))
    loops.single = 0.0  # no single sweep has taken any time
    for k in range(all_directions._TRIED):
        assert loops._vectors(version, 0, (), X[:2]) is not None
        assert (loops._in_lanes[1] is None) == (k == all_directions._TRIED - 1)
    assert loops._vectors(version, 0, (), X[:2]) is None
