"""The vocabulary for statements prints as what it means."""

import gast
import pytest

from srcad.errors import Place
from srcad.transforms.ir import build, side_effects
from tests.transforms.core_text import printed


@pytest.mark.parametrize(("value", "expected"), [(2, "2"), (-2, "-2"), (-0.0, "-0.0"), (True, "True"), (None, "None")])
def test_a_literal_prints_as_its_value(value, expected):
    assert printed(build.const(value)) == expected


def test_a_negative_literal_is_what_the_parser_makes_of_it():
    parsed = gast.parse("-2", mode="eval").body
    assert gast.dump(build.const(-2)) == gast.dump(parsed)


@pytest.mark.parametrize("path", ["x", "np.linalg.norm"])
def test_a_dotted_path_comes_back(path):
    assert build.dotted_path(build.dotted(path)) == path


def test_what_is_not_a_path_has_none():
    assert build.dotted_path(gast.parse("f(x).y", mode="eval").body) is None


def test_statements_print_as_python():
    one = build.const(1)
    assert printed(build.assign("a", build.call("np.sum", build.load("x"), axis=one))) == "a = np.sum(x, axis=1)"
    store = build.subscript(build.load("x"), one, store=True)
    assert printed(build.augment(store, gast.Sub, build.load("a"))) == "x[1] -= a"
    loop = build.loop("i", [build.load("n")], [])
    assert printed(loop) == "for i in range(n):\n    pass"


def test_a_clone_shares_the_place_and_nothing_else():
    place = Place("f.py", 3, 0, 5, "a = b")
    statement = build.assign("a", build.load("b"), place)
    copied = build.clone(statement)
    copied.value.id = "c"
    assert statement.value.id == "b"
    assert build.place_of(copied) is place


def test_a_store_reads_its_subscript_and_its_array():
    statement = gast.parse("x[i, j:k] = a").body[0]
    assert sorted(side_effects.reads(statement)) == ["a", "i", "j", "k", "x"]
    assert build.written(statement) is None
    assert build.stores_into(statement) is statement.targets[0]


def test_a_compound_statement_reads_what_its_header_reads():
    statement = gast.parse("for i in range(0, n, 1):\n    a = x[i]").body[0]
    assert [name for name in side_effects.reads(statement) if name != "range"] == ["n"]
    assert build.written(statement) == "i"


def test_nested_statements_come_in_source_order():
    block = gast.parse("a = 1\nif c:\n    b = 2\nelse:\n    d = 3\ne = 4").body
    assert [build.written(statement) for statement in build.walk_statements(block)] == ["a", None, "b", "d", "e"]


def test_the_break_at_the_end_of_a_loop_is_an_exit():
    assert build.is_exit(gast.parse("if done:\n    break").body[0])
    assert not build.is_exit(gast.parse("if done:\n    a = 1").body[0])


NESTED = """
if a:
    x = 1
    for i in range(3):
        y = 2
        x = 3
else:
    x = 4
x = 5
"""


def text_of(block):
    return "\n".join(map(printed, block))


def test_blocks_come_before_the_blocks_inside_them():
    body = gast.parse(NESTED).body
    loop = body[0].body[1]
    assert list(build.walk_blocks(body)) == [body, body[0].body, loop.body, body[0].orelse]


def test_statements_are_rewritten_after_those_inside_them():
    seen = []

    def change(statement):
        seen.append(type(statement).__name__)
        return [statement, gast.Pass()] if isinstance(statement, gast.For) else [statement]

    rewritten = text_of(build.rewrite(gast.parse(NESTED).body, change))
    assert seen == ["Assign", "Assign", "Assign", "For", "Assign", "If", "Assign"]
    assert rewritten == NESTED.strip().replace("        x = 3", "        x = 3\n    pass")


def test_a_body_that_becomes_empty_gets_a_pass_and_an_else_goes():
    without = build.without_statements(gast.parse(NESTED).body, lambda each: build.written(each) in ("x", "y"))
    assert text_of(without) == "if a:\n    for i in range(3):\n        pass"


def test_blocks_are_changed_as_a_whole_the_inner_ones_first():
    assert text_of(build.rewrite_blocks(gast.parse(NESTED).body, lambda block: block[::-1])) == (
        "x = 5\nif a:\n    for i in range(3):\n        x = 3\n        y = 2\n    x = 1\nelse:\n    x = 4"
    )


def test_wanted_statements_inside_wanted_ones_are_not_outermost():
    body = gast.parse("for i in a:\n    for j in a:\n        pass\nif c:\n    while d:\n        pass").body
    assert list(build.outermost(body, build.is_loop)) == [(body, body[0]), (body[1].body, body[1].body[0])]


def test_a_name_that_is_renamed_twice_has_its_last_name():
    assert [build.end_of_chain({"a": "b", "b": "c"}, name) for name in "abz"] == ["c", "c", "z"]
