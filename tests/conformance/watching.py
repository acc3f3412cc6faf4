"""Cases of what is watched, and of sources and targets."""

from tests.conformance.cases import Cases

case = Cases()


def slope(tf, function, *values):
    inputs = [tf.constant(value) for value in values]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = function(*inputs)
    found = tape.gradient(y, inputs)
    return found[0] if len(found) == 1 else found


@case
def unwatched(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)


@case
def unwatched_zero(tf):
    x = tf.constant([2.0, 1.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)


@case
def unconnected_by_string(tf):
    x, z = tf.Variable([2.0, 1.0]), tf.Variable([[1.0]])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, {"x": x, "z": z}, unconnected_gradients="zero")


@case
def unconnected_none_by_string(tf):
    x, z = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, [x, z], unconnected_gradients="none")


@case
def unconnected_capitals_are_refused(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, unconnected_gradients="ZERO")


@case
def unconnected_none_object_is_refused(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, unconnected_gradients=None)


@case
def enumeration_values(tf):
    return [tf.UnconnectedGradients.NONE.value, tf.UnconnectedGradients.ZERO.value, len(list(tf.UnconnectedGradients))]


@case
def watching_late(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(x)
    return tape.gradient(y, x)


@case
def watching_a_variable_late(tf):
    x, w = tf.constant(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * w
        tape.watch(w)
        z = x * w * w
    return tape.gradient([y, z], [x, w])


@case
def watching_a_tensor_late(tf):
    x, w = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * w
        tape.watch(w)
        z = x * w * w
    return tape.gradient([y, z], [x, w])


@case
def watching_an_intermediate(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(y)
        z = y * y
    return tape.gradient(z, [x, y])


@case
def watching_twice(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


@case
def watching_a_list(tf):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * y
    return tape.gradient(z, [x, y])


@case
def watching_a_dictionary(tf):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch({"a": x, "b": (y,)})
        z = x * y
    return tape.gradient(z, (x, y))


@case
def watching_nothing(tf):
    with tf.GradientTape() as tape:
        return tape.watch([])


@case
def watching_a_float(tf):
    with tf.GradientTape() as tape:
        tape.watch(1.0)


@case
def watching_an_array(tf):
    import numpy as np

    with tf.GradientTape() as tape:
        tape.watch(np.ones(2))


@case
def watching_none(tf):
    with tf.GradientTape() as tape:
        tape.watch(None)


@case
def watching_a_string(tf):
    with tf.GradientTape() as tape:
        tape.watch("x")


@case
def watching_a_list_with_a_float(tf):
    with tf.GradientTape() as tape:
        tape.watch([tf.constant(1.0), 1.0])


case.recorded("watching_integers", 2, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, x))
case.recorded(
    "watching_integers_zero",
    [2, 3],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.gradient(y, x, unconnected_gradients="zero"),
)
case.recorded(
    "integers_cast_to_floats", 2, lambda tf, x: tf.cast(x, tf.float64) * 3.0, lambda tape, x, y: tape.gradient(y, x)
)


@case
def floats_cast_to_integers_and_back(tf):
    return slope(tf, lambda x: tf.cast(tf.cast(x, tf.int32), tf.float64) * x, 2.5)


@case
def cast_to_single_and_back(tf):
    return slope(tf, lambda x: tf.cast(tf.cast(x, tf.float32), tf.float64) * x, 2.5)


@case
def gradient_has_the_dtype_of_the_source(tf):
    x = tf.constant(2.5, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.float64) * 3.0
    found = tape.gradient(y, x)
    return [found, found.dtype == tf.float32]


case.recorded(
    "watching_booleans", [True, False], lambda tf, x: tf.where(x, 1.0, 2.0), lambda tape, x, y: tape.gradient(y, x)
)


@case
def variables_are_watched(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = w * w
    return [tape.gradient(y, w), [each is w for each in tape.watched_variables()]]


@case
def variables_not_accessed_are_not_watched(tf):
    w, v = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        _ = w * w
    return [[each is w for each in tape.watched_variables()], v.trainable]


@case
def untrainable_variables_are_not_watched(tf):
    w = tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as tape:
        y = w * w
    return [tape.gradient(y, w), len(tape.watched_variables())]


case.recorded(
    "untrainable_variables_can_be_watched",
    lambda tf: tf.Variable(2.0, trainable=False),
    lambda tf, x: x * x,
    lambda tape, x, y: [len(tape.watched_variables()), tape.gradient(y, x)],
)


@case
def watching_of_variables_switched_off(tf):
    w, v = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = w * v
    return [tape.gradient(y, [w, v]), len(tape.watched_variables())]


@case
def watched_variables_are_in_order_of_construction(tf):
    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        _ = c * a + b
    return [[each is a, each is b, each is c] for each in tape.watched_variables()]


@case
def watched_variables_after_use(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = w * w
    tape.gradient(y, w)
    return [len(tape.watched_variables()), isinstance(tape.watched_variables(), tuple)]


@case
def watched_variables_before_entering(tf):
    return tf.GradientTape().watched_variables()


@case
def watched_variables_inside(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        before = len(tape.watched_variables())
        _ = w + 1.0
        return [before, len(tape.watched_variables())]


@case
def reading_the_shape_is_no_access(tf):
    w = tf.Variable([2.0])
    with tf.GradientTape() as tape:
        _ = (w.shape, w.dtype, w.name, w.trainable)
    return len(tape.watched_variables())


@case
def assigning_is_an_access(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        w.assign(3.0)
    return len(tape.watched_variables())


@case
def numpy_is_an_access(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        w.numpy()
    return len(tape.watched_variables())


@case
def a_variable_used_in_a_comparison_is_watched(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        _ = w > 1.0
    return len(tape.watched_variables())


@case
def integer_variables_are_listed(tf):
    w = tf.Variable(2)
    with tf.GradientTape() as tape:
        y = w * 2
    return [len(tape.watched_variables()), tape.gradient(y, w)]


@case
def an_inner_tape_watches_too(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        _ = w * w
    return [len(outer.watched_variables()), len(inner.watched_variables())]


case.recorded("target_is_the_source", [1.0, 2.0], lambda tf, x: x, lambda tape, x, y: tape.gradient(x, x))


@case
def target_is_the_source_unwatched(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(x, x)


@case
def target_is_a_variable(tf):
    w = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        _ = w * w
    return tape.gradient(w, w)


@case
def target_is_another_variable(tf):
    w, v = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        v.assign(w * 3.0)
    return tape.gradient(v, w)


@case
def target_is_a_list(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, z = x * x, 3.0 * x
    return tape.gradient([y, z], x)


case.recorded(
    "target_is_a_dictionary", 2.0, lambda tf, x: {"y": x * x, "z": [3.0 * x]}, lambda tape, x, y: tape.gradient(y, x)
)
case.recorded("target_twice", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient([y, y], x))
case.recorded("target_and_its_source", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient([y, x], x))


@case
def target_partly_unconnected(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = tf.constant(1.0) * 2.0
    return tape.gradient([y, z], x)


case.recorded("target_is_none", 2.0, lambda tf, x: x, lambda tape, x, y: tape.gradient(None, x))
case.recorded("target_is_a_float", 2.0, lambda tf, x: x, lambda tape, x, y: tape.gradient(1.0, x))
case.recorded(
    "target_is_an_integer_tensor", 2.0, lambda tf, x: tf.cast(x, tf.int32), lambda tape, x, y: tape.gradient(y, x)
)


case.recorded("target_is_an_empty_list", 2.0, lambda tf, x: x, lambda tape, x, y: tape.gradient([], x))


@case
def target_is_a_vector(tf):
    return slope(tf, lambda x: x * x, [1.0, 2.0, 3.0])


@case
def target_is_empty(tf):
    return slope(tf, lambda x: x[:0] * 2.0, [1.0, 2.0, 3.0])


@case
def target_computed_after_the_block(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    z = y * y
    return tape.gradient(z, x)


case.recorded("source_is_none", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, None))
case.recorded("source_is_a_float", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, 2.0))
case.recorded("source_is_a_list_with_none", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, [x, None]))
case.recorded("sources_are_an_empty_list", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, []))


@case
def source_is_an_intermediate(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = tf.sin(y)
    return tape.gradient(z, [y, x, z])


case.recorded("source_twice", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, [x, x]))


@case
def source_after_the_target(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * 2.0
    return tape.gradient(y, z)


@case
def sources_in_a_dictionary(tf):
    w = {"b": tf.Variable(2.0), "a": [tf.Variable(3.0), (tf.Variable(4.0),)]}
    with tf.GradientTape() as tape:
        y = w["b"] * w["a"][0] + w["a"][1][0]
    return tape.gradient(y, w)


@case
def sources_in_a_named_tuple(tf):
    from collections import namedtuple

    Pair = namedtuple("Pair", "left right")
    pair = Pair(tf.Variable(2.0), tf.Variable(3.0))
    with tf.GradientTape() as tape:
        y = pair.left * pair.left * pair.right
    found = tape.gradient(y, pair)
    return [type(found).__name__, found.left, found.right]


@case
def sources_in_a_tuple_stay_in_a_tuple(tf):
    w = (tf.Variable(2.0), tf.Variable(3.0))
    with tf.GradientTape() as tape:
        y = w[0] * w[1]
    return isinstance(tape.gradient(y, w), tuple)


@case
def sources_in_an_ordered_dictionary(tf):
    from collections import OrderedDict

    w = OrderedDict([("z", tf.Variable(2.0)), ("a", tf.Variable(3.0))])
    with tf.GradientTape() as tape:
        y = w["z"] * w["a"] * w["a"]
    found = tape.gradient(y, w)
    return [list(found), found["z"], found["a"]]


@case
def sources_in_a_default_dictionary(tf):
    from collections import defaultdict

    w = defaultdict(list, z=tf.Variable(2.0), a=tf.Variable(3.0))
    with tf.GradientTape() as tape:
        y = w["z"] * w["a"] * w["a"]
    found = tape.gradient(y, w)
    return [found["z"], found["a"]]


@case
def output_gradients_weight(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, output_gradients=tf.constant([1.0, 10.0]))


@case
def output_gradients_as_a_list(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, z = x * x, x * x * x
    return tape.gradient([y, z], x, [tf.constant(1.0), tf.constant(10.0)])


@case
def output_gradients_are_plain_lists(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, output_gradients=[tf.constant([3.0, 4.0])])


@case
def output_gradients_are_differentiated(tf):
    x, v = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch([x, v])
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        slope = inner.gradient(y, x, output_gradients=v)
    return outer.gradient(slope, [x, v])


@case
def output_gradients_of_the_target_itself(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient(x, x, output_gradients=tf.constant([3.0, 4.0]))


@case
def the_gradient_does_not_depend_on_what_is_not_used(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        _ = tf.exp(x) * 100.0
        y = x * x
    return tape.gradient(y, x)


@case
def adding_zero_makes_another_tensor(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = x + 0.0
        y = x * x
    return tape.gradient(y, z)


@case
def identity_makes_another_tensor(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        z = tf.identity(x)
        y = z * z
    return [tape.gradient(y, z), tape.gradient(y, x), tape.gradient(x, z)]


@case
def what_a_flat_function_returns_is_a_source(tf):
    found = []
    for function in (tf.floor, tf.round, tf.zeros_like, tf.ones_like, lambda x: x // 2.0, tf.stop_gradient):
        x = tf.constant([1.5, 2.5])
        with tf.GradientTape() as tape:
            tape.watch(x)
            flat = function(x)
            y = flat * 3.0 + x * x
        found.append(tape.gradient(y, [flat, x]))
    return found


case.recorded(
    "what_a_flat_function_leads_to_is_not_connected",
    [1.5, 2.5],
    lambda tf, x: tf.exp(tf.floor(x)) * 2.0,
    lambda tape, x, y: tape.gradient(y, x),
)


@case
def stop_gradient(tf):
    return slope(tf, lambda x: x * tf.stop_gradient(x * x), 3.0)


@case
def stop_gradient_of_all(tf):
    return slope(tf, lambda x: tf.stop_gradient(x * x), 3.0)


@case
def conversion_is_no_operation(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.convert_to_tensor(x)
        y = x * x
    return [z is x, tape.gradient(y, z)]


@case
def packing_tensors_is_differentiated(tf):
    return slope(tf, lambda x, y: tf.convert_to_tensor([x * y, y]) * tf.constant([1.0, 10.0]), 2.0, 3.0)


@case
def stacking_is_differentiated(tf):
    return slope(tf, lambda x, y: tf.stack([x * y, y]) * tf.constant([1.0, 10.0]), 2.0, 3.0)


case.recorded(
    "numpy_leaves_the_tape",
    2.0,
    lambda tf, x: tf.constant(x.numpy() * 3.0) * 2.0,
    lambda tape, x, y: tape.gradient(y, x),
)


@case
def float_leaves_the_tape(tf):
    return slope(tf, lambda x: x * float(x), 3.0)


@case
def lists_as_operands(tf):
    return slope(tf, lambda x: x * [2.0, 3.0], [1.0, 2.0])


@case
def arrays_as_operands(tf):
    import numpy as np

    return slope(tf, lambda x: np.array([2.0, 3.0]) * x, [1.0, 2.0])
