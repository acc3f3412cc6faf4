"""Numbers and rare expressions, beyond what the round trips of the whole printer reach."""

import math

import gast
import numpy as np
import pytest

from srcad.errors import CompilerBug
from srcad.printing.printer import print_function


def printed(value):
    return print_function(gast.Constant(value=value, kind=None)).strip()


def test_numbers_that_have_no_literal_need_no_import():
    assert math.isnan(eval(printed(math.nan), {"__builtins__": {}}))
    assert eval(printed(-math.inf), {"__builtins__": {}}) == -math.inf


def test_nan_is_bracketed_inside_an_operation():
    text = print_function(gast.BinOp(gast.Constant(math.nan, None), gast.Mult(), gast.Constant(2.0, None)))
    assert text.strip() == "(1e309 - 1e309) * 2.0"


def test_numbers_of_numpy_that_are_pythons_print_as_such():
    assert printed(np.float64(0.1)) == "0.1"


def test_a_constant_without_a_literal_is_a_bug_of_the_compiler():
    with pytest.raises(CompilerBug, match="float32"):
        printed(np.float32(0.5))


def test_a_constant_tuple_is_printed_in_brackets():
    assert printed((1, (2.0,))) == "(1, (2.0,))"


def test_an_integer_is_bracketed_before_a_dot():
    assert (
        print_function(gast.parse("(3).real + (-3).real + 3.5.real").body[0]).strip()
        == "(3).real + (-3).real + 3.5.real"
    )
