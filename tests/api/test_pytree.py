"""Structures are taken apart into leaves and a form that can be compared."""

from collections import deque, namedtuple
from dataclasses import dataclass

import numpy as np
import optree
import pytest

import srcad
from srcad.api.pytree import form_of, is_leaf, take_apart
from srcad.errors import NotDifferentiable
from srcad.transforms.ir.pytree_form import LEAF

Pair = namedtuple("Pair", ("left", "right"))


@dataclass
class Layer:
    w: np.ndarray
    b: float


class Model:
    def __init__(self, layer, rate):
        self.layer, self.rate = layer, rate


W = np.ones((2, 3))


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (1.5, 1),
        ((1.5, [W, {"b": 2.0, "a": 3.0}]), 4),
        (Pair(W, None), 2),
        (Layer(W, 0.5), 2),
        (Model(Layer(W, 0.5), 2.0), 3),
    ],
)
def test_leaves_go_back_where_they_were(data, count):
    leaves, spec = take_apart(data)
    assert len(leaves) == count
    again, same = take_apart(spec.unflatten(leaves))
    assert same == spec
    assert all(one is other for one, other in zip(leaves, again, strict=True))


def test_dictionaries_keep_the_order_of_their_keys():
    leaves, spec = take_apart({"b": 1.0, "a": 2.0})
    assert leaves == [1.0, 2.0]
    assert spec != take_apart({"a": 1.0, "b": 2.0})[1]


def test_what_is_a_leaf():
    assert [is_leaf(each) for each in (1.5, W, (1.5,), {"a": 1.0}, Layer(W, 0.5))] == [True, True, False, False, False]


def test_the_form_of_a_leaf_and_of_a_structure():
    leaves, spec = take_apart(2.0)
    assert form_of(spec, iter(leaves), "x") is LEAF
    leaves, spec = take_apart((2.0, {"k": W}))
    form = form_of(spec, iter(leaves), "x")
    assert form.type is tuple
    assert form is not LEAF
    leaves, spec = take_apart((deque([1.0]),))
    with pytest.raises(NotDifferentiable, match="deque"):
        form_of(spec, iter(leaves), "x")


def test_attributes_are_read_and_not_what_a_user_has_registered_for_other_purposes():
    class Scaled:
        def __init__(self, width):
            self.width = width

    everywhere = optree.registry.__dict__["__GLOBAL_NAMESPACE"]
    optree.register_pytree_node(
        Scaled, lambda one: ((one.width**2,), None, ("width",)), lambda _, parts: Scaled(parts[0]), namespace=everywhere
    )
    value, gradient = srcad.value_and_grad(lambda ones: 3.0 * ones[0].width, jit=False)([Scaled(2.0)])
    assert (value, gradient[0].width) == (6.0, 3.0)
