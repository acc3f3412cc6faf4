"""What a tape holds: the arrays that derivatives read, each counted once."""

import numpy as np
import pytest

import srcad
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape

N = 5000


def test_a_sum_holds_nothing_and_a_product_both_factors():
    v = Variable(np.ones(N))
    with GradientTape(persistent=True) as tape:
        y = v + np.ones(N)
        assert tape.trace.nbytes == 0
        np.sum(y * v)
    assert [each.name for each in tape.trace] == ["operator.add", "operator.mul", "np.sum"]
    assert tape.trace.nbytes == tape.trace[1].nbytes == 2 * 8 * N
    assert "float64(5000,)" in repr(tape.trace)


def test_what_two_operations_hold_counts_once():
    v = Variable(np.ones(N))
    with GradientTape(persistent=True) as tape:
        _ = v * v, np.sin(v)
    assert tape.trace.nbytes == 8 * N


def test_a_used_tape_holds_nothing():
    v = Variable(np.ones(N))
    with GradientTape() as tape:
        y = np.sum(v * v)
    tape.gradient(y, v)
    assert (len(tape.trace), tape.trace.nbytes) == (0, 0)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_a_compiled_call_holds_its_trace_and_its_inputs(jit):
    def smooth(x, rounds):
        y = x.copy()
        for _ in range(rounds):
            for i in range(1, x.shape[0]):
                y[i] = 0.5 * y[i] * y[i - 1]
        return y

    v = Variable(np.ones(N))
    with GradientTape(persistent=True) as tape:
        srcad.function(smooth, jit=jit)(v, 3)
    # The input, and per round the values that the products read: not the result, nothing twice.
    assert tape.trace.nbytes <= 8 * N * (1 + 2 * 3) + 1000
    assert tape.trace[0].name == "smooth"


def test_the_result_of_a_custom_gradient_is_listed_once():
    @srcad.custom_gradient
    def twice(x):
        return x * 2.0, lambda upstream: upstream * 2.0

    v = Variable(np.ones(3))
    with GradientTape(persistent=True) as tape:
        twice(v)
    assert tape.trace[0].arrays == ("float64(3,)", "float64(3,)")  # of the input and of the result
