"""Plans: the way with the fewest sweeps, and files."""

import pickle

import numpy as np
import pytest

from srcad.errors import BadArgument
from srcad.sparse.plans import Plan

MATRIX = np.array([[1.0, 0.0, 2.0], [0.0, -3.0, 0.0], [0.0, 0.0, np.pi]])
BAND = sum(np.eye(9, k=k) for k in range(-2, 3))


def test_the_way_with_the_fewest_sweeps_is_taken():
    row = np.eye(9)
    row[0] = 1.0
    assert Plan.of(row).colours == 9
    assert Plan.of(row, ("columns", "rows")).colours == 2
    assert Plan.of(row.T, ("columns", "rows")).way == "columns"
    assert Plan.of(row, ("columns", "symmetric")).shape == (9, 9)
    assert Plan.of(row, ("columns", "symmetric")).pattern.toarray()[:, 0].all()
    assert Plan.of(np.ones((4, 4)), ("columns", "rows", "symmetric")).way == "columns"


def test_a_plan_can_be_pickled_and_united():
    plan = pickle.loads(pickle.dumps(Plan.of(np.eye(3))))
    assert (plan.colours, plan.shape) == (1, (3, 3))
    assert plan.united(np.ones((3, 3))).colours == 3


def test_a_plan_can_be_saved(tmp_path):
    arrow = np.eye(6)
    arrow[0] = 2.0
    for pattern, way in ((MATRIX, "columns"), (arrow, "rows"), (arrow + arrow.T, "symmetric"), (BAND, "acyclic")):
        plan = Plan.of(pattern, ("columns", way))
        plan.save(tmp_path / "plan.npz")
        again = Plan.load(tmp_path / "plan.npz")
        assert (again.way, again.shape, again.colours) == (way, plan.shape, plan.colours)
        np.testing.assert_array_equal(again.pattern.toarray(), pattern != 0.0)


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
        {"way": np.array(1), "colour_of": np.zeros(3, int)},
        {"way": np.array(2), "colour_of": np.zeros(3, int)},
        {"way": np.array(3), "colour_of": np.array([0, 1, 2])},
        {"way": np.array(7)},
    ],
)
def test_damaged_plans_are_refused(tmp_path, changed):
    plan = Plan.of(MATRIX)
    held = {"shape": plan.shape, "indptr": plan.indptr, "indices": plan.indices, "colour_of": plan.colour_of}
    np.savez(tmp_path / "plan.npz", **{"srcad_plan": 1, "way": 0, **held, **changed})
    with pytest.raises(BadArgument, match=r"no plan of format|damaged"):
        Plan.load(tmp_path / "plan.npz")


@pytest.mark.parametrize(
    "colours", [[0, 1, 0, 1, 0, 1, 0, 1, 0], [0, 1, 2, 2, 1, 0, 0, 1, 2], [0, 1, 2, 0, 1, 2, 0, 1, 2]]
)
def test_acyclic_plans_are_checked(tmp_path, colours):
    plan = Plan.of(BAND, ("acyclic",))
    held = {"shape": plan.shape, "indptr": plan.indptr, "indices": plan.indices, "colour_of": np.array(colours)}
    np.savez(tmp_path / "plan.npz", srcad_plan=1, way=3, **held)
    if colours == plan.colour_of.tolist():
        assert Plan.load(tmp_path / "plan.npz").way == "acyclic"
        return
    with pytest.raises(BadArgument, match="damaged"):
        Plan.load(tmp_path / "plan.npz")
