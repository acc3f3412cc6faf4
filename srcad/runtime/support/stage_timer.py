"""Measure the time that each stage of the compiler takes.

    @stage("tidy")                      with running() as clock: ...
    def tidy(unit, types): ...          clock.seconds["tidy"]

Time is attributed to the innermost running stage only. Numba's passes are measured through its events.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


@dataclass
class Clock:
    """Seconds per stage, in the order in which stages first ran; time outside all stages is under "other"."""

    seconds: dict[str, float] = field(default_factory=dict)
    stack: list[str] = field(default_factory=lambda: ["other"])
    since: float = field(default_factory=lambda: time.perf_counter())  # noqa: PLW0108 - the clock of now

    def begin(self, name: str) -> None:
        """Attribute time to this stage from now on."""
        self._note()
        self.seconds.setdefault(name, 0.0)
        self.stack.append(name)

    def end(self) -> None:
        """The current stage has ended."""
        self._note()
        self.stack.pop()

    def _note(self) -> None:
        now = time.perf_counter()
        name = self.stack[-1]
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.since
        self.since = now


_running: ContextVar[Clock | None] = ContextVar("_running", default=None)


@contextmanager
def running() -> Iterator[Clock]:
    """A block in which a clock measures.

    >>> with running() as clock:
    ...     stage("half")(lambda: None)()
    >>> list(clock.seconds)
    ['other', 'half']
    """
    clock = Clock()
    token = _running.set(clock)
    try:
        with _listening(clock):
            yield clock
    finally:
        clock._note()
        _running.reset(token)


def stage(name: str) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """A decorator that makes a function a stage with this name."""

    def decorate(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        @functools.wraps(function)
        def measured(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
            with in_stage(name):
                return function(*args, **kwargs)

        return measured

    return decorate


@contextmanager
def in_stage(name: str) -> Iterator[None]:
    """The time of the block belongs to the stage of this name.

    >>> with running() as clock, in_stage("half"):
    ...     pass
    >>> list(clock.seconds)
    ['other', 'half']
    """
    clock = _running.get()
    if clock is not None:
        clock.begin(name)
    try:
        yield
    finally:
        if clock is not None:
            clock.end()


# Passes of Numba's by the name that is told; all others make its own form of a function from bytecode.
NUMBA = {
    "nopython_type_inference": "numba: types",
    "annotate_types": "numba: types",
    "native_lowering": "numba: LLVM code",
    "native_parfor_lowering": "numba: LLVM code",
    "nopython_backend": "numba: LLVM code",
    "parfor_pass": "numba: parallel loops",
}
BYTECODE, MACHINE = "numba: bytecode", "numba: machine code"


@contextmanager
def _listening(clock: Clock) -> Iterator[None]:
    """Measure Numba's passes with the clock, except those inside a stage of srcad."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]  # Numba carries no annotations
        def on_start(self, happened: Any) -> None:
            if _is_outside(clock):
                clock.begin(_name_of(happened))

        def on_end(self, happened: Any) -> None:
            if _is_outside(clock) and clock.stack[-1] == _name_of(happened):
                clock.end()

    listener = Listener()
    kinds = ("numba:run_pass", "numba:llvm_lock")
    for kind in kinds:
        event.register(kind, listener)
    try:
        yield
    finally:
        for kind in kinds:
            event.unregister(kind, listener)


def _is_outside(clock: Clock) -> bool:
    return all(name == "other" or name.startswith("numba: ") for name in clock.stack)


def _name_of(happened: Any) -> str:
    if happened.kind == "numba:llvm_lock":
        return MACHINE
    return NUMBA.get(str(happened.data["name"]).split(" [")[0], BYTECODE)
