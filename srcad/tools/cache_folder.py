"""What lies in the cache folder: generated modules with their machine code, and kernels; `srcad cache`."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from srcad.runtime.jit import cache_size, disk_cache

_PREFIX = "srcad_"
_FUNCTION = re.compile(r"^def (\w+)\(", re.MULTILINE)
_UNITS = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


@dataclass(frozen=True)
class Entry:
    """A generated module or a kernel: its functions, the bytes of its files, and when it was used last.

    functions   the names that its text defines; none of what has machine code only
    used        seconds since the epoch
    """

    functions: tuple[str, ...]
    size: int
    used: float
    files: tuple[Path, ...]


def entries(folder: Path) -> list[Entry]:
    """What a cache folder holds; what was used last comes first.

    >>> import tempfile
    >>> entries(Path(tempfile.mkdtemp()))
    []
    """
    files: dict[str, list[Path]] = {}
    for path in sorted(folder.glob(f"{_PREFIX}*")):
        files.setdefault(path.name.partition(".")[0], []).append(path)
    found = [entry for each in files.values() if (entry := _entry(each)) is not None]
    return sorted(found, key=lambda entry: (-entry.used, entry.files))


def _entry(files: Sequence[Path]) -> Entry | None:
    names: tuple[str, ...] = ()
    size, used, there = 0, 0.0, []
    for path in files:
        try:
            about = path.stat()
            if path.suffix == ".py":
                names = tuple(_FUNCTION.findall(path.read_text("utf-8", "replace")))
        except OSError:
            continue  # another process has dropped it
        size, used = size + about.st_size, max(used, about.st_mtime)
        there.append(path)
    return Entry(names, size, used, tuple(there)) if there else None


def clear(folder: Path) -> tuple[int, int]:
    """Delete all files of srcad's in a cache folder; how many that were, and how many bytes.

    Processes that use them go on with what they have loaded, and make again what they have not.
    """
    count = size = 0
    for path in sorted(folder.iterdir()):
        if path.name.startswith(_PREFIX) or path.name.endswith(cache_size.UNFINISHED):
            try:
                about = path.stat()
                os.unlink(path)
            except OSError:
                continue
            count, size = count + 1, size + about.st_size
    return count, size


def report(listed: bool) -> str:
    """The folder, how much it holds and may hold; where `listed`, a line for each module, and one for all kernels."""
    folder = disk_cache.folder()
    if folder is None:
        return "no cache folder can be used; srcad doctor says why"
    found = entries(folder)
    total, most = sum(entry.size for entry in found), cache_size.limit()
    modules = [entry for entry in found if entry.functions]
    text = f"{folder}: {len(modules)} modules, {in_bytes(total)} of {in_bytes(most)} ({cache_size.VARIABLE})"
    if not listed:
        return text
    now = time.time()
    lines = [f"{in_bytes(each.size):>10}  {ago(now - each.used):>9}  {', '.join(each.functions)}" for each in modules]
    rest = [entry for entry in found if not entry.functions]
    if rest:
        last = ago(now - max(entry.used for entry in rest))
        lines.append(f"{in_bytes(sum(entry.size for entry in rest)):>10}  {last:>9}  {len(rest)} kernels")
    return "\n".join([text, *lines])


def in_bytes(count: int) -> str:
    """A number of bytes as one reads it.

    >>> in_bytes(512), in_bytes(4608), in_bytes(2**30)
    ('512 B', '4.5 KiB', '1 GiB')
    """
    for unit, name in _UNITS:
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} B"


def ago(seconds: float) -> str:
    """How long ago something was, roughly.

    >>> ago(12.3), ago(7_300.0), ago(200_000.0)
    ('12 s ago', '2 h ago', '2 d ago')
    """
    for unit, name in ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min")):
        if seconds >= unit:
            return f"{seconds / unit:.0f} {name} ago"
    return f"{max(seconds, 0.0):.0f} s ago"
