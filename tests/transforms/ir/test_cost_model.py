"""What operations are said to cost, in comparison with each other."""

import math

import gast
import numpy as np
import pytest

from srcad.transforms.ir.cost_model import CHEAP_OPERATION, EXPENSIVE_OPERATION, operation_cost


def cost(text, primitive=None, is_integer=False, is_array=False):
    return operation_cost(gast.parse(text).body[0].value, is_integer, is_array, primitive)


def test_operations_are_ranked_by_how_long_they_take():
    ranked = [cost("x * y"), cost("a[i]"), cost("abs(x)", abs), cost("x / y"), cost("x % y"), cost("np.exp(x)", np.exp)]
    assert ranked == sorted(set(ranked))


@pytest.mark.parametrize("primitive", [np.exp, math.sin, None])
def test_calls_are_expensive_unless_they_are_known_not_to_be(primitive):
    assert cost("f(x)", primitive) == EXPENSIVE_OPERATION


def test_a_root_costs_as_much_as_a_division():
    assert cost("np.sqrt(x)", np.sqrt) == cost("np.divide(x, y)", np.divide) == cost("x / y")


def test_arithmetic_of_integers_is_cheap():
    assert cost("i // 2", is_integer=True) == CHEAP_OPERATION < cost("x // 2")


def test_views_cost_little_whatever_makes_them():
    assert cost("np.transpose(a)", np.transpose, is_array=True) < EXPENSIVE_OPERATION


def test_a_copied_name_costs_as_little_as_anything():
    assert operation_cost(None, False, False, None) == cost("x") == CHEAP_OPERATION
