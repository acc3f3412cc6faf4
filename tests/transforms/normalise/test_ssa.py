"""Every name is stored once per path, and the function stays the same function."""

import pytest

from srcad.printing.printer import print_function
from srcad.tools.type_signatures import parse_signature
from srcad.transforms.analysis.liveness import live_before
from srcad.transforms.inference.type_inference import types_of
from srcad.transforms.ir.build import place_of, walk_statements
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.verify import check_core
from tests.transforms.core_text import body_of, lines, numeric, ssa_of, unit_after, unit_of


def ssa(text):
    return ssa_of(unit_of(text))


def test_a_second_value_has_a_name_of_its_own():
    assert body_of(
        ssa("""
def f(x):
    a = x * x
    a = a + 1.0
    return a
""")
    ) == lines("""
    a = x * x
    a_2 = a + 1.0
    return a_2
""")


def test_a_parameter_keeps_its_name_for_its_first_value():
    assert body_of(
        ssa("""
def f(x):
    x = x * x
    return x
""")
    ) == lines("""
    x_2 = x * x
    return x_2
""")


def test_a_loop_carries_a_name_by_a_copy_at_its_end():
    assert body_of(
        ssa("""
def f(x, n):
    s = 0.0
    for i in range(n):
        a = x[i]
        s = s + a
    return s
""")
    ) == lines("""
    s = 0.0
    s_2 = s
    for i in range(0, n, 1):
        a = x[i]
        s_3 = s_2 + a
        s_2 = s_3
    s_4 = s_2
    return s_4
""")


def test_names_that_trade_places_go_through_names_of_their_own():
    unit = ssa("""
def f(a, b, n):
    for i in range(n):
        t = a
        a = b
        b = t
    c = a - b
    return c
""")
    namespace = {}
    exec(print_function(unit.tree), namespace)
    assert [namespace["f"](3.0, 1.0, n) for n in range(4)] == [2.0, -2.0, 2.0, -2.0]


def test_branches_store_what_lives_on_under_one_name():
    assert body_of(
        ssa("""
def f(x, c):
    y = 0.0
    if c:
        y = x * 2.0
    return y
""")
    ) == lines("""
    y = 0.0
    if c:
        y_3 = x * 2.0
    else:
        y_3 = y
    return y_3
""")


def test_what_only_one_branch_needs_is_not_merged():
    assert "else" not in body_of(
        ssa("""
def f(x, c):
    y = 0.0
    if c:
        t = x * 2.0
        y = y + t
        t = y
    return x
""")
    )


def test_an_index_that_is_read_behind_the_loop_becomes_a_variable():
    unit = ssa("""
def f(x, n):
    i = 7
    for i in range(n):
        a = x[i]
    return i
""")
    namespace = {}
    exec(print_function(unit.tree), namespace)
    assert [namespace["f"]([1.0] * 3, n) for n in (0, 1, 3)] == [7, 0, 2]


def test_the_break_stays_last():
    unit = ssa("""
def f(x, n):
    s = 0.0
    done = False
    for i in range(n):
        s = s + x
        done = s > 2.0
        if done:
            break
    return s
""")
    check_core(unit.tree)
    namespace = {}
    exec(print_function(unit.tree), namespace)
    assert namespace["f"](1.0, 10) == 3.0


def test_live_names_are_those_that_may_be_read_before_they_are_stored():
    unit = unit_of("""
def f(x, y, c):
    a = x
    if c:
        b = a
    else:
        b = y
    return b
""")
    assert live_before(unit.tree.body, frozenset()) == {"x", "y", "c"}


def test_what_a_loop_carries_is_live_before_it():
    unit = unit_of("""
def f(n, s, t):
    for i in range(n):
        s = s * t
    return s
""")
    assert live_before(unit.tree.body, frozenset()) >= {"n", "s", "t"}


NESTED = """
def f(x, n):
    s = 0.0
    k = 0
    c = k < n
    while c:
        t = 1.0
        for j in range(k):
            odd = j % 2
            b = odd == 1
            if b:
                t = t * x
            else:
                t = t + s
        s = s + t
        k = k + 1
        c = k < n
    return s
"""


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_the_function_gives_what_it_gave(n):
    unit = ssa(NESTED)
    settled = unit_after("in_place_resolution", unit, types_of(unit, parse_signature("f8, i8"))).unit
    namespace = {}
    exec(print_function(settled.tree), {"np": None}, namespace)
    assert namespace["f"](0.7, n) == numeric(NESTED, "f")(0.7, n)


def test_places_stay_with_their_statements():
    unit = ssa(NESTED)
    assert all(
        place_of(statement) is not None
        for statement in walk_statements(unit.tree.body)
        if not notes_of(statement).unset
    )


def test_the_unit_that_is_given_stays_as_it_is():
    unit = unit_of(NESTED)
    before = print_function(unit.tree)
    ssa_of(unit)
    assert print_function(unit.tree) == before
