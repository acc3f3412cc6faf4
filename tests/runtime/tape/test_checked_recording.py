"""On a tape, debug mode says which operation makes a NaN or an infinity, and which line recorded it."""

import numpy as np
import pytest

import srcad
from srcad.runtime.tape.accelerator import switch
from srcad.runtime.tape.core.active_recordings import Recording
from srcad.runtime.tape.recording.dispatch import accelerator

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy's


def born(call):
    with srcad.debug(), pytest.raises(FloatingPointError) as caught:
        call()
    return caught.value


def gradient_of(function, value):
    x = srcad.Variable(value)
    with srcad.GradientTape() as tape:
        y = function(x)
    return tape.gradient(y, x)


def test_an_operation_that_makes_a_nan():
    problem = born(lambda: gradient_of(lambda x: np.sum(np.log(x)), np.array([1.0, -1.0])))
    assert problem.sweep == "primal"
    assert problem.what == "a NaN first appears in the primal of this line"
    assert "np.sum(np.log(x))" in problem.at.text
    assert "in the recorded operation `np.log`, with" in problem.details
    assert "    result = an array of shape 2, first nan at [1]" in problem.details
    assert "    argument = an array of shape 2, all finite" in problem.details


@pytest.mark.parametrize("size", [2, 3000])
def test_a_pullback_that_makes_an_infinity(size):
    def length(x):
        y = x * x
        return np.sum(np.sqrt(y))  # here

    values = np.ones(size)
    values[1] = 0.0
    problem = born(lambda: gradient_of(length, values))
    assert problem.sweep == "reverse"
    assert problem.what == "an infinity first appears in the reverse sweep of this line, where the primal is finite"
    assert problem.at.text.endswith("# here")
    assert f"    argument_bar = an array of shape {size}, first inf at [1]" in problem.details


def test_a_large_result_that_is_not_finite():
    values = np.full(3000, 1e308)
    problem = born(lambda: gradient_of(lambda x: np.sum((x + x) * 0.0), values))
    assert problem.what == "an infinity first appears in the primal of this line"
    assert "in the recorded operation `+`, with" in problem.details or "add" in "\n".join(problem.details)


def test_a_large_operand_that_is_not_finite_is_no_birth():
    values = np.full(3000, np.inf)
    with srcad.debug():
        assert np.all(gradient_of(lambda x: np.sum(x + 1.0), values).numpy() == 1.0)


def test_a_constant_that_is_not_finite_is_no_birth():
    with srcad.debug():
        assert gradient_of(lambda x: np.minimum(x, np.inf) + np.inf, 2.0).numpy() == 1.0


def test_a_function_that_is_defined_by_others_is_told_by_its_own_line():
    def spread(x):
        return np.sum(np.power.outer(x, np.array([0.5])))  # the line

    problem = born(lambda: gradient_of(spread, np.array([0.0, 1.0])))
    assert problem.sweep == "reverse"
    assert problem.at.text.endswith("# the line")


def test_a_compiled_function_is_told_by_its_inner_line():
    @srcad.function(jit=False)
    def inner(x):
        return np.sqrt(x) + x

    problem = born(lambda: gradient_of(inner, 0.0))
    assert problem.sweep == "reverse"
    assert problem.at.text.strip() == "return np.sqrt(x) + x"


def test_second_derivatives_and_jacobians_are_checked():
    def twice():
        x = srcad.Variable(0.0)
        with srcad.GradientTape() as outer:
            with srcad.GradientTape() as tape:
                y = x**1.5  # power
            slope = tape.gradient(y, x)
        return outer.gradient(slope, x)

    def jacobian():
        x = srcad.Variable(np.zeros(2))
        with srcad.GradientTape() as tape:
            y = np.sqrt(x)
        return tape.jacobian(y, x)

    assert born(twice).at.text.endswith("# power")
    assert born(jacobian).sweep == "reverse"


def test_forward_accumulators_are_checked():
    def tangent():
        x = srcad.constant(0.0)
        with srcad.ForwardAccumulator(x, srcad.constant(1.0)) as accumulator:
            y = np.sqrt(x)
        return accumulator.jvp(y)

    problem = born(tangent)
    assert problem.sweep == "tangent"
    assert problem.at.text.strip() == "y = np.sqrt(x)"


@pytest.mark.parametrize("on", [True, False])
def test_all_is_as_before_after_the_block(on):
    with switch.accelerated(on):
        append, write = Recording.append, accelerator.write
        with srcad.debug():
            assert Recording.append is not append
            assert accelerator.write is None
            expected = gradient_of(lambda x: np.sum(np.sin(x)), np.ones(3)).numpy()
        assert Recording.append is append
        assert accelerator.write is write
        assert gradient_of(lambda x: np.sum(np.sin(x)), np.ones(3)).numpy().tolist() == expected.tolist()
        assert np.isinf(gradient_of(np.sqrt, 0.0).numpy())
