"""What names can be is followed along all paths, of all of them together."""

import pytest

from srcad.transforms.analysis.program_facts import analyse_forward
from srcad.transforms.ir.build import stores_into, walk_statements
from srcad.transforms.normalise.alias_cases import CannotFollow, Taken, chosen_groups, follow
from tests.transforms.core_text import settled

SWAPPED = """
def f(x, n):
    u = np.copy(x)
    v = x * 2.0
    for i in range(n):
        t = x[i]
        c = t > 0.0
        if c:
            d = u
            u = v
            v = d
        u[0] = t
        v[1] = t
    s = u[1]
    return s
"""


def program(text, signature="f8[:], i8"):
    return analyse_forward(*settled(text, signature), ())


def test_buffers_that_trade_places_are_never_one():
    known = program(SWAPPED)
    (group,) = chosen_groups(known)
    choices = follow(known, tuple(sorted(group)), {})
    held = {name: k for k, name in enumerate(choices.names)}
    write = next(each for each in walk_statements(known.unit.tree.body) if stores_into(each) is not None)
    states = choices.before[known.flow.spot(write).number]
    assert {(state[held["u_2"]], state[held["v_2"]]) for state in states} == {("u", "v"), ("v", "u")}


def test_views_are_known_by_where_they_are_taken():
    text = """
def f(x, c):
    g = np.copy(x)
    if c:
        r = g[0]
    else:
        r = g[1]
    r[0] = 2.0
    t = g[1]
    s = t[0]
    return s
"""
    known = program(text, "f8[:, :], b1")
    assert chosen_groups(known) == [{"r_3"}]
    values = follow(known, ("r_3",), {}).values["r_3"]
    assert [value.base for value in values if isinstance(value, Taken)] == ["g", "g"]
    assert len(set(values)) == 2


def test_an_array_that_is_allocated_again_while_a_name_may_hold_it_cannot_be_followed():
    known = program(SWAPPED.replace("t = x[i]", "t = x[i]\n        w = x * t").replace("d = u", "d = w"))
    (group,) = chosen_groups(known)
    with pytest.raises(CannotFollow):
        follow(known, tuple(sorted(group)), {})


def test_integers_are_none_of_its_business():
    assert chosen_groups(program(SWAPPED.replace("2.0", "2"), "i8[:], i8")) == []
