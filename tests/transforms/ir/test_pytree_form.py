"""Forms of structured data: what is built from leaves has them where they were."""

import functools
from collections import namedtuple

import pytest

from srcad.transforms.ir.pytree_form import LEAF, Fixed, Form, assembled, built, from_tuples, to_tuples

Pair = namedtuple("Pair", "a b")


class Slotted:
    __slots__ = ("w",)

    def __init__(self, w):
        raise AssertionError("made without __init__")


NESTED = Form(dict, ("p", "t"), (Form(Pair, (0, 1), (LEAF, Fixed(None))), Form(list, (0, 1), (LEAF, Fixed("text")))))


def test_leaves_are_counted_named_and_put_back():
    assert NESTED.leaves == 2
    assert list(NESTED.names("x", lambda wish: wish)) == ["x_p_0", "x_t_0"]
    assert built(NESTED, iter([1.0, 2.0])) == {"p": Pair(1.0, None), "t": [2.0, "text"]}


def test_tuples_and_back():
    data = {"t": [2.0, "text"], "p": Pair(1.0, None)}
    assert to_tuples(NESTED, data) == ((1.0, 0), (2.0, 0))
    assert from_tuples(NESTED, ((1.0, 0), (2.0, 0))) == data


@pytest.mark.parametrize("other", [{"p": Pair(1.0, None)}, {"p": Pair(1.0, None), "t": [2.0]}, {"p": 1.0, "t": 2.0}])
def test_data_of_another_form_is_noticed(other):
    with pytest.raises((LookupError, TypeError)):
        to_tuples(NESTED, other)


def test_objects_are_made_without_their_init():
    made = assembled(Slotted, ("w",), [3.0])
    assert type(made) is Slotted
    assert made.w == 3.0


def test_a_partial_is_made_of_its_parts_and_in_a_gradient_has_no_function():
    parts = ("func", "args", "keywords")
    made = assembled(functools.partial, parts, [max, (1.0,), {"default": 2.0}])
    assert (made.func, made.args, made.keywords) == (max, (1.0,), {"default": 2.0})
    gradient = assembled(functools.partial, parts, [None, (1.0,), {}])
    assert gradient.args == (1.0,)
    assert gradient() is None
