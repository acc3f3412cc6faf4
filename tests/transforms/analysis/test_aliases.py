"""Every array name leads to the memory that it may reach."""

import gast
import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.analysis.aliases import aliases_of, aliases_of_unit, is_basic
from srcad.transforms.ir.code import code_of
from srcad.transforms.ir.name_types import Types
from tests.transforms.core_text import program_of, typed, unit_of


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


KINDS = {"x": nb.float64[::1], "y": nb.float64[::1], "n": nb.int64, "a": nb.float64[::1], "b": nb.float64[::1]}


def generated(*lines):
    """The facts about a generated function of two arrays, a trace and a number."""
    return aliases_of(code_of("def f(x, y, trace, n):\n    " + "\n    ".join(lines) + "\n    return x\n", KINDS))


@pytest.mark.parametrize(
    "value",
    [
        "a",
        "a[1:][::2]",
        "np.reshape(a[1:], (2, -1))",
        "a.T",
        "a if n else b",
        "(b, a)[n]",
        "kernels.unpad(a, (1,), 1)",
        "unknown(b, a)",
        "unknown(b, kept=a)",
        "[b, a].pop()",
        "np.atleast_1d(b, a)",
    ],
)
def test_expressions_of_generated_code_may_lead_to_what_they_mention(value):
    found = generated("a = np.zeros((n, n))", "b = np.zeros(n)", f"c = {value}")
    assert found.may_alias("c", "a")
    assert found.alias_class("c") == found.alias_class("a")
    assert found.is_local("c")


@pytest.mark.parametrize(
    "value",
    ["a * 2.0", "np.copy(a[1:])", "np.zeros_like(a)", "kernels.times(a, b)", "a.copy()", "a.shape", "-a", "a > b"],
)
def test_expressions_that_make_a_new_array_lead_nowhere_else(value):
    found = generated("a = np.zeros(n)", "b = np.zeros(n)", f"c = {value}")
    assert not found.may_alias("c", "a")
    assert found.alias_class("c") != found.alias_class("a")


def test_two_arrays_of_the_caller_may_be_one_and_so_may_parts_of_a_trace():
    found = generated("d = trace.d", "e = trace.e", "a = np.zeros(n)", "v = x[1:]")
    assert found.may_alias("x", "y")
    assert found.may_alias("v", "d")
    assert found.may_alias("d", "e")
    assert not found.may_alias("a", "d")
    assert not found.is_local("v")
    assert not found.is_local("d")
    assert found.alias_class("d") != found.alias_class("e")


def test_a_part_of_a_part_is_in_one_class_with_it_where_the_whole_is_used():
    found = generated("calls = trace.calls", "d = trace.calls.loop", "e = calls.loop")
    assert found.alias_class("d") == found.alias_class("calls") == found.alias_class("e")


@pytest.mark.parametrize(
    "put", ["kept.append(a)", "kept += [a]", "kept[0] = a", "kept = kept + [a]", "kept.extend([b, a])", "kept = (b, a)"]
)
def test_what_a_list_or_tuple_holds_is_found_in_it_again(put):
    found = generated("a = np.zeros(n)", "b = np.zeros(n)", "kept = []", put, "c = kept.pop()", "d = kept[0]")
    assert found.may_alias("c", "a")
    assert found.may_alias("d", "a")
    assert found.may_alias("kept", "a")


def test_an_array_copies_what_is_stored_into_it():
    found = generated("a = np.zeros(n)", "rows = np.empty((n, n))", "rows[0] = a", "c = rows[1]")
    assert not found.may_alias("c", "a")


def test_several_targets_are_told_apart_where_their_values_are():
    found = generated("a = np.zeros(n)", "b = np.zeros(n)", "c, d = b, a", "e, g = unknown(a)")
    assert found.of["c"] == {"b"}
    assert found.of["d"] == {"a"}
    assert found.of["e"] == found.of["g"] == {"a"}


def test_numbers_share_nothing():
    found = generated("a = np.zeros(n)", "b = np.zeros(n)", "s = kernels.select(n, a[0], b[0])", "t = a[n] * b[n]")
    assert not found.may_alias("a", "b")
    assert not found.of.get("t")


def test_memory_that_kernels_write_is_written():
    found = generated("a = np.zeros(n)", "b = np.zeros(n)", "v = a[1:]", "kernels.scatter_add(v, n, b)", "print(x)")
    assert found.is_written("a")
    assert not found.is_written("b")
    assert not found.is_written("x")


def test_an_unknown_function_may_put_an_array_into_a_list_and_a_kernel_does_not():
    found = generated(
        "a = np.zeros(n)", "b = np.zeros(n)", "kept = []", "unknown(a, kept)", "q = []", "kernels.hold(b, q)"
    )
    assert found.may_alias("kept", "a")
    assert found.alias_class("kept") == found.alias_class("a")
    assert not found.may_alias("q", "b")
    assert not found.may_alias("a", "b")


def test_results_of_a_call_are_told_apart_in_core_form():
    found = facts("""
def f(x, y, n):
    c = n > 0
    v = np.atleast_1d(x)
    w = np.ones(n)
    if c:
        w = v
    u = w[1:]
    return u
""")
    assert found.of["u"] == {"x", "w"}
    assert not found.is_local("u")


@pytest.mark.parametrize(
    ("value", "is_view"), [("np.trim_zeros(x)", False), ("np.ravel(x)", True), ("np.atleast_1d(x)", True)]
)
def test_only_what_is_known_to_be_a_view_or_a_copy_is_taken_for_a_view(value, is_view):
    unit = unit_of(f"def f(x, y, n):\n    v = {value}\n    return v")
    found = aliases_of_unit(unit, Types(dict.fromkeys("xyv", nb.float64[:])))
    assert found.of["v"] == {"x"}
    assert ("v" in found.views) is is_view


def test_a_function_that_nothing_is_known_about_is_refused_and_no_view():
    """Its adjoint was taken for the function of the adjoint, and was all zeros."""
    with pytest.raises(srcad.MissingRule, match="nextafter"):
        srcad.grad(lambda x: np.nextafter(x, 9.0)[0])(np.ones(3))
