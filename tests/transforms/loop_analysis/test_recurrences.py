"""What comes from earlier iterations, by name and by element."""

import gast
import pytest
from numba import types as nb

from srcad.transforms.analysis.ranks import Ranks
from srcad.transforms.ir.build import walk
from srcad.transforms.loop_analysis.affine_subscripts import Subscripts
from srcad.transforms.loop_analysis.recurrences import Recurrence
from tests.transforms.core_text import parsed

KINDS = {"v": nb.float64[::1], "a": nb.float64[:, ::1], **dict.fromkeys("stu", nb.float64), "n": nb.int64}


def late(*lines, bounds="1, n"):
    body = "\n        ".join(lines)
    tree = parsed(f"def f(v, a, s, t, u, n):\n    for i in range({bounds}):\n        {body}\n    return s\n")
    loop = tree.body[0]
    ranks = Ranks(tree.body, [argument.id for argument in tree.args.args], KINDS)
    found = Recurrence(loop, Subscripts().inside(loop), ranks, KINDS)
    nodes = [node for statement in loop.body for node in walk(statement.value) if found.is_late(node)]
    return sorted(node.id if isinstance(node, gast.Name) else f"{node.value.id}[]" for node in nodes)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["v[i] = v[i - 1]"], ["v[]"]),
        (["v[i] = v[i]"], []),
        (["v[i] = v[i - 2]"], []),
        (["v[0] = v[0]"], ["v[]"]),
        (["s = s"], ["s"]),
        (["t = s", "s = v[i]"], []),
        (["t = s", "s = t"], ["s", "t"]),
        (["t = s", "s = u", "u = t"], ["s", "t", "u"]),
        (["a[i, 0] = a[i - 1, 0]"], ["a[]"]),
        (["a[i, 0] = a[i - 1, 1]"], []),
        (["j = i - 1", "v[i] = v[j]"], ["v[]"]),
        (["v[i] = s", "s = v[i - 1]"], ["s", "v[]"]),
        (["s += v[i]", "t = s"], ["s"]),
    ],
)
def test_places_that_depend_on_themselves(lines, expected):
    assert late(*lines) == expected


def test_the_order_of_iterations_counts():
    assert late("v[i] = v[i + 1]", bounds="n, 0, -1") == ["v[]"]
    assert late("v[i] = v[i - 1]", bounds="n, 0, -1") == []
    assert late("v[i] = v[i - 2]", bounds="2, n, 2") == ["v[]"]
    assert late("v[i] = v[i - 1]", bounds="1, n, 2") == []
