"""Iterator objects: what `iter` gives for an array or a sequence, advanced by `next` and by loops.

    it = iter(x)
    s = next(it)                  becomes         s = x[0]
    for v in it:                                  for k in range(len(x) - 1):
        s = s * v                                     s = s * x[1 + k]

It is an object like those of the user's classes: lowering takes it apart, and its position is a variable where that is
known only at run time. As in Python, it reads the sequence when it is advanced, so it sees changes of it.
"""

from __future__ import annotations

from typing import Any

from srcad.runtime.rulebook.registry import inlined


@inlined
class Iterator:
    """The elements of a sequence that have not been read yet.

    >>> it = Iterator([1.0, 2.0])
    >>> it.__next__(), len(it), it.next_or(0.0), it.next_or(0.0)
    (1.0, 1, 2.0, 0.0)
    """

    def __init__(self, over: Any) -> None:
        self.over = over
        self.at = 0

    def __len__(self) -> int:
        return len(self.over) - self.at

    def __next__(self) -> Any:
        if self.at >= len(self.over):
            raise StopIteration
        return self.advanced()

    def advanced(self) -> Any:
        """The next element, of which it is known that there is one."""
        value = self.over[self.at]
        self.at = self.at + 1
        return value

    def next_in_loop(self) -> Any:
        """The next element, for a loop, which has asked how many there are before."""
        if self.at >= len(self.over):
            raise NotImplementedError("a loop over an iterator whose body advances it: call `next` for each element")
        return self.advanced()

    def next_or(self, otherwise: Any) -> Any:
        """The next element, or another value at the end."""
        return otherwise if self.at >= len(self.over) else self.advanced()
