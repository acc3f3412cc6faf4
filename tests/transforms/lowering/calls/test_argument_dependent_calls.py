"""Methods and functions that are spelled as others mean what they mean."""

import numpy as np
import pytest
from numba import types
from numba.typed import Dict, List

import srcad
from srcad.errors import MissingRule, UnsupportedSyntax
from tests.checking import assert_gradient
from tests.lowering import assert_same, text_of

X = np.array([[0.5, -1.5, 2.0], [3.0, -0.25, 1.0]])


def test_items_are_elements():
    assert_same(lambda x: x.item(4) + x.item(1, 2) * x.item((0, 1)) + x[:1, :1].item() + x.sum().item(), (X,))
    assert_same(lambda x: x.item(), (X,), (X[:1, 2:],))  # the first raises what NumPy raises


def test_tolist_gives_a_list_of_numbers():
    def f(x):
        numbers = x[0].tolist()
        x[0] = 0.0
        whole = numbers + [row.tolist()[1] for row in x]
        return sum(whole), len(whole), whole[::-1][0], max(x.ravel().tolist()), sum(v * v for v in x[1].tolist())

    assert_same(f, (X,))
    srcad.check_grads(lambda x: sum(f(x.copy())), (X,), jit=False)


def test_tolist_of_a_matrix_is_refused():
    with pytest.raises(MissingRule, match=r"tolist[^!]*call it for each row"):
        srcad.grad(lambda x: x.tolist()[0][1], jit=False)(X)


@pytest.mark.parametrize("order", [1, 2, -1, np.inf, "fro", None])
def test_norms_keep_their_order(order):
    def f(x):
        return np.linalg.norm(x, order) + np.linalg.norm(x, ord=order)

    np.testing.assert_allclose(np.linalg.norm(X, order) * 2, core(f, X), rtol=1e-14)


def core(f, *arguments):
    from tests.lowering import core_of

    return core_of(f)[0](*arguments)


def test_pieces_are_computed_where_they_are_meant():
    def f(x):
        return np.piecewise(x, [x < 0.0, x > 1.0], [lambda v: v * v, np.sqrt, 7.0])

    def shifted(x, by):
        return np.piecewise(x, [x < 0.0, x < 1.0], [-1.0, lambda v, k: v - k], by)

    assert_same(f, (X,), (X[0],), (np.zeros(0),))
    assert_same(shifted, (X, 2.0))


def test_as_many_functions_as_conditions():
    with pytest.raises(UnsupportedSyntax, match="does not fit the number of conditions"):
        text_of(lambda x: np.piecewise(x, [x > 0], [1.0, 2.0, 3.0]))


def test_index_expressions_are_indices():
    assert_same(lambda x: x[np.s_[1, ::-1]], (X,))
    assert_same(lambda x: x[np.index_exp[1:]], (X,))


@pytest.mark.parametrize("where", [np.array([0, 1, 1]), np.array([True, False, True])])
def test_repeated_places_are_written_in_turn(where):
    def f(x, places):
        a = x[0] + 2.0
        np.multiply.at(a, places, x[1, 1])
        np.divide.at(a, places, 3.0)
        np.maximum.at(a, places, 1.0)
        np.minimum.at(a, places, 4.0)
        np.power.at(a, places, 2.0)
        np.negative.at(a, places)
        return a

    assert_same(f, (X, where))


def filled(x):
    values = List.empty_list(types.float64)
    for v in x:
        values.append(v * v)
    values[1] = 2.0 * values[0]
    named = Dict.empty(types.unicode_type, types.float64)
    named["last"] = values[-1]
    again = List([x[0], named["last"]])
    total = 0.0
    for v in values:
        total += v
    return total * again[1] + len(again)


@pytest.mark.slow
def test_lists_and_dictionaries_of_numba_are_lists_and_dictionaries():
    x = np.array([2.0, 3.0, 0.5])
    assert core(filled, x) == filled(x)


def shaped(x):
    y = np.zeros_like(x, shape=(1,), dtype=None)
    y[0] = 2.0 * x[0]
    z = np.full_like(shape=len(x) - 1, fill_value=3.0, a=x) * x[1:] + np.ones_like(a=x)[1:]
    return np.sum(x * y) + np.sum(z * z)


def test_arrays_like_others_may_have_a_shape_of_their_own():
    x = np.array([0.3, 0.5, 0.7])
    assert_gradient(shaped, x, modes=("arrays", "loops", "tangent"))
    text = text_of(shaped)
    assert "np.zeros(" in text
    assert "_like(x" in text
