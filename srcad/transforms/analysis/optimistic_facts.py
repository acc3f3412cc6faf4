"""Facts that rest on themselves around loops: supposed to hold, and then found to.

`h = np.zeros((b, n))`, and `h = np.tanh(h @ w)` in each iteration: if h has b rows before an iteration, it has b
rows after it, so it always has. What is found while something is only supposed is forgotten with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


@dataclass
class _Trial(Generic[K, V]):
    """Something supposed, and what has been found under it: each with the depths of the trials that it rests on."""

    found: dict[K, tuple[V, frozenset[int]]] = field(default_factory=dict)
    pending: set[K] = field(default_factory=set)  # being found


class Trials(Generic[K, V]):
    """Facts by key. Each is asked for with a way to find it, which may ask for others."""

    def __init__(self) -> None:
        self._open: list[_Trial[K, V]] = [_Trial()]  # the first rests on nothing
        self._used: set[int] = set()  # depths of the trials that what is being found rests on

    def learn(self, key: K, value: V) -> None:
        """From here on this is known."""
        self._open[0].found[key] = value, frozenset()

    def ask(self, key: K, find: Callable[[], V], unknown: V) -> V:
        """The value of a key; `unknown` where finding it asks for itself, and nothing is supposed in between."""
        for trial in reversed(self._open):
            if key in trial.found:
                value, used = trial.found[key]
                self._used |= used
                return value
        here = self._open[-1]
        if key in here.pending:
            self._used.add(len(self._open) - 1)
            return unknown
        outer, self._used = self._used, set()
        here.pending.add(key)
        value = find()
        here.pending.remove(key)
        self._open[max(self._used, default=0)].found[key] = value, frozenset(self._used)
        self._used |= outer
        return value

    @contextmanager
    def supposing(self, key: K, value: V) -> Iterator[None]:
        """Within, this key has this value; what rests on that is forgotten behind."""
        depth = len(self._open)
        self._open.append(_Trial({key: (value, frozenset({depth}))}))
        try:
            yield
        finally:
            self._open.pop()
            self._used.discard(depth)
