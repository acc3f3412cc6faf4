"""Tapes used once, used often, left, entered again, interrupted, reset."""

import logging

import pytest

from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant


@pytest.fixture(autouse=True)
def _nothing_is_left_recording():
    yield
    left, active.tapes = active.tapes, ()
    assert left == ()


@pytest.fixture
def x():
    return constant([1.0, 2.0])


def test_a_tape_that_is_not_persistent_serves_once(x):
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    for use in (tape.gradient, tape.jacobian, tape.batch_jacobian):
        with pytest.raises(RuntimeError, match="non-persistent"):
            use(y, x)


def test_a_tape_never_entered_has_no_gradients(x):
    with pytest.raises(RuntimeError):
        GradientTape().gradient(x, x)
    with pytest.raises(AttributeError):
        GradientTape().watch(x)


def test_a_used_tape_can_record_anew(x):
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with tape:
        tape.watch(x)
        z = x * x * x
    assert tape.gradient(z, x).tolist() == [3.0, 12.0]


def test_a_tape_that_is_entered_again_goes_on(x):
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with tape:
        z = y * y
    assert tape.gradient(z, x).tolist() == [4.0, 32.0]


def test_a_tape_cannot_be_entered_twice_at_once():
    with GradientTape() as tape, pytest.raises(ValueError, match="still recording"), tape:
        pass


def test_asking_inside_the_block_ends_the_recording(x):
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
        assert tape.gradient(y, x).tolist() == [2.0, 4.0]
        _ = x * x
        with pytest.raises(AttributeError):
            tape.watch(x)


def test_a_persistent_tape_asked_inside_its_block_warns_and_records_its_own_gradient(caplog):
    v = Variable(2.0)
    with caplog.at_level(logging.WARNING, "srcad"), GradientTape(persistent=True) as tape:
        y = v * v * v
        slope = tape.gradient(y, v)
    assert float(tape.gradient(slope, v)) == 12.0


def test_a_persistent_tape_serves_often():
    x = constant(3.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    for _ in range(3):
        assert float(tape.gradient(z, x)) == 108.0
        assert float(tape.gradient(y, x)) == 6.0


def test_reset_forgets(x):
    v, w = Variable([1.0, 2.0]), Variable([1.0, 1.0])
    with GradientTape() as tape:
        y = v * w
        tape.reset()
        z = v * v * v + y
    assert [each.ref() for each in tape.watched_variables()] == [v.ref()]
    assert tape.gradient(z, v).tolist() == [3.0, 12.0]


def test_reset_outside_the_block_is_refused():
    tape = GradientTape()
    with pytest.raises(ValueError, match="not recording"):
        tape.reset()
    with tape:
        pass
    with pytest.raises(ValueError, match="not recording"):
        tape.reset()


def test_recording_can_be_interrupted(x):
    with GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            y = x * x
        z = y * x
    assert tape.gradient(z, x).tolist() == [1.0, 4.0]


def test_an_exception_inside_stop_recording_lets_recording_go_on():
    x = constant(3.0)
    with GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(KeyError), tape.stop_recording():
            raise KeyError
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_only_what_records_can_be_interrupted(x):
    with pytest.raises(RuntimeError, match="not recording"), GradientTape().stop_recording():
        pass
    with GradientTape() as tape:
        y = x * x
    with pytest.raises(ValueError, match="not recording"), tape.stop_recording():
        pass
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="not recording"), tape.stop_recording():
        pass


def test_gradient_inside_stop_recording():
    x = constant(4.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = 2.0 * x
        with tape.stop_recording():
            slope = tape.gradient(y, x)
    assert float(slope) == 2.0


def test_an_exception_in_the_block_ends_the_recording(x):
    tape, found = GradientTape(), []

    def record():
        with tape:
            tape.watch(x)
            found.append(x * x)
            raise KeyError

    with pytest.raises(KeyError):
        record()
    (y,) = found
    assert tape.gradient(y, x).tolist() == [2.0, 4.0]
