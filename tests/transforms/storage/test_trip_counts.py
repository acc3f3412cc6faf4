"""At most how often a loop runs, and which number an iteration has, told before the loops around it begin."""

import ast
import linecache

import gast
import numpy as np
import pytest
from numba import types

import srcad
from srcad.driver import pipeline
from srcad.transforms.ir.build import walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.storage.placement import Sites
from srcad.transforms.storage.trip_counts import extent
from srcad.transforms.sweeps.gradient_function import reverse_program
from tests.checking import assert_gradient


def inner_extent(bounds, outer="n"):
    """Size and number of the inner loop's iterations, as text."""
    text = f"""
def f(x, n, m):
    s = x
    for j in range({outer}):
        for i in range({bounds}):
            s = s * s
    return s
"""
    name = f"<{bounds} in {outer}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    kinds = (types.float64, types.int64, types.int64)
    state = pipeline.differentiable_state(Code(pipeline.prepare(namespace["f"]), signature=kinds))
    program = reverse_program(state.unit, state.types, (0,))
    *_, inner = (each for each in walk_statements(program.unit.tree.body) if isinstance(each, gast.For))
    found = extent(Sites(program), inner)
    return None if found is None else tuple(ast.unparse(gast.gast_to_ast(each)) for each in (found.size, found.number))


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ("m", ("max(m, 0)", "i")),
        ("2, m", ("max(m - 2, 0)", "i - 2")),
        ("j", ("max(n - 1, 0)", "i")),
        ("j + 1, m", ("max(m, 0)", "i")),
        ("j, j + 1", ("max(n - 1 + 1, 0)", "i")),
        ("m, -1, -1", ("max(m - -1, 0)", "m - i")),
        ("j, 0, -1", ("max(n - 1 + 1, 0)", "i")),
        ("j, -1, -1", ("max(n - 1 + 1, 0)", "i")),
        ("j - 1, m", None),
        ("j, -2, -1", None),
        ("0, m, 2", ("max((m + 1) // 2, 0)", "i // 2")),
        ("m, 1, -3", ("max((m - 1 + 2) // 3, 0)", "(m - i) // 3")),
        ("j, m, 2", None),
    ],
)
def test_extents_of_loops_within_a_loop(bounds, expected):
    assert inner_extent(bounds) == expected


def test_an_outer_loop_that_counts_down_begins_at_its_greatest_index():
    assert inner_extent("j", outer="n, 0, -1") == ("max(n, 0)", "i")


def triangle(x, n):
    s = x
    for j in range(n):
        for _ in range(j + 1, n):
            s = s * x + 0.1
    return s


def cone(x, n):
    s = x
    for j in range(n):
        for i in range(j):
            for _ in range(i):
                s = s * x + 0.1
    return s


def slope(f, x, n, step=1e-6):
    return (f(x + step, n) - f(x - step, n)) / (2 * step)


def in_steps(x, n, m):
    s = x
    for i in range(n, m, 3):
        for j in range(m, n, -2):
            s = np.sin(s) + 0.1 * i * s * j
    return s


@pytest.mark.parametrize("bounds", [(0, 0), (0, 1), (2, 7), (2, 8), (-3, 6), (5, 1)])
def test_iterations_in_steps_have_a_place_each(bounds):
    assert "grown" not in srcad.source(in_steps, signature="f8, i8, i8")
    assert_gradient(in_steps, 0.3, *bounds, wrt=(0,), modes=("gradient", "loops"))


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_a_triangle_is_recorded_in_a_square(n):
    assert "kernels.grown" not in srcad.source(triangle, signature="f8, i8")
    assert srcad.grad(triangle, jit=False)(0.9, n) == pytest.approx(slope(triangle, 0.9, n), rel=1e-7)


def test_two_triangles_within_each_other_are_not_recorded_in_a_cube():
    assert "np.empty((" not in srcad.source(cone, signature="f8, i8")
    assert srcad.grad(cone, jit=False)(0.9, 5) == pytest.approx(slope(cone, 0.9, 5), rel=1e-7)


def growing_part(x):
    y = np.sin(x)
    for k in range(1, x.size):
        y[:k] += x[k] * np.flip(y[:k])
    return np.sum(y * y)


def shrinking_part(x):
    y = np.cos(x)
    for k in range(x.size):
        y[k:] *= np.tanh(y[k:]) * x[k]
    return np.sum(y)


def moving_part(x):
    y = np.cos(x)
    for k in range(x.size):
        y[k : k + 2] *= np.tanh(y[k : k + 2]) * x[k]
    return np.sum(y)


def part_of_any_length(x):
    y = np.cos(x)
    count = 0
    for k in range(x.size):
        y[:count] *= np.tanh(y[:count]) * x[k]
        y[-2:k] *= y[-2:k]
        count = (count + 2) % 3
    return np.sum(y)


@pytest.mark.slow
@pytest.mark.parametrize("f", [growing_part, shrinking_part, moving_part])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_slices_by_a_loops_index_have_their_places(f, n):
    x = np.linspace(0.3, 0.8, n)
    assert "kernels.grown" not in srcad.source(f, args=(x,))
    assert_gradient(f, x)


@pytest.mark.slow
def test_other_slices_take_as_much_room_as_they_need():
    x = np.linspace(0.3, 0.8, 4)
    assert "kernels.grown" in srcad.source(part_of_any_length, args=(x,))
    assert_gradient(part_of_any_length, x)


def beyond_a_slice(x, c, steps):
    u, v, s = x.copy(), x.copy(), 0.0
    for _ in range(steps):
        for i in range(u[1:-1].shape[0] + 3):
            s = np.sin(s + c * i) * x[0] + s * s
        u, v = v, u
    return s


@pytest.mark.parametrize("length", [1, 2, 5])
def test_lengths_of_slices_of_short_arrays_are_no_forms_of_more(length):
    assert_gradient(beyond_a_slice, np.full(length, 0.3), 0.4, 3, modes=("arrays", "loops"), rtol=1e-6)
