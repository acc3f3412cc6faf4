"""Inequalities that hold where a statement runs: the limits of loops, and the tests that lead there."""

import itertools

import pytest

from tests.transforms.core_text import at_line, numeric, program_of

TEXT = """
def f(n, m):
    for i in range({}):
        t = {}
        if t:
            k = i
        else:
            l = i
    return n
"""


def known(header, test, line):
    program = program_of(TEXT.format(header, test), "i8, i8")
    return program.meeting.at(at_line(program.unit, line))


@pytest.mark.slow
@pytest.mark.parametrize("header", ["0, n, 1", "1, n, 2", "n, 0, -1"])
@pytest.mark.parametrize("test", ["i < m", "i <= m", "i > m", "i >= m", "i == m", "i != m", "m < 3"])
def test_what_is_said_to_hold_holds_whenever_the_statement_runs(header, test):
    marked = TEXT.replace("k = i", "then.append(i)").replace("l = i", "otherwise.append(i)")
    marked = marked.format(header, test).replace("(n, m)", "(n, m, then, otherwise)")
    for n, m in itertools.product(range(5), repeat=2):
        arms = [], []
        numeric(marked, "f")(n, m, *arms)
        for line, indices in zip((5, 7), arms, strict=True):
            for form, i in itertools.product(known(header, test, line), indices):
                assert form.constant + sum(factor * {"i": i, "n": n, "m": m}[name] for name, factor in form.terms) >= 0


@pytest.mark.parametrize(("test", "both"), [("i < m", True), ("i == m", False), ("i != m", False)])
def test_the_arms_of_a_comparison_know_more_than_the_loop(test, both):
    loop = len(known("0, n, 1", test, 3))
    more = [len(known("0, n, 1", test, line)) > loop for line in (5, 7)]
    assert all(more) if both else sum(more) == 1


def test_floats_tell_nothing():
    text = TEXT.format("0, n, 1", "m < 0.5")
    program = program_of(text, "i8, f8")
    assert len(program.meeting.at(at_line(program.unit, 5))) == len(program.meeting.at(at_line(program.unit, 3)))
