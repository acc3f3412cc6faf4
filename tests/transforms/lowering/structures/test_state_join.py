"""Where two paths meet, what differs becomes a variable, and what has two forms is lost."""

import functools

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError, UnsupportedSyntax
from srcad.transforms.ir.build import const, load
from srcad.transforms.lowering.structures.abstract_state import PLAIN, Callee, Lost, Memory, Structure
from srcad.transforms.lowering.structures.state_join import join
from tests.lowering import assert_same, core_of


def memory(kind=tuple, name="p", **contents):
    """A memory in which a name holds a structure of these parts, and its cell."""
    found = Memory()
    parts = {int(key[1:]) if key.startswith("_") else key: value for key, value in contents.items()}
    found.bind(name, found.new(kind, parts))
    return found


def joined(one, other, own=None):
    return join(one, other, lambda wish: wish, own)


def copies(pairs):
    return [(name, getattr(value, "id", None) or value.value) for name, value in pairs]


def test_parts_that_are_equal_need_no_variable():
    found = joined(memory(_0=load("x"), _1=const(2)), memory(_0=load("x"), _1=const(2)))
    assert (found.first, found.second) == ([], [])


def test_each_part_that_differs_becomes_one_variable():
    found = joined(memory(_0=load("x"), _1=load("y"), _2=const(1)), memory(_0=load("x"), _1=load("z"), _2=const(2)))
    assert copies(found.first) == [("p_1", "y"), ("p_2", 1)]
    assert copies(found.second) == [("p_1", "z"), ("p_2", 2)]
    held = found.memory.cells[found.memory.names["p"].cell]
    assert [part.id for part in held.values()] == ["x", "p_1", "p_2"]


def test_keys_of_a_dictionary_name_its_variables():
    found = joined(memory(dict, weights=load("w")), memory(dict, weights=load("v")))
    assert copies(found.first) == [("p_weights", "w")]


def test_structures_in_structures_are_joined_part_by_part():
    one, other = Memory(), Memory()
    for each, value in ((one, "x"), (other, "z")):
        each.bind("p", each.new(tuple, {0: each.new(list, {0: load(value)}), 1: load("y")}))
    found = joined(one, other)
    assert copies(found.first + found.second) == [("p_0_0", "x"), ("p_0_0", "z")]


def test_two_names_of_one_structure_stay_names_of_one():
    one, other = memory(list, _0=load("x")), memory(list, _0=load("z"))
    for each in (one, other):
        each.bind("q", each.names["p"])
    found = joined(one, other)
    assert found.memory.names["p"].cell is found.memory.names["q"].cell
    assert len(found.first) == 1


def test_a_list_that_may_be_one_of_two_must_not_be_changed():
    found = joined(memory(list, _0=load("x")), memory(list, _0=load("z")))
    assert found.memory.names["p"].cell in found.memory.frozen
    found = joined(memory(tuple, _0=load("x")), memory(tuple, _0=load("z")))
    assert not found.memory.frozen


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        (memory(_0=load("x")), memory(_0=load("x"), _1=load("y")), "a tuple of 1 element or a tuple of 2 elements"),
        (memory(tuple, _0=load("x")), memory(list, _0=load("x")), "a tuple of 1 element or a list of 1 element"),
        (memory(dict, a=load("x")), memory(dict, b=load("x")), "a dictionary of `a` or a dictionary of `b`"),
        (memory(dict, a=load("x")), Memory(names={"p": PLAIN}), "a dictionary or something else"),
        (memory(_0=load("x")), Memory(names={"p": Callee(load("g"))}), "one function or another"),
        (memory(_0=load("x")), Memory(names={"p": Lost("it is gone")}), "it is gone"),
    ],
)
def test_two_forms_are_lost_and_say_which(one, other, reason):
    found = joined(one, other)
    assert found.memory.names["p"] == Lost(reason)
    assert found.lost == reason
    assert found.changed


def test_a_name_of_one_path_is_what_it_is_there():
    one, other = memory(_0=load("x")), Memory()
    assert joined(one, other).memory.names["p"] is one.names["p"]
    assert joined(other, one).memory.names["p"] is one.names["p"]


def test_constants_are_known_where_both_paths_agree_in_value_and_type():
    one, other = Memory(known={"a": 1, "b": 1, "c": 1, "d": 2}), Memory(known={"a": 1, "b": 2, "c": 1.0})
    found = joined(one, other)
    assert found.memory.known == {"a": 1}
    assert found.changed


def test_joining_a_loop_once_more_changes_nothing():
    start, end = memory(_0=load("x")), memory(_0=load("t"))
    first = joined(start, end)
    assert first.changed
    again = joined(first.memory, end, first.own)
    assert not again.changed
    assert copies(again.second) == [("p_0", "t")]
    assert again.first == []


def test_a_list_of_another_length_is_reported():
    start = memory(list, _0=load("x"))
    end = start.copy()
    end.cells[start.names["p"].cell][1] = load("y")
    found = joined(start, end)
    assert found.lengths == [start.names["p"].cell]
    assert isinstance(found.memory.cells[start.names["p"].cell], Lost)
    assert isinstance(found.memory.names["p"], Structure)


def swapped_pair(x, y):
    pair = (x, y) if x > y else (y, x)
    return pair[0] - 2.0 * pair[1]


def nested(x, y):
    state = {"at": [x, y], "k": 1}
    if x > y:
        state["at"][0] = x * y
        state["k"] = 2
    return state["at"][0] + state["k"] * state["at"][1]


def carried(x, y):
    a, b = (x, y), [1.0, x]
    for i in range(4):
        a = (a[1], a[0] + i)
        if a[0] > y:
            b[0] = b[0] * a[1]
    return a[0] * b[0] + a[1] * b[1]


def aliased(x, y):
    p = [x, y]
    q = p
    if x > y:
        q[0] = 5.0
    else:
        p[1] = 7.0
    return p[0] + 10.0 * q[1]


@pytest.mark.parametrize("function", [swapped_pair, nested, carried, aliased])
def test_functions_on_structures_give_the_same(function):
    assert_same(function, (0.5, 0.25), (0.25, 0.5), (-1.0, 3.0), (2.0, 2.0))


def test_reading_what_has_two_forms_is_refused():
    def of_two_forms(x):
        p = (x, x) if x > 0.0 else (x, x, x)
        return p[0]

    def whole(x):
        p = (x, np.sin(x))
        if x > 0.0:
            p = {"a": x}
        return p[0]

    for function in (of_two_forms, whole):
        with pytest.raises(SrcadError, match=r"a tuple of 2 elements|a dictionary|it may be"):
            core_of(function)


class State:
    def __init__(self):
        self.held = None


def set_in_a_loop(x):
    state = State()
    total = 0.0
    for k in range(len(x)):
        if state.held is None:
            state.held = [0.0]
        state.held[0] = state.held[0] + x[k]
        total = total + state.held[0] * x[k]
    return total


def test_an_attribute_that_is_none_first_and_a_list_then_is_refused_by_name():
    with pytest.raises(UnsupportedSyntax, match="the form of `held` is not known"):
        srcad.grad(set_in_a_loop, jit=False)(np.ones(100))  # a loop over fewer is unrolled


class Part:
    def __init__(self, rate, level):
        self.rate, self.level = rate, level

    @functools.cached_property
    def product(self):
        return self.rate * self.level


def computed_before(x, part):
    first = part.product
    part.rate = x * x
    return first * part.product * part.rate


def changed_in_turn(x, part):
    s = 0.0
    for _ in range(2):
        s = s + part.product * x
        part.rate = part.rate * x
    return s


def computed_in_one_arm(x, part):
    s = part.product * x if x > 0.5 else x
    return s + part.product * part.rate


@pytest.mark.parametrize("f", [computed_before, changed_in_turn, computed_in_one_arm])
def test_a_cached_property_of_an_argument_is_computed_once(f):
    value, slope = srcad.value_and_grad(f, jit=False)(0.7, Part(2.0, 3.0))
    ends = [f(0.7 + step, Part(2.0, 3.0)) for step in (-1e-6, 0.0, 1e-6)]
    np.testing.assert_allclose([value, slope], [ends[1], (ends[2] - ends[0]) / 2e-6], rtol=1e-8)


def test_an_object_whose_cached_property_one_path_has_computed_stays():
    def changed(x, part):
        s = part.product * x if x > 0.5 else x
        part.rate = x
        return s + part.product

    with pytest.raises(UnsupportedSyntax, match="may have been computed before"):
        srcad.grad(changed, jit=False)(0.7, Part(2.0, 3.0))
