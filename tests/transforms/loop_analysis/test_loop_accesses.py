"""What the statements of a block reach in memory."""

from numba import types as nb

from srcad.transforms.analysis.ranks import Ranks
from srcad.transforms.loop_analysis.affine_subscripts import Subscripts
from srcad.transforms.loop_analysis.loop_accesses import accessed
from tests.transforms.core_text import parsed

KINDS = {"v": nb.float64[::1], "a": nb.float64[:, ::1], **dict.fromkeys("nij", nb.int64), "s": nb.float64}


def found(body):
    tree = parsed("def f(v, a, n, i, s):\n" + "\n".join(f"    {line}" for line in body.split("\n")))
    ranks = Ranks(tree.body, ("v", "a", "n", "i", "s"), KINDS)
    return [
        (each.access.kind, each.access.name, each.access.forms is not None, each.always, each.position)
        for each in accessed(tree.body, Subscripts(), ranks)
    ]


def test_simple_statements_in_their_order():
    assert found("s = v[i]\na[i, 0] += s * v[0]") == [
        ("read", "v", True, True, 0),
        ("add", "a", True, True, 1),
        ("read", "v", True, True, 1),
    ]


def test_what_only_some_paths_reach():
    assert found("if v[i] > s:\n    s = v[0]\ns = v[1]") == [
        ("read", "v", True, True, 0),
        ("read", "v", True, False, 0),
        ("read", "v", True, True, 1),
    ]
    assert found("for j in range(n):\n    v[j] = s") == [("store", "v", True, False, 0)]


def test_nothing_is_certain_behind_what_may_leave():
    assert found("if n:\n    raise ValueError\ns = v[1]")[-1] == ("read", "v", True, False, 1)
    assert ("read", "v", True, False, 1) in found("assert n\ns = v[1]")


def test_whole_arrays_and_unknown_statements():
    assert ("read", "v", False, True, 0) in found("s = np.sum(v)")
    assert ("store", "v", False, False, 0) in found("helper(v)")
    assert ("store", "v", False, True, 0) in found("v += s")
