"""What a checkpointed loop reads, writes into and carries; what cannot be repeated is refused."""

import numpy as np
import pytest

import srcad
from srcad.errors import MayOverlap, UnsupportedSyntax
from srcad.printing.printer import print_function
from srcad.transforms.checkpointing.loop_state import state_of
from tests.checking import assert_gradient
from tests.transforms.core_text import at_line, program_of


def state(text, signature, after, line=2):
    program = program_of(text, signature)
    return state_of(program, at_line(program.unit, line), frozenset(after))


def test_numbers_that_are_carried_end_as_what_the_body_stores():
    found = state(
        """
def f(x, c, n):
    for i in range(0, n, 1):
        t = x_2 * c
        u = t + i
        x_2 = u
    return x_2
""".replace("(x,", "(x_2,"),
        "f8, f8, i8",
        ["x_2"],
    )
    assert (found.inputs, found.works, found.carried, found.results) == (("c",), (), ("x_2",), ("x_2",))
    assert print_function(found.ends["x_2"]).strip() == "u"
    assert found.names == ("c", "x_2")


def test_an_array_that_is_written_into_keeps_its_name():
    text = """
def f(y, c, n):
    for i in range(0, n, 1):
        t = y[i]
        u = t * c
        y[i] = u
    return y
"""
    found = state(text, "f8[::1], f8, i8", ["y"])
    assert (found.inputs, found.works, found.carried, found.sinks) == (("c",), ("y",), (), frozenset())


def test_an_array_that_is_only_written_into_needs_no_snapshot():
    text = """
def f(y, c, n):
    for i in range(0, n, 1):
        t = c * i
        y[i] = t
    return y
"""
    assert state(text, "f8[::1], f8, i8", ["y"]).sinks == {"y"}
    assert state(text.replace("y[i] = t", "y[i] *= t"), "f8[::1], f8, i8", ["y"]).sinks == frozenset()
    assert state(text.replace("y[i] = t", "y[i] += t"), "f8[::1], f8, i8", ["y"]).sinks == {"y"}


def test_arrays_that_are_exchanged_move():
    text = """
def f(x, n):
    a = np.copy(x)
    b = np.copy(x)
    a_2 = a
    b_2 = b
    for i in range(0, n, 1):
        t = a_2[0]
        b_2[0] = t
        h = a_2
        a_2 = b_2
        b_2 = h
    return a_2
"""
    found = state(text, "f8[::1], i8", ["a_2"], line=6)
    assert found.carried == ("a_2", "b_2")
    assert found.results == ("a_2",)
    assert found.moved == {"a_2": "b_2", "b_2": "a_2"}
    assert found.written == {"a_2", "b_2"}


def test_views_of_what_is_written_are_made_again():
    text = """
def f(x, n):
    y = np.copy(x)
    v = y[1:]
    for i in range(0, n, 1):
        t = v[i]
        y[i] = t
    return y
"""
    found = state(text, "f8[::1], i8", ["y"], line=4)
    assert found.works == ("y",)
    assert [print_function(each).strip() for each in found.views] == ["v = y[1:]"]


def test_names_can_be_changed_together():
    text = """
def f(y, c, n):
    for i in range(0, n, 1):
        t = c * i
        y[i] = t
    return y
"""
    found = state(text, "f8[::1], f8, i8", ["y"]).renamed("{}_new".format)
    assert (found.inputs, found.works, found.sinks) == (("c_new",), ("y_new",), {"y_new"})


def printing(x, n):
    for _ in srcad.checkpointed(range(n)):
        print(x)
        x = x * 1.5
    return x


def drawing(x, n):
    for _ in srcad.checkpointed(range(n)):
        x = x * np.random.random()
    return x


@pytest.mark.parametrize(("function", "message"), [(printing, "neither print"), (drawing, "nor draw")])
def test_iterations_that_are_not_the_same_again_are_refused(function, message):
    with pytest.raises(UnsupportedSyntax, match=message) as refused:
        srcad.grad(function, jit=False)(0.5, 3)
    assert "test_loop_state.py" in str(refused.value)


EXCHANGED = """
def f(x, n):
    a = np.copy(x)
    b = {}
    a_2 = a
    b_2 = b
    for i in range(0, n, 1):
        t = a_2[1]
        b_2[0] = t
        h = a_2
        a_2 = b_2
        b_2 = h
    return a_2
"""


def test_carried_arrays_that_may_be_one_are_refused():
    assert state(EXCHANGED.format("np.copy(x)"), "f8[::1], i8", ["a_2"], line=6).written == {"a_2", "b_2"}
    with pytest.raises(MayOverlap, match="may be one array, which a checkpointed loop writes into"):
        state(EXCHANGED.format("a[1:]"), "f8[::1], i8", ["a_2"], line=6)


def of_one_array(x, n):
    y = x * 1.0
    v = y
    for i in srcad.checkpointed(range(n)):
        v = y * 2.0
        y[i] = v[i]
    return np.sum(y * v)


def exchanged_with_a_view(x, n):
    a = x * 1.0
    b = a[::-1]
    for _ in srcad.checkpointed(range(n)):
        b[0] = a[1] * a[0]
        a, b = b, a
    return np.sum(a * a)


def test_a_name_that_begins_with_an_array_that_is_written_into_is_refused():
    with pytest.raises(MayOverlap, match="'y' and 'v' may be one array"):
        srcad.grad(of_one_array, jit=False)(np.ones(3), 3)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_gradient_of_an_array_that_is_exchanged_with_its_view(n):
    assert_gradient(exchanged_with_a_view, np.array([0.5, 0.25, 2.0]), n, modes=("arrays", "gradient"))
