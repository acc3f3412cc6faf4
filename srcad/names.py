"""The one module that makes names. Deterministic: the same requests in the same order give the same names."""

from __future__ import annotations

import keyword
from collections.abc import Iterable


class Names:
    """Hands out names that collide with nothing handed out before, nor with the names it was given.

    >>> names = Names({"x", "x_bar"})
    >>> names.fresh("x_bar"), names.fresh("y"), names.fresh("x_bar")
    ('x_bar_2', 'y', 'x_bar_3')
    >>> names.temporary(), names.temporary()
    ('t1', 't2')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken) | set(keyword.kwlist)
        self._temporaries = 0

    def copy(self) -> Names:
        """An independent maker that knows the same names."""
        other = Names(self._taken)
        other._temporaries = self._temporaries
        return other

    def reserve(self, name: str) -> None:
        """Never hand out this name."""
        self._taken.add(name)

    def fresh(self, wish: str) -> str:
        """The wished name, or the wished name with the first free number from 2 on."""
        name, number = wish, 2
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        return name

    def temporary(self) -> str:
        """The next free one of `t1`, `t2`, ..."""
        while True:
            self._temporaries += 1
            name = f"t{self._temporaries}"
            if name not in self._taken:
                self._taken.add(name)
                return name
