import itertools

import numpy as np
import pytest

from srcad.distributed.fixed_tree import FixedTree, added, scaled


def in_order(values):
    """The sum by levels, as the tree is drawn."""
    while len(values) > 1:
        values = [added(*values[k : k + 2]) if k + 1 < len(values) else values[k] for k in range(0, len(values), 2)]
    return values[0]


def of_tree(values, order):
    tree, most = FixedTree(), 0
    for index in order:
        tree.put(index, values[index])
        most = max(most, len(tree))
    return tree.total(len(values)), most


@pytest.mark.parametrize("count", range(1, 6))
def test_sums_do_not_depend_on_the_order_of_arrival(count):
    values = [float(each) for each in np.random.default_rng(count).normal(size=count) * 1e8 ** np.arange(count)]
    expected = in_order(values)
    for order in itertools.permutations(range(count)):
        assert of_tree(values, order)[0] == expected


def test_sums_of_many_need_little_memory():
    values = list(np.random.default_rng(1).normal(size=1000))
    total, most = of_tree(values, range(1000))
    assert total == in_order(values)
    assert most <= 10


def test_structures_are_added_leaf_by_leaf():
    one, other = ((1.0, {"w": np.ones(2), "n": None}) for _ in range(2))
    value, gradient = added(one, other)
    assert value == 2.0
    assert gradient["w"].tolist() == [2.0, 2.0]
    assert gradient["n"] is None
    assert scaled(gradient, 0.5)["w"].tolist() == [1.0, 1.0]
    assert one[1]["w"].tolist() == [1.0, 1.0]
