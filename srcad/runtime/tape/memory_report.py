"""The arrays that a tape keeps alive and their size in bytes, as shown by `tape.trace`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.why_none import name_of


@dataclass(frozen=True)
class Entry:
    """One recorded operation, with the arrays that are kept for its derivative.

    name      of the operation or function
    arrays    dtypes and shapes of the kept arrays, such as `float64(3, 2)`
    nbytes    memory of these arrays; memory that an earlier entry keeps is not counted again
    """

    name: str
    arrays: tuple[str, ...]
    nbytes: int


class Trace(Sequence[Entry]):
    """The operations that a tape has recorded, in order, and the memory that they keep alive."""

    def __init__(self, nodes: Sequence[Any]) -> None:
        seen: set[int] = set()
        self._entries = tuple(_entry(node, seen) for node in nodes)

    @property
    def nbytes(self) -> int:
        """The memory of all kept arrays."""
        return sum(each.nbytes for each in self._entries)

    def __getitem__(self, index: Any) -> Any:
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        lines = [f"{each.nbytes:>12,}  {each.name}: {', '.join(each.arrays) or 'nothing'}" for each in self._entries]
        return "\n".join([f"{self.nbytes:>12,}  bytes in {len(self)} operations", *lines])


def _entry(node: Any, seen: set[int]) -> Entry:
    shown, total = [], 0
    for array in _arrays(node):
        memory = array
        while isinstance(memory.base, np.ndarray):
            memory = memory.base
        if any(array.strides) or array.size <= 1:  # else an empty shell, kept for its shape
            shown.append(f"{array.dtype}{tuple(array.shape)}")
            if id(memory) not in seen:
                seen.add(id(memory))
                total += memory.nbytes
    return Entry(name_of(node), tuple(shown), total)


def _arrays(node: Any) -> Iterator[np.ndarray[Any, Any]]:
    for slot in [each for kind in type(node).__mro__[:-1] for each in getattr(kind, "__slots__", ())]:
        if slot != "results":  # the tensors of `result` once more
            yield from _leaves(getattr(node, slot))
    yield from _leaves(getattr(getattr(node, "pull", None), "held", ()))


def _leaves(thing: Any) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays in tensors, tuples, lists (including Numba's) and dictionaries."""
    if isinstance(thing, Tensor):
        thing = thing._value
    if isinstance(thing, np.ndarray) and thing.ndim:
        yield thing
    elif isinstance(thing, dict):
        yield from _leaves(tuple(thing.values()))
    elif isinstance(thing, (list, tuple)) or type(thing).__name__ == "List":
        for each in thing:
            yield from _leaves(each)
