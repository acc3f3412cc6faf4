"""A clock gives each moment to the innermost stage that runs, and to one only."""

import pytest
from numba import njit

from srcad.runtime.support import stage_timer
from srcad.runtime.support.stage_timer import BYTECODE, running, stage


@pytest.fixture
def time(monkeypatch):
    """What the clock takes for the time, to be put on by hand."""

    class Time:
        now = 0.0

        def perf_counter(self):
            return self.now

    made = Time()
    monkeypatch.setattr(stage_timer, "time", made)
    return made


def test_time_belongs_to_the_innermost_stage(time):
    @stage("inner")
    def inner():
        time.now += 2.0

    @stage("outer")
    def outer():
        time.now += 1.0
        inner()
        time.now += 4.0

    with running() as told:
        outer()
        time.now += 8.0
        inner()
    assert told.seconds == {"other": 8.0, "outer": 5.0, "inner": 4.0}


def test_a_stage_that_raises_is_over(time):
    @stage("failing")
    def failing():
        time.now += 1.0
        raise ValueError("no")

    with running() as told:
        with pytest.raises(ValueError, match="no"):
            failing()
        time.now += 3.0
    assert told.seconds == {"other": 3.0, "failing": 1.0}


def test_without_a_clock_a_stage_is_the_function():
    assert stage("doubled")(lambda x: 2 * x)(3) == 6


def test_numba_tells_of_its_passes_unless_a_stage_of_ours_calls_it():
    with running() as told:
        njit(lambda x: x + 1.0).compile("f8(f8)")
    assert set(told.seconds) >= {BYTECODE, "numba: types", "numba: LLVM code", "numba: machine code"}
    with running() as told:
        stage("ours")(lambda: njit(lambda x: x + 2.0).compile("f8(f8)"))()
    assert set(told.seconds) == {"other", "ours"}
