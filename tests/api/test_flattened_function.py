"""A function of structures as a function of their leaves."""

import numpy as np

from srcad.api.flattened_function import Flat, plain
from srcad.frontend.load_source import signature_of
from srcad.frontend.lower import prepare
from srcad.transforms.ir.pytree_form import LEAF, Fixed, Form


def weighted(p, x, f):
    return f(p["w"] * x) + p["b"][0]


FORMS = {"p": Form(dict, ("w", "b"), (LEAF, Form(tuple, (0,), (LEAF,)))), "x": LEAF, "f": Fixed(np.sin)}


def test_leaves_are_parameters_and_what_is_known_is_none():
    flat = Flat(weighted, FORMS)
    assert str(signature_of(flat)) == "(p_w, p_b_0, x)"
    assert flat(2.0, 1.0, 3.0) == np.sin(6.0) + 1.0


def test_names_of_leaves_give_way_to_parameters():
    flat = Flat(lambda p, p_w: p["w"] * p_w, {"p": Form(dict, ("w",), (LEAF,)), "p_w": LEAF})
    assert list(flat.__signature__.parameters) == ["p_w_2", "p_w"]
    assert flat(2.0, 5.0) == 10.0


def test_lowering_takes_the_forms_and_writes_known_functions_in():
    unit = prepare(Flat(weighted, FORMS))
    assert unit.parameters == ("p_w", "p_b_0", "x")
    assert "f" not in unit.bindings


def test_results_are_numbers_arrays_and_tuples():
    assert plain({"a": [1.0, None], "b": ("text", 2.0)}) == ((1.0, 0), (0, 2.0))
