"""Register new overloads with Numba if a module is imported while Numba infers types; no refresh is cut short."""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Callable
from typing import Any

from numba.core import base
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.typing import context


def refresh_if_compiling() -> None:
    """Register the overloads that were defined since the current compilation in this thread began.

    Numba may import a module of srcad during a compilation, for a function that reads a name of it. At the start of a
    compilation Numba refreshes by itself; doing so earlier would load its whole registry, which takes 0.2 s.
    """
    if global_compiler_lock.is_locked():
        cpu_target.typing_context.refresh()


def make_refreshes_whole() -> None:
    """Let Numba's own refreshes run to their end when a KeyboardInterrupt comes in between; it is raised afterwards.

    Numba reads new registrations from a stream. If it is interrupted there, every later compilation of the process
    ends in `RuntimeError: generator raised StopIteration`.

    >>> make_refreshes_whole()
    >>> from numba.core.base import BaseContext
    >>> BaseContext.refresh.__wrapped__.__name__
    'refresh'
    """
    for owner in (base.BaseContext, context.BaseContext):
        if not hasattr(owner.refresh, "__wrapped__"):
            owner.refresh = _uninterrupted(owner.refresh)


def _uninterrupted(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(method)
    def refresh(self: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return method(self)  # Python runs signal handlers in the main thread only
        waiting: list[tuple[Any, ...]] = []
        signals = [each for each in _INTERRUPTING if signal.getsignal(each) is signal.default_int_handler]
        for each in signals:
            signal.signal(each, lambda *about: waiting.append(about))
        try:
            return method(self)
        finally:
            for each in signals:
                signal.signal(each, signal.default_int_handler)
            if waiting:
                signal.default_int_handler(*waiting[0])

    return refresh


_INTERRUPTING = [each for each in (getattr(signal, name, None) for name in ("SIGINT", "SIGALRM")) if each is not None]
make_refreshes_whole()
