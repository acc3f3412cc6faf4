"""Cases of variables and tensors as values."""

import numpy as np

from tests.conformance.cases import Cases

case = Cases()


def all_of(*parts):
    """Outcomes of several expressions, exceptions among them."""
    found = []
    for part in parts:
        try:
            found.append(part())
        except Exception as error:  # noqa: BLE001 - that is what is asked for
            found.append(next(each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins"))
    return found


@case
def facts(tf):
    w = tf.Variable([[1.0, 2.0]], name="weights")
    return [w.name, list(w.shape), w.trainable, w.dtype == tf.float64, w.numpy()]


@case
def default_name(tf):
    return [tf.Variable(1.0).name, tf.Variable(1.0, name=None).name]


@case
def untrainable(tf):
    return tf.Variable(1.0, trainable=False).trainable


@case
def without_a_value(tf):
    return tf.Variable()


@case
def of_nothing(tf):
    return tf.Variable(None)


@case
def of_a_function(tf):
    return tf.Variable(lambda: tf.constant([1.0, 2.0]))


@case
def of_a_variable(tf):
    w = tf.Variable([1.0, 2.0])
    v = tf.Variable(w)
    w.assign([5.0, 6.0])
    return v


@case
def of_an_array_is_a_copy(tf):
    array = np.ones(2)
    w = tf.Variable(array)
    array[0] = 7.0
    return w


@case
def of_another_dtype(tf):
    w = tf.Variable([1.0, 2.0], dtype=tf.float32)
    return w.dtype == tf.float32


@case
def of_a_ragged_list(tf):
    return tf.Variable([[1.0], [2.0, 3.0]])


@case
def of_a_shape_that_does_not_fit(tf):
    return tf.Variable([1.0, 2.0], shape=(3,))


@case
def assignments(tf):
    w = tf.Variable([1.0, 2.0])
    w.assign([3.0, 4.0])
    w.assign_add([1.0, 1.0])
    w.assign_sub([0.5, 2.0])
    return w


@case
def assignments_return_the_variables_value(tf):
    w = tf.Variable(1.0)
    return [w.assign(3.0), w.assign_add(1.0), w.assign_sub(0.5)]


@case
def assignment_of_another_shape(tf):
    return tf.Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0])


@case
def assignment_of_a_number_to_a_vector(tf):
    return tf.Variable([1.0, 2.0]).assign(1.0)


@case
def addition_of_another_shape(tf):
    return tf.Variable([1.0, 2.0]).assign_add([1.0])


@case
def assignment_of_a_tensor_of_another_dtype(tf):
    return tf.Variable(1.0).assign(tf.constant(1.0, tf.float32))


@case
def assignment_of_a_float_to_integers(tf):
    return tf.Variable(1).assign(1.5)


@case
def assignment_of_an_integer_to_floats(tf):
    return tf.Variable(1.0).assign(2)


@case
def assignment_without_reading(tf):
    return tf.Variable(1.0).assign(2.0, read_value=False) is None


@case
def chained_assignments(tf):
    w = tf.Variable(1.0)
    w.assign(2.0).assign_add(3.0)
    return w


@case
def augmented_addition_is_no_assignment(tf):
    w = tf.Variable(1.0)
    return all_of(lambda: w.__class__.__name__ != "", lambda: w + 1.0)


@case
def value_is_a_copy(tf):
    w = tf.Variable(1.0)
    before, read = w.value(), w.read_value()
    w.assign(2.0)
    return [before, read, w]


@case
def value_is_another_tensor_to_the_tape(tf):
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        v = w.value()
        y = v * v
    return tape.gradient(y, [w, v])


@case
def read_value_is_differentiated(tf):
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w.read_value() * w
    return tape.gradient(y, w)


@case
def conversion_is_differentiated(tf):
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        v = tf.convert_to_tensor(w)
        y = v * w
    return tape.gradient(y, w)


@case
def identity_is_differentiated(tf):
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.identity(w) * w
    return tape.gradient(y, w)


@case
def numpy_is_a_copy(tf):
    w = tf.Variable([1.0, 2.0])
    w.numpy()[0] = 9.0
    return w


@case
def assignment_after_recording(tf):
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w * w
    w.assign(100.0)
    return tape.gradient(y, w)


@case
def assignment_while_recording(tf):
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w * w
        w.assign(5.0)
        z = w * w * w
    return tape.gradient([y, z], w)


@case
def assignment_cuts(tf):
    w, v = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        v.assign(w * w)
        y = v * 2.0
    return tape.gradient(y, [w, v])


@case
def addition_cuts(tf):
    w, v = tf.Variable(3.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        v.assign_add(w)
        y = v * v
    return tape.gradient(y, [w, v])


@case
def what_an_assignment_returns_is_read(tf):
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w.assign_add(1.0) * 2.0
    return tape.gradient(y, w)


@case
def a_variable_rebound_to_a_tensor(tf):
    x = tf.Variable(2.0)
    found = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        found.append(tape.gradient(y, x))
        x = x + 1
    return found


@case
def operators(tf):
    w, v = tf.Variable([2.0, 3.0]), tf.Variable([4.0, 5.0])
    return [w + v, w - v, w * v, w / v, v // w, v % w, w**v, -w, abs(-w), 2.0 + w, 2.0 - w, 2.0 * w, 2.0 / w, 2.0**w]


@case
def comparisons(tf):
    w = tf.Variable([2.0, 3.0])
    return [w < 2.5, w <= 2.0, w > 2.5, w >= 3.0]


@case
def equality_is_elementwise(tf):
    w, x = tf.Variable([2.0, 3.0]), tf.constant([2.0, 4.0])
    return [w == x, w != x, x == x, x == 2.0]


@case
def equality_of_shapes_that_do_not_fit(tf):
    return all_of(lambda: (tf.constant([1.0, 2.0]) == None) is not None)  # noqa: E711 - what is asked


@case
def matrix_product(tf):
    return tf.Variable([[1.0, 2.0], [3.0, 4.0]]) @ tf.constant([[1.0], [2.0]])


@case
def indices(tf):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return [w[0], w[1, 1], w[:, 0], w[-1], w[..., 1], w[None, 0], w[::-1, ::-1]]


@case
def index_out_of_range(tf):
    return tf.constant([1.0, 2.0])[5]


@case
def indices_are_differentiated(tf):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = w[0, 1] * w[1, 0] + w[0][1]
    return np.asarray(tf.convert_to_tensor(tape.gradient(y, w)))


@case
def item_assignment_of_a_tensor(tf):
    x = tf.constant([1.0, 2.0])
    x[0] = 5.0


@case
def conversions_to_numbers(tf):
    x = tf.constant(2.5)
    return [float(x), int(x), bool(x), float(tf.Variable(1.5)), int(tf.Variable(3)), bool(tf.Variable(0.0))]


@case
def conversion_of_an_array_to_a_number(tf):
    return all_of(lambda: float(tf.constant([1.0, 2.0])), lambda: bool(tf.constant([True, False])))


@case
def conversion_of_a_single_element(tf):
    return all_of(lambda: bool(tf.constant([True])), lambda: bool(tf.constant([[0.0]])))


@case
def integers_as_indices(tf):
    return [[10, 20, 30][tf.constant(1)], list(range(tf.constant(2)))]


@case
def length(tf):
    return all_of(lambda: len(tf.constant([1.0, 2.0])), lambda: len(tf.constant([[1.0], [2.0], [3.0]])))


@case
def length_of_a_number(tf):
    return len(tf.constant(1.0))


@case
def iteration(tf):
    return [list(tf.constant([1.0, 2.0])), [row for row in tf.Variable([[1.0, 2.0], [3.0, 4.0]])]]  # noqa: C416


@case
def iteration_over_a_number(tf):
    return list(tf.constant(1.0))


@case
def iteration_is_differentiated(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = 0.0
        for each in x:
            total = total + each * each
    return tape.gradient(total, x)


@case
def unpacking_is_differentiated(tf):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, b = x
        y = a * b
    return tape.gradient(y, x)


@case
def tensors_are_not_hashable(tf):
    return hash(tf.constant(1.0))


@case
def variables_are_not_hashable(tf):
    return {tf.Variable(1.0): 1}


@case
def references_are_keys(tf):
    x, y = tf.constant(1.0), tf.constant(1.0)
    table = {x.ref(): "x", y.ref(): "y"}
    return [table[x.ref()], table[y.ref()], x.ref().deref() is x, x.ref() == y.ref(), x.ref() == x.ref()]


@case
def references_of_variables(tf):
    w = tf.Variable(1.0)
    return [w.ref() == w.ref(), w.ref().deref() is w, len({w.ref(), w.ref()})]


@case
def membership_is_refused_or_elementwise(tf):
    x = tf.constant(1.0)
    return any(each is x for each in [tf.constant(2.0), x])


@case
def facts_of_tensors(tf):
    x = tf.constant([[1.0, 2.0, 3.0]])
    return [list(x.shape), x.ndim, x.dtype == tf.float64, list(x.get_shape()), x.numpy()]


@case
def shape_compared_with_a_tuple(tf):
    x = tf.constant([[1.0, 2.0, 3.0]])
    return [x.shape == (1, 3), x.shape[1], len(x.shape)]


@case
def asarray(tf):
    return [np.asarray(tf.constant([1.0, 2.0])), np.array(tf.Variable([1.0])), np.asarray(tf.constant(3.0)).ndim]


@case
def asarray_of_another_dtype(tf):
    return np.asarray(tf.constant([1.5, 2.5]), dtype=np.int64)


@case
def numpy_of_a_tensor(tf):
    return [type(tf.constant([1.0]).numpy()).__name__, tf.constant(2.0).numpy()]


@case
def is_tensor(tf):
    return [
        tf.is_tensor(each) for each in (tf.constant(1.0), tf.Variable(1.0), 1.0, np.ones(2), None, [tf.constant(1.0)])
    ]


@case
def constants_of_nothing(tf):
    return tf.constant(None)


@case
def constants_of_a_shape(tf):
    return [tf.constant(2.0, shape=(2, 2)), tf.constant([1.0, 2.0, 3.0, 4.0], shape=(2, 2))]


@case
def constants_that_do_not_fill_a_shape(tf):
    return tf.constant([1.0, 2.0, 3.0], shape=(2, 2))


@case
def constants_of_a_dtype(tf):
    return [tf.constant(1, tf.float64), tf.constant([1, 2], dtype=tf.float32), tf.constant(True)]


@case
def constants_of_strings_in_numbers(tf):
    return tf.constant("text", tf.float64)


@case
def constants_of_ragged_lists(tf):
    return tf.constant([[1.0], [2.0, 3.0]])


@case
def constants_of_tensors(tf):
    x = tf.constant(3.0)
    return tf.constant(x)


@case
def conversion_to_another_dtype(tf):
    return tf.convert_to_tensor(tf.constant(1.0), tf.float32)


@case
def conversion_with_a_hint(tf):
    return tf.convert_to_tensor([1, 2], dtype_hint=tf.float64).dtype == tf.float64


@case
def conversion_of_nothing(tf):
    return tf.convert_to_tensor(None)


@case
def conversion_of_numbers(tf):
    return [tf.convert_to_tensor(1.5), tf.convert_to_tensor([[1, 2], [3, 4]]), tf.convert_to_tensor(True)]


case.recorded(
    "conversion_of_a_list_with_numbers_and_tensors",
    2.0,
    lambda tf, x: tf.convert_to_tensor([x, 3.0, x * x]),
    lambda tape, x, y: [y, tape.gradient(y, x)],
)
case.recorded(
    "conversion_of_nested_lists_of_tensors",
    2.0,
    lambda tf, x: tf.convert_to_tensor([[x, 1.0], [2.0 * x, x]]),
    lambda tape, x, y: [y, tape.gradient(y, x)],
)


@case
def conversion_of_a_list_with_variables(tf):
    w, v = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.convert_to_tensor([w, v]) * tf.constant([1.0, 10.0])
    return tape.gradient(y, [w, v])


@case
def operators_of_tensors(tf):
    x, y = tf.constant([7.0, -7.0]), tf.constant([2.0, 2.0])
    return [x // y, x % y, x**2, x**2.0, 2**y, -x, abs(x), x - 1, 1 - x, x / 2, 14 / x]


@case
def operators_of_integers(tf):
    x, y = tf.constant([7, -7]), tf.constant([2, 2])
    return [x + y, x * y, x // y, x % y, -x, x - 1, x < y, x > 0]


@case
def operators_of_booleans(tf):
    x, y = tf.constant([True, True, False]), tf.constant([True, False, False])
    return [x & y, x | y, x ^ y, ~x]


@case
def shapes_that_do_not_broadcast(tf):
    return tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])


@case
def broadcasting(tf):
    return tf.constant([[1.0], [2.0]]) * tf.constant([10.0, 20.0])


@case
def truth_in_branches(tf):
    x = tf.constant(2.0)
    return ["yes" if x > 1.0 else "no", not x, x and 5]


@case
def deep_copies(tf):
    import copy

    w = tf.Variable([1.0, 2.0])
    other = copy.deepcopy(w)
    w.assign([3.0, 4.0])
    return [other, other is w]


@case
def formatting_a_number(tf):
    return f"{tf.constant(2.5).numpy():.2f}"


@case
def tensors_are_not_constructed(tf):
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(1.0))
        return tf.constant(1.0).shape == ()


@case
def scatter_add(tf):
    w = tf.Variable([1.0, 2.0, 3.0])
    w.scatter_add(tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2])))
    return w


@case
def scatter_sub(tf):
    w = tf.Variable([1.0, 2.0, 3.0])
    w.scatter_sub(tf.IndexedSlices(tf.constant([10.0, 20.0, 1.0]), tf.constant([0, 2, 2])))
    return w


@case
def scatter_update(tf):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    w.scatter_update(tf.IndexedSlices(tf.constant([[10.0, 20.0]]), tf.constant([1])))
    return w
