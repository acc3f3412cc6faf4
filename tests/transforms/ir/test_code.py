"""Facts are computed once for each code, and anew for what a pass has made of it."""

import gast

from srcad.transforms.ir.code import Code, Settings, code_of, fact, store_counts
from srcad.transforms.ir.name_types import Types

TEXT = """
def f(x, n):
    s = x
    for i in range(n):
        s = s + i
        s += x
    return s
"""


def test_a_fact_is_computed_once_for_each_code():
    calls = []

    @fact
    def lines(code):
        calls.append(code)
        return len(code.body)

    code = code_of(TEXT)
    assert lines(code) == lines(code) == 3
    shorter = code.with_body(code.body[1:])
    assert lines(shorter) == 2
    assert calls == [code, shorter]


def test_facts_of_one_analysis_are_not_those_of_another():
    code = code_of(TEXT)
    first, second = fact(lambda code: "first"), fact(lambda code: "second")
    assert (first(code), second(code), first(code)) == ("first", "second", "first")


def test_names_are_counted_as_often_as_they_are_stored():
    assert store_counts(code_of(TEXT)) == {"x": 1, "n": 1, "s": 3, "i": 1}


def test_another_body_leaves_the_first_one_alone():
    code = code_of(TEXT)
    shorter = code.with_body(code.body[:1])
    assert len(code.body) == 3
    assert shorter.unit.tree is not code.unit.tree
    assert shorter.parameters == code.parameters == ("x", "n")


def test_the_same_unit_is_the_same_code():
    code = code_of(TEXT)
    assert code.with_unit(code.unit) is code
    assert code.with_unit(code.unit, code.types) is code
    assert code.with_unit(code.unit, Types()) is not code


def test_fresh_names_do_not_occur():
    names = code_of(TEXT).fresh_names()
    assert [names.fresh(each) for each in ("x", "s", "t")] == ["x_2", "s_2", "t"]


def test_what_is_known_of_the_primal():
    code = code_of(TEXT)
    assert (code.knows_primals, code.without_primal, code.is_typed) == (False, False, False)
    tree = gast.parse(TEXT).body[0]
    made = Code(code.unit.with_tree(tree), primals=0, settings=Settings(loops=False))
    assert (made.knows_primals, made.without_primal, made.settings.loops) == (True, True, False)
