"""Calls that tapes record under another name, or with other arguments, against what the arrays themselves say."""

import numpy as np
import pytest

from srcad.errors import MissingRule
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant

V = np.array([0.7, -1.3, 2.1, 0.4])
M = np.array([[0.7, -1.3, 0.2], [0.4, 2.1, -0.9], [1.6, 0.3, 1.1]])
STACK = np.stack([M, M.T @ M])

CALLS = {
    "norm of order 1": (lambda x: np.linalg.norm(x, 1), V),
    "norm of order 3": (lambda x: np.linalg.norm(x, ord=3), V),
    "largest": (lambda x: np.linalg.norm(x, np.inf), V),
    "no order, by position": (lambda x: np.linalg.norm(x, None, 0), M),
    "columns of a matrix": (lambda x: np.linalg.norm(x, 1), M),
    "rows of a matrix": (lambda x: np.linalg.norm(x, -np.inf, keepdims=True), M),
    "spectral": (lambda x: np.linalg.norm(x, 2), M),
    "nuclear": (lambda x: np.linalg.norm(x, "nuc"), M),
    "order along an axis": (lambda x: np.linalg.norm(x, 3, axis=1, keepdims=True), M),
    "matrices along two axes": (lambda x: np.linalg.norm(x, 1, axis=(1, 2)), STACK),
    "matrices along two axes, swapped": (lambda x: np.linalg.norm(x, np.inf, axis=(-1, 0), keepdims=True), STACK),
    "matrices, Frobenius": (lambda x: np.linalg.norm(x, "fro", axis=(0, 2)), STACK),
    "older names": (lambda x: np.amax(x, axis=0) * np.amin(x, axis=0), M),
    "newer names of bounds": (lambda x: np.clip(x, min=-1.0, max=1.0) + x.clip(min=0.5), V),
    "one bound by name": (lambda x: np.clip(x, a_min=0.5, a_max=None), V),
    "lists of points": (lambda x: np.interp(x, [-2.0, 0.0, 2.5], [1.0, 3.0, 0.5]), V),
    "pieces": (lambda x: np.piecewise(x, [x > 1.0, x < 0.0], [np.square, lambda x: -3.0 * x, 7.0]), V),
    "pieces, the last condition counts": (lambda x: np.piecewise(x, [x > 0.0, x > 1.0], [np.exp, 0.0]), V),
    "pieces by a list of truth values": (
        lambda x: np.piecewise(x, [True, False, True, False, True][: len(x)], [np.square, np.exp]),
        V,
    ),
    "pieces by stacked conditions": (lambda x: np.piecewise(x, np.stack([x > 1.0, x < 0.0]), [np.square, np.exp]), V),
    "pieces of nothing": (lambda x: np.piecewise(x, [x > 99.0, x < 0.0], [np.max, np.exp, np.sin]), V),
    "weights along an axis": (lambda x: np.average(x, axis=0, weights=[1.0, 2.0, 4.0]), M),
    "weights along the last axis": (lambda x: np.average(x, axis=-1, weights=np.array([1.0, 2.0, 4.0])), M),
    "layers": (lambda x: np.unstack(x, axis=1)[2] * np.unstack(x)[0], M),
    "broadcast": (lambda x: np.broadcast_arrays(x[0], x)[0] * x, M),
    "axes rolled": (lambda x: np.rollaxis(x, 1, -1) * np.rollaxis(x, 0, 3) * np.rollaxis(x, 2), STACK[:, :2, :2]),
    "a default written out": (lambda x: np.sum(x, axis=0, dtype=None, keepdims=False), M),
}


@pytest.mark.parametrize(("call", "point"), CALLS.values(), ids=CALLS.keys())
def test_values_and_gradients(call, point):
    x = constant(point)
    with GradientTape() as tape:
        tape.watch(x)
        y = call(x)
        total = np.sum(np.sin(y))
    np.testing.assert_allclose(y.numpy(), call(point), rtol=1e-13)
    direction = np.random.default_rng(3).normal(size=point.shape)
    ahead, behind = (np.sum(np.sin(call(point + step * direction))) for step in (1e-6, -1e-6))
    assert np.sum(tape.gradient(total, x) * direction) == pytest.approx((ahead - behind) / 2e-6, abs=1e-7)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.unique(x, equal_nan=False),
        lambda x: np.median(x, axis=0, overwrite_input=True),
    ],
)
def test_arguments_that_no_rule_knows_are_refused(call):
    x = constant(M)
    with GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(MissingRule):
            tape.gradient(call(x), x)


@pytest.mark.parametrize("order", [2, -2, "nuc"])
def test_norms_of_stacked_matrices_by_singular_values_are_those_of_each(order):
    x = constant(STACK)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.sum(np.linalg.norm(x, order, axis=(1, 2)))
        parts = [constant(each) for each in STACK]
        tape.watch(parts)
        z = sum(np.linalg.norm(each, order) for each in parts)
    np.testing.assert_allclose(tape.gradient(y, x), np.stack([each.numpy() for each in tape.gradient(z, parts)]))
