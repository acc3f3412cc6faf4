"""How far apart iterations may reach one element, by their subscripts."""

import gast
import numba
import pytest

from srcad.transforms.analysis.affine import accesses
from srcad.transforms.analysis.affine.point_facts import Facts

KINDS = {"n": numba.int64, "m": numba.int64, "j": numba.int64, "t": numba.int64, "table": numba.int64[:]}


def distance(text, header="range(n)"):
    """By all subscripts of `a` in the body of a loop over `i`."""
    lines = "".join(f"    {line}\n" for line in text.split("; "))
    loop = gast.parse(f"for i in {header}:\n{lines}").body[0]
    found = [node for node in gast.walk(loop) if isinstance(node, gast.Subscript) and node.value.id == "a"]
    return accesses.distance(loop, found, Facts.at_start(KINDS))


@pytest.mark.parametrize(
    "text",
    [
        "a[i] = a[i] + 1.0",
        "a[i, 2] = a[i, m]",
        "a[2, i] = a[m, i]",
        "t = i + 1; a[t] = a[1 + i]",
        "a[2 * i] = a[i + i + 1]",
        "a[2 * i] = a[2 * i + 5]",  # even and odd
        "a[n - 1 - i] = 0.0",
        "a[3 * i : 3 * i + 3] = 0.0",
        "v = a[i]; v[m] = 1.0",
        "a[i, None] = a[i, 1:]",
        "a[m, 2 * i] = a[i, 2 * i + 1]",
        "for j in range(4): a[4 * i + j] = a[4 * i + 3 - j]",
    ],
)
def test_elements_of_its_own(text):
    assert distance(text) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a[i] = a[i + 1]", 1), ("a[2 * i] = a[2 * i + 4]", 2), ("for j in range(6): a[4 * i + j] = 0.0", 1)],
)
def test_neighbours(text, expected):
    assert distance(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a[0] = 1.0",
        "a[m] = 1.0",
        "a[i % 2] = 1.0",
        "a[table[i]] = 1.0",
        "a[table, i] = 1.0",
        "a[..., i] = 1.0",
        "a[i - 1] = 1.0",  # -1 is the last element
        "a[-i] = 1.0",
        "a[m * i] = 1.0",
        "a[i] = a[n - 1 - i]",
        "a[i] = a[m]",
        "a[i] = a[i + m]",
        "a[i, 0] = a[0, i]",
        "a[i:] = 1.0",
        "a[i : i - 1] = 1.0",
        "for j in range(4): a[i + j : i + j + 1] = a[i]; a[m] = 0.0",
        "for j in range(m): a[i + j] = 1.0",
        "t = i; t = 0; a[t] = 1.0",
        "for i in range(4): a[i] = 1.0",
    ],
)
def test_what_is_not_proved(text):
    assert distance(text) is None


def test_the_least_index_is_known_from_the_loop():
    assert distance("a[i - 1] = 1.0", "range(1, n)") == 0
    assert distance("a[i - 1] = 1.0", "range(n - 1, 0, -1)") == 0
    assert distance("a[i - 1] = 1.0", "range(n, -1, -1)") is None
    assert distance("a[i - 1] = 1.0", "range(m, n)") is None
    assert distance("a[n - i] = 1.0", "range(n)") == 0
    assert distance("a[n - 2 - i] = 1.0", "range(n)") is None
