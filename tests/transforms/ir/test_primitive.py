"""The object that an operation applies, and its arguments."""

import math
import operator

import gast
import numpy as np
import pytest

from srcad.transforms.ir.primitive import constant, is_atom, operands, primitive_of


def expression(text):
    return gast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("text", "primitive"),
    [
        ("a + b", operator.add),
        ("a / b", operator.truediv),
        ("a @ b", operator.matmul),
        ("-a", operator.neg),
        ("not a", operator.not_),
        ("a <= b", operator.le),
        ("np.linalg.norm(a)", np.linalg.norm),
        ("math.lgamma(a)", math.lgamma),
        ("abs(a)", abs),
        ("f(a)", max),
    ],
)
def test_an_operation_applies_its_object(text, primitive):
    assert primitive_of(expression(text), {"np": np, "math": math, "f": max}) is primitive


@pytest.mark.parametrize("text", ["a", "1.0", "-1.0", "a[0]", "(a, b)", "a.shape"])
def test_what_applies_nothing_has_no_primitive(text):
    assert primitive_of(expression(text), {}) is None


def test_arguments_are_positional_and_by_keyword():
    positional, keywords = operands(expression("np.sum(a, axis=0)"))
    assert [node.id for node in positional] == ["a"]
    assert {key: constant(value) for key, value in keywords.items()} == {"axis": 0}


def test_operators_have_their_operands_as_arguments():
    assert [node.id for node in operands(expression("a - b"))[0]] == ["a", "b"]
    assert [node.id for node in operands(expression("a < b"))[0]] == ["a", "b"]
    assert [node.id for node in operands(expression("-a"))[0]] == ["a"]


@pytest.mark.parametrize(
    ("text", "expected"), [("a", True), ("2", True), ("-2", True), ("np.pi", True), ("a + b", False), ("a[0]", False)]
)
def test_names_and_literals_are_atoms(text, expected):
    assert is_atom(expression(text)) is expected


@pytest.mark.parametrize(("text", "expected"), [("2", 2), ("-2.5", -2.5), ("a", None), ("...", ...)])
def test_literals_have_values(text, expected):
    assert constant(expression(text)) == expected
