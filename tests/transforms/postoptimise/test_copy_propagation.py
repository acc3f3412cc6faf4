"""Reads of a copy become reads of the original, where neither name changes."""

import itertools
import random

import numpy as np
import pytest

from tests.transforms.core_text import apply_and_compare, lines, unchanged


def test_the_end_of_a_chain_of_copies_is_read_at_its_start():
    text = """
        def f(x, y):
            a = x
            b = a
            c = b
            return c * y + b
    """
    assert apply_and_compare("copy_propagation", text, {}, [(2.0, 3.0)]) == lines("""
        def f(x, y):
            return x * y + x
    """)


def test_a_block_that_held_only_copies_passes():
    text = """
        def f(x, y):
            if x > y:
                a = x
            return y
    """
    assert apply_and_compare("copy_propagation", text, {}, [(2.0, 3.0), (3.0, 2.0)]) == lines("""
        def f(x, y):
            if x > y:
                pass
            return y
    """)


def test_copies_are_read_in_headers_indices_and_calls():
    text = """
        def f(x, n):
            m = n
            y = x
            s = 0.0
            for i in range(m):
                k = i
                s = s + np.sin(y[k])
            return s
    """
    assert apply_and_compare("copy_propagation", text, {}, [(np.linspace(0.0, 1.0, 4), 4)]) == lines("""
        def f(x, n):
            s = 0.0
            for i in range(n):
                s = s + np.sin(x[i])
            return s
    """)


@pytest.mark.parametrize(
    "body",
    [
        ["a = x", "x = y", "return a + x"],  # the original gets another value
        ["a = x", "a = a + y", "return a"],  # the copy does
        ["a = x", "for i in range(2):", "    x = x + y", "return a"],
        ["if y > 1.0:", "    a = x", "else:", "    a = y", "return a"],  # one of two
        ["b = np.zeros(2)", "a = b", "b[0] = x", "return a"],  # written into under one name
        ["b = np.zeros(2)", "a = b", "a[0] += x", "return b"],
        ["a = -x", "return a"],  # no copy
    ],
)
def test_names_that_change_stay(body):
    text = "def f(x, y):\n" + "".join(f"    {line}\n" for line in body)
    assert apply_and_compare("copy_propagation", text, {}, [(2.0, 3.0), (0.5, 0.25)]) == unchanged(text)


def random_block(rng, pad, known):
    """Statements each of which stores a new name, mostly a copy, or now and then an old one again."""
    found, known = [], list(known)
    for _ in range(rng.randint(3, 8)):
        one, other = rng.choice(known), rng.choice(known)
        name = f"v{next(rng.numbers)}" if rng.random() < 0.8 else rng.choice(known)
        kind = rng.randrange(8)
        if kind < 5:
            found.append(f"{pad}{name} = {one}")
        elif kind < 6 or len(pad) > 8:
            found.append(f"{pad}{name} = {one} + {other}")
        elif kind < 7:
            found += [f"{pad}if {one} > {other}:", *random_block(rng, pad + "    ", known)[0]]
            continue
        else:
            found += [f"{pad}for {name} in range(2):", *random_block(rng, pad + "    ", [*known, name])[0]]
            continue
        known.append(name)
    return found, known


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_random_program_gives_another_result(seed):
    rng = random.Random(seed)
    rng.numbers = itertools.count()
    changed = 0
    for _ in range(60):
        body, known = random_block(rng, "    ", ["x", "y"])
        text = "\n".join(["def f(x, y):", *body, f"    return {', '.join(known)}"])
        found = apply_and_compare("copy_propagation", text, {}, [(0.5, 0.75), (2.0, -1.0)])
        changed += found != unchanged(text)
    assert changed > 30
