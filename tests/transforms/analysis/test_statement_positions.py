"""The order of statements, the loops around them, and where names are stored."""

from srcad.transforms.analysis.statement_positions import flow_of, uses
from srcad.transforms.ir.build import place_of
from tests.transforms.core_text import at_line, unit_of

TEXT = """
def f(x, n):
    s = 0.0
    for i in range(0, n, 1):
        c = i > 2
        if c:
            a = x[i]
            b = a
        else:
            b = 1.0
        s = b
    return s
"""
UNIT = unit_of(TEXT)
FLOW = flow_of(UNIT)


def spot(line):
    return FLOW.spot(at_line(UNIT, line))


def test_statements_are_numbered_in_source_order():
    assert [spot(line).number for line in (2, 3, 4, 5, 6, 7, 9, 10, 11)] == list(range(9))


def test_a_statement_knows_the_loops_around_it():
    assert [loop.target.id for loop in spot(6).loops] == ["i"]
    assert spot(11).loops == ()


def test_branches_of_one_if_exclude_each_other():
    assert FLOW.exclusive(spot(6), spot(9))
    assert not FLOW.exclusive(spot(6), spot(7))
    assert not FLOW.exclusive(spot(6), spot(10))


def test_a_name_belongs_to_the_innermost_block_with_all_of_its_stores():
    assert FLOW.home("a") == spot(6).way
    assert FLOW.home("b") == spot(10).way
    assert FLOW.home("s") == ()
    assert FLOW.home("i") == spot(4).way


def test_only_a_name_with_one_store_has_a_definition():
    assert FLOW.definition("c") is at_line(UNIT, 4).value
    assert FLOW.definition("b") is None
    assert FLOW.definition("x") is None


def test_a_compound_statement_knows_the_last_number_inside():
    assert FLOW.last_inside[spot(3).number] == spot(10).number
    assert FLOW.last_inside[spot(5).number] == spot(9).number


def test_an_index_is_told_from_other_names():
    assert FLOW.is_index("i")
    assert not FLOW.is_index("s")


def test_uses_are_reads_with_their_statements():
    assert [place_of(statement).line for statement, name in uses(UNIT.tree.body) if name == "c"] == [5]
