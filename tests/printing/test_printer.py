"""The printer, held against the standard library's own and against the text of the standard library."""

import ast
import sysconfig
from pathlib import Path

import gast
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srcad.printing.printer import print_function, print_module
from srcad.transforms.ir.node_notes import note

STDLIB = Path(sysconfig.get_paths()["stdlib"])
FILES = ("ast.py", "argparse.py", "dataclasses.py", "fractions.py", "statistics.py", "inspect.py", "asyncio/tasks.py")


def meaning(text):
    return ast.dump(ast.parse(text))


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("convert", [lambda tree: tree, gast.ast_to_gast], ids=["ast", "gast"])
def test_the_standard_library_means_the_same_when_printed(file, convert):
    tree = ast.parse((STDLIB / file).read_text(encoding="utf-8"))
    assert meaning(print_function(convert(tree))) == meaning(ast.unparse(tree))


names = st.sampled_from(["x", "y", "np.sin"]).map(lambda name: ast.parse(name, mode="eval").body)
constants = st.one_of(
    st.booleans(),
    st.none(),
    st.just(...),
    st.text(max_size=3),
    st.integers(min_value=0),
    st.floats(min_value=0.0, allow_nan=False),
    st.floats(min_value=0.0, allow_nan=False).map(lambda value: complex(0.0, value)),
).map(ast.Constant)

BINARY = (
    ast.Add(),
    ast.Sub(),
    ast.Mult(),
    ast.MatMult(),
    ast.Div(),
    ast.Pow(),
    ast.LShift(),
    ast.BitXor(),
    ast.BitAnd(),
)
UNARY = (ast.USub(), ast.UAdd(), ast.Not(), ast.Invert())
COMPARISONS = (ast.Eq(), ast.Lt(), ast.IsNot(), ast.NotIn())


def a_tuple(elements):
    return ast.Tuple(elements, ast.Load())


def no_arguments():
    return ast.arguments([], [ast.arg("z")], None, [], [], None, [])


def larger(inner):
    several = st.lists(inner, max_size=3)
    slices = st.builds(ast.Slice, st.none() | inner, st.none() | inner, st.none() | inner)
    items = st.lists(inner | slices, min_size=1, max_size=3).map(a_tuple)
    return st.one_of(
        st.builds(ast.BinOp, inner, st.sampled_from(BINARY), inner),
        st.builds(ast.UnaryOp, st.sampled_from(UNARY), inner),
        st.builds(ast.BoolOp, st.sampled_from([ast.And(), ast.Or()]), st.lists(inner, min_size=2, max_size=3)),
        st.builds(
            lambda a, op, b, c: ast.Compare(a, [op, op], [b, c]), inner, st.sampled_from(COMPARISONS), inner, inner
        ),
        st.builds(ast.IfExp, inner, inner, inner),
        st.builds(lambda body: ast.Lambda(no_arguments(), body), inner),
        st.builds(lambda value: ast.NamedExpr(ast.Name("w", ast.Store()), value), inner),
        st.builds(lambda value: ast.Attribute(value, "T", ast.Load()), inner),
        st.builds(lambda value, index: ast.Subscript(value, index, ast.Load()), inner, inner | slices | items),
        st.builds(lambda f, args, value: ast.Call(f, args, [ast.keyword("axis", value)]), inner, several, inner),
        st.builds(lambda values: ast.Call(ast.Name("f", ast.Load()), values, []), several),
        several.map(a_tuple),
        several.map(lambda elements: ast.List(elements, ast.Load())),
        several.map(lambda values: ast.Dict([ast.Constant("k") for _ in values], values)),
    )


expressions = st.recursive(names | constants, larger, max_leaves=12)
statements = st.one_of(
    expressions.map(ast.Expr),
    expressions.map(ast.Return),
    expressions.map(lambda value: ast.AugAssign(ast.Name("x", ast.Store()), ast.Add(), value)),
    expressions.map(lambda value: ast.Assign([ast.Name("x", ast.Store())], value, lineno=1)),
    expressions.map(lambda value: ast.While(value, [ast.Pass()], [])),
    expressions.map(lambda value: ast.For(ast.Name("x", ast.Store()), value, [ast.Pass()], [], lineno=1)),
    expressions.map(lambda value: ast.Assert(value, value)),
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(statements)
def test_any_statement_means_the_same_when_printed(statement):
    module = ast.Module([statement], [])
    assert meaning(print_function(module)) == meaning(ast.unparse(module))


@pytest.mark.slow
@given(st.floats() | st.integers() | st.complex_numbers())
def test_a_number_is_printed_exactly(value):
    again = eval(print_function(gast.Constant(value=value, kind=None)))
    assert repr(again) == repr(value)
    assert type(again) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "a[i, 1:n]",
        "a[..., None]",
        "a[()]",
        "a[1:2,]",
        "a[::-1, i]",
        "a[i][j]",
        "a[(i, j), k]",
        "a - (b - c) - d",
        "a ** -b ** c",
        "(-a) ** b",
        "-a ** b",
        "not a == b",
        "(a if b else c) if d else e",
        "a if b else c if d else e",
        "(lambda x: x)(1)",
        "f(x for x in y)",
        "(a, b), c",
        "(a,)",
        "(a,), b",
        "2 * (a + b) / c",
        "a / (b * c)",
        "(a < b) < c",
        "a and (b or c)",
        "yield",
    ],
)
def test_an_expression_that_needs_no_more_brackets_keeps_its_spelling(text):
    assert print_function(gast.parse(text).body[0]).strip() == text


@pytest.mark.parametrize(
    ("value", "power"), [(-2.0, "(-2.0) ** x"), (-2, "(-2) ** x"), (2.0, "2.0 ** x"), (-0.0, "(-0.0) ** x")]
)
def test_a_negative_constant_is_bracketed_where_its_sign_binds_less_tightly(value, power):
    x = gast.Name("x", gast.Load(), None, None)
    assert print_function(gast.BinOp(gast.Constant(value, None), gast.Pow(), x)).strip() == power


@pytest.mark.parametrize(
    "text",
    [
        "return a, b",
        "a, b = b, a",
        "for i, x in enumerate(a):\n    pass",
        "x: float = 1.0",
        "x[i, 1:] += 2.0",
        "if a:\n    pass\nelif b:\n    pass\nelse:\n    pass",
        'def f(a, /, b: int = 1, *c, d=2, **e) -> float:\n    """Say.\n\n    More.\n    """\n    return a',
        "def f():\n    x = 1\n\n    def g():\n        pass\n\n    return g",
        "raise ValueError(f'{x!r:>{w}}') from None",
        "@njit(fastmath=True)\ndef f():\n    return",
    ],
)
def test_a_statement_in_plain_style_keeps_its_spelling(text):
    assert print_function(gast.parse(text).body[0]) == text + "\n"


def commented(text, comment):
    tree = gast.parse(text).body[0]
    return print_function(note(tree, comment=comment))


def test_a_comment_stands_behind_the_first_line_of_its_statement():
    assert commented("if a:\n    b = 1", "line 7") == "if a:  # line 7\n    b = 1\n"
    assert commented("x = 1", "line\n7") == "x = 1  # line 7\n"


def test_a_comment_of_an_elif_stands_behind_it():
    tree = gast.parse("if a:\n    pass\nelif b:\n    pass").body[0]
    note(tree.orelse[0], comment="line 9")
    assert print_function(tree) == "if a:\n    pass\nelif b:  # line 9\n    pass\n"


def test_a_long_comment_is_cut_so_that_the_line_keeps_its_width():
    printed = commented("x = " + "a + " * 20 + "a", "c" * 200)
    assert len(printed.rstrip("\n")) == 120
    assert printed.endswith("c...\n")


def test_a_comment_without_room_stands_above_its_statement():
    printed = commented("x = " + "a + " * 30 + "a", "line 3").splitlines()
    assert [line[:10] for line in printed] == ["# line 3", "x = a + a "]


def with_lines(text, *comments):
    """A function, each statement of which has the comment at its place; "" is for none."""
    tree = gast.parse(text).body[0]
    statements = [each for each in gast.walk(tree) if isinstance(each, gast.stmt) and each is not tree]
    statements.sort(key=lambda each: each.lineno)
    for statement, comment in zip(statements, comments, strict=True):
        note(statement, comment=comment or None)
    return print_function(tree).splitlines()[1:]


def test_statements_that_reverse_one_line_have_it_above_them():
    lines = with_lines(
        "def f():\n  z = 0\n  a = 1\n  b = 2\n  c = 3\n  d = 4", "", *["line 2: y = x"] * 3, "line 1: x = 1"
    )
    assert lines == [
        "    z = 0", "", "    # line 2: y = x", "    a = 1", "    b = 2", "    c = 3", "    d = 4  # line 1: x = 1",
    ]  # fmt: skip


def test_statements_without_a_line_belong_to_the_group_around_them():
    assert with_lines("def f():\n  a = 1\n  b = 2\n  c = 3", "line 2: y", "", "line 2: y")[0] == "    # line 2: y"
    assert with_lines("def f():\n  a = 1\n  b = 2", "line 2: y", "") == ["    a = 1  # line 2: y", "    b = 2"]
    other = with_lines("def f():\n  a = 1\n  b = 2\n  c = 3", "line 2: y", "overwritten", "line 2: y")
    assert [line.partition("  # ")[2] for line in other] == ["line 2: y", "overwritten", "line 2: y"]


def test_a_line_is_not_told_again_inside_of_its_loop():
    text = "def f():\n  for i in r:\n    a = 1\n    b = 2\n    c = 3\n    d = 4"
    lines = with_lines(text, *["line 2: y = x"] * 2, "", "line 1: x = 1", "line 2: y = x")
    assert [line.partition("  # ")[2] for line in lines] == ["line 2: y = x", "", "", "line 1: x = 1", "line 2: y = x"]


def test_a_loop_that_looks_like_its_line_has_the_number_only():
    assert with_lines("def f():\n  for i in r:\n    pass", "line 2: for i in r:", "")[0] == "    for i in r:  # line 2"


def test_a_blank_line_stands_before_the_reverse_sweep_and_the_adjoints_that_it_begins_with():
    lines = with_lines("def f():\n  x = 1\n  x_bar = 0.0\n  b = 2\n  c = 3", "", "", "line 2: y", "line 1: x")
    assert lines == ["    x = 1", "", "    x_bar = 0.0", "    b = 2  # line 2: y", "    c = 3  # line 1: x"]
    assert "" not in with_lines("def f():\n  x_bar = 0.0\n  b = 2", "", "line 2: y")


def test_comments_can_be_given_by_line():
    tree = gast.parse("def f(x):\n    y = x\n    return y").body[0]
    assert print_function(tree, {3: "here"}) == "def f(x):\n    y = x\n    return y  # here\n"


def test_a_module_separates_definitions_by_two_blank_lines():
    nodes = gast.parse("a = 1\nb = 2\ndef f():\n    return\ndef g():\n    return\nc = 3").body
    assert print_module(nodes, ["import math"]) == (
        "import math\n\na = 1\nb = 2\n\n\ndef f():\n    return\n\n\ndef g():\n    return\n\n\nc = 3\n"
    )
