"""Why a gradient is None, in the user's words."""

import numpy as np
import pytest

import srcad
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant

V = Variable([1.5, 2.5])


@pytest.mark.parametrize(
    ("cutting", "said"),
    [
        (np.floor, "np.floor cuts the gradient: its derivative is zero everywhere"),
        (lambda x: x.astype(int), "cuts the gradient: its result has the dtype int64"),
        (lambda x: x > 1.0, "operator.gt cuts the gradient"),
        (np.argmax, "np.argmax cuts the gradient"),
        (srcad.stop_gradient, "srcad.stop_gradient cuts the gradient: it is meant to"),
        (np.zeros_like, "np.zeros_like cuts the gradient"),
    ],
)
def test_an_operation_that_cuts_is_named_however_far_from_the_target(cutting, said):
    with GradientTape() as tape:
        y = np.sin(cutting(V * 2.0) * 3.0) + 1.0
    assert said in tape.explain(y, V)
    assert tape.gradient(y, V) is None
    assert said in tape.explain(y, V)


def test_a_cut_beside_another_path():
    w = Variable(3.0)
    with GradientTape(persistent=True) as tape:
        y = np.floor(V) * w
    assert "np.floor" in tape.explain(y, V)
    assert tape.explain(y, w) == "Connected: source -> operator.mul -> target."
    assert tape.gradient(y, V) is None


def test_what_is_connected_says_so():
    with GradientTape() as tape:
        y = np.sum(np.sin(V) + np.floor(V))
    assert tape.explain(y, V) == "Connected: source -> np.sin -> operator.add -> np.sum -> target."
    assert tape.gradient(y, V) is not None


def test_what_was_not_watched():
    x, fixed = constant(1.0), Variable(1.0, trainable=False)
    with GradientTape(persistent=True) as tape:
        y = V * x * fixed
    assert "was not watched" in tape.explain(y, x)
    assert "not trainable" in tape.explain(y, fixed)
    assert "was not read" in tape.explain(y, Variable(1.0))
    with GradientTape(watch_accessed_variables=False) as tape:
        y = V * 2.0
    assert "watch_accessed_variables=False" in tape.explain(y, V)


def test_dtypes():
    counts = Variable([1, 2])
    with GradientTape() as tape:
        y = np.sum(V * counts)
    assert "the source has the dtype int64" in tape.explain(y, counts)
    assert "the target has the dtype int64" in tape.explain(counts, V)


def test_what_was_computed_elsewhere():
    with GradientTape(persistent=True) as tape:
        y = V * 2.0
    later = y * 3.0
    assert "was not computed while the tape was recording" in tape.explain(later, V)
    assert "computed without the source" in tape.explain(y, _watched(tape))
    assert tape.explain(y, y).startswith("The target is the source")


def _watched(tape):
    x = constant(1.0)
    with tape:
        tape.watch(x)
    return x


@pytest.mark.parametrize("how", [np.asarray, lambda x: x.numpy(), lambda x: x.tolist()])
def test_what_left_the_tape_as_a_plain_array_is_mentioned(how):
    with GradientTape() as tape:
        y = constant(np.asarray(how(V * 2.0)) * 3.0)
    assert "turned into a plain number or array by" in tape.explain(y, V)


def test_a_used_tape_that_has_nothing_to_explain_says_that_it_is_used():
    with GradientTape() as tape:
        y = V * 2.0
    tape.gradient(y, V)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.explain(y, V)


def test_a_compiled_call_has_the_functions_name():
    def double(x):
        return 2.0 * x

    with GradientTape() as tape:
        y = srcad.function(double, jit=False)(V)
    assert tape.explain(y, V) == "Connected: source -> double -> target."
