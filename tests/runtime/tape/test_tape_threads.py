"""Tapes in several threads, and many tapes one after the other."""

import gc
import sys
import threading

import numpy as np
import pytest

import srcad
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.forward_accumulator import ForwardAccumulator
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant
from tests.waiting import LIMIT, in_threads


def test_tapes_in_different_threads_do_not_see_each_other():
    v, together = Variable([1.0, 2.0]), threading.Barrier(4, timeout=LIMIT)

    def work(number):
        with GradientTape() as tape:
            together.wait()  # all tapes are open at once
            y = v
            for _ in range(50):
                y = y * (1.0 + 0.001 * number)
            together.wait()
        assert len(tape.trace) == 50
        return tape.gradient(y, v)

    for number, found in enumerate(in_threads(work, range(4))):
        np.testing.assert_allclose(found, (1.0 + 0.001 * number) ** 50)


def test_a_tape_records_only_in_the_thread_that_entered_it():
    x, done = constant(2.0), []
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        in_threads(lambda _: done.append(x * x), [None])
        here = x * x * x
    assert tape.gradient(done[0], x) is None
    assert float(tape.gradient(here, x)) == 12.0


def test_a_persistent_tape_may_be_asked_from_several_threads():
    f, x = srcad.function(lambda x: np.sin(x) * x, jit=False), constant(np.linspace(0.0, 1.0, 5))
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.exp(f(x)) * x
    expected = tape.gradient(y, x).numpy()
    matrix = tape.jacobian(y, x).numpy()
    for _ in range(5):
        for gradient, jacobian in in_threads(lambda _: (tape.gradient(y, x), tape.jacobian(y, x)), range(8)):
            np.testing.assert_array_equal(gradient, expected)
            np.testing.assert_array_equal(jacobian, matrix)


def test_a_tape_entered_in_one_thread_is_not_left_in_another():
    tape, problems = GradientTape(), []
    tape.__enter__()

    def leave(_):
        try:
            tape.__exit__(None, None, None)
        except RuntimeError as error:
            problems.append(error)

    in_threads(leave, [None])
    assert "another thread" in str(problems[0])
    x = constant(3.0)
    tape.watch(x)
    y = x * x
    tape.__exit__(None, None, None)
    assert active.tapes == ()
    assert float(tape.gradient(y, x)) == 6.0


def use_of_a_tape(v, f):
    for persistent in (False, True):
        with GradientTape(persistent=persistent) as tape:
            y = np.sum(np.sin(v * v)) + f(v)
        tape.gradient(y, v)


def use_of_nested_tapes(v, f):
    with GradientTape() as outer:
        with GradientTape(persistent=True) as inner:
            y = np.sum(v**3) + f(v)
        slope = inner.gradient(y, v)
    outer.gradient(slope, v)


def use_of_tapes_left_alone(v, f):
    with GradientTape(persistent=True) as tape:
        y = np.floor(v) * f(v)
    tape.explain(y, v)
    with ForwardAccumulator(v, np.ones(3)) as accumulator:
        y = v * v
    accumulator.jvp(y)
    with GradientTape():
        v[0] = np.sin(v[1])
    v.assign([1.0, 2.0, 3.0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "count"), [(use_of_a_tape, 5000), (use_of_nested_tapes, 500), (use_of_tapes_left_alone, 500)]
)
def test_many_tapes_leave_memory_where_it_was(use, count):
    # 5000 rounds of two tapes each: the 10,000 that nobody should notice.
    v, f = Variable([1.0, 2.0, 3.0]), srcad.function(lambda x: np.sum(x * x), jit=False)
    for _ in range(20):
        use(v, f)
    gc.collect()
    objects, blocks = len(gc.get_objects()), sys.getallocatedblocks()
    for _ in range(count):
        use(v, f)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 500  # of memory, each less than one for ten tapes
    assert len(gc.get_objects()) - objects < 100
