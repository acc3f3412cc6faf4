"""Watching a core function: types of names, blocks reached, nothing changed by it."""

import numpy as np
import pytest
from numba import types

from srcad.errors import UnsupportedSyntax
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from srcad.transforms.inference.execution_tracing import Conflict, joined, type_of, watch
from tests.transforms.core_text import ssa_of

VECTOR = types.Array(types.float64, 1, "C")


def watched(f, *samples):
    return watch(ssa_of(lower(load(f))), samples)


def test_names_have_the_types_of_their_values():
    def f(x, n):
        y = np.roll(x, (1, 0), axis=0)
        k = n * 2
        return y[0] * k

    found = watched(f, (np.ones(3), 2))
    assert (found.types["y"], found.types["k"], found.result) == (VECTOR, types.int64, types.float64)


def test_a_name_that_has_no_value_yet_has_no_type_either():
    def f(x, n):
        for i in range(n):
            y = x * i
        return y if n > 0 else x

    assert watched(f, (1.5, 0)).result == types.float64
    assert set(watched(f, (1.5, 2), (1.5, 0)).types.values()) == {types.float64, types.int64, types.boolean}


def test_a_variable_read_before_it_has_a_value_is_pythons_error():
    def f(x, n):
        for i in range(n):
            y = x * i
        return y + 1.0 if x > 0.0 else x

    with pytest.raises((UnboundLocalError, TypeError)):
        watched(f, (1.5, 0))


def test_arguments_and_random_numbers_are_left_alone(capsys):
    def f(x):
        print("here")
        x[0] = np.random.normal()
        return x[0]

    x = np.ones(2)
    np.random.seed(3)
    watched(f, (x,))
    np.testing.assert_array_equal(x, np.ones(2))
    after = np.random.normal()
    np.random.seed(3)
    assert after == np.random.normal()
    assert capsys.readouterr().out == ""


def test_blocks_of_all_runs_are_reached():
    def f(x):
        return x * 2.0 if x > 0.0 else -x

    one, other = watched(f, (1.0,)), watched(f, (-1.0,))
    assert one.reached | other.reached == watched(f, (1.0,), (-1.0,)).reached
    assert not one.reached & other.reached


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (types.int64, types.float64, types.float64),
        (types.float32, types.float64, types.float64),
        (VECTOR, types.Array(types.float64, 1, "F"), types.Array(types.float64, 1, "A")),
        (VECTOR, VECTOR, VECTOR),
        (types.unicode_type, types.int64, None),
        (None, types.int64, None),
        (None, None, None),
        (types.none, types.float64, types.Optional(types.float64)),
    ],
)
def test_types_of_one_name_join(one, other, both):
    assert joined("x", one, other) == joined("x", other, one) == both


@pytest.mark.parametrize(
    "other",
    [types.float64, types.Array(types.float64, 2, "C"), types.Array(types.int64, 1, "C"), types.none, None],
)
def test_an_array_and_something_else_do_not_join(other):
    with pytest.raises(Conflict):
        joined("x", VECTOR, other)


def test_a_conflict_is_told_with_the_users_name_and_line():
    def f(x):
        s = 0.0
        for _ in range(2):
            s = s + x
        return np.sum(s)

    unit = ssa_of(lower(load(f)))
    with pytest.raises(Conflict) as caught:
        watch(unit, [(np.ones(2),)])
    error = caught.value.as_error(unit)
    assert isinstance(error, UnsupportedSyntax)
    assert (
        error.what == "the variable 's' is an array of float64 with 1 axis in one place and of type float64 in another"
    )
    assert error.at is not None
    assert error.at.text.strip() == "s = s + x"


def test_objects_have_no_type():
    assert type_of(object()) is None
    assert type_of(np.array([1, "a"], dtype=object)) is None
