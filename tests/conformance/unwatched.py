"""Cases of what is not watched, or watched at the wrong moment, and yet a target, a source or an input."""

from tests.conformance.cases import Cases

case = Cases()


@case
def custom_untrainable_variable(tf):
    v = tf.Variable(3.0, trainable=False)

    @tf.custom_gradient
    def f(x):
        return (x * v, lambda u: u * 10.0)

    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, [x, v])


@case
def custom_no_watch_auto(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):

        def g(u, variables=None):
            return (u * 10.0, [u * 20.0])

        return (x * v, g)

    x = tf.constant(2.0)
    with tf.GradientTape(watch_accessed_variables=False) as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, [x, v])


@case
def stopped_watch_inside(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        with t.stop_recording():
            t.watch(x)
            y = x * x
        z = y * x
    return t.gradient(z, x)


@case
def stopped_reset_inside(tf):
    tf.constant(2.0)
    with tf.GradientTape() as t, t.stop_recording():
        t.reset()
    return 1


@case
def reset_persistent_then_grad_old(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * x
        t.reset()
        t.watch(x)
        z = x * x * x
    return [t.gradient(y, x), t.gradient(z, x)]


@case
def reset_untrainable(tf):
    v = tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as t:
        t.watch(v)
        v * v
        t.reset()
        z = v * v
    return [[type(e).__name__ for e in t.watched_variables()], t.gradient(z, v)]


@case
def reset_untrainable_rewatch(tf):
    v = tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as t:
        t.watch(v)
        v * v
        t.reset()
        t.watch(v)
        z = v * v
    return [len(t.watched_variables()), t.gradient(z, v)]


@case
def reset_untrainable_zero(tf):
    v = tf.Variable(2.0, trainable=False)
    with tf.GradientTape(persistent=True) as t:
        t.watch(v)
        v * v
        t.reset()
        z = v * v
    return [t.gradient(z, v, unconnected_gradients="zero"), t.gradient(v, v), t.gradient([z, v], v), t.jacobian(z, v)]


@case
def unwatched_target_source_input(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        y = x * x
    return [
        t.gradient(x, x),
        t.gradient([x, y], x),
        t.gradient(y, [x, y]),
        t.gradient([y, y], [y]),
        t.gradient([x, x], [x, x]),
    ]


@case
def unwatched_target_source_input_with_watched(tf):
    x = tf.constant(2.0)
    w = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(w)
        y = x * w
    return [
        t.gradient([x, y], x),
        t.gradient([y, x], [x, w]),
        t.gradient(y, [x, y]),
        t.gradient([x, y], [x, y, w]),
        t.gradient(y, x),
    ]


@case
def unwatched_target_source_input_chain(tf):
    x = tf.constant(2.0)
    w = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(w)
        y = x * w
        z = y * x
    return [
        t.gradient([x, z], x),
        t.gradient([x, y, z], [x, y]),
        t.gradient([x, z], [w, x]),
        t.gradient(z, x),
        t.gradient([x, y, z], [w, x, y, z]),
    ]


@case
def unwatched_target_source_input_zero(tf):
    x = tf.constant(2.0)
    w = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(w)
        y = x * w
        z = y * x
    return [t.gradient([x, z], x, unconnected_gradients="zero"), t.gradient(z, x, unconnected_gradients="zero")]


@case
def unwatched_output_gradient(tf):
    x = tf.constant(2.0)
    w = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(w)
        y = x * w
    return t.gradient([x, y], x, output_gradients=[tf.constant(5.0), tf.constant(7.0)])


@case
def unwatched_unary_then(tf):
    x = tf.constant(2.0)
    w = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(w)
        y = tf.sin(x) + w
    return [t.gradient([x, y], x), t.gradient([x, y], [x, w])]


@case
def unwatched_sum_with_watched(tf):
    x = tf.constant(2.0)
    w = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(w)
        y = x + w
        z = w - x
        q = w / x
        p = tf.stack([x, w])
        m = tf.maximum(x, w)
    return [
        t.gradient([x, y], x),
        t.gradient([x, z], x),
        t.gradient([x, q], x),
        t.gradient([x, p], x),
        t.gradient([x, m], x),
    ]


@case
def watch_after_exit_other_active(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as a:
        pass
    with tf.GradientTape():
        a.watch(x)
    with a:
        y = x * x
    return a.gradient(y, x)


@case
def watch_after_exit_none_active(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as a:
        pass
    a.watch(x)
    with a:
        y = x * x
    return a.gradient(y, x)


@case
def watch_after_exit_var(tf):
    x = tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as a:
        pass
    a.watch(x)
    with a:
        y = x * x
    return [len(a.watched_variables()), a.gradient(y, x)]


@case
def watch_after_exit_fa_active(tf):
    x = tf.constant(2.0)
    z = tf.constant(1.0)
    with tf.GradientTape() as a:
        pass
    with tf.autodiff.ForwardAccumulator(z, tf.constant(1.0)):
        a.watch(x)
    with a:
        y = x * x
    return a.gradient(y, x)


@case
def stopped_watch_var_inside(tf):
    v = tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as t:
        with t.stop_recording():
            t.watch(v)
        y = v * v
    return [len(t.watched_variables()), t.gradient(y, v)]


@case
def stopped_watch_inside_nested(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(), tf.GradientTape() as t:
        with t.stop_recording():
            t.watch(x)
        y = x * x
    return t.gradient(y, x)


@case
def watch_after_exit_self_target(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as a:
        tf.constant(1.0) * 1.0
    a.watch(x)
    return [a.gradient(x, x), a.jacobian(x, x)]


@case
def untrainable_target_source_input(tf):
    v = tf.Variable(2.0, trainable=False)
    w = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as t:
        y = v * w
    return [t.gradient([v, y], v), t.gradient(y, v), t.gradient([v, y], [v, w]), t.gradient([y, v], [w, v, y])]


@case
def reset_untrainable_target_source_input(tf):
    v = tf.Variable(2.0, trainable=False)
    w = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(v)
        z = v * v
        t.reset()
        y = v * w
    return [
        t.gradient([v, y], v),
        t.gradient(y, v),
        t.gradient([v, y], [v, w]),
        t.gradient([y, v], [w, v, y]),
        t.gradient([z, v], v),
        len(t.watched_variables()),
    ]


@case
def reset_untrainable_assigned(tf):
    v = tf.Variable(2.0, trainable=False)
    w = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(v)
        v * v
        t.reset()
        v.assign(5.0)
        y = v * w
        t.watch(v)
        q = v * w
    return [t.gradient(y, [v, w]), t.gradient(q, [v, w]), t.gradient([q, v], [v]), len(t.watched_variables())]


@case
def reset_untrainable_read_after(tf):
    v = tf.Variable(2.0, trainable=False)
    with tf.GradientTape(persistent=True) as t:
        t.watch(v)
        r = v.read_value()
        r * r
        t.reset()
        y = r * r
        t.watch(r)
        q = r * r * v
    return [
        t.gradient(y, v),
        t.gradient(q, [r, v]),
        t.gradient([q, v], [v, r]),
        t.gradient([q, v, r], [v, r]),
        t.jacobian(v, v),
        t.jacobian(v, v, unconnected_gradients="zero"),
    ]


@case
def untrainable_unwatched_jac(tf):
    v = tf.Variable([2.0, 3.0], trainable=False)
    with tf.GradientTape(persistent=True) as t:
        y = v * v
    return [
        t.jacobian(v, v),
        t.jacobian(y, v),
        t.jacobian(v, v, unconnected_gradients="zero"),
        t.gradient(v, v),
        t.gradient(v, v, output_gradients=tf.constant([5.0, 6.0])),
    ]


@case
def unwatched_int_target(tf):
    n = tf.constant(2)
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * tf.cast(n, tf.float64)
    return [t.gradient(n, n), t.gradient([n, y], n), t.gradient([n, y], x)]


@case
def unwatched_list_ops(tf):
    x = tf.constant([2.0, 1.0])
    w = tf.constant([3.0, 4.0])
    with tf.GradientTape(persistent=True) as t:
        t.watch(w)
        y = tf.concat([x, w], 0)
        z = tf.reduce_sum(y)
        q = tf.reduce_sum(x) * w
    return [t.gradient([x, y], x), t.gradient([x, z], [x, w]), t.gradient([x, q], x), t.gradient([x, q, w], [x, w])]


@case
def unwatched_persistent_twice(tf):
    x = tf.constant(2.0)
    w = tf.constant(3.0)
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape(persistent=True) as t:
            t.watch(w)
            y = x * w
        g = t.gradient([x, y], [x, w])
    return [g, o.gradient(g[1], x)]


@case
def unwatched_other_target_path(tf):
    x = tf.constant(2.0)
    w = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(w)
        y = x * w
        z = w * w
    return [t.gradient([x, z], x), t.gradient([x, z], [x, w]), t.gradient([x, y], x)]


@case
def watch_during_custom_gradient(tf):
    x = tf.constant(2.0)
    t = tf.GradientTape()
    with t:
        pass

    @tf.custom_gradient
    def f(z):
        t.watch(x)
        return (z * 1.0, lambda u: u)

    f(tf.constant(1.0))
    with t:
        y = x * x
    return t.gradient(y, x)


@case
def unwatched_target_read_before_a_cut(tf):
    x, w = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = w * w
        z = tf.floor(x * y)
    return tape.gradient([z, y], [x, w, y])
