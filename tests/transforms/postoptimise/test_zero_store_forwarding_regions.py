"""Which elements a nest of loops visits, as a box."""

import pytest
from numba import types as nb

from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.analysis.ranks import Ranks
from srcad.transforms.loop_analysis.array_extents import Shapes
from srcad.transforms.postoptimise.zero_store_forwarding import Visit, visits
from tests.transforms.core_text import parsed

KINDS = {"u": nb.float64[:, ::1], "v": nb.float64[::1], **dict.fromkeys("nmijks", nb.int64)}
N, M, ONE = Form.of("n"), Form.of("m"), Form.number(1)


def visited(*lines, array="u"):
    """How the last statement of the lines visits an array, and what is known before it."""
    body = parsed("def f(u, v, n, m):\n" + "".join(f"    {each}\n" for each in lines)).body
    shapes = Shapes(Ranks(body, ("u", "v", "n", "m"), KINDS).of, frozenset("nmijks"))
    for each in body[:-1]:
        shapes.learn(each)
    return next(iter(visits(body[-1], array, shapes)), None), shapes


def sides(found, shapes):
    box = found.box(shapes) if isinstance(found, Visit) else None
    return None if box is None else [(side.low, side.high) for side in box]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["for i in range(n):", "    for j in range(m):", "        u[i, j] = 0.0"], [(N - N, N), (M - M, M)]),
        (
            ["for i in range(n):", "    for j in range(1, m):", "        u[j + 1, i] = 0.0"],
            [(ONE + 1, M + 1), (N - N, N)],
        ),
        (
            ["for i in range(n - 1, -1, -1):", "    for j in range(m):", "        u[i, j] = 0.0"],
            [(N - N, N), (M - M, M)],
        ),
        (
            ["k = n + 2", "for i in range(k):", "    s = i + 1", "    for j in range(3):", "        u[s, j] += v[i]"],
            [(ONE, N + 3), (N - N, ONE + 2)],
        ),
        (
            ["for i in range(n + 2):", "    if i < n:", "        for j in range(m):", "            u[i, j] = 0.0"],
            [(N - N, N), (M - M, M)],
        ),
        (
            ["for i in range(n):", "    for j in range(m):", "        s = u[i, j]", "        u[i, j] = s * 2"],
            [(N - N, N), (M - M, M)],
        ),
    ],
)
def test_boxes(lines, expected):
    assert sides(*visited(*lines)) == expected


@pytest.mark.parametrize(
    "lines",
    [
        ["for i in range(n):", "    for j in range(i):", "        u[i, j] = 0.0"],  # a triangle
        ["for i in range(n):", "    if 2 < m:", "        for j in range(m):", "            u[i, j] = 0.0"],
        ["for i in range(n):", "    if v[i] < 2.0:", "        for j in range(m):", "            u[i, j] = 0.0"],
        ["for i in range(0, n, 2):", "    for j in range(m):", "        u[i, j] = 0.0"],
        ["for i in range(n):", "    for j in range(m):", "        u[i, 2 * j] = 0.0"],
        ["for i in range(n):", "    for j in range(m):", "        u[i, i + j] = 0.0"],
        ["for i in range(n):", "    for j in range(m):", "        u[i, 0] = 0.0"],
        ["for i in range(n):", "    for j in range(m):", "        u[i, j] = u[i, j - 1]"],
        ["for i in range(n):", "    for j in range(m):", "        u[i, j] = 0.0", "    u[i, 0] = 1.0"],
        ["for i in range(n):", "    u[i, :] = 0.0"],
        ["for i in range(n):", "    for j in range(u.shape[1]):", "        u[i, j] = 0.0"],
        ["for i in range(n):", "    for j in range(m):", "        v[j] = 0.0"],
    ],
)
def test_what_fills_no_box(lines):
    assert sides(*visited(*lines)) is None


def test_elements_of_a_box_that_are_visited():
    box = visited("for i in range(1, n):", "    for j in range(1, m):", "        u[i, j] = 0.0")[0].box(
        Shapes({}, frozenset())
    )
    for lines, expected in [
        (["for i in range(n):", "    for j in range(m):", "        u[i, j] += v[j]"], True),
        (["for i in range(2, n):", "    for j in range(m):", "        u[i, j] += v[j]"], False),
        (["for i in range(n):", "    for j in range(m - 1):", "        u[i, j] += v[j]"], False),
        (["for i in range(n):", "    for j in range(m):", "        u[i - 1, j] += v[j]"], False),  # -1 is the last
        (
            ["for i in range(n + 1):", "    if 1 < m:", "        for j in range(m):", "            u[i, j] += v[j]"],
            True,
        ),
        (
            ["for i in range(n + 1):", "    if 2 < m:", "        for j in range(m):", "            u[i, j] += v[j]"],
            False,
        ),
    ]:
        found, shapes = visited(*lines)
        assert found.covers(box, shapes) == expected


@pytest.mark.parametrize(
    ("outer", "first", "second", "is_ordered"),
    [
        ("range(n)", "i + 1, j", "i, j", True),
        ("range(n)", "i, j", "i, j", True),
        ("range(n)", "i, j", "i + 1, j", False),  # elements are added to before they are set to zero
        ("range(n - 1, -1, -1)", "i, j", "i + 1, j", True),
        ("range(n - 1, -1, -1)", "i + 1, j", "i, j", False),
        ("range(n)", "i, j", "j, i", False),
    ],
)
def test_two_visits_of_which_one_comes_first(outer, first, second, is_ordered):
    body = parsed(
        f"def f(u, v, n, m):\n    for i in {outer}:\n        for j in range(m):\n            u[{first}] = 0.0\n"
        f"        for j in range(m):\n            u[{second}] += v[j]\n"
    ).body
    found = visits(body[0], "u", Shapes(Ranks(body, ("u", "v", "n", "m"), KINDS).of, frozenset("nmij")))
    assert len(found) == (2 if is_ordered else 0)
