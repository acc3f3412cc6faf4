"""Every array name leads to the memory that it may reach."""

import gast
import numpy as np
import pytest

import srcad
from srcad.transforms.analysis.aliases import is_basic
from tests.transforms.core_text import program_of, typed


def facts(text, signature="f8[::1], f8[::1], i8"):
    return program_of(text, signature).aliases


@pytest.mark.parametrize("view", ["x[1:]", "x[None]", "x[...]", "np.transpose(x)", "np.reshape(x, (2, -1))"])
def test_a_view_reaches_the_memory_of_its_base(view):
    found = facts(f"""
def f(x, y, n):
    v = {view}
    return v
""")
    assert found.of["v"] == {"x"}
    assert found.may_alias("v", "x")
    assert not found.may_alias("v", "y")


@pytest.mark.parametrize("made", ["x * 2.0", "np.copy(x)", "np.zeros_like(x)", "x[k]", "np.sin(x)"])
def test_a_new_array_has_memory_of_its_own(made):
    found = facts(f"""
def f(x, y, n):
    k = np.arange(n)
    v = {made}
    return v
""")
    assert found.of["v"] == {"v"}


@pytest.mark.parametrize(("made", "base"), [("np.nonzero(x)", "v"), ("divmod(n, 2)", "m"), ("slice(0, n)", "m")])
def test_an_index_that_is_a_tuple_is_what_is_in_it(made, base):
    found = facts(
        f"""
def f(x, m, n):
    k = {made}
    v = m[k]
    return v
""",
        "f8[::1], f8[:, :, ::1], i8",
    )
    assert found.of["v"] == {base}


def test_a_view_of_a_view_reaches_the_first_base():
    found = facts("""
def f(x, y, n):
    v = x[1:]
    w = v[1:]
    w[0] = 1.0
    return v
""")
    assert found.of["w"] == {"x"}
    assert found.written == {"x"}
    assert found.is_written("v")


def test_a_name_that_two_branches_store_may_reach_either_array():
    found = facts("""
def f(x, y, n):
    c = n > 0
    if c:
        v = x[1:]
    else:
        v = y[1:]
    return v
""")
    assert found.of["v"] == {"x", "y"}


def test_buffers_that_a_loop_swaps_may_both_be_either():
    found = facts("""
def f(x, y, n):
    a = x
    b = y
    for i in range(0, n, 1):
        t = a
        u = b
        a = u
        b = t
    return x
""")
    assert found.of["a"] == found.of["b"] == {"x", "y"}


@pytest.mark.parametrize(
    ("index", "basic"),
    [
        ("0", True),
        ("n", True),
        ("1:n", True),
        ("None", True),
        ("...", True),
        ("k", False),
        ("(n, 1:)", True),
        ("(k, 0)", False),
    ],
)
def test_a_subscript_by_an_array_is_a_copy_and_all_others_are_views(index, basic):
    text = """
def f(x, n):
    k = np.arange(n)
    return k
"""
    _, types = typed(text, "f8[:, :], i8")
    inside = index[1:-1] if index.startswith("(") else index
    node = gast.parse(f"x[{inside}]").body[0].value.slice
    assert is_basic(node, types) is basic


@pytest.mark.parametrize(
    "view",
    [
        lambda a: np.sum(np.sin(np.squeeze(a) * a)),
        lambda a: np.sum(np.sin(np.transpose(a) * a)),
        lambda a: np.sum(np.sin(np.expand_dims(a, 0) * a)),
        lambda a: np.sum(np.sin(np.ravel(a) * a)),
        lambda a: np.sum(np.sin(np.reshape(a, (1, 1)) * a)),
    ],
)
def test_views_of_numbers_are_arrays_of_their_own(view):
    """Their adjoint was taken for a view of a number, and lost."""
    assert srcad.grad(view, jit=False)(0.6) == pytest.approx(1.2 * np.cos(0.36))
