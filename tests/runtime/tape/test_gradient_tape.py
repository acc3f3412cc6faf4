"""The tape's behaviour: what is recorded and when, what may be asked and when, what is released."""

import logging

import numpy as np
import pytest

from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape, UnconnectedGradients
from srcad.runtime.tape.values.conversions import constant


@pytest.fixture(autouse=True)
def _nothing_is_left_recording():
    yield
    left, active.tapes = active.tapes, ()
    assert left == ()


@pytest.fixture
def x():
    return constant([1.0, 2.0])


def test_watched_tensors_have_gradients(x):
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).tolist() == [2.0, 4.0]


def test_unwatched_tensors_have_none(x):
    with GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_trainable_variables_are_watched_by_themselves():
    v, fixed = Variable(3.0), Variable(2.0, trainable=False)
    with GradientTape() as tape:
        y = v * v * fixed
    gradients = tape.gradient(y, [v, fixed])
    assert float(gradients[0]) == 12.0
    assert gradients[1] is None


def test_watching_of_variables_can_be_switched_off():
    v, w = Variable(2.0), Variable(5.0)
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(v)
        y, z = v**2, w**3
    assert float(tape.gradient(y, v)) == 4.0
    assert tape.gradient(z, w) is None
    assert [each.ref() for each in tape.watched_variables()] == [v.ref()]


def test_variables_that_are_not_trainable_can_be_watched():
    v = Variable(3.0, trainable=False)
    with GradientTape() as tape:
        tape.watch(v)
        y = v * v
    assert float(tape.gradient(y, v)) == 6.0


def test_nested_structures_are_watched(x):
    v = Variable(1.0)
    with GradientTape() as tape:
        tape.watch([x, {"a": (v,)}])
        y = x * v
    assert tape.gradient(y, [x, v])[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("thing", [3.0, np.array(1.0), None, "x"])
def test_only_tensors_and_variables_are_watched(thing):
    with GradientTape() as tape, pytest.raises(ValueError, match="Passed in object"):
        tape.watch(thing)


def test_watching_integers_warns_and_gives_none(caplog):
    i = constant([1, 2])
    with caplog.at_level(logging.WARNING, "srcad"), GradientTape() as tape:
        tape.watch(i)
        y = i * 2.0
    assert "must be floating" in caplog.text
    assert tape.gradient(y, i) is None


def test_integer_sources_have_integer_zeros_if_asked():
    i = constant([1, 2])
    with GradientTape() as tape:
        y = i * 2.0
    zeros = tape.gradient(y, i, unconnected_gradients="zero")
    assert (zeros.tolist(), zeros.dtype) == ([0, 0], np.int64)


def test_watched_variables_come_in_the_order_of_their_construction():
    first, second = Variable(1.0), Variable(2.0)
    with GradientTape() as tape:
        _ = second * first
    assert [each.ref() for each in tape.watched_variables()] == [first.ref(), second.ref()]
    tape.gradient(_, first)
    assert len(tape.watched_variables()) == 2


def test_a_tape_never_entered_knows_no_variables():
    assert GradientTape().watched_variables() == ()


def test_integer_variables_are_listed_as_watched():
    i = Variable([1, 2])
    with GradientTape() as tape:
        _ = i * 2
    assert len(tape.watched_variables()) == 1


def test_what_happens_after_the_block_is_not_recorded(x):
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    z = y * y
    assert tape.gradient(z, x) is None
    assert tape.gradient(y, x).tolist() == [2.0, 4.0]


def test_what_happened_before_watching_is_not_recorded():
    x = constant(3.0)
    with GradientTape() as tape:
        y = x * x
        tape.watch(x)
        z = y * x
    assert float(tape.gradient(z, x)) == 9.0


def test_a_tensor_watched_after_an_operation_recorded_for_another_input_counts_there_too():
    # As in TensorFlow: the operation is on the tape, and its inputs are known by now.
    x, u = constant(3.0), constant(2.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = x * u
        tape.watch(u)
        z = y * u
    assert [float(each) for each in tape.gradient(z, [x, u])] == [4.0, 12.0]


def test_structures_of_sources_are_kept(x):
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
    gradients = tape.gradient({"a": y, "b": [y]}, {"q": x, "p": (x, [x])})
    assert gradients["q"].tolist() == gradients["p"][0].tolist() == gradients["p"][1][0].tolist() == [4.0, 8.0]
    assert type(gradients["p"]) is tuple


def test_empty_structures_are_allowed(x):
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, []) == []
    assert tape.gradient([], x) is None


def test_several_targets_are_summed():
    x = constant(3.0)
    with GradientTape() as tape:
        tape.watch(x)
        y, z = x * x, x * 5.0
    assert float(tape.gradient([y, z, y], x)) == 17.0


def test_the_target_itself_has_the_gradient_one(x):
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        w = x * x
        z = w * x
    assert tape.gradient(x, x).tolist() == [1.0, 1.0]
    unwatched = constant([5.0])
    assert tape.gradient(unwatched, unwatched).tolist() == [1.0]
    gradients = tape.gradient([z, w, x], [x, w])
    assert [each.tolist() for each in gradients] == [[6.0, 17.0], [2.0, 3.0]]


def test_a_variable_can_be_the_target():
    v = Variable([2.0, 3.0])
    with GradientTape() as tape:
        _ = v * v
    assert tape.gradient(v, v).tolist() == [1.0, 1.0]


def test_intermediate_results_can_be_sources(x):
    with GradientTape() as tape:
        tape.watch(x)
        w = x * 1.0
        y = w * w
    assert [each.tolist() for each in tape.gradient(y, [x, w, x])] == [[2.0, 4.0]] * 3


def test_x_plus_zero_is_another_tensor(x):
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
        others = [x + 0, x * 1, +x]
    assert tape.gradient(y, others) == [None, None, None]


def test_none_and_zeros_for_what_is_not_connected(x):
    v = Variable([[1.0]], dtype="float32")
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, v) is None
    for choice in ("zero", UnconnectedGradients.ZERO):
        zeros = tape.gradient(y, [x, v], unconnected_gradients=choice)[1]
        assert (zeros.tolist(), zeros.dtype) == ([[0.0]], np.float32)
    assert tape.gradient(constant(1.0), x, unconnected_gradients="none") is None


def test_an_unknown_choice_for_unconnected_gradients_is_refused_and_the_tape_stays_usable(x):
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'bad'"):
        tape.gradient(y, x, unconnected_gradients="bad")
    assert tape.gradient(y, x).tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("target", "source"), [(None, "x"), ("y", None), ("y", 3.0), (3.0, "x"), (["y", None], "x"), ("y", ["x", None])]
)
def test_what_is_no_tensor_is_refused_and_the_tape_stays_usable(x, target, source):
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
    names = {"x": x, "y": y}

    def named(thing):
        return [named(each) for each in thing] if isinstance(thing, list) else names.get(thing, thing)

    with pytest.raises(TypeError):
        tape.gradient(named(target), named(source))
    assert tape.gradient(y, x).tolist() == [2.0, 4.0]


# Output gradients


def test_output_gradients_weight_the_targets(x):
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x, output_gradients=constant([1.0, 10.0])).tolist() == [2.0, 40.0]
    assert tape.gradient(y, x, output_gradients=np.array([1, 10])).tolist() == [2.0, 40.0]
    assert tape.gradient(y, x, output_gradients=2.0).tolist() == [4.0, 8.0]
    assert tape.gradient(y, x, output_gradients=Variable([0.0, 1.0])).tolist() == [0.0, 4.0]


def test_output_gradients_must_fit(x):
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(ValueError, match="shape"):
        tape.gradient(y, x, output_gradients=constant([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="shape"):
        tape.gradient(y, x, output_gradients=constant([[1.0, 2.0]]))
    with pytest.raises(ValueError, match="2 output gradients for 1 targets"):
        tape.gradient(y, x, output_gradients=[1.0, 2.0])
    with pytest.raises(ValueError, match="dtype"):
        tape.gradient(y, x, output_gradients=constant([1j, 0.0]))
    with pytest.raises(ValueError, match="None"):
        tape.gradient([y, y], x, output_gradients=[None, constant([1.0, 10.0])])


def test_output_gradients_are_differentiated(x):
    w = constant([3.0, 5.0])
    with GradientTape() as outer:
        outer.watch(w)
        with GradientTape() as inner:
            inner.watch(x)
            y = x * x
        directional = inner.gradient(y, x, output_gradients=w)
    assert outer.gradient(directional, w).tolist() == [2.0, 4.0]
