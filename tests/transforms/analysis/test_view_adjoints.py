"""The adjoint of a view is a view of the adjoint where both stay in place and can be written through."""

import numpy as np
import pytest

from srcad.errors import MayOverlap
from srcad.transforms.analysis.view_adjoints import is_cast, is_contiguous, is_handed_on, is_view, reaches
from tests.checking import assert_gradient
from tests.transforms.core_text import program_of

SIGNATURE = "f8[::1], f8[:, ::1], i8"


def program(*lines):
    body = "".join(f"    {line}\n" for line in lines)
    return program_of(f"def f(x, a, n):\n{body}    return n\n", SIGNATURE, wrt=(0, 1))


def asked(*lines, name="v"):
    """Whether the adjoint of `v` is a view."""
    found = program(*lines)
    return is_view(found, name, found.flow.definition(name))


@pytest.mark.parametrize(
    "value",
    ["x[1:]", "a[0]", "a[:, 1]", "np.transpose(a)", "a[1:, ::2]", "np.reshape(x, (n, 1))", "np.ravel(a)"],
)
def test_slices_and_transposes_are_views_where_nothing_is_written(value):
    certain = not value.startswith(("np.reshape", "np.ravel"))
    assert asked(f"v = {value}") is certain  # what is one in some memory only is taken as a value


def test_what_is_no_view_has_an_adjoint_of_its_own():
    assert not asked("v = np.sin(x)")
    assert not asked("v = np.copy(x)")


def test_a_view_that_is_written_through_stays_a_view():
    assert asked("y = np.copy(x)", "v = y[1:]", "v[0] = 1.0")
    assert asked("y = np.copy(a)", "v = y[0]", "y[0, 0] = 2.0")


def test_a_reshape_of_contiguous_memory_is_a_view_where_it_is_written_into():
    assert asked("y = np.zeros(4)", "v = np.reshape(y, (2, 2))", "v[0, 0] = 1.0")


def test_a_reshape_that_may_be_a_copy_is_refused_where_it_is_written_into():
    with pytest.raises(MayOverlap, match="may be a view or a copy of 'w'"):
        asked("y = np.copy(a)", "w = y[:, 1:]", "v = np.ravel(w)", "y[0, 0] = 1.0", "s = np.sum(v)")


@pytest.mark.parametrize(
    "lines",
    [
        ("w = y[:, 1:]", "v = np.ravel(w)", "s = np.sum(v)", "y[0, 0] = s"),
        ("for k in range(0, n, 1):", "    w = y[:, k]", "    v = np.ravel(w)", "    s = np.sum(v)", "    y[0, 0] = s"),
    ],
)
def test_a_reshape_that_may_be_a_copy_is_a_value_where_it_is_only_read_before_its_memory_changes(lines):
    assert not asked("y = np.copy(a)", *lines)


@pytest.mark.parametrize("order", ["0", "n"])
def test_differences_of_order_zero_are_the_array_itself(order):
    with pytest.raises(MayOverlap, match="may be a view or a copy of 'y'"):
        asked("y = np.zeros(4)", f"v = np.diff(y, {order})", "y[0] = 2.0", "s = np.sum(v)")


@pytest.mark.parametrize("value", ["np.diff(y)", "np.diff(y, 2)"])
def test_other_differences_are_new(value):
    assert not asked("y = np.zeros(4)", f"v = {value}", "y[0] = 2.0", "s = np.sum(v)")


@pytest.mark.parametrize(
    "lines",
    [
        ("v = np.ravel(w)", "v[0] = 1.0", "s = np.sum(y)"),
        ("v = np.ravel(w)", "for k in range(0, n, 1):", "    s = np.sum(v)", "    y[0, 0] = s"),
    ],
)
def test_a_reshape_that_may_be_a_copy_is_refused_where_the_difference_shows(lines):
    with pytest.raises(MayOverlap, match="may be a view or a copy of 'w'"):
        asked("y = np.copy(a)", "w = y[:, 1:]", *lines)


CARRIED = """
def f(x, n):
    y = np.copy(x)
    y_2 = y
    w_2 = x
    for k in range(0, n, 1):
        v = y_2[1:]
        z = y_2 * 2.0
        {stored} = v
        {write}
        t = {read}[0]
        y_2 = z
    return t
"""


@pytest.mark.parametrize("stored", ["w_2", "w"])
def test_a_view_of_a_carried_array_that_is_carried_too_is_taken_as_a_value(stored):
    found = program_of(CARRIED.format(stored=stored, write="u = y_2", read="v"), "f8[::1], i8", wrt=(0,))
    assert is_handed_on(found, "v") == (stored == "w_2")
    assert is_view(found, "v", found.flow.definition("v")) == (stored == "w")


def test_contiguity_is_that_of_all_that_an_array_is_computed_from():
    found = program("b = np.sin(a)", "c = np.zeros((2, 3))", "d = c + c", "e = np.transpose(a)", "g = e + e")
    assert is_contiguous(found, "x")
    assert is_contiguous(found, "a")
    assert is_contiguous(found, "b")
    assert is_contiguous(found, "d")
    assert not is_contiguous(found, "e")
    assert not is_contiguous(found, "g")  # NumPy leaves it in columns


def test_a_change_of_type_is_a_copy():
    found = program("v = np.asarray(x, dtype=np.float32)", "w = np.asarray(x)")
    assert not asked("v = np.asarray(x, dtype=np.float32)")
    assert "v" not in found.aliases.views or is_cast(found, "v", found.flow.definition("v"))
    assert "w" not in found.aliases.views or not is_cast(found, "w", found.flow.definition("w"))


def test_names_reach_views_through_copies_and_further_views():
    found = program("v = x[1:]", "w = v", "u = w[2:]", "y = np.sin(x)")
    assert reaches(found, "u", "v")
    assert reaches(found, "w", "v")
    assert not reaches(found, "v", "u")
    assert not reaches(found, "y", "v")
    assert not is_handed_on(found, "v")


def in_the_order_of_columns(m, v):
    r = np.asfortranarray(m)
    t = r if v[0] > 0.0 else m * 2.0
    return np.sum(t * t)


def turned_before_it_is_written(m, v):
    r = np.asfortranarray(m * 1.0)
    r[0, 1] = v[0]
    return np.sum(r * r)


def test_an_array_in_the_order_of_columns_is_a_copy_of_one_by_rows():
    m = np.array([[-0.4, 0.8, 1.1], [0.6, 0.2, -0.9]])
    for function in (in_the_order_of_columns, turned_before_it_is_written):
        assert_gradient(function, m, np.array([0.3, 0.4]), modes=["arrays", "loops", "tangent", "gradient"])
