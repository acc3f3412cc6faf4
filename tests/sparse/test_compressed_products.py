"""Matrices from one product for each colour."""

import pickle

import numpy as np
import pytest

from srcad.errors import BadArgument
from srcad.sparse.compressed_products import Compressed, Plan, refuse_pattern

MATRIX = np.array([[1.0, 0.0, 2.0], [0.0, -3.0, 0.0], [0.0, 0.0, np.pi]])


def test_a_matrix_is_read_from_its_products():
    found = Compressed(Plan.of(MATRIX)).matrix(lambda v: MATRIX @ v)
    np.testing.assert_array_equal(found.toarray(), MATRIX)


def test_the_structure_is_that_of_the_plan_and_protected():
    compressed = Compressed(Plan.of(MATRIX))
    one, two = (compressed.matrix(lambda v, k=k: k * MATRIX @ v) for k in (1.0, 2.0))
    assert np.shares_memory(one.indices, two.indices)
    assert not one.indices.flags.writeable
    np.testing.assert_array_equal(two.toarray(), 2.0 * MATRIX)


@pytest.mark.parametrize("size", [1e-7, 1.0, 1e9])
def test_entries_outside_of_the_pattern_are_noticed_in_small_rows_as_well(size):
    compressed, other = Compressed(Plan.of(MATRIX)), MATRIX.copy()
    other[1] *= size
    other[1, 0] = 1e-6 * size
    assert compressed.matrix(lambda v: other @ v) is None


def test_nan_is_a_value():
    other = MATRIX * np.array([1.0, np.nan, 1.0])[:, None]
    found = Compressed(Plan.of(MATRIX)).matrix(lambda v: other @ v)
    assert np.isnan(found[1, 1])
    assert found[0, 2] == 2.0


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_outside_of_the_pattern_are_noticed(value):
    def product(v):
        is_probe = np.all(v != 0.0)
        return MATRIX @ v + np.array([0.0, value if is_probe else 0.0, 0.0])

    assert Compressed(Plan.of(MATRIX)).matrix(product) is None


def test_a_plan_can_be_pickled_and_united():
    plan = pickle.loads(pickle.dumps(Plan.of(np.eye(3))))
    assert (plan.colours, plan.shape) == (1, (3, 3))
    assert plan.united(np.ones((3, 3))).colours == 3


def test_a_plan_can_be_saved(tmp_path):
    plan = Plan.of(MATRIX)
    plan.save(tmp_path / "plan.npz")
    again = Plan.load(tmp_path / "plan.npz")
    found = Compressed(again).matrix(lambda v: MATRIX @ v)
    np.testing.assert_array_equal(found.toarray(), MATRIX)


@pytest.mark.parametrize(
    "changed",
    [
        {"colour_of": np.zeros(3, int)},
        {"colour_of": np.array([0, 0, -1])},
        {"colour_of": np.array([0, 1, 9])},
        {"indices": np.array([0, 2, 1, 3])},
        {"indices": np.array([2, 0, 1, 2])},
        {"indptr": np.array([0, 3, 2, 4])},
        {"indptr": np.array([0, 2, 3, 9])},
        {"indptr": np.array([0.0, 2.0, 3.0, 4.0])},
        {"shape": np.array([2, 3])},
        {"srcad_plan": np.array(0)},
    ],
)
def test_damaged_plans_are_refused(tmp_path, changed):
    plan = Plan.of(MATRIX)
    held = {"shape": plan.shape, "indptr": plan.indptr, "indices": plan.indices, "colour_of": plan.colour_of}
    np.savez(tmp_path / "plan.npz", **{"srcad_plan": 1, **held, **changed})
    with pytest.raises(BadArgument, match=r"no plan of format|damaged"):
        Plan.load(tmp_path / "plan.npz")


def test_an_incomplete_pattern_is_refused():
    with pytest.raises(BadArgument, match="outside of the pattern"):
        refuse_pattern()
