"""Tell a user at a terminal how far a check or a report is, once it has taken two seconds.

    srcad: 4 s: comparing with differences, element 40 of 1000       this line is written again, and cleared in the end

Nothing is written where standard error is not a terminal, in a test, and with SRCAD_PROGRESS=0. While something is
compiled, the line of `compile_progress` stands there instead.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from srcad.runtime.support.compile_progress import CLEARED, PATIENCE, is_announcing, is_wanted, put

_INTERVAL = 0.5


class _Line:
    """The line, written from a thread of its own."""

    def __init__(self) -> None:
        self.said, self.began = "starting", time.monotonic()
        self._thread = threading.get_ident()
        self._is_over, self._has_written = threading.Event(), False
        self._writing = threading.Thread(target=self._write, name="srcad work progress", daemon=True)
        self._writing.start()

    def close(self) -> None:
        """The line is cleared, and nothing is written from now on."""
        self._is_over.set()
        self._writing.join()
        if self._has_written:
            put(CLEARED)

    def note(self, said: str) -> None:
        """What the thread that works is about to do."""
        if threading.get_ident() == self._thread:
            self.said = said

    def _write(self) -> None:
        wait = PATIENCE
        while not self._is_over.wait(wait):
            wait = _INTERVAL
            if not is_announcing():
                self._has_written = True
                width = shutil.get_terminal_size().columns - 1
                put(f"{CLEARED}{f'srcad: {time.monotonic() - self.began:.0f} s: {self.said}'[:width]}")


_current: _Line | None = None


@contextmanager
def working() -> Iterator[None]:
    """A block that may take long, and says with `note` what it is about; blocks inside of it are part of it.

    >>> with working():
    ...     note("counting")
    """
    global _current  # noqa: PLW0603 - one terminal, one line
    if _current is not None or not is_wanted() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    _current = line = _Line()
    try:
        yield
    finally:
        _current = None
        line.close()


def note(said: str) -> None:
    """Say what is done now; has no effect outside of a block of `working` that is told of."""
    if _current is not None:
        _current.note(said)
