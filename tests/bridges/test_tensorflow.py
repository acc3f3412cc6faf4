"""The bridge to TensorFlow, against TensorFlow's own derivatives."""

import numpy as np
import pytest

import srcad
from srcad.bridges.tensorflow import as_function

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")


def modulated(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.2:
            total += np.sin(k * x[i]) * x[i]
    return total


def same_in_tensorflow(x, k):
    return tf.reduce_sum(tf.where(x > 0.2, tf.sin(k * x) * x, tf.zeros_like(x)))


def overwriting(x):
    x[0] = x[1] ** 2
    return x * x


def derivatives(f, *tensors):
    """First derivatives, and those of a weighted sum of them."""
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(tensors)
        with tf.GradientTape() as inner:
            inner.watch(tensors)
            value = tf.reduce_sum(f(*tensors) ** 2)
        first = inner.gradient(value, tensors)
        mixed = tf.add_n([tf.reduce_sum(tf.cos(each) * each) for each in first])
    return [value.numpy(), *(each.numpy() for each in (*first, *outer.gradient(mixed, tensors)))]


X = tf.constant(np.array([0.1, 0.5, 0.9]))


@pytest.mark.parametrize(
    ("f", "same", "tensors"),
    [
        (modulated, same_in_tensorflow, (X, tf.constant(2.0, tf.float64))),
        (overwriting, lambda x: tf.concat([[x[1] ** 4], x[1:] ** 2], 0), (X,)),
        (lambda x, y: x + y, lambda x, y: x + y, (X, 2.0 * X)),
        (lambda x: x, lambda x: x, (X,)),
        (np.exp, tf.exp, (X,)),
        (lambda x: x @ x.T, lambda x: x @ tf.transpose(x), (tf.reshape(tf.range(1.0, 7.0), (2, 3)) / 7.0,)),
    ],
)
def test_first_and_second_derivatives_are_tensorflows(f, same, tensors):
    found, expected = derivatives(as_function(f, jit=False), *tensors), derivatives(same, *tensors)
    tolerance = 1e-4 if tensors[0].dtype == tf.float32 else 1e-10
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert one == pytest.approx(other, rel=tolerance, abs=tolerance)


def test_variables_structures_and_constants():
    layer = as_function(lambda p, x, n: {"y": p["w"] * x**n, "count": n + 1}, jit=False)
    w = tf.Variable(2.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        found = layer({"w": w}, X, 2)
        value = tf.reduce_sum(found["y"])
    assert tape.gradient(value, w).numpy() == pytest.approx(np.sum(X.numpy() ** 2))
    assert int(found["count"]) == 3


def test_tensors_of_integers_are_data_and_inputs_stay_as_they_are():
    layer = as_function(lambda x, k: np.sum(x[k]), jit=False)
    with tf.GradientTape() as tape:
        tape.watch(X)
        value = layer(X, tf.constant([0, 2]))
    assert tape.gradient(value, X).numpy().tolist() == [1.0, 0.0, 1.0]
    before = X.numpy().copy()
    as_function(overwriting, jit=False)(X)
    assert X.numpy().tolist() == before.tolist()


def test_within_a_graph_it_is_differentiated_once():
    layer = as_function(modulated, jit=False)
    k = tf.constant(2.0, tf.float64)

    @tf.function
    def slope(x, k):
        with tf.GradientTape() as tape:
            tape.watch(k)
            value = layer(x, k) ** 2
        return tape.gradient(value, k)

    assert float(slope(X, k)) == pytest.approx(derivatives(same_in_tensorflow, X, k)[2])
    structured = tf.function(as_function(lambda x: (x, x), jit=False))
    with pytest.raises((srcad.BadArgument, tf.errors.OpError), match=r"returns a structure within a tf\.function"):
        structured(X)
    with pytest.raises(srcad.BadArgument, match="give all tensors one dtype"):
        tf.function(layer)(X, tf.constant(2.0, tf.float32))


def test_a_third_derivative_is_refused():
    layer = as_function(lambda x: x**4, jit=False)
    x, w = tf.constant(2.0, tf.float64), tf.constant(3.0, tf.float64)
    with tf.GradientTape() as third:
        third.watch((x, w))
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = w * layer(x)
            slope = first.gradient(y, x)
        curvature = second.gradient(slope, x)
    assert float(curvature) == pytest.approx(3.0 * 12.0 * 4.0)
    with pytest.raises(srcad.BadArgument, match="three times"):
        third.gradient(curvature, x)


@pytest.mark.parametrize(
    ("tensor", "cure"),
    [
        (lambda: tf.cast(X, tf.float16), "tf.cast"),
        (lambda: tf.cast(X, tf.bfloat16), "tf.cast"),
        (lambda: tf.sparse.from_dense(X), "tf.sparse.to_dense"),
        (lambda: tf.ragged.constant([[1.0], [2.0, 3.0]]), "to_tensor"),
        (lambda: tf.constant("text"), "decode"),
    ],
)
def test_wrong_tensors_get_an_error_that_names_the_cure(tensor, cure):
    with pytest.raises(srcad.BadType, match=cure):
        as_function(lambda x: x * 2.0, jit=False)(tensor())


def test_plain_arrays_work_without_a_tape():
    assert as_function(modulated, jit=False)(X.numpy(), 2.0).numpy() == pytest.approx(
        float(same_in_tensorflow(X, tf.constant(2.0, tf.float64)))
    )


def test_derivatives_are_the_same_where_tensorflow_hides_how_operations_are_recorded(monkeypatch):
    layer = as_function(modulated, jit=False)
    expected = derivatives(layer, X, tf.constant(2.0, tf.float64))
    monkeypatch.setattr("srcad.bridges.tensorflow._record", lambda: None)
    assert layer(X, 2.0).numpy() == modulated(X.numpy(), 2.0)
    for one, other in zip(derivatives(layer, X, tf.constant(2.0, tf.float64)), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_without_a_tape_only_the_value_is_computed(monkeypatch):
    layer = as_function(modulated, jit=False)
    layer(X, 2.0)
    monkeypatch.setattr("srcad.bridges.leaf_calls.LeafCall.differentiated", None)
    assert layer(tf.Variable(X), 2.0).numpy() == modulated(X.numpy(), 2.0)


def test_results_that_nothing_depends_on_have_no_adjoint():
    layer, x = as_function(lambda x: (x * 2.0, np.sum(x), 3), jit=False), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = layer(x)[0][1]
    np.testing.assert_array_equal(tape.gradient(y, x), [0.0, 2.0])


def test_forward_accumulators_get_tangents():
    layer = as_function(modulated, jit=False)
    with tf.autodiff.ForwardAccumulator(X, tf.ones_like(X)) as moved:
        y = layer(X, 2.0)
    with tf.autodiff.ForwardAccumulator(X, tf.ones_like(X)) as same:
        z = same_in_tensorflow(X, 2.0)
    assert moved.jvp(y).numpy() == pytest.approx(same.jvp(z).numpy())
