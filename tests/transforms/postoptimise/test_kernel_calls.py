"""Calls are of kernels where these are known to do the same."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.printing.printer import print_function
from srcad.transforms.ir.cost_model import FEWEST_QUICK_CALLS
from srcad.transforms.ir.node_notes import note
from tests.checking import assert_gradient
from tests.transforms.core_text import noted, parsed, tree_after

KINDS = {"x": nb.float64[:, :], "n": nb.int64[:], "c": nb.complex128[:], "s": nb.float64, "v": nb.float64[:]}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("np.max(x)", "kernels.largest(x)"),
        ("np.amin(n)", "kernels.smallest(n)"),
        ("np.max(x, 1)", None),
        ("np.max(c)", None),
        ("np.max(s)", None),
        ("np.max(unknown)", None),
        ("np.sum(x)", None),
        ("np.outer(v, c)", "kernels.outer(v, c)"),
        ("np.outer(x, v)", None),
        ("np.outer(v, s)", None),
        ("np.divide(c[0], s)", "kernels.quotient(c[0], s)"),
        ("-c[0] ** 3", "-kernels.whole_power(c[0], 3)"),
        ("(s + c[1]) ** -2", "kernels.whole_power(s + c[1], -2)"),
        ("c[0] ** 2", None),
        ("c[0] ** 0.5", None),
        ("c[0] ** 100", None),
        ("c ** 3", None),
        ("s ** 3", None),
    ],
)
def test_calls_of_known_arrays(value, expected):
    tree = parsed(f"def f(x, n, c, s, v, unknown):\n    y = {value}\n    return y")
    made = noted([tree_after("kernel_calls", tree, KINDS)], {"np": np})
    assert f"y = {expected or value}" in print_function(made.functions[0])
    assert ("kernels" in made.bindings) == (expected is not None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("np.roll(v, 2)", "np.roll(v, 2, 0)"),
        ("np.roll(n, 1, None)", "np.roll(n, 1, 0)"),
        ("np.roll(v, 1, -1)", "np.roll(v, 1, 0)"),
        ("np.roll(v, 1, (0, 0))", "np.roll(v, 1, (0, 0))"),  # by two places
        ("np.roll(x, 2)", "np.roll(x, 2)"),  # goes through all elements
        ("np.roll(unknown, 2)", "np.roll(unknown, 2)"),
    ],
)
def test_a_vector_is_rolled_along_its_axis(value, expected):
    tree = tree_after("kernel_calls", parsed(f"def f(x, n, v, unknown):\n    y = {value}\n    return y"), KINDS)
    assert f"y = {expected}" in print_function(tree)


def upwind(u, v, steps):
    for _ in range(steps):
        left, right = u - np.roll(u, 1), np.roll(u, shift=-1) - u
        u = u - 0.1 * np.where(v > 0, v * left, v * right)
    return np.sum(u * u)


def test_gradients_of_rolled_vectors():
    assert_gradient(
        upwind, np.array([0.3, 0.9, 0.5, 0.7]), np.array([1.0, -1.0, 0.5, 0.2]), 3, wrt=(0, 1), modes=("compiled",)
    )
    text = srcad.source(upwind, signature="f8[::1], f8[::1], i8")
    assert "np.roll(u_2, 1, 0)" in text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("v[1:] = w", "kernels.copy_to(v[1:], w)"),
        ("v[...] = w", "kernels.copy_to(v[...], w)"),
        ("x[i] = w", "kernels.copy_to(x[i], w)"),
        ("v[1:] += w * 2.0", "kernels.add_to(v[1:], w * 2.0)"),
        ("v[1:] += v[:-1] * 2.0", "kernels.add_to(v[1:], v[:-1] * 2.0)"),
        ("x[:, 0] -= np.cos(w)", "kernels.subtract_from(x[:, 0], np.cos(w))"),
        ("v[1:] = v[:-1]", None),  # NumPy takes a copy first
        ("v[1:] = 0.0", None),  # quick as it is
        ("v[1:] = s", None),
        ("v[0] = s", None),
        ("x[i, 0] += s", None),
        ("v[n] = w", None),  # picked by an array
        ("v[unknown] = w", None),
        ("v[1:] *= w", None),
    ],
)
def test_arrays_that_are_stored_in_slices(line, expected):
    tree = parsed(f"def f(x):\n    {line}\n    return x")  # all but `x` are the function's own
    kinds = {**KINDS, "w": nb.float64[:], "i": nb.int64}
    text = print_function(noted([tree_after("kernel_calls", tree, kinds)], {"np": np}).functions[0])
    assert f"    {expected or line}\n" in text


@pytest.mark.parametrize(
    ("line", "whole", "expected"),
    [
        ("v += w", True, "kernels.add_to(v, w)"),
        ("v -= np.dot(x, w)", True, "kernels.subtract_from(v, np.dot(x, w))"),
        ("v += w", False, None),
        ("v += s", True, None),
        ("s += v", True, None),
        ("v += w * s", True, None),  # one loop, without a temporary
    ],
)
def test_arrays_that_are_added_to_whole_arrays(line, whole, expected):
    for count in (FEWEST_QUICK_CALLS, FEWEST_QUICK_CALLS - 1):
        tree = parsed("def f():\n" + f"    {line}\n" * count + "    return v")
        for each in tree.body[:-1]:
            note(each, whole=whole)
        tree = tree_after("kernel_calls", tree, {**KINDS, "w": nb.float64[:]})
        text = print_function(noted([tree], {"np": np}).functions[0])
        assert text.count(f"    {(count == FEWEST_QUICK_CALLS and expected) or line}\n") == count


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("v += s * w", "kernels.add_scaled(v, s, w)"),
        ("v -= s * w[1:]", "kernels.add_scaled(v, -s, w[1:])"),
        ("v += s * v[::-1]", None),  # NumPy takes a copy first
        ("v += s * s", None),
        ("v += unknown * w", None),
        ("v += w * w", None),
        ("v *= s * w", None),
        ("c += s * c", None),
    ],
)
def test_numbers_times_arrays_are_added_without_a_temporary(line, expected):
    for whole in (True, False):
        tree = parsed(f"def f(x):\n    v = np.copy(x)\n    w = np.copy(x)\n    {line}\n    return v")
        note(tree.body[2], whole=whole)
        tree = tree_after("kernel_calls", tree, {**KINDS, "w": nb.float64[:]})
        text = print_function(noted([tree], {"np": np}).functions[0])
        assert f"    {(whole and expected) or line}\n" in text


def rotated(a, b, steps):
    for _ in range(steps):
        a, b = a * np.sin(b[::-1]), b + 0.1 * a
    return np.sum(a * b)


@pytest.mark.slow
def test_a_gradient_with_few_copies_has_loops():
    text = srcad.source(rotated, signature="f8[::1], f8[::1], i8", wrt=(0, 1))
    assert "kernels.copy_to" not in text
    assert_gradient(rotated, np.linspace(0.2, 0.9, 4), np.linspace(-0.5, 0.8, 4), 3, wrt=(0, 1))
