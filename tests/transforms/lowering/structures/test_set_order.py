"""The order of a set is that of CPython wherever it is said to be certain."""

import random

import pytest

from srcad.transforms.lowering.structures.set_order import visited


@pytest.mark.parametrize("seed", range(60))
def test_a_certain_order_is_that_of_a_set_however_it_was_made(seed):
    draw = random.Random(seed)
    elements = draw.sample([*range(-3, 40), 0.5, 2.25, (1, 2), 1 + 2j], draw.randint(0, 7))
    order = visited(elements, False)
    backwards = elements[::-1]
    ways = [
        set(elements),
        set(backwards),
        set(dict.fromkeys(elements)),
        set(frozenset(elements)),
        set(elements).copy(),
    ]
    added = set()
    for each in elements:
        added.add(each)
    found = {tuple(each) for each in (*ways, added)}
    assert order is None or found == {tuple(order)}
    if len(found) > 1:
        assert order is None


def test_small_integers_are_certain_and_what_was_removed_is_not():
    assert visited([4, 0, 7, 2], False) == [0, 2, 4, 7]
    assert visited([4, 0], True) is None
    assert visited([4], True) == [4]
    assert sorted(visited(["b", "a", "c"], True)) == ["a", "b", "c"]
