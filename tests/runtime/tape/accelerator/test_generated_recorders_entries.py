"""What written functions record: no more than the rule reads, and nothing that the rule does not cover."""

import numpy as np
import pytest

from srcad.runtime.tape.forward_accumulator import ForwardAccumulator
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant

V = np.linspace(0.1, 0.9, 64)


@pytest.mark.parametrize(("function", "is_held"), [(np.outer, False), (np.add.outer, False), (np.kron, False)])
def test_large_results_of_small_arrays_are_held_only_where_the_rule_reads_them(function, is_held):
    shape = (8, 8) if function is np.kron else (64,)
    x, w = constant(V.reshape(shape)), V[::-1].reshape(shape).copy()
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        results = [function(x, w) for _ in range(3)]
    held = [node.result._value for node in tape._recording.nodes]
    assert [each.strides == (0,) * each.ndim for each in held] == [not is_held] * 3
    for y in results:
        np.testing.assert_array_equal(y.numpy(), function(x.numpy(), w))
        assert tape.gradient(y, x).shape == shape
    assert sum(isinstance(part, np.ndarray) and part is not w for part in tape._recording.nodes[0].arguments) == 1


def test_large_results_that_are_read_are_held():
    x = constant(V)
    with GradientTape() as tape:
        tape.watch(x)
        for _ in range(2):
            y = np.exp(np.broadcast_to(x, (64, 64)))
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 64.0 * np.exp(V))


def test_large_results_are_there_for_tangents():
    x = constant(V)
    for _ in range(2):
        with ForwardAccumulator(x, constant(np.ones(64))) as accumulator:
            y = np.tanh(np.add.outer(x, V))
        np.testing.assert_allclose(accumulator.jvp(y).numpy(), 1.0 - np.tanh(np.add.outer(V, V)) ** 2)


def test_matrices_are_recorded_in_each_call_as_vectors_are():
    x = constant(V.reshape(8, 8))
    with GradientTape() as tape:
        tape.watch(x)
        y = sum(np.outer(x, V) for _ in range(3))
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), np.full((8, 8), 3.0 * np.sum(V)))


def test_lists_of_numbers_stand_for_arrays():
    x = constant(V)
    with GradientTape() as tape:
        tape.watch(x)
        for coefficients in ([2.0, 1.0], [3.0, 0.0], [x[0], 1.0]):
            y = np.polyval(coefficients, x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), V[0] + np.where(np.arange(64) == 0, np.sum(V), 0.0))
