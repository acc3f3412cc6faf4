"""Shapes that are equal are seen to be equal."""

import pytest

from srcad.transforms.analysis.affine.linear_forms import Form
from tests.transforms.core_text import program_of


def size(expression, axis=0, before=""):
    """The form of one dimension of an array expression of x, y (vectors), A (a matrix) and n."""
    text = f"""
def f(x, y, A, n):
{before}    v = {expression}
    return v
"""
    return program_of(text, "f8[::1], f8[::1], f8[:, ::1], i8").meeting.size("v", axis)


x0, y0, a0, a1, n = (Form.of(s) for s in ("x.shape[0]", "y.shape[0]", "A.shape[0]", "A.shape[1]", "n"))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("np.zeros_like(x)", x0),
        ("np.copy(x)", x0),
        ("np.eye(n)", n),
        ("np.identity(n)", n),
        ("np.linalg.inv(A)", a0),
        ("np.linalg.solve(A, x)", x0),
        ("np.flip(x)", x0),
        ("np.roll(x, 1)", x0),
        ("np.cumsum(x)", x0),
        ("np.outer(y, x)", y0),
        ("np.empty(n)", n),
        ("np.zeros((n, 3))", n),
        ("np.sin(x)", x0),
        ("x * 2.0", x0),
        ("x * x", x0),
        ("x[1:-1]", x0 - 2),
        ("x[2:]", x0 - 2),
        ("x[:-1]", x0 - 1),
        ("x[None]", Form.number(1)),
        ("np.reshape(x, (-1, 1))", x0),
        ("np.reshape(x, (1, -1))", Form.number(1)),
        ("np.reshape(x, (n, -1))", Form.of("v.shape[0]")),  # n may be -1
        ("np.reshape(x, n)", Form.of("v.shape[0]")),
        ("np.reshape(x, (2, -1))", Form.number(2)),
        ("np.sum(A, axis=0)", a1),
        ("np.max(A, 1)", a0),
        ("np.mean(A, axis=-1, keepdims=True)", a0),
        ("np.mean(x, keepdims=True)", Form.number(1)),
        ("A[0]", a1),
        ("A[:, 0]", a0),
        ("A @ x", a0),
        ("x @ A", a1),
        ("np.transpose(A)", a1),
        ("A * x", a0),
    ],
)
def test_a_length_is_the_one_that_numpy_gives(expression, expected):
    assert size(expression) == expected


def test_the_second_dimension_of_a_product_is_that_of_its_second_factor():
    assert size("A @ A", 1) == a1


def test_negative_axes_count_from_the_end():
    assert size("np.copy(A)", -1) == a1


def test_operands_of_two_lengths_leave_the_length_open():
    assert size("x * y") == Form.of("v.shape[0]")


def test_a_slice_whose_length_depends_on_the_array_is_left_open():
    assert size("x[:5]") == Form.of("v.shape[0]")
    assert size("x[::2]") == Form.of("v.shape[0]")


def test_an_array_made_by_a_shape_has_that_shape():
    assert size("np.zeros(s)", before="    s = x.shape\n") == x0


def test_a_carried_array_keeps_the_length_that_all_its_values_have():
    text = """
def f(x, n):
    a = np.copy(x)
    c = a
    for i in range(0, n, 1):
        b = c * 2.0
        c = b
    d = c
    return d
"""
    assert program_of(text, "f8[:], i8").meeting.size("d", 0) == x0


@pytest.mark.parametrize("made", ["np.triu_indices(n)", "divmod(n, 2)", "slice(0, n)"])
def test_what_an_index_by_a_tuple_or_a_slice_leaves_is_not_known(made):
    found = size("c[k]", before=f"    k = {made}\n    c = np.zeros((n, n, n))\n")
    assert found == Form.of("v.shape[0]")


@pytest.mark.parametrize(("made", "expected"), [("np.zeros_like(x)", x0), ("np.empty(n)", None)])
def test_arrays_that_trade_places_have_one_length_if_they_begin_with_one(made, expected):
    text = f"""
def f(x, n):
    a = np.copy(x)
    b = {made}
    u = a
    v = b
    for i in range(0, n, 1):
        t = u[1]
        v[0] = t
        w = u
        u = v
        v = w
    return u
"""
    program = program_of(text, "f8[::1], i8")
    assert program.meeting.size("u", 0) == (expected or Form.of("u.shape[0]"))


def test_a_running_sum_of_a_matrix_is_a_vector():
    assert size("np.cumsum(A)") == Form.of("v.shape[0]")


def carried(*lines, start="np.copy(y)", check="kernels.same_extent(r, s)", ahead="r = n"):
    """The length of an array that a loop replaces; `check` is where {check} is in the lines, and `ahead` before it."""
    body = "\n".join(f"        {each.format(check=check)}" for each in lines)
    text = f"""
def f(x, y, A, n):
    {ahead}
    u = {start}
    v = u
    for i in range(0, n, 1):
        t = v.shape
        s = t[0]
{body}
        v = w
    return v
"""
    return program_of(text, "f8[::1], f8[::1], f8[:, ::1], i8").meeting.size("v", 0)


NEW = "w = np.zeros(r)"


def test_an_array_that_a_loop_replaces_keeps_its_length_if_that_is_checked_before():
    assert carried("{check}", NEW) == y0
    assert carried("{check}", NEW, check="kernels.same_extent(s, r)") == y0
    assert carried("{check}", NEW, start="y") == y0  # the caller's, which is not written
    assert carried("w = np.zeros(s)", start="y") == y0
    assert carried("{check}", "for j in range(0, 2, 1):", "    q = np.zeros(r)", "w = np.copy(q)") == y0
    assert carried("{check}", "q = A[:, 0]", "w = np.copy(q)", check="kernels.same_extent(s, n)") == Form.of(
        "v.shape[0]"
    )


@pytest.mark.parametrize(
    "lines",
    [
        [NEW, "{check}"],  # too late
        [NEW],
        ["c = n > 2", "if c:", "    {check}", NEW],
        ["{check}", "w = np.zeros(n)"],
        ["for j in range(0, i, 1):", "    {check}", NEW],
    ],
)
def test_a_check_that_does_not_come_before_shows_nothing(lines):
    assert carried(*lines, ahead="k = A.shape\n    r = k[1]") == Form.of("v.shape[0]")


def test_a_check_of_a_number_that_changes_shows_nothing_of_its_later_values():
    text = """
def f(x, y, A, n):
    r = n
    u = np.copy(y)
    v = u
    for i in range(0, n, 1):
        t = v.shape
        s = t[0]
        kernels.same_extent(r, s)
        for j in range(0, n, 1):
            w = np.zeros(r)
            q = r + 1
            r = q
        v = w
    return v
"""
    found = program_of(text, "f8[::1], f8[::1], f8[:, ::1], i8").meeting.size("v", 0)
    assert found == Form.of("v.shape[0]")
