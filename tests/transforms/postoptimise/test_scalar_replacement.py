"""Elements that loops reach repeatedly are held in variables, where that changes no result and reads nothing else."""

import random

import gast
import numpy as np
import pytest
from numba import types as nb

from tests.transforms.core_text import (
    apply,
    apply_and_compare,
    assert_same_results,
    changes,
    lines,
    parsed,
    unchanged,
)

MATRIX, VECTOR, WHOLE = nb.float64[:, ::1], nb.float64[::1], nb.int64[::1]
KINDS = {
    **dict.fromkeys("ab", MATRIX),
    **dict.fromkeys("vwx", VECTOR),
    "c": WHOLE,
    "g": nb.float32[::1],
    **dict.fromkeys("nmijkq", nb.int64),
    **dict.fromkeys("st", nb.float64),
}


def program(loops, arrays="a = np.zeros((n, n))\n    v = np.zeros(n)"):
    return f"def f(x, n, k):\n    {arrays}\n    {loops}\n    return a, v\n"


def is_held(text):
    return changes("scalar_replacement", text, KINDS)


def test_an_element_that_no_other_access_meets_is_held():
    text = """
        def f(x, n):
            a = np.copy(x)
            for i in range(n):
                for j in range(i):
                    for q in range(j):
                        a[i, j] -= a[i, q] * a[j, q]
            return a
    """
    assert apply("scalar_replacement", text, KINDS) == lines("""
        def f(x, n):
            a = np.copy(x)
            for i in range(n):
                for j in range(i):
                    if 0 < j:
                        a_i_j = a[i, j]
                        for q in range(j):
                            a_i_j -= a[i, q] * a[j, q]
                        a[i, j] = a_i_j
            return a
    """)


def branches(text):
    return sum(isinstance(node, gast.If) for node in gast.walk(parsed(text)))


@pytest.mark.parametrize(
    "loops",
    [
        "for i in range(n):\n        v[i] = 0.0\n        for j in range(k):\n            v[i] += x[j]",
        "for i in range(n):\n        for j in range(k):\n            v[i] += x[j]\n        s = v[i]\n        v[i] = s",
        "for i in range(n):\n        for j in range(n):\n            v[i] += x[j]",  # i < n
    ],
)
def test_no_test_is_needed_where_the_element_is_reached_anyway(loops):
    text = program(loops)
    found = apply_and_compare("scalar_replacement", text, KINDS, [(np.arange(4.0), 3, 4)])
    assert found != unchanged(text)
    assert not branches(found)


@pytest.mark.parametrize(
    "inner",
    [
        "v[k] += v[j]",  # may be the same element
        "v[k] += x[j]\n            v[j] = 0.0",
        "v[i] += x[j]\n            v[j + 1] = 1.0",
        "v[k - 1] += v[j]",  # may be counted from the end
        "v[i] += np.sum(v)",
        "w = v[1:]\n            v[0] += w[j]",
        "v[j] += x[i]\n            x = v",
        "k = k + 1\n            v[k] = x[j]",
        "if x[j] > 0.0:\n                v[k] = 1.0",  # not in every iteration
        "assert x[j] > 0.0\n            v[k] = x[j]",
        "helper(v)\n            v[i] = x[j]",
        "x = x[1:]\n            v[x.shape[0]] += 1.0",  # another length in each iteration
    ],
)
def test_others_are_left_alone(inner):
    assert not is_held(program(f"for i in range(n):\n        for j in range(i):\n            {inner}"))


def test_what_is_rounded_when_stored_stays_in_its_array():
    for name in "cg":
        assert not is_held(program(f"for i in range(n):\n        for j in range(3):\n            {name}[i] += x[j]"))
        assert is_held(program(f"for i in range(n):\n        for j in range(3):\n            v[j] += {name}[i]"))


def test_arrays_of_the_caller_may_be_one():
    text = """
        def f(x, w, n, k):
            for j in range(n):
                x[k] += w[j]
            return x
    """
    assert not is_held(text)
    assert is_held(text.replace("x, w, n", "w, n").replace("for j", "x = np.zeros(n)\n            for j", 1))


def test_nothing_is_held_where_nothing_is_stored():
    assert not is_held(program("for j in range(n):\n        s += x[k] * x[j]"))


def index(rng, names):
    name = rng.choice(names)
    return rng.choice([name, name, name, f"{name} + 1", f"{name} - 1", "0", "1", "n - 1"])


def statement(rng, names, pad, depth):
    at = rng.choice(["a[{}, {}]", "a[{}, {}]", "b[{}, {}]", "v[{}]", "w[{}]"])
    place = lambda: at.format(*(index(rng, names) for _ in range(at.count("{}"))))  # noqa: E731 - drawn anew each time
    target = place()
    kind = rng.randrange(10)
    if kind < 5:
        return [f"{pad}{target} {rng.choice(['+=', '-='])} {rng.choice([place(), 'x[i]', '0.5 * ' + place()])}"]
    if kind < 7:
        return [f"{pad}{target} = 0.5 * {place()}"]
    if kind < 8:
        return [f"{pad}s = {place()}", f"{pad}s += {place()}", f"{pad}{target} = 0.3 * s"]
    if kind < 9 or depth > 2:
        return [f"{pad}if x[{names[-1]}] > 0.9:", *statement(rng, names, pad + "    ", depth + 1)]
    return loop(rng, names, pad, depth + 1)


def loop(rng, names, pad, depth):
    name = "ijkq"[len(names) - 1] if len(names) < 5 else None
    if name is None or depth > 3:
        return [f"{pad}pass"]
    outer = names[-1]
    bounds = [
        "n",
        f"{outer}",
        f"{outer} + 1, n",
        "n - 1, -1, -1",
        f"n - 1, {outer}, -1",
        "1, n",
        f"{outer} - 1, -1, -1",
    ]
    inner = [*names, name]
    body = [each for _ in range(rng.randint(1, 3)) for each in statement(rng, inner, pad + "    ", depth)]
    if depth < 3 and rng.random() < 0.6:
        body += loop(rng, inner, pad + "    ", depth + 1)
    return [f"{pad}for {name} in range({rng.choice(bounds)}):", *body]


def random_program(rng):
    """A nest of loops, triangular ones too, with reads, stores and sums of elements here and there."""
    body = [*loop(rng, ["m"], "    ", 1), *loop(rng, ["m"], "    ", 1)]
    return "\n".join(
        [
            "def f(x, n, m):",
            "    a = np.outer(x, x)",
            "    b = np.ones((n, n))",
            "    v = np.copy(x)",
            f"    w = {rng.choice(['v[1:]', 'np.ones(n)', 'a[0]', 'v'])}",
            *body,
            "    return a, b, v, w",
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_no_random_program_gives_another_result(seed):
    rng = random.Random(seed)
    changed = ran = 0
    for _ in range(100):
        text = random_program(rng)
        found = apply("scalar_replacement", text, KINDS)
        changed += found != unchanged(text)
        cases = [(np.linspace(0.3, 1.2, n), n, 1) for n in (1, 2, 5)]
        ran += assert_same_results(text, found, cases, invalid=(IndexError,))
    assert changed > 25
    assert ran > 25
