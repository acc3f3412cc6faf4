"""Cases of what is given to a tape: structures, output gradients, and what is none of these."""

import collections
import contextlib

import numpy as np

from tests.conformance.cases import Cases

case = Cases()


def gradient(tf, function, value, **options):
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, **options)


@case
def output_gradient_wrong_shape(tf):
    return gradient(tf, lambda x: x * x, [1.0, 2.0, 3.0], output_gradients=tf.constant([1.0, 2.0]))


@case
def output_gradient_wrong_shape_longer(tf):
    return gradient(tf, lambda x: x * x, [1.0, 2.0], output_gradients=tf.constant([1.0, 2.0, 3.0]))


@case
def output_gradient_scalar(tf):
    return gradient(tf, lambda x: x * x, [1.0, 2.0, 3.0], output_gradients=tf.constant(2.0))


@case
def output_gradient_one_element(tf):
    return gradient(tf, lambda x: x * x, [1.0, 2.0, 3.0], output_gradients=tf.constant([2.0]))


@case
def output_gradient_list_numbers(tf):
    return gradient(tf, lambda x: x * x, [1.0, 2.0, 3.0], output_gradients=[1.0, 2.0, 3.0])


@case
def output_gradient_numpy(tf):
    return gradient(tf, lambda x: x * x, [1.0, 2.0, 3.0], output_gradients=np.array([1.0, 2.0, 3.0]))


@case
def output_gradient_none_in_list(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        a = x * x
        b = 3.0 * x
    return t.gradient([a, b], x, output_gradients=[None, tf.constant([10.0, 20.0])])


@case
def output_gradient_all_none(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        a = x * x
        b = 3.0 * x
    return t.gradient([a, b], x, output_gradients=[None, None])


@case
def output_gradient_for_unconnected_target(tf):
    x = tf.constant([1.0, 2.0])
    z = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch(x)
        a = x * x
        b = z * z
    return t.gradient([a, b], x, output_gradients=[tf.constant([1.0, 10.0]), tf.constant(5.0)])


@case
def output_gradient_tuple_for_tuple(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        a = x * x
        b = 3.0 * x
    return t.gradient((a, b), x, output_gradients=(tf.constant([1.0, 10.0]), tf.constant([5.0, 7.0])))


@case
def output_gradient_dict_other_order(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        a = x * x
        b = 3.0 * x
    return t.gradient({"b": b, "a": a}, x, output_gradients={"a": tf.constant(1.0), "b": tf.constant(10.0)})


case.recorded("target_empty_dict", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient({}, x))
case.recorded("target_tuple_with_none", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient((y, None), x))
case.recorded("target_string", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient("a", x))
case.recorded("target_numpy_array", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(np.ones(2), x))
case.recorded("target_int_number", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(3, x))
case.recorded("source_numpy", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, np.ones(2)))
case.recorded("source_string", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, "x"))
case.recorded("source_missing_argument", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y))


@case
def sources_empty_tuple(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        a = x * x
    r = t.gradient(a, ())
    return [type(r).__name__, r]


@case
def sources_empty_dict(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        a = x * x
    r = t.gradient(a, {})
    return [type(r).__name__, r]


@case
def sources_nested_type(tf):
    x = tf.constant(2.0)
    y = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch([x, y])
        a = x * x * y
    r = t.gradient(a, {"a": (x, [y]), "b": {"c": x}})
    return [type(r).__name__, type(r["a"]).__name__, type(r["a"][1]).__name__, r]


case.recorded("sources_set", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, {1, 2}))
case.recorded("sources_generator", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, (e for e in [x])))


@case
def sources_namedtuple_type(tf):
    P = collections.namedtuple("P", "u v")
    x = tf.constant(2.0)
    y = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch([x, y])
        a = x * x * y
    r = t.gradient(a, P(x, P(y, x)))
    return [type(r).__name__, r.u, r.v.u, r.v.v]


@case
def sources_dict_order(tf):
    x = tf.constant(2.0)
    y = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch([x, y])
        a = x * x * y
    r = t.gradient(a, {"z": x, "a": y})
    return [list(r), r["z"], r["a"]]


@case
def sources_with_ints_zero(tf):
    x = tf.constant(2.0)
    n = tf.constant(3)
    with tf.GradientTape() as t:
        t.watch(x)
        a = x * x
    r = t.gradient(a, [x, n], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return [r, r[1].dtype == n.dtype]


case.recorded(
    "sources_tuple_none_zero",
    2.0,
    lambda tf, x: x * x,
    lambda tape, x, y: tape.gradient(y, (x, None), unconnected_gradients="zero"),
)


@case
def sources_dict_unconnected_partly(tf):
    x = tf.constant(2.0)
    y = tf.constant([3.0, 1.0])
    v = tf.Variable([[1.0, 2.0]])
    with tf.GradientTape() as t:
        t.watch([x, y])
        a = x * x
    return t.gradient(a, {"x": x, "y": y, "v": [v]}, unconnected_gradients="zero")


@case
def sources_dict_unconnected_partly_none(tf):
    x = tf.constant(2.0)
    y = tf.constant([3.0, 1.0])
    v = tf.Variable([[1.0, 2.0]])
    with tf.GradientTape() as t:
        t.watch([x, y])
        a = x * x
    return t.gradient(a, {"x": x, "y": y, "v": [v]})


@case
def unconnected_true(tf):
    return gradient(tf, lambda x: x * x, 2.0, unconnected_gradients=True)


@case
def unconnected_number(tf):
    return gradient(tf, lambda x: x * x, 2.0, unconnected_gradients=0)


case.recorded(
    "unconnected_none_obj_jac",
    [1.0, 2.0],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.jacobian(y, x, unconnected_gradients=None),
)
case.recorded(
    "unconnected_bad_bj",
    [[1.0, 2.0]],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.batch_jacobian(y, x, unconnected_gradients="bad"),
)


@case
def unconnected_bad_then_usable(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    with contextlib.suppress(ValueError):
        t.jacobian(y, x, unconnected_gradients="bad")
    return t.jacobian(y, x)


@case
def bad_source_then_usable(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    with contextlib.suppress(Exception):
        t.gradient(y, [x, 1.0])
    return t.gradient(y, x)


@case
def bad_batch_then_usable(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    with contextlib.suppress(Exception):
        t.batch_jacobian(y, x)
    return t.gradient(y, x)


@case
def bad_jac_target_then_usable(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    with contextlib.suppress(Exception):
        t.jacobian([y, y], x)
    return t.gradient(y, x)


@case
def jacobian_sources_dict(tf):
    x = tf.constant([1.0, 2.0])
    z = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch([x, z])
        y = x * x * z
    return t.jacobian(y, {"x": x, "z": z, "y": y})


@case
def jacobian_sources_nested(tf):
    x = tf.constant([1.0, 2.0])
    z = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch([x, z])
        y = x * x * z
    r = t.jacobian(y, (x, [z, {"q": x}]))
    return [type(r).__name__, r]


case.recorded("jacobian_int_target", [1, 2], lambda tf, x: x * x, lambda tape, x, y: tape.jacobian(y, x))
case.recorded(
    "jacobian_int_target_zero",
    [1.0, 2.0],
    lambda tf, x: tf.cast(x, tf.int32),
    lambda tape, x, y: tape.jacobian(y, x, unconnected_gradients="zero"),
)


@case
def jacobian_unconnected_dtype(tf):
    x = tf.constant([1.0, 2.0], tf.float32)
    y0 = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch([x, y0])
        y = y0 * y0
    r = t.jacobian(y, x, unconnected_gradients="zero")
    return [r, r.dtype == tf.float32]


case.recorded("jacobian_complex", [1.0 + 1j, 2.0 - 1j], lambda tf, x: x * x, lambda tape, x, y: tape.jacobian(y, x))
case.recorded(
    "jacobian_complex_of_real",
    [1.0, 2.0],
    lambda tf, x: tf.cast(x, tf.complex128) * (1 + 2j),
    lambda tape, x, y: tape.jacobian(y, x),
)


@case
def jacobian_of_variable_target(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as t:
        v * v
    return t.jacobian(v, v)


case.recorded("jacobian_source_none", [1.0, 2.0], lambda tf, x: x * x, lambda tape, x, y: tape.jacobian(y, None))
case.recorded(
    "jacobian_source_list_none", [1.0, 2.0], lambda tf, x: x * x, lambda tape, x, y: tape.jacobian(y, [x, None])
)
case.recorded("jacobian_source_empty", [1.0, 2.0], lambda tf, x: x * x, lambda tape, x, y: tape.jacobian(y, []))


@case
def jacobian_pfor_positional(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * x
    return t.jacobian(y, x, tf.UnconnectedGradients.NONE, None, False)


case.recorded(
    "jacobian_parallel_iterations_zero",
    [1.0, 2.0],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.jacobian(y, x, parallel_iterations=0, experimental_use_pfor=False),
    persistent=True,
)
case.recorded(
    "jacobian_parallel_iterations_big",
    [1.0, 2.0],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.jacobian(y, x, parallel_iterations=10, experimental_use_pfor=False),
    persistent=True,
)
case.recorded(
    "batch_jacobian_source_list",
    [[1.0, 2.0]],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.batch_jacobian(y, [x]),
    persistent=True,
)


case.recorded(
    "batch_jacobian_target_none",
    [[1.0, 2.0]],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.batch_jacobian(None, x),
    persistent=True,
)
case.recorded(
    "batch_jacobian_source_none",
    [[1.0, 2.0]],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.batch_jacobian(y, None),
    persistent=True,
)
case.recorded(
    "batch_jacobian_int", [[1, 2]], lambda tf, x: x * x, lambda tape, x, y: tape.batch_jacobian(y, x), persistent=True
)
case.recorded(
    "batch_jacobian_one",
    [[1.0, 2.0], [3.0, 4.0]],
    lambda tf, x: tf.reduce_sum(x * x, axis=1)[:, None],
    lambda tape, x, y: tape.batch_jacobian(y, x),
)


case.recorded(
    "batch_jacobian_itself", [[1.0, 2.0], [3.0, 4.0]], lambda tf, x: x, lambda tape, x, y: tape.batch_jacobian(x, x)
)
case.recorded(
    "batch_jacobian_complex", [[1.0 + 1j, 2.0 - 1j]], lambda tf, x: x * x, lambda tape, x, y: tape.batch_jacobian(y, x)
)


@case
def batch_jacobian_after_exit_inside(tf):
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
        return t.batch_jacobian(y, x)


case.nested(
    "batch_jacobian_of_gradient_within",
    [[1.0, 2.0], [3.0, 4.0]],
    lambda tf, x: tf.reduce_sum(x * x * x),
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: outer.batch_jacobian(slope, x),
)
case.nested(
    "grad_of_bj",
    [[1.0, 2.0], [3.0, 4.0]],
    lambda tf, x: x * x * x,
    lambda tape, x, y: tape.batch_jacobian(y, x),
    lambda outer, x, slope: outer.gradient(slope, x),
)
case.nested(
    "jacobian_of_bj",
    [[1.0, 2.0]],
    lambda tf, x: x * x * x,
    lambda tape, x, y: tape.batch_jacobian(y, x),
    lambda outer, x, slope: outer.jacobian(slope, x),
)


case.recorded("jacobian_scalar_by_itself", 2.0, lambda tf, x: x, lambda tape, x, y: tape.jacobian(x, x))
case.recorded("jacobian_target_python", 2.0, lambda tf, x: x, lambda tape, x, y: tape.jacobian(2.0, x))


@case
def jacobian_inside_persistent(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * x * x
        j = t.jacobian(y, x)
    return [j, t.gradient(j, x)]


@case
def jacobian_inside_then_more(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x * x
        t.jacobian(y, x)
        z = x * y
    return t.gradient(z, x)


@case
def grad_3d(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = tf.reduce_sum(x**4) * x[0]
            g = t1.gradient(y, x)
        h = t2.jacobian(g, x)
    return t3.jacobian(h, x)


@case
def output_gradient_none_in_nest(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        a = x * x
        b = 3.0 * x
    return t.gradient({"a": a, "b": b}, x, output_gradients={"a": None, "b": tf.constant(2.0)})
