"""KeyboardInterrupt at random moments leaves nothing half-written: the next call gives the same as ever."""

from __future__ import annotations

import gc
import linecache
import random
import signal
import threading
import time
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from llvmlite.binding import ffi
from numba.core.compiler_lock import global_compiler_lock

import srcad
from srcad.runtime.tape.core.active_recordings import active
from tests.waiting import can_be_taken

pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers that interrupt are POSIX's"),
    # An interrupt that meets the callback of a weak reference is swallowed by Python, which tells so.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PROGRAM = """\
def helper(v):
    return v * np.sin(v) * {k}.0


def f(x, n):
    u = x.copy()
    for i in range(n):
        if u[0] > 0.5:
            u = u + 0.1 * helper(u)
        else:
            u = u * 0.9
    return np.sum(u * u)
"""
X = np.array([0.3, 0.7, 1.1])
LOCKS = (global_compiler_lock._lock, ffi.lib._lock._lock)


def defined(k):
    """A function of which nothing is known yet: each has a constant of its own."""
    text = PROGRAM.format(k=k)
    file = f"interrupted_{k}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"np": np}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    return namespace["f"]


@contextmanager
def interrupted_after(seconds):
    """Raise KeyboardInterrupt in the main thread after some seconds, and swallow it."""
    assert threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
        yield
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def on_tape(f, jit):
    run = srcad.function(f, jit=jit)
    x = srcad.constant(X)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = run(x, 3) * 1.0
    return tape.gradient(y, x).numpy()


def step_by_step(f, jit):
    x = srcad.constant(X)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.sin(x) * x)
    return tape.gradient(y, x).numpy()


def checked(f, jit):
    srcad.check_grads(f, (X, 3), jit=jit)
    return srcad.grad(f, jit=jit)(X, 3)


USES = {
    "grad": lambda f, jit: srcad.grad(f, jit=jit)(X, 3),
    "vjp": lambda f, jit: srcad.vjp(f, X, 3, jit=jit)[1](1.0)[0],
    "hvp": lambda f, jit: srcad.hvp(f, jit=jit)(X, 3, X),
    "function": lambda f, jit: srcad.function(f, jit=jit)(X, 3),
    "tape": on_tape,
    "steps": step_by_step,
    "check": checked,
    "source": lambda f, jit: len(srcad.source(f, args=(X, 3))),
}


def interrupt(use, jit, times):
    """Interrupt the first call, at moments spread over the time that it takes, and compare the next with a new one."""
    drawn = random.Random(f"{use}{jit}")
    first = 10_000 * (1 + list(USES).index(use)) + 5_000 * jit
    start = time.perf_counter()
    USES[use](defined(first), jit)
    duration = time.perf_counter() - start
    for turn in range(1, times + 1):
        f, again = defined(first + turn), defined(first + turn)
        with interrupted_after(drawn.uniform(0.0, duration)):
            USES[use](f, jit)
        assert not active.tapes
        assert gc.isenabled()
        assert all(map(can_be_taken, LOCKS))  # or else every other thread that compiles would wait for ever
        found = USES[use](f, jit)
        np.testing.assert_array_equal(found, USES[use](again, jit))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert not active.tapes


@pytest.mark.slow
@pytest.mark.parametrize("times", [2, pytest.param(60, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("use", USES)
def test_an_uncompiled_call_that_was_interrupted_is_as_if_it_had_not_been(use, times):
    interrupt(use, False, times)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("times", [1, pytest.param(30, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("use", ["grad", "vjp", "tape"])
def test_a_first_compilation_that_was_interrupted_is_as_if_it_had_not_been(use, times):
    interrupt(use, True, times)


@pytest.mark.slow
def test_a_long_uncompiled_call_stops_at_once_and_leaves_its_arguments():
    def long(x, n):
        total = 0.0
        for i in range(n):
            total += x[i % 3] * x[i % 3]
        return total

    slope, x = srcad.grad(long, jit=False), X.copy()
    slope(x, 3)
    start = time.perf_counter()
    with interrupted_after(0.2):
        slope(x, 10**8)
    assert time.perf_counter() - start < 5.0
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(slope(x, 3), 2.0 * X)
