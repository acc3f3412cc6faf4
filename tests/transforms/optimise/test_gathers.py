"""Gathers are fused with what uses their elements, integers and conversions with them."""

import numba
import numpy as np
import pytest

import srcad
from srcad.printing.printer import print_function
from srcad.transforms.optimise.elementwise_statements import is_fusible
from srcad.transforms.optimise.gathers import checked_indices
from tests.checking import UNCOMPILED, assert_gradient
from tests.transforms.core_text import at_line, body_of, numeric, program_of, settled, unit_after

X = np.array([0.5, -1.5, 2.0, 0.25, 3.0])
A = np.arange(12.0).reshape(3, 4) ** 1.5
PLACES = [np.array([4, 0, 0, -1, 2]), np.array([-5]), np.zeros(0, np.int64)]


def fused(text, signature, passes="elementwise_fusion"):
    return unit_after(passes, *settled(text, signature), assumes=True).unit


def same(text, signature, *args, passes="elementwise_fusion"):
    """The text of the nests, which give what NumPy gives."""
    unit = fused(text, signature, passes)
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    expected = numeric(text, "f")(*(np.copy(each) for each in args))
    np.testing.assert_array_equal(namespace["f"](*(np.copy(each) for each in args)), expected)
    return body_of(unit)


@pytest.mark.parametrize("k", PLACES)
def test_a_gather_its_index_and_what_uses_it_are_one_nest_without_arrays(k):
    text = """
def f(x, k):
    j = k + 1
    m = j - 1
    a = x[m]
    s = np.sum(a)
    return s
"""
    found = same(text, "f8[:], i8[:]", X, k)
    assert found.count("for ") == 1
    assert "np.empty" not in found


@pytest.mark.parametrize("p", [np.array([0.2, 3.9, 1.0, -0.7]), np.array([-1.0]), np.zeros(0)])
def test_places_that_are_computed_need_no_array(p):
    """Negative ones count from the end, as in the array."""
    text = """
def f(x, p):
    t = np.floor(p)
    k = np.astype(t, np.int64)
    w = p - k
    a = x[k]
    b = w * a
    s = np.sum(b)
    return s
"""
    found = same(text, "f8[:], f8[:]", X, p)
    assert found.count("for ") == 1
    assert "np.empty" not in found


@pytest.mark.parametrize("line", ["m = np.clip(t, 0, 4)", "m = np.minimum(t, 4)", "m = t // 3", "m = t % 5", "m = -t"])
@pytest.mark.parametrize("k", [np.array([-2, 0, 1, 4, 2]), np.zeros(0, np.int64)])
def test_arithmetic_of_places_is_that_of_arrays(line, k):
    text = f"""
def f(x, k):
    t = k * 1
    {line}
    a = x[m]
    return a
"""
    found = same(text, "f8[:], i8[:]", X, k)
    assert found.count("for ") == found.count("np.empty") == 1


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("a = A[k, m]", ([0, 2, -1], [3, 3, 0])),
        ("a = A[k, 1]", ([0, 2, -1], [0])),
        ("a = A[n, m]", ([0], [-4, 3, 1, 1])),
    ],
)
def test_each_axis_has_an_index_of_its_own(line, places):
    text = f"""
def f(A, k, m, n):
    {line}
    b = a * 2.0
    return b
"""
    assert same(text, "f8[:, :], i8[:], i8[:], i8", A, *map(np.array, places), 1).count("for ") == 1


def test_indices_are_broadcast():
    text = """
def f(A, k, m):
    c = k[:, None]
    a = A[c, m]
    b = a * 2.0
    return b
"""
    same(text, "f8[:, :], i8[:], i8[:]", A, np.array([2, 0]), np.array([1, 1, 3]))


@pytest.mark.parametrize(
    "lines",
    [
        ("x[...] = a",),
        ("b = a[1:]", "x[1:] = b"),
        ("x[...] += a",),
        ("b = a[:3]", "x[::2] = b"),
        ("x[0] = 9.0", "x[...] = a"),
        ("b = a * 2.0", "x[...] = b"),
    ],
)
def test_elements_are_read_before_they_are_overwritten(lines):
    text = "\n".join(["", "def f(x, k):", *(f"    {each}" for each in ("a = x[k]", *lines, "return x")), ""])
    same(text, "f8[:], i8[:]", X, np.array([4, 0, 0, -1, 2]))


def test_an_array_that_changes_before_its_elements_are_used_is_read_in_time():
    text = """
def f(x, k):
    a = x[k]
    x[0] = 7.0
    b = a * 2.0
    return b
"""
    same(text, "f8[:], i8[:]", X, np.array([0, 0, 3]))


def test_elements_of_what_is_fused_itself_are_read_from_an_array():
    text = """
def f(x, k):
    y = x * 2.0
    a = y[k]
    b = a + y
    return b
"""
    assert "y = np.empty" in same(text, "f8[:], i8[:]", X, np.array([1, 0, 4, 3, 2]))


@pytest.mark.parametrize("operation", ["np.exp(x)", "np.sqrt(w)", "1.0 / w"])
def test_a_gather_stays_out_of_nests_that_compute_several_elements_at_once(operation):
    text = f"""
def f(x, k, w):
    e = {operation.replace("1.0", "x")}
    a = x[k]
    b = e * a
    return b
"""
    assert "a = np.empty" in same(text, "f8[:], i8[:], f8[:]", X, np.array([1, 0, 4, 3, 2]), X**2)


LEFT = [
    "t = A[k]",  # rows
    "t = A[:, k]",
    "t = A[k, 1:]",
    "t = x[None, k]",
    "t = x[q]",  # truth values
    "t = h * h",  # 32 bits: what overflows wraps around
    "t = k // k",  # which Python refuses for 0
    "t = k % k",
    "t = k // -2",
    "t = k ** 2",
    "t = k & k",
    "t = np.astype(x, np.int32)",
    "t = np.astype(z, np.complex128)",
]


@pytest.mark.parametrize("line", LEFT)
def test_other_indices_and_integers_are_left_alone(line):
    text = f"\ndef f(x, A, k, h, z, q):\n    {line}\n    return t\n"
    program = program_of(text, "f8[::1], f8[:, ::1], i8[::1], i4[::1], c16[::1], b1[::1]")
    assert not is_fusible(program, at_line(program.unit, 2))


def test_checks_of_all_indices_are_told_from_other_statements():
    program = program_of("\ndef f(x, k):\n    t = x[k]\n    return t\n", "f8[::1], i8[::1]")
    assert checked_indices(at_line(program.unit, 2)) is None


CHECKED = """
def f(x, p):
    k = np.astype(p, np.int64)
    a = x[k]
    m = k + 1
    b = x[m]
    c = a * b
    return c
"""


def test_indices_are_checked_one_by_one():
    found = same(CHECKED, "f8[:], f8[:]", X, np.array([0.1, 3.2]), passes=("bounds_checks", "elementwise_fusion"))
    assert found.count("kernels.check_index(") == 2
    assert "check_indices" not in found


@pytest.mark.parametrize("p", [[0.1, 4.0], [5.0, 0.0], [-6.0, 0.0]])
def test_an_index_out_of_range_is_reported(p):
    unit = fused(CHECKED, "f8[:], f8[:]", ("bounds_checks", "elementwise_fusion"))
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    with pytest.raises(IndexError, match="index is out of range"):
        namespace["f"](X, np.array(p))


@pytest.mark.parametrize("between", ["y = np.linalg.solve(A, x)", "y = np.linalg.inv(A)", "y = 1 // n"])
def test_a_check_does_not_move_past_what_may_raise(between):
    text = f"""
def f(x, p, A, n):
    k = np.astype(p, np.int64)
    a = x[k]
    {between}
    b = a * 2.0
    return b
"""
    found = body_of(fused(text, "f8[:], f8[:], f8[:, :], i8", ("bounds_checks", "elementwise_fusion")))
    assert "check_indices(k" in found


def interpolated(x, t):
    """Linear interpolation in a table, at repeated places as well."""
    p = x * (t.size - 1)
    k = np.floor(p).astype(int)
    w = p - k
    v = (1.0 - w) * t[k] + w * t[k + 1]
    return np.sum(v * v * v)


def bounded(x, low, high):
    """Of arrays and of numbers; crossed bounds and NaN are NumPy's."""
    y = np.clip(x, low, high) * x
    for i in range(x.size):
        y[i] = y[i] + np.clip(x[i], low, high) * np.clip(i, 1, 2)
    return np.sum(y * y)


def of_number(x, low, high):
    return np.clip(x, low, high)


def test_clip_of_arrays_and_of_numbers():
    for low, high in ((-1.0, 2.5), (1.0, -1.2)):
        assert_gradient(bounded, X, low, high, modes=UNCOMPILED)
    gradient = srcad.grad(bounded, jit=True)(X, -1.0, 2.5)
    np.testing.assert_allclose(gradient, srcad.grad(bounded, jit=False)(X, -1.0, 2.5), rtol=1e-13)
    number = numba.njit(of_number)
    for each in (0.5, -2.0, np.nan):
        for bounds in ((0.0, 1.0), (1.0, 0.0)):
            np.testing.assert_array_equal(number(each, *bounds), np.clip(each, *bounds))


def wide(x, k, w):
    a = x[k - 1] * w
    return np.sum(a * a)


def test_gradients_through_gathers():
    """Of a table, of places outside of it, and of operands that are broadcast although they were assumed not to be."""
    x, t = np.array([0.1, 0.52, 0.1, 0.97, 0.33]), np.array([0.3, -1.0, 2.0, 0.7])
    assert_gradient(interpolated, x, t, modes=(*UNCOMPILED, "compiled"))
    column = np.array([[1], [5], [1]])
    assert_gradient(wide, X, column, np.arange(1.0, 13.0).reshape(3, 4), modes=UNCOMPILED)
    for jit in (False, True):
        gradient = srcad.grad(interpolated, wrt=(0, 1), jit=jit)
        assert [each.tolist() for each in gradient(np.zeros(0), t)] == [[], [0.0] * 4]
        for outside in (1.2, -2.0):
            with pytest.raises(IndexError, match="out of"):
                gradient(np.array([0.1, outside]), t)
        with pytest.raises(IndexError, match="out of"):
            srcad.grad(wide, wrt=0, jit=jit)(X, np.array([[9]]), np.zeros((1, 0)))
