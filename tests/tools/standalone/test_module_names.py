"""Which names of a statement are those of its module."""

import ast

import pytest

from srcad.tools.standalone.module_names import all_identifiers, bound_names, module_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x, k=a):\n    y = b(x)\n    return y + k", ["a", "b"]),
        ("@d(e)\ndef f(x: t) -> r:\n    return f(x)", ["d", "e", "t", "r", "f"]),
        ("def f(x):\n    def g(y):\n        return x + y + z\n    return g", ["z"]),
        ("def f(x):\n    return [x + y for y in a if y < b]", ["a", "b"]),
        ("def f(x):\n    return [y for x in a for y in x]", ["a"]),
        ("f = lambda x, *rest, **more: (x, rest, more, y)", ["y"]),
        ("def f():\n    global count\n    count = count + 1", ["count"]),
        ("def f():\n    try:\n        g()\n    except E as e:\n        raise e", ["g", "E"]),
        ("def f():\n    import os.path\n    from a import b as c\n    return os, b, c", ["b"]),
        ("class C(B):\n    size = 1\n    other = size\n    def f(self):\n        return size", ["B", "size"]),
        ("def f():\n    with a as b:\n        for c in b:\n            del c", ["a"]),
    ],
)
def test_names_of_the_module(text, expected):
    [statement] = ast.parse(text).body
    assert [each.id for each in module_names(statement)] == expected


def test_bound_names_stay_within_functions():
    assert bound_names(ast.parse("a, (b, *c) = d\nfor e in f:\n    g = 1\ndef h():\n    i = 1").body) == set("abcegh")


def test_identifiers_have_no_attributes():
    assert all_identifiers(ast.parse("def f(x): return kernels.scatter(x)")) == {"f", "x", "kernels"}
