"""Cases of rare combinations: structures with holes, augmented assignment, generators, threads, tapes in data."""

import collections
import threading

from tests.conformance.cases import Cases

case = Cases()


@case
def augmented_addition(tf):
    w = tf.Variable(1.0)
    w += 1.0
    return w


@case
def augmented_product(tf):
    w = tf.Variable(1.0)
    w *= 2.0
    return w


@case
def augmented_addition_of_tensors_rebinds(tf):
    x = tf.constant(1.0)
    y = x
    y += 2.0
    return [x, y]


case.recorded("target_with_a_hole", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient([y, None], x))
case.recorded(
    "sources_with_a_hole_in_a_dictionary",
    2.0,
    lambda tf, x: x * x,
    lambda tape, x, y: tape.gradient(y, {"x": x, "nothing": None}),
)


@case
def sources_with_keys_of_numbers(tf):
    w = {2: tf.Variable(2.0), 1: tf.Variable(3.0)}
    with tf.GradientTape() as tape:
        y = w[2] * w[1] * w[1]
    return tape.gradient(y, w)


@case
def sources_deeply_nested(tf):
    w = [[[tf.Variable(2.0)], (tf.Variable(3.0), {"a": [tf.Variable(4.0)]})], []]
    with tf.GradientTape() as tape:
        y = w[0][0][0] * w[0][1][0] * w[0][1][1]["a"][0]
    return tape.gradient(y, w)


@case
def output_gradients_in_a_dictionary(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        target = {"b": x * x, "a": x * x * x}
    return tape.gradient(target, x, {"b": tf.constant(1.0), "a": tf.constant(10.0)})


@case
def output_gradient_is_a_variable(tf):
    x, weight = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, weight)


@case
def output_gradient_of_zeros(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, tf.constant([0.0, 0.0]))


@case
def a_generator_of_losses(tf):
    w = tf.Variable(2.0)

    def losses():
        for power in (1.0, 2.0, 3.0):
            yield w**power

    with tf.GradientTape() as tape:
        total = sum(losses())
    return tape.gradient(total, w)


@case
def a_recursive_function(tf):
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, 5)
    return tape.gradient(y, x)


@case
def a_tape_of_another_thread_sees_nothing(tf):
    w = tf.Variable(2.0)
    found = []

    def work():
        found.append(w * w)

    with tf.GradientTape() as tape:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(60.0)
    return [len(tape.watched_variables()), tape.gradient(found[0], w)]


@case
def tapes_in_threads(tf):
    w = tf.Variable(2.0)
    found = {}

    def work(number):
        with tf.GradientTape() as tape:
            y = w * w * number
        found[number] = tape.gradient(y, w)

    threads = [threading.Thread(target=work, args=(float(k),)) for k in range(1, 4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60.0)
    return [found[key] for key in sorted(found)]


@case
def a_tape_asked_in_another_thread(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    found = []
    thread = threading.Thread(target=lambda: found.append(tape.gradient(y, x)))
    thread.start()
    thread.join(60.0)
    return found


@case
def several_tapes_in_a_list(tf):
    x = tf.constant(2.0)
    tapes = [tf.GradientTape() for _ in range(3)]
    results = []
    for power, tape in enumerate(tapes, 1):
        with tape:
            tape.watch(x)
            results.append(x**power)
    return [tape.gradient(y, x) for tape, y in zip(tapes, results, strict=True)]


@case
def a_gradient_as_a_step_of_another_computation(tf):
    x = tf.Variable(1.0)
    with tf.GradientTape() as outer:
        y = x
        for _ in range(3):
            with tf.GradientTape() as inner:
                inner.watch(y)
                loss = (y - 3.0) ** 2
            y = y - 0.1 * inner.gradient(loss, y)
    return [y, outer.gradient(y, x)]


@case
def the_same_operation_on_watched_and_unwatched(tf):
    x, c = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = (x * c) * (c * c) + (c + c)
    return tape.gradient(y, [x, c])


@case
def jacobian_of_an_unwatched_tensor_by_itself(tf):
    x, z = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
    return [tape.jacobian(x, x), tape.jacobian(x, x, unconnected_gradients="zero"), tape.jacobian(z, z)]


@case
def jacobian_of_a_variable_by_itself_watches_it(tf):
    v, u = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0], trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        pass
    found = [tape.jacobian(v, v), tape.jacobian(u, u)]
    return [*found, [each is v for each in tape.watched_variables()]]


@case
def zeros_for_a_variable_are_a_reading_of_it(tf):
    v, x = tf.Variable([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch(x)
            y = x * x
        inner.gradient(y, v, unconnected_gradients="zero")
    return [each is v for each in outer.watched_variables()]


@case
def zeros_are_a_source(tf):
    x, z = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(z)
            y = z * 2.0
        zeros = inner.gradient(y, x, unconnected_gradients="zero")
        w = (zeros + 3.0) * (zeros + 1.0)
    return outer.gradient(w, [zeros, x])


@case
def stopping_the_gradient_of_a_variable_does_not_watch_it(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(v) * 3.0
    return [y, len(tape.watched_variables())]


@case
def gradients_of_one_source_given_twice_are_one_tensor(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    first, second = tape.gradient(y, [x, x])
    with tf.GradientTape() as tape:
        pass
    return [first is second, tape.gradient(first, second)]


@case
def an_output_gradient_that_is_handed_on_is_the_gradient(tf):
    x, w = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient(x, x, output_gradients=w) is w


@case
def deleting_the_source(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    del x
    return tape.gradient(z, y)


@case
def a_variable_made_in_the_block(tf):
    with tf.GradientTape() as tape:
        w = tf.Variable(3.0)
        y = w * w
    return tape.gradient(y, w)


@case
def a_variable_made_of_a_watched_tensor(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        w = tf.Variable(x * x)
        y = w * w
    return tape.gradient(y, [x, w])


@case
def a_constant_of_a_tensor(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(x) * x
    return [tf.constant(x) is x, tape.gradient(y, x)]


@case
def a_constant_of_a_variable(tf):
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.constant(w) * w
    return tape.gradient(y, w)


case.nested(
    "a_number_to_the_power_of_itself",
    2.0,
    lambda tf, x: x**x,
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: [slope, outer.gradient(slope, x)],
)


@case
def hessian_vector_product_reverse_over_reverse(tf):
    x, v = tf.constant([1.0, 2.0]), tf.constant([0.5, -1.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x**3) + x[0] * x[1] ** 2
        slope = inner.gradient(y, x)
    return outer.gradient(slope, x, output_gradients=v)


@case
def zero_gradients_have_the_shape_and_dtype_of_the_source(tf):
    x = tf.constant([[1.0, 2.0]], tf.float32)
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
    found = tape.gradient(y, x, unconnected_gradients="zero")
    return [found, found.dtype == tf.float32]


@case
def empty_sources_have_empty_gradients(tf):
    x = tf.zeros((0, 3), "float64")
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * 2.0)
    return list(tape.gradient(y, x).shape)


@case
def watching_within_an_inner_tape_only(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        slope = inner.gradient(y, x)
    return [slope, outer.gradient(slope, x)]


@case
def an_outer_tape_that_watches_after_the_inner_block(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        outer.watch(x)
        slope = inner.gradient(y, x)
    return [slope, outer.gradient(slope, x)]


@case
def truth_values_of_variables(tf):
    v = tf.Variable([True, False])
    return [v.value(), tf.Variable(True).read_value(), tf.convert_to_tensor(v)]


case.recorded(
    "a_watched_variable_of_truth_values",
    lambda tf: tf.Variable(True),
    lambda tf, x: tf.cast(x, tf.float64),
    lambda tape, x, y: tape.gradient(y, x),
)


@case
def targets_and_sources_in_deques(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(collections.deque([x]))
        y = collections.deque([x * x, x])
    found = tape.gradient(y, collections.deque([x, [x]]))
    return [type(found).__name__, list(found)]


case.recorded(
    "the_jacobian_of_an_array_is_not_connected",
    [1.0, 2.0],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.jacobian(y.numpy(), x),
)
