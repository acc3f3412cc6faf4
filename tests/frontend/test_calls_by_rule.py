"""Calls of functions with a user's rule in core form."""

from __future__ import annotations

import srcad
from srcad.frontend.lower import prepare
from srcad.printing.printer import print_function


@srcad.custom_vjp
def cube(x):
    return x * x * x


cube.defvjp(lambda x: (x * x * x, x), lambda x, y_bar: (3.0 * x * x * y_bar,))


def test_the_forward_function_takes_the_place_of_the_function():
    lines = [line.strip() for line in print_function(prepare(lambda x: cube(x) * 2.0).tree).splitlines()]
    assert any("cube_result(" in line for line in lines)
    assert not any("cube(" in line for line in lines[1:])


def test_the_function_itself_is_lowered_as_a_call_by_its_rule():
    assert "cube_result" in print_function(prepare(cube).tree)
