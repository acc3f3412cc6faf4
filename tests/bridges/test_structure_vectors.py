"""Structures as vectors and back, and what is refused."""

from dataclasses import dataclass

import numpy as np
import pytest

import srcad
from srcad.bridges.structure_vectors import StructureVectors


@dataclass
class Model:
    w: np.ndarray
    scale: float
    act: object


def test_a_structure_comes_back_from_its_vector():
    model = Model(np.arange(6.0).reshape(2, 3).T, 7.0, np.tanh)
    form = StructureVectors({"model": model, "rest": (np.array(8.0), [np.ones(0)])})
    assert form.start.tolist() == [0.0, 3.0, 1.0, 4.0, 2.0, 5.0, 7.0, 8.0]
    back = form.structure(form.start)
    assert np.array_equal(back["model"].w, model.w)
    assert (back["model"].scale, back["model"].act) == (7.0, np.tanh)
    assert back["rest"][0].shape == ()
    assert back["rest"][1][0].shape == (0,)


def test_results_are_taken_by_key_and_not_by_order():
    form = StructureVectors({"a": 1.0, "b": 2.0})
    assert form.vector({"b": 4.0, "a": 3.0}).tolist() == [3.0, 4.0]
    assert form.square({"b": {"b": 4.0, "a": 3.0}, "a": {"a": 1.0, "b": 2.0}}).tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("given", [{"a": 1.0}, {"a": 1.0, "c": 2.0}, (1.0, 2.0), {"a": 1.0, "b": np.ones(2)}])
def test_another_structure_is_refused(given):
    with pytest.raises(srcad.BadArgument, match="x0"):
        StructureVectors({"a": 1.0, "b": 2.0}).vector(given)


@pytest.mark.parametrize(
    ("example", "cure"),
    [
        ({"a": 1}, "give a float"),
        ({"a": np.arange(3)}, "astype"),
        ({"a": True}, "args"),
        (np.ones(2, complex), "two real arrays"),
        (np.ones(2, object), "float64"),
        ({}, "give the numbers"),
        ([], "give the numbers"),
        (np.ones(0), "give the numbers"),
    ],
)
def test_what_is_no_unknown_is_refused_with_the_cure(example, cure):
    with pytest.raises(srcad.BadArgument, match=cure):
        StructureVectors(example)


def test_rows_of_numbers_are_vectors_as_for_scipy():
    for example in ([1, 2.0], (1.0, 2.0), np.array([1, 2]), np.array([1, 2], np.float32)):
        form = StructureVectors(example)
        assert form.is_vector
        assert form.start.dtype == np.float64
        assert form.start.tolist() == [1.0, 2.0]


def test_bounds_follow_the_structure():
    form = StructureVectors({"w": np.ones((2, 2)), "b": 1.0, "c": 1.0})
    low, high = form.bounds({"c": (None, None), "w": (np.array([0.0, 1.0]), 5.0), "b": None})
    assert low.tolist() == [0.0, 1.0, 0.0, 1.0, -np.inf, -np.inf]
    assert high.tolist() == [5.0] * 4 + [np.inf] * 2
    assert form.bounds((0.0, None))[0].tolist() == [0.0] * 6
    with pytest.raises(srcad.BadArgument, match="low, high"):
        form.bounds({"w": 3.0, "b": None, "c": None})
