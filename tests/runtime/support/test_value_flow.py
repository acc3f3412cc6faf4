"""Which names may hold what is computed from an expression, by the text."""

import ast
import textwrap

import pytest

from srcad.runtime.support.value_flow import Source, ValueFlow, called_name, operands, passed

FLOWS = {
    "arithmetic": ("a = leave(v)\nb = 2.0 * a + 1.0\nc = d", "a b"),
    "tuples": ("a, b = leave(v), 1.0\n(c, d), e = (a, 2.0), b", "a c"),
    "unpacking": ("a, b = leave(v)\n*c, d = b", "a b c d"),
    "subscripts": ("a = {}\na['x'] = leave(v)\nb = a['y']\nc = d[a]", "a b"),
    "loops": ("for a, b in zip(leave(v), w):\n    c = a\nd = [e + 1 for e in c]", "a b c d e"),
    "branches": ("a = leave(v) if p else 0.0\nb = 1.0 if a else 2.0\nc = a or b", "a c"),
    "facts": ("a = leave(v)\nb = len(a)\nc = a.shape[0] + a.size\nd = a > 0.0\ne = f'{a}'\ng = np.argsort(a)", "a"),
    "values that say so": ("a = leave(v).numpy()\nb = float(leave(v))", ""),
    "numbers and lists": ("a = leave(v).item()\nb = leave(v).tolist()\nc = int(b[0])", "a b"),
    "methods": ("a = leave(v)\nb = a.sum()\nc = d.dot(a)\ne.append(a)\ng.look(a)", "a b c e"),
    "writers": ("import numpy as np\na = leave(v)\nnp.copyto(b, a)\nnp.add(a, 1.0, out=c)\nnp.look(d, a)", "a b c"),
    "fields": ("self.a = leave(v)\nb = other.a\nc = other.d", "b"),
    "walrus": ("if (a := leave(v)) is None:\n    b = a", "a b"),
    "managers": ("with leave(v) as a:\n    b = a", "a b"),
    "augmented": ("b = 0.0\nb += leave(v)", "b"),
    "shared memory": ("z = w[1:]\nz[0] = leave(v)\ny = w.copy()\nu = np.ones(2)", "w y z"),
    "memory of either": ("z = w if p else self.u\nz[0] += leave(v)\na = x.u", "a w z"),
    "memory of a list's arrays": ("z = [u, w]\nz[0][1] = leave(v)", "u w z"),
    "views that are written to": ("a.real = leave(v)\nb = a.flat\nc = d.real", "a b"),
    "what functions around do not hold": ("def f(a):\n    a.append(leave(v))\nb = a", ""),
    "what functions store elsewhere": ("def f():\n    global a\n    a = leave(v)\n    b.append(a)\nc = b[0]", "a b c"),
    "defaults": ("def f(a=leave(v)):\n    b.append(a)\nc = b", "b c"),
    "what is called": ("a = partial(g, leave(v))\nb = a(2.0)\nc = g(2.0)", "a b"),
    "attributes by name": ("setattr(o, 'a', leave(v))\nb = o.a", "b"),
    "any order": ("b = a\na = leave(v)", "a b"),
    "other functions": ("def f():\n    a = leave(v)\nb = a", ""),
}


def seeds(source):
    return [each for each in ast.walk(source.tree) if called_name(each) == "leave"]


@pytest.mark.parametrize(("text", "names"), FLOWS.values(), ids=FLOWS.keys())
def test_names_that_may_hold_what_is_computed(text, names):
    source = Source(text)
    assert sorted(ValueFlow(source, seeds(source), set()).names(source.tree)) == names.split()


def function_of(source, name):
    return next(each for each in ast.walk(source.tree) if getattr(each, "name", None) == name)


def test_names_of_enclosing_functions_are_seen_unless_bound_anew():
    source = Source(
        textwrap.dedent("""
        def outer(v):
            a = leave(v)

            def reads():
                b = a

            def binds(a):
                b = a
        """)
    )
    flow = ValueFlow(source, seeds(source), set())
    assert flow.names(function_of(source, "reads")) == {"a", "b"}
    assert flow.names(function_of(source, "binds")) == set()
    assert flow.names(function_of(source, "binds"), ["a"]) == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "returned"),
    [
        ("def f(v):\n    return 2.0 * leave(v)", True),
        ("def f(v):\n    a = leave(v)\n    return a > 0.0", False),
        ("def f(v):\n    print(leave(v))\n    return v", False),
        ("def f(v):\n    yield leave(v)", True),
    ],
)
def test_functions_that_return_what_is_computed(text, returned):
    source = Source(text)
    assert ValueFlow(source, seeds(source), set()).is_returned(function_of(source, "f")) is returned


def expression(text):
    return ast.parse(text).body[0].value


@pytest.mark.parametrize(
    ("text", "count", "parts"),
    [
        ("a * b", 2, ["a", "b"]),
        ("np.dot(a, b)", 2, ["a", "b"]),
        ("v.dot(b)", 2, ["v", "b"]),
        ("f(*a)", 2, None),
        ("f(a)", 3, None),
        ("a * b", 3, None),
    ],
)
def test_expressions_of_operands(text, count, parts):
    found = operands(expression(text), count)
    assert (found and [ast.unparse(each) for each in found]) == parts


def test_arguments_are_matched_with_parameters():
    def callee(self, a, b, *rest, c=None, **more):
        pass

    def pairs(text):
        return [(ast.unparse(each), name) for each, name in passed(expression(text), callee.__code__)]

    assert pairs("m.callee(1, 2, 3, c=4)") == [("1", "a"), ("2", "b"), ("3", "rest"), ("4", "c")]
    assert ("*args", "b") in pairs("m.callee(*args)")
