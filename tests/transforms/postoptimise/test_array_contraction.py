"""Arrays of which a loop needs a few rows at once hold only these, where that changes no result."""

import random
from functools import partial

import numpy as np
import pytest
from numba import types as nb

from srcad.driver import pipeline
from srcad.frontend.lower import prepare
from srcad.transforms.ir.node_notes import note
from tests.transforms.core_text import apply, assert_same_results, unchanged

KINDS = {
    **dict.fromkeys("xyvw", nb.float64[::1]),
    **dict.fromkeys("ab", nb.float64[:, ::1]),
    **dict.fromkeys("nmijkqt", nb.int64),
    **dict.fromkeys("gs", nb.float64),
}


after = partial(apply, "array_contraction", kinds=KINDS)


def inside(loops, made="np.zeros((n + 1, m))"):
    return f"def f(x, n, m):\n    s = 0.0\n    a = {made}\n    {loops}\n    return s\n"


LOOP = "for i in range(n):\n        "
REFUSED = {
    "returned": LOOP + "a[i, 0] = 1.0\n    s = a",
    "another name": LOOP + "v = a[i]\n        s += v[0]",
    "a view that a function may keep": LOOP + "v = np.ravel(a[i])\n        v[0] = 1.0",
    "handed over": LOOP + "helper(a)\n        s += a[i, 0]",
    "a row handed over": LOOP + "helper(a[i])\n        s += a[i, 0]",
    "from the end": LOOP + "s += a[i - 1, 0]",
    "beyond the end": LOOP + "s += a[i + 2, 0]",
    "all rows": LOOP + "s += a[i, 0] + np.sum(a[:, 0])",
    "a row of its own": LOOP + "s += a[i, 0] + a[0, 0]",
    "another index": LOOP + "s += a[i, 0]\n        for j in range(n):\n            s += a[j, 0]",
    "too many": LOOP + "s += a[i, 0]\n    for i in range(n - 5):\n        s += a[i, 0] + a[i + 4, 0]",
    "every other": "for i in range(0, n, 2):\n        s += a[i, 0]",
    "read behind": LOOP + "a[i, 0] = 1.0\n    for j in range(n):\n        s += a[j, 0]",
    "read far behind": LOOP + "a[i, 0] = 1.0\n    s = a[0, 0]",
    "stored far before": "a[1, 0] = 2.0\n    " + LOOP + "s += a[i, 0]",
    "index changed": LOOP + "s += a[i, 0]\n        i = i + 1\n        s += a[i, 0]",
    "left early": LOOP + "a[i, 0] = x[i]\n        if x[i] > 1.0:\n            break\n    s = a[n, 0]",
    "twice": LOOP + "a[i, 0] = x[i]\n    " + LOOP + "s += a[i, 0]",
    "made twice": LOOP + "s += a[i, 0]\n    a = np.ones((n + 1, m))\n    " + LOOP + "s += a[i, 0]",
    "by a list of rows": LOOP + "s += a[i, 0] + np.sum(a[y])",
    "size changed": "n = n - 1\n    " + LOOP + "s += a[i, 0]",
    "new axis": LOOP + "s += np.sum(a[None, i])",
    "an index that may be an array": LOOP + "a[i, r] += 1.0",
    "by a loop around": "for t in range(2):\n        " + "for i in range(n):\n            a[i, 0] += 1.0; s += a[i, 0]",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_need_all_rows_is_left_alone(name):
    text = inside(REFUSED[name])
    assert after(text) == unchanged(text)


def test_a_loop_without_iterations_leaves_rows_where_they_were():
    text = """
        def f(x, n, m):
            s = 0.0
            for t in range(n):
                a = np.zeros((t + 3, m))
                a[2, 0] = 2.0
                for i in range(2, t):
                    a[i + 1, 0] = a[i, 0]
                s += a[{}, 0]
            return s
    """
    for row in ("t", "2"):  # where t is 1 row 1 is another one than row 2, and where t is 9 row 2 is gone
        assert after(text.format(row)) == unchanged(text.format(row))
    from_the_first = text.format("t").replace("range(2", "range(0").replace("[2", "[0")
    assert after(from_the_first) != unchanged(from_the_first)


def test_small_arrays_and_scratch_of_one_dimension_are_left_alone():
    for made in ("np.zeros((1, m))", "np.zeros((2, 5))"):
        text = inside("for i in range(1):\n        s += a[i, 0] + a[i + 1, 0]", made)
        assert after(text) == unchanged(text)
    text = inside("for i in range(n):\n        a[i] = x[i]\n        s += a[i]", "np.zeros(n)")
    assert after(text) == unchanged(text)


def test_parallel_loops_share_nothing():
    text = inside("for i in range(n):\n        s += a[i, 0]")
    assert after(text, mark=lambda tree: note(tree.body[2], parallel=True)) == unchanged(text)
    assert after(text) != unchanged(text)


@pytest.mark.parametrize(
    ("lines", "is_row"),
    [
        ("if i > 0:\n            s += a[i - 1, 0]\n        a[i, 0] = x[i]", True),
        ("g = i >= 1\n        if g:\n            s += a[i - 1, 0]\n        a[i, 0] = x[i]", True),
        ("if x[i] > 0.0:\n            s += a[i - 1, 0]\n        a[i, 0] = x[i]", False),
        ("if i > 0:\n            s += 1.0\n        else:\n            s += a[i - 1, 0]\n        a[i, 0] = 1.0", False),
    ],
)
def test_a_test_tells_that_an_index_is_a_rows(lines, is_row):
    text = inside(LOOP + lines)
    assert (after(text) != unchanged(text)) == is_row


def statement(rng, rows, at, pad):
    """Something that is done with elements, or with a part, of some of the rows."""
    here, other = at(rng.choice(rows)), at(rng.choice(rows))
    kind = rng.randrange(8)
    if kind < 3:
        return [f"{pad}{here} {rng.choice(['+=', '-=', '='])} 0.5 * {other} + x[j]"]
    if kind < 5:
        return [f"{pad}s += {here}", f"{pad}{other} += 0.25 * s"]
    if kind < 6:
        return [f"{pad}if x[j] > 0.5:", f"{pad}    {here} = 0.25 * {other}", f"{pad}else:", f"{pad}    s -= {here}"]
    if kind < 7:
        return [f"{pad}g = {here}", f"{pad}{here} = 0.0", f"{pad}w[j] += g", f"{pad}{other} += 0.5 * g"]
    return [f"{pad}w[j] += {here}"]


def sliced(rng, rows, pad):
    """Something that is done with whole rows of a matrix."""
    one, other = rng.choice(rows), rng.choice(rows)
    return [
        rng.choice(
            [
                f"{pad}a[{one}, 1:] = 0.5 * a[{other}, :-1]",
                f"{pad}a[{one}] += 0.5 * a[{other}]",
                f"{pad}w[:] = a[{one}, :]",
                f"{pad}s += np.sum(a[{one}, :])",
            ]
        )
    ]


HEADERS = {  # ranges of i; rows in the window of the first iteration, and behind the last; what i goes well with
    "n": ("0", "n", "i + 1"),
    "n - 1, -1, -1": ("n", "0", "i + 1"),
    "1, n + 1": ("0", "n", "i - 1"),
    "n, 0, -1": ("n", "0", "i - 1"),
    "1, n": ("0", "n - 1", "i - 1", "i + 1"),
    "2, n + 1": ("1", "n", "i - 2", "i - 1"),
    "2, n": ("2", "n", "i + 1"),
    "n, 1, -1": ("n", "1", "i - 2", "i - 1"),
}
ROWS = ["0", "1", "2", "n", "n - 1", "n + 1", "-1", "-2"]
KIND = ("matrix", "turned", "vector")


def random_program(rng):
    """A table that is filled and read row by row, with something before the loop and behind it."""
    kind, header = rng.choice(KIND), rng.choice([*HEADERS])
    extents = {"matrix": "({}, m)", "turned": "(m, {})", "vector": "{}"}[kind]
    at = {"matrix": "a[{}, j]", "turned": "a[j, {}]", "vector": "a[{}]"}[kind].format
    shape = extents.format(rng.choice(["n + 1", "n + 1", "n + 2", "n"]))
    made = rng.choice(["np.zeros({})", "np.full({}, 0.25)", "np.ones({})", "np.zeros({}, np.complex128)"]).format(shape)
    first, last, *near = HEADERS[header]
    near = sorted({"i", rng.choice(near)})
    near = near if rng.random() < 0.8 else [rng.choice(["i", "i + 1", "i - 1", "i - 2"])]
    ahead, back = rng.choice([first, first, *ROWS]), rng.choice([last, last, *ROWS])
    pad, deep = "    ", "        "
    nest = lambda rows, pad: [  # noqa: E731 - statements drawn anew each time
        f"{pad}for j in range({rng.choice(['m', 'm - 1, -1, -1'])}):",
        *(each for _ in range(rng.randint(1, 3)) for each in statement(rng, rows, at, pad + "    ")),
    ]
    body = [each for _ in range(rng.randint(1, 2)) for each in nest(near, deep)]
    if kind == "matrix" and rng.random() < 0.4:
        body += sliced(rng, near, deep)
    if rng.random() < 0.1:
        body += [f"{deep}if s > 3.0:", f"{deep}    break"]
    before = nest([ahead], pad) if rng.random() < 0.5 else []
    behind = nest([back], pad) if rng.random() < 0.5 else []
    lines_ = [f"{pad}a = {made}", *before, f"{pad}for i in range({header}):", *body, *behind]
    if rng.random() < 0.2:
        lines_ = [f"{pad}for q in range(2):", *(f"    {each}" for each in lines_)]
    return "\n".join(
        ["def f(x, n, m):", "    s = 0.0", "    w = np.zeros(m, np.complex128)", *lines_, "    return s, w"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_random_program_gives_another_result(seed):
    rng = random.Random(seed)
    changed = ran = 0
    for _ in range(200):
        text = random_program(rng)
        kinds = {**KINDS, "a": None, "s": nb.complex128, "w": nb.complex128[::1]}
        found = apply("array_contraction", text, {name: kind for name, kind in kinds.items() if kind})
        if found == unchanged(text):
            continue
        changed += 1
        cases = [(np.linspace(0.3, 0.9, 6), n, m) for n, m in ((0, 2), (1, 3), (2, 1), (3, 0), (5, 3))]
        ran += assert_same_results(text, found, cases, invalid=(IndexError,))
    assert changed > 30
    assert ran > 100


def heat(x, c, steps):
    u = np.zeros((steps + 1, x.shape[0]))
    u[0] = x
    for t in range(steps):
        u[t + 1, 1:-1] = u[t, 1:-1] + c * (u[t, 2:] - 2.0 * u[t, 1:-1] + u[t, :-2]) * u[t, 1:-1]
    return np.sum(u[-1] ** 2)


def wave(x, c, steps):
    u = np.zeros((steps + 2, x.shape[0]))
    u[0, :] = x
    u[1, :] = 0.9 * x
    for t in range(2, steps + 2):
        for i in range(1, x.shape[0] - 1):
            u[t, i] = 2.0 * u[t - 1, i] - u[t - 2, i] + c * np.sin(u[t - 1, i + 1] - u[t - 1, i - 1])
    return np.sum(u[steps + 1] ** 2)


def volatility(x, c, steps):
    v = np.zeros(x.shape[0] + 1)
    v[0] = c + 1.0
    s = 0.0
    for t in range(x.shape[0]):
        v[t + 1] = 0.1 + 0.3 * x[t] ** 2 + c * v[t]
        s += np.log(v[t + 1]) + x[t] ** 2 / v[t + 1]
    return s


@pytest.mark.parametrize(("function", "width"), [(heat, 2), (wave, 3), (volatility, 2)])
def test_adjoints_of_tables_have_the_rows_that_a_step_needs(function, width):
    types = [nb.float64[::1], nb.float64, nb.int64]
    made = pipeline.derive(prepare(function), "grad", (0, 1), types, tuple_result=True, assumes=True)
    assert f"% {width}" in made.text
    namespace = dict(made.bindings)
    exec(made.text, namespace)
    for n, steps in ((5, 4), (4, 1), (3, 0), (1, 2)):
        x = np.linspace(0.3, 1.1, n)
        x_bar, c_bar = namespace[made.functions[0]](x, 0.2, steps)
        along = [function(x + h * np.cos(x), 0.2 + 0.7 * h, steps) for h in (1e-6, -1e-6)]
        found = np.dot(x_bar, np.cos(x)) + 0.7 * c_bar
        np.testing.assert_allclose(found, (along[0] - along[1]) / 2e-6, rtol=1e-7, atol=1e-8)
