"""Pause garbage collection while functions are transformed and compiled.

It would find nothing: trees are held until the end. Of the time it took a tenth of compilation, and of long
transformations two fifths, as each collection looks at all of the trees.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nothing_collected() -> Iterator[None]:
    """A block without garbage collection, unless another thread enables it.

    >>> with nothing_collected():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # If several threads are in such blocks, only the first has found collection enabled.
        if was_enabled:
            gc.enable()
