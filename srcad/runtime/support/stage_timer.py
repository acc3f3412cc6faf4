"""Follow the stages of the compiler, and measure the time that each of them takes.

    @stage("tidy")                      with running() as clock: ...
    def tidy(unit, types): ...          clock.seconds["tidy"]

Time is attributed to the innermost running stage only. Numba's passes are followed through its events.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ParamSpec, Protocol, TypeVar

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class Follower(Protocol):
    """What is told of stages. `stack` holds those that run, the innermost last; outside of all it is "other"."""

    stack: list[str]

    def begin(self, name: str) -> None:
        """A stage begins."""

    def end(self) -> None:
        """The innermost stage has ended."""


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


_followers: ContextVar[tuple[Follower, ...]] = ContextVar("_followers", default=())
_before: list[Callable[[], None]] = []


def before_each_stage(do: Callable[[], None]) -> None:
    """Have a function called where a stage begins, in the thread of the stage; it may raise."""
    _before.append(do)


@contextmanager
def followed_by(follower: Follower) -> Iterator[None]:
    """A block of whose stages a follower is told; those of other threads are not its concern.

    >>> with followed_by(clock := Clock()):
    ...     stage("half")(lambda: None)()
    >>> list(clock.seconds)
    ['other', 'half']
    """
    token = _followers.set((*_followers.get(), follower))
    try:
        with _listening(follower):
            yield
    finally:
        _followers.reset(token)


@contextmanager
def running() -> Iterator[Clock]:
    """A block in which a clock measures.

    >>> with running() as clock:
    ...     stage("half")(lambda: None)()
    >>> list(clock.seconds)
    ['other', 'half']
    """
    clock = Clock()
    try:
        with followed_by(clock):
            yield clock
    finally:
        clock._note()


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
    for do in _before:
        do()
    followers = _followers.get()
    for each in followers:
        each.begin(name)
    try:
        yield
    finally:
        for each in followers:
            each.end()


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
def _listening(follower: Follower) -> Iterator[None]:
    """Follow Numba's passes for a follower, except those inside a stage of srcad."""
    from numba.core import event

    thread = threading.get_ident()

    class Listener(event.Listener):  # type: ignore[misc]  # Numba carries no annotations
        def on_start(self, happened: Any) -> None:
            if threading.get_ident() == thread and _is_outside(follower):
                follower.begin(_name_of(happened))

        def on_end(self, happened: Any) -> None:
            is_here = threading.get_ident() == thread and _is_outside(follower)
            if is_here and follower.stack[-1] == _name_of(happened):
                follower.end()

    listener = Listener()
    kinds = ("numba:run_pass", "numba:llvm_lock")
    for kind in kinds:
        event.register(kind, listener)
    try:
        yield
    finally:
        for kind in kinds:
            event.unregister(kind, listener)


def _is_outside(follower: Follower) -> bool:
    return all(name == "other" or name.startswith("numba: ") for name in follower.stack)


def _name_of(happened: Any) -> str:
    if happened.kind == "numba:llvm_lock":
        return MACHINE
    return NUMBA.get(str(happened.data["name"]).split(" [")[0], BYTECODE)
