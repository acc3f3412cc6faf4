"""What has to know when the user states a rule: code that was generated before has been generated without it."""

from __future__ import annotations

from typing import Any, Protocol
from weakref import WeakSet


class _Told(Protocol):
    def rules_changed(self) -> None:
        """A rule of the user's own has been stated."""


class _State:
    def __init__(self) -> None:
        self.count = 0  # how often rules have changed
        self.told: WeakSet[Any] = WeakSet()


state = _State()


def tell() -> None:
    """Rules have changed.

    >>> class Listener:
    ...     def rules_changed(self):
    ...         print("again")
    >>> listener = Listener()
    >>> state.told.add(listener)
    >>> tell()
    again
    """
    state.count += 1
    for each in list(state.told):
        each.rules_changed()
