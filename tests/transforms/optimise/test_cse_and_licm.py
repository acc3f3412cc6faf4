"""Operations are shared and hoisted where that cannot change anything."""

import gast
import numpy as np
import pytest

import srcad
from srcad.transforms.ir.side_effects import all_written
from tests.checking import UNCOMPILED, assert_gradient
from tests.transforms.core_text import apply_and_compare, body_of, lines, settled, unit_after


def tidied(text, signature):
    return body_of(unit_after("cse_and_licm", *settled(text, signature)).unit)


def test_the_same_operation_is_done_once():
    assert tidied(
        """
def f(a, b):
    t = a * b
    u = a * b
    v = t + u
    return v
""",
        "f8, f8",
    ) == lines("""
    t = a * b
    v = t + t
    return v
""")


def test_what_is_the_same_only_after_sharing_is_shared_too():
    assert tidied(
        """
def f(a):
    t = a * a
    u = a * a
    v = np.sin(t)
    w = np.sin(u)
    r = v + w
    return r
""",
        "f8",
    ) == lines("""
    t = a * a
    v = np.sin(t)
    r = v + v
    return r
""")


LOOP = """
def f(x, a, n):
    s = 0.0
    for i in range(n):
        t = {value}
        u = s + t
        {store}
        s = u
    return s
"""


def is_hoisted(value):
    return "t" in {name for statement in before_loop(value) for name in all_written(statement)}


def before_loop(value):
    body = unit_after("cse_and_licm", *settled(LOOP.format(value=value, store="pass"), "f8[:], f8, i8")).unit.tree.body
    return body[: next(k for k, each in enumerate(body) if isinstance(each, gast.For))]


def test_an_invariant_operation_is_hoisted():
    assert is_hoisted("a * a")
    assert is_hoisted("np.sin(a)")


def test_an_operation_on_the_index_stays():
    assert not is_hoisted("a * i")


def test_an_operation_that_may_fail_is_not_hoisted():
    assert not is_hoisted("a / a")
    assert not is_hoisted("a // 2.0")
    assert not is_hoisted("a % 2.0")


def test_an_element_is_not_read_before_a_loop_that_may_not_run():
    assert not is_hoisted("x[0]")


def test_an_element_of_a_written_array_is_read_each_time():
    text = tidied(
        """
def f(x, a):
    t = x[0]
    x[0] = a
    u = x[0]
    v = t + u
    return v
""",
        "f8[:], f8",
    )
    assert text.count("= x[0]") == 2


def test_an_element_of_an_array_that_nobody_writes_into_is_read_once():
    text = tidied(
        """
def f(x, a):
    t = x[0]
    u = x[0]
    v = t + u
    return v
""",
        "f8[:], f8",
    )
    assert text.count("= x[0]") == 1


def test_arrays_are_not_shared():
    text = tidied(
        """
def f(x, a):
    t = x * a
    u = x * a
    t[0] = 1.0
    v = u[0]
    return v
""",
        "f8[:], f8",
    )
    assert text.count("x * a") == 2


def test_what_one_branch_computes_is_not_there_for_the_other():
    text = tidied(
        """
def f(a, c):
    if c:
        t = a * a
        r = t
    else:
        u = a * a
        r = u
    return r
""",
        "f8, b1",
    )
    assert text.count("a * a") == 2


def test_what_is_computed_before_a_branch_is_there_inside():
    text = tidied(
        """
def f(a, c):
    t = a * a
    r = t
    if c:
        u = a * a
        r = u
    return r
""",
        "f8, b1",
    )
    assert text.count("a * a") == 1


def test_an_invariant_operation_leaves_all_loops():
    text = tidied(
        """
def f(a, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            t = a * a
            s = s + t
    return s
""",
        "f8, i8",
    )
    assert text.index("t = a * a") < text.index("for i")


def test_a_division_by_a_literal_is_hoisted():
    assert is_hoisted("a / 6")
    assert not is_hoisted("6 / a")
    assert not is_hoisted("a / 0")


def test_a_remainder_of_an_integer_by_a_literal_is_hoisted():
    assert is_hoisted("n % 2")
    assert is_hoisted("n // 2")
    assert not is_hoisted("n % 0")


def test_what_may_fail_is_done_once_where_it_has_been_done():
    text = tidied(
        """
def f(a, b, c):
    t = a / b
    u = math.log(a)
    r = 0.0
    if c:
        v = a / b
        w = math.log(a)
        r = v * w
    x = b / a
    r = r + t
    r = r * u
    r = r + x
    return r
""",
        "f8, f8, b1",
    )
    assert (text.count("a / b"), text.count("b / a"), text.count("math.log")) == (1, 1, 1)


def test_what_may_fail_in_one_branch_is_done_behind_it():
    text = tidied(
        """
def f(a, b, c):
    r = 0.0
    if c:
        t = a / b
        r = t
    u = a / b
    r = r + u
    return r
""",
        "f8, f8, b1",
    )
    assert text.count("a / b") == 2


def reads(*body, result="return a, s"):
    """A function that reads an element, does something, and reads it again."""
    inner = "\n".join(f"    {each}" for each in body)
    return f"\ndef f(a, b, i, j, n):\n    s = 0.0\n{inner}\n    {result}\n"


READS = "f8[:], f8[:], i8, i8, i8"
CASES = [(np.arange(1.0, 7.0), np.arange(2.0, 8.0), i, j, n) for i, j in ((1, 1), (1, 2), (-5, 1)) for n in (0, 3)]


@pytest.mark.parametrize(
    "text",
    [
        reads("t = a[i]", "b[i] = t", "u = a[i]", "a[j] = u"),
        reads("t = a[1]", "a[2] = t", "u = a[1]", "a[0] = u"),
        reads("t = a[i]", "for k in range(n):", "    u = a[i]", "    b[k] = u", "a[0] = t"),
        reads("t = a[i]", "c = n > 1", "if c:", "    u = a[i]", "    a[i] = 0.0", "    b[j] = u", "a[j] = t"),
        reads("for k in range(1, n):", "    t = a[0]", "    a[k] = t", "    u = a[0]", "    b[k] = u", "a[5] = 1.0"),
    ],
)
def test_an_element_that_no_store_reaches_is_read_once(text):
    found = apply_and_compare("cse_and_licm", text, READS, CASES, given=settled)
    assert found.count("= a[") == text.count("= a[") - 1


@pytest.mark.parametrize(
    "text",
    [
        reads("t = a[i]", "a[j] = 9.0", "u = a[i]", "b[0] = u", "b[1] = t"),
        reads("t = a[i]", "a[i] += 1.0", "u = a[i]", "b[0] = u", "b[1] = t"),
        reads("t = a[i]", "a[...] = 5.0", "u = a[i]", "b[0] = u", "b[1] = t"),
        reads("t = a[i]", "v = a[1:]", "v[j] = 5.0", "u = a[i]", "b[0] = u", "b[1] = t"),
        reads("t = a[1]", "for k in range(n):", "    u = a[1]", "    b[k] = u", "    a[k] = 0.5", "b[5] = t"),
        reads("t = a[1]", "for k in range(n):", "    a[k] = 0.5", "u = a[1]", "b[0] = u", "b[1] = t"),
        reads("t = a[1]", "c = n > 1", "if c:", "    a[i] = 0.5", "u = a[1]", "b[0] = u", "b[1] = t"),
        reads("c = n > 1", "if c:", "    t = a[1]", "    b[2] = t", "u = a[1]", "b[0] = u", "a[0] = u"),
        reads("t = a[i]", "u = a[j]", "b[0] = t", "b[1] = u", "a[2] = u"),
        reads("for k in range(n):", "    t = a[k]", "    m = k + 1", "    u = a[m]", "    b[k] = u", "    a[5] = t"),
    ],
)
def test_an_element_that_a_store_may_reach_is_read_again(text):
    found = apply_and_compare("cse_and_licm", text, READS, CASES, given=settled)
    assert found.count("= a[") == text.count("= a[")


def test_a_state_that_a_step_reads_several_times_is_recorded_once():
    def step(y, n):
        f = np.zeros(2)
        for _ in range(n):
            f[0] = y[0] * y[1] - y[0] * y[0]
            f[1] = -y[0] * y[1] * y[1]
            for i in range(2):
                y[i] += 0.1 * f[i]
        return y[0] * y[1]

    assert_gradient(step, np.array([0.7, 1.3]), 3, modes=UNCOMPILED)
    text = srcad.source(step, "grad", signature="f8[:], i8")
    assert text.count("_trace = ") == 2


def identity(value, *lines, result="s"):
    body = "\n        ".join([f"e = {value}", *lines, "t = e[0, 0]", "s = s + t"])
    head = "\ndef f(x, n):\n    s = 0.0\n    p = x.shape\n    m = p[0]\n    for i in range(n):\n        "
    text = tidied(f"{head}{body}\n    return {result}\n", "f8[:], i8")
    return text.index("e = ") < text.index("for i")


def test_an_identity_matrix_that_is_only_read_is_made_before_loops():
    assert identity("np.eye(3)")
    assert identity("np.eye(2, 3)")
    assert identity("np.identity(m)")


def test_an_identity_matrix_that_may_change_or_fail_or_that_others_get_stays():
    assert not identity("np.eye(n)")  # n may be negative
    assert not identity("np.eye(3)", "e[0, 0] = 2.0")
    assert not identity("np.eye(3)", "g = e[0]", "g[0] = 2.0")
    assert not identity("np.eye(3)", "q = e[1]")  # a view
    assert not identity("np.eye(3)", "u = e", "q = u[0]")


def test_checks_of_all_pairs_of_extents_end():
    """Each extent is known to equal others already, under several names: no chain of names is a cycle."""

    def apart(rows):
        s = 0.0
        for one in rows:
            for other in rows:
                d = one - other
                s += np.sum(np.sin(d) * one)
        return s

    rows = [np.array([0.3, 0.9, -0.4]) + 0.7 * k * k for k in range(4)]
    found = srcad.grad(apart, jit=False)(rows)
    moved = [each + 1e-6 * k for k, each in enumerate(rows)]
    slope = sum(k * np.sum(each) for k, each in enumerate(found))
    assert np.isclose((apart(moved) - apart(rows)) / 1e-6, slope, rtol=1e-4)
    assert "same_extent" in srcad.source(apart, args=(rows,))
