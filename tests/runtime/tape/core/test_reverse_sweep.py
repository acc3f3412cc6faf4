"""Long chains, and what is released when."""

import gc
import weakref

import numpy as np
import pytest

from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant


def test_a_chain_of_many_operations_needs_no_recursion():
    x = constant(1.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(20_000):
            y = y * 1.0001
    assert float(tape.gradient(y, x)) == pytest.approx(1.0001**20_000)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_target_that_is_given_twice_counts_twice(persistent):
    x = constant(3.0)
    with GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient([y, y], x)) == 12.0


def test_a_used_tape_holds_nothing():
    x = constant(np.ones(10))
    with GradientTape() as tape:
        tape.watch(x)
        held = np.sin(x)
        y = held * held
    kept = weakref.ref(held)
    del held
    assert kept() is not None
    tape.gradient(y, x)
    assert kept() is None


def test_a_persistent_tape_holds_nothing_once_it_is_gone():
    x = constant(np.ones(10))
    gc.disable()
    try:
        with GradientTape(persistent=True) as tape:
            tape.watch(x)
            held = np.sin(x)
            y = held * held
        kept = weakref.ref(held)
        tape.gradient(y, x)
        tape.jacobian(y, x)
        del held, tape
        assert kept() is None
    finally:
        gc.enable()


@pytest.mark.slow
def test_many_tapes_leave_no_objects_behind():
    v = Variable(np.ones(3))

    def use():
        for persistent in (False, True):
            with GradientTape(persistent=persistent) as tape:
                y = np.sin(v * v).sum()
            tape.gradient(y, v)

    use()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(500):
        use()
    gc.collect()
    assert len(gc.get_objects()) - before < 100
