"""Interrupts wait while Numba compiles: locks are given back, and the exception comes where all is in order."""

import signal
import threading
from contextlib import contextmanager

import pytest
from llvmlite.binding import ffi
from numba.core import base, event
from numba.core.compiler_lock import global_compiler_lock

from srcad.runtime.support import compiler_interrupts
from srcad.runtime.support.stage_timer import stage
from tests.waiting import LIMIT, can_be_taken, in_threads, join


def interrupt():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def all_is_as_before():
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not compiler_interrupts._interrupts.depth
    assert not compiler_interrupts._interrupts.waiting
    assert can_be_taken(global_compiler_lock._lock)
    assert can_be_taken(ffi.lib._lock._lock)


def test_an_interrupt_waits_until_a_refresh_of_numbas_has_ended():
    done = []

    def refresh(self):
        interrupt()
        done.append(self)

    with pytest.raises(KeyboardInterrupt):
        compiler_interrupts._uninterrupted(refresh)("context")
    assert done == ["context"]
    assert hasattr(base.BaseContext.refresh, "__wrapped__")


def test_an_interrupt_waits_until_the_compilers_lock_is_given_back():
    done = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - where it is raised is what is tested
        with global_compiler_lock:
            with global_compiler_lock:
                interrupt()
            done.append("still inside")
        done.append("never")
    assert done == ["still inside"]


@pytest.mark.parametrize("begin", [stage("some stage")(lambda: None), lambda: event.start_event("numba:run_pass")])
def test_an_interrupt_is_raised_where_a_stage_or_a_pass_begins(begin):
    done = []
    with pytest.raises(KeyboardInterrupt), global_compiler_lock:  # noqa: PT012 - as above
        interrupt()
        done.append("not here")
        begin()
        done.append("never")
    assert done == ["not here"]


def test_a_second_interrupt_is_raised_at_once():
    done = []
    with pytest.raises(KeyboardInterrupt), global_compiler_lock:  # noqa: PT012 - as above
        interrupt()
        done.append("first")
        interrupt()
        done.append("never")
    assert done == ["first"]


@contextmanager
def handled(number, handler):
    before = signal.signal(number, handler)
    try:
        yield
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no timers")
def test_a_handler_of_the_users_waits_as_well():
    seen = []
    with handled(signal.SIGALRM, lambda *about: seen.append(about)):
        with global_compiler_lock:
            signal.raise_signal(signal.SIGALRM)
            assert not seen
        assert [number for number, _ in seen] == [signal.SIGALRM]


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no timers")
def test_a_timer_that_repeats_itself_waits():
    seen = []
    with handled(signal.SIGALRM, lambda *about: seen.append(about)):
        with global_compiler_lock:
            for _ in range(3):
                signal.raise_signal(signal.SIGALRM)
            assert not seen
        assert len(seen) == 1


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no timers")
def test_of_two_signals_both_are_handled():
    seen = []
    with handled(signal.SIGALRM, lambda *about: seen.append(about)):
        with pytest.raises(KeyboardInterrupt), global_compiler_lock:  # noqa: PT012 - as above
            interrupt()
            signal.raise_signal(signal.SIGALRM)
        assert [number for number, _ in seen] == [signal.SIGALRM]


def test_a_handler_that_is_set_meanwhile_stays():
    seen = []
    before = signal.getsignal(signal.SIGINT)
    try:
        with global_compiler_lock:
            signal.signal(signal.SIGINT, lambda *about: seen.append(about))
            interrupt()
            assert len(seen) == 1
        interrupt()
        assert len(seen) == 2
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_is_raised_while_another_thread_has_the_lock():
    taken, over = threading.Event(), threading.Event()

    def compile_long():
        with global_compiler_lock:
            taken.set()
            over.wait(LIMIT)

    thread = threading.Thread(target=compile_long, daemon=True)
    thread.start()
    assert taken.wait(LIMIT)
    timer = threading.Timer(0.05, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - the timer may be faster
            timer.start()
            with global_compiler_lock:
                raise AssertionError("the other thread still has it")
    finally:
        over.set()
        join(thread, timer)


def test_other_threads_note_nothing():
    found = []

    def work(_):
        with global_compiler_lock:
            found.append((compiler_interrupts._interrupts.depth, signal.getsignal(signal.SIGINT)))

    in_threads(work, [None])
    assert found == [(0, signal.default_int_handler)]


def test_it_is_done_once():
    inner = type(global_compiler_lock).__enter__
    compiler_interrupts.wait_for_passes()
    assert type(global_compiler_lock).__enter__ is inner
    assert not hasattr(inner.__wrapped__, "__wrapped__")
