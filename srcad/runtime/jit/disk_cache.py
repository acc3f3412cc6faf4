"""The disk cache of generated modules: its folder, the names of files, and how they are written and read.

    key("...", "...")            a hash of everything that a generated module depends on
    store(key, stored)           writes a file atomically; if two processes store the same key, either file may remain
    fetch(key)                   the stored module, or None

A folder that other users can write to is refused, since its files are executed. Without a usable folder nothing is
stored, and modules live in memory only.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import stat
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import llvmlite
import numba
import numpy as np

_MARK = "# srcad: "


@dataclass(frozen=True)
class Stored:
    """A generated module: its text, the names of its functions, and those of the objects that must be passed to it.

    assumes     whether the code is correct only for arrays that fit without broadcasting, and raises `Widens` otherwise
    """

    text: str
    functions: tuple[str, ...]
    injected: tuple[str, ...] = ()
    assumes: bool = False


def key(*parts: str) -> str:
    """A name for a module that depends on these texts and on the versions of srcad, Numba, LLVM, NumPy and Python.

    >>> key("a", "bc") == key("a", "bc"), key("ab", "c") == key("a", "bc")
    (True, False)
    """
    digest = hashlib.blake2b(environment().encode(), digest_size=16)
    for part in parts:
        # The length comes first, so that different lists of parts never give the same bytes.
        digest.update(f"{len(part)}:".encode())
        digest.update(part.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@functools.cache
def environment() -> str:
    """The versions of everything that affects generated code: srcad's source, Numba, LLVM, NumPy, Python, machine."""
    versions = [numba.__version__, llvmlite.__version__, np.__version__, sys.version, platform.machine()]
    return "\n".join([_own_source(), *versions])


def _own_source() -> str:
    digest = hashlib.blake2b(digest_size=16)
    root = Path(__file__).resolve().parents[2]
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def fetch(name: str) -> Stored | None:
    """The module stored under a name, or None. An incomplete file counts as none."""
    path = path_of(name)
    if path is None:
        return None
    try:
        whole = path.read_text(encoding="utf-8")
    except OSError:
        return None
    text, mark, facts = whole.rpartition(_MARK)
    if not mark or not facts.endswith("\n"):
        return None
    known = json.loads(facts)
    return Stored(text, tuple(known["functions"]), tuple(known["injected"]), known["assumes"])


def store(name: str, stored: Stored) -> Path | None:
    """Write a module atomically. Returns its path, or None if nothing can be written."""
    path = path_of(name)
    if path is None:
        return None
    facts = json.dumps({"functions": stored.functions, "injected": stored.injected, "assumes": stored.assumes})
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{name}-", suffix=".tmp")
    except OSError:
        return None
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(f"{stored.text}{_MARK}{facts}\n")
        # Numba stores machine code with the time stamp of this file. The file's name determines its content, so the
        # stamp need not change when a second process stores the same module.
        os.utime(temporary, (_STAMP, _STAMP))
        os.replace(temporary, path)
    except OSError:
        _remove(temporary)
        return None
    return path


_STAMP = 1_000_000_000


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def path_of(name: str) -> Path | None:
    """The path for a module of this name, whether it exists or not; None without a usable folder."""
    place = folder()
    return None if place is None else place / f"srcad_{name}.py"


def folder() -> Path | None:
    """The cache folder, created if necessary: SRCAD_CACHE_DIR, else one in the user's home; None if not usable."""
    return _usable(os.environ.get("SRCAD_CACHE_DIR") or None)


@functools.cache
def _usable(given: str | None) -> Path | None:
    place = Path(given).absolute() if given else _users_own()
    if place is None:
        return None
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = place.stat()
    except OSError:
        return None
    problem = _problem(found)
    if problem:
        warnings.warn(
            f"srcad does not use the cache folder {place}: {problem}. Set SRCAD_CACHE_DIR to a folder of your own; "
            "until then generated code is not kept between processes.",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return place if os.access(place, os.R_OK | os.W_OK | os.X_OK) else None


def _problem(found: os.stat_result) -> str | None:
    if not hasattr(os, "geteuid"):
        return None  # on Windows a user's folders are protected by inherited access lists
    if found.st_uid != os.geteuid():
        return "it belongs to somebody else"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others can write to it"
    return None


def _users_own() -> Path | None:
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "srcad" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "srcad"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "srcad"
