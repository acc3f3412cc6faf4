"""Name generation: the only module that makes names. Equal requests in equal order give equal names."""

from __future__ import annotations

import keyword
from collections.abc import Iterable


class Names:
    """Generates names that are not reserved and have not been generated before.

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
        """An independent generator with the same reserved names."""
        other = Names(self._taken)
        other._temporaries = self._temporaries
        return other

    def reserve(self, name: str) -> None:
        """Never generate this name."""
        self._taken.add(name)

    def fresh(self, wish: str) -> str:
        """The name `wish`, or `wish` with the first unused number from 2 on."""
        name, number = wish, 2
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        return name

    def family(self, wish: str, endings: Iterable[str]) -> str:
        """The name `wish`, or `wish` with a number, such that it is unused with each of the endings, and without.

        >>> Names({"x_bar"}).family("x", ["_bar"])
        'x_2'
        """
        every = ["", *endings]
        name, number = wish, 2
        while any(name + ending in self._taken for ending in every):
            name, number = f"{wish}_{number}", number + 1
        self._taken.update(name + ending for ending in every)
        return name

    def temporary(self) -> str:
        """The next unused name of `t1`, `t2`, ..."""
        while True:
            self._temporaries += 1
            name = f"t{self._temporaries}"
            if name not in self._taken:
                self._taken.add(name)
                return name
