"""What lowering knows at one point of a program is forgotten and copied as the program would."""

from collections import OrderedDict, namedtuple

import gast
import pytest

from srcad.transforms.ir.build import const, load
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.lowering.structures.abstract_state import PLAIN, Cell, Lost, Memory, Structure, same

Pair = namedtuple("Pair", "a b")


class Thing:
    pass


@pytest.mark.parametrize(
    ("kind", "called", "is_sequence", "is_mapping", "is_mutable"),
    [
        (tuple, "a tuple", True, False, False),
        (list, "a list", True, False, True),
        (dict, "a dictionary", False, True, True),
        (Pair, "a `Pair`", True, False, False),
        (OrderedDict, "a `OrderedDict`", False, True, True),
        (Thing, "an object of class `Thing`", False, False, True),
    ],
)
def test_a_cell_has_the_properties_of_its_class(kind, called, is_sequence, is_mapping, is_mutable):
    cell = Cell(kind)
    assert (cell.called, cell.is_sequence, cell.is_mapping, cell.is_mutable) == (
        called,
        is_sequence,
        is_mapping,
        is_mutable,
    )


def test_two_cells_of_one_class_are_two():
    assert Cell(list) != Cell(list)


def test_what_changes_after_a_copy_is_not_in_it():
    memory = Memory()
    pair = memory.new(list, {0: load("x")})
    memory.bind("p", pair)
    memory.known["n"] = 3
    copied = memory.copy()
    memory.cells[pair.cell][1] = load("y")
    memory.names["q"] = PLAIN
    memory.known["n"] = 4
    assert list(copied.cells[pair.cell]) == [0]
    assert set(copied.names) == {"p"}
    assert copied.constant(load("n")) == 3


def test_a_copy_shares_what_belongs_to_the_function():
    memory = Memory()
    copied = memory.copy()
    memory.steady.add("x")
    memory.touched.add(Cell(list))
    assert copied.steady is memory.steady
    assert copied.touched is memory.touched


def test_becoming_another_does_not_follow_it_later():
    one, other = Memory(), Memory()
    other.known["n"] = 1
    one.become(other)
    other.known["n"] = 2
    assert one.constant(load("n")) == 1


def test_atoms_are_known_constants_or_unknown():
    memory = Memory(known={"n": 3})
    assert memory.constant(load("n")) == 3
    assert memory.constant(const(2.5)) == 2.5
    assert memory.constant(load("m")) is UNKNOWN


def test_a_name_that_becomes_a_structure_is_no_constant_any_more():
    memory = Memory(known={"n": 3})
    memory.bind("n", memory.new(tuple, {}))
    assert memory.constant(load("n")) is UNKNOWN


def test_a_frozen_structure_says_why():
    memory = Memory()
    given = memory.new(list, {}, frozen="it is the caller's", origin=17)
    assert memory.frozen == {given.cell: "it is the caller's"}
    assert given.cell.origin == 17


def test_values_are_the_same_by_cell_or_by_text():
    memory = Memory()
    one, other = memory.new(tuple, {}), memory.new(tuple, {})
    assert same(one, Structure(one.cell))
    assert not same(one, other)
    assert same(load("x"), gast.parse("x", mode="eval").body)
    assert not same(load("x"), load("y"))
    assert not same(const(1), const(1.0))
    assert same(Lost("a"), Lost("a"))
    assert not same(Lost("a"), Lost("b"))
    assert not same(PLAIN, load("x"))
