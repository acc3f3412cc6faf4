"""A KeyboardInterrupt that comes while Numba compiles is raised between two of its passes, not inside of one.

Numba and llvmlite are Python, in which an interrupt may come anywhere:

- where a lock is taken or given back: it stays taken for ever, and every other thread that compiles waits for ever,
- in the function that LLVM hands machine code to: it is swallowed, and the function has no machine code,
- in a refresh of registries: every later compilation of the process ends in `generator raised StopIteration`.

So the main thread, which is the one that is interrupted, notes a signal while it holds Numba's compiler lock or
refreshes, and runs its handler at the next pass of Numba's or stage of srcad's, or when the lock is given back. That
holds for the signals of which handlers raise exceptions: those of the keyboard, of timers and of who ends a process. A
second one of the keyboard that comes before that is handled at once, as somebody does not want to wait; timers repeat
themselves, and wait.
"""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Callable
from typing import Any

from numba.core import base, event
from numba.core.compiler_lock import _CompilerLock
from numba.core.typing import context

from srcad.runtime.support.stage_timer import before_each_stage

_NAMES = ("SIGINT", "SIGTERM", "SIGALRM", "SIGVTALRM", "SIGPROF")  # some of them Windows lacks
_INTERRUPTING = [each for each in (getattr(signal, name, None) for name in _NAMES) if each is not None]
_AT_ONCE = frozenset((signal.SIGINT, signal.SIGTERM))  # of these a second one does not wait
_TURN = 0.1  # seconds after which a thread that waits for the compiler's lock looks for interrupts


class _Interrupts:
    """Those of the main thread. `depth` counts the blocks in which they wait, `handlers` has who is to handle them."""

    def __init__(self) -> None:
        self.depth = 0
        self.handlers: dict[int, Callable[..., Any]] = {}
        self.waiting: list[tuple[Any, ...]] = []

    def hold(self) -> None:
        """They wait from here on."""
        if not self.depth:
            for each in _INTERRUPTING:
                handler = signal.getsignal(each)
                if callable(handler) and handler is not _note:
                    self.handlers[each] = handler
                    signal.signal(each, _note)
        self.depth += 1

    def release(self) -> None:
        """The end of the block that `hold` began; after the last one, those that have come are handled."""
        self.depth -= 1
        if not self.depth:
            for each, handler in self.handlers.items():
                if signal.getsignal(each) is _note:
                    signal.signal(each, handler)
            self.due()

    def due(self) -> None:
        """Handle those that wait."""
        if self.waiting:
            about = self.waiting.pop(0)
            try:
                self.handlers[about[0]](*about)
            finally:
                self.due()


_interrupts = _Interrupts()


def _note(number: int, frame: Any) -> None:
    waits = number in (each[0] for each in _interrupts.waiting)
    if _interrupts.depth and not waits:
        _interrupts.waiting.append((number, frame))
    elif not _interrupts.depth or number in _AT_ONCE:
        _interrupts.waiting = [each for each in _interrupts.waiting if each[0] != number]
        _interrupts.handlers[number](number, frame)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()  # Python runs signal handlers in no other


def raise_if_due() -> None:
    """Handle interrupts that wait, if this thread is the one to be interrupted: all is in order here."""
    if _interrupts.waiting and _is_main():
        _interrupts.due()


class _Passes(event.Listener):  # type: ignore[misc]  # Numba carries no annotations
    def on_start(self, happened: Any) -> None:
        raise_if_due()

    def on_end(self, happened: Any) -> None:
        pass


def wait_for_passes() -> None:
    """Let interrupts wait while the main thread compiles with Numba.

    >>> wait_for_passes()
    >>> from numba.core.base import BaseContext
    >>> BaseContext.refresh.__wrapped__.__name__
    'refresh'
    """
    if hasattr(_CompilerLock.__enter__, "__wrapped__"):
        return
    _CompilerLock.__enter__ = _taking(_CompilerLock.__enter__)
    _CompilerLock.__exit__ = _giving_back(_CompilerLock.__exit__)
    for owner in (base.BaseContext, context.BaseContext):
        owner.refresh = _uninterrupted(owner.refresh)
    event.register("numba:run_pass", _Passes())
    before_each_stage(raise_if_due)


def _taking(enter: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(enter)
    def __enter__(lock: Any) -> Any:  # noqa: N807 - it is one
        if not _is_main():
            return enter(lock)
        _interrupts.hold()
        try:
            while not lock._lock.acquire(timeout=_TURN):  # another thread compiles
                _interrupts.due()
            try:
                return enter(lock)
            finally:
                lock._lock.release()
        except BaseException:
            _interrupts.release()
            raise

    return __enter__


def _giving_back(leave: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(leave)
    def __exit__(lock: Any, *problem: Any) -> Any:  # noqa: N807 - it is one
        try:
            return leave(lock, *problem)
        finally:
            if _is_main():
                _interrupts.release()

    return __exit__


def _uninterrupted(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(method)
    def refresh(self: Any) -> Any:
        if not _is_main():
            return method(self)
        _interrupts.hold()
        try:
            return method(self)
        finally:
            _interrupts.release()

    return refresh


wait_for_passes()
