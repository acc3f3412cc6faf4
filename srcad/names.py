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
        self._numbers: dict[tuple[str, tuple[str, ...]], int] = {}  # given last, by wish and endings

    def copy(self) -> Names:
        """An independent generator with the same reserved names."""
        other = Names(self._taken)
        other._temporaries, other._numbers = self._temporaries, dict(self._numbers)
        return other

    def reserve(self, name: str) -> None:
        """Never generate this name."""
        self._taken.add(name)

    def fresh(self, wish: str) -> str:
        """The name `wish`, or `wish` with the first unused number from 2 on."""
        return self.family(wish, ())

    def family(self, wish: str, endings: Iterable[str]) -> str:
        """The name `wish`, or `wish` with a number, such that it is unused with each of the endings, and without.

        >>> Names({"x_bar"}).family("x", ["_bar"])
        'x_2'
        """
        every = ("", *endings)
        number = self._numbers.get((wish, every), 1)  # names that were taken are taken for ever
        name = wish if number == 1 else f"{wish}_{number}"
        while any(name + ending in self._taken for ending in every):
            number += 1
            name = f"{wish}_{number}"
        self._numbers[wish, every] = number
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
