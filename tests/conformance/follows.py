"""Cases of what derivatives themselves are to tapes: what is read, watched and followed where a Jacobian is taken."""

from tests.conformance.cases import Cases

case = Cases()


def around(tf, run, **options):
    """A Jacobian taken inside of two tapes, and derivatives of what is computed from it."""
    x, z = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            slopes = run(inner, x, 2.0 * x, z, options)
            y = slopes * z
    return [outer.gradient(y, slopes), inner.gradient(y, slopes), outer.gradient(y, x), outer.gradient(y, z)]


@case
def constant_jacobian_is_a_source(tf):
    return around(tf, lambda tape, x, y, z, options: tape.jacobian(y, x, **options))


@case
def constant_jacobian_of_single_rows_is_none(tf):
    return around(tf, lambda tape, x, y, z, options: tape.jacobian(y, x, **options), experimental_use_pfor=False)


@case
def jacobian_of_a_source_itself_is_a_source(tf):
    return around(tf, lambda tape, x, y, z, options: tape.jacobian(x, x, **options))


@case
def zero_jacobian_is_a_source(tf):
    return around(tf, lambda tape, x, y, z, options: tape.jacobian(y, z, **options), unconnected_gradients="zero")


@case
def constant_batch_jacobian_is_a_source(tf):
    return around(tf, lambda tape, x, y, z, options: tape.batch_jacobian(y, x, **options))


@case
def zero_batch_jacobian_is_a_source(tf):
    return around(tf, lambda tape, x, y, z, options: tape.batch_jacobian(y, z, **options), unconnected_gradients="zero")


@case
def unconnected_batch_jacobian_is_none(tf):
    return around(tf, lambda tape, x, y, z, options: tape.batch_jacobian(y, z, **options))


def read_by(tf, **options):
    """The variables that tapes watch which are active while a tape that is left gives Jacobians by a variable."""
    x, v = tf.constant([[1.0, 2.0]]), tf.Variable([[3.0, 5.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = 2.0 * x
    found = [tape]
    for call in (lambda: tape.jacobian(y, v, **options), lambda: tape.batch_jacobian(y, v, **options)):
        with tf.GradientTape() as watching:
            call()
        found.append(watching)
    return [len(each.watched_variables()) for each in found]


@case
def unconnected_jacobian_reads_no_variable(tf):
    return read_by(tf)


@case
def zero_jacobian_reads_no_variable(tf):
    return read_by(tf, unconnected_gradients="zero")


@case
def zero_jacobian_of_single_rows_reads_the_variable(tf):
    return read_by(tf, unconnected_gradients="zero", experimental_use_pfor=False)


@case
def jacobian_of_a_variable_reads_it_for_all_tapes(tf):
    v = tf.Variable([3.0, 5.0])
    tape = tf.GradientTape(persistent=True)
    with tape, tf.GradientTape() as other:
        tape.jacobian(v, v)
    return [len(other.watched_variables()), len(tape.watched_variables())]


@case
def refused_jacobian_has_read_its_target(tf):
    v = tf.Variable([3.0, 5.0])
    with tf.GradientTape() as tape:
        try:
            tape.jacobian(v, v, experimental_use_pfor=False)
        except RuntimeError:
            return [len(tape.watched_variables())]


@case
def none_is_no_operand(tf):
    return tf.constant([1.0]) * None


@case
def none_is_no_operand_on_the_left(tf):
    return None - tf.Variable(1.0)


@case
def none_is_not_equal(tf):
    x = tf.constant([1.0, 2.0])
    return [x == None, x != None]  # noqa: E711


def slope_by_the_result(tf, function):
    """What the slopes of a function, taken by a persistent tape inside of its block, have for derivatives."""
    x, w = tf.constant([2.0, 3.0]), tf.constant([1.5, 0.5])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        y = function(x, w)
        slopes = tape.gradient(y, [x, w])
    return [tape.gradient(each, [y, x, w]) for each in slopes if each is not None]


@case
def slopes_of_a_quotient(tf):
    return slope_by_the_result(tf, lambda x, w: x / w)


@case
def slopes_of_a_tangent(tf):
    return slope_by_the_result(tf, lambda x, w: tf.tan(x))


@case
def slopes_of_an_exponential_less_one(tf):
    return slope_by_the_result(tf, lambda x, w: tf.math.expm1(x))


@case
def slopes_of_a_root(tf):
    return slope_by_the_result(tf, lambda x, w: tf.sqrt(x * w))


case.recorded(
    "determinants_of_a_stack",
    [[[2.0, 1.0], [0.5, 3.0]], [[1.0, -1.0], [2.0, 0.5]]],
    lambda tf, x: tf.linalg.det(x) * tf.linalg.inv(x)[:, 0, 1],
    lambda tape, x, y: [y, tape.gradient(y, x)],
)
case.recorded(
    "factors_of_a_stack",
    [[[2.0, 1.0], [1.0, 3.0]], [[1.0, -0.5], [-0.5, 0.5]]],
    lambda tf, x: tf.linalg.cholesky(x),
    lambda tape, x, y: [y, tape.gradient(y, x), tape.batch_jacobian(y[:, 1], x)],
    persistent=True,
)


@case
def slopes_of_a_determinant_by_the_determinant(tf):
    x = tf.constant([[3.0, 1.0], [0.5, 2.0]])
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = tf.linalg.det(x)
        slopes = inner.gradient(y, x)
    return [outer.gradient(slopes, y), outer.gradient(slopes, x)]


@case
def sign_of_a_determinant_has_no_tangent(tf):
    x = tf.constant([[3.0, 1.0], [0.5, 2.0]])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        sign, size = tf.linalg.slogdet(x)
    return [accumulator.jvp(sign), accumulator.jvp(size)]
