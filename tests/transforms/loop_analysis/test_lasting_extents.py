"""Extents that are the same in each iteration, with the assumption that carried arrays keep theirs."""

import pytest
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import expression_of
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.ir.build import is_loop
from srcad.transforms.loop_analysis.lasting_extents import lasting_extents
from tests.transforms.core_text import parsed, printed

KINDS = {
    **dict.fromkeys(["x", "g"], nb.float64[:, ::1]),
    **dict.fromkeys(["a", "b", "y", "u"], nb.float64[::1]),
    **dict.fromkeys("nmikl", nb.int64),
}


def extents(*lines, first="pass", loop="for i in range(n)"):
    """The extents of what each statement of a loop's body makes, by name."""
    body = "\n        ".join(lines)
    tree = parsed(f"def f(x, y, u, n, m):\n    {first}\n    {loop}:\n        {body}\n    return y\n")
    at = Facts.at_start(KINDS)
    for statement in tree.body:
        if is_loop(statement):
            found = lasting_extents(statement, at, ["y", "u"])
            return {
                each.targets[0].id: [printed(expression_of(form)) for form in forms] for each, forms in found.items()
            }
        at.learn(statement)
    raise AssertionError


SAME = "kernels.same_extent(m, y.shape[0])"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a = np.empty(m)"], ["m"]),
        (["a = np.zeros_like(x)[0]"], None),
        (["a = np.empty_like(y)"], ["y.shape[0]"]),
        (["a = np.empty_like(y)", "y = a"], ["y.shape[0]"]),
        (["a = np.empty_like(y)", "y = np.zeros_like(a)"], ["y.shape[0]"]),
        (["a = np.empty_like(y)", "y = np.zeros(m)"], None),
        (["a = np.empty_like(y)", SAME, "y = np.zeros(m)"], ["y.shape[0]"]),
        ([SAME, "a = np.empty_like(y)", "y = np.zeros(m + 1)"], None),
        (["a = np.empty_like(y)", "y = u"], None),
        (["a = np.empty_like(y)", "u, y = y, u"], None),
        (["a = np.empty_like(y)", "if m > 2:", "    y = np.zeros(m)"], None),
        (["a = np.empty_like(y)", "if m > 2:", f"    {SAME}", "    y = np.zeros(m)"], ["y.shape[0]"]),
        (["a = np.empty_like(y)", "for k in range(2):", "    y = np.zeros_like(y)"], ["y.shape[0]"]),
        (["a = np.empty_like(y)", "y += 1.0"], ["y.shape[0]"]),
        (["a = np.empty(i)"], None),
        (["a = np.empty(l)", "l = m"], None),
        (["l = m + 1", "a = np.empty(l)"], ["m + 1"]),
        (["l = i + 1", "a = np.empty(l)"], None),
        (["a = x @ y", "y = a"], ["x.shape[0]"]),
        (["b = x @ y", "a = np.empty_like(y)", "y = b"], ["x.shape[1]"]),
        (["a = np.empty_like(y)", "b = x @ y", "y = b"], None),
        (["a = x @ y"], ["x.shape[0]"]),
        (["a = np.empty_like(y)", "m = 3", SAME, "y = np.zeros(m)"], ["y.shape[0]"]),  # as checked in each iteration
        (["b = x[i]", "a = np.empty_like(b)"], ["x.shape[1]"]),
    ],
)
def test_extents_in_a_loop(lines, expected):
    assert extents(*lines).get("a") == expected


def test_what_is_known_of_a_carried_array_before_the_loop_is_used():
    assert extents("a = np.empty_like(y)", "y = a", first="y = np.ones(m + 1)")["a"] == ["m + 1"]
    lines = "a = np.empty_like(y)", "m = m + 1", "y = a"
    assert extents(*lines, first="y = np.ones(m)")["a"] == ["y.shape[0]"]  # the m of before is gone


def test_an_assumption_that_fails_takes_others_with_it():
    assert "a" not in extents("a = np.empty_like(y)", "y = np.zeros_like(u)", "u = np.zeros(i)")
    assert "a" not in extents("a = np.empty_like(u)", "y = np.zeros_like(y)", "u = y")
    assert extents("a = np.empty_like(y)", "y = a", "u = np.zeros(i)")["a"] == ["y.shape[0]"]


def test_a_loop_with_a_test():
    assert extents("a = np.empty_like(y)", "y = a", loop="while n > 0")["a"] == ["y.shape[0]"]
