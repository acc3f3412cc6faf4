"""Compiled functions under a tape, with stand-ins for the compiler: a forward function, and a pullback by hand."""

import gc
import weakref

import numpy as np
import pytest

from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.compiled_calls import record_call
from srcad.runtime.tape.values.conversions import constant


class ByHand:
    """A function with its pullback; counts its calls."""

    def __init__(self, function, pullback):
        self.__wrapped__, self._pullback = function, pullback
        self.calls = []

    def primal(self, values):
        self.calls.append("primal")
        return self.__wrapped__(*values)

    def forward(self, values, arrays, plain=()):
        self.calls.append("forward")
        return self.__wrapped__(*values), lambda bar: self._pullback(bar, *values)

    def __call__(self, *arguments):
        return record_call(self, arguments)


def product():
    return ByHand(lambda x, y: x * x * y, lambda bar, x, y: [bar * 2 * x * y, bar * x * x])


def test_a_call_is_one_node():
    x, v, f = constant([1.0, 2.0]), Variable([3.0, 4.0]), product()
    with GradientTape() as tape:
        tape.watch(x)
        y = f(x, v) * 2.0
        assert len(active.tapes[0].nodes) == 2
    gradients = tape.gradient(y, [x, v])
    assert [each.tolist() for each in gradients] == [[12.0, 32.0], [2.0, 8.0]]
    assert f.calls == ["forward"]


def test_without_a_tape_that_follows_only_the_primal_runs():
    f = product()
    assert f(constant(2.0), 3.0).tolist() == 12.0
    with GradientTape() as tape:
        y = f(constant(2.0), 3.0)
    assert type(y) is Tensor
    assert f.calls == ["primal", "primal"]
    assert tape.gradient(y, y).tolist() == 1.0


def test_numbers_of_python_become_tensors():
    f = ByHand(lambda x: float(x) * 2.0, lambda bar, x: [2.0 * float(bar)])
    x = constant(3.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert type(y) is Tensor
    assert float(tape.gradient(y, x)) == 2.0


def test_nested_arguments_and_results():
    f = ByHand(
        lambda weights, x: {"sum": weights["a"] + x, "product": (weights["b"][0] * x,)},
        lambda bar, weights, x: [
            {"a": bar["sum"], "b": [bar["product"][0] * x]},
            bar["sum"] + bar["product"][0] * weights["b"][0],
        ],
    )
    weights, x = {"b": [Variable(5.0)], "a": Variable(2.0)}, constant(3.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        found = f(weights, x)
        y = found["product"][0] * 10.0
    gradients, slope = tape.gradient(y, (weights, x))
    assert float(gradients["a"]) == 0.0
    assert float(gradients["b"][0]) == 30.0
    assert float(slope) == 50.0
    assert float(tape.gradient(found, x)) == 6.0


def test_arguments_without_derivative():
    f = ByHand(lambda x, n, s: x * n, lambda bar, x, n, s: [bar * n, None, None])
    x, n = constant(3.0), constant(2)
    with GradientTape() as tape:
        tape.watch(x)
        y = f(x, n, "text")
    assert [each if each is None else float(each) for each in tape.gradient(y, [x, n])] == [2.0, None]


def test_a_trace_serves_many_cotangents():
    f, x = product(), constant([1.0, 2.0])
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x, np.array([1.0, 10.0]))
    assert tape.jacobian(y, x).tolist() == [[2.0, 0.0], [0.0, 40.0]]
    assert tape.gradient(y, x).tolist() == [2.0, 40.0]
    assert f.calls == ["forward"]


def test_the_pullback_gets_arrays_of_its_own():
    def spoil(bar, x):
        bar[...] = 7.0
        return [np.ones(2)]

    f, x = ByHand(lambda x: x + 0.0, spoil), constant([1.0, 2.0])
    weight = constant([1.0, 1.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = f(x)
        z = y + x
    assert tape.gradient(z, x, output_gradients=weight).tolist() == [2.0, 2.0]
    assert weight.tolist() == [1.0, 1.0]


def test_an_array_changed_after_the_call_does_not_change_the_gradient():
    f, x, factor = product(), constant([1.0, 2.0]), np.array([3.0, 4.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = f(x, factor)
    factor[:] = 0.0
    assert tape.gradient(y, x).tolist() == [6.0, 16.0]


def test_captured_variables_have_gradients():
    w = Variable(2.0)
    f = ByHand(lambda x, *captured: x * w.read_value().numpy(), lambda bar, x, w: [bar * w, bar * x])
    x = constant(3.0)
    with GradientTape() as tape:
        y = record_call(f, (x,), (w,))
    assert float(tape.gradient(y, w)) == 3.0
    assert [each.ref() for each in tape.watched_variables()] == [w.ref()]


def test_the_second_derivative_goes_through_the_function_itself():
    f, x, y = product(), constant([1.0, 2.0]), constant([3.0, 5.0])
    with GradientTape(persistent=True) as outer:
        outer.watch([x, y])
        with GradientTape() as inner:
            inner.watch([x, y])
            value = f(x, y)
        slope_x, slope_y = inner.gradient(value, [x, y])
    assert slope_x.tolist() == [6.0, 20.0]
    assert outer.gradient(slope_x, x).tolist() == [6.0, 10.0]
    assert outer.gradient(slope_x, y).tolist() == [2.0, 4.0]
    assert outer.gradient(slope_y, x).tolist() == [2.0, 4.0]


def test_the_third_derivative_too():
    f = ByHand(lambda x: x * x * x * x, lambda bar, x: [4.0 * bar * x**3])
    x = constant(2.0)
    with GradientTape() as third:
        third.watch(x)
        with GradientTape() as second:
            second.watch(x)
            with GradientTape() as first:
                first.watch(x)
                y = f(x)
            slope = first.gradient(y, x)
        bend = second.gradient(slope, x)
    assert (float(slope), float(bend), float(third.gradient(bend, x))) == (32.0, 48.0, 48.0)


def test_a_function_that_writes_has_no_second_derivative_here_and_says_so():
    def double(x):
        x[0] = 2.0
        return x

    f, x = ByHand(double, lambda bar, x: [bar]), Variable([1.0, 2.0])
    f.forward = lambda values, arrays, plain=(): (values[0] * 1.0, lambda bar: [bar])
    with GradientTape(persistent=True) as outer:
        with GradientTape() as inner:
            y = f(x)
        slope = inner.gradient(y, x)
    assert slope.tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match=r"second derivative of double.*\n.*hint: .*srcad.hvp"):
        outer.gradient(slope, x)
    assert outer.gradient(y, x).tolist() == [1.0, 1.0]


def test_a_captured_variable_assigned_in_between_has_no_second_derivative():
    w, x = Variable(2.0), constant(3.0)
    f = ByHand(lambda x, w=w: x * w * w, lambda bar, x, w: [bar * w * w, 2 * bar * x * w])
    f.forward = lambda values, arrays, plain=(): (values[0] * values[1] ** 2, lambda bar: f._pullback(bar, *values))
    with GradientTape(persistent=True) as outer:
        with GradientTape() as inner:
            y = record_call(f, (x,), (w,))
        w.assign(5.0)
        slope = inner.gradient(y, w)
    assert float(slope) == 12.0
    with pytest.raises(RuntimeError, match="assigned since"):
        outer.gradient(slope, w)
    assert float(outer.gradient(y, w)) == 12.0


@pytest.mark.slow
def test_a_used_tape_releases_the_trace():
    class Trace:
        pass

    trace = Trace()
    kept = weakref.ref(trace)
    f = ByHand(lambda x: x, None)
    f.forward = lambda values, arrays, plain=(), trace=trace: (values[0] * 1.0, lambda bar: [bar] if trace else None)
    del trace
    x = constant([1.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    del f
    gc.collect()
    assert kept() is not None
    tape.gradient(y, x)
    assert kept() is None


def test_arrays_that_overlap_are_copied_together():
    f, array, x = product(), np.array([3.0, 4.0, 5.0]), constant([1.0, 2.0])
    seen = []
    f.forward = lambda values, arrays, plain=(): (seen.append(values), (np.ones(2), lambda bar: [bar, bar, None]))[1]
    with GradientTape() as tape:
        tape.watch(x)
        record_call(f, (x, array[:2], array[1:]))
    _, first, second = seen[0]
    assert np.shares_memory(first, second)
    assert not np.shares_memory(first, array)
    first[1] = 7.0
    assert second.tolist() == [7.0, 5.0]


def test_captured_arrays_are_copied_with_the_arguments():
    f, table, x = product(), np.array([3.0, 4.0]), constant([1.0, 2.0])
    seen = []
    f.forward = lambda values, arrays, plain=(): (seen.append((values, arrays)), (np.ones(2), lambda bar: [bar, bar]))[
        1
    ]
    with GradientTape() as tape:
        tape.watch(x)
        record_call(f, (x, table), (), (table,))
    values, arrays = seen[0]
    assert values[1] is arrays[0]
    assert values[1] is not table
