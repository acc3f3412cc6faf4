import numpy as np
import pytest

import srcad
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.recording.dispatch import shortcuts


@pytest.mark.parametrize(
    "function",
    [
        np.sin,
        lambda v: np.sum(v * 2.0, axis=0),
        lambda v: np.sum(v, axis=0),
        lambda v: np.multiply(v, v),
        lambda v: np.where([True, False], v, 0.0),
        lambda v: np.clip(v, v - 1.0, 0.6),
        lambda v: np.mean(v, keepdims=True),
        lambda v: np.stack([v, v * 2.0, [1.0, 2.0]]),
        lambda v: np.concatenate((v, np.ones(1), v)),
        lambda v: np.reshape(v, (2, 1)),
        lambda v: np.take(v, [0, 1, 1]),
        lambda v: np.multiply(v, [v[1], 3.0]),
    ],
)
def test_variables_are_what_tensors_are_in_the_first_call_and_in_later_ones(function):
    value = [0.5, 0.7]
    x, v = srcad.constant(value), Variable(value)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    wanted = tape.gradient(y, x).numpy()
    for _ in range(3):
        with srcad.GradientTape() as tape:
            y = function(v)
        np.testing.assert_array_equal(tape.gradient(y, v).numpy(), wanted)


def test_a_variable_assigned_between_calls_is_read_anew():
    v = Variable(2.0)
    slopes = []
    for _ in range(3):
        with srcad.GradientTape() as tape:
            y = np.square(v)
        slopes.append(float(tape.gradient(y, v)))
        v.assign_add(1.0)
    assert slopes == [4.0, 6.0, 8.0]


def test_calls_that_no_tape_follows_do_not_hide_the_variable():
    x, v = srcad.constant([[1.0, 2.0]]), Variable([[3.0], [4.0]])
    for _ in range(3):
        assert (x @ v).tolist() == [[11.0]]
    with srcad.GradientTape() as tape:
        y = x @ v
    assert tape.gradient(y, v).tolist() == [[1.0], [2.0]]


def test_variables_in_keywords_are_read():
    v, w = Variable([0.5, 3.0]), Variable(1.0)
    for _ in range(3):
        with srcad.GradientTape() as tape:
            y = np.clip(v, min=w, max=None)
        assert [np.asarray(each).tolist() for each in tape.gradient(y, [v, w])] == [[0.0, 1.0], 1.0]
    assert (np.clip, Variable, "min", "max", Variable, type(None)) not in shortcuts
