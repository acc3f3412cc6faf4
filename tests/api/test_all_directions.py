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
    assert jac._all_directions._held[1] is not None


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_tuples_and_uncompiled_sweeps_have_no_loop(mode):
    jac = srcad.jacobian(pair, mode=mode, jit=False)
    for block, expected in zip(jac(X), (2.0 * np.eye(5), np.eye(5)[0]), strict=True):
        np.testing.assert_array_equal(block, expected)
    assert jac._all_directions._held is None


def test_loops_are_compiled_after_many_sweeps():
    loops = all_directions.AllDirections(True)
    assert not loops.pays([np.zeros(all_directions.PAYS_AFTER)])
    assert loops.pays([0.0])
    assert not all_directions.AllDirections(False).pays([np.zeros(2 * all_directions.PAYS_AFTER)])
