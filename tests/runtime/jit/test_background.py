"""Work in the background: in order, without a trace at the end of the interpreter, and anew after a fork."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from numba.core.compiler_lock import global_compiler_lock

from srcad.runtime.jit import background
from srcad.runtime.jit.compile_worker import Order
from srcad.runtime.support.stage_timer import MACHINE
from tests.faults.processes import output, start
from tests.waiting import LIMIT, finished, in_threads, join, line


def test_work_is_done_in_order_in_another_thread():
    done = []
    for k in range(20):
        background.submit(lambda k=k: done.append((k, threading.current_thread().name)))
    assert background.wait()
    assert done == [(k, "srcad compiler") for k in range(20)]


def test_waiting_ends_in_time():
    gate = threading.Event()
    background.submit(lambda: gate.wait(LIMIT))
    assert not background.wait(0.05)
    gate.set()
    assert background.wait()


def test_work_that_raises_is_told_of_and_does_not_end_the_thread(monkeypatch):
    told, done = [], []
    monkeypatch.setattr(threading, "excepthook", lambda about: told.append(about.exc_type))
    for k in (1, 0, 2):
        background.submit(lambda k=k: done.append(1 // k))
    assert background.wait()
    assert (told, done) == ([ZeroDivisionError], [1, 0])


def test_a_fork_waits_for_what_is_being_done_and_holds_up_what_is_not():
    begun, gate, order = threading.Event(), threading.Event(), []

    def long():
        begun.set()
        gate.wait(LIMIT)
        order.append("long")

    def fork(_):
        background._pause()
        order.append("fork")
        background.submit(lambda: order.append("next"))
        assert not background.wait(0.05)
        background._go_on()

    background.submit(long)
    assert begun.wait(LIMIT)
    timer = threading.Timer(0.05, gate.set)
    timer.start()
    in_threads(fork, [None])
    assert background.wait()
    join(timer)
    assert order == ["long", "fork", "next"]


def test_a_thread_that_compiles_forks_at_once():
    gate = threading.Event()
    background.submit(lambda: gate.wait(LIMIT))
    try:
        with global_compiler_lock:
            background._pause()
        assert not background._forking.has_paused
    finally:
        gate.set()
    assert background.wait()


@pytest.mark.slow
def test_a_process_that_dies_is_replaced_but_not_for_ever(monkeypatch):
    order = Order("nowhere", 0, {}, b"")
    state = background._State()
    monkeypatch.setattr(background, "_state", state)
    for _ in range(background._MOST_DEATHS):
        assert not background.compiled_apart(order)  # there is no such module
        assert state.worker is not None
        state.worker.kill()
        state.worker.wait(LIMIT)
        assert not background.compiled_apart(order)
        assert state.worker is None
    assert not background.compiled_apart(order)
    assert state.worker is None


def test_what_cannot_be_pickled_is_not_compiled_apart():
    assert not background.compiled_apart(Order("nowhere", 0, {"made": lambda: None}, b""))


def test_without_an_interpreter_to_start_there_is_no_process(monkeypatch):
    monkeypatch.setattr(background, "_state", background._State())
    monkeypatch.setattr(sys, "executable", "")
    assert not background.compiled_apart(Order("nowhere", 0, {}, b""))


def test_work_is_given_up_between_stages_and_never_in_the_one_that_destructors_begin(monkeypatch):
    monkeypatch.setattr(background, "_state", background._State())
    background._state.is_ending = True
    watch = background._Watch()
    watch.begin(MACHINE)
    watch.end()
    with pytest.raises(background.GivenUp):
        watch.begin("numba: types")


BEGUN = """
import sys, time
import numpy as np
import srcad
from srcad.runtime.jit import background

if "thread" in sys.argv:
    background.compiled_apart = lambda order: False

def loss(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i]) * x[i]
    return total

slope = srcad.grad(loss, tiered=True)
slope(np.ones(3))
"""


def begun(tmp_path, text, *, apart):
    return start(
        tmp_path / f"program{apart}.py",
        (BEGUN if apart else BEGUN.replace('"thread" in sys.argv', "True")) + text,
        SRCAD_CACHE_DIR=str(tmp_path / "cache"),
        PYTHONWARNINGS="error",
    )


@pytest.mark.slow
@pytest.mark.parametrize("apart", [True, False], ids=["process", "thread"])
@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.5])
def test_the_end_of_the_interpreter_while_it_compiles_is_clean(tmp_path, apart, seconds):
    process = begun(tmp_path, f"time.sleep({seconds})\nprint(background._state.unfinished)", apart=apart)
    said, errors = finished(process)
    assert (process.returncode, errors) == (0, "")
    assert said.strip() in ("0", "1")


@pytest.mark.slow
def test_an_exception_or_a_signal_ends_it_as_ever(tmp_path):
    process = begun(tmp_path, "raise SystemExit(7)", apart=True)
    assert (finished(process)[1], process.returncode) == ("", 7)
    # Python only looks for a signal between steps: one that comes just before a long sleep would wait for its end.
    process = begun(tmp_path, "print('here', flush=True)\nfor _ in range(1000): time.sleep(0.1)", apart=True)
    assert line(process) == "here\n"
    process.send_signal(signal.SIGINT)
    _, errors = finished(process)
    assert errors.strip().endswith("KeyboardInterrupt")


FORKED = """
import os
child = os.fork()
if not child:
    assert not background.is_available()
    found = slope(np.ones(3))
    other = srcad.grad(lambda x: x * x)(3.0)
    os._exit(0 if abs(other - 6.0) < 1e-12 and np.isfinite(found).all() else 1)
_, status = os.waitpid(child, 0)
assert background.wait()
print(os.waitstatus_to_exitcode(status), np.isfinite(slope(np.ones(3))).all())
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("apart", [True, False], ids=["process", "thread"])
def test_a_fork_while_it_compiles_compiles_in_the_child_as_well(tmp_path, apart):
    text = "import warnings\nwarnings.simplefilter('ignore', DeprecationWarning)\n" + FORKED
    assert output(begun(tmp_path, text, apart=apart)) == "0 True"


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc"), reason="no list of processes")
def test_the_process_does_not_outlive_a_killed_program(tmp_path):
    process = begun(
        tmp_path,
        "while background._state.worker is None: time.sleep(0.01)\nprint(background._state.worker.pid, flush=True)\n"
        "time.sleep(100)",
        apart=True,
    )
    worker = int(line(process))
    process.kill()
    process.communicate(timeout=LIMIT)
    for _ in range(600):
        try:
            is_alive = b"\0" in Path(f"/proc/{worker}/cmdline").read_bytes()  # of a zombie it is empty
        except OSError:
            return
        if not is_alive:
            return
        time.sleep(0.1)
    raise AssertionError("it is still there")
