"""Optimistic facts: a coinductive fixed point that assumes a fact around a loop, and then verifies it.

Take `h = np.zeros((b, n))`, with `h = np.tanh(h @ w)` in each iteration: if h has b rows before an iteration, it has b
rows after it, so it always has b rows. Facts that were derived under an assumption are discarded together with it.
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
    """An assumption, and the facts derived under it, each with the depths of the assumptions that it depends on."""

    found: dict[K, tuple[V, frozenset[int]]] = field(default_factory=dict)
    pending: set[K] = field(default_factory=set)  # being derived


class Trials(Generic[K, V]):
    """Facts by key. Each is asked for with a function that derives it, which may ask for other facts."""

    def __init__(self) -> None:
        self._open: list[_Trial[K, V]] = [_Trial()]  # the first depends on no assumption
        self._used: set[int] = set()  # depths of the assumptions that the current derivation depends on

    def learn(self, key: K, value: V) -> None:
        """Record a fact that holds unconditionally."""
        self._open[0].found[key] = value, frozenset()

    def ask(self, key: K, find: Callable[[], V], unknown: V) -> V:
        """The value of a key; `unknown` if its derivation asks for the key itself, without an assumption in between."""
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
        """Assume this value for the key within the context; facts that depend on it are discarded afterwards."""
        depth = len(self._open)
        self._open.append(_Trial({key: (value, frozenset({depth}))}))
        try:
            yield
        finally:
            self._open.pop()
            self._used.discard(depth)
