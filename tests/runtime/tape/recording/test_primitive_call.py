"""Calls with several results: one node, and the gradient by each result, by all of them, of none."""

import numpy as np
import pytest

from srcad.errors import MissingRule
from srcad.runtime.rulebook.registry import definition
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.definitions import run_again
from srcad.runtime.tape.recording.primitive_call import PrimitiveCall
from srcad.runtime.tape.reverse.rules_on_tensors import on_tensors
from srcad.runtime.tape.values.conversions import constant

A = np.random.default_rng(3).normal(size=(4, 4)) + 3.0 * np.eye(4)
WEIGHTS = np.random.default_rng(4).normal(size=(4, 4))
CALLS = {
    "eigh": (np.linalg.eigh, A + A.T, {}),
    "svd": (np.linalg.svd, A[:, :3], {"full_matrices": False}),
    "svd, wide": (np.linalg.svd, A[:3], {"full_matrices": False}),
    "qr": (np.linalg.qr, A[:, :3], {}),
    "slogdet": (np.linalg.slogdet, A, {}),
}


def pulled(results, places):
    return sum(np.sum(results[k] * WEIGHTS[: np.size(results[k])].ravel()[0] * (k + 1.0)) for k in places)


@pytest.mark.parametrize("places", [(0,), (1,), (-1,), (0, 1), (0, 1, -1)])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_gradients_are_those_of_the_definition(call, places):
    function, value, keywords = call
    x = constant(value)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        for _ in range(2):  # the general way, and the function that is written then
            results = function(x, **keywords)
        target = pulled(results, places)
    assert type(tape._recording.nodes[0]) is type(tape._recording.nodes[1]) is PrimitiveCall
    assert type(results) is type(function(value, **keywords))
    for found, expected in zip(results, function(value, **keywords), strict=True):
        np.testing.assert_array_equal(found.numpy(), expected)
    with GradientTape() as other:
        other.watch(x)
        again, found = run_again(on_tensors(definition(function)), (x,), keywords, [x._identity])
        reference = pulled(found, places)
    assert again.nodes
    expected, bar = other.gradient(reference, x), tape.gradient(target, x)
    assert (expected is None) <= (bar is None or not np.any(bar.numpy()))
    if expected is not None:
        np.testing.assert_allclose(bar.numpy(), expected.numpy(), atol=1e-9)


def test_one_gradient_at_once_and_a_result_as_source():
    x = constant(A)
    with GradientTape() as tape:
        tape.watch(x)
        _, size = np.linalg.slogdet(x)
        y = size * size
    by_size, by_matrix = tape.gradient(y, [size, x])
    assert float(by_size) == 2.0 * float(size)
    np.testing.assert_allclose(by_matrix.numpy(), 2.0 * float(size) * np.linalg.inv(A).T)


def test_vectors_that_are_not_used_cost_nothing_and_second_derivatives_see_them():
    x, w = constant(A + A.T), constant(0.0)
    with GradientTape() as outer:
        outer.watch([x, w])
        with GradientTape() as tape:
            tape.watch(x)
            values, vectors = np.linalg.eigh(x)
            y = np.sum(values) + w * np.sum(vectors * WEIGHTS)
        slope = np.sum(tape.gradient(y, x) * WEIGHTS)
    with GradientTape() as alone:
        alone.watch(x)
        values, vectors = np.linalg.eigh(x)
        z = np.sum(vectors * WEIGHTS)
    # By the weight, which is zero where the slope is taken.
    np.testing.assert_allclose(float(outer.gradient(slope, w)), np.sum(alone.gradient(z, x).numpy() * WEIGHTS))


def test_complex_matrices_are_refused():
    x = constant(A + 1j * A.T)
    with GradientTape() as tape:
        tape.watch(x)
        y = np.real(np.linalg.svd(x, full_matrices=False)[1])
    with pytest.raises(MissingRule):
        tape.gradient(y, x)
