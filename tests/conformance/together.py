"""Cases of several of the points that are easily missed, in combination with each other."""

import collections
import contextlib
import threading

from tests.conformance.cases import Cases

case = Cases()
_REFUSED = (TypeError, ValueError, RuntimeError, AttributeError)


def cube(tf):

    @tf.custom_gradient
    def f(x):

        def grad(u):
            return u * 3.0 * x * x

        return (x * x * x, grad)

    return f


@case
def custom_in_recompute_second(tf):
    f = cube(tf)
    g = tf.recompute_grad(lambda x: f(x) * x)
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = g(x)
        d = t.gradient(y, x)
    return o.gradient(d, x)


@case
def custom_in_recompute_jac(tf):
    f = cube(tf)
    g = tf.recompute_grad(lambda x: f(x) * x)
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = g(x)
    return [t.jacobian(y, x, experimental_use_pfor=False), t.gradient(y, x)]


@case
def recompute_in_custom(tf):
    r = tf.recompute_grad(lambda x: x * x)

    @tf.custom_gradient
    def f(x):
        y = r(x)
        return (y * 2.0, lambda u: u * y)

    x = tf.constant(3.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x) * x
    return t.gradient(y, x)


@case
def recompute_with_variable_persistent_twice(tf):
    v = tf.Variable(2.0)
    g = tf.recompute_grad(lambda x: x * v * v)
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = g(x)
    return [t.gradient(y, x), t.gradient(y, v), t.gradient(y, [x, v])]


@case
def recompute_variable_assigned_between(tf):
    v = tf.Variable(2.0)
    g = tf.recompute_grad(lambda x: x * v)
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        g(x)
        z = x * v
    return [t.gradient(z, x), t.gradient(z, v)]


@case
def custom_inside_stop_recording(tf):
    f = cube(tf)
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        with t.stop_recording():
            a = f(x)
        y = f(x) * a
    return [t.gradient(y, x), t.gradient(a, x)]


@case
def custom_two_sources_one_none(tf):

    @tf.custom_gradient
    def f(x, y):
        return (x * y, lambda u: (u * 10.0, None))

    x, y = (tf.constant(2.0), tf.constant(3.0))
    with tf.GradientTape(persistent=True) as t:
        t.watch([x, y])
        z = f(x, y) + y
    return [t.gradient(z, [x, y]), t.gradient(z, {"x": x, "y": y}, unconnected_gradients="zero")]


@case
def custom_grad_uses_variable_second(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):

        def grad(u, variables=None):
            return (u * v, [u * x * x])

        return (x * v, grad)

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as o:
        o.watch(x)
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = f(x)
        a, b = t.gradient(y, [x, v])
    return [a, b, o.gradient(a, v), o.gradient(b, x), o.gradient(a, x)]


@case
def custom_same_argument_twice(tf):

    @tf.custom_gradient
    def f(x, y):
        return (x * y, lambda u: (u * 5.0, u * 7.0))

    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        z = f(x, x)
    return t.gradient(z, x)


case.recorded(
    "custom_identity_upstream_clip",
    [1.0, -3.0, 0.2],
    lambda tf, x: (
        tf.custom_gradient(lambda x: (tf.identity(x), lambda u: tf.clip_by_value(u, -1.0, 1.0)))(x)
        * tf.constant([5.0, -7.0, 0.3])
    ),
    lambda tape, x, y: tape.gradient(y, x),
)


@case
def custom_multiple_outputs_partial(tf):

    @tf.custom_gradient
    def f(x):
        return ((x * 2.0, x * 3.0), lambda a, b: a * 100.0 + b)

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        a, b = f(x)
        z = a * a
    return [t.gradient(z, x), t.gradient(b, x), t.gradient([a, b], x)]


@case
def custom_grad_wrong_number(tf):

    @tf.custom_gradient
    def f(x, y):
        return (x * y, lambda u: u)

    x, y = (tf.constant(2.0), tf.constant(3.0))
    with tf.GradientTape() as t:
        t.watch([x, y])
        z = f(x, y)
    return t.gradient(z, [x, y])


def rows(tf, **k):
    return tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@case
def slices_duplicates(tf):
    v = rows(tf)
    with tf.GradientTape() as t:
        y = tf.gather(v, [0, 2, 0]) * tf.constant([[1.0], [10.0], [100.0]])
    g = t.gradient(y, v)
    return [g.indices, g.values, g.dense_shape, tf.convert_to_tensor(g)]


@case
def slices_through_stop(tf):
    v = rows(tf)
    with tf.GradientTape() as t:
        y = tf.gather(tf.stop_gradient(v), [0, 1]) + tf.gather(v, [1, 2])
    return tf.convert_to_tensor(t.gradient(y, v))


@case
def slices_plus_dense(tf):
    v = rows(tf)
    with tf.GradientTape() as t:
        y = tf.reduce_sum(tf.gather(v, [0, 1])) + tf.reduce_sum(v * v)
    return tf.convert_to_tensor(t.gradient(y, v))


@case
def slices_two_gathers(tf):
    v = rows(tf)
    with tf.GradientTape() as t:
        y = tf.reduce_sum(tf.gather(v, [0, 1])) + tf.reduce_sum(tf.gather(v, [1, 2]) * 3.0)
    g = t.gradient(y, v)
    return [g.indices, g.values]


@case
def slices_jac(tf):
    v = rows(tf)
    with tf.GradientTape(persistent=True) as t:
        y = tf.reduce_sum(tf.gather(v, [0, 1]), axis=1)
    return [t.jacobian(y, v), t.jacobian(y, v, experimental_use_pfor=False)]


@case
def slices_second(tf):
    v = rows(tf)
    with tf.GradientTape() as o:
        with tf.GradientTape() as t:
            y = tf.reduce_sum(tf.gather(v, [0, 2]) ** 3)
        g = t.gradient(y, v)
        z = tf.reduce_sum(g.values * g.values)
    return tf.convert_to_tensor(o.gradient(z, v))


@case
def slices_assign_sub(tf):
    v = rows(tf)
    with tf.GradientTape() as t:
        y = tf.reduce_sum(tf.gather(v, [0, 2]) ** 2)
    v.scatter_sub(t.gradient(y, v))
    return v


@case
def slices_2d_indices(tf):
    v = rows(tf)
    with tf.GradientTape() as t:
        y = tf.gather(v, [[0, 2], [1, 0]]) * 2.0
    g = t.gradient(y, v)
    return [g.indices, tf.shape(g.values), tf.convert_to_tensor(g)]


@case
def slices_axis1(tf):
    v = rows(tf)
    with tf.GradientTape() as t:
        y = tf.gather(v, [1, 1], axis=1) * 2.0
    return t.gradient(y, v)


@case
def slices_og(tf):
    v = rows(tf)
    with tf.GradientTape() as t:
        y = tf.gather(v, [1, 1])
    g = t.gradient(y, v, output_gradients=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    return [g.indices, g.values]


@case
def slices_in_structure(tf):
    v = rows(tf)
    w = tf.Variable(2.0)
    with tf.GradientTape() as t:
        y = tf.gather(v, [1]) * w
    g = t.gradient(y, {"a": v, "b": [w]})
    return [g["a"].values, g["b"][0]]


@case
def slices_two_targets(tf):
    v = rows(tf)
    with tf.GradientTape() as t:
        y = tf.gather(v, [1])
        z = tf.gather(v, [2]) * 2.0
    g = t.gradient([y, z], v)
    return [tf.convert_to_tensor(g)]


@case
def slices_isinstance(tf):
    v = rows(tf)
    with tf.GradientTape(persistent=True) as t:
        y = tf.gather(v, [1])
        z = v * 2.0
    return [isinstance(t.gradient(y, v), tf.IndexedSlices), isinstance(t.gradient(z, v), tf.IndexedSlices)]


@case
def bj_unconnected_zero(tf):
    x = tf.constant([[1.0, 2.0]])
    tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * 2.0
    return t.batch_jacobian(y, tf.constant([[5.0]]), unconnected_gradients=tf.UnconnectedGradients.ZERO)


@case
def bj_matmul(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.5, 1.0]])
    w = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.matmul(x, w) ** 2
    return t.batch_jacobian(y, x)


case.recorded(
    "bj_mixing_batches",
    [[1.0, 2.0], [3.0, 4.0]],
    lambda tf, x: x * tf.reduce_sum(x),
    lambda tape, x, y: tape.batch_jacobian(y, x),
)


@case
def jac_multi_sources_some_none(tf):
    a, b, d = (tf.constant([1.0, 2.0]), tf.constant([3.0]), tf.Variable(2.0))
    with tf.GradientTape(persistent=True) as t:
        t.watch([a, b])
        y = a * d
    return [t.jacobian(y, [a, b, d]), t.jacobian(y, {"a": a, "b": b}, unconnected_gradients="zero")]


case.nested(
    "jac_of_jac",
    [1.0, 2.0],
    lambda tf, x: x**3,
    lambda tape, x, y: tape.jacobian(y, x),
    lambda outer, x, slope: outer.jacobian(slope, x),
)
case.nested(
    "hess_by_jac_of_grad",
    [1.0, 2.0],
    lambda tf, x: x[0] * x[1] * x[1],
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: outer.jacobian(slope, x),
)


@case
def grad_of_jac(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x**3
        s = tf.reduce_sum(t.jacobian(y, x) ** 2)
    return o.gradient(s, x)


@case
def jac_inside_persistent_then_grad(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = x * x
        j = t.jacobian(y, x)
        z = tf.reduce_sum(j) * y[0]
    return [t.gradient(z, x)]


@case
def interleaved_with_stop(tf):
    x = tf.constant(3.0)
    a = tf.GradientTape(persistent=True)
    b = tf.GradientTape(persistent=True)
    a.__enter__()
    a.watch(x)
    b.__enter__()
    b.watch(x)
    y = x * x
    a.__exit__(None, None, None)
    z = y * x
    with b.stop_recording():
        w = z * x
    u = z + w
    b.__exit__(None, None, None)
    return [a.gradient(y, x), a.gradient(z, x), b.gradient(z, x), b.gradient(u, x), b.gradient(w, x)]


@case
def stop_of_outer_while_inner(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as o:
        o.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            with o.stop_recording():
                y = x * x
        d = t.gradient(y, x)
    return [d, o.gradient(y, x), o.gradient(d, x)]


@case
def stop_in_stop(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        with t.stop_recording(), t.stop_recording():
            y = x * x
    return t.gradient(y, x)


@case
def gradient_in_stop_other(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as o:
        o.watch(x)
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x * x * x
        with o.stop_recording():
            d = t.gradient(y, x)
        e = t.gradient(y, x)
    return [o.gradient(d, x), o.gradient(e, x)]


@case
def reenter_after_exit_inside_other(tf):
    x = tf.constant(2.0)
    a = tf.GradientTape(persistent=True)
    with a:
        a.watch(x)
        y = x * x
    with tf.GradientTape() as o:
        o.watch(x)
        with a:
            z = y * x
        w = a.gradient(z, x)
    return [w, o.gradient(w, x)]


@case
def same_tape_nested_with(tf):
    x = tf.constant(2.0)
    a = tf.GradientTape(persistent=True)
    with a:
        a.watch(x)
        y = x * x
        try:
            with a:
                z = y * x
        except ValueError:
            z = y * x
        w = z * x
    return [a.gradient(z, x), a.gradient(w, x)]


@case
def gradient_within_nested_same(tf):
    x = tf.constant(2.0)
    a = tf.GradientTape()
    with a:
        a.watch(x)
        y = x * x
        g = a.gradient(y, x)
        with a:
            a.watch(x)
            z = x * x * x
    return [g, a.gradient(z, x)]


@case
def exception_then_reuse(tf):
    x = tf.constant([1.0, 2.0])
    t = tf.GradientTape(persistent=True)
    try:
        with t:
            t.watch(x)
            y = x * x
            raise KeyError("no")
    except KeyError:
        pass
    with t:
        z = y * x
    return [t.gradient(y, x), t.gradient(z, x)]


def refused_then_used(tf, ask, last):
    """What a tape says to several askings that are refused, and then to a right one."""
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    out = []
    for bad in (None, "x", 3.0, last(x, y)):
        try:
            ask(t, x, y, bad)
            out.append("fine")
        except _REFUSED:
            out.append("raised")
    try:
        out.append(t.gradient(y, x))
    except RuntimeError:
        out.append("used")
    return out


@case
def refused_gradient_then_used(tf):
    return refused_then_used(tf, lambda t, x, y, bad: t.gradient(y, bad), lambda x, y: [x, None])


@case
def refused_target_then_used(tf):
    return refused_then_used(tf, lambda t, x, y, bad: t.gradient(bad, x), lambda x, y: [y, None])


@case
def refused_unconnected_then_used(tf):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    with contextlib.suppress(ValueError):
        t.gradient(y, x, unconnected_gradients="nonsense")
    try:
        return t.gradient(y, x)
    except RuntimeError:
        return "used"


@case
def refused_jac_then_used(tf):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    with contextlib.suppress(RuntimeError):
        t.jacobian(y, x, experimental_use_pfor=False)
    try:
        return t.gradient(y, x)
    except RuntimeError:
        return "used"


@case
def refused_bj_shape_then_used(tf):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x * x
    with contextlib.suppress(ValueError):
        t.batch_jacobian(y, x)
    try:
        return t.gradient(y, x)
    except RuntimeError:
        return "used"


@case
def chain_5000_grad(tf):
    x = tf.constant([1.0, 0.5])
    with tf.GradientTape() as t:
        t.watch(x)
        y = x
        for _ in range(5000):
            y = y * 1.0001 + 0.0
    return t.gradient(y, x)


case.recorded(
    "wide_fan", 0.3, lambda tf, x: tf.add_n([x * float(k) for k in range(300)]), lambda tape, x, y: tape.gradient(y, x)
)


@case
def variable_shared_in_threads(tf):
    v = tf.Variable(2.0)
    out = [None] * 3

    def work(k):
        with tf.GradientTape() as t:
            y = v * float(k)
        out[k] = float(t.gradient(y, v))

    th = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    [e.start() for e in th]
    [e.join(60.0) for e in th]
    return out


@case
def main_tape_does_not_see_thread(tf):
    v = tf.Variable(2.0)
    box = []
    with tf.GradientTape() as t:
        th = threading.Thread(target=lambda: box.append(v * v))
        th.start()
        th.join(60.0)
    return [t.gradient(box[0], v), len(t.watched_variables())]


case.recorded(
    "complex_matmul",
    lambda tf: tf.constant([[1 + 1j, 2.0], [0.5j, 1.0]], dtype=tf.complex128),
    lambda tf, x: tf.math.real(tf.reduce_sum(tf.matmul(x, x))),
    lambda tape, x, y: tape.gradient(y, x),
)


@case
def complex_second(tf):
    z = tf.constant(1 + 2j, dtype=tf.complex128)
    with tf.GradientTape() as o:
        o.watch(z)
        with tf.GradientTape() as t:
            t.watch(z)
            y = tf.math.real(z * z * z)
        g = t.gradient(y, z)
        s = tf.math.real(g * tf.math.conj(g))
    return o.gradient(s, z)


case.recorded(
    "complex_exp_div",
    lambda tf: tf.constant([1 + 2j, 0.5j], dtype=tf.complex128),
    lambda tf, x: tf.abs(tf.exp(x) / (x + 1.0)),
    lambda tape, x, y: tape.gradient(y, x),
)


@case
def floor_none_but_sum(tf):
    x = tf.constant([1.5, -1.2])
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        f = tf.floor(x)
        y = f * x
        z = tf.round(x)
    return [
        t.gradient(f, x),
        t.gradient(y, x),
        t.gradient(z, x),
        t.gradient(f, x, unconnected_gradients="zero"),
        t.gradient(y, f),
    ]


@case
def var_read_value_and_assign(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as t:
        a = v * v
        v.assign(5.0)
        b = v * v
        v.assign_add(1.0)
        d = v * v * v
    return [t.gradient(a, v), t.gradient(b, v), t.gradient(d, v), t.gradient([a, b, d], v), v]


@case
def var_assign_of_tensor_from_tape(tf):
    v = tf.Variable(2.0)
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        v.assign(x * x)
        y = v * x
    return [t.gradient(y, x), t.gradient(y, v)]


case.nested(
    "var_untrainable_watch_second",
    lambda tf: tf.Variable(2.0, trainable=False),
    lambda tf, x: x**3,
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: outer.gradient(slope, x),
)


@case
def var_concat_slices(tf):
    v = tf.Variable([1.0, 2.0])
    w = tf.Variable([3.0])
    with tf.GradientTape() as t:
        y = tf.concat([v, w, v[:1]], 0) ** 2
    return t.gradient(y, [v, w])


@case
def var_watch_off_partial(tf):
    v = tf.Variable(2.0)
    w = tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False, persistent=True) as t:
        t.watch(v)
        y = v * w
    return [t.gradient(y, [v, w]), len(t.watched_variables())]


@case
def var_nested_watch_off_inner(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as o:
        with tf.GradientTape(watch_accessed_variables=False) as t:
            y = v**3
        g = t.gradient(y, v)
        z = v * v if g is None else g
    return [g is None, o.gradient(z, v)]


@case
def var_scatter_within_tape(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as t:
        a = v * v
        v.scatter_add(tf.IndexedSlices(tf.constant([10.0]), tf.constant([1])))
        b = v * v
    return [t.gradient(a, v), t.gradient(b, v)]


@case
def sources_namedtuple_nested(tf):
    P = collections.namedtuple("P", "u v")
    a, b = (tf.constant(1.0), tf.constant(2.0))
    with tf.GradientTape() as t:
        t.watch([a, b])
        y = a * b * b
    g = t.gradient(y, P(a, [b, (a,)]))
    return [type(g).__name__, g.u, g.v[0], g.v[1][0]]


@case
def target_dict_og_dict(tf):
    a = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(a)
        y = {"p": a * 2.0, "q": a * a}
    return t.gradient(y, a, output_gradients={"q": tf.constant(10.0), "p": tf.constant(1.0)})


@case
def target_is_intermediate_and_source(tf):
    a = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(a)
        b = a * a
        d = b * a
    return [t.gradient(d, [a, b]), t.gradient([b, d], [b]), t.gradient(b, [b, a]), t.gradient([d, b], [a, b, d])]


@case
def og_none_in_list(tf):
    a = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(a)
        y = [a * a, a * 3.0]
    return t.gradient(y, a, output_gradients=[None, tf.constant(2.0)])


case.nested(
    "og_connected_to_source_outer",
    2.0,
    lambda tf, x: x * x,
    lambda tape, x, y: tape.gradient(y, x, output_gradients=x * 5.0),
    lambda outer, x, slope: outer.gradient(slope, x),
)


@case
def unconnected_zero_structure(tf):
    a, b = (tf.constant([1.0, 2.0]), tf.constant([[3.0]]))
    with tf.GradientTape() as t:
        t.watch([a, b])
        y = a * 2.0
    return t.gradient(y, {"a": a, "b": (b, b)}, unconnected_gradients=tf.UnconnectedGradients.ZERO)


@case
def fa_basic_multi(tf):
    x, y = (tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))
    with tf.autodiff.ForwardAccumulator([x, y], [tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])]) as acc:
        z = x * y
        w = tf.reduce_sum(z * x)
    return [acc.jvp(z), acc.jvp(w), acc.jvp([x, y])]


@case
def fa_nested_same(tf):
    x = tf.constant(1.5)
    one = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, one) as a:
        with tf.autodiff.ForwardAccumulator(x, one) as b:
            y = x**4
        d = b.jvp(y)
    return [a.jvp(y), a.jvp(d)]


@case
def fa_in_stop_recording(tf):
    x = tf.constant(1.5)
    one = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        with tf.autodiff.ForwardAccumulator(x, one) as a:
            with t.stop_recording():
                y = x * x
            z = y * x
    return [a.jvp(y), a.jvp(z), t.gradient(z, x)]


@case
def fa_variable_assign(tf):
    v = tf.Variable(2.0)
    with tf.autodiff.ForwardAccumulator(v, tf.constant(1.0)) as a:
        y = v * v
        v.assign(5.0)
        v * v
    return [a.jvp(y)]


@case
def fa_hvp(tf):
    x = tf.constant([1.0, 2.0])
    d = tf.constant([0.5, -1.0])
    with tf.autodiff.ForwardAccumulator(x, d) as a:
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.reduce_sum(x**3) * x[0]
        g = t.gradient(y, x)
    return a.jvp(g)


@case
def fa_gather_where(tf):
    x = tf.constant([1.0, -2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 1.0, 1.0])) as a:
        y = tf.where(x > 0.0, tf.gather(x, [2, 1, 0]), x * x)
        z = tf.cumsum(y)
    return [a.jvp(y), a.jvp(z)]


@case
def fa_custom_gradient(tf):
    f = cube(tf)
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as a:
        y = f(x) * x
    return a.jvp(y)


@case
def fa_jvp_outside(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as a:
        y = x * x
    z = y * x
    return [a.jvp(y), a.jvp(z), a.jvp(z, unconnected_gradients="zero")]


@case
def third_order_mixed(tf):
    x, y = (tf.constant(1.2), tf.constant(0.7))
    with tf.GradientTape() as a:
        a.watch([x, y])
        with tf.GradientTape() as b:
            b.watch([x, y])
            with tf.GradientTape() as d:
                d.watch([x, y])
                z = tf.sin(x * y) * x
            g = d.gradient(z, x)
        h = b.gradient(g, y)
    return a.gradient(h, [x, y])


@case
def fourth_order(tf):
    x = tf.constant(1.2)

    def nth(k, f):
        if k == 0:
            return f(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = nth(k - 1, f)
        return t.gradient(y, x)

    return nth(4, lambda x: x**5)


@case
def second_of_softmax(tf):
    x = tf.constant([0.1, 0.5, -0.3])
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            e = tf.exp(x)
            y = tf.math.log(tf.reduce_sum(e))
        g = t.gradient(y, x)
    return o.jacobian(g, x)


@case
def gradient_penalty_training(tf):
    w = tf.Variable([0.5, -0.3])
    x = tf.constant([[1.0, 2.0], [3.0, -1.0]])
    with tf.GradientTape() as o:
        with tf.GradientTape() as t:
            t.watch(x)
            y = tf.reduce_sum(tf.tanh(tf.linalg.matvec(x, w)))
        g = t.gradient(y, x)
        p = tf.reduce_sum(g * g)
    return o.gradient(p, w)


@case
def persistent_inner_both_orders(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as o:
        o.watch(x)
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            y = x**3
            z = x**4
        gy = t.gradient(y, x)
        gz = t.gradient(z, x)
    gout = t.gradient(y, x)
    return [o.gradient(gy, x), o.gradient(gz, x), o.gradient([gy, gz], x), o.gradient(gout, x), o.gradient(y, x)]


@case
def second_order_none_vs_zero(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as o:
        o.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = 3.0 * x + 1.0
        g = t.gradient(y, x)
    return [o.gradient(g, x), o.gradient(g, x, unconnected_gradients="zero")]


case.nested(
    "second_through_where",
    [0.5, 2.0],
    lambda tf, x: tf.where(x > 1.0, x**3, x**2),
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: outer.gradient(slope, x),
)
case.nested(
    "second_stop_gradient_inner",
    2.0,
    lambda tf, x: tf.stop_gradient(x * x) * x,
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: [slope, outer.gradient(slope, x)],
)


@case
def watched_after_computation(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as t:
        a = x * x
        t.watch(a)
        b = a * x
        t.watch(x)
        d = b * x
    return [t.gradient(b, [x, a]), t.gradient(d, [x, a]), t.gradient(d, b)]


@case
def inner_results_as_outer_sources(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x * x
        g = t.gradient(y, x)
        z = g * g
    return o.gradient(z, [g, x, y])


@case
def stop_gradient_structure(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        a, b = (tf.stop_gradient(x), x)
        y = a * b + tf.stop_gradient(a * b)
    return t.gradient(y, x)
