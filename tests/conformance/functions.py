"""Cases of functions with gradients of their own, of forward mode, and of slices."""

import numpy as np

from tests.conformance.cases import Cases

case = Cases()


def forward(tf, function, primal, tangent):
    x = tf.constant(primal)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(tangent)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


case.recorded(
    "custom_gradient",
    3.0,
    lambda tf, x: tf.custom_gradient(lambda x: (x * x, lambda upstream: upstream * 100.0))(x) * 2.0,
    lambda tape, x, y: [y, tape.gradient(y, x)],
)


@case
def custom_gradient_of_two_arguments(tf):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda upstream: (upstream * 10.0, upstream * 20.0)

    x, y = tf.constant(3.0), tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = f(x, y)
    return tape.gradient(z, [x, y])


@case
def custom_gradient_with_none(tf):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda upstream: (upstream * 10.0, None)

    x, y = tf.constant(3.0), tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = f(x, y)
    return tape.gradient(z, [x, y])


@case
def custom_gradient_of_two_results(tf):
    @tf.custom_gradient
    def f(x):
        return [x * 2.0, x * 3.0], lambda first, second: first * 10.0 + second * 100.0

    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = f(x)
        total = y + z
    return [tape.gradient(y, x), tape.gradient(z, x), tape.gradient(total, x)]


@case
def custom_gradient_of_the_wrong_count(tf):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda upstream: upstream

    x, y = tf.constant(3.0), tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = f(x, y)
    return tape.gradient(z, [x, y])


@case
def custom_gradient_with_variables(tf):
    w = tf.Variable(5.0)

    @tf.custom_gradient
    def f(x):
        def gradient(upstream, variables=None):
            return upstream * 10.0, [upstream * 100.0 for _ in variables]

        return x * w, gradient

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, [x, w])


@case
def custom_gradient_with_variables_unannounced(tf):
    w = tf.Variable(5.0)

    @tf.custom_gradient
    def f(x):
        return x * w, lambda upstream: upstream * 10.0

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, [x, w])


case.nested(
    "custom_gradient_of_a_gradient",
    2.0,
    lambda tf, x: tf.custom_gradient(lambda x: (x * x * x, lambda upstream: upstream * 3.0 * x * x))(x),
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: [slope, outer.gradient(slope, x)],
)
case.recorded(
    "custom_gradient_of_the_identity",
    2.0,
    lambda tf, x: (
        tf.custom_gradient(lambda x: (tf.identity(x), lambda upstream: tf.clip_by_value(upstream, -0.5, 0.5)))(x * x)
        * 3.0
    ),
    lambda tape, x, y: tape.gradient(y, x),
)


@case
def custom_gradient_with_keywords(tf):
    @tf.custom_gradient
    def f(x, scale=2.0):
        return x * scale, lambda upstream: upstream * 7.0

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, scale=5.0)
    return [y, tape.gradient(y, x)]


@case
def custom_gradient_of_a_stable_function(tf):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    x = tf.constant(100.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = log1pexp(x)
    return [y, tape.gradient(y, x)]


@case
def recompute_grad(tf):
    calls = []

    def f(x):
        calls.append(1)
        return tf.sin(x) * x

    x = tf.constant(2.0)
    again = tf.recompute_grad(f)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = again(x)
    before = len(calls)
    return [tape.gradient(y, x), before, len(calls) > before]


@case
def recompute_grad_with_variables(tf):
    w = tf.Variable(3.0)
    again = tf.recompute_grad(lambda x: tf.sin(x) * w)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = again(x)
    return tape.gradient(y, [x, w])


@case
def forward_mode(tf):
    return forward(tf, lambda x: x * x, [1.0, 2.0], [1.0, 10.0])


@case
def forward_mode_of_a_number(tf):
    return forward(tf, lambda x: tf.sin(x) * x, 2.0, 1.0)


@case
def forward_mode_unconnected(tf):
    x, z = tf.constant(1.0), tf.constant([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        _ = x * x
    return [accumulator.jvp(z), accumulator.jvp(z, unconnected_gradients=tf.UnconnectedGradients.ZERO)]


@case
def forward_mode_of_the_primal(tf):
    x = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(5.0)) as accumulator:
        pass
    return accumulator.jvp(x)


@case
def forward_mode_of_a_variable(tf):
    w = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(w, tf.constant([1.0, 0.0])) as accumulator:
        y = w * w
    return accumulator.jvp(y)


@case
def forward_mode_of_several(tf):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator([x, y], [tf.constant(1.0), tf.constant(10.0)]) as accumulator:
        z = x * x * y
        both = accumulator.jvp([z, {"a": x * y}])
    return [both[0], both[1]["a"]]


@case
def forward_mode_of_one_primal_twice(tf):
    x = tf.constant(2.0)
    return tf.autodiff.ForwardAccumulator([x, x], [tf.constant(1.0), tf.constant(1.0)]) is None


@case
def forward_mode_entered_twice(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator, accumulator:
        pass


@case
def forward_mode_of_other_structures(tf):
    x = tf.constant(2.0)
    return tf.autodiff.ForwardAccumulator([x], tf.constant(1.0)) is None


@case
def forward_mode_after_the_block(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = x * x
    z = y * y
    return [accumulator.jvp(y), accumulator.jvp(z)]


@case
def forward_over_forward(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as outer:
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as inner:
            y = x * x * x
        slope = inner.jvp(y)
    return [slope, outer.jvp(slope)]


@case
def forward_over_reverse(tf):
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x * x)
        slope = tape.gradient(y, x)
    return [slope, accumulator.jvp(slope)]


@case
def reverse_over_forward(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as accumulator:
            y = tf.reduce_sum(x * x * x)
        moved = accumulator.jvp(y)
    return tape.gradient(moved, x)


@case
def rows_of_a_variable_are_slices(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, tf.constant([0, 2, 0])) ** 2)
    found = tape.gradient(y, table)
    return [found.values, found.indices, found.dense_shape]


@case
def slices_made_dense(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, tf.constant([0, 2, 0])) ** 2)
    return tf.convert_to_tensor(tape.gradient(y, table))


@case
def rows_of_a_tensor(tf):
    table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(table)
        y = tf.reduce_sum(tf.gather(table, tf.constant([0, 2, 0])) ** 2)
    return tf.convert_to_tensor(tape.gradient(y, table))


@case
def slices_and_a_dense_part(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, tf.constant([0, 2]))) + tf.reduce_sum(table * table)
    return tf.convert_to_tensor(tape.gradient(y, table))


@case
def slices_of_two_gathers(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, tf.constant([0]))) + tf.reduce_sum(tf.gather(table, tf.constant([0, 1])))
    return tf.convert_to_tensor(tape.gradient(y, table))


@case
def columns_are_no_slices(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, tf.constant([1, 1]), axis=1))
    return tf.convert_to_tensor(tape.gradient(y, table))


@case
def slices_have_values_and_indices(tf):
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    return [slices.values, slices.indices, slices.dense_shape, slices.dtype == tf.float64]


@case
def a_training_step(tf):
    rng = np.random.default_rng(0)
    x, target = tf.constant(rng.normal(size=(8, 3))), tf.constant(rng.normal(size=(8, 1)))
    w, b = tf.Variable(np.full((3, 1), 0.1)), tf.Variable([0.0])
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.matmul(x, w) + b - target) ** 2)
        for each, slope in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            each.assign_sub(0.1 * slope)
        losses.append(loss)
    return [losses, w, b]
