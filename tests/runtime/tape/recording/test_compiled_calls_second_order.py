"""The derivative of a compiled function's pullback: stand-ins that know theirs, and ones whose Python code is run."""

import numpy as np
import pytest

from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.compiled_calls import record_call
from srcad.runtime.tape.values.conversions import constant


class Cube:
    """`x**3`, by hand, with the pullback's derivative; `__wrapped__` must not be run for a second one."""

    def __init__(self, again=True):
        self.can, self.runs = again, []

    def __wrapped__(self, x):
        self.runs.append(x)
        return x * x * x

    def primal(self, values):
        return values[0] ** 3

    def forward(self, values, arrays, plain=()):
        (x,) = values

        def pullback(bar):
            return [bar * 3.0 * x**2]

        if self.can:
            pullback = _WithAgain(x)
        return x**3, pullback


class _WithAgain:
    def __init__(self, x):
        self.x = x

    def __call__(self, bar):
        return [bar * 3.0 * self.x**2]

    def again(self, bar, directions):
        return [bar * 6.0 * self.x * directions[0]], 3.0 * self.x**2 * directions[0]


@pytest.mark.parametrize("again", [True, False])
def test_second_and_third_derivatives(again):
    f, x = Cube(again), constant([1.0, 2.0])
    with GradientTape() as third:
        third.watch(x)
        with GradientTape() as second:
            second.watch(x)
            with GradientTape() as first:
                first.watch(x)
                y = record_call(f, (x,))
            slope = first.gradient(y, x)
        bend = second.gradient(slope, x)
    assert slope.tolist() == [3.0, 12.0]
    assert bend.tolist() == [6.0, 12.0]
    assert third.gradient(bend, x).tolist() == [6.0, 6.0]


def test_the_second_derivative_does_not_run_the_function_where_the_pullback_knows_it():
    f, x = Cube(), constant([1.0, 2.0])
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = record_call(f, (x,))
        slope = inner.gradient(y, x)
    assert outer.gradient(slope, x).tolist() == [6.0, 12.0]
    assert f.runs == []


def test_the_derivative_by_the_adjoint():
    f, x, weight = Cube(), constant([1.0, 2.0]), constant([1.0, 10.0])
    with GradientTape(persistent=True) as outer:
        outer.watch([x, weight])
        with GradientTape() as inner:
            inner.watch(x)
            y = record_call(f, (x,))
        slope = inner.gradient(y, x, output_gradients=weight)
    assert outer.gradient(slope, weight).tolist() == [3.0, 12.0]
    assert outer.gradient(slope, x).tolist() == [6.0, 120.0]


def test_plain_numbers_made_of_what_the_derivative_depends_on_are_refused():
    class Cutting(Cube):
        def __wrapped__(self, x):
            return x * float(x) * x

    x = constant(2.0)
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = record_call(Cutting(again=False), (x,))
        slope = inner.gradient(y, x)
    assert float(slope) == 12.0
    with pytest.raises(TypeError, match="made a plain number"):
        outer.gradient(slope, x)


def test_arguments_that_the_function_writes_are_not_those_that_the_node_holds():
    class Writing(Cube):
        def __wrapped__(self, x, work):
            work[0] = 5.0
            return x * x * x

        def forward(self, values, arrays, plain=()):
            x, _ = values
            return x**3, lambda bar: [bar * 3.0 * x**2, None]

    x, work = constant(2.0), np.zeros(1)
    with GradientTape(persistent=True) as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = record_call(Writing(again=False), (x, work))
        slope = inner.gradient(y, x)
    assert [float(outer.gradient(slope, x)) for _ in range(2)] == [12.0, 12.0]
    assert work[0] == 0.0
