"""Arrays are allocated before a loop where no iteration sees that of another one, and only there."""

import random

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.ir.build import is_loop
from srcad.transforms.ir.node_notes import note
from tests.checking import assert_gradient
from tests.transforms.core_text import apply, assert_same_results, unchanged

KINDS = {
    **dict.fromkeys(["x", "g", "h"], nb.float64[:, ::1]),
    **dict.fromkeys(["a", "b", "c", "y", "v"], nb.float64[::1]),
    **dict.fromkeys("nmijkl", nb.int64),
    **dict.fromkeys("ts", nb.float64),
    "z": nb.complex128[::1],
    "w": nb.int64[::1],
    "f4": nb.float32[::1],
    "o": nb.boolean[::1],
    "kept": nb.List(nb.float64[::1]),
}
ARGUMENTS = np.arange(12.0).reshape(3, 4) + 1.0, 3


def program(*lines, loop="for i in range(n)", first="y = np.ones(4)", result="s", after="pass"):
    body = "\n        ".join(lines)
    return (
        f"def f(x, n):\n    m = x.shape[1]\n    s = 0.0\n    i = 0\n    {first}\n    {loop}:\n        {body}\n"
        f"    {after}\n    return {result}\n"
    )


def hoisted(text, cases=(ARGUMENTS, (ARGUMENTS[0], 0), (ARGUMENTS[0], 1))):
    """The text after the pass, which gives the same although unset memory holds NaN."""
    after = apply("allocation_hoisting", text, KINDS)
    poisoned = after.replace("np.empty(", "np.nan * np.ones(") if "w = " not in text and "o = " not in text else after
    assert_same_results(text, poisoned, [case for case in cases if "while" not in text or case[1]])
    return after


def is_hoisted(text, **options):
    return hoisted(text, **options) != unchanged(text)


FILL = "a[:] = x[i] + s"


@pytest.mark.parametrize(
    "text",
    [
        program("a = np.empty(m)", FILL, "s += a[0]"),
        program("a = np.zeros(m)", "a[i] += 2.0", "s += np.sum(a)"),
        program("a = np.zeros_like(y)", "a[i] += 2.0", "s += np.sum(a)"),
        program("g = np.zeros((2, m))", "g[0] += x[i]", "s += np.sum(g)"),
        program("z = np.zeros(m, np.complex128)", "z[i] += 2.0j", "s += np.sum(z).imag"),
        program("w = np.empty(m, np.int64)", "w[:] = i", "s += np.sum(w)"),
        program("o = np.empty(m, np.bool_)", "o[:] = x[i] > 6.0", "s += np.sum(o)"),
        program("f4 = np.zeros(m, np.float32)", "f4[i] = 0.1", "s += f4[i]"),
        program("a = np.empty(m)", FILL, "b = a[1:]", "b[0] = 7.0", "s += np.sum(a)"),
        program("a = np.empty(m)", FILL, "b = a", "c = b", "s += c[1]"),
        program("a = np.empty(m)", FILL, "y = a", "s += y[0]"),  # which no other iteration reads
        program("a = np.empty(m)", FILL, "y = a * 2.0", "s += y[0]"),  # a new array
        program("a = np.empty(m)", "if s > 8.0:", "    continue", FILL, "s += a[0]"),
        program("a = np.empty(m)", "if s > 8.0:", "    break", FILL, "s += a[0]"),
        program("a = np.empty(m)", FILL, "if s > 8.0:", "    return a", "s += a[0]", result="y"),
        program("a = np.empty(m)", FILL, "s += a[0]", "i = i + 1", loop="while i < n"),
        program("l = y.shape[0]", "a = np.empty(l)", FILL, "y = np.ones(m)", "s += y[0]", first="y = np.ones(m)"),
        program("a = np.empty(m)", FILL, "a += 1.0", "s += a[0]"),
        program("for j in range(2):", "    a = np.empty(m)", "    a[:] = x[j]", "    s += a[1]"),
        program("a = np.empty(m)", FILL, "s += a[0]", result="a", after="a = y * s"),
        program("a = np.empty(m)", FILL, "s += a[0]", first="a = np.ones(2)\n    s = a[0]"),
    ],
)
def test_arrays_of_one_iteration_are_allocated_once(text):
    assert is_hoisted(text)


@pytest.mark.parametrize(
    "text",
    [
        program("s += y[0]", "a = np.empty(m)", FILL, "y = a"),  # the next iteration reads it
        program("a = np.empty(m)", FILL, "s += a[0]", result="a", first="a = x[0]"),  # read after the loop
        program("a = np.empty(m)", FILL, "b = a[1:]", result="b", first="b = x[0]"),
        program("s += y[0]", "a = np.zeros(m)", "a[0] = s", "y = a"),
        program("s += y[0]", "a = np.zeros(m)", "a[0] = s", "if i > 0:", "    y = a"),
        program("a = np.empty(m)", FILL, "kept.append(a)", first="kept = []", result="kept"),
        program("a = np.empty(m)", FILL, "kept.append(a[1:])", first="kept = []", result="kept[0]"),
        program("if i > 0:", "    a = np.empty(m)", f"    {FILL}", "    s += a[0]"),
        program("a = np.empty(i)", "s += a.shape[0]"),
        program("a = np.empty(m)", "m = m - 1", "a[:] = 1.0", "s += np.sum(a)"),
        program("a = np.empty(n)", "a[:] = 2.0", "s += np.sum(a)"),  # n could be negative
        program("w = np.zeros(m, np.int64)", "w[i] = 3", "s += w[i]"),  # not an adjoint
        program("a = np.empty(m)", FILL, "s += a[0]", "a = np.zeros(2)", "s += a[0]"),
        program("a = np.ones(m)", "s += a[i]"),
        program("l = y.shape[0]", "a = np.empty(l)", "a[:] = 1.0", "s += np.sum(a)", "y = y[1:]"),
        program("l = y.shape[0]", "a = np.empty(l)", "a[:] = 1.0", "s += np.sum(a)", "if i > 0:", "    y = np.ones(2)"),
    ],
)
def test_other_arrays_stay(text):
    assert not is_hoisted(text, cases=[ARGUMENTS])


def test_threads_have_arrays_of_their_own():
    def mark(tree):
        for each in tree.body:
            note(each, parallel=is_loop(each))

    text = program("a = np.empty(m)", FILL, "s += a[0]")
    assert apply("allocation_hoisting", text, KINDS, mark=mark) == unchanged(text) != hoisted(text)


def test_an_array_of_an_inner_loop_moves_as_far_as_it_may():
    text = program("for j in range(2):", "    a = np.empty(m)", "    a[:] = x[j]", "    s += a[1]")
    assert hoisted(text).index("a = np.empty") < hoisted(text).index("for i")
    inner = "for j in range(2):", "    a = np.zeros_like(b)", "    s += a[0]"
    text = program("m = 2 + i", "b = np.ones(m)", *inner)
    assert hoisted(text).index("for i") < hoisted(text).index("a = np.empty") < hoisted(text).index("for j")


GROWS = "a = np.empty(max(i - 1, 0))", "for j in range(1, i):", "    a[j - 1] = x[0, j]", "for j in range(1, i):"
LONG = np.arange(14.0).reshape(2, 7), 7


def test_a_vector_that_loops_fill_grows():
    after = hoisted(program(*GROWS, "    s += a[j - 1] * x[1, i]"), cases=[LONG, (LONG[0], 0)])
    assert "if a.size < max(i - 1, 0):" in after
    nested = program("for l in range(n):", *(f"    {each}" for each in GROWS), "        s += a[j - 1] * x[1, l]")
    assert hoisted(nested, cases=[LONG]).index("a = np.empty(0)") < hoisted(nested, cases=[LONG]).index("for i")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    s += a[j - 1]", "    s += a[j - 3]"),  # may count from the end
        ("    s += a[j - 1]", "    s += a.size"),
        ("    s += a[j - 1]", "    s += np.sum(a)"),
        ("    s += a[j - 1]", "    b = a\n            s += b[0]"),
        ("np.empty(max(i - 1, 0))", "np.zeros(max(i - 1, 0))"),
        ("np.empty(max(i - 1, 0))", "np.empty(abs(i - 1))"),
    ],
)
def test_a_vector_whose_length_matters_is_allocated_anew(old, new):
    text = program(*GROWS, "    s += a[j - 1]").replace(old, new)
    assert not is_hoisted(text, cases=[])


def mixed(rng):
    """A loop with two arrays, whose names are mixed up at random."""
    make = "{} = np.zeros(m)", "{} = np.zeros_like({})", "{} = np.empty(m)\n{}[:] = s"
    take = "{} = {}", "{} = {}[:]", "{}[1:] = {}[:-1]", "{} += {}", "{} = {} * 0.5", "{}[i] += s + {}[0]", "s += {}[i]"
    lines = []
    for _ in range(rng.randint(3, 7)):
        name = rng.choice("abc")
        form = rng.choice(make) if rng.random() < 0.4 else rng.choice(take)
        made = form.format(name, name if "empty" in form else rng.choice("abc")).split("\n")
        if rng.random() < 0.25:
            made = [f"if s > {rng.randint(1, 9)}.0:", *(f"    {each}" for each in made)]
        elif rng.random() < 0.1:
            made = ["for j in range(2):", *(f"    {each}" for each in made)]
        lines += made
    first = "a = np.ones(m)\n    b = np.ones(m) * 2.0\n    c = b"
    return program(*lines, first=first, result=rng.choice(["s", "a, s", "a, b", "b[0], c"]))


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 20))])
def test_names_at_random_refer_to_the_same_numbers(seed):
    rng, moved = random.Random(seed), 0
    for _ in range(60):
        text = mixed(rng)
        after = apply("allocation_hoisting", text, KINDS)
        assert_same_results(text, after, [(ARGUMENTS[0][:, :3].copy(), 3)], invalid=(ValueError, IndexError))
        moved += after != unchanged(text)
    assert moved > 3


def relaxed(x, a, steps):
    y = x.copy()
    for _ in range(steps):
        rate = a @ y
        move = np.tanh(rate) * y
        for _ in range(2):
            small = move[1:] - move[:-1]
            y[1:] += 0.1 * small**2
        y = y + 0.1 * move
    return np.sum(y * y)


def windows(x, reach):
    total = 0.0
    for i in range(x.size):
        mass = 1.0
        for j in range(max(0, i - reach), min(x.size, i + reach + 1)):
            mass += np.exp(-((x[i] - x[j]) ** 2)) * mass
        total += mass**2
    return total


@pytest.mark.parametrize("steps", [0, 3])
def test_gradients_of_loops_with_arrays(steps):
    rng = np.random.default_rng(2)
    assert_gradient(relaxed, rng.normal(size=4), rng.normal(size=(4, 4)), steps, modes=("gradient",))
    assert_gradient(windows, rng.normal(size=6), steps, modes=("gradient",))


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_gradients_of_loops_with_arrays():
    rng = np.random.default_rng(2)
    x, a = rng.normal(size=4), rng.normal(size=(4, 4))
    found, plain = (srcad.grad(relaxed, wrt=(0, 1), jit=jit) for jit in (True, False))
    for _ in range(2):  # memory that has been used
        for one, other in zip(found(x, a, 3), plain(x, a, 3), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
