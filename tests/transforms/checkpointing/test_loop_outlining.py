import os
import re
import tracemalloc

import numpy as np
import pytest

import srcad
from srcad.errors import MayOverlap, UnsupportedSyntax
from srcad.runtime.kernels.recording.binomial_checkpointing import extra_steps
from tests.checking import assert_gradient
from tests.fuzz.program import function_of

COUNT = int(os.environ.get("SRCAD_RANDOM_PROGRAMS", "16"))


def decay(x, steps):
    y = x * 1.0
    for _ in srcad.checkpointed(range(steps), snapshots=5):
        y = y - 0.01 * y * y
    return np.sum(y)


def module_of(function, mode, *args):
    """The generated functions, as they run uncompiled."""
    namespace = {}
    exec(srcad.source(function, mode, args=args, arrays=True), namespace)
    return namespace


@pytest.mark.parametrize("steps", [1, 2, 6, 21, 100])
def test_iterations_run_as_often_as_theory_says(steps):
    module = module_of(decay, "reverse", np.ones(2), steps)
    (loop,) = {name.removesuffix("_advance") for name in module if name.endswith("_advance")}
    advance, iteration = module[f"{loop}_advance"], module[f"{loop}_iteration"]
    run = []

    def counted(first, stop, width, *state):
        run.extend(range(first, stop, width))
        return advance(first, stop, width, *state)

    def counted_iteration(i, *state):
        reversed_ones.append(i)
        return iteration(i, *state)

    reversed_ones = []
    module.update({f"{loop}_advance": counted, f"{loop}_iteration": counted_iteration})
    _, trace = module["decay_forward"](np.ones(2), steps)
    assert run == list(range(steps))
    kept = trace.calls[0][-1].places
    module["decay_reverse"](np.ones(2), steps, trace, 1.0)
    # The forward sweep has already run up to the last snapshot what the schedule counts.
    assert len(run) == steps + extra_steps(steps, 5) - kept[-1]
    assert reversed_ones == list(range(steps))[::-1]


def oscillator(p, x, v, steps):
    total = 0.0
    for i in srcad.checkpointed(range(2, 2 + 3 * steps, 3), snapshots=4):
        v = v - 0.05 * (p[0] * x + p[1] * v + 0.01 * i)
        x = x + 0.05 * v
        total += x * x * p[2]
    return total + x * v


@pytest.mark.slow
@pytest.mark.parametrize("steps", [0, 1, 15, 16, 17, 33, 200])
def test_states_of_numbers_are_reversed_several_iterations_at_once(steps):
    args = np.array([1.0, 0.2, 0.3]), 0.5, 0.2, steps
    assert_gradient(oscillator, *args, modes=("arrays", "loops", "gradient"), rtol=1e-6)
    module = module_of(oscillator, "reverse", *args)
    (loop,) = {name.removesuffix("_advance") for name in module if name.endswith("_advance")}
    iteration, advance, reversed_ones, run = module[f"{loop}_iteration"], module[f"{loop}_advance"], [], []

    def counted_iterations(first, count, width, *state):
        reversed_ones.extend(range(first + (count - 1) * width, first - width, -width))
        return iteration(first, count, width, *state)

    def counted(first, stop, width, *state):
        run.extend(range(first, stop, width))
        return advance(first, stop, width, *state)

    module.update({f"{loop}_advance": counted, f"{loop}_iteration": counted_iterations})
    _, trace = module["oscillator_forward"](*args)
    assert run == list(range(2, 2 + 3 * steps, 3))
    assert len(trace.calls[0][-1].places) <= 4
    module["oscillator_reverse"](args[0], *args[1:], trace, 1.0)
    assert reversed_ones == run[:steps][::-1]
    assert len(run) - steps <= 16 * extra_steps(-(-steps // 16), 4)


def peak(function, *args):
    """The most memory that a call takes at a time, in bytes."""
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_number_of_iterations():
    gradient = srcad.grad(decay, jit=False)
    x = np.linspace(0.1, 1.0, 2000)
    gradient(x, 2)
    few, many = peak(gradient, x, 20), peak(gradient, x, 2000)
    assert many < 1.1 * few


def bytes_in(kept):
    """The bytes of the arrays in a trace."""
    if isinstance(kept, np.ndarray):
        return kept.nbytes
    return sum(map(bytes_in, kept)) if isinstance(kept, (tuple, list)) else 8


def test_trace_holds_the_snapshots_and_nothing_of_the_iterations():
    x = np.linspace(0.1, 1.0, 100)
    forward = module_of(decay, "reverse", x, 5)["decay_forward"]
    few, many = (bytes_in(forward(x, steps)[1]) for steps in (10, 1000))
    assert few == many < 8 * x.nbytes


def recorded(x, steps):
    y, path = x, np.zeros(steps)
    for i in srcad.checkpointed(range(steps), snapshots=5):
        y = y - 0.01 * y * y
        path[i] += y
    return np.sum(path)


def test_arrays_that_are_only_written_are_no_part_of_snapshots():
    forward = module_of(recorded, "reverse", 1.0, 5)["recorded_forward"]
    trace = forward(1.0, 1000)[1]
    assert {"y_kept", "path_kept"} & {*trace.calls[0][-1]._fields} == {"y_kept"}
    assert bytes_in(trace) < 4 * 8 * 1000  # what the path was before and behind the loop, not at each of 5 snapshots


def test_one_trace_serves_many_cotangents():
    _, pullback = srcad.vjp(lambda x, n: (decay(x, n), decay(x * 2.0, n)), np.array([0.5, 0.8]), 30, jit=False)
    first = pullback((1.0, 0.0))[0]
    second = pullback((0.0, 1.0))[0]
    assert np.array_equal(pullback((1.0, 0.0))[0], first)
    assert pullback((2.0, -1.0))[0] == pytest.approx(2.0 * first - second, rel=1e-14)


# Loops whose number of iterations is not known before they end


def cooled(x, limit):
    y, steps = x * 1.0, 0
    while srcad.checkpointed(y[0] > limit, snapshots=5):
        y = y - 0.01 * y * y
        steps += 1
    return np.sum(y) * steps


@pytest.mark.parametrize("limit", [2.0, 0.9, 0.5, 0.3])
def test_iterations_of_unknown_number_run_as_often_as_if_it_were_known(limit):
    module = module_of(cooled, "reverse", np.ones(2), limit)
    (loop,) = {name.removesuffix("_advance") for name in module if name.endswith("_advance")}
    advance, iteration, run, reversed_ones = module[f"{loop}_advance"], module[f"{loop}_iteration"], [], []

    def counted(first, stop, width, *state):
        run.extend(range(first, stop, width))
        return advance(first, stop, width, *state)

    def counted_iteration(i, *state):
        reversed_ones.append(i)
        return iteration(i, *state)

    module.update({f"{loop}_advance": counted, f"{loop}_iteration": counted_iteration})
    _, trace = module["cooled_forward"](np.ones(2), limit)
    steps = len(run)
    assert run == list(range(steps))
    assert len(trace.calls[0][-1].places) <= 5
    module["cooled_reverse"](np.ones(2), limit, trace, 1.0)
    assert len(run) - steps <= extra_steps(steps, 5)
    assert reversed_ones == list(range(steps))[::-1]


def test_memory_does_not_grow_with_the_number_of_iterations_of_a_while_loop():
    gradient = srcad.grad(cooled, jit=False)
    x = np.ones(2000)
    gradient(x, 0.99)
    few, many = peak(gradient, x, 0.8), peak(gradient, x, 0.1)
    assert many < 1.1 * few


# What is refused


def prints(x, n):
    for _ in srcad.checkpointed(range(n)):
        x = x * 1.1
        print(x)
    return x


def kept_sometimes(x, n):
    u = x.copy()
    kept = u
    for i in srcad.checkpointed(range(n)):
        if i % 2 == 0:
            kept = u
        u = np.sin(u)
        u[0] *= 2.0
    return np.sum(u * kept)


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (prints, UnsupportedSyntax, "must neither print nor draw"),
        (kept_sometimes, MayOverlap, "may be one array"),
    ],
)
def test_what_cannot_be_run_again_is_refused(function, error, message):
    argument = 0.5 if function is prints else np.ones(3)
    with pytest.raises(error, match=message):
        srcad.grad(function, jit=False)(argument, 4)


def test_forward_mode_runs_what_reverse_mode_refuses():
    def outer(x):
        return prints(x, 4)

    assert srcad.jvp(outer, (1.0,), (1.0,), jit=False)[1] == pytest.approx(1.1**4)


# Random programs


def random_program(number):
    """A loop whose body is put together at random, from statements that read and write what it carries."""
    rng = np.random.default_rng(number)
    indices = ["0", "1", "-1", "i % 3", "(i + 1) % 3", "k % 3"]

    def number_of(depth=2):
        element = f"{rng.choice(['u', 'v', 'x'])}[{rng.choice(indices)}]"
        if depth == 0:
            return str(rng.choice(["a", "b", "0.5", "k", "i", element]))
        one, other = number_of(depth - 1), number_of(depth - 1)
        forms = [f"np.sin({one})", f"{one} * np.cos({other})", f"({one} - {other}) * 0.3", element, "np.sum(u * v)"]
        return str(rng.choice(forms))

    def statement(depth=1):
        name, array = rng.choice(["a", "b"]), rng.choice(["u", "v"])
        simple = [
            f"{name} = {number_of()}",
            f"{name} += 0.1 * {number_of(1)}",
            f"{array}[{rng.choice(indices)}] = np.sin({number_of()})",
            f"{array}[{rng.choice(indices)}] += 0.1 * {number_of(1)}",
            f"{array}[1:] *= np.cos({number_of(1)})",
            f"{array} = np.sin({array} * x + {number_of(1)})",
            "k += 1",
            "path[i] = np.sin(a)",
            f"if {number_of(1)} > 1.2:\n    break",
        ]
        if depth and rng.random() < 0.4:
            inner = "\n".join(f"    {line}" for each in (statement(0), statement(0)) for line in each.splitlines())
            return (
                f"{rng.choice([f'if {number_of(1)} > 0.2:', 'for k in range(2):', 'for k in LOOP(i % 3):'])}\n{inner}"
            )
        return str(rng.choice(simple))

    body = [line for _ in range(5) for line in statement().splitlines()]
    body += ["u, v = v, u"] if rng.random() < 0.4 else []
    bounds = rng.choice(["7", "1, 6", "6, -1, -2", "0"], p=[0.5, 0.2, 0.2, 0.1])
    begin, header, last = [], f"for i in LOOP({bounds}):", []
    if rng.random() < 0.3:
        begin, header, last = ["    i = 0"], f"while TEST(i < 7 and {number_of(1)} < 2.0):", ["        i += 1"]
    return "\n".join(
        [
            "import numpy as np",
            "import srcad",
            "def program(a, b, x):",
            "    u, v, k, path = x * 1.0, x * 0.5, 0, np.zeros(8)",
        ]
        + [*begin, f"    {header}", *(f"        {line}" for line in body), *last]
        + ["    return a * b + np.sum(u * v * x) + v[0] + np.sum(path * path) + a * k"]
    )


def gradient_of(text, header, test):
    program = function_of(re.sub(r"TEST\((.*)\):", test, re.sub(r"LOOP\((.*)\):", header, text)))
    value, gradients = srcad.value_and_grad(program, wrt=(0, 1, 2), jit=False)(0.4, 0.8, np.array([0.3, -0.7, 0.9]))
    return np.hstack([value, *gradients])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_checkpointed_loops_of_random_programs_have_the_same_gradients(part):
    compared = 0
    for number in range(COUNT * part // 4, COUNT * (part + 1) // 4):
        text = random_program(number)
        try:
            snapshots = 1 + number % 4
            expected = gradient_of(text, r"range(\1):", r"\1:")
            header, test = rf"srcad.checkpointed(range(\1), {snapshots}):", rf"srcad.checkpointed(\1, {snapshots}):"
            gradient = gradient_of(text, header, test)
        except MayOverlap:
            continue
        assert gradient == pytest.approx(expected, rel=1e-12, abs=1e-12), text
        compared += 1
    assert compared >= 2


def passed_on(x, n):
    y, z, s = x * 2.0, np.zeros(5), 1.0
    for i in srcad.checkpointed(range(n), 2):
        z[i] = np.sin(y[i])
        z, y = y, np.sin(x * s)
    for i in srcad.checkpointed(range(n), 2):
        for j in range(i):
            z[-1] = s * x[j]
            s += z[1]
    return s + np.sum(z)


@pytest.mark.parametrize("n", [0, 3])
def test_a_loop_may_read_the_shape_of_what_another_has_left(n):
    assert_gradient(passed_on, np.array([0.3, -0.5, 0.7, 0.2, 0.9]), n, modes=("loops", "gradient"))


def numbers(x, depth):
    c, t, s = 0.5, x, 0.0
    for _ in srcad.checkpointed(range(3), 2):
        c = c + t * x
        t = x * s + c
        s = s * 0.5 + np.sin(t)
    return s * c if depth == 0 else numbers(x * c, depth - 1) + s


def arrays(x, depth):
    y, z, total = x * x, np.zeros(4), 0.0
    for i in srcad.checkpointed(range(8), 2):
        z[i % 4] = y * np.sin(total + x)
        y = z[i % 2] + 0.3
        total = total * 0.5 + y
        if total > 1.2:
            break
    return np.sum(z) if depth == 0 else arrays(y, depth - 1) * total


@pytest.mark.parametrize("function", [numbers, arrays])
def test_a_loop_in_a_function_that_calls_itself_has_a_derivative_to_be_differentiated(function):
    def inner(x):
        return function(x, 1)

    def outer(x):
        return srcad.grad(inner)(x) * x

    value, slope = srcad.value_and_grad(outer, jit=False)(0.4)
    assert value == pytest.approx(0.4 * srcad.grad(inner, jit=False)(0.4), rel=1e-12)
    steps = np.array([-2e-3, -1e-3, 1e-3, 2e-3])
    around = [outer(0.4 + step) for step in steps]
    assert slope == pytest.approx(np.dot(around, [1.0, -8.0, 8.0, -1.0]) / 12e-3, rel=1e-5)
