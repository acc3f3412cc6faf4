"""Debug mode: whether derivatives check each value that they make, and what has to know when that changes.

    with srcad.debug():
        srcad.grad(f)(x)            raises FloatingPointError at the first NaN or infinity, with the line that makes it

The mode holds for all threads. Objects made before, which run other code in debug mode, are told by `switched`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol
from weakref import WeakSet

VARIABLE = "SRCAD_DEBUG"


class _Switched(Protocol):
    def debug_switched(self, on: bool) -> None:
        """Debug mode is now on or off."""


class _State:
    def __init__(self) -> None:
        self.on = os.environ.get(VARIABLE, "0") not in ("", "0")
        self.depth = 0
        self.lock = threading.RLock()
        self.told: WeakSet[Any] = WeakSet()


state = _State()


def register(thing: _Switched) -> None:
    """Have an object told when debug mode is switched."""
    state.told.add(thing)


@contextmanager
def debug() -> Iterator[None]:
    """A block in which each value is checked: the first NaN or infinity raises FloatingPointError.

    It is raised at the statement that makes a NaN or an infinity of operands without one. The error, a
    `srcad.NonFinite`, has the line of your function, the sweep (primal, tangent or reverse), the statement with its
    operands, the iterations of the loops around it, and whether the primal was finite there. Functions of srcad's that
    were made before the block are checked within it, and operations that a tape records. Checked code is generated and
    compiled apart from other code, without most optional passes, so it is slower, and other code is as it was.
    Derivatives that `@njit` functions call are checked if these were compiled in the block. With `SRCAD_DEBUG=1` in the
    environment the whole program is such a block.

    >>> import numpy as np
    >>> import srcad
    >>> slope = srcad.grad(lambda x: np.sqrt(x) + 1.0, jit=False)
    >>> with srcad.debug(), np.errstate(divide="ignore"):
    ...     try:
    ...         slope(0.0)
    ...     except FloatingPointError as error:
    ...         print(str(error).split(": ")[2].splitlines()[0])
    an infinity first appears in the reverse sweep of this line, where the primal is finite
    """
    with state.lock:
        state.depth += 1
        _switch(True)
    try:
        yield
    finally:
        with state.lock:
            state.depth -= 1
            _switch(state.depth > 0 or _everywhere)


_everywhere = state.on


def _switch(on: bool) -> None:
    if state.on is not on:
        state.on = on
        for each in list(state.told):
            each.debug_switched(on)
