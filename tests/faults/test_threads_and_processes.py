"""Gradients in threads, tasks and processes, and memory over many calls."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading

import numpy as np
import pytest

import srcad
from tests.faults.processes import PROGRAM, output, start
from tests.waiting import LIMIT, in_threads

X = np.array([0.3, 0.7, 1.1])


def energy(x, k):
    total = 0.0
    for i in range(x.size):
        total += k * x[i] * x[i]
    return total


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize("jit", [True, False])
def test_sixteen_threads_compile_one_gradient_at_its_first_call(jit):
    def f(x, k):
        total = 0.0
        for i in range(x.size):
            total += k * x[i] * x[i] * x[i]
        return total

    slope, together = srcad.grad(f, jit=jit), threading.Barrier(16, timeout=LIMIT)

    def call(k):
        together.wait()
        return k, slope(X, float(k))

    for k, found in in_threads(call, range(16)):
        np.testing.assert_allclose(found, 3.0 * k * X * X)


def taped(k, pause):
    """The gradient of k * sum(x * x), recorded step by step and by a call, with pauses in between."""
    x = srcad.constant(X)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x * x)
        pause()
        z = y * float(k) + srcad.function(energy, jit=False)(x, float(k))
        pause()
    return tape.gradient(z, x).numpy()


def test_tapes_in_threads_record_their_own_only():
    together = threading.Barrier(8, timeout=LIMIT)
    for k, found in enumerate(in_threads(lambda k: taped(k, together.wait), range(8))):
        np.testing.assert_allclose(found, 4.0 * k * X)


def test_tapes_in_tasks_record_their_own_only():
    async def one(k):
        x = srcad.constant(X)
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x * x)
            await asyncio.sleep(0)
            z = y * float(k)
            await asyncio.sleep(0)
        return tape.gradient(z, x).numpy()

    async def several():
        return await asyncio.gather(*map(one, range(8)))

    for k, found in enumerate(asyncio.run(several())):
        np.testing.assert_allclose(found, 2.0 * k * X)


POOL = (
    PROGRAM
    + """
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor


def call(x):
    return slope(x, 5)


if __name__ == "__main__":
    if sys.argv[1:] != ["cold"]:
        slope(1.0, 1)
    with ProcessPoolExecutor(3, multiprocessing.get_context("METHOD")) as pool:
        print([*pool.map(call, [1.0, 2.0, 3.0, 4.0])], [*pool.map(slope, [1.0, 2.0], [5, 5])])
"""
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["spawn", pytest.param("fork", marks=pytest.mark.skipif(sys.platform == "win32", reason="no fork"))]
)
def test_a_pool_of_processes_has_the_gradients(tmp_path, monkeypatch, method):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    said = output(start(tmp_path / "pool.py", POOL.replace("METHOD", method)))
    assert said == "[10.0, 20.0, 30.0, 40.0] [10.0, 20.0]"


def resident():
    """The bytes of memory that this process holds."""
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def growth(do, times):
    """The bytes that memory grows by while something is done so many times, after it has been done before."""
    for _ in range(max(times // 5, 3)):
        do()
    gc.collect()
    before = resident()
    for _ in range(times):
        do()
    gc.collect()
    return resident() - before


def failing():
    """An exception in the middle of a reverse sweep, and of a tape's."""

    @srcad.custom_gradient
    def broken(x):
        def gradient(bar):
            raise ZeroDivisionError

        return x * 1.0, gradient

    x = srcad.constant(np.ones(1000))
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = broken(x) * x
    with pytest.raises(ZeroDivisionError):
        tape.gradient(y, x)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
@pytest.mark.slow
@pytest.mark.parametrize("times", [400, pytest.param(100_000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("what", ["uncompiled", "compiled", "pullback", "tape", "failing"])
def test_memory_is_flat_over_many_calls(what, times):
    slope, compiled = srcad.grad(energy, jit=False), srcad.grad(energy)
    do = {
        "uncompiled": lambda: slope(X, 2.0),
        "compiled": lambda: compiled(X, 2.0),
        "pullback": lambda: srcad.vjp(energy, X, 2.0)[1](1.0),
        "tape": lambda: taped(2, lambda: None),
        "failing": failing,
    }[what]
    assert growth(do, times) < 4e6


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
@pytest.mark.slow
@pytest.mark.parametrize("times", [30, pytest.param(1_000, marks=pytest.mark.nightly)])
def test_functions_that_are_gone_leave_little_behind(times):
    def make():
        def f(x):
            return x * x * np.sin(x)

        assert srcad.grad(f, jit=False)(2.0)

    assert growth(make, times) < 4e6 + 40_000 * times
