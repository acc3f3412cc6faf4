"""Forward mode beside the tapes: numbers of TensorFlow's reference page, closed forms, and reverse mode."""

import gc
import logging

import numpy as np
import pytest

import srcad
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.forward_accumulator import ForwardAccumulator
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant
from tests.runtime.tape.test_tape_conformance import ARRAYS, COMPLEX

X = constant([1.0, 2.0])
DIRECTION = constant([1.0, 10.0])


@pytest.mark.parametrize(("function", "arguments", "_"), ARRAYS.values(), ids=ARRAYS.keys())
def test_forward_and_reverse_mode_agree(function, arguments, _):
    random = np.random.default_rng(1)
    inputs = [constant(each) for each in arguments]
    dots = [constant(random.normal(size=each.shape)) for each in inputs]
    with GradientTape() as tape, ForwardAccumulator(inputs, dots) as accumulator:
        tape.watch(inputs)
        y = function(*inputs)
    bar = random.normal(size=y.shape)
    gradients = tape.gradient(y, inputs, output_gradients=constant(bar))
    pairs = zip(gradients, dots, strict=True)
    expected = sum(np.sum(np.asarray(gradient) * np.asarray(dot)) for gradient, dot in pairs)
    assert np.sum(np.asarray(accumulator.jvp(y)) * bar) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("function", "_"), COMPLEX.values(), ids=COMPLEX.keys())
def test_complex_tangents_are_differences(function, _):
    z, dot = np.array([1 + 2j, 3 - 1j]), np.array([0.5 - 1j, 2 + 1j])
    x = constant(z)
    with ForwardAccumulator(x, dot) as accumulator:
        y = function(x)
    expected = (function(z + 1e-6 * dot) - function(z - 1e-6 * dot)) / 2e-6
    np.testing.assert_allclose(accumulator.jvp(y), expected, rtol=1e-6, atol=1e-8)


def test_accumulators_within_accumulators():
    x = constant(1.1)
    with ForwardAccumulator(x, constant(1.0)) as outer, ForwardAccumulator(x, constant(1.0)) as inner:
        y = x**3.5
    slope = inner.jvp(y)
    assert float(slope) == pytest.approx(3.5 * 1.1**2.5)
    assert float(outer.jvp(slope)) == pytest.approx(3.5 * 2.5 * 1.1**1.5)
    assert inner.jvp(outer.jvp(y)) is None


def test_forward_over_reverse_is_the_hessian_times_a_vector():
    v = Variable([1.0, 2.0])
    with ForwardAccumulator(v, constant([1.0, 0.0])) as accumulator:
        with GradientTape() as tape:
            y = np.sum(v**3.0)
        slope = tape.gradient(y, v)
    assert slope.tolist() == [3.0, 12.0]
    assert accumulator.jvp(slope).tolist() == [6.0, 0.0]


def test_reverse_over_forward():
    with GradientTape(persistent=True) as tape:
        tape.watch([X, DIRECTION])
        with ForwardAccumulator(X, DIRECTION) as accumulator:
            y = X**3
        dot = accumulator.jvp(y)
    assert tape.gradient(dot, X).tolist() == [6.0, 120.0]
    assert tape.gradient(dot, DIRECTION).tolist() == [3.0, 12.0]


def test_tapes_within_do_not_see_the_tangents():
    with ForwardAccumulator(X, DIRECTION) as accumulator, GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = X * X
        dot = accumulator.jvp(y)
    assert len(tape.trace) == 1
    assert tape.gradient(dot, X) is None


def test_variables_and_structures():
    v, w = Variable(2.0), Variable(3.0)
    with ForwardAccumulator({"v": v, "w": [w]}, {"v": 1.0, "w": [10.0]}) as accumulator:
        product, total = v * w, v + w
    found = accumulator.jvp({"a": product, "b": (total, v)})
    assert float(found["a"]) == 23.0
    assert [float(each) for each in found["b"]] == [11.0, 1.0]


def test_what_is_not_connected_has_none_or_zeros():
    other = constant([3.0])
    with ForwardAccumulator(X, DIRECTION) as accumulator:
        y = other * 2.0
    assert accumulator.jvp([y, other]) == [None, None]
    assert accumulator.jvp(y, unconnected_gradients="zero").tolist() == [0.0]
    with pytest.raises(ValueError, match="Unknown value"):
        accumulator.jvp(y, unconnected_gradients="nothing")


def test_nothing_is_computed_outside_of_the_context():
    accumulator = ForwardAccumulator(X, DIRECTION)
    before = X * X
    with accumulator:
        within = X * X
    after = X * X
    assert accumulator.jvp(X).tolist() == [1.0, 10.0]
    assert [accumulator.jvp(each) is None for each in (before, within, after)] == [True, False, True]


def test_primals_must_differ_and_tangents_fit():
    with pytest.raises(ValueError, match="multiple times"):
        ForwardAccumulator([X, X], [DIRECTION, DIRECTION])
    with pytest.raises(ValueError, match="shape"):
        ForwardAccumulator(X, constant(1.0))
    with pytest.raises(ValueError, match="structure of 2 parts"):
        ForwardAccumulator([X, constant(1.0)], [DIRECTION])
    with pytest.raises(ValueError, match="float32"):
        ForwardAccumulator(X, constant([1.0, 2.0], dtype="float32"))
    with pytest.raises(TypeError, match="primal"):
        ForwardAccumulator(3.0, 1.0)


def test_an_entered_accumulator_cannot_be_entered():
    with ForwardAccumulator(X, DIRECTION) as accumulator:
        with pytest.raises(ValueError, match="already recording"):
            accumulator.__enter__()
        y = X * 2.0
    with accumulator:
        z = X * 3.0
    assert accumulator.jvp([y, z])[1].tolist() == [3.0, 30.0]


def test_integers_are_warned_of(caplog):
    with caplog.at_level(logging.WARNING, "srcad"):
        accumulator = ForwardAccumulator(constant([1, 2]), constant([1, 2]))
    assert "must be floating" in caplog.text
    assert accumulator._accumulation.known == {}


@pytest.mark.slow
def test_tangents_live_as_long_as_their_tensors():
    with ForwardAccumulator(X, DIRECTION) as accumulator:
        y = X * X
        z = np.sum(y * 2.0)
        del y
        gc.collect()
        assert len(accumulator._accumulation.known) == 2
    assert float(accumulator.jvp(z)) == 2.0 * 2.0 * (1.0 + 20.0)


def test_large_sums_keep_what_a_tangent_reads():
    # A tape keeps only shapes of what no pullback reads; a tangent may read more.
    x = constant(np.linspace(0.1, 1.0, 2000))
    with GradientTape() as tape, ForwardAccumulator(x, np.ones(2000)) as accumulator:
        tape.watch(x)
        y = np.sqrt(x + 1.0)[::2] * 3.0
    np.testing.assert_allclose(accumulator.jvp(y), 1.5 / np.sqrt(x.numpy()[::2] + 1.0))


def stepping(x, k):
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = np.sin(x[i]) * k * x[0]
    return out, np.sum(out)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_calls_of_compiled_functions(jit):
    f = srcad.function(stepping, jit=jit)
    x, k = constant([0.5, 1.0]), constant(2.0)
    directions = [np.array([1.0, -0.5]), np.array(0.25)]

    def along(step):
        return stepping(x.numpy() + step * directions[0], float(k) + step * float(directions[1]))

    with ForwardAccumulator([x, k], directions) as accumulator:
        values, total = f(x, k)
    dots = accumulator.jvp([values, total])
    for dot, high, low in zip(dots, along(1e-6), along(-1e-6), strict=True):
        np.testing.assert_allclose(dot, (high - low) / 2e-6, rtol=1e-6)
    # Forward over reverse, reverse over forward, forward over forward: the same second derivative.
    with ForwardAccumulator([x, k], directions) as accumulator:
        with GradientTape() as tape:
            tape.watch([x, k])
            _, total = f(x, k)
        slopes = tape.gradient(total, [x, k])
    bends = accumulator.jvp(slopes)
    with GradientTape() as tape:
        tape.watch([x, k])
        with ForwardAccumulator([x, k], directions) as inner:
            _, total = f(x, k)
        dot = inner.jvp(total)
    for bend, again in zip(bends, tape.gradient(dot, [x, k]), strict=True):
        np.testing.assert_allclose(bend, again, rtol=1e-10)
    second = sum(np.sum(np.asarray(bend) * each) for bend, each in zip(bends, directions, strict=True))
    steps = [along(step)[1] for step in (1e-4, 0.0, -1e-4)]
    assert second == pytest.approx((steps[0] - 2.0 * steps[1] + steps[2]) / 1e-8, rel=1e-4)


def test_forward_over_forward_of_a_compiled_function():
    f = srcad.function(lambda x: np.sum(x * x * x), jit=False)
    with ForwardAccumulator(X, DIRECTION) as outer, ForwardAccumulator(X, DIRECTION) as inner:
        y = f(X)
    assert float(outer.jvp(inner.jvp(y))) == 6.0 * (1.0 + 2.0 * 100.0)


def test_a_custom_gradient_is_transposed():
    f = srcad.custom_gradient(lambda x: (np.exp(x), lambda upstream: upstream * np.exp(x) * 2.0))
    with ForwardAccumulator(X, DIRECTION) as accumulator:
        y = f(X)
    np.testing.assert_allclose(accumulator.jvp(y), 2.0 * np.exp([1.0, 2.0]) * [1.0, 10.0])


def test_items_assigned_to_a_variable():
    v = Variable([1.0, 5.0, 3.0])
    with ForwardAccumulator(v, constant([1.0, 0.0, 2.0])) as accumulator:
        v[0] = 2.0 * v[2]
        y = v * v
    assert accumulator.jvp(y).tolist() == [2.0 * 6.0 * 4.0, 0.0, 12.0]


def test_large_results_of_functions_that_others_define_have_tangents():
    value = np.linspace(0.0, 1.0, 2000)
    for function in (np.nancumsum, np.unwrap, np.ediff1d):
        for _ in range(2):
            x = constant(value)
            with ForwardAccumulator(x, constant(np.ones(2000))) as accumulator:
                y = function(x)
            np.testing.assert_allclose(accumulator.jvp(y), function(np.ones(2000)))


def test_what_is_linear_and_given_by_keyword_does_not_move():
    with ForwardAccumulator(X, DIRECTION) as accumulator:
        y = np.select([np.array([True, False])], [X], default=2.0)
    assert accumulator.jvp(y).tolist() == [1.0, 0.0]
