"""Code is made for the extents of small matrices in the first call, and again where another call has others."""

import numpy as np
import pytest

import srcad
from srcad.driver.small_arguments import are_as_known, small_extents
from srcad.frontend.lower import prepare
from tests.checking import assert_gradient

RNG = np.random.default_rng(11)


def carried(a, b, seen):
    state, total = np.zeros(a.shape[0]), 0.0
    for t in range(seen.shape[0]):
        state = a @ np.tanh(state) + b @ seen[t]
        total += np.sum(state * state) * np.trace(a)
    return total


def stretched(frames, k):
    total = 0.0
    for e in range(frames.shape[0]):
        f = frames[e]
        total += k * np.log(np.linalg.det(f) ** 2) + np.sum(np.linalg.inv(f) * (f.T @ f))
    return total


def looped(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] ** 2 * k[0]
    return total


def given(n, m, steps):
    return 0.4 * RNG.normal(size=(n, n)), RNG.normal(size=(n, m)), RNG.normal(size=(steps, m))


def test_extents_of_small_matrices_are_known_but_not_how_often_a_loop_runs():
    unit = prepare(carried)
    known = small_extents(unit, given(3, 2, 4))
    assert known == {("a", 0, 3), ("a", 1, 3), ("b", 0, 3), ("b", 1, 2), ("seen", 1, 2)}
    assert are_as_known(unit, given(3, 2, 9), known)
    assert not are_as_known(unit, given(2, 2, 4), known)
    assert small_extents(unit, given(30, 1, 4)) == set()


def test_without_matrices_in_loops_and_for_integers_nothing_is_known():
    assert small_extents(prepare(looped), (np.ones(3), np.ones(2))) == set()
    assert small_extents(prepare(stretched), (np.ones((2, 3, 3), int), 1.0)) == set()


@pytest.mark.compiled
@pytest.mark.slow
def test_calls_with_other_extents_are_right():
    gradient = srcad.grad(carried, wrt=(0, 1, 2))
    for n, m, steps in ((3, 2, 4), (3, 2, 0), (2, 2, 3), (9, 4, 2), (1, 1, 3), (3, 2, 5)):
        arguments = given(n, m, steps)
        expected = srcad.grad(carried, wrt=(0, 1, 2), jit=False)(*arguments)
        for one, other in zip(gradient(*arguments), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError, match="shapes do not match"):
        gradient(np.eye(3), np.ones((3, 2)), np.ones((4, 3)))


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_gradients_are_those_of_differences(n):
    frames = np.eye(n) + 0.2 * RNG.normal(size=(3, n, n))
    assert_gradient(stretched, frames, 0.7)
    gaps = np.repeat(np.repeat(frames, 2, 1), 2, 2)[:, ::2, ::2]
    expected = srcad.grad(stretched)(frames, 0.7)
    for other in (gaps, np.asfortranarray(frames), frames[::-1][::-1]):
        np.testing.assert_allclose(srcad.grad(stretched)(other, 0.7), expected, rtol=1e-12)
