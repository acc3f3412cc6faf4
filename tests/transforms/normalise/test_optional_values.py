"""Names that hold None on some paths and a value on others."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.3, 0.8, 1.1, 0.2])


def state_made_in_the_first_turn(x):
    """Numba has a type for values that may be None, of which the adjoint of an array was taken for a number."""
    state = None
    for _ in range(3):
        if state is None:
            state = np.zeros_like(x)
        state = np.tanh(state + x)
    return np.sum(state)


def read_before_it_is_stored(x):
    grid = None
    s = 0.0
    for i in range(3):
        if i > 0:
            s += np.sum(grid * x)
        grid = x * i
    return s


def first_above(x, limit):
    for v in x:
        if v > limit:
            return v * v
    return None


def found_or_not(x):
    s = 0.0
    for limit in (0.5, 5.0):
        r = first_above(x, limit)
        if r is not None and r > 0.1:
            s += r * x[0]
        else:
            s += x[1]
    return s


def place_or_none(x):
    place = None
    for i in range(x.size):
        if place is None and x[i] > 0.5:
            place = i
    return x[place + 0] ** 2


def given_and_taken_away(x):
    """The name goes back and forth, and is handed on."""
    before, now = None, x[0]
    kept = None
    for i in range(4):
        after = now * x[1] if before is None else now + before * x[2]
        before, now = now, after
        kept = before * x if i % 2 == 0 else None
        if kept is not None:
            now += np.sum(kept)
    return now * before


PROGRAMS = [state_made_in_the_first_turn, read_before_it_is_stored, found_or_not, place_or_none, given_and_taken_away]


@pytest.mark.slow
@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_of_what_may_be_none_agree_with_finite_differences(function):
    assert_gradient(function, X, modes=["arrays"])


def test_none_that_is_read_raises_as_in_python():
    with pytest.raises(TypeError):
        place_or_none(X - 2.0)
    with pytest.raises(TypeError, match="'place' is None"):
        srcad.grad(place_or_none, jit=False)(X - 2.0)


def never_or_always(x):
    if x[0] > 0.0:
        return np.sum(x)
    return None


def passed_on(x):
    return first_above(x, 0.5)


def least(x):
    best = None
    for v in x:
        w = v * v - 0.3 * v
        if v > 0.0 and (best is None or w < best):
            best = w
    return best


@pytest.mark.parametrize("function", [never_or_always, passed_on, least])
def test_the_function_itself_returns_a_value_on_the_path_that_is_taken(function):
    assert_gradient(function, np.abs(X) + 1.0, modes=["arrays", "loops", "tangent"])
    with pytest.raises(UnsupportedSyntax, match="None is returned on this path"):
        srcad.grad(function, jit=False)(X * 0.0 - 1.0)
