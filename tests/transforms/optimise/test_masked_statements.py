"""Statements by one mask become one loop nest with a branch, unless something keeps them apart."""

import numpy as np
import pytest

import srcad
from srcad.printing.printer import print_function
from srcad.runtime.support.assumption_errors import Widens
from tests.checking import assert_gradient
from tests.transforms.core_text import body_of, numeric, settled, unit_after

X = np.array([0.5, -1.5, 2.0, 0.25, 3.0])
W = np.array([1.5, 0.5, -2.0, 4.0, 1.0])
MASKS = [np.array([True, False, True, True, False]), np.zeros(5, np.bool_), np.ones(5, np.bool_)]


def nests(text, signature, *args):
    """The text of the nests, which give what NumPy gives."""
    unit = unit_after("elementwise_fusion", *settled(text, signature), assumes=True).unit
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    expected = numeric(text, "f")(*(np.copy(each) for each in args))
    np.testing.assert_array_equal(namespace["f"](*(np.copy(each) for each in args)), expected)
    return body_of(unit)


@pytest.mark.parametrize("m", MASKS)
def test_loads_operations_stores_and_sums_by_one_mask_are_one_nest(m):
    text = """
def f(x, y, m):
    t = x[m]
    u = t * t
    y[m] = u
    v = y[m]
    w = v + t
    s = np.sum(w)
    a = np.sum(t)
    b = s + a
    return b
"""
    found = nests(text, "f8[:], f8[:], b1[:]", X, W, m)
    assert found.count("for ") == 1
    assert "[m]" not in found


@pytest.mark.parametrize("m", MASKS[::2])
def test_a_mean_counts_what_is_selected(m):
    text = """
def f(x, m):
    t = x[m]
    s = np.mean(t)
    return s
"""
    assert nests(text, "f8[:], b1[:]", X, m).count("for ") == 1


def test_a_mask_that_only_these_statements_ask_needs_no_array():
    text = """
def f(x, y):
    c = x > y
    d = ~c
    y[d] = 0.5
    e = x > y
    g = ~e
    t = x[g]
    y[g] = t
    return y
"""
    assert "np.empty" not in nests(text, "f8[:], f8[:]", X, W)


def test_masks_of_the_same_value_are_one():
    text = """
def f(x, y, m):
    a = ~m
    t = x[a]
    b = ~m
    u = t * 2.0
    y[b] = u
    return y
"""
    found = nests(text, "f8[:], f8[:], b1[:]", X, W, MASKS[0])
    assert found.count("for ") == 1
    assert "np.empty" not in found


SEPARATE = [
    # the mask changes
    ("y[m] = 1.0", "m[0] = False", "y[m] = 2.0"),
    ("y[m] = 1.0", "m[m] = False", "y[m] = 2.0"),
    # what is loaded changes
    ("t = x[m]", "x[0] = 9.0", "y[m] = t"),
    # other elements are read of what is stored
    ("v = x[::-1]", "t = v[m]", "x[m] = t"),
    ("x[m] = 1.0", "z = x * 2.0", "x[m] = 3.0", "y[...] = z"),
]


@pytest.mark.parametrize("lines", SEPARATE)
@pytest.mark.parametrize("m", MASKS[:1])
def test_what_lies_between_keeps_its_place(lines, m):
    text = "\n".join(["def f(x, y, m):", *(f"    {each}" for each in lines), "    r = x + y", "    return r"])
    nests(text, "f8[:], f8[:], b1[:]", X, W, m)


def test_a_load_that_is_used_as_an_array_is_one():
    text = """
def f(x, y, m):
    t = x[m]
    u = t * t
    y[m] = u
    c = np.cumsum(t)
    s = np.sum(c)
    return s
"""
    assert "x[m]" in nests(text, "f8[:], f8[:], b1[:]", X, W, MASKS[0])


def test_rows_are_selected_by_a_mask_of_the_leading_axis():
    text = """
def f(a, b, m):
    t = a[m]
    u = t * 2.0
    b[m] = u
    b[m] += 1.0
    return b
"""
    found = nests(text, "f8[:, :], f8[:, :], b1[:]", np.outer(X, W), np.outer(W, X), MASKS[0])
    assert found.count("for ") == 2


def test_a_mask_of_another_shape_is_found_when_extents_are_taken_to_be_equal():
    unit = unit_after(
        "elementwise_fusion", *settled("def f(x, m):\n    x[m] = 1.0\n    return x", "f8[:], b1[:]"), assumes=True
    ).unit
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    with pytest.raises(Widens):
        namespace["f"](np.ones(4), MASKS[0])


def set_to_one(x, m):
    y = x.copy()
    y[m] = 1.0
    return np.sum(y * x)


@pytest.mark.compiled
@pytest.mark.parametrize("shapes", [((5,), (4,)), ((5,), (1,)), ((3, 2), (3, 1)), ((3, 2), (2,)), ((1,), (3,))])
def test_a_mask_of_another_shape_is_an_index_error(shapes):
    x, m = np.ones(shapes[0]), np.ones(shapes[1], np.bool_)
    with pytest.raises(IndexError):
        set_to_one(x, m)
    with pytest.raises(IndexError):
        srcad.grad(set_to_one)(x, m)
    with pytest.raises(IndexError):
        srcad.grad(set_to_one, boundscheck=False)(x, m)


def broadcast_mask(x, r, c):
    y = x.copy()
    m = r[:, None] > c
    y[m] = y[m] ** 2
    return np.sum(y) + np.sum((y * r[:, None])[m])


@pytest.mark.compiled
@pytest.mark.parametrize("extents", [(4, 3), (1, 3), (4, 1)])
def test_masks_from_arrays_that_are_broadcast(extents):
    x, r, c = np.linspace(-1.0, 1.0, 12).reshape(4, 3), np.linspace(-0.5, 1.0, 4), np.array([0.1, -0.2, 0.3])
    assert_gradient(broadcast_mask, x, r[: extents[0]] if extents[0] == 4 else np.full(4, 0.2), c, modes=("compiled",))


def escape_time(cr, ci):
    c = cr + 1j * ci
    z = np.zeros(c.shape, dtype=np.complex128)
    done = np.zeros(c.shape, dtype=np.bool_)
    for _ in range(4):
        z[~done] = z[~done] * z[~done] + c[~done]
        done = np.abs(z) > 1.0
    return np.sum(np.abs(z) ** 2)


def test_complex_numbers_by_masks():
    assert_gradient(escape_time, np.linspace(-1.2, 0.4, 6), np.linspace(0.1, 0.9, 6))


def single_precision(x, m):
    y = x.copy()
    y[m] = x[m] * x[m]
    y[~m] *= np.float32(0.5)
    return np.sum(y * y)


@pytest.mark.compiled
def test_single_precision_stays():
    x = X.astype(np.float32)
    found = srcad.grad(single_precision)(x, MASKS[0])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.where(MASKS[0], 4.0 * x**3, 0.5 * x), rtol=1e-6)
