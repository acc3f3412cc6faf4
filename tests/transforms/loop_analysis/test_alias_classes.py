"""What names of generated code stand for."""

import gast
from numba import types as nb

from srcad.transforms.loop_analysis.alias_classes import Memories
from tests.transforms.core_text import parsed

TREE = parsed("""
    def f(x, trace, n):
        a = np.zeros((n, n))
        b = a[1:]
        c = np.copy(x)
        d = trace.d
        e = x if n else c
        t = a[0, 1] * 2.0
        u = t + n
        w = b[0] * 2.0
        for i in range(n):
            s = a[i, 0]
        return b
""")
KINDS = {
    "a": nb.float64[:, ::1],
    "b": nb.float64[:, ::1],
    "x": nb.float64[::1],
    "n": nb.int64,
    "z": nb.Array(nb.float64, 0, "C"),
}


def known():
    return Memories(TREE.body, ("x", "trace", "n"), KINDS)


def test_arrays_of_the_function_and_of_the_caller():
    assert known().is_own("a")
    assert known().is_own("c")
    assert not known().is_own("x")
    assert not known().is_own("d")


def test_views_share_memory_and_what_was_given_may():
    assert known().may_share("a", "b")
    assert known().may_share("x", "d")
    assert not known().may_share("a", "x")
    assert not known().may_share("a", "c")


def test_numbers_made_of_elements_share_nothing():
    tree = parsed("""
        def f(x, n):
            a = np.zeros(n)
            b = np.zeros(n)
            for i in range(n):
                s = kernels.select(x[i] > 0.0, a[i], b[i])
            return a
    """)
    found = Memories(tree.body, ("x", "n"), {**dict.fromkeys("abx", nb.float64[::1]), "s": nb.float64, "n": nb.int64})
    assert found.is_own("a")
    assert not found.may_share("a", "b")


def test_numbers_are_found_from_what_is_stored():
    ranks = known().ranks
    assert ranks["t"] == ranks["u"] == ranks["s"] == ranks["i"] == ranks["n"] == 0
    assert ranks["a"] == 2
    assert "w" not in ranks
    assert "d" not in ranks
    assert "z" not in ranks


def test_functions_of_numbers_are_numbers():
    tree = parsed("""
        def f(x, n):
            s = 1.0
            t = np.divide(s, x[0]) * math.exp(s)
            a = np.exp(x)
            b = np.zeros(n)
            return t
    """)
    ranks = Memories(tree.body, ("x", "n"), {"x": nb.float64[::1], "n": nb.int64}).ranks
    assert ranks["t"] == 0
    assert "a" not in ranks
    assert "b" not in ranks


def test_subscripts_of_elements():
    def is_element(text):
        node = gast.parse(text).body[0].value
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        return known().is_element(node.value.id, parts)

    assert is_element("a[i, n - 1]")
    assert is_element("x[0]")
    assert not is_element("a[i]")
    assert not is_element("a[1:, 0]")
    assert not is_element("x[a]")
    assert not is_element("d[0]")
