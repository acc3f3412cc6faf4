"""Work that is done while the program goes on: a thread, and a process that compiles for it.

    submit(work)            `work` is called in a thread of its own, after what was submitted before
    compiled_apart(order)   called in such work: machine code of a stored module, made by another process
    wait()                  until all that was submitted is done

A thread alone would not do: Numba's compiler is Python, and holds the interpreter's lock for most of the time in which
LLVM does not run, so that the program would crawl meanwhile. The process (`compile_worker`) puts what it has compiled
into the cache folder, from where the thread loads it. What cannot be stored is compiled in the thread.

A fork waits until what is being done is done, and nothing is begun before it is over: a child has no thread that would
give back the locks which the parent's holds. It has no process either, and compiles what it needs before it calls it.

When the interpreter ends, work that has not begun is dropped, the process is ended, and what the thread compiles is
given up at the next pass of Numba's or stage of srcad's.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from numba.core.compiler_lock import global_compiler_lock

from srcad.runtime.support.compile_progress import unannounced
from srcad.runtime.support.stage_timer import MACHINE, followed_by

if TYPE_CHECKING:
    from srcad.runtime.jit.compile_worker import Order

_IDLE = 30.0  # seconds after which a process that has nothing to do is ended
_MOST_DEATHS = 2  # of the process, after which no other one is started
_LONGEST = 600.0  # seconds for one piece of work, after which nobody waits for it any more
_LONGEST_END = 60.0  # the same when the interpreter ends


class GivenUp(BaseException):
    """The interpreter ends, and nobody needs what is being compiled."""


class _Watch:
    """A follower of stages that gives up when the interpreter ends."""

    def __init__(self) -> None:
        self.stack = ["other"]

    def begin(self, name: str) -> None:
        """A stage begins; the one in which LLVM's lock is taken also begins in destructors, and must not be left."""
        if _state.is_ending and name != MACHINE:
            raise GivenUp
        self.stack.append(name)

    def end(self) -> None:
        """The innermost stage has ended."""
        self.stack.pop()


class _State:
    """The thread, the process, and what is to be done."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.busy = threading.Lock()  # held while work is done, and during a fork
        self.work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.thread: threading.Thread | None = None
        self.worker: subprocess.Popen[bytes] | None = None
        self.deaths = 0
        self.unfinished = 0
        self.is_ending = False
        self.is_forked = False


_state = _State()
_abandoned: list[_State] = []  # of the process that this one was forked from: its objects are not to be finalised here


def is_available() -> bool:
    """Whether this process may use it. One that was forked from a process in which it ran does its work itself."""
    return not _state.is_forked


def submit(work: Callable[[], None]) -> None:
    """Call `work` in the background thread. It has to deal with its exceptions."""
    _register()
    state = _state
    with state.lock:
        if state.thread is None:
            state.thread = threading.Thread(target=_run, args=(state,), name="srcad compiler", daemon=True)
            state.thread.start()
        state.work.put(work)
        state.unfinished += 1


def wait(seconds: float = 120.0) -> bool:
    """Whether all that was submitted is done, after so many seconds at most."""
    until = time.monotonic() + seconds
    while _state.unfinished and time.monotonic() < until:
        time.sleep(0.005)
    return not _state.unfinished


def _run(state: _State) -> None:
    while not state.is_ending:
        try:
            work = state.work.get(timeout=_IDLE)
        except queue.Empty:
            _end_worker(state)
            continue
        if work is None:
            return
        try:
            with state.busy, unannounced(), followed_by(_Watch()):
                work()
        except GivenUp:
            return
        except BaseException:  # noqa: BLE001 - the next piece of work is none the worse for it
            about = (*sys.exc_info(), threading.current_thread())
            threading.excepthook(threading.ExceptHookArgs(about))
        finally:
            with state.lock:
                state.unfinished -= 1


def compiled_apart(order: Order) -> bool:
    """Have another process compile a function of a stored module; whether its machine code is in the cache folder."""
    state = _state
    try:
        content = pickle.dumps(order)
    except (pickle.PicklingError, TypeError, AttributeError):
        return False  # a type of the user's that has no name to find it by
    worker = _worker(state)
    if worker is None:
        return False
    assert worker.stdin is not None
    assert worker.stdout is not None
    watchdog = threading.Timer(_LONGEST, worker.kill)
    watchdog.daemon = True
    watchdog.start()
    try:
        worker.stdin.write(content)
        worker.stdin.flush()
        return bool(pickle.load(worker.stdout))
    except (OSError, EOFError, ValueError, pickle.UnpicklingError):
        if state.is_ending:
            raise GivenUp from None
        state.deaths += 1
        _end_worker(state)
        return False
    finally:
        watchdog.cancel()


def _worker(state: _State) -> subprocess.Popen[bytes] | None:
    """The process, started where there is none; None if there can be none."""
    if state.worker is None and state.deaths < _MOST_DEATHS and sys.executable and not getattr(sys, "frozen", False):
        serve = "from srcad.runtime.jit.compile_worker import main; main()"
        command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {serve}"]
        with state.lock, contextlib.suppress(OSError):
            if not state.is_ending:
                state.worker = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
    return state.worker


def _end_worker(state: _State) -> None:
    with state.lock:
        worker, state.worker = state.worker, None
    if worker is not None:
        worker.kill()
        for stream in (worker.stdin, worker.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        worker.wait()


def _end() -> None:
    """Drop what is not begun, give up what is, and wait for the thread: LLVM must not run while memory is released."""
    state = _state
    state.is_ending = True
    state.work.put(None)
    with state.lock:  # the thread may be about to start the process
        worker, thread = state.worker, state.thread
    if worker is not None:
        worker.kill()
    if thread is not None:
        thread.join(_LONGEST_END)
    _end_worker(state)


_is_registered = False


def _register() -> None:
    """From the first use on, the end of the interpreter and forks are taken care of."""
    global _is_registered  # noqa: PLW0603 - once in a process
    if _is_registered:
        return
    _is_registered = True
    atexit.register(_end)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_pause, after_in_parent=_go_on, after_in_child=_leave_to_parent)


_forking = threading.local()  # `has_paused`: whether the thread has paused the background before a fork


def _pause() -> None:
    # A thread that compiles forks at once: the background may be waiting for it.
    state, _forking.has_paused = _state, False
    can_wait = threading.current_thread() is not state.thread and not global_compiler_lock.is_locked()
    _forking.has_paused = can_wait and state.busy.acquire(timeout=_LONGEST)


def _go_on() -> None:
    if _forking.has_paused:
        _state.busy.release()


def _leave_to_parent() -> None:
    global _state  # noqa: PLW0603 - the thread of the parent is not in the child
    parent = _state
    _abandoned.append(parent)
    _state = _State()
    _state.is_forked = True
    if parent.worker is not None:
        for stream in (parent.worker.stdin, parent.worker.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    os.close(stream.fileno())  # the worker ends when its last other end is closed
