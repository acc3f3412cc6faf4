"""What TensorFlow's reference pages beside that of GradientTape show, with their numbers."""

import numpy as np
import pytest

import srcad
from tests.test_examples import load_example


@pytest.fixture(scope="module")
def dense():
    return load_example("dense_layers").Dense


# custom_gradient


def test_a_stable_gradient_for_large_inputs():
    def log1pexp(x):
        return np.log(1.0 + np.exp(x))

    @srcad.custom_gradient
    def stable(x):
        e = np.exp(x)
        return np.log(1.0 + e), lambda upstream: upstream * (1.0 - 1.0 / (1.0 + e))

    x = srcad.constant(1000.0)
    with srcad.GradientTape(persistent=True) as tape, np.errstate(over="ignore"):
        tape.watch(x)
        y, z = log1pexp(x), stable(x)
    assert np.isnan(tape.gradient(y, x))
    assert float(tape.gradient(z, x)) == 1.0


def test_as_many_gradients_as_arguments():
    @srcad.custom_gradient
    def product(x, y):
        return x * y, lambda upstream: (upstream * y, upstream * x)

    x, y = srcad.constant(2.0), srcad.constant(3.0)
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = product(x, y)
    assert (float(z), float(tape.gradient(z, x)), float(tape.gradient(z, y))) == (6.0, 3.0, 2.0)


def test_a_second_derivative_of_ones_own():
    @srcad.custom_gradient
    def cube(x):
        def first_order(dy):
            @srcad.custom_gradient
            def slope(unused_x):
                return 3.0 * x * x, lambda ddy: ddy * 600.0 * x  # a hundred times what it is, to be seen

            return dy * slope(x)

        return x * x * x, first_order

    x = srcad.constant(2.0)
    with srcad.GradientTape() as outer:
        outer.watch(x)
        with srcad.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        slope = inner.gradient(y, x)
    assert (float(slope), float(outer.gradient(slope, x))) == (12.0, 1200.0)


def test_variables_read_by_the_function():
    weights = srcad.Variable(np.ones(2))

    @srcad.custom_gradient
    def linear(x):
        poly = weights[1] * x + weights[0]

        def gradient(upstream, variables):
            assert len(variables) == 1
            assert variables[0] is weights
            by_weights = upstream * np.stack([x**1, x**0])
            return upstream * weights[1], [np.sum(np.reshape(by_weights, (2, -1)), axis=1)]

        return poly, gradient

    x = srcad.constant([1.0, 2.0, 3.0])
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch(x)
        poly = linear(x)
    assert poly.tolist() == [2.0, 3.0, 4.0]
    assert tape.gradient(poly, x).tolist() == [1.0, 1.0, 1.0]
    assert tape.gradient(poly, weights).tolist() == [6.0, 3.0]


@pytest.mark.parametrize("prepared", [srcad.stop_gradient, lambda x: x])
def test_functions_without_a_rule_inside(prepared):
    @srcad.custom_gradient
    def parted(x):
        return np.nextafter(prepared(x), 9.0), lambda upstream: 2.0 * upstream

    x = srcad.constant([0.5, 0.3, 0.4])
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = parted(x)
        with pytest.raises(srcad.errors.MissingRule, match="custom_gradient"):
            np.nextafter(x, 9.0)
    assert y.tolist() == pytest.approx([0.5, 0.3, 0.4])
    assert tape.gradient(y, x).tolist() == [2.0, 2.0, 2.0]


# recompute_grad


def test_a_recomputed_function_runs_twice():
    y, runs = srcad.Variable(1.5), []

    def times_y(x):
        runs.append(1)
        return x * y

    for function, count in ((srcad.recompute_grad(times_y), 8), (times_y, 4)):
        runs.clear()
        with srcad.GradientTape() as tape:
            r = srcad.constant(1.0)
            for _ in range(4):
                r = function(r)
        assert len(runs) == 4
        assert float(tape.gradient(r, [y])[0]) == 4.0 * 1.5**3
        assert len(runs) == count


def test_a_recomputed_model_is_reached_through_the_wrapper(dense):
    model = dense(2)
    recomputed = srcad.recompute_grad(model)
    with srcad.GradientTape(persistent=True) as tape:
        r = srcad.constant([[1.0, 2.0]])
        for _ in range(4):
            r = recomputed(r)
    assert recomputed.__wrapped__ is model
    found = tape.gradient(r, recomputed.__wrapped__.variables)
    with srcad.GradientTape() as plain:
        s = srcad.constant([[1.0, 2.0]])
        for _ in range(4):
            s = model(s)
    for one, other in zip(found, plain.gradient(s, model.variables), strict=True):
        np.testing.assert_allclose(one, other)


# ForwardAccumulator


def test_forward_mode_yields_a_jacobian_by_columns_and_the_tape_by_rows(dense):
    x, targets = srcad.constant([[2.0, 3.0], [1.0, 4.0]]), srcad.constant([[1.0], [-1.0]])
    layer = dense(1)
    layer.build(2)

    def loss():
        return np.sum((layer(x) - targets) ** 2.0)

    columns = []
    for direction in ([[1.0], [0.0]], [[0.0], [1.0]]):
        with srcad.ForwardAccumulator(layer.weights, srcad.constant(direction)) as accumulator:
            columns.append(accumulator.jvp(loss()))
    with srcad.ForwardAccumulator(layer.bias, srcad.constant([1.0])) as accumulator:
        by_bias = accumulator.jvp(loss())
    with srcad.GradientTape() as tape:
        value = loss()
    weights, bias = tape.gradient(value, (layer.weights, layer.bias))
    np.testing.assert_allclose(weights, np.stack(columns)[:, np.newaxis])
    np.testing.assert_allclose(bias, by_bias[np.newaxis])


def test_higher_orders_come_from_outer_accumulators():
    primal = srcad.constant(1.1)
    outer, inner = (srcad.ForwardAccumulator(primal, srcad.constant(1.0)) for _ in range(2))
    with outer, inner:
        result = primal ** srcad.constant(3.5)
    assert float(inner.jvp(result)) == pytest.approx(3.5 * 1.1**2.5)
    assert float(outer.jvp(inner.jvp(result))) == pytest.approx(3.5 * 2.5 * 1.1**1.5)
    assert inner.jvp(outer.jvp(result)) is None


def test_forward_over_backward():
    v = srcad.Variable([1.0, 2.0])
    with srcad.ForwardAccumulator(v, srcad.constant([1.0, 0.0])) as accumulator:
        with srcad.GradientTape() as tape:
            y = np.sum(v**3.0)
        backward = tape.gradient(y, v)
    assert backward.tolist() == [3.0, 12.0]
    assert accumulator.jvp(backward).tolist() == [6.0, 0.0]


# IndexedSlices, stop_gradient, Variable


def test_rows_that_were_gathered():
    v = srcad.Variable([[0.0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8]])
    with srcad.GradientTape() as tape:
        r = np.take(v, [1, 3], axis=0)
    slices = tape.gradient(r, v)
    assert isinstance(slices, srcad.IndexedSlices)
    assert slices.indices.numpy().tolist() == [1, 3]
    assert slices.values.numpy().tolist() == [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]


def test_a_softmax_that_stops_at_its_maximum():
    def softmax(x):
        return np.exp(x) / np.sum(np.exp(x))

    def stable_softmax(x):
        return softmax(x - srcad.stop_gradient(np.max(x)))

    x = srcad.constant([1.0, 3.0, 3.0])
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = softmax(x), stable_softmax(x)
    np.testing.assert_allclose(z, y)
    np.testing.assert_allclose(tape.jacobian(z, x), tape.jacobian(y, x))


def test_a_variable_is_assigned_and_takes_part_in_operations():
    v = srcad.Variable(1.0)
    assert float(v.assign(2.0)) == 2.0
    assert float(v.assign_add(0.5)) == 2.5
    w, x = srcad.Variable([[1.0], [2.0]]), srcad.constant([[3.0, 4.0]])
    assert (w @ x).tolist() == [[3.0, 4.0], [6.0, 8.0]]
    assert (w + x).shape == (2, 2)


def test_only_trainable_variables_are_watched():
    with srcad.GradientTape(persistent=True) as tape:
        trainable, fixed = srcad.Variable(1.0), srcad.Variable(2.0, trainable=False)
        x, y = trainable * 2.0, fixed * 3.0
    assert float(tape.gradient(x, trainable)) == 2.0
    assert tape.gradient(y, fixed) is None
