"""Cases of entering, leaving, using up and interrupting tapes."""

import contextlib

from tests.conformance.cases import Cases

case = Cases()


def recorded(tf, persistent=False, **options):
    x = tf.constant(3.0)
    tape = tf.GradientTape(persistent=persistent, **options)
    with tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return tape, x, y, z


@case
def gradient_of_a_square(tf):
    tape, x, y, _ = recorded(tf)
    return tape.gradient(y, x)


@case
def second_use_is_refused(tf):
    tape, x, y, z = recorded(tf)
    tape.gradient(y, x)
    return tape.gradient(z, x)


@case
def second_use_for_a_jacobian_is_refused(tf):
    tape, x, y, _ = recorded(tf)
    tape.gradient(y, x)
    return tape.jacobian(y, x)


@case
def second_use_for_a_batch_jacobian_is_refused(tf):
    x = tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    return tape.batch_jacobian(y, x)


@case
def persistent_use(tf):
    tape, x, y, z = recorded(tf, persistent=True)
    return [tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y), tape.gradient(z, [x, y])]


@case
def persistent_use_after_deletion_of_intermediates(tf):
    tape, x, y, z = recorded(tf, persistent=True)
    del y
    found = tape.gradient(z, x)
    del tape
    return found


@case
def gradient_inside_the_block_ends_a_plain_tape(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        return tape.gradient(y, x)


@case
def operations_after_a_gradient_inside_are_lost(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.gradient(y, x)
        z = y * x
    return tape.gradient(z, x)


@case
def persistent_gradient_inside_is_recorded(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        slope = tape.gradient(y, x)
    return [slope, tape.gradient(slope, x)]


@case
def a_tape_never_entered(tf):
    x = tf.constant(1.0)
    return tf.GradientTape().gradient(x, x)


@case
def watch_before_entering(tf):
    tape = tf.GradientTape()
    tape.watch(tf.constant(1.0))


@case
def watch_after_use(tf):
    tape, x, y, _ = recorded(tf)
    tape.gradient(y, x)
    tape.watch(x)


@case
def watch_after_the_block(tf):
    tape, x, y, _ = recorded(tf)
    tape.watch(tf.constant(1.0))
    return tape.gradient(y, x)


@case
def entering_twice_is_refused(tf):
    tape = tf.GradientTape()
    with tape:
        tape.__enter__()


@case
def entering_again_goes_on(tf):
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    between = y * 2.0
    with tape:
        z = y * x
    return [tape.gradient(z, x), between]


@case
def entering_again_after_use_starts_anew(tf):
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with tape:
        tape.watch(x)
        z = x * x * x
    return tape.gradient(z, x)


@case
def entering_again_after_use_forgets_what_was_watched(tf):
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with tape:
        z = x * x * x
    return tape.gradient(z, x)


@case
def what_is_computed_between_two_blocks_is_not_recorded(tf):
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
    y = x * x
    with tape:
        z = y * 2.0
    return tape.gradient(z, x)


@case
def an_exception_in_the_block_leaves_the_tape_usable(tf):
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    try:
        with tape:
            tape.watch(x)
            y = x * x
            raise KeyError("inside")
    except KeyError:
        pass
    return tape.gradient(y, x)


@case
def an_exception_passes_through(tf):
    with tf.GradientTape():
        raise KeyError("inside")


@case
def reset_forgets_what_was_recorded(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = x * x * x
    return tape.gradient(z, [x, y])


@case
def reset_forgets_what_was_watched(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        tape.reset()
        y = x * x
    return tape.gradient(y, x)


@case
def reset_outside_is_refused(tf):
    tape, *_ = recorded(tf)
    tape.reset()


@case
def reset_of_a_tape_never_entered_is_refused(tf):
    tf.GradientTape().reset()


@case
def reset_forgets_watched_variables(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        _ = w * w
        tape.reset()
    return len(tape.watched_variables())


@case
def stop_recording_leaves_out(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            hidden = x * x * x
        z = y * hidden
    return [tape.gradient(z, x), tape.gradient(hidden, x), tape.gradient(z, hidden)]


@case
def stop_recording_outside_is_refused(tf):
    tape, *_ = recorded(tf)
    with tape.stop_recording():
        pass


@case
def stop_recording_of_a_tape_never_entered_is_refused(tf):
    with tf.GradientTape().stop_recording():
        pass


@case
def stop_recording_of_a_used_tape_is_refused(tf):
    tape, x, y, _ = recorded(tf)
    tape.gradient(y, x)
    with tape.stop_recording():
        pass


@case
def gradient_within_stop_recording(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            slope = tape.gradient(y, x)
        z = y * slope
    return [slope, tape.gradient(z, x)]


@case
def gradient_of_a_plain_tape_within_stop_recording(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            return tape.gradient(y, x)


@case
def variables_read_within_stop_recording_are_not_watched(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape, tape.stop_recording():
        _ = w * w
    return len(tape.watched_variables())


@case
def an_exception_within_stop_recording_goes_on(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        try:
            with tape.stop_recording():
                raise KeyError("inside")
        except KeyError:
            pass
        y = x * x
    return tape.gradient(y, x)


@case
def exit_by_hand(tf):
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    tape.__enter__()
    tape.watch(x)
    y = x * x
    tape.__exit__(None, None, None)
    return tape.gradient(y, x)


@case
def exit_twice_is_harmless(tf):
    tape, x, y, _ = recorded(tf)
    tape.__exit__(None, None, None)
    return tape.gradient(y, x)


@case
def tapes_left_in_the_order_in_which_they_were_entered(tf):
    x = tf.constant(3.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    first.watch(x)
    second.__enter__()
    second.watch(x)
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    return [first.gradient(y, x), second.gradient(z, x)]


@case
def the_outer_left_first_does_not_see_what_follows(tf):
    x = tf.constant(3.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    first.watch(x)
    second.__enter__()
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    return first.gradient(z, x)


@case
def two_tapes_watch_different_things(tf):
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as first, tf.GradientTape() as second:
        first.watch(x)
        second.watch(y)
        z = x * x * y
    return [first.gradient(z, [x, y]), second.gradient(z, [x, y])]


@case
def an_inner_tape_does_not_follow_what_the_outer_watches(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            y = x * x
        slope = inner.gradient(y, x)
    return [slope, outer.gradient(y, x)]


case.nested(
    "second_derivative",
    3.0,
    lambda tf, x: x * x * x,
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: [slope, outer.gradient(slope, x)],
)


@case
def third_derivative(tf):
    x = tf.constant(0.5)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            with tf.GradientTape() as c:
                c.watch(x)
                y = tf.exp(2.0 * x)
            first = c.gradient(y, x)
        second = b.gradient(first, x)
    return [first, second, a.gradient(second, x)]


@case
def gradient_taken_outside_the_outer_block_is_not_recorded(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
    slope = inner.gradient(y, x)
    return [slope, outer.gradient(slope, x)]


case.nested(
    "slope_of_a_linear_function_is_not_connected",
    3.0,
    lambda tf, x: 2.0 * x,
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: [slope, outer.gradient(slope, x)],
)
case.nested(
    "slope_of_a_linear_function_zero_if_asked",
    3.0,
    lambda tf, x: 2.0 * x,
    lambda tape, x, y: tape.gradient(y, x),
    lambda outer, x, slope: outer.gradient(slope, x, unconnected_gradients="zero"),
)


@case
def mixed_second_derivatives(tf):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            z = x * x * y * y * y
        by_x, by_y = inner.gradient(z, [x, y])
    return [outer.gradient(by_x, [x, y]), outer.gradient(by_y, [x, y])]


@case
def a_persistent_inner_tape_within_an_outer_one(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as inner:
            y = tf.reduce_sum(x * x * x)
            z = tf.reduce_sum(x * x)
        total = tf.reduce_sum(inner.gradient(y, x) * inner.gradient(z, x))
    return outer.gradient(total, x)


@case
def gradient_penalty(tf):
    w = tf.Variable([[0.5, -1.0], [2.0, 0.25]])
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.tanh(tf.matmul(x, w)))
        slope = inner.gradient(y, x)
        penalty = tf.reduce_sum(slope * slope)
    return outer.gradient(penalty, w)


@case
def positional_arguments_of_the_constructor(tf):
    w = tf.Variable(2.0)
    with tf.GradientTape(True, False) as tape:
        y = w * w
    return [tape.gradient(y, w), tape.gradient(y, w)]


@case
def unknown_arguments_of_the_constructor(tf):
    tf.GradientTape(keep=True)


@case
def chain_of_two_thousand_operations(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(2000):
            y = y * 1.0001
    return tape.gradient(y, x)


@case
def loops_and_branches_of_python(tf):
    x = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        steps = 0
        while y < 100.0:
            y = y * y if y > 2.0 else y * 3.0
            steps += 1
    return [tape.gradient(y, x), steps]


@case
def only_the_branch_taken_counts(tf):
    x, a, b = tf.constant(1.0), tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = a * a if x > 0.0 else b * x
    return tape.gradient(y, [a, b, x])


@case
def a_tape_in_each_iteration(tf):
    w = tf.Variable(1.0)
    found = []
    for _step in range(3):
        with tf.GradientTape() as tape:
            loss = (w - 3.0) ** 2
        slope = tape.gradient(loss, w)
        found.append(slope)
        w.assign_sub(0.1 * slope)
    return [found, w.numpy()]


@case
def a_tape_in_another_function(tf):
    def slope(f, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return slope(lambda x: slope(lambda z: z * z * z, x), tf.constant(2.0))


@case
def gradient_of_a_gradient_of_one_persistent_tape_outside(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
    slope = tape.gradient(y, x)
    return tape.gradient(slope, x)


@case
def a_refused_call_leaves_the_tape_usable(tf):
    tape, x, y, _ = recorded(tf)
    with contextlib.suppress(TypeError):
        tape.gradient(None, x)
    return tape.gradient(y, x)


@case
def a_wrong_choice_leaves_the_tape_usable(tf):
    tape, x, y, _ = recorded(tf)
    with contextlib.suppress(ValueError):
        tape.gradient(y, x, unconnected_gradients="nonsense")
    return tape.gradient(y, x)


@case
def the_block_returns_the_tape(tf):
    tape = tf.GradientTape()
    with tape as same:
        return same is tape


@case
def watch_returns_nothing(tf):
    with tf.GradientTape() as tape:
        return tape.watch(tf.constant(1.0))
