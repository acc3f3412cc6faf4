"""Adjoint statements are skipped where the numbers that reach them are zero, and only where that is right."""

import gast
import numpy as np
import pytest

import srcad
from srcad.transforms.adjoint.reverse_plan import Fork, Plan, Replay, Step
from srcad.transforms.adjoint.zero_guards import (
    added_to,
    assigned,
    doubtful,
    incoming,
    left_behind,
    passed_on,
    reaching,
    selections,
    where_nonzero,
)
from srcad.transforms.ir.node_notes import note
from tests.checking import assert_gradient
from tests.transforms.core_text import block_text, lines

BARS = {"a_bar", "b_bar", "c_bar", "x_bar", "t_bar"}
NUMBERS = BARS - {"x_bar"}


def one(text):
    return gast.parse(text).body[0]


def step(text):
    return Step(1, gast.parse(text).body)


def fork(*arms):
    return Fork(1, one("if p:\n    pass"), [Plan((), 1, [step(arm)]) for arm in arms])


def replay(body):
    return Replay(1, one("for i in range(n):\n    pass"), Plan((), 1, [step(body)]))


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("a_bar += t * b_bar", ["t", "b_bar"]),  # not what is added to
        ("x_bar[i] += a_bar", ["i", "a_bar"]),
        ("a_bar = x_bar[i]", ["x_bar", "i"]),
        ("a_bar = 0.0", []),
        ("kernels.scatter_add(x_bar, index, a_bar)", ["index", "a_bar"]),
    ],
)
def test_a_statement_passes_on_all_but_what_it_adds_to(statement, names):
    assert passed_on(one(statement)) == names


@pytest.mark.parametrize(
    ("statement", "stored", "added"),
    [
        ("a_bar = b_bar", "a_bar", None),
        ("x_bar[i] = 0.0", "x_bar", None),
        ("a_bar += b_bar", None, "a_bar"),
        ("x_bar[i] += b_bar", None, "x_bar"),
        ("kernels.scatter_add(x_bar, i, a_bar)", None, "x_bar"),
        ("kernels.other(x_bar, a_bar)", None, None),
    ],
)
def test_what_is_stored_and_what_is_added_to(statement, stored, added):
    assert assigned(one(statement)) == stored
    assert added_to(one(statement)) == added


def test_adjoints_reach_nodes_that_read_them_before_they_store_them():
    assert reaching([step("b_bar = 2.0 * a_bar\nx_bar[0] += b_bar")], BARS, NUMBERS, {"b_bar"}) == ["a_bar"]
    assert reaching([step("x_bar[0] += a_bar"), replay("x_bar[i] += b_bar")], BARS, NUMBERS, ()) == ["a_bar", "b_bar"]


@pytest.mark.parametrize(
    ("code", "own"),
    [
        ("b_bar = 2.0 * a_bar", ()),  # somebody behind reads it
        ("c_bar += np.sum(x_bar)", ()),  # an array reaches them
        ("x_bar[0] += a_bar\nx_bar[1] += b_bar\nx_bar[2] += c_bar", ()),  # three tests cost what they save
        ("x_bar[0] += 1.0", ()),  # nothing reaches them
        ("x_bar[0] = a_bar", ()),  # zeros have to be stored
    ],
)
def test_nodes_that_cannot_be_skipped(code, own):
    assert reaching([step(code)], BARS, NUMBERS, own) is None


def test_what_has_effects_is_not_skipped():
    node = step("x_bar[0] += a_bar")
    note(node.code[0], effect=True)
    assert reaching([node], BARS, NUMBERS, ()) is None


def test_only_branches_and_loops_are_worth_a_test():
    assert incoming([step("x_bar[0] += a_bar")], BARS, NUMBERS, ()) is None
    assert incoming([replay("x_bar[i] += a_bar")], BARS, NUMBERS, ()) == ["a_bar"]
    assert incoming([fork("x_bar[0] += a_bar", "b_bar += a_bar")], BARS, NUMBERS, ()) == ["a_bar"]


def test_an_adjoint_may_be_zero_where_one_arm_adds_to_it_or_an_element_is_read():
    assert doubtful([fork("a_bar += b_bar", "c_bar += b_bar")], BARS, ()) == {"a_bar", "c_bar"}
    assert doubtful([step("a_bar = x_bar[i]")], BARS, ()) == {"a_bar"}
    assert doubtful([step("a_bar = x_bar[i]")], BARS, {"x_bar"}) == set()  # of an array that is hardly ever zero
    assert doubtful([step("a_bar = x_bar[i]\nb_bar = 2.0 * a_bar")], BARS, ()) == {"a_bar", "b_bar"}
    assert doubtful([step("a_bar = x_bar[i]\na_bar += t_bar")], BARS, ()) == set()


def test_choices_are_counted_through_all_nodes():
    chosen = "a_bar += kernels.select(p, t_bar, 0.0)"
    assert selections([step(chosen), replay(f"{chosen}\n{chosen}"), step("a_bar += t_bar")]) == 3


def test_what_is_left_behind_is_what_later_nodes_mention():
    nodes = [step("a_bar = 2.0\nb_bar = 3.0"), step("c_bar += a_bar")]
    assert left_behind(nodes, 1) == ["a_bar"]
    assert left_behind(nodes, 2) == []


def test_a_guard_tests_each_number():
    block, otherwise = gast.parse("x_bar[0] += a_bar").body, gast.parse("c_bar = 0.0").body
    assert block_text([where_nonzero(["a_bar", "b_bar"], block, otherwise)]) == lines("""
    if a_bar != 0.0 or b_bar != 0.0:
        x_bar[0] += a_bar
    else:
        c_bar = 0.0
    """)


def least(x, w, n):
    best = 1e9
    for i in range(n):
        s = x[i]
        for j in range(n):
            s = s + np.sin(w[j] * s)
        if s < best:  # noqa: PLR1730  # a branch on purpose
            best = s
    return best


def test_losers_of_a_minimum_are_skipped_and_the_gradient_is_that_of_differences():
    x, w = np.array([0.9, 0.2, 0.7]), np.array([0.3, -0.4, 0.5])
    assert_gradient(least, x, w, 3, modes=("gradient", "loops", "arrays"))
    assert "_bar != 0.0:" in srcad.source(least, args=(x, w, 3), wrt=(0, 1), without="last_values")
