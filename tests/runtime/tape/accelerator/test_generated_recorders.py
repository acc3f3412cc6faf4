"""Functions generated for kinds of calls do what the general way does, from the second call on."""

import inspect

import numpy as np
import pytest

from srcad.runtime.tape.accelerator.switch import accelerated
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.dispatch import shortcuts
from srcad.runtime.tape.recording.retention import LARGE
from srcad.runtime.tape.values.conversions import constant

V, W = np.array([0.7, 1.3, 0.4]), np.array([1.1, -0.3, 2.0])
M = np.array([[0.7, 1.3], [0.4, 2.1]])

CALLS = {
    "a function of one tensor": np.sin,
    "with an array": lambda x: np.maximum(x, W),
    "an array before it": lambda x: W * x,
    "of three": lambda x: np.where(W > 0, x, 0.0),
    "with keywords": lambda x: np.sum(x, axis=0, keepdims=True),
    "with a keyword that says nothing": lambda x: np.sum(x, axis=0, out=None),
    "an index": lambda x: x[1],
    "an index of several parts": lambda x: x[None, 1:],
    "an index list": lambda x: x[[0, 2, 2]],
    "an index list within": lambda x: np.stack([x, x])[1, [0, 2]],
    "axes": lambda x: np.sum(x.reshape(1, 3), axis=(0, 1)),
    "a join": lambda x: np.concatenate([x, W, x]),
    "a join of tensors": lambda x: np.stack([x, x * 2.0], axis=1),
    "a join with numbers": lambda x: np.hstack([x, 2.0]),
    "a real absolute value": np.abs,
    "a definition": np.ptp,
    "in other words": lambda x: np.split(x, 3)[1],
    "for some ranks": lambda x: np.outer(x, W),
    "a slope of zero": np.sign,
    "a type": lambda x: x.astype("float32"),
}


@pytest.mark.parametrize("function", CALLS.values(), ids=CALLS.keys())
def test_the_general_way_and_the_generated_one_record_the_same(function):
    def found():
        x = constant(V)
        with GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return y.numpy(), np.asarray(tape.gradient(y, x))

    with accelerated(False):
        expected = found()
        assert not shortcuts
    with accelerated(True):
        for value, slope in (found(), found(), found()):
            np.testing.assert_array_equal(value, expected[0])
            np.testing.assert_array_equal(slope, expected[1])


@pytest.mark.parametrize("name", ["a function of one tensor", "with an array", "with keywords", "axes", "an index"])
def test_common_kinds_of_calls_have_a_function(name):
    x = constant(V)
    with accelerated(True), GradientTape() as tape:
        tape.watch(x)
        CALLS[name](x)
        assert shortcuts


def record_twice(function, *arguments):
    """What the second tape records of a call."""
    for _ in range(2):
        with GradientTape() as tape:
            tape.watch([each for each in arguments if isinstance(each, Tensor)])
            result = function(*arguments)
            entries = list(active.tapes[0].nodes)
    return result, entries, tape


def test_what_is_not_followed_is_not_recorded():
    x = constant(V)
    record_twice(np.exp, x)
    with GradientTape():
        assert type(np.exp(x)) is Tensor
        assert active.tapes[0].nodes == []


def test_results_that_are_integers_end_the_path():
    x = constant(V)
    result, entries, tape = record_twice(lambda each: each > 1.0, x)
    assert (result.dtype, entries) == (np.bool_, [])
    assert "cuts the gradient" in tape.explain(result * 1.0, x) or "dtype" in tape.explain(result, x)


def test_large_arrays_are_held_no_longer_than_needed():
    x = constant(np.ones(LARGE))
    _, (node,), tape = record_twice(np.sum, x)
    assert node.arguments[0] is not x
    assert tape.trace.nbytes == 0


def test_arrays_of_the_caller_are_copied():
    own = W.copy()
    _, (node,), _ = record_twice(np.multiply, constant(V), own)
    assert node.arguments[1] is not own


def test_complex_numbers_after_real_ones():
    z = constant(np.array([3.0 + 4.0j]))
    record_twice(np.abs, constant(V))
    with GradientTape() as tape:
        tape.watch(z)
        y = np.abs(z)
    assert tape.gradient(y, z).tolist() == [0.6 + 0.8j]


def test_variables_are_read():
    v = Variable(V)
    for _ in range(2):
        with GradientTape() as tape:
            y = np.maximum(v, W) + np.sum(v, axis=0)
        assert tape.gradient(y, v).tolist() == [3.0, 4.0, 3.0]


def test_a_definition_is_numpys_function_where_nothing_is_followed():
    x = constant(V)
    record_twice(np.ptp, x)
    with GradientTape():
        np.testing.assert_array_equal(np.ptp(x), np.ptp(V))


def test_the_text_is_there_for_debuggers():
    with accelerated(True):
        record_twice(np.exp, constant(V))
        assert inspect.getsource(shortcuts[np.exp, Tensor]).startswith("def call(a):")
