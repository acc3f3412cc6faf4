"""Cases of `jacobian` and `batch_jacobian`."""

from tests.conformance.cases import Cases

case = Cases()


def jacobian(tf, function, value, persistent=False, **options):
    x = tf.constant(value)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = function(x)
    return tape.jacobian(y, x, **options)


def batched(tf, function, value, persistent=False, **options):
    x = tf.constant(value)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = function(x)
    return tape.batch_jacobian(y, x, **options)


@case
def of_a_square(tf):
    return jacobian(tf, lambda x: x * x, [1.0, 2.0, 3.0])


@case
def of_a_number_by_a_number(tf):
    found = jacobian(tf, lambda x: x * x, 3.0)
    return [found, list(found.shape)]


@case
def of_a_number_by_a_vector(tf):
    return jacobian(tf, lambda x: tf.reduce_sum(x * x), [1.0, 2.0])


@case
def of_a_vector_by_a_number(tf):
    return jacobian(tf, lambda x: x * tf.constant([1.0, 2.0]), 3.0)


@case
def of_a_matrix_by_a_vector(tf):
    found = jacobian(tf, lambda x: x[:, None] * x[None, :], [1.0, 2.0])
    return [found, list(found.shape)]


@case
def of_a_product_by_a_matrix(tf):
    return jacobian(tf, lambda x: tf.matmul(x, x), [[1.0, 2.0], [3.0, 4.0]])


@case
def of_itself(tf):
    return jacobian(tf, lambda x: x, [1.0, 2.0])


@case
def unconnected(tf):
    return jacobian(tf, lambda x: tf.constant([1.0, 2.0]) * 2.0, [1.0, 2.0])


@case
def unconnected_zero(tf):
    return jacobian(tf, lambda x: tf.constant([1.0, 2.0, 3.0]) * 2.0, [1.0, 2.0], unconnected_gradients="zero")


@case
def wrong_choice(tf):
    return jacobian(tf, lambda x: x * x, [1.0, 2.0], unconnected_gradients="nonsense")


@case
def one_after_the_other(tf):
    return jacobian(tf, lambda x: x * x, [1.0, 2.0], persistent=True, experimental_use_pfor=False)


@case
def one_after_the_other_asks_for_a_persistent_tape(tf):
    return jacobian(tf, lambda x: x * x, [1.0, 2.0], experimental_use_pfor=False)


@case
def in_parallel(tf):
    return jacobian(tf, tf.sin, [1.0, 2.0, 3.0], persistent=True, parallel_iterations=2)


@case
def one_after_the_other_in_parallel(tf):
    options = {"parallel_iterations": 2, "experimental_use_pfor": False}
    return jacobian(tf, tf.sin, [1.0, 2.0, 3.0], persistent=True, **options)


@case
def of_several_sources(tf):
    w, v = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w * v
    return tape.jacobian(y, {"w": w, "v": v})


@case
def of_sources_partly_unconnected(tf):
    w, v = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w * w
    return tape.jacobian(y, [w, v])


case.recorded("of_a_list_of_targets", [1.0, 2.0], lambda tf, x: x * x, lambda tape, x, y: tape.jacobian([y, y], x))
case.recorded("of_none", [1.0, 2.0], lambda tf, x: x, lambda tape, x, y: tape.jacobian(None, x))
case.recorded("of_a_float", [1.0, 2.0], lambda tf, x: x, lambda tape, x, y: tape.jacobian(1.0, x))


@case
def twice_on_a_persistent_tape(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return [tape.jacobian(y, x), tape.jacobian(z, y), tape.gradient(z, x)]


@case
def a_used_tape(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.jacobian(y, x)
    return tape.gradient(y, x)


@case
def inside_the_block(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        return tape.jacobian(y, x)


case.nested(
    "hessian_by_jacobian_of_gradient",
    [1.0, 2.0],
    lambda tf, x: x[0] * x[0] * x[1] * x[1],
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: outer.jacobian(slope, x),
)


@case
def gradient_of_a_jacobian(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        slopes = inner.jacobian(y, x)
        total = tf.reduce_sum(slopes * slopes)
    return outer.gradient(total, x)


case.nested(
    "jacobian_of_a_jacobian",
    [1.0, 2.0],
    lambda tf, x: x * x * x,
    lambda tape, x, y: tape.jacobian(y, x),
    lambda outer, x, slope: outer.jacobian(slope, x),
)


@case
def of_an_empty_target(tf):
    found = jacobian(tf, lambda x: x[:0] * 2.0, [1.0, 2.0])
    return list(found.shape)


case.recorded("by_an_integer", [1, 2], lambda tf, x: x * x, lambda tape, x, y: tape.jacobian(y, x))


@case
def batch_of_squares(tf):
    return batched(tf, lambda x: x * x, [[1.0, 2.0], [3.0, 4.0]])


@case
def batch_of_products(tf):
    return batched(tf, lambda x: x[:, :1] * x, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@case
def batch_of_other_widths(tf):
    found = batched(tf, lambda x: tf.matmul(x, tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])), [[1.0, 2.0]])
    return [found, list(found.shape)]


@case
def batch_of_more_axes(tf):
    found = batched(tf, lambda x: tf.reduce_sum(x * x, axis=2), [[[1.0, 2.0], [3.0, 4.0]]])
    return [found, list(found.shape)]


@case
def batch_of_vectors_is_refused(tf):
    return batched(tf, lambda x: x * x, [1.0, 2.0])


@case
def batch_of_a_sum_is_refused(tf):
    return batched(tf, lambda x: tf.reduce_sum(x, axis=1), [[1.0, 2.0], [3.0, 4.0]])


@case
def batch_of_another_length_is_refused(tf):
    return batched(tf, lambda x: x[:1] * x[:1], [[1.0, 2.0], [3.0, 4.0]])


@case
def batch_unconnected(tf):
    return batched(tf, lambda x: tf.constant([[1.0], [2.0]]) * 2.0, [[1.0, 2.0], [3.0, 4.0]])


@case
def batch_unconnected_zero(tf):
    options = {"unconnected_gradients": "zero"}
    return batched(tf, lambda x: tf.constant([[1.0], [2.0]]) * 2.0, [[1.0, 2.0], [3.0, 4.0]], **options)


@case
def batch_one_after_the_other(tf):
    options = {"persistent": True, "experimental_use_pfor": False}
    return batched(tf, lambda x: x * x, [[1.0, 2.0], [3.0, 4.0]], **options)


@case
def batch_one_after_the_other_asks_for_a_persistent_tape(tf):
    return batched(tf, lambda x: x * x, [[1.0, 2.0], [3.0, 4.0]], experimental_use_pfor=False)


@case
def batch_by_a_variable(tf):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = w * w * w
    return tape.batch_jacobian(y, w)


@case
def batch_of_a_used_tape(tf):
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.batch_jacobian(y, x)
    return tape.batch_jacobian(y, x)


@case
def batch_differentiated(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        slopes = inner.batch_jacobian(y, x)
        total = tf.reduce_sum(slopes)
    return outer.gradient(total, x)
