"""Counters of parallel loops in closed form: the same positions, and both sweeps shared out."""

import gast
import numpy as np
import pytest
from numba import njit, prange

import srcad
from srcad.runtime import kernels
from srcad.transforms.ir.build import walk_statements
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.parallel.counters_in_closed_form import with_closed_counters


def changed(text):
    """The function with its outer loops over `range` taken for parallel ones, and these loops."""
    tree = gast.parse(text)
    loops = [each for each in walk_statements(tree.body[0].body) if isinstance(each, gast.For)]
    for each in loops:
        note(each, parallel=True)
    with_closed_counters(tree.body[0].body)
    return tree, loops


def run(tree, *args):
    namespace = {"np": np, "kernels": kernels}
    exec(compile(gast.gast_to_ast(gast.fix_missing_locations(tree)), "text", "exec"), namespace)
    return namespace["f"](*args)


CLOSED = {
    "up": "for i in range(n):\n        seen[i] = c\n        c += 1",
    "from a start": "for i in range(m, n):\n        c += 1\n        seen[i] = c",
    "down": "for i in range(n - 1, -1, -1):\n        c -= 1\n        seen[i] = c",
    "down, read first": "for i in range(n - 1, m, -1):\n        seen[i] = c\n        c -= 1",
    "in a branch": "for i in range(n):\n        c += 1\n        if i > m:\n            seen[i] = c",
    "two": "for i in range(n):\n        seen[i] = c + 10 * d\n        c += 1\n        d += 1",
}
LEFT = {
    "sometimes": "for i in range(n):\n        if i > m:\n            c += 1\n        seen[i] = c",
    "by two": "for i in range(n):\n        c += 2\n        seen[i] = c",
    "twice": "for i in range(n):\n        c += 1\n        seen[i] = c\n        c += 1",
    "another direction": "for i in range(n - 1, -1, -1):\n        c += 1\n        seen[i] = c",
    "every second": "for i in range(0, n, 2):\n        c += 1\n        seen[i] = c",
    "left early": "for i in range(n):\n        c += 1\n        seen[i] = c\n        if i == m:\n            break",
    "its own bound": "for i in range(c):\n        c += 1\n        seen[i] = c",
    "stored": "for i in range(n):\n        c += 1\n        seen[i] = c\n        if i == m:\n            c = 7",
}


@pytest.mark.parametrize("name", [*CLOSED, *LEFT])
def test_positions_are_the_same(name):
    begin = "def f(n, m):\n    seen = np.zeros(9)\n    c = 3\n    d = 0\n"
    text = f"{begin}    {(CLOSED | LEFT)[name]}\n    return seen, c, d\n"
    for args in ((5, 2), (0, 0), (1, 0)):
        expected = run(gast.parse(text), *args)
        found = run(changed(text)[0], *args)
        np.testing.assert_array_equal(found[0], expected[0])
        assert found[1:] == expected[1:]
    (loop,) = changed(text)[1]
    counts = [each for each in loop.body if isinstance(each, gast.AugAssign) and isinstance(each.target, gast.Name)]
    assert bool(counts) == (name in LEFT and name != "sometimes")
    assert ("c" in notes_of(loop).positions) == (name in ("up", "from a start", "in a branch", "two"))


def test_a_counter_that_may_be_negative_is_no_position():
    text = "def f(n, m):\n    c = m\n    for i in range(n):\n        c += 1\n    return c\n"
    assert not notes_of(changed(text)[1][0]).positions


@njit(parallel=True)
def settling(x):
    y, k = x.copy(), 0
    while np.sum(y * y) > 1.0 and k < 20:
        for i in prange(y.size):
            y[i] = y[i] * 0.5 + 0.1 * np.sin(y[i])
        k += 1
    return np.sum(y)


def test_both_sweeps_of_a_parallel_loop_in_a_while_loop_are_shared_out():
    text = str(srcad.source(settling, args=(np.linspace(-1.0, 2.0, 9),)))
    assert text.count("def settling_grad_parts") == 2
    assert "y_old_count + i" in text


@pytest.mark.compiled
@pytest.mark.nightly
def test_gradients_of_a_parallel_loop_in_a_while_loop():
    x = np.linspace(-1.0, 2.0, 9)
    expected = srcad.grad(settling.py_func, jit=False)(x)
    np.testing.assert_allclose(srcad.grad(settling)(x), expected, rtol=1e-13)
