"""A rule spliced into generated code reads as its formula, with the arguments of the call."""

import gast
import numpy as np
import pytest

from srcad.errors import CompilerBug
from srcad.names import Names
from srcad.runtime.rulebook.rule_template import Template
from srcad.transforms.adjoint.rule_expansion import product, splice
from srcad.transforms.ir.build import load
from tests.transforms.core_text import block_text, printed


def template(text, *parameters, defaults=None, **bindings):
    return Template(parameters, defaults or {}, tuple(gast.parse(text).body), bindings)


def spliced(rule, taken=(), bindings=None, **arguments):
    known = {name: gast.parse(value, mode="eval").body for name, value in arguments.items()}
    bindings = {} if bindings is None else bindings
    return splice(rule, known, lambda parameter: load(f"{parameter}_bar"), Names(taken), bindings)


def test_parameters_become_the_arguments_of_the_call():
    rule = template("return np.cos(x), None", "y", "x", "k", np=np)
    found = spliced(rule, y="v", x="a[i]", k="2")
    assert [printed(node) for node in found.returned] == ["np.cos(a[i])", "None"]


def test_a_single_partial_is_one_expression():
    assert [printed(node) for node in spliced(template("return 1.0 - y * y", "y", "x"), y="v", x="u").returned] == [
        "1.0 - v * v"
    ]


def test_contributions_come_in_order_with_their_parameters():
    rule = template("w = d[y] * b\nd[a] = w\nd[b] = d[y] * a", "y", "a", "b")
    found = spliced(rule, y="v", a="s", b="t")
    assert block_text(found.locals) == "w = y_bar * t\n"
    assert [(name, printed(value)) for name, value in found.contributions] == [("a", "w"), ("b", "y_bar * s")]


def test_locals_of_a_rule_avoid_the_names_of_the_function():
    rule = template("w = d[y]\nd[a] = w", "y", "a")
    found = spliced(rule, taken={"w"}, y="v", a="s")
    assert block_text(found.locals) == "w_2 = y_bar\n"
    assert printed(found.contributions[0][1]) == "w_2"


def test_a_parameter_that_is_not_given_has_its_default():
    rule = template("d[x] = f(d[y], axis)", "y", "x", "axis", defaults={"axis": (0, -1)}, f=max)
    assert printed(spliced(rule, y="v", x="a").contributions[0][1]) == "f(y_bar, (0, -1))"


def test_objects_that_a_rule_names_are_bound():
    bindings = {"np": np}
    spliced(template("return np.cos(x)", "y", "x", np=np), bindings=bindings, y="v", x="u")
    assert bindings == {"np": np}


def test_an_object_is_known_by_the_name_that_it_has():
    bindings = {"numpy": np}
    found = spliced(template("return np.cos(x)", "y", "x", np=np), bindings=bindings, y="v", x="u")
    assert printed(found.returned[0]) in ("numpy.cos(u)", "np.cos(u)")
    assert bindings[printed(found.returned[0]).split(".")[0]] is np


def test_a_name_that_means_something_else_is_not_taken():
    bindings = {"np": "the user's"}
    found = spliced(template("return np.cos(x)", "y", "x", np=np), taken={"np"}, bindings=bindings, y="v", x="u")
    assert printed(found.returned[0]) == "np_2.cos(u)"
    assert bindings == {"np": "the user's", "np_2": np}


def test_builtins_need_no_binding():
    bindings = {}
    spliced(template("return abs(x)", "y", "x", abs=abs), bindings=bindings, y="v", x="u")
    assert bindings == {}


def test_a_rule_can_be_spliced_twice():
    rule = template("w = d[y] * x\nd[x] = w", "y", "x")
    names, bindings = Names(), {}
    for _ in range(2):
        splice(rule, {"y": load("v"), "x": load("u")}, lambda _: load("v_bar"), names, bindings)
    assert printed(rule.body[0]) == "w = d[y] * x"


def test_a_rule_that_is_no_straight_line_is_the_compilers_fault():
    with pytest.raises(CompilerBug):
        spliced(template("if x:\n    pass", "y", "x"), y="v", x="u")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a", "b", "a * b"),
        ("a", "1.0", "a"),
        ("1", "b", "b"),
        ("a", "-1.0", "-a"),
        ("-a", "b", "-(a * b)"),
        ("a", "-b", "-(a * b)"),
        ("-a", "-b", "--(a * b)"),
        ("a", "True", "a * True"),
    ],
)
def test_a_product_leaves_factors_of_one_out(left, right, expected):
    found = printed(product(gast.parse(left, mode="eval").body, gast.parse(right, mode="eval").body))
    values = {"a": 3.0, "b": 5.0}
    assert eval(found, values) == eval(expected, values)
    assert "1" not in found
