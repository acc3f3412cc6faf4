"""Tell a user at a terminal that something is being compiled, and how far that is.

    srcad: compiling the gradient of loss (model.py:12). jit=False runs at once; SRCAD_PROGRESS=0 hides this.
    srcad: 4 s: LLVM for loss_grad, 3 of 7 functions            this line is written again twice a second
    srcad: compiled the gradient of loss in 6.1 s               and replaced by this one in the end

Nothing is written in the first two seconds, where standard error is not a terminal, in a test, for a function of an
installed package, whose users did not write it, and with SRCAD_PROGRESS=0 in the environment.

The thread that compiles notes the stage that it has come to; another one writes, while LLVM runs as well.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from srcad.runtime.support.stage_timer import MACHINE, followed_by

VARIABLE = "SRCAD_PROGRESS"
PATIENCE = 2.0  # seconds before anything is said
_INTERVAL = 0.5
_IN_TEST = "PYTEST_CURRENT_TEST"  # a variable that pytest sets
CLEARED = "\r\x1b[K"

# What the stages that are no passes of the compiler are called.
_WORDS = {
    "other": "starting",
    "lower": "lowering",
    "type_inference": "typing",
    "differentiate": "differentiating",
    "print": "printing",
    "numba: types": "typing",
    "numba: LLVM code": "code for LLVM",
    "numba: parallel loops": "parallel loops",
    MACHINE: "LLVM",
}


@dataclass(frozen=True)
class Subject:
    """What is compiled: `what`, such as "the gradient of loss", the place of the function, and the passes in order."""

    what: str
    file: str
    line: int
    passes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.what} ({os.path.basename(self.file)}:{self.line})"


@dataclass
class Progress:
    """How far the compilation of a subject is; a follower of stages (`stage_timer.Follower`)."""

    subject: Subject
    began: float = field(default_factory=lambda: time.monotonic())  # noqa: PLW0108 - the clock of now
    stack: list[str] = field(default_factory=lambda: ["other"])
    functions: list[str] = field(default_factory=list)  # those that Numba is compiling, the innermost last
    expected: int = 0  # functions of generated modules
    library: int = 0  # functions of libraries that Numba has come to
    compiled: int = 0

    def begin(self, name: str) -> None:
        """A stage begins."""
        self.stack.append(name)

    def end(self) -> None:
        """The innermost stage has ended."""
        self.stack.pop()

    def line(self) -> str:
        """How far it is, in a line.

        >>> progress = Progress(Subject("the gradient of f", "f.py", 1, ("lower", "ssa")), began=time.monotonic() - 4.2)
        >>> progress.begin("ssa")
        >>> progress.line()
        '4 s: pass 2 of 2, ssa'
        >>> progress.end()
        >>> progress.expected, progress.functions = 3, ["f_grad"]
        >>> progress.begin("numba: types")
        >>> progress.line()
        '4 s: typing f_grad, 0 of 3 functions'
        """
        stage, passes = self.stack[-1], self.subject.passes
        words = _WORDS.get(stage, "reading" if stage.startswith("numba: ") else stage)
        if stage in passes and stage not in _WORDS:
            words = f"pass {passes.index(stage) + 1} of {len(passes)}, {stage}"
        if self.functions:
            of = "" if stage == "other" else " " if words in ("typing", "reading") else " for "
            words = f"{words if of else ''}{of}{self.functions[-1]}"
            words += f", {self.compiled} of {max(self.expected, 1) + self.library} functions"
        return f"{time.monotonic() - self.began:.0f} s: {words}"


class _Writer:
    """Writes what has to be said about a compilation, from a thread of its own."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.depth = progress, 0
        self._thread = threading.get_ident()
        self._is_over, self._has_written = threading.Event(), False
        self._writing = threading.Thread(target=self._write, name="srcad progress", daemon=True)
        self._writing.start()

    @property
    def is_here(self) -> bool:
        """Whether this is the thread that compiles."""
        return self._thread == threading.get_ident()

    def close(self, finished: bool) -> None:
        """Nothing is written from now on, but for how long it took."""
        self._is_over.set()
        self._writing.join()
        if self._has_written:
            took = f"srcad: compiled {self.progress.subject.what} in {time.monotonic() - self.progress.began:.1f} s\n"
            put((CLEARED if _moves() else "") + (took if finished else ""))

    def _write(self) -> None:
        if self._is_over.wait(PATIENCE):
            return
        self._has_written = True
        subject = self.progress.subject
        put(f"srcad: compiling {subject}. jit=False runs at once; {VARIABLE}=0 hides this.\n")
        while _moves():
            width = shutil.get_terminal_size().columns - 1
            put(f"{CLEARED}{f'srcad: {self.progress.line()}'[:width]}")
            if self._is_over.wait(_INTERVAL):
                return


def put(text: str) -> None:
    """Write to standard error, if it is still there."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):  # the terminal is gone
        return


def _moves() -> bool:
    """Whether a line of the terminal can be written again."""
    return os.environ.get("TERM", "dumb") != "dumb"


_here = threading.local()


@contextmanager
def unannounced() -> Iterator[None]:
    """A block in which this thread compiles in silence, since nobody waits for it.

    >>> with unannounced():
    ...     is_wanted()
    False
    """
    before = getattr(_here, "is_silent", False)
    _here.is_silent = True
    try:
        yield
    finally:
        _here.is_silent = before


_lock = threading.Lock()
_current: _Writer | None = None


@contextmanager
def announced(subject: Callable[[], Subject], is_last: bool = True) -> Iterator[None]:
    """A block in which something is compiled. Blocks inside of it are part of it.

    `is_last` says that nothing of it remains to be compiled after the block: what follows in a block around it is not
    compilation.

    >>> with announced(lambda: Subject("the gradient of f", "f.py", 1)):
    ...     pass
    """
    writer, is_outer = _opened(subject)
    if writer is None:
        yield
        return
    writer.depth += is_last
    finished = False
    try:
        with _following(writer.progress) if is_outer else nullcontext():
            yield
        finished = True
    finally:
        writer.depth -= is_last
        if is_outer or (is_last and not writer.depth):
            _close(writer, finished)


def _opened(subject: Callable[[], Subject]) -> tuple[_Writer | None, bool]:
    """The writer for a block, and whether the block is the outermost; no writer where nothing is to be said."""
    global _current  # noqa: PLW0603 - one terminal, one line
    known = _current
    if known is not None:
        return (known if known.is_here else None), False
    if not is_wanted():
        return None, False
    asked = subject()
    if _is_installed(asked.file):
        return None, False
    with _lock:
        if _current is not None:  # another thread was faster
            return None, False
        _current = _Writer(Progress(asked))
        return _current, True


def _close(writer: _Writer, finished: bool) -> None:
    global _current  # noqa: PLW0603 - one terminal, one line
    with _lock:
        if _current is not writer:
            return
        _current = None
    writer.close(finished)


def is_wanted() -> bool:
    """Whether there is a terminal, and somebody who wants to be told."""
    stream = sys.stderr
    if getattr(_here, "is_silent", False):
        return False
    try:
        is_terminal = stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False
    return is_terminal and os.environ.get(VARIABLE, "1") != "0" and _IN_TEST not in os.environ


def _is_installed(file: str) -> bool:
    """Whether a file is part of an installed package or of Python."""
    paths: Mapping[str, str] = sysconfig.get_paths()
    return any(file.startswith(os.path.join(paths[each], "")) for each in ("purelib", "platlib", "stdlib"))


def is_announcing() -> bool:
    """Whether something is being compiled of which this module tells.

    >>> is_announcing()
    False
    """
    return _current is not None


def expect(count: int) -> None:
    """So many functions of a generated module will be compiled."""
    if _current is not None and _current.is_here:
        _current.progress.expected += count


@contextmanager
def _following(progress: Progress) -> Iterator[None]:
    """The progress is told of stages, and of the functions that Numba compiles in this thread."""
    from numba.core import event

    thread = threading.get_ident()

    class Listener(event.Listener):  # type: ignore[misc]  # Numba carries no annotations
        def on_start(self, happened: Any) -> None:
            if threading.get_ident() == thread:
                function = happened.data["dispatcher"].py_func
                progress.library += not function.__module__.startswith("srcad_")
                progress.functions.append(function.__name__)

        def on_end(self, happened: Any) -> None:
            if threading.get_ident() == thread and progress.functions:
                progress.functions.pop()
                progress.compiled += 1

    listener = Listener()
    event.register("numba:compile", listener)
    try:
        with followed_by(progress):
            yield
    finally:
        event.unregister("numba:compile", listener)
