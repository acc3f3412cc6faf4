"""A record is one preallocated array where its length is known, else it grows."""

import re

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import generated, run

KNOWN = """
def f(x, n):
    s = x
    for i in range({bounds}):
        s = s * s
    return s
"""


def traces(text, signature="f8, i8"):
    return re.findall(r"\w+_trace = (.*)", generated(text, signature))


@pytest.mark.parametrize(
    ("bounds", "length"), [("n", "max(n, 0)"), ("2, n", "max(n - 2, 0)"), ("n, 0, -1", "max(n, 0)"), ("3", "3")]
)
def test_a_loop_with_known_bounds_has_one_array_of_its_length(bounds, length):
    assert traces(KNOWN.format(bounds=bounds)) == [f"np.empty({length})"]


@pytest.mark.parametrize(("bounds", "trips"), [("n", 3), ("2, n", 1), ("n, 0, -1", 3), ("3", 3), ("5, n", 0)])
def test_its_entries_are_read_back_in_order(bounds, trips):
    # s is squared in every trip: x ** (2 ** trips)
    power = 2**trips
    assert run(KNOWN.format(bounds=bounds), "f8, i8", "grad", 1.1, 3) == pytest.approx(power * 1.1 ** (power - 1))


def test_a_length_that_is_a_shape_is_never_negative():
    text = """
def f(x, y):
    s = x
    h = y.shape
    n = h[0]
    for i in range(n):
        s = s * s
    return s
"""
    assert "max(" not in generated(text, "f8, f8[:]")


def test_nested_loops_with_known_bounds_share_one_grid():
    text = """
def f(x, n, m):
    s = x
    for i in range(n):
        for j in range(m):
            s = s * s
    return s
"""
    assert "np.empty((max(n, 0), max(m, 0)))" in traces(text, "f8, i8, i8")


BREAK = """
def f(x, n):
    s = x
    done = False
    for i in range(n):
        s = s * x
        done = s > 3.0
        if done:
            break
    return s
"""


def test_a_loop_that_may_stop_early_keeps_a_trace_for_all_iterations_that_it_may_have():
    made = generated(BREAK, "f8, i8")
    assert "kernels.grown" not in made
    assert "s_trace = np.empty(min(max(n, 0), 134217728))" in made
    # 1.2 ** 7 is the first power above 3
    assert run(BREAK, "f8, i8", "grad", 1.2, 100) == pytest.approx(7 * 1.2**6)


WHILE = """
def f(x, n):
    s = x
    k = 0
    c = k < n
    while c:
        s = s * x
        k = k + 1
        c = k < n
    return s
"""


def test_a_trace_of_a_loop_without_a_bound_grows():
    assert "kernels.grown(s_trace, trip)" in generated(WHILE, "f8, i8")
    assert run(WHILE, "f8, i8", "grad", 1.001, 500) == pytest.approx(501 * 1.001**500)


def test_a_loop_whose_length_depends_on_an_outer_one_has_a_trace_of_the_greatest_length():
    text = """
def f(x, n):
    s = x
    for i in range(n):
        for j in range(i):
            s = s * x
    return s
"""
    assert "np.empty((max(n, 0), max(n - 1, 0)))" in generated(text, "f8, i8")
    assert run(text, "f8, i8", "grad", 1.1, 4) == pytest.approx(7 * 1.1**6)


def test_a_while_loop_keeps_a_stack():
    text = """
def f(x):
    s = x
    c = s < 3.0
    while c:
        s = s * x
        c = s < 3.0
    return s
"""
    assert "kernels.grown" in generated(text, "f8")
    assert run(text, "f8", "grad", 1.2) == pytest.approx(7 * 1.2**6)


def test_booleans_are_kept_as_booleans():
    text = """
def f(x, n):
    s = x
    for i in range(n):
        c = s > 1.0
        if c:
            s = s * 0.5
        else:
            s = s * 3.0
    return s
"""
    if "c_trace" in generated(text, "f8, i8"):
        assert "np.bool_" in generated(text, "f8, i8")
    assert run(text, "f8, i8", "grad", 0.7, 3) == pytest.approx(3.0 * 0.5 * 0.5)


def test_single_precision_is_kept_in_single_precision():
    assert "np.float32" in generated(KNOWN.format(bounds="n"), "f4, i8")


def test_whole_arrays_are_kept_in_a_list():
    text = """
def f(x, n):
    a = x
    for i in range(n):
        b = np.sin(a)
        a = b
    s = np.sum(a)
    return s
"""
    made = generated(text, "f8[:], i8", loops=False)
    assert re.search(r"_trace = \[\]", made)
    assert ".append(" in made


def late_branch(x, n):
    """The branch, and the store in it, are first come to when the traces are long since full."""
    y, s, t, a = x, 0.0, 0.0, np.zeros(2)
    while t < n:
        if t > 80.5:
            q = np.sqrt(y * y + 1.0)
            y = y + 0.001 * q * q * q
            a[0] = a[1] * y + q
            a[1] = a[0] * a[0] * 0.1
        s += y * y + a[0]
        t += 1.0
    return s


@pytest.mark.parametrize("n", [60, 85, 200])
def test_traces_have_places_for_what_comes_late(n):
    assert_gradient(late_branch, 0.7, n, wrt=(0,), modes=["arrays", "loops", "gradient"], rtol=1e-6)


def in_a_branch(x, c, kind):
    k = np.outer(x, x)
    if kind > 0:
        k = np.array([np.array([a * c, a * a]) for a in x])
    return np.sum(k * k)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [0, 1])
def test_lists_of_arrays_in_a_branch_are_compiled(kind):
    assert_gradient(in_a_branch, np.array([0.4, 0.9]), 0.7, kind, modes=("gradient", "compiled"))


def grown_while(x, n):
    s = x
    u = x
    while s < n:
        s = s * 1.01 + 0.001 * s * s
        u = u * s / (u + 1.0)
    return s * u


def grown_in_branch(x, n):
    s = x
    u = x
    while s < n:
        if u > 2.0:
            u = u * np.exp(-0.01 * u * s)
        s = s * 1.01 + 0.001 * s * s
        u = u + 0.1 * s
    return s * u


def test_traces_of_one_loop_grow_by_one_test_in_each_iteration():
    before, _, body = srcad.source(grown_while, signature="f8, f8").partition("while ")
    forward = body.partition("# line")[0]
    assert before.count("_trace = np.empty(64)") == forward.count("kernels.grown") == 2
    assert forward.count("if ") == 1
    assert forward.index("grown") < forward.index("_trace[trip] = ")


def test_traces_grow_together_between_strips_of_a_loop_and_not_in_them():
    body = srcad.source(grown_in_branch, signature="f8, f8").partition("while ")[2]
    between, _, strip = body.partition("# line")[0].partition("while ")
    assert between.count("if trip >= ") == 1
    assert between.count("kernels.grown") >= 2
    assert "u_exp_trace[trip] = " in strip
    assert "grown" not in strip


@pytest.mark.parametrize("function", [grown_while, grown_in_branch])
def test_they_grow_past_their_first_length(function):
    assert_gradient(function, 1.0, 30.0, wrt=(0,), modes=("gradient",))


def inner(x, n):
    s, k = x, 1
    while s < n:
        k = (3 * k + 5) % 11
        for _ in range(k):
            s = s * 1.01 + 0.001 * s * s
        s += 3.0
    return s


def inner_down(x, n):
    s, k = x, 1
    while s < n:
        k = (3 * k + 5) % 11
        for j in range(k, 1, -1):
            s = s * 1.01 + 0.0001 * s * j * s
        s += 3.0
    return s


def inner_by_two(x, n):
    s, k = x, 1
    while s < n:
        k = (3 * k + 5) % 11
        for j in range(0, k, 2):
            s = s * 1.01 + 0.0001 * s * j * s
        s += 3.0
    return s


def inner_on_some_paths(x, n):
    s, k = x, 1
    while s < n:
        k = (3 * k + 5) % 11
        for j in range(-1, k):
            if j % 3 == 1:
                s = s * 1.01 + np.exp(0.001 * s * s)
        s += 3.0
    return s


@pytest.mark.parametrize(("function", "length"), [(inner, "k_3"), (inner_down, "(k_3 - 1)")])
def test_an_inner_loop_finds_room_for_all_of_its_iterations(function, length):
    head, _, body = srcad.source(function, signature="f8, f8").partition("for ")
    assert f"if s_count + {length} > s_trace.size:" in head
    assert "grown" not in body


def test_an_inner_loop_of_a_trace_that_cannot_grow_is_free_of_tests_too():
    text = """
def f(x, n):
    s = x
    for i in range(n):
        for j in range(i):
            for k in range(j):
                s = s * s
    return s
"""
    head, _, body = generated(text, "f8, i8").partition("for k")
    assert "if s_count + j > 134217728:" in head
    assert "MemoryError" not in body
    assert run(text, "f8, i8", "grad", 1.1, 3) == pytest.approx(2 * 1.1)


@pytest.mark.parametrize(("function", "name"), [(inner_by_two, "s"), (inner_on_some_paths, "s_exp")])
def test_an_inner_loop_that_may_need_less_makes_room_for_each_entry(function, name):
    assert f"{name}_count == {name}_trace.size:" in srcad.source(function, signature="f8, f8").partition("for ")[2]


@pytest.mark.parametrize("function", [inner, inner_down, inner_by_two, inner_on_some_paths])
def test_inner_loops_that_grow_traces(function):
    assert_gradient(function, 3.5, 90.0, wrt=(0,), modes=("gradient",))
