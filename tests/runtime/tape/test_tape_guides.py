"""What TensorFlow's reference page of GradientTape and its two guides to differentiation show, with their numbers."""

import numpy as np
import pytest

import srcad
from srcad.errors import MissingRule
from tests.test_examples import load_example

RANDOM = np.random.default_rng(7)


@pytest.fixture(scope="module")
def dense():
    return load_example("dense_layers").Dense


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def elu(x):
    return np.where(x > 0.0, x, np.exp(np.minimum(x, 0.0)) - 1.0)


# The reference page


def test_reference_square():
    x = srcad.constant(3.0)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_reference_nested():
    x = srcad.constant(5.0)
    with srcad.GradientTape() as outer:
        outer.watch(x)
        with srcad.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        slope = inner.gradient(y, x)
    assert (float(slope), float(outer.gradient(slope, x))) == (10.0, 2.0)


def test_reference_persistent():
    x = srcad.constant(3.0)
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert (float(tape.gradient(z, x)), float(tape.gradient(y, x))) == (108.0, 6.0)


@pytest.mark.slow
def test_reference_watching_by_hand(dense):
    a, b = dense(32), dense(32)
    with srcad.GradientTape(watch_accessed_variables=False) as tape:
        inputs = srcad.constant(np.ones((1, 4)))
        hidden = a(inputs)  # builds the variables, which are not watched yet
        tape.watch(a.variables)
        result = b(a(inputs))
    gradients = tape.gradient(result, [*a.variables, *b.variables])
    assert [each is None for each in gradients] == [False, False, True, True]
    assert tape.gradient is not None
    assert hidden.shape == (1, 32)


def test_reference_stop_recording():
    x = srcad.constant(4.0)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            y = x**2
    assert tape.gradient(y, x) is None


def test_reference_reset():
    x = srcad.Variable(3.0)
    with srcad.GradientTape() as tape:
        loss = x * x
        tape.reset()
        loss = loss + x**3
    assert float(tape.gradient(loss, x)) == 27.0


def test_reference_jacobians():
    x = srcad.constant([1.0, 2.0])
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.jacobian(y, x).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    x = srcad.constant([[1.0, 2.0], [3.0, 4.0]])
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.batch_jacobian(y, x).tolist() == [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]


# The guide to gradients and automatic differentiation


def test_guide_a_number():
    x = srcad.Variable(3.0)
    with srcad.GradientTape() as tape:
        y = x**2
    assert tape.gradient(y, x).numpy() == 6.0


def test_guide_tensors_in_lists_and_dictionaries():
    w, b = srcad.Variable(RANDOM.normal(size=(3, 2)), name="w"), srcad.Variable(np.zeros(2), name="b")
    x = np.array([[1.0, 2.0, 3.0]])
    with srcad.GradientTape(persistent=True) as tape:
        y = x @ w + b
        loss = np.mean(y**2)
    by_w, by_b = tape.gradient(loss, [w, b])
    assert (by_w.shape, by_b.shape) == (w.shape, b.shape)
    by_name = tape.gradient(loss, {"w": w, "b": b})
    # The mean over two elements: d loss / d b = y.
    np.testing.assert_allclose(by_name["b"], y[0])
    np.testing.assert_allclose(by_name["w"], np.outer(x[0], y[0]))


def test_guide_with_respect_to_a_model(dense):
    layer, x = dense(2, lambda x: np.maximum(x, 0.0)), srcad.constant([[1.0, 2.0, 3.0]])
    with srcad.GradientTape() as tape:
        loss = np.mean(layer(x) ** 2)
    gradients = tape.gradient(loss, layer.variables)
    assert [(v.name, g.shape) for v, g in zip(layer.variables, gradients, strict=True)] == [
        ("weights:0", (3, 2)),
        ("bias:0", (2,)),
    ]


def test_guide_what_is_watched():
    x0 = srcad.Variable(3.0, name="x0")
    x1 = srcad.Variable(3.0, name="x1", trainable=False)
    x2 = srcad.Variable(2.0, name="x2") + 1.0  # a tensor
    x3 = srcad.constant(3.0)
    with srcad.GradientTape() as tape:
        y = x0**2 + x1**2 + x2**2
    found = tape.gradient(y, [x0, x1, x2, x3])
    assert [each if each is None else float(each) for each in found] == [6.0, None, None, None]
    assert [each.name for each in tape.watched_variables()] == ["x0:0"]


def test_guide_only_what_is_chosen():
    x0, x1 = srcad.Variable(0.0), srcad.Variable(10.0)
    with srcad.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        y = np.sin(x0) + np.log1p(np.exp(x1))
    found = tape.gradient(y, {"x0": x0, "x1": x1})
    assert found["x0"] is None
    assert float(found["x1"]) == pytest.approx(0.9999546, abs=1e-7)


def test_guide_intermediate_results():
    x = srcad.constant(3.0)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert float(tape.gradient(z, y)) == 18.0


def test_guide_persistent():
    x = srcad.constant([1.0, 3.0])
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert tape.gradient(z, x).tolist() == [4.0, 108.0]
    assert tape.gradient(y, x).tolist() == [2.0, 6.0]


def test_guide_several_targets():
    x = srcad.Variable(2.0)
    with srcad.GradientTape(persistent=True) as tape:
        y0 = x**2
        y1 = 1.0 / x
        y2 = x * [3.0, 4.0]
    assert (float(tape.gradient(y0, x)), float(tape.gradient(y1, x))) == (4.0, -0.25)
    assert float(tape.gradient({"y0": y0, "y1": y1}, x)) == 3.75
    assert float(tape.gradient(y2, x)) == 7.0


def test_guide_elementwise():
    x = srcad.constant(np.linspace(-10.0, 10.0, 201))
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = sigmoid(x)
    slope = tape.gradient(y, x)
    np.testing.assert_allclose(slope, y * (1.0 - y), atol=1e-15)
    assert float(slope[100]) == 0.25


def test_guide_control_flow():
    x, v0, v1 = srcad.constant(1.0), srcad.Variable(2.0), srcad.Variable(2.0)
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
    assert float(tape.gradient(result, v0)) == 1.0
    assert tape.gradient(result, v1) is None
    assert tape.gradient(result, x) is None


def test_guide_not_connected():
    x, y = srcad.Variable(2.0), srcad.Variable(3.0)
    with srcad.GradientTape() as tape:
        z = y * y
    assert tape.gradient(z, x) is None


def test_guide_a_variable_replaced_by_a_tensor():
    x, found = srcad.Variable(2.0), []
    for _ in range(2):
        with srcad.GradientTape() as tape:
            y = x + 1
        found.append(tape.gradient(y, x))
        explained = tape.explain(y, x) if found[-1] is None else ""
        x = x + 1  # not x.assign_add(1)
    assert float(found[0]) == 1.0
    assert found[1] is None
    assert "not watched" in explained


def test_guide_numpy_is_recorded_and_only_plain_arrays_are_not():
    x = srcad.Variable([[1.0, 2.0], [3.0, 4.0]])
    with srcad.GradientTape(persistent=True) as tape:
        squares = x**2
        recorded = np.mean(np.mean(squares, axis=0))
        left = srcad.constant(np.mean(squares.numpy(), axis=0))
    # TensorFlow has None for the first as well: there NumPy is not recorded.
    assert tape.gradient(recorded, x).tolist() == [[0.5, 1.0], [1.5, 2.0]]
    assert tape.gradient(left, x) is None
    assert "numpy()" in tape.explain(left, x)


def test_guide_integers():
    x = srcad.constant(10)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x) is None


def test_guide_state():
    x0, x1 = srcad.Variable(3.0), srcad.Variable(0.0)
    with srcad.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    assert tape.gradient(y, x0) is None


def test_guide_no_gradient_registered():
    image = srcad.Variable([[0.5, 0.0], [0.25, 1.0]])
    with srcad.GradientTape(), pytest.raises(MissingRule, match=r"np\.nextafter"):
        np.nextafter(image, 9.0)


def test_guide_zeros_instead_of_none():
    x, y = srcad.Variable([2.0, 2.0]), srcad.Variable(3.0)
    with srcad.GradientTape() as tape:
        z = y**2
    assert tape.gradient(z, x, unconnected_gradients=srcad.UnconnectedGradients.ZERO).tolist() == [0.0, 0.0]


# The guide to advanced differentiation


def test_advanced_stop_recording():
    x, y = srcad.Variable(2.0), srcad.Variable(3.0)
    with srcad.GradientTape() as tape:
        x_squared = x * x
        with tape.stop_recording():
            y_squared = y * y
        z = x_squared + y_squared
    found = tape.gradient(z, {"x": x, "y": y})
    assert (float(found["x"]), found["y"]) == (4.0, None)


def test_advanced_reset():
    x, y, reset = srcad.Variable(2.0), srcad.Variable(3.0), True
    with srcad.GradientTape() as tape:
        y_squared = y * y
        if reset:
            tape.reset()
        z = x * x + y_squared
    found = tape.gradient(z, {"x": x, "y": y})
    assert (float(found["x"]), found["y"]) == (4.0, None)


def test_advanced_stop_gradient():
    x, y = srcad.Variable(2.0), srcad.Variable(3.0)
    with srcad.GradientTape() as tape:
        z = x**2 + srcad.stop_gradient(y**2)
    found = tape.gradient(z, {"x": x, "y": y})
    assert (float(found["x"]), found["y"]) == (4.0, None)


def test_advanced_custom_gradient():
    @srcad.custom_gradient
    def clip_gradients(y):
        def backward(dy):
            return dy * np.minimum(1.0, 0.5 / np.linalg.norm(np.reshape(dy, -1)))

        return y, backward

    v = srcad.Variable(2.0)
    with srcad.GradientTape() as tape:
        output = clip_gradients(v * v)
    assert float(tape.gradient(output, v)) == 2.0  # 4 if it were not clipped to 0.5


def test_advanced_several_tapes():
    x0, x1 = srcad.constant(0.0), srcad.constant(0.0)
    with srcad.GradientTape() as tape0, srcad.GradientTape() as tape1:
        tape0.watch(x0)
        tape1.watch(x1)
        y = np.sin(x0) + sigmoid(x1)
        total = np.sum(y)
    assert float(tape0.gradient(total, x0)) == 1.0
    assert float(tape1.gradient(total, x1)) == 0.25


def test_advanced_higher_order():
    x = srcad.Variable(1.0)
    with srcad.GradientTape() as outer:
        with srcad.GradientTape() as inner:
            y = x * x * x
        slope = inner.gradient(y, x)
    assert (float(slope), float(outer.gradient(slope, x))) == (3.0, 6.0)


def test_advanced_regularisation_by_the_gradient_of_the_input(dense):
    x, layer = srcad.constant(RANDOM.normal(size=(7, 5))), dense(10, lambda x: np.maximum(x, 0.0))
    with srcad.GradientTape() as outer:
        with srcad.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch(x)
            out = np.sum(layer(x) ** 2)
        by_input = inner.gradient(out, x)
        penalty = np.linalg.norm(np.reshape(by_input, -1))
        total = out + penalty
    by_variables = outer.gradient(total, layer.variables)
    assert [each.shape for each in by_variables] == [(5, 10), (10,)]
    step, (weights, _) = 1e-6, layer.variables
    before = weights.numpy()

    def at(value):
        weights.assign(value)
        sums = np.maximum(x.numpy() @ value + layer.bias.numpy(), 0.0)
        slope = 2.0 * sums @ value.T
        return np.sum(sums**2) + np.linalg.norm(slope)

    moved = np.zeros_like(before)
    moved[2, 3] = step
    assert (at(before + moved) - at(before - moved)) / (2 * step) == pytest.approx(
        float(by_variables[0][2, 3]), rel=1e-5
    )


def test_advanced_jacobian_by_a_number():
    x, delta = np.linspace(-10.0, 10.0, 201), srcad.Variable(0.0)
    with srcad.GradientTape() as tape:
        y = sigmoid(x + delta)
    slope = tape.jacobian(y, delta)
    assert slope.shape == (201,)
    np.testing.assert_allclose(slope, sigmoid(x) * (1.0 - sigmoid(x)), atol=1e-15)


def test_advanced_jacobian_by_an_array_adds_up_to_the_gradient(dense):
    x, layer = srcad.constant(RANDOM.normal(size=(7, 5))), dense(10, lambda x: np.maximum(x, 0.0))
    with srcad.GradientTape(persistent=True) as tape:
        y = layer(x)
    found = tape.jacobian(y, layer.weights)
    assert found.shape == (7, 10, 5, 10)
    np.testing.assert_allclose(np.sum(found, axis=(0, 1)), tape.gradient(y, layer.weights))


def test_advanced_a_newton_step_by_the_hessian():
    x = srcad.Variable([[0.5, -1.0], [2.0, 0.25]])
    centre = np.array([[1.0, 0.0], [0.5, -0.5]])
    with srcad.GradientTape() as outer:
        with srcad.GradientTape() as inner:
            loss = np.sum((x - centre) ** 2 * np.array([1.0, 2.0])) + x[0, 0] * x[1, 1]
        slope = inner.gradient(loss, x)
    hessian = outer.jacobian(slope, x)
    assert hessian.shape == (2, 2, 2, 2)
    step = np.linalg.solve(np.reshape(hessian, (4, 4)), np.reshape(slope, 4))
    x.assign_sub(np.reshape(step, (2, 2)))
    with srcad.GradientTape() as tape:
        loss = np.sum((x - centre) ** 2 * np.array([1.0, 2.0])) + x[0, 0] * x[1, 1]
    np.testing.assert_allclose(tape.gradient(loss, x), 0.0, atol=1e-12)


def test_advanced_batch_jacobians(dense):
    x, first, second = srcad.constant(RANDOM.normal(size=(7, 5))), dense(8, elu, seed=1), dense(6, elu, seed=2)
    with srcad.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = second(first(x))
    whole = tape.jacobian(y, x)
    assert whole.shape == (7, 6, 7, 5)
    by_batch = tape.batch_jacobian(y, x)
    assert by_batch.shape == (7, 6, 5)
    np.testing.assert_allclose(np.einsum("bxby->bxy", np.asarray(whole)), by_batch, atol=1e-15)
    np.testing.assert_allclose(np.sum(whole, axis=2), by_batch, atol=1e-15)  # nothing off the diagonal


def test_advanced_batch_jacobians_of_rows_that_depend_on_each_other(dense):
    x, layer = srcad.constant(RANDOM.normal(size=(7, 5))), dense(6, elu)
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch(x)
        hidden = layer(x)
        y = (hidden - np.mean(hidden, axis=0)) / np.std(hidden, axis=0)  # mixes the rows of the batch
    whole, by_batch = tape.jacobian(y, x), tape.batch_jacobian(y, x)
    # As in TensorFlow, the sums over the batch; not the diagonal.
    np.testing.assert_allclose(np.sum(whole, axis=0).transpose(1, 0, 2), by_batch, atol=1e-12)
