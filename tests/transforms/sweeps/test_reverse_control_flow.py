"""Branches reverse as branches, loops as loops with the same indices from last to first."""

import re

import numpy as np
import pytest

from tests.transforms.core_text import generated, run


@pytest.mark.parametrize(
    ("bounds", "header"),
    [
        ("n", "range(n - 1, -1, -1)"),
        ("1, n", "range(n - 1, 0, -1)"),
        ("2, 5", "range(4, 1, -1)"),
        ("n, 0, -1", "range(1, n + 1)"),
    ],
)
def test_a_loop_by_ones_runs_backwards_over_the_same_indices(bounds, header):
    text = f"""
def f(x, n):
    s = 0.0
    for i in range({bounds}):
        t = x[i]
        u = np.sin(t)
        v = s * u
        s = s + v
    return s
"""
    assert header in generated(text, "f8[:], i8", "vjp")


@pytest.mark.parametrize("bounds", ["0, n, 2", "1, n, 3", "n, 0, -2", "n, 2, -5", "n, 0, 2", "0, 0, 2", "0, n, step"])
@pytest.mark.parametrize("n", [0, 1, 6, 7])
def test_any_step_visits_the_same_indices(bounds, n):
    text = f"""
def f(x, n, step):
    s = 0.0
    for i in range({bounds}):
        t = x[i]
        u = t * t
        s = s + u
    return s
"""
    x = np.linspace(0.5, 2.0, 9)
    visited = list(eval(f"range({bounds})", {"n": n, "step": 3}))
    expected = np.zeros(9)
    np.add.at(expected, visited, 2.0 * x[visited] if visited else 0.0)
    np.testing.assert_allclose(run(text, "f8[:], i8, i8", "grad", x, n, 3), expected)
    np.testing.assert_allclose(run(text, "f8[:], i8, i8", "vjp", x, n, 3, 1.0)[0], expected)


CARRIED = """
def f(x, n):
    s = x
    for i in range(n):
        s = s * x
    return s
"""


def test_a_loop_that_never_runs_leaves_the_adjoint_of_the_carried_value_alone():
    assert run(CARRIED, "f8, i8", "grad", 0.7, 0) == 1.0
    assert run(CARRIED, "f8, i8", "vjp", 0.7, 0, 3.0) == (3.0,)


def test_a_while_loop_that_never_runs_does_so_too():
    text = """
def f(x):
    s = x * 2.0
    c = s < 0.0
    while c:
        s = s * x
        c = s < 0.0
    return s
"""
    assert run(text, "f8", "grad", 0.7) == 2.0


@pytest.mark.slow
def test_a_loop_that_stops_early_runs_back_as_often_as_it_ran():
    text = """
def f(x, n):
    s = 1.0
    done = False
    for i in range(n):
        s = s * x
        done = i > 3
        if done:
            break
    return s
"""
    for n in range(8):
        trips = min(n, 5)
        assert run(text, "f8, i8", "grad", 1.3, n) == pytest.approx(trips * 1.3 ** (trips - 1) if trips else 0.0)


@pytest.mark.parametrize("x", [-0.5, 0.5])
def test_a_branch_passes_the_adjoint_through_the_arm_that_ran(x):
    text = """
def f(x):
    c = x > 0.0
    if c:
        y = x * 3.0
    else:
        y = x * -2.0
    return y
"""
    assert run(text, "f8", "grad", x) == (3.0 if x > 0 else -2.0)


@pytest.mark.parametrize("x", [-0.5, 0.5])
def test_a_value_from_before_a_branch_keeps_its_adjoint_where_the_branch_does_not_store_it(x):
    text = """
def f(x):
    y = x * x
    c = x > 0.0
    if c:
        y = y * 3.0
    return y
"""
    assert run(text, "f8", "grad", x) == pytest.approx(2 * x * (3.0 if x > 0 else 1.0))


def test_what_has_no_derivative_is_not_reversed():
    text = """
def f(x, n):
    k = 0
    for i in range(n):
        k = k + 2
    y = x * k
    return y
"""
    assert generated(text, "f8, i8").count("for ") == 1
    assert run(text, "f8, i8", "grad", 0.7, 3) == 6.0


def test_an_index_that_the_body_changes_is_reversed_as_it_was():
    text = """
def f(x, n):
    s = 0.0
    for i in range(n):
        i = i + 1
        t = x * i
        u = t * t
        s = s + u
    return s
"""
    assert run(text, "f8, i8", "grad", 0.7, 3) == pytest.approx(2 * 0.7 * (1 + 4 + 9))


def test_reversed_loops_nest_as_the_loops_do():
    text = """
def f(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            t = x[j]
            u = t * t
            s = s + u
    return s
"""
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(run(text, "f8[:], i8", "grad", x, 3), 2 * x * [2, 1, 0])
    reverse = generated(text, "f8[:], i8", "vjp").split("def f_reverse")[1]
    assert len(re.findall(r"for \w+ in range", reverse)) == 2
