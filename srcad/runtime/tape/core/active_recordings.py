"""The active recordings of this thread: a stack, innermost last.

A recording has the identities of watched tensors and of values computed from them, and the nodes in the order of
execution. A `GradientTape` pushes its recording on this stack while it is entered.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from typing import Any


class Recording:
    """What one tape has recorded: its nodes, the identities that it follows, the variables that it watches."""

    __slots__ = (
        *("__weakref__", "conversions", "cuts", "departures", "known", "nodes", "roots", "variables"),
        "watches_accessed",
    )

    def __init__(self, watches_accessed: bool = True) -> None:
        self.known: set[int] = set()
        self.roots: set[int] = set()  # those of `known` that were watched, not computed
        self.nodes: list[Any] = []
        self.cuts: dict[int, tuple[Any, tuple[int, ...], str | None]] = {}  # result -> operation, inputs, why it cuts
        self.conversions: dict[int, str] = {}  # identity -> how it was converted to a number or array
        self.departures: Any = None  # where tensors became plain values, if any did
        self.variables: dict[int, Any] = {}
        self.watches_accessed = watches_accessed

    def append(self, node: Any) -> None:
        """Record an operation: its results are followed from now on."""
        self.nodes.append(node)
        for each in node.outputs():
            self.known.add(each._identity)

    def follows(self, identities: Iterable[int]) -> bool:
        """Whether one of these identities is followed."""
        known = self.known
        for identity in identities:  # noqa: SIM110 - a generator takes longer
            if identity in known:
                return True
        return False

    def adopt(self, identity: int) -> None:
        """Follow a value that was computed without a derivative: it may be a source itself, as in TensorFlow."""
        self.known.add(identity)

    def note_cut(self, primitive: Any, read: tuple[int, ...], results: Sequence[Any], reason: str | None) -> None:
        """No derivative passes from the identities `read` to the results of this primitive, or this name.

        `tape.explain` follows such a cut, and what is computed from its results.
        """
        if self.follows(read) or any(each in self.cuts for each in read):
            for result in results:
                self.cuts[result._identity] = (primitive, read, reason)

    def note_access(self, variable: Any) -> None:
        """A variable is read or assigned: watch it if it is trainable and this recording watches read variables."""
        if self.watches_accessed and variable._trainable and variable._identity not in self.variables:
            self.watch_variable(variable)
        if variable._tensor._identity not in self.known and variable._identity in self.known:
            # Items were assigned while this recording did not follow the variable: to it, the result is the variable's
            # value.
            self.append(variable._reading())

    def watch_variable(self, variable: Any) -> None:
        """Watch a variable."""
        self.variables[variable._identity] = variable
        if variable.dtype.kind in "fc":
            self.follow(variable._identity)

    def follow(self, identity: int) -> None:
        """Watch a tensor."""
        self.known.add(identity)
        self.roots.add(identity)

    def watched_variables(self) -> tuple[Any, ...]:
        """The watched variables, in the order of their construction."""
        found = self.variables
        return tuple([found[identity] for identity in sorted(found)]) if found else ()


class Watcher(Recording):
    """A recording that notes which variables are read, and follows nothing."""

    __slots__ = ()

    def watch_variable(self, variable: Any) -> None:
        """Note a variable."""
        self.variables[variable._identity] = variable


class Active(threading.local):
    """The recordings of the current thread. They are a tuple, so that a loop over them never sees a change."""

    tapes: tuple[Recording, ...] = ()
    live_sweeps: int = 0  # running reverse sweeps whose operations are recorded
    accumulations: int = 0  # entered forward accumulators
    expansions: int = 0  # definitions running for their derivatives: composed calls in them are expanded
    customs: int = 0  # running functions with custom gradients, in which no rules are needed
    reruns: int = 0  # compiled functions running as Python, for the derivative of a pullback

    def push(self, recording: Recording) -> None:
        """Start a recording."""
        self.tapes = (*self.tapes, recording)

    def remove(self, recording: Recording) -> None:
        """Stop a recording, even if others were pushed after it."""
        self.tapes = tuple([each for each in self.tapes if each is not recording])

    def who_know(self, identities: Collection[int]) -> list[Recording]:
        """The recordings that follow one of these identities."""
        return [tape for tape in self.tapes if tape.follows(identities)]


active = Active()
