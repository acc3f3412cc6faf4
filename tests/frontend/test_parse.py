"""Finding a function in a text by the code that it was compiled to."""

import ast

import pytest

from srcad.frontend.parse import MismatchError, find_function, function_to_gast, same_code


def code_of(text, name="f"):
    namespace = {}
    exec(compile(text, "text.py", "exec", dont_inherit=True), namespace)
    return namespace[name].__code__


def found_in(text, code):
    return ast.unparse(find_function(code, text, "text.py").node)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x * x",
        "same = lambda f: f\n@same\n@same\ndef f(x):\n    return x * x",
        "def other(x): pass\nif True:\n    def f(x): return x * x",
        "from __future__ import annotations\ndef f(x: float) -> float:\n    return x * x",
        "def f(x):\n    'Say.'\n    return {1.0, 2.0, -0.0, float('nan')}, 1e309, (1, 1.0, True)",
    ],
)
def test_a_function_is_found_by_its_code(text):
    module = ast.parse(text)
    expected = next(node for node in ast.walk(module) if getattr(node, "name", None) == "f")
    assert found_in(text, code_of(text)) == ast.unparse(expected)


@pytest.mark.parametrize("body", ["x + x", "x * x * 1", "x * y", "x.a * x.b", "lambda: x * x", "x * x * 1.0"])
def test_a_text_that_says_something_else_is_not_taken(body):
    before = "def f(x, y=0):\n    return " + {"x * x * 1.0": "x * x * 1"}.get(body, "x * x")
    code = code_of(before)
    with pytest.raises(MismatchError, match="not what it was compiled from"):
        find_function(code, f"def f(x, y=0):\n    return {body}", "text.py")


def test_a_function_that_has_moved_is_not_taken():
    text = "def f(x):\n    return x * x"
    with pytest.raises(MismatchError, match="line 1 holds no function `f`"):
        find_function(code_of(text), "\n" + text, "text.py")


def test_a_text_that_does_not_parse_is_not_taken():
    with pytest.raises(MismatchError, match="does not parse"):
        find_function(code_of("def f(x): return x"), "def f(x: return x", "text.py")


def test_lambdas_that_share_a_line_are_told_apart():
    text = "f, g, h = lambda x: x + 1, lambda x: x + 2, lambda x: lambda y: x + y"
    for name, expected in [("f", "lambda x: x + 1"), ("g", "lambda x: x + 2"), ("h", "lambda x: lambda y: x + y")]:
        assert found_in(text, code_of(text, name)) == expected


def test_lambdas_that_share_a_line_and_have_constant_values_are_told_apart():
    """Where the value is on another line than the lambda begins, Python 3.12 has an instruction more."""
    text = "f, g, h = lambda x: (1.0,), lambda x: None, lambda x: (\n    2.0 if x else (lambda z: 3.0)\n)"
    for name, expected in [("f", "lambda x: (1.0,)"), ("g", "lambda x: None")]:
        assert found_in(text, code_of(text, name)) == expected
    assert found_in(text, code_of(text, "h")) == "lambda x: 2.0 if x else lambda z: 3.0"


@pytest.mark.parametrize("name", ["f", "g", "h"])
def test_statements_that_were_compiled_one_by_one_are_found(name):
    # As IPython compiles a cell. Python compiles `np.sin(x)` otherwise where the same text imports `np`.
    text = "import math as np\ndef f(x):\n    return np.sin(x) + x\ng, h = lambda x: np.sin(x), lambda x: np.cos(x)"
    namespace = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), "text.py", "exec", dont_inherit=True), namespace)
    expected = {"f": "def f(x):\n    return np.sin(x) + x", "g": "lambda x: np.sin(x)", "h": "lambda x: np.cos(x)"}
    assert found_in(text, namespace[name].__code__) == expected[name]
    assert found_in(text, code_of(text, name)) == expected[name]


def test_lambdas_that_share_a_line_and_their_text_are_the_same():
    text = "f, g = lambda x: x + 1, lambda x: x + 1"
    assert found_in(text, code_of(text, "g")) == "lambda x: x + 1"


def test_the_lambda_returned_by_a_lambda_is_found():
    text = "def make(): return (lambda x: lambda y: x * y)(2.0)\nf = make()"
    assert found_in(text, code_of(text)) == "lambda y: x * y"


def test_closures_and_private_names_are_found():
    inner = "def f(x):\n            return self.__p * x * k"
    text = f"class C:\n    def make(self, k):\n        {inner}\n        return f\nf = C().make(1)"
    assert found_in(text, code_of(text)).startswith("def f(x):")


def test_a_lambda_has_the_name_that_it_is_assigned_to():
    text = "f = lambda x: x\nfs = [lambda x: x]\ng = fs[0]"
    assert find_function(code_of(text), text, "text.py").name == "f"
    assert find_function(code_of(text, "g"), text, "text.py").name is None


def test_a_lambda_becomes_a_definition_of_one_return_where_it_stood():
    text = "f = lambda x, k=2: x * k"
    tree = function_to_gast(find_function(code_of(text), text, "text.py"), "f")
    assert (tree.name, tree.lineno, tree.col_offset) == ("f", 1, 4)
    assert (tree.body[0].col_offset, tree.body[0].end_col_offset) == (19, 24)


def test_assertions_rewritten_by_pytest_do_not_hide_the_text():
    def asserting(x):
        assert x > 0.0, "positive"
        return x

    code = asserting.__code__
    assert any(name.startswith("@py") for name in code.co_names), "pytest has rewritten this function"
    plain = code_of("def asserting(x):\n    assert x > 0.0, 'positive'\n    return x", "asserting")
    other = code_of("def asserting(y):\n    return y", "asserting")
    assert same_code(code, plain)
    assert not same_code(code, other)
