"""Definitions of functions with keys: they do what Python's functions do."""

import operator

import numpy as np
import pytest

from srcad.runtime.kernels.arrays import order_and_selection as own

ROWS = [(1, 2.0), (0, 5.0), (1, 1.0), (0, 5.0), (2, -1.0)]


@pytest.mark.parametrize("key", [operator.itemgetter(0), operator.itemgetter(1), lambda row: row])
@pytest.mark.parametrize("reverse", [False, True])
def test_order_is_that_of_python(key, reverse):
    assert own.ranked_by(ROWS, key, reverse) == sorted(ROWS, key=key, reverse=reverse)
    assert own.largest_by(ROWS, key) == max(ROWS, key=key)
    assert own.smallest_by(ROWS, key) == min(ROWS, key=key)


def test_getters_are_those_of_operator():
    row = {"a": 1.0, "b": 2.0}
    assert own.item_of("a", row) == operator.itemgetter("a")(row)
    assert own.items_at(("b", "a"), row) == operator.itemgetter("b", "a")(row)
    assert own.attribute_at(("T", "shape"), np.ones((2, 3))) == operator.attrgetter("T.shape")(np.ones((2, 3)))
    assert own.attributes_at((("ndim",), ("size",)), np.ones(3)) == operator.attrgetter("ndim", "size")(np.ones(3))
    assert (own.entry_at(row, "c", 3.0), own.item_at([1.0], 0), own.itself(2.0)) == (3.0, 1.0, 2.0)
