"""Which rows of an array a loop needs at once."""

import pytest

from srcad.printing.printer import print_function
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.loop_analysis.array_uses import Arrays
from srcad.transforms.loop_analysis.reuse_window import window, without
from tests.transforms.core_text import parsed

RANKS = {"x": 1, **dict.fromkeys("nmijks", 0)}


def found(loop, inside, shape="(n + 2, m)", before="pass", behind="pass"):
    lines = [f"a = np.zeros({shape})", before, f"for i in {loop}:", f"    {inside}", behind]
    text = "\n    ".join(["def f(x, n, m):", *lines])
    arrays = Arrays(["a"], parsed(text).body, Facts(RANKS, frozenset("nmij")))
    return window(arrays.found["a"], arrays.bounds)


@pytest.mark.parametrize(
    ("loop", "inside", "expected"),
    [
        ("range(n)", "a[i, 0] = 1.0", (0, 1, 0, 1)),
        ("range(n)", "a[i + 1, 0] = a[i, 1]", (0, 1, 0, 2)),
        ("range(n, 0, -1)", "a[i - 1, 0] = a[i + 1, 1]", (0, -1, -1, 3)),
        ("range(m)", "a[0, i] = a[1, i]", (1, 1, 0, 1)),
        ("range(2, n)", "a[i - 2, 0] += a[i + 1, 0]", (0, 1, -2, 4)),
        ("range(2, n)", "a[i - 2, 0] += a[i + 2, 0]", None),
        ("range(n)", "a[i, 0] = 1.0; a[i + m, 0] = 1.0", None),
        ("range(n)", "a[2 * i, 0] = 1.0", None),
        ("range(n)", "a[n - i, 0] = 1.0", None),
        ("range(0, n, 2)", "a[i, 0] = 1.0", None),
        ("range(k)", "a[i, 0] = 1.0", None),  # k may be greater than n
        ("range(a[0, 0])", "a[i, 0] = 1.0", None),
    ],
)
def test_rows_of_a_loop(loop, inside, expected):
    one = found(loop, inside)
    assert (None if one is None else (one.axis, one.step, one.least, one.width)) == expected


@pytest.mark.parametrize(
    ("before", "behind", "fits"),
    [
        ("a[0, 0] = 1.0", "pass", True),
        ("a[1, 0] = 1.0", "pass", True),
        ("pass", "s = a[n, 0]", False),  # where n is -1, it is counted from the end
        ("pass", "s = a[n + 1, 0]", True),
        ("a[2, 0] = 1.0", "pass", False),
        ("a[-1, 0] = 1.0", "pass", False),
        ("pass", "s = a[-1, 0]", True),
        ("pass", "s = a[-2, 0]", True),
        ("pass", "s = a[-3, 0]", False),
        ("pass", "a[-3, 0] = 1.0", True),  # which nothing reads
        ("pass", "a[-3, 0] = a[n, 0]", False),
        ("pass", "s = a[n - 1, 0]", False),
        ("n = 2 * n", "pass", False),
    ],
)
def test_rows_before_and_behind(before, behind, fits):
    assert (found("range(n)", "a[i + 1, 0] = a[i, 0]", before=before, behind=behind) is not None) == fits


def test_without_statements_loops_that_are_left_with_none_are_dropped():
    tree = parsed("""
        def f(x, n):
            for i in range(n):
                if x[i] > 0.0:
                    x[i] = 1.0
            for i in range(n):
                if x[i] > 0.0:
                    x[i] = 2.0
                else:
                    x[i] = 3.0
            return x
    """)
    first, second = tree.body[:2]
    tree.body = without(tree.body, [first.body[0].body[0], second.body[0].body[0]])
    assert print_function(tree).splitlines()[1:] == [
        "    for i in range(n):",
        "        if x[i] > 0.0:",
        "            pass",
        "        else:",
        "            x[i] = 3.0",
        "    return x",
    ]
