"""Cases of functions with gradients of their own, forward mode and interrupted recording, nested in each other."""

import contextlib

from tests.conformance.cases import Cases

case = Cases()


@case
def custom_kwargs(tf):

    @tf.custom_gradient
    def f(x, scale=2.0):
        return (x * scale, lambda u: u * scale * 10.0)

    x = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x, scale=5.0)
    return [y, t.gradient(y, x)]


@case
def custom_tensor_kwarg(tf):

    @tf.custom_gradient
    def f(x, scale=None):
        return (x * scale, lambda u: u * 10.0)

    x = tf.constant(3.0)
    s = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch([x, s])
        y = f(x, scale=s)
    return t.gradient(y, [x, s])


@case
def custom_tensor_kwarg_two(tf):

    @tf.custom_gradient
    def f(x, scale=None):
        return (x * scale, lambda u: (u * 10.0, u * 20.0))

    x = tf.constant(3.0)
    s = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch([x, s])
        y = f(x, scale=s)
    return t.gradient(y, [x, s])


@case
def custom_args_python_number(tf):

    @tf.custom_gradient
    def f(x, n):
        return (x * n, lambda u: (u * 10.0, None))

    x = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch([x])
        y = f(x, 2.0)
    return t.gradient(y, x)


@case
def custom_args_python_number_one_grad(tf):

    @tf.custom_gradient
    def f(x, n):
        return (x * n, lambda u: u * 10.0)

    x = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch([x])
        y = f(x, 2.0)
    return t.gradient(y, x)


@case
def custom_list_arg(tf):

    @tf.custom_gradient
    def f(xs):
        a, b = xs
        return (a * b, lambda u: (u * 10.0, u * 20.0))

    x, z = (tf.constant(3.0), tf.constant(4.0))
    with tf.GradientTape() as t:
        t.watch([x, z])
        y = f([x, z])
    return t.gradient(y, [x, z])


@case
def custom_list_arg_list_grad(tf):

    @tf.custom_gradient
    def f(xs):
        a, b = xs
        return (a * b, lambda u: [[u * 10.0, u * 20.0]])

    x, z = (tf.constant(3.0), tf.constant(4.0))
    with tf.GradientTape() as t:
        t.watch([x, z])
        y = f([x, z])
    return t.gradient(y, [x, z])


@case
def custom_dict_result(tf):

    @tf.custom_gradient
    def f(x):
        return ({"a": x * 2.0, "b": x * 3.0}, lambda *u: u[0] * 10.0 + u[1] * 100.0)

    x = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch(x)
        r = f(x)
        y = r["a"] + 2.0 * r["b"]
    return [sorted(r), t.gradient(y, x)]


@case
def custom_tuple_result_type(tf):

    @tf.custom_gradient
    def f(x):
        return ((x * 2.0, x * 3.0), lambda a, b: a + b)

    r = f(tf.constant(1.0))
    return [type(r).__name__, r]


@case
def custom_partial_output_used(tf):
    seen = []

    @tf.custom_gradient
    def f(x):

        def g(a, b):
            seen.append(float(b))
            return a * 10.0 + b

        return ((x * 2.0, x * 3.0), g)

    x = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch(x)
        r = f(x)
    return [t.gradient(r[0], x), seen]


@case
def custom_unused_output_none_source(tf):

    @tf.custom_gradient
    def f(x, y):
        return (x + y, lambda u: (u, None))

    x, y = (tf.constant(1.0), tf.constant(2.0))
    with tf.GradientTape(persistent=True) as t:
        t.watch([x, y])
        z = f(x, y)
    return [t.gradient(z, y), t.gradient(z, y, unconnected_gradients="zero"), t.gradient(z, x)]


case.nested(
    "custom_second_order_matches",
    2.0,
    lambda tf, x: tf.custom_gradient(lambda x: (x**3, lambda u: u * 3.0 * x**2))(x),
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: [slope, outer.gradient(slope, x)],
)


@case
def custom_second_order_of_upstream(tf):

    @tf.custom_gradient
    def f(x):
        return (x * 1.0, lambda u: u * u)

    x = tf.constant(2.0)
    w = tf.constant(3.0)
    with tf.GradientTape() as o:
        o.watch([x, w])
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x) * w
        g = t.gradient(y, x)
    return [g, o.gradient(g, [x, w])]


@case
def custom_nested(tf):

    @tf.custom_gradient
    def inner(x):
        return (x * 1.0, lambda u: u * 10.0)

    @tf.custom_gradient
    def outer(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = inner(x) * 2.0
        g = t.gradient(y, x)
        return (y, lambda u: u * g)

    x = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = outer(x)
    return [y, t.gradient(y, x)]


@case
def custom_in_grad_custom(tf):

    @tf.custom_gradient
    def h(u):
        return (u * 1.0, lambda uu: uu * 7.0)

    @tf.custom_gradient
    def f(x):
        return (x * x, lambda u: h(u * 2.0 * x))

    x = tf.constant(3.0)
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        g = t.gradient(y, x)
    return [g, o.gradient(g, x)]


case.recorded(
    "custom_jacobian",
    [1.0, 2.0],
    lambda tf, x: tf.custom_gradient(lambda x: (x * x, lambda u: u * 10.0))(x),
    lambda tape, x, y: tape.jacobian(y, x),
)
case.recorded(
    "custom_batch_jacobian",
    [[1.0, 2.0], [3.0, 4.0]],
    lambda tf, x: tf.custom_gradient(lambda x: (x * x, lambda u: u * 10.0))(x),
    lambda tape, x, y: tape.batch_jacobian(y, x),
)


@case
def custom_variable_arg(tf):

    @tf.custom_gradient
    def f(v):
        return (v * v, lambda u: u * 100.0)

    v = tf.Variable(3.0)
    with tf.GradientTape() as t:
        y = f(v)
    return t.gradient(y, v)


@case
def custom_variable_captured_none_grad(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):

        def g(u, variables=None):
            return (u * v, [None])

        return (x * v, g)

    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, [x, v])


@case
def custom_variables_wrong_count(tf):
    v = tf.Variable(3.0)
    w = tf.Variable(1.0)

    @tf.custom_gradient
    def f(x):

        def g(u, variables=None):
            return (u * v, [u])

        return (x * v * w, g)

    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, [x, v])


@case
def custom_variables_kw(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):

        def g(u, **kw):
            return (u * 10.0, [u * 20.0 for _ in kw["variables"]])

        return (x * v, g)

    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, [x, v])


@case
def custom_variables_argument_but_no_variables(tf):

    @tf.custom_gradient
    def f(x):

        def g(u, variables=None):
            return u * 10.0

        return (x * 1.0, g)

    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, x)


@case
def custom_only_variable_watched(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):

        def g(u, variables=None):
            return (u * 10.0, [u * 20.0])

        return (x * v, g)

    with tf.GradientTape() as t:
        y = f(tf.constant(2.0))
    return [t.gradient(y, v)]


@case
def custom_returns_only_value(tf):

    @tf.custom_gradient
    def f(x):
        return x * 2.0

    return f(tf.constant(1.0))


case.recorded(
    "custom_returns_int",
    2.0,
    lambda tf, x: tf.custom_gradient(lambda x: (tf.cast(x, tf.int32), lambda u: None))(x),
    lambda tape, x, y: [y, tape.gradient(y, x)],
)


@case
def custom_raises_in_grad(tf):

    @tf.custom_gradient
    def f(x):

        def g(u):
            raise KeyError("no")

        return (x * 2.0, g)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, x)


@case
def custom_raises_in_grad_then_persistent_usable(tf):
    flag = [True]

    @tf.custom_gradient
    def f(x):

        def g(u):
            if flag[0]:
                raise KeyError("no")
            return u * 10.0

        return (x * 2.0, g)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = f(x)
    try:
        t.gradient(y, x)
    except KeyError:
        flag[0] = False
    return t.gradient(y, x)


@case
def custom_raises_in_forward(tf):

    @tf.custom_gradient
    def f(x):
        raise ZeroDivisionError("no")

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        with contextlib.suppress(ZeroDivisionError):
            f(x)
        y = x * x
    return t.gradient(y, x)


@case
def custom_called_once_persistent(tf):
    called = []

    @tf.custom_gradient
    def f(x):

        def g(u):
            called.append(1)
            return u * 3.0

        return (x * 2.0, g)

    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = f(x)
        z = y * y
    return [t.gradient(z, x), t.gradient(y, x), called]


@case
def custom_inside_not_recorded(tf):
    mid = []

    @tf.custom_gradient
    def f(x):
        m = x * 3.0
        mid.append(m)
        return (m * 2.0, lambda u: u * 10.0)

    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = f(x)
    return [t.gradient(y, mid[0]), t.gradient(mid[0], x), t.gradient(y, x)]


@case
def custom_closure_over_watched(tf):
    w = tf.constant(3.0)

    @tf.custom_gradient
    def f(x):
        return (x * w, lambda u: u * 10.0)

    x = tf.constant(1.0)
    with tf.GradientTape() as t:
        t.watch([x, w])
        y = f(x)
    return t.gradient(y, [x, w])


@case
def custom_stable_softplus_at_100(tf):

    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return (tf.math.log(1.0 + e), lambda u: u * (1.0 - 1.0 / (1.0 + e)))

    x = tf.constant(100.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = log1pexp(x)
    return t.gradient(y, x)


@case
def recompute_basic(tf):
    n = []

    def f(x):
        n.append(1)
        return tf.sin(x) * x

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = tf.recompute_grad(f)(x)
    a = t.gradient(y, x)
    b = t.gradient(y, x)
    return [a, b, len(n)]


@case
def recompute_kwargs(tf):

    def f(x, k=1.0):
        return x * x * k

    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.recompute_grad(f)(x, k=3.0)
    return t.gradient(y, x)


@case
def recompute_var(tf):
    v = tf.Variable([1.0, 2.0])

    def f(x):
        return tf.reduce_sum(v * x * v)

    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.recompute_grad(f)(x)
    return t.gradient(y, [x, v])


@case
def recompute_var_second(tf):
    x = tf.constant(2.0)
    f = tf.recompute_grad(lambda x: x**3)
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        g = t.gradient(y, x)
    return [g, o.gradient(g, x)]


@case
def recompute_two_outputs(tf):
    f = tf.recompute_grad(lambda x: (x**3, x * 2.0))
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        a, b = f(x)
    return [t.gradient(a, x), t.gradient(b, x), t.gradient([a, b], x)]


@case
def recompute_jacobian(tf):
    f = tf.recompute_grad(lambda x: x**3)
    x = tf.constant([2.0, 1.0])
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = f(x)
    return t.jacobian(y, x)


@case
def recompute_unconnected(tf):
    f = tf.recompute_grad(lambda x, z: x**3)
    x = tf.constant(2.0)
    z = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch([x, z])
        y = f(x, z)
    return t.gradient(y, [x, z])


@case
def recompute_in_chain(tf):
    f = tf.recompute_grad(lambda x: tf.tanh(x) * x)
    x = tf.constant(0.5)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x
        for _ in range(4):
            y = f(y)
    return t.gradient(y, x)


@case
def recompute_list_arg(tf):
    f = tf.recompute_grad(lambda xs: xs[0] * xs[1])
    x = tf.constant(2.0)
    z = tf.constant(5.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch([x, z])
        y = f([x, z])
    return t.gradient(y, [x, z])


@case
def forward_unconnected_zero(tf):
    x = tf.constant(2.0)
    z = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
        y = z * z
    return [a.jvp(y), a.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)]


@case
def forward_bad_choice(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
        y = x * x
    return a.jvp(y, unconnected_gradients="bad")


@case
def forward_structure(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
        y = {"a": x * x, "b": [x, (3.0 * x,)]}
    return a.jvp(y)


@case
def forward_none_primal(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
        y = x * x
    return a.jvp([y, None])


@case
def forward_dtype_mismatch(tf):
    tf.autodiff.ForwardAccumulator(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0], tf.float32))
    return 1


@case
def forward_int_primal(tf):
    x = tf.constant([1, 2])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1, 1])) as a:
        y = x * x
    return a.jvp(y)


@case
def forward_reenter_after(tf):
    x = tf.constant(2.0)
    a = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    with a:
        y = x * x
    with a:
        z = y * x
    return [a.jvp(y), a.jvp(z)]


@case
def forward_missing_tangent(tf):
    return tf.autodiff.ForwardAccumulator(tf.constant(1.0))


@case
def forward_tangent_none(tf):
    tf.autodiff.ForwardAccumulator(tf.constant(1.0), None)
    return 1


@case
def forward_two(tf):
    x = tf.constant(2.0)
    z = tf.constant(3.0)
    with (
        tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a,
        tf.autodiff.ForwardAccumulator(z, tf.constant(1.0)) as b,
    ):
        y = x * x * z
    return [a.jvp(y), b.jvp(y), b.jvp(a.jvp(y)), a.jvp(b.jvp(y))]


@case
def forward_jvp_within(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
        y = x * x
        d = a.jvp(y)
        z = d * x
    return [d, a.jvp(z)]


@case
def forward_nested_within(tf):
    x = tf.constant(2.0)
    inner, outer = (tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) for _ in range(2))
    with outer, inner:
        y = x**3
        d = inner.jvp(y)
    return [d, outer.jvp(d), outer.jvp(y)]


@case
def forward_over_tape_gradient(tf):
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as a:
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.reduce_sum(x**3)
        g = t.gradient(y, x)
    return [g, a.jvp(g)]


@case
def forward_over_tape_jacobian(tf):
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as a:
        with tf.GradientTape() as t:
            t.watch(x)
            y = x**3
        g = t.jacobian(y, x)
    return [g, a.jvp(g)]


@case
def tape_over_fa(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as a:
            y = x**3
        d = a.jvp(y)
    return [d, t.gradient(d, x)]


@case
def tape_over_fa_tangent(tf):
    x = tf.constant([1.0, 2.0])
    v = tf.constant([1.0, 0.5])
    with tf.GradientTape() as t:
        t.watch([x, v])
        with tf.autodiff.ForwardAccumulator(x, v) as a:
            y = x**3
        d = a.jvp(y)
    return t.gradient(d, [x, v])


@case
def forward_variable_auto(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0])) as a:
        y = v * v
        v.assign([5.0, 5.0])
        z = v * v
    return [a.jvp(y), a.jvp(z)]


@case
def forward_variable_read(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0])) as a:
        r = v.read_value()
    return [a.jvp(v), a.jvp(r)]


@case
def forward_stop_gradient(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
        y = tf.stop_gradient(x) * x
    return a.jvp(y)


@case
def forward_control(tf):
    x = tf.constant([1.0, -2.0, 0.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 1.0, 1.0])) as a:
        y = [tf.abs(x), tf.nn.relu(x), tf.maximum(x, x), tf.where(x > 0.0, x, 0.0 * x), tf.reduce_max(x)]
    return a.jvp(y)


@case
def forward_matmul(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([[1.0, 0.0], [0.0, 0.0]])) as a:
        y = [tf.matmul(x, x), tf.linalg.inv(x), tf.linalg.det(x), tf.transpose(x) @ x]
    return a.jvp(y)


@case
def forward_outside_prior(tf):
    x = tf.constant(2.0)
    y = x * x
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
        z = y * x
    return [a.jvp(y), a.jvp(z)]


@case
def forward_tape_inside_watch(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(3.0)) as a:
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x**4
            g = t.gradient(y, x)
        h = t.gradient(g, x)
    return [a.jvp(y), a.jvp(g), a.jvp(h)]


@case
def stopped_nested_two_tapes(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape() as i:
            i.watch(x)
            with o.stop_recording():
                y = x * x
            z = y * x
    return [o.gradient(z, x), i.gradient(z, x)]


@case
def stopped_twice(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        with t.stop_recording(), t.stop_recording():
            y = x * x
        z = y * x
    return t.gradient(z, x)


@case
def stopped_order_changes(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape() as i:
            i.watch(x)
            y = x**3
            with i.stop_recording():
                g = i.gradient(y, x)
    return [g, o.gradient(g, x)]


@case
def stopped_returns(tf):
    tf.constant(2.0)
    with tf.GradientTape() as t, t.stop_recording() as s:
        pass
    return s


@case
def stopped_variable(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as t:
        with t.stop_recording():
            a = v * v
        b = t.watched_variables()
        y = v * a
    return [len(b), t.gradient(y, v)]


@case
def tape_as_gen(tf):
    t = tf.GradientTape()
    x = tf.constant(2.0)
    e = t.__enter__()
    t.watch(x)
    y = x * x
    r = t.__exit__(None, None, None)
    return [e is t, r, t.gradient(y, x)]


@case
def tape_exit_by_exception(tf):
    x = tf.constant(2.0)
    t = tf.GradientTape()
    try:
        with t:
            t.watch(x)
            y = x * x
            raise ValueError
    except ValueError:
        pass
    return t.gradient(y, x)


@case
def custom_fa_round(tf):

    @tf.custom_gradient
    def f(x):
        return (tf.round(x), lambda u: u * 7.0)

    x = tf.constant(3.3)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(2.0)) as a:
        y = f(x)
    return a.jvp(y)


@case
def custom_fa_over_reverse(tf):

    @tf.custom_gradient
    def f(x):
        return (x * x, lambda u: u * 100.0 * x)

    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(2.0)) as a:
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        g = t.gradient(y, x)
    return [g, a.jvp(g)]
