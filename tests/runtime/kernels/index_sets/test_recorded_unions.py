"""Unions of index sets: what is recorded, as plain Python and compiled."""

import numpy as np
import pytest
from numba import njit

from srcad.runtime.kernels import index_sets


def members(sets, found):
    """The members of a set."""
    nodes, width = sets[0], 4
    if found <= width:
        return {int(found)} - {0}
    return members(sets, nodes[0, found]) | members(sets, nodes[1, found])


def listed(sets, found):
    return [sorted(members(sets, each)) for each in np.ravel(found)]


def unions(sets, one, other):
    return (
        index_sets.unite(sets, one, 3),
        index_sets.unite(sets, 3, one),
        index_sets.unite(sets, one, other),
        index_sets.unite(sets, 1, 2),
    )


def sums(sets, one, zeros):
    return (
        index_sets.unite_all(sets, one),
        index_sets.unite_along(sets, one, 1, zeros),
        index_sets.running(sets, one[0]),
        index_sets.like(one[0], zeros),
    )


def products(sets, one, values):
    present = index_sets.present(values)
    return index_sets.product(sets, present, one[:, 0]), index_sets.product(sets, one, present)


def places(sets, one):
    found = one.copy()
    index_sets.poke(sets, found, (1, -1), 4)
    index_sets.poke(sets, found, (2, 0), 4)
    return index_sets.peek(found, (0, 1)), index_sets.peek(found, (0, 9)), found


ONE, OTHER = np.array([[1, 0], [2, 3]]), np.array([[0, 4], [2, 4]])
VALUES = np.array([[1.0, 0.0], [2.0, 3.0]])
CASES = {
    "unions": (unions, (ONE, OTHER[1]), [[[1, 3], [3], [2, 3], [3]]] * 2 + [[[1, 2], [4], [2], [3, 4]], [[1, 2]]]),
    "sums": (sums, (ONE, np.zeros(2)), [[[1, 2, 3]], [[1], [2, 3]], [[1], [1]], [[1], []]]),
    "products": (products, (ONE, VALUES), [[[1], [1, 2]], [[1], [], [2, 3], [3]]]),
    "places": (places, (ONE,), [[[]], [[]], [[1], [], [2], [3, 4]]]),
}


@pytest.mark.parametrize("name", CASES)
def test_members_of_unions(name):
    function, args, expected = CASES[name]
    sets = index_sets.new_sets(4, 40, 40)
    assert [listed(sets, each) for each in function(sets, *args)] == expected


@njit
def compiled(sets, one, other, zeros, values):
    index_sets.meet(sets, one, other)
    index_sets.meet(sets, one, 0)
    return unions_compiled(sets, one, other[1]), sums_compiled(sets, one, zeros), products_compiled(sets, one, values)


unions_compiled, sums_compiled, products_compiled = njit(unions), njit(sums), njit(products)


@pytest.mark.compiled
@pytest.mark.nightly  # some seconds of compilation; tests of patterns compile the unions of numbers
def test_compiled_unions_are_the_same():
    sets = index_sets.new_sets(4, 40, 40)
    found = compiled(sets, ONE, OTHER, np.zeros(2), VALUES)
    for made, name in zip(found, ("unions", "sums", "products"), strict=True):
        assert [listed(sets, each) for each in made] == CASES[name][2]
    assert sets[1][:, 1:3].tolist() == [[2, 3], [2, 4]]


def test_what_meets_is_noted():
    sets = index_sets.new_sets(4, 9, 9)
    index_sets.meet(sets, ONE, 4)
    index_sets.meet(sets, 0, OTHER)
    assert sets[1][:, 1 : sets[1][0, 0] + 1].tolist() == [[1, 2, 3], [4, 4, 4]]


def test_what_there_is_no_room_for_is_counted():
    sets = index_sets.new_sets(4, 1, 0)
    assert index_sets.unite(sets, 1, 2) == 5
    assert index_sets.unite(sets, 5, 3) == 6
    assert index_sets.unite(sets, 6, 3) == 7
    assert sets[0][0, 0] == 7
    assert index_sets.unite(sets, 5, 1) == 5
