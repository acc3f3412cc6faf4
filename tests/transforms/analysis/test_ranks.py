"""Which names of generated code hold numbers, and how many dimensions arrays have."""

import gast
import pytest
from numba import types as nb

from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.code import code_of

TEXT = """
def f(x, trace, n):
    a = np.zeros((n, n))
    b = a[1:]
    d = trace.d
    t = a[0, 1] * 2.0
    u = t + n
    w = b[0] * 2.0
    for i in range(n):
        s = a[i, 0]
    return b
"""
KINDS = {
    "a": nb.float64[:, ::1],
    "b": nb.float64[:, ::1],
    "x": nb.float64[::1],
    "n": nb.int64,
    "z": nb.Array(nb.float64, 0, "C"),
}


def known():
    return ranks_of(code_of(TEXT.strip(), KINDS))


def test_numbers_are_found_from_what_is_stored():
    ranks = known().of
    assert ranks["t"] == ranks["u"] == ranks["s"] == ranks["i"] == ranks["n"] == 0
    assert ranks["a"] == 2
    assert "w" not in ranks
    assert "d" not in ranks
    assert "z" not in ranks


def test_functions_of_numbers_are_numbers():
    text = """
def f(x, n):
    s = 1.0
    t = np.divide(s, x[0]) * math.exp(s)
    a = np.exp(x)
    b = np.zeros(n)
    return t
"""
    ranks = ranks_of(code_of(text.strip(), {"x": nb.float64[::1], "n": nb.int64})).of
    assert ranks["t"] == 0
    assert "a" not in ranks
    assert ranks["b"] == 1


@pytest.mark.parametrize(
    ("text", "is_element"),
    [("a[i, n - 1]", True), ("x[0]", True), ("a[i]", False), ("a[1:, 0]", False), ("x[a]", False), ("d[0]", False)],
)
def test_a_subscript_selects_an_element_if_it_has_a_number_for_each_dimension(text, is_element):
    node = gast.parse(text).body[0].value
    parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
    assert known().is_element(node.value.id, parts) is is_element


def test_a_copy_can_learn_of_new_names():
    ranks = known()
    ranks.copy().of["new"] = 0
    assert "new" not in ranks.of
