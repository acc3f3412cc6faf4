"""Cases of mixed dtypes, empty arrays, errors on the way, training loops, and of how methods are called."""

import contextlib

import numpy as np

from tests.conformance.cases import Cases

case = Cases()


def dt(value):
    return np.asarray(value).dtype.name


@case
def half_precision_grad(tf):
    x = tf.constant(np.array([1.0, 2.0], np.float16))
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    g = t.gradient(y, x)
    return [dt(g), g]


@case
def single_precision_second(tf):
    x = tf.constant(np.array([1.0, 2.0], np.float32))
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.sin(x) * x
        g = t.gradient(y, x)
    h = o.gradient(g, x)
    return [dt(g), dt(h)]


@case
def single_precision_jac(tf):
    x = tf.constant(np.array([1.0, 2.0], np.float32))
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.exp(x)
    return dt(t.jacobian(y, x))


@case
def single_precision_python_scalar(tf):
    x = tf.constant(np.float32(2.0))
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * 3 + 1.5 - x / 2
    return [dt(y), dt(t.gradient(y, x))]


case.recorded("int_power", [2.0, 3.0], lambda tf, x: x**2 - x**0 + x ** (-1), lambda tape, x, y: tape.gradient(y, x))
case.recorded(
    "bool_mult", [2.0, 3.0], lambda tf, x: x * tf.cast(x > 2.5, tf.float64), lambda tape, x, y: tape.gradient(y, x)
)


@case
def cast_chain(tf):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.cast(tf.cast(x, tf.float32) * 2.0, tf.float64) * x
    g = t.gradient(y, x)
    return [dt(g), g]


@case
def cast_complex(tf):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.cast(x, tf.complex128) * (1 + 2j)
    g = t.gradient(y, x)
    return [dt(g), g]


@case
def complex_to_real_cast(tf):
    x = tf.constant([2.0 + 1j, 3.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.cast(x, tf.float64) * 2.0
    g = t.gradient(y, x)
    return [dt(g), g]


@case
def complex_var(tf):
    v = tf.Variable([1 + 2j, 3 - 1j])
    with tf.GradientTape() as t:
        y = tf.abs(v) ** 2
    return t.gradient(y, v)


@case
def complex_og(tf):
    x = tf.constant([1 + 2j, 3 - 1j])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    return t.gradient(y, x, output_gradients=tf.constant([1j, 2.0 + 0j]))


@case
def complex_jac_unconnected(tf):
    x = tf.constant([1 + 2j, 3 - 1j])
    z = tf.constant([1.0])
    with tf.GradientTape() as t:
        t.watch([x, z])
        y = x * x
    return t.jacobian(y, [x, z], unconnected_gradients="zero")[1]


@case
def empty_jac(tf):
    x = tf.zeros((0,), tf.float64)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * 2.0
    return list(t.jacobian(y, x).shape)


@case
def empty_source_jac(tf):
    x = tf.zeros((0,), tf.float64)
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.reduce_sum(x) * tf.constant([1.0, 2.0])
    return list(t.jacobian(y, x).shape)


@case
def matmul_mismatch(tf):
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as t:
        t.watch(x)
        with contextlib.suppress(Exception):
            tf.matmul(x, x)
        y = x * x
    return t.gradient(y, x)


@case
def broadcast_error_continues(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        with contextlib.suppress(Exception):
            x + tf.constant([1.0, 2.0, 3.0])
        y = x * x
    return t.gradient(y, x)


case.recorded(
    "where_both_same", [1.0, 2.0], lambda tf, x: tf.where(x > 1.5, x, x), lambda tape, x, y: tape.gradient(y, x)
)
case.recorded(
    "target_multi_dims", [[1.0, 2.0], [3.0, 4.0]], lambda tf, x: tf.matmul(x, x), lambda tape, x, y: tape.gradient(y, x)
)


@case
def while_python(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x
        while y < 10.0:
            y = y * 2.0 * x
    return t.gradient(y, x)


case.recorded("if_tensor", 1.0, lambda tf, x: x * 2.0 if x > 0.0 else x * 3.0, lambda tape, x, y: tape.gradient(y, x))


@case
def persistent_many(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        ys = [x**k for k in range(1, 6)]
    return [t.gradient(y, x) for y in ys]


@case
def deleted_tape(tf):
    x = tf.constant(2.0)
    t = tf.GradientTape(persistent=True)
    with t:
        t.watch(x)
        y = x * x
    g = t.gradient(y, x)
    del t
    return g


@case
def nested_persistent_reuse(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as o:
        o.watch(x)
        with tf.GradientTape(persistent=True) as i:
            i.watch(x)
            y = x**4
        g = i.gradient(y, x)
        h = i.gradient(y, x) * 2.0
    return [o.gradient(g, x), o.gradient(h, x), i.gradient(y, x), o.gradient(y, x)]


@case
def gradient_of_grad_same_persistent_inside(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = x**4
        g = t.gradient(y, x)
        h = t.gradient(g, x)
    return [g, h, t.gradient(h, x)]


@case
def watched_variables_order(tf):
    a, b, c = [tf.Variable(float(k)) for k in range(3)]
    with tf.GradientTape() as t:
        c * a * b
    return [v.numpy() for v in t.watched_variables()]


@case
def watched_variables_unique(tf):
    a = tf.Variable(1.0)
    with tf.GradientTape() as t:
        a * a
        t.watch(a)
        a + 1.0
    return len(t.watched_variables())


@case
def variable_in_dict_watch(tf):
    a = tf.Variable(1.0, trainable=False)
    b = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch({"a": a, "b": [b]})
        y = a * b
    return t.gradient(y, {"a": a, "b": [b]})


@case
def variable_closed_over_lambda(tf):
    a = tf.Variable(3.0)

    def f(z):
        return z * a

    with tf.GradientTape() as t:
        y = f(f(tf.constant(2.0)))
    return t.gradient(y, a)


@case
def assign_in_loop(tf):
    a = tf.Variable(3.0)
    out = []
    for _ in range(3):
        with tf.GradientTape() as t:
            y = (a - 1.0) ** 2
        g = t.gradient(y, a)
        a.assign_sub(0.25 * g)
        out.append(a.numpy())
    return out


@case
def gradient_descent_momentum(tf):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    m = tf.Variable(tf.zeros((2, 2), tf.float64), trainable=False)
    for _ in range(3):
        with tf.GradientTape() as t:
            loss = tf.reduce_mean((w @ tf.constant([[1.0], [2.0]]) - 1.0) ** 2)
        m.assign(0.9 * m + t.gradient(loss, w))
        w.assign_sub(0.01 * m)
    return w


@case
def unconnected_enum(tf):
    return [
        tf.UnconnectedGradients.NONE.value,
        tf.UnconnectedGradients.ZERO.value,
        tf.UnconnectedGradients("zero") is tf.UnconnectedGradients.ZERO,
    ]


@case
def unconnected_enum_bad(tf):
    return tf.UnconnectedGradients("bad")


case.recorded(
    "gradient_kwargs_only",
    2.0,
    lambda tf, x: x * x,
    lambda tape, x, y: tape.gradient(target=y, sources=x, output_gradients=None, unconnected_gradients="none"),
)
case.recorded(
    "jacobian_kwargs",
    [2.0],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.jacobian(
        target=y, sources=x, unconnected_gradients="none", parallel_iterations=None, experimental_use_pfor=True
    ),
)
case.recorded(
    "batch_kwargs",
    [[2.0]],
    lambda tf, x: x * x,
    lambda tape, x, y: tape.batch_jacobian(
        target=y, source=x, unconnected_gradients="none", parallel_iterations=None, experimental_use_pfor=True
    ),
)
case.recorded(
    "gradient_too_many_args", 2.0, lambda tf, x: x * x, lambda tape, x, y: tape.gradient(y, x, None, "none", 1)
)


@case
def watch_two_args(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x, x)


@case
def watch_no_args(tf):
    with tf.GradientTape() as t:
        t.watch()


@case
def watch_keyword(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(tensor=x)
        y = x * x
    return t.gradient(y, x)


@case
def stop_gradient_list(tf):
    return [float(e) for e in tf.stop_gradient([1.0, 2.0])]


@case
def stop_gradient_number(tf):
    return float(tf.stop_gradient(3.0))


case.recorded(
    "stop_gradient_second", 2.0, lambda tf, x: x * x * tf.stop_gradient(x * x), lambda tape, x, y: tape.gradient(y, x)
)


@case
def stop_gradient_is_source(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        s = tf.stop_gradient(x)
        y = s * s * x
    return t.gradient(y, [x, s])
