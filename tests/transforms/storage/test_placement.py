"""Each primal value is made available in the block that is reversed when it is needed first."""

import gast
import pytest

from srcad.transforms.storage.placement import Sites
from tests.transforms.core_text import at_line, program_of

TEXT = """
def f(x, n):
    c = x[0]
    s = 0.0
    for i in range(0, n, 1):
        t = x[i]
        for j in range(0, i, 1):
            u = t * c
            s = s + u
        p = t > c
        if p:
            v = t * t
            w = v
        else:
            w = c
    y = s * c
    return y
"""
CARRIED = TEXT.replace("            s = s + u\n", "            r = s_2 + u\n            s_2 = r\n").replace(
    "    s = 0.0", "    s_2 = 0.0"
)
CARRIED = CARRIED.replace("y = s * c", "y = s_2 * c")


@pytest.fixture
def program():
    return program_of(CARRIED, "f8[::1], i8", wrt=(0,))


def index_of(sites, name):
    """The indices of the loops that a name's values are recorded for."""
    return [loop.target.id for loop in sites.loops_around(sites.site(name))]


@pytest.mark.parametrize(
    ("name", "indices"),
    [("c", []), ("y", []), ("t", ["i"]), ("u", ["i", "j"]), ("v", ["i"]), ("w", ["i"]), ("p", ["i"])],
)
def test_a_value_has_a_record_for_each_loop_around_its_block(program, name, indices):
    assert index_of(Sites(program), name) == indices


def test_a_carried_value_belongs_into_the_loop_that_carries_it(program):
    sites = Sites(program)
    assert index_of(sites, "s_2") == ["i"]
    assert sites.site("s_2")[-1] == (program.flow.spot(program.carrier("s_2")).number, 0)


def test_values_of_no_loop_are_still_there(program):
    sites = Sites(program)
    assert [name for name in "ctuvwyp" if sites.is_there(name)] == ["c", "y"]
    assert all(sites.is_there(name) for name in ("i", "j", "x", "n"))  # indices are counted again
    assert not sites.is_there("s_2")


def test_bounds_are_known_where_no_loop_replaces_them(program):
    sites = Sites(program)
    known = {text: sites.is_known(gast.parse(text, mode="eval").body) for text in ("3", "n", "c", "t")}
    assert known == {"3": True, "n": True, "c": True, "t": False}


def test_names_of_the_primal_are_told_from_others(program):
    sites = Sites(program)
    assert all(sites.is_primal(name) for name in ("x", "n", "s_2", "i"))
    assert not sites.is_primal("s_bar")


def test_a_loop_that_is_reversed_on_the_spot_counts_as_none(program):
    outer = at_line(program.unit, 4)
    assert isinstance(outer, gast.For)
    sites = Sites(program, outer)
    assert index_of(sites, "t") == []
    assert index_of(sites, "u") == ["j"]
    assert sites.is_there("t")
    assert not sites.is_there("u")


def test_seen_from_outside_all_of_a_loop_has_run(program):
    sites, flow = Sites(program), program.flow
    outer, inside = flow.spot(at_line(program.unit, 4)), flow.spot(at_line(program.unit, 7))
    assert sites.position(inside.number, ()) == flow.last_inside[outer.number]
    assert sites.position(inside.number, inside.way) == inside.number
