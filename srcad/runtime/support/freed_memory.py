"""Memory that arrays have left stays with the process, for the arrays of the next call.

The C library of Linux gives large blocks back to the operating system when they are freed, and asks for them again at
the next call. The system then clears every page and maps it when it is first touched, which can take longer than all
that a gradient computes: five times as long for products of a matrix of 800 rows with a vector. `mallopt(3)` makes it
keep what is freed. Freed memory of a process then is bounded by `most_kept`, blocks of more than 32 MiB aside, which
always go back. Settings of the user's, by the environment or by `mallopt`'s own variables, come first.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Mapping

KEEP_MEMORY = "SRCAD_KEEP_MEMORY"
_OWN_SETTINGS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "GLIBC_TUNABLES")
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of malloc.h
_LARGEST_MMAP_THRESHOLD = 32 << 20  # on 64-bit systems; the C library takes no larger one
_MOST_KEPT = 1 << 30


@functools.cache
def keep_freed_memory() -> None:
    """Let the C library keep memory that is freed, once in a process; nothing happens where it is not glibc."""
    if is_wanted(os.environ):
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None and mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD):
            mallopt(_TRIM_THRESHOLD, most_kept(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Whether memory is to be kept: on glibc, unless the environment says otherwise.

    >>> is_wanted({"SRCAD_KEEP_MEMORY": "0"}), is_wanted({"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=1"})
    (False, False)
    """
    if environment.get(KEEP_MEMORY) == "0" or any(name in environment for name in _OWN_SETTINGS):
        return False
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):  # not on this system
        return False


def most_kept(physical: int) -> int:
    """How many bytes of freed memory a process may keep: an eighth of the machine's, and no more than 1 GiB.

    >>> most_kept(64 << 30) >> 20, most_kept(4 << 30) >> 20
    (1024, 512)
    """
    return min(_MOST_KEPT, physical // 8)
