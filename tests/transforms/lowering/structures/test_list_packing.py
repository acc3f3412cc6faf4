"""Lists of equal elements as arrays, and back."""

import numpy as np
import pytest

from srcad.transforms.ir.pytree_form import LEAF, Form
from srcad.transforms.lowering.structures.list_packing import Column, Layout, column_of, share_memory, unpacked


@pytest.mark.parametrize(
    ("leaves", "column", "count"),
    [
        ([1.0, np.float64(2.0)], Column("d", 0), 1),
        ([1, 2], Column("q", 0), 1),
        ([np.ones(2), np.zeros(2)], Column("d", 1), 1),
        ([np.ones((2, 1)), np.zeros((0, 3))], Column("d", 2, False), 3),
    ],
)
def test_columns_come_back(leaves, column, count):
    made, arrays = column_of(leaves)
    assert (made, made.code) == (column, column.code)
    assert len(arrays) == count
    back = unpacked(Layout(list, LEAF, (made,)), [len(leaves), *arrays])
    for one, other in zip(back, leaves, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("leaves", [[1.0, 2], [1.0, np.ones(2)], [np.ones(2), np.ones((2, 1))], ["a", "b"], [2**70, 1]])
def test_several_kinds_are_no_column(leaves):
    assert column_of(leaves) is None


def test_axes_in_front_belong_to_each_element():
    layout = Layout(list, Form(tuple, (0, 1), (LEAF, LEAF)), (Column("d", 0), Column("d", 1, False)))
    block = np.arange(6.0).reshape(2, 3)
    (first, one), (second, other) = unpacked(layout, [2, block[:, :2], block, np.array([0, 1, 3])])
    np.testing.assert_array_equal(first, [0.0, 3.0])
    np.testing.assert_array_equal(second, [1.0, 4.0])
    assert [one.shape, other.shape] == [(2, 1), (2, 2)]


def test_memory_in_common_is_seen_among_many():
    x = np.zeros((40, 3))
    assert not share_memory([x[:, 0], x[:, 1], *x[:, 2:]])
    assert share_memory([*x, x[7, 1:]])
    assert not share_memory([x[:0], x])
