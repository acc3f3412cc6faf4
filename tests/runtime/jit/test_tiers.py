"""Which calls a dispatcher hands to the uncompiled function. All of it: tests/driver/test_tiered_routines."""

import pytest
from numba import float64, int64, njit

from srcad.runtime.jit import background
from srcad.runtime.jit.dispatchers import TypedDispatcher
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.jit.tiers import Tiers


def shape(x):
    return None


def tiered(function, uncompiled, **how):
    made = TypedDispatcher(shape, lambda kinds: function, **how)
    made.tiers = Tiers(uncompiled, 0, {})
    return made


def test_the_uncompiled_function_is_called_until_there_is_machine_code():
    made = tiered(njit(lambda x: x + 1), lambda kinds: lambda x: ("slow", x + 1))
    assert made(1.0) == ("slow", 2.0)
    assert background.wait()
    assert made(1.0) == 2.0
    assert made(1) == ("slow", 2)  # other types
    assert background.wait()
    assert made(1) == 2


def test_types_without_an_uncompiled_function_are_compiled_first():
    asked = []
    made = tiered(njit(lambda x: x + 1), asked.append)
    assert made(1.0) == 2.0
    assert asked == [(float64,)]
    assert made.tiers.instead(made, (float64,)) is None


def test_one_attempt_at_a_time():
    attempts = []

    class Slow:
        _cache = None

        def compile(self, kinds):
            attempts.append(kinds)
            raise CannotType("no")

    made = tiered(Slow(), lambda kinds: lambda x: x, otherwise=lambda problem: lambda x: (str(problem), x))
    for _ in range(20):
        made(1)
    assert background.wait()
    assert attempts == [(int64,)]
    assert made(1) == ("no", 1)


def test_any_error_ends_the_attempt_and_is_told():
    class Broken:
        _cache = None

        def compile(self, kinds):
            raise ZeroDivisionError("here")

    made = tiered(Broken(), lambda kinds: lambda x: x)
    assert made(2.0) == 2.0
    assert background.wait()
    with pytest.raises(CannotType, match="compiling it ended in ZeroDivisionError: here"):
        made(2.0)


def test_arguments_left_out_have_their_defaults():
    def given(x, k=2.0):
        return None

    made = TypedDispatcher(given, lambda kinds: njit(lambda x, k: x * k))
    made.tiers = Tiers(lambda kinds: lambda x, k: ("slow", x * k), 0, {})
    assert made(3.0) == ("slow", 6.0)
    assert background.wait()
    assert made(3.0) == 6.0
    assert made(3.0, 4.0) == ("slow", 12.0)  # another signature: the default is a constant of its own
    assert background.wait()
    assert made(3.0, 4.0) == 12.0
