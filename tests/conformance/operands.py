"""Cases of tensors and variables as Python objects, and of gradients of rows."""

import copy
import pickle

import numpy as np

from tests.conformance.cases import Cases

case = Cases()


def gradient(tf, function, value):
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


@case
def variable_copy(tf):
    v = tf.Variable([1.0, 2.0], name="q")
    w = copy.copy(v)
    return [w.name if hasattr(w, "name") else None, w is v, np.asarray(w)]


@case
def variable_deepcopy_indep(tf):
    v = tf.Variable([1.0, 2.0])
    w = copy.deepcopy(v)
    w.assign([3.0, 4.0])
    return [v, w]


@case
def variable_pickle(tf):
    v = tf.Variable([1.0, 2.0])
    w = pickle.loads(pickle.dumps(v))
    return np.asarray(w)


@case
def tensor_pickle(tf):
    v = tf.constant([1.0, 2.0])
    w = pickle.loads(pickle.dumps(v))
    return np.asarray(w)


@case
def tensor_copy(tf):
    v = tf.constant([1.0, 2.0])
    w = copy.copy(v)
    return [np.asarray(w)]


@case
def tensor_deepcopy_followed(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        z = copy.deepcopy(x)
        y = z * x
    return t.gradient(y, x)


@case
def tensor_copy_followed(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as t:
        t.watch(x)
        z = copy.copy(x)
        y = z * x
    return t.gradient(y, x)


@case
def variable_in_list_source(tf):
    v = tf.Variable(2.0)
    w = tf.Variable(3.0)
    with tf.GradientTape() as t:
        y = v * v * w
    return t.gradient(y, {"l": [v, (w,)], "v": v})


@case
def variable_assign_variable(tf):
    v = tf.Variable(2.0)
    w = tf.Variable(3.0)
    v.assign(w)
    w.assign(5.0)
    return v


@case
def variable_assign_in_tape_var(tf):
    v = tf.Variable(2.0)
    w = tf.Variable(3.0)
    with tf.GradientTape() as t:
        v.assign(w * 2.0)
        y = v * v
    return [y, t.gradient(y, [v, w])]


@case
def variable_assign_add_in_tape(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as t:
        y = v * v
        v.assign_add(y)
        z = v * y
    return [v, z, t.gradient(z, v)]


@case
def variable_assign_return_grad(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as t:
        y = v.assign(5.0) * v
    return t.gradient(y, v)


@case
def variable_assign_string(tf):
    v = tf.Variable(2.0)
    v.assign("a")


@case
def variable_assign_none(tf):
    v = tf.Variable(2.0)
    v.assign(None)


@case
def variable_assign_complex(tf):
    v = tf.Variable(2.0)
    v.assign(1j)


@case
def variable_assign_bool(tf):
    v = tf.Variable(2.0)
    v.assign(True)
    return v


@case
def variable_assign_np32(tf):
    v = tf.Variable(2.0)
    v.assign(np.float32(3))
    return v


@case
def variable_assign_np_int(tf):
    v = tf.Variable(2.0)
    v.assign(np.int64(3))
    return v


@case
def variable_assign_int_tensor(tf):
    v = tf.Variable(2.0)
    v.assign(tf.constant(3))
    return v


@case
def variable_int_add(tf):
    v = tf.Variable([1, 2])
    v.assign_add([1, 1])
    return v


@case
def variable_sub_broadcast(tf):
    v = tf.Variable([1.0, 2.0])
    v.assign_sub(1.0)
    return v


@case
def variable_bool(tf):
    return [bool(tf.Variable(1.0)), bool(tf.Variable(0))]


@case
def variable_bool_vec(tf):
    return bool(tf.Variable([1.0, 2.0]))


@case
def tensor_bool_vec(tf):
    return bool(tf.constant([1.0, 2.0]))


@case
def tensor_bool_empty(tf):
    return bool(tf.zeros((0,), tf.float64))


@case
def tensor_float_vec(tf):
    return float(tf.constant([1.0, 2.0]))


@case
def tensor_int_float(tf):
    return int(tf.constant(2.7))


@case
def tensor_range(tf):
    return list(range(tf.constant(3)))


@case
def tensor_complex(tf):
    return [complex(tf.constant(1 + 2j)).imag]


@case
def tensor_float_of_complex(tf):
    return float(tf.constant(1 + 2j))


@case
def tensor_hash(tf):
    return hash(tf.constant(1.0))


@case
def tensor_in_set(tf):
    return len({tf.constant(1.0)})


@case
def tensor_eq_none(tf):
    return [bool(tf.constant(1.0) == None), bool(tf.constant(1.0) != None)]  # noqa: E711 - what is asked


@case
def variable_eq_var(tf):
    return np.asarray(tf.Variable([1.0, 2.0]) == tf.Variable([1.0, 3.0]))


@case
def variable_lt(tf):
    return np.asarray(tf.Variable([1.0, 2.0]) < 1.5)


@case
def tensor_setitem(tf):
    x = tf.constant([1.0, 2.0])
    x[0] = 3.0


@case
def tensor_delitem(tf):
    x = tf.constant([1.0, 2.0])
    del x[0]


@case
def tensor_contains(tf):
    return 1.0 in tf.constant([1.0, 2.0])


@case
def tensor_iter_var(tf):
    return [float(e) for e in tf.Variable([1.0, 2.0])]


@case
def tensor_unpack_2d(tf):
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return [a, b]


@case
def tensor_star(tf):
    return max(*tf.constant([1.0, 2.0]))


@case
def tensor_sum_builtin(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = sum(x)
    return t.gradient(y, x)


@case
def tensor_max_builtin(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as t:
        t.watch(x)
        y = max(x)
    return t.gradient(y, x)


@case
def tensor_abs_builtin(tf):
    return gradient(tf, abs, [-1.0, 0.0, 2.0])


@case
def tensor_neg_index(tf):
    return gradient(tf, lambda x: x[-1] * x[-2], [1.0, 2.0, 3.0])


@case
def tensor_ellipsis(tf):
    return gradient(tf, lambda x: x[..., 0], [[1.0, 2.0], [3.0, 4.0]])


@case
def tensor_newaxis(tf):
    return gradient(tf, lambda x: x[None] * tf.constant([[1.0, 2.0]]), [1.0, 2.0])


@case
def tensor_step(tf):
    return gradient(tf, lambda x: x[::2] * 3.0, [1.0, 2.0, 3.0])


@case
def tensor_negative_step(tf):
    return gradient(tf, lambda x: x[::-1] * tf.constant([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0])


@case
def tensor_index_tensor_scalar(tf):
    return gradient(tf, lambda x: x[tf.constant(1)] * 2.0, [1.0, 2.0, 3.0])


@case
def tensor_2d_index(tf):
    return gradient(tf, lambda x: x[1, 0] * 2.0, [[1.0, 2.0], [3.0, 4.0]])


@case
def tensor_slice_empty(tf):
    return gradient(tf, lambda x: tf.reduce_sum(x[2:2]) + x[0], [1.0, 2.0, 3.0])


@case
def tensor_bool_mask(tf):
    return gradient(tf, lambda x: x[x > 1.5] * 2.0, [1.0, 2.0, 3.0])


@case
def tensor_float_index(tf):
    return tf.constant([1.0, 2.0])[1.0]


@case
def tensor_string_index(tf):
    return tf.constant([1.0, 2.0])["a"]


@case
def tensor_too_many(tf):
    return tf.constant([1.0, 2.0])[0, 0]


@case
def slices_add_dense(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as t:
        y = tf.reduce_sum(tf.gather(v, [0, 0, 2]) * 2.0) + tf.reduce_sum(v * v)
    g = t.gradient(y, v)
    return [hasattr(g, "indices"), np.asarray(tf.convert_to_tensor(g))]


@case
def slices_dup(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as t:
        y = tf.reduce_sum(tf.gather(v, [0, 0, 2]) * tf.constant([[1.0], [2.0], [3.0]]))
    g = t.gradient(y, v)
    return [g.indices, g.values, list(np.asarray(g.dense_shape)), np.asarray(tf.convert_to_tensor(g))]


@case
def slices_two_targets(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as t:
        a = tf.gather(v, [0, 1])
        b = tf.gather(v, [1])
    g = t.gradient([a, b], v)
    return [g.indices, g.values]


@case
def slices_zero(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as t:
        a = tf.gather(v, tf.constant([], tf.int32))
    g = t.gradient(a, v)
    return [g.indices, list(np.asarray(g.values).shape)]


@case
def slices_output_gradient(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as t:
        a = tf.gather(v, [1])
    g = t.gradient(a, v, output_gradients=tf.constant([[5.0, 7.0]]))
    return [g.indices, g.values]


@case
def slices_make(tf):
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    return [
        s.values,
        s.indices,
        list(np.asarray(s.dense_shape)),
        np.asarray(tf.convert_to_tensor(s)),
        list(s.shape),
        s.dtype == tf.float64,
    ]


@case
def slices_neg(tf):
    s = -tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    return [s.values, s.indices]


@case
def slices_no_shape(tf):
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]))
    return s.dense_shape


@case
def slices_assign_sub(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as t:
        y = tf.reduce_sum(tf.gather(v, [1, 1]) ** 2)
    g = t.gradient(y, v)
    v.scatter_sub(g)
    return v


@case
def slices_source_intermediate(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as t:
        w = v * 2.0
        y = tf.reduce_sum(tf.gather(w, [1, 1]) ** 2)
    g = t.gradient(y, w)
    return [hasattr(g, "indices"), np.asarray(tf.convert_to_tensor(g)), t.gradient(y, v)]


@case
def slices_second(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as o:
        with tf.GradientTape() as t:
            y = tf.reduce_sum(tf.gather(v, [1, 1]) ** 3)
        g = tf.convert_to_tensor(t.gradient(y, v))
    h = o.gradient(g, v)
    return np.asarray(tf.convert_to_tensor(h))


@case
def gather_axis1(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as t:
        y = tf.reduce_sum(tf.gather(v, [1, 1], axis=1) ** 2)
    g = t.gradient(y, v)
    return [hasattr(g, "indices"), np.asarray(tf.convert_to_tensor(g))]


@case
def gather_scalar_index(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as t:
        y = tf.reduce_sum(tf.gather(v, 1) ** 2)
    g = t.gradient(y, v)
    return [hasattr(g, "indices"), np.asarray(tf.convert_to_tensor(g))]


@case
def variable_index_grad_type(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as t:
        y = v[1] * 2.0
    g = t.gradient(y, v)
    return [hasattr(g, "indices"), np.asarray(tf.convert_to_tensor(g))]
