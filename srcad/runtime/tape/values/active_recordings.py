"""What is being recorded in this thread: a stack of recordings, innermost last.

A recording knows identities (of watched tensors and of what was computed from them) and holds nodes in the order in
which they happened. It is what a `GradientTape` pushes here while it is entered.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any


class Recording:
    """The nodes that one tape has recorded, the identities that it follows, the variables that it watches."""

    __slots__ = ("__weakref__", "conversions", "cuts", "entries", "known", "roots", "variables", "watches_accessed")

    def __init__(self, watches_accessed: bool = True) -> None:
        self.known: set[int] = set()
        self.roots: set[int] = set()  # of these, what was watched
        self.entries: list[Any] = []  # nodes; of the simplest kind also their parts, see `reverse.nodes`
        self.cuts: dict[int, tuple[Any, tuple[int, ...], str | None]] = {}  # result -> operation, inputs, why it cuts
        self.conversions: dict[int, str] = {}  # what was made a plain number or array, and how
        self.variables: dict[int, Any] = {}
        self.watches_accessed = watches_accessed

    def note_access(self, variable: Any) -> None:
        """A variable is read or assigned: follow it, if it is trainable and this recording watches such."""
        if self.watches_accessed and variable._trainable and variable._identity not in self.variables:
            self.watch_variable(variable)
        if variable._tensor._identity not in self.known and variable._identity in self.known:
            # Items were assigned when this recording did not follow the variable: here, that is its value.
            self.entries.append(variable._reading())
            self.known.add(variable._tensor._identity)

    def watch_variable(self, variable: Any) -> None:
        """Follow a variable."""
        self.variables[variable._identity] = variable
        if variable.dtype.kind in "fc":
            self.follow(variable._identity)

    def follow(self, identity: int) -> None:
        """Watch a tensor."""
        self.known.add(identity)
        self.roots.add(identity)

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables followed, in the order in which they were constructed."""
        found = self.variables
        return tuple([found[identity] for identity in sorted(found)]) if found else ()


class Watcher(Recording):
    """Sees which variables are read, and follows nothing."""

    __slots__ = ()

    def watch_variable(self, variable: Any) -> None:
        """Note a variable."""
        self.variables[variable._identity] = variable


class Active(threading.local):
    """The recordings of the current thread. Tuples, so that a loop over them never sees them change."""

    tapes: tuple[Recording, ...] = ()
    live_sweeps: int = 0  # reverse sweeps under way whose own operations are recorded
    accumulations: int = 0  # forward accumulators that are entered
    expansions: int = 0  # definitions being run for their derivatives: what they call is recorded in its parts
    customs: int = 0  # functions with gradients of their own under way: what is in them needs no rules
    reruns: int = 0  # compiled functions being run as Python, for the derivative of a pullback

    def push(self, recording: Recording) -> None:
        """Start recording."""
        self.tapes = (*self.tapes, recording)

    def remove(self, recording: Recording) -> None:
        """Stop recording, whatever was pushed later."""
        tapes = self.tapes
        self.tapes = tapes[:-1] if tapes[-1] is recording else tuple([each for each in tapes if each is not recording])

    def who_know(self, identities: Iterable[int]) -> list[Recording]:
        """The recordings that follow one of these identities."""
        found = list(identities)
        return [tape for tape in self.tapes if any(identity in tape.known for identity in found)]


active = Active()
