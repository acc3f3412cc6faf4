"""Gradients of gathers hold the rows that were touched, and serve as the whole array."""

import tracemalloc

import numpy as np
import pytest

from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant, convert_to_tensor
from srcad.runtime.tape.values.indexed_slices import IndexedSlices


@pytest.fixture
def table():
    return Variable(np.arange(12.0).reshape(4, 3))


@pytest.mark.parametrize(
    "gather",
    [
        lambda table, ids: table[ids],
        lambda table, ids: table[list(ids)],
        lambda table, ids: table[constant(ids)],
        lambda table, ids: np.take(table, ids, axis=0),
        lambda table, ids: np.take(table, list(ids), 0),
        lambda table, ids: table.take(ids, axis=0),
    ],
)
def test_gathers_of_rows(table, gather):
    with GradientTape() as tape:
        y = np.sum(gather(table, np.array([0, 0, -1])) ** 2)
    gradient = tape.gradient(y, table)
    assert type(gradient) is IndexedSlices
    assert gradient.indices.tolist() == [0, 0, 3]
    assert gradient.values.tolist() == [[0.0, 2.0, 4.0], [0.0, 2.0, 4.0], [18.0, 20.0, 22.0]]
    assert gradient.dense_shape.tolist() == [4, 3]
    whole = [[0.0, 4.0, 8.0], [0.0] * 3, [0.0] * 3, [18.0, 20.0, 22.0]]
    assert np.asarray(gradient).tolist() == convert_to_tensor(gradient).tolist() == whole


def test_indices_of_any_shape_are_flattened(table):
    with GradientTape(persistent=True) as tape:
        y, z = np.take(table, [[0, 1], [1, 2]], axis=0), np.take(table, 2, axis=0)
    gradient = tape.gradient(y, table, output_gradients=np.arange(12.0).reshape(2, 2, 3))
    assert (gradient.indices.shape, gradient.values.shape) == ((4,), (4, 3))
    assert np.asarray(gradient)[1].tolist() == [9.0, 11.0, 13.0]
    single = tape.gradient(z, table)
    assert (single.indices.tolist(), single.values.shape) == ([2], (1, 3))


def test_several_gathers_are_put_behind_each_other(table):
    with GradientTape() as tape:
        y = np.sum(table[[0]]) + np.sum(np.take(table, [1, 0], axis=0) * 2.0)
    gradient = tape.gradient(y, table)
    assert sorted(gradient.indices.tolist()) == [0, 0, 1]
    assert np.asarray(gradient)[:2].tolist() == [[3.0] * 3, [2.0] * 3]


def test_a_gather_beside_another_use_is_dense(table):
    with GradientTape() as tape:
        y = np.sum(table[[0]]) + np.sum(table) + np.sum(table[[1, 1]])
    gradient = tape.gradient(y, table)
    assert type(gradient) is Tensor
    assert gradient[:, 0].tolist() == [2.0, 3.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "use",
    [
        lambda v: v[1],
        lambda v: v[1:3],
        lambda v: np.take(v, [1], axis=1),
        lambda v: v[np.array([True] * 4)],
        lambda v: v[[1], [0]],
    ],
)
def test_other_reads_are_dense(table, use):
    with GradientTape() as tape:
        y = np.sum(use(table) ** 2)
    assert type(tape.gradient(y, table)) is Tensor


def test_of_a_tensor_only_a_taken_part_is_sparse():
    x = constant(np.ones((3, 2)))
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        taken, indexed = np.take(x, [0, 2], axis=0), x[[0, 2]]
    assert type(tape.gradient(taken, x)) is IndexedSlices
    assert tape.gradient(indexed, x).tolist() == [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]


def test_an_intermediate_result_is_dense_on_the_way(table):
    with GradientTape() as tape:
        rows = table * 2.0
        y = np.sum(np.take(rows, [1, 1], axis=0))
    by_rows, by_table = tape.gradient(y, [rows, table])
    assert type(by_rows) is IndexedSlices
    assert by_table[:, 0].tolist() == [0.0, 4.0, 0.0, 0.0]


def test_slices_are_operands(table):
    with GradientTape() as tape:
        y = np.sum(table[[0, 0]])
    gradient = tape.gradient(y, table)
    assert (gradient.shape, gradient.dtype, gradient.ndim, gradient.size) == ((4, 3), np.float64, 2, 12)
    assert (2.0 * gradient)[0].tolist() == [4.0] * 3
    assert np.sqrt(gradient)[3].tolist() == [0.0] * 3
    assert float(np.sum(-gradient)) == -6.0
    assert gradient.numpy()[0].tolist() == [2.0] * 3
    assert "IndexedSlices(indices=" in repr(gradient)
    table.assign_sub(gradient)
    assert table[0].tolist() == [-2.0, -1.0, 0.0]


def test_jacobians_are_dense(table):
    with GradientTape() as tape:
        y = table[[1, 1]] * 2.0
    found = tape.jacobian(y, table)
    assert type(found) is Tensor
    assert found.shape == (2, 3, 4, 3)
    assert found[0, 2, 1, 2] == 2.0


def test_second_derivatives_through_values_and_through_the_whole(table):
    with GradientTape() as outer:
        with GradientTape() as inner:
            y = np.sum(table[[0, 0]] ** 3)
        gradient = inner.gradient(y, table)
        total = np.sum(gradient.values) + np.sum(gradient)
    found = outer.gradient(total, table)
    np.testing.assert_allclose(np.asarray(found)[0], 2.0 * 2.0 * 6.0 * np.arange(3.0))


def test_single_precision_stays_single():
    table = Variable(np.ones((3, 2)), dtype="float32")
    with GradientTape() as tape:
        y = np.sum(table[[0]] * np.array([2.0, 3.0]))
    assert tape.gradient(y, table).values.dtype == np.float32


def test_the_whole_array_of_unknown_length_is_refused():
    slices = IndexedSlices([1.0], [0])
    assert slices.dense_shape is None
    with pytest.raises(ValueError, match="dense_shape"):
        np.asarray(slices)


def test_the_gradient_of_a_large_table_takes_no_memory_of_its_size():
    table = Variable(np.ones((200_000, 8)))
    ids = np.arange(16)
    with GradientTape() as tape:
        y = np.sum(table[ids] ** 2)
    tracemalloc.start()
    gradient = tape.gradient(y, table)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert gradient.values.shape == (16, 8)
    assert peak < 200_000


def test_a_kernel_of_a_rule_gets_the_whole_adjoint_as_an_array():
    x = Variable(np.array([3.0, 1.0, 2.0]))
    with GradientTape() as tape:
        y = np.sum(np.sort(x)[np.array([0, 1, 1])] * np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [0.0, 1.0, 5.0])
