"""Errors: what, where and a way out, in classes that a caller would expect."""

import inspect

import pytest

from srcad import errors
from srcad.errors import Place, SrcadError, UnsupportedSyntax

PLACE = Place("kernel.py", 14, 8, 19, "        yield x * x")

CLASSES = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, SrcadError)]


def test_a_message_says_what_and_where_and_what_to_do():
    error = UnsupportedSyntax("a generator cannot be differentiated", at=PLACE, hint="return a list")
    assert str(error) == (
        "kernel.py:14:9: UnsupportedSyntax: a generator cannot be differentiated\n"
        "    14 |         yield x * x\n"
        "       |         ^^^^^^^^^^^\n"
        "hint: return a list"
    )


def test_a_message_without_a_place_is_what_and_hint():
    assert str(SrcadError("no", hint="yes")) == "no\nhint: yes"


def test_a_message_names_the_calls_through_which_a_helper_was_reached():
    call = Place("model.py", 3, 4, 9, "    f(x)")
    message = str(SrcadError("no", at=Place("kernel.py", 14, 8, 19, PLACE.text, inside=call)))
    assert "called from model.py:3:5\n     3 |     f(x)\n       |     ^^^^" in message


def test_carets_never_leave_the_line():
    assert Place("a.py", 1, 2, 99, "  x").excerpt() == "     1 |   x\n       |   ^"


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if kind is not SrcadError], ids=lambda kind: kind.__name__)
def test_an_error_is_a_builtin_too_and_is_drawn_in_the_tree(kind):
    _, builtin, *_ = kind.__bases__
    assert builtin.__module__ == "builtins"
    assert f"{kind.__name__}" in errors.__doc__
    assert f"({builtin.__name__})" in errors.__doc__


def test_the_message_survives_the_builtin_that_it_inherits_from():
    with pytest.raises(SyntaxError, match="a generator"):
        raise UnsupportedSyntax("a generator", at=PLACE)


def test_a_place_in_a_definition_of_srcads_own_is_shown_at_the_users_call():
    call = Place("model.py", 3, 4, 9, "    f(x)", inside=Place("main.py", 1, 0, 3, "g()"))
    for file in ("<srcad scipy.fft.fft>", errors.__file__):
        error = SrcadError("no", at=Place(file, 14, 8, 19, "        y = x * x", inside=call), hint="yes")
        assert str(error) == (
            "model.py:3:5: SrcadError: no\n"
            "     3 |     f(x)\n"
            "       |     ^^^^\n"
            "called from main.py:1:1\n"
            "     1 | g()\n"
            "       | ^^^\n"
            "in srcad's definition of it: y = x * x\n"
            "hint: yes"
        )


def test_without_a_call_the_place_in_the_definition_is_shown():
    place = Place("<srcad scipy.fft.fft>", 2, 4, 9, "    y = x")
    assert place.in_users_file() is None
    assert str(SrcadError("no", at=place)).startswith("<srcad scipy.fft.fft>:2:5: SrcadError: no")
