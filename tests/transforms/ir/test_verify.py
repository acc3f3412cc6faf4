"""The checker lets core form pass and names what is not."""

import gast
import pytest

from srcad.errors import CompilerBug
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from srcad.transforms.ir.build import at
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.verify import check_core, check_nested

CORE = """
def f(x, n):
    t1 = x[0, 1:n, None, ...]
    t2 = np.linalg.norm(t1, axis=(0, -1))
    a = (t1, (t2, 3))
    b = x.shape
    c = -t2
    d = t2 < np.inf
    x[n] = t2
    x[n] += 1.0
    if d:
        assert d, 'text'
    else:
        print(f'{t2} is large')
        raise ValueError('text')
    for i in range(0, n, -1):
        pass
        if d:
            break
    while d:
        d = False
    return (t2, a)
"""

NOT_CORE = {
    "a = x + 1 * n": "more than one operation",
    "a = x[0][1]": "more than one operation",
    "a = x[n + 1]": "more than one operation",
    "a = x.T": "more than one operation",
    "a = x.size + n": "more than one operation",
    "a = x.sum()": "more than one operation",
    "a = [x, n]": "more than one operation",
    "a = x and n": "more than one operation",
    "a = x if n else n": "more than one operation",
    "a = 0 < x < n": "more than one operation",
    "a = np.sum(x + 1)": "more than one operation",
    "a = np.sum(*x)": "more than one operation",
    "a = np.sum(**x)": "more than one operation",
    "x[n] = n + 1": "a store",
    "x[n] **= 2": "an augmented store",
    "a += 1": "a statement of another kind",
    "a, b = x": "a statement of another kind",
    "a = b = x": "a statement of another kind",
    "a: float = x": "a statement of another kind",
    "np.sum(x)": "a statement of another kind",
    "return x": "a statement of another kind",
    "if x < n: a = 1": "a branch",
    "for a in x: b = 1": "a loop over something else",
    "for x[0] in range(n): b = 1": "a loop over something else",
    "for a in range(n + 1): b = 1": "the bounds of a loop",
    "for a in range(n): continue": "a statement of another kind",
    "for a in range(n): b = 1\nelse: b = 2": "a loop over something else",
    "while x < n: x = n": "a while whose test",
    "assert x < n": "an assertion",
    "def g(): return 1": "a statement of another kind",
    "with x: a = 1": "a statement of another kind",
}


def placed(text):
    tree = gast.parse(text).body[0]
    for node in gast.walk(tree):
        if isinstance(node, gast.stmt):
            at(node, None)
    return tree


def test_core_form_passes():
    check_core(placed(CORE))


@pytest.mark.parametrize("statement", NOT_CORE)
def test_anything_else_is_named(statement):
    indented = statement.replace("\n", "\n    ")
    with pytest.raises(CompilerBug, match=NOT_CORE[statement]):
        check_core(placed(f"def f(x, n):\n    {indented}\n    return x"))


@pytest.mark.parametrize("head", ["x, n=1", "x, *n", "x, /, n", "*, n"])
def test_parameters_are_plain(head):
    with pytest.raises(CompilerBug, match="parameters other than plain ones"):
        check_core(placed(f"def f({head}):\n    return n"))


def test_every_statement_has_a_place():
    def f(x):
        for v in x:
            if v > 0.0:
                break
        return v

    tree = lower(load(f)).tree
    note(next(node for node in tree.body if isinstance(node, gast.For)).body[-1], is_placed=False)
    with pytest.raises(CompilerBug, match="without a place: If"):
        check_core(tree)


def test_a_function_ends_with_its_only_return():
    with pytest.raises(CompilerBug, match="without a last return"):
        check_core(placed("def f(x):\n    a = x"))


NESTED = """
def f(x, n, trace):
    a, b = trace[0], np.zeros((n, 2))
    for i in prange(n):
        x[i + 1] += 2.0 * np.sin(x[i]) if i > 0 and n else 0.0
        if x[i] < a:
            break
    for _ in range(n):
        if _ > 0:
            b[_] -= c
        c = x[_]
    while n > 0:
        n -= 1
    np.add(x, 1.0, x)
    return a, [x, b[1:, None]]
"""
NOT_NESTED = {
    "a = b = x": "a statement of another kind",
    "a = lambda: x": "more than one operation",
    "a = [each for each in x]": "more than one operation",
    "x[n], a = x": "an assignment to several names",
    "for a in x: b = 1": "a loop over something else",
    "while (a := n): b = 1": "a while loop",
    "with x: a = 1": "a statement of another kind",
    "del x": "a statement of another kind",
    "a = b + 1\nb = 2": "a name that is read before it is stored: b",
    "a += 1": "a name that is read before it is stored: a",
    "for i in range(n):\n a = i\nb[0] = a\nb = x": "a name that is read before it is stored: b",
}


def nested(text):
    return gast.parse(text.strip()).body[0]


def test_generated_functions_have_nested_operations():
    check_nested(nested(NESTED))


@pytest.mark.parametrize("line", NOT_NESTED)
def test_other_statements_are_refused_in_generated_functions(line):
    body = "".join(f"    {each}\n" for each in line.split("\n"))
    with pytest.raises(CompilerBug, match=NOT_NESTED[line]):
        check_nested(nested(f"def f(x, n):\n{body}    return x"))


def test_no_statement_occurs_twice():
    tree = nested("def f(x):\n    a = x\n    return a")
    tree.body.insert(1, tree.body[0])
    with pytest.raises(CompilerBug, match="a statement that occurs twice"):
        check_nested(tree)


def test_no_expression_occurs_twice():
    tree = nested("def f(x):\n    a = x + 1\n    b = x\n    return a")
    tree.body[1].value = tree.body[0].value
    with pytest.raises(CompilerBug, match="an expression that occurs twice: BinOp"):
        check_nested(tree)
