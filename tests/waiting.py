"""Waits that end: for threads and for processes. Each fails with what it waits for, and leaves nothing running."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from typing import Any

LIMIT = 240.0  # seconds, on any machine far more than what is waited for takes


def join(*threads: threading.Thread) -> None:
    """Wait for threads. Raises AssertionError with where one is that does not end."""
    for each in threads:
        each.join(LIMIT)
        if each.is_alive():
            stack = "".join(traceback.format_stack(sys._current_frames()[each.ident]))  # type: ignore[index]
            raise AssertionError(f"{each.name} has not ended after {LIMIT} seconds; it is here:\n{stack}")


def in_threads(function: Callable[[Any], Any], arguments: Iterable[Any]) -> list[Any]:
    """What a function returns for arguments, each in a thread of its own. Raises the first exception of a thread.

    The threads are daemons: one that hangs does not hold up the end of the process.
    """
    given = list(arguments)
    results: list[Any] = [None] * len(given)
    problems: list[BaseException] = []

    def work(place: int) -> None:
        try:
            results[place] = function(given[place])
        except BaseException as problem:  # noqa: BLE001 - it is raised below
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(place,), daemon=True) for place in range(len(given))]
    for each in threads:
        each.start()
    join(*threads)
    if problems:
        raise problems[0]
    return results


@contextlib.contextmanager
def pool_of_threads(count: int) -> Iterator[futures.Executor]:
    """A pool whose end waits for no thread: what is handed to it has limits of its own."""
    pool = futures.ThreadPoolExecutor(count)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def can_be_taken(lock: Any) -> bool:
    """Whether another thread can take a lock; it gives it back."""

    def take(_: None) -> bool:
        taken = lock.acquire(timeout=5.0)
        if taken:
            lock.release()
        return bool(taken)

    return bool(in_threads(take, [None])[0])


def started(command: list[str], **options: Any) -> subprocess.Popen[str]:
    """A process whose output is read as text, the leader of a group, which is ended as a whole."""
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, start_new_session=True, **{**piped, **options})


def finished(process: subprocess.Popen[str], seconds: float = LIMIT) -> tuple[str, str]:
    """The output and the errors of a process. Raises AssertionError if it does not end; ends its children."""
    try:
        return process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # with PYTHONFAULTHANDLER it writes where its threads are
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5.0)
        end(process)
        words = "\n".join(process.communicate(timeout=LIMIT))
        raise AssertionError(f"{process.args} has not ended after {seconds} seconds:\n{words}") from None
    finally:
        end(process)


def line(process: subprocess.Popen[str]) -> str:
    """The next line that a process prints. Raises AssertionError if there is none in time, and ends the process."""
    assert process.stdout is not None
    watchdog = threading.Timer(LIMIT, end, (process,))
    watchdog.daemon = True
    watchdog.start()
    try:
        said = process.stdout.readline()
    finally:
        watchdog.cancel()
    assert said, f"{process.args} has ended before it printed a line:\n{process.stderr and process.stderr.read()}"
    return said


def end(process: subprocess.Popen[Any]) -> None:
    """End a process and its children, those that have outlived it as well."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()


def run(command: list[str], *, check: bool = True, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; as `subprocess.run`, but with a limit. Fails with its errors."""
    options["env"] = {**options.get("env", os.environ), "PYTHONFAULTHANDLER": "1"}
    process = started(command, **options)
    said, errors = finished(process)
    assert not check or process.returncode == 0, errors
    return subprocess.CompletedProcess(command, process.returncode, said, errors)
