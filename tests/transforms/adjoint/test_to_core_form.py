"""Nested expressions become one primitive per statement."""

import gast
import pytest

from srcad.names import Names
from srcad.transforms.adjoint.to_core_form import Splitter
from tests.transforms.core_text import block_text


def split(text):
    return block_text(Splitter(Names({"a", "b", "x", "n"})).block(gast.parse(text).body))


@pytest.mark.parametrize(
    "text",
    [
        "y = a + b\n",
        "y = -a\n",
        "y = np.sum(x, axis=0)\n",
        "y = x[a]\n",
        "y = x.shape\n",
        "y = -1.0\n",
        "y = np.pi\n",
        "x[a] = b\n",
        "x[a] += b\n",
        "y = a, (b, 1)\n",
    ],
)
def test_core_form_stays(text):
    assert split(text) == text


def test_inner_operations_come_first_from_left_to_right():
    assert split("y = np.sin(a) * (b + 1.0)") == "t1 = np.sin(a)\nt2 = b + 1.0\ny = t1 * t2\n"


def test_a_stored_expression_is_computed_before():
    assert split("x[a] = b * 2.0") == "t1 = b * 2.0\nx[a] = t1\n"
    assert split("x[a] += np.sin(b)") == "t1 = np.sin(b)\nx[a] += t1\n"


def test_tuples_of_expressions_are_taken_apart_inside():
    assert split("y = np.reshape(x, (a + 1, -1))") == "t1 = a + 1\ny = np.reshape(x, (t1, -1))\n"


def test_an_attribute_of_an_expression_is_taken_of_its_value():
    assert split("y = f(a).shape") == "t1 = f(a)\ny = t1.shape\n"


def test_keywords_are_split_too():
    assert split("y = f(a, axis=n - 1)") == "t1 = n - 1\ny = f(a, axis=t1)\n"


def test_splitting_twice_changes_nothing():
    once = split("y = np.sin(a * b) / (1.0 + x[n])")
    assert split(once) == once
