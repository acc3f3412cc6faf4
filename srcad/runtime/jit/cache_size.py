"""The bound on the size of the cache folder: what was used longest ago is dropped.

Every use of a file sets its time of modification. A process looks at the whole folder when it writes its first file,
and again whenever it has written a sixteenth of the bound since. Files that another process uses may go: it makes them
again.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from srcad.errors import BadArgument

VARIABLE = "SRCAD_CACHE_BYTES"
DEFAULT = 2**30
UNFINISHED = ".tmp"

_DAY = 24 * 3600.0
_to_look_at: dict[Path, float] = {}  # for each folder: the bytes that may be written before the next look


def limit() -> int:
    """The most bytes that the cache folder may hold: SRCAD_CACHE_BYTES, else 1 GiB; 0 stores nothing."""
    given = os.environ.get(VARIABLE)
    if not given:
        return DEFAULT
    if not given.strip().isdecimal():
        raise BadArgument(f"{VARIABLE} is {given!r}", hint="give a number of bytes; 0 switches the cache off")
    return int(given)


def written(folder: Path, count: int) -> None:
    """Note that so many bytes were written to the folder, and drop files if it is time to look."""
    left = _to_look_at.get(folder, 0.0) - count
    if left < 0.0:
        most = limit()
        left = most / 16
        trim(folder, most)
    _to_look_at[folder] = left


def trim(folder: Path, most: int) -> None:
    """Drop what was used longest ago until three quarters of the bound are left, if it is exceeded.

    What a process left behind that was killed while it wrote is dropped after a day.
    """
    now, found = time.time(), []
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            about = entry.stat(follow_symlinks=False)
        except OSError:
            continue  # another process has dropped it
        if entry.name.startswith("srcad_"):
            found.append((about.st_mtime, about.st_size, entry.path))
        elif entry.name.endswith(UNFINISHED) and abs(now - about.st_mtime) > _DAY:
            _drop(entry.path)
    total = sum(size for _, size, _ in found)
    if total <= most:
        return
    for _, size, path in sorted(found):
        if total <= 0.75 * most:
            return
        _drop(path)
        total -= size


def _drop(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
