"""Uses of arrays by subscripts; arrays that are used in another way are left out."""

import pytest

from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.loop_analysis.array_uses import Arrays
from tests.transforms.core_text import parsed

RANKS = {"x": 1, "y": 1, "b": 2, **dict.fromkeys("nmijks", 0), "p": 1}


def arrays(statements):
    tree = parsed(
        "def f(x, n):\n    a = np.zeros((n, n))\n" + "".join(f"    {each}\n" for each in statements.split("|"))
    )
    return Arrays(["a"], tree.body, Facts(RANKS, frozenset("nij")))


@pytest.mark.parametrize(
    "statements",
    [
        "s = a[0, 1]",
        "a[0] = x",
        "a[0] += 2.0 * a[1]",
        "x = np.sum(a[0]) + np.sin(a[1, 2:])",
        "b[0, :] = a[0, :]",
        "x = np.zeros_like(a)|s = a.shape[0]|y = np.zeros(3, a.dtype)",
        "if a[0, 1] > 0.0:|    s = 1.0",
        "s = helper(a[0, 1])",
        "s = a[0, p[n]]",
        "s = x[a[0, 0]]",
    ],
)
def test_subscripts_are_uses(statements):
    assert "a" in arrays(statements).found


@pytest.mark.parametrize(
    "statements",
    [
        "s = a",
        "s = np.sum(a)",
        "a += 1.0",
        "y = a[0]",
        "y = a[0] if n > 1 else x",
        "s = (a[0], 1.0)",
        "y = np.ravel(a[0])",
        "y = np.real(a[0])",
        "s = helper(a[0])",
        "kept[0] = a[0]",
        "s = a[p]",
        "s = np.sum(a[p, 0])",
        "a[0, True] = 1.0",
        "a[..., 0] = 1.0",
        "a[None, 0] = x",
        "s = a.T[0, 0]",
        "s = a.size",
        "return a",
        "helper(a)",
        "kept.append(a[0])",
        "x = np.zeros_like(a, np.int64)",
    ],
)
def test_an_array_that_is_used_otherwise_is_left_out(statements):
    assert "a" not in arrays(statements).found


def test_a_shape_asked_for_where_the_array_may_not_have_been_made_is_refused():
    text = "def f(x, n):\n    if n > 1:\n        a = np.zeros(n)\n{}x = np.zeros_like(a)\n"
    for pad, expected in (("        ", True), ("    ", False)):
        found = Arrays(["a"], parsed(text.format(pad)).body, Facts(RANKS, frozenset())).found
        assert ("a" in found) == expected


def test_each_use_has_what_is_known_there():
    found = arrays(
        "for i in range(1, n):|    k = i - 1|    for j in range(i):|        a[k, j] += a[i, 1:2]|a[0, 0] = 1.0"
    )
    read, store, last = sorted(found.found["a"].uses, key=lambda use: (use.is_target, use.path))
    i, j = Form.of("i"), Form.of("j")
    assert (store.forms, read.forms, last.forms) == ((i - 1, j), (i, None), (Form(), Form()))
    assert set(store.known) == {i - 1, Form.of("n") - i - 1, j, i - j - 1}
    assert last.known == ()
    block = found.found["a"].block
    assert [use.position(block) for use in (read, store, last)] == [1, 1, 2]
    assert (Form.number(1), Form.of("n") - 1) in [(each.low, each.high) for each in found.bounds.values()]
