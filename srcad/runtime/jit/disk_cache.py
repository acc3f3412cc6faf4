"""The disk cache: its folder, the names of files, and how they are written and read.

    key("...", "...")            a hash of everything that a generated module depends on
    store(key, stored)           writes a file atomically; if two processes store the same key, either file may remain
    fetch(key)                   the stored module, or None
    store_code, fetch_code       the same for machine code

A file is used only if it is whole and is the one that was stored under this name: each ends with a seal, a hash of its
name and its content. What is cut short, changed or exchanged is no file, and is made again.

A folder that other users can write to is refused, since its files are executed. Without a usable folder, or where
nothing can be written, nothing is stored, and modules live in memory only. `cache_size` bounds the folder.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import stat
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import llvmlite
import numba
import numpy as np

from srcad.runtime.jit import cache_size

_MARK = "# srcad: "
_SEAL = 16  # bytes


@dataclass(frozen=True)
class Stored:
    """A generated module: its text, the names of its functions, and those of the objects that must be passed to it.

    assumes     whether the code is correct only for arrays that fit without broadcasting, and raises `Widens` otherwise
    memory      by function and name of an array, the scopes of the memory that it may refer to: arrays without a scope
                in common do not overlap
    """

    text: str
    functions: tuple[str, ...]
    injected: tuple[str, ...] = ()
    assumes: bool = False
    memory: Mapping[str, Mapping[str, Sequence[int]]] = field(default_factory=dict)


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
    return "\n".join([own_source(), *versions])


def own_source() -> str:
    """A hash of srcad's own source as this process has found it."""
    return _found_source()[1]


@functools.cache
def _found_source() -> tuple[list[object], str]:
    """The state of srcad's own files when they were first looked at, and a hash of what was in them."""
    state = _source_state()  # before they are read: what is replaced meanwhile counts as replaced
    return state, _own_source()


def _is_replaced() -> bool:
    """Whether srcad's own files are no longer those that this process has found."""
    state, source = _found_source()
    try:
        return _source_state() != state and _own_source() != source
    except OSError:  # a file has gone
        return True


def _source_state() -> list[object]:
    """Of each file of srcad's own: its path, its inode, its size in bytes, when it was changed."""
    return [(path, *_state(os.stat(path))) for path in _source_paths()]


def _state(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _source_paths() -> list[str]:
    found = []
    for folder, inner, files in os.walk(Path(__file__).resolve().parents[2]):
        inner[:] = sorted(each for each in inner if each != "__pycache__")
        found += [f"{folder}{os.sep}{each}" for each in sorted(files) if each.endswith(".py")]
    return found


def _own_source() -> str:
    digest = hashlib.blake2b(digest_size=16)
    root = Path(__file__).resolve().parents[2]
    for path in map(Path, _source_paths()):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def fetch(name: str) -> Stored | None:
    """The module stored under a name, or None. A file that is not as it was stored counts as none."""
    path = path_of(name)
    whole = None if path is None else _read(path)
    text, mark, last = ("", "", "") if whole is None else whole.decode("utf-8", "replace").rpartition(_MARK)
    facts, _, seal = last.rpartition(" ")
    if not mark or seal != _seal(name, (text + facts).encode("utf-8")).hex() + "\n":
        return None
    known = json.loads(facts)
    return Stored(text, tuple(known["functions"]), tuple(known["injected"]), known["assumes"], known["memory"])


def store(name: str, stored: Stored) -> Path | None:
    """Write a module atomically. Returns its path, or None if nothing can be written."""
    path = path_of(name)
    if path is None or _is_replaced():
        return None  # srcad is being replaced: what this process has made may be of neither version
    names = {"functions": stored.functions, "injected": stored.injected}
    facts = json.dumps({**names, "assumes": stored.assumes, "memory": stored.memory})
    seal = _seal(name, (stored.text + facts).encode("utf-8")).hex()
    return _write(path, f"{stored.text}{_MARK}{facts} {seal}\n".encode())


def fetch_code(name: str, what: str) -> bytes | None:
    """The machine code stored for a module, `what` says of which function and types; or None."""
    path = _code_path(name, what)
    whole = None if path is None else _read(path)
    if path is None or whole is None:
        return None
    content, seal = whole[:-_SEAL], whole[-_SEAL:]
    return content if seal == _seal(path.name, content) else None


def store_code(name: str, what: str, content: bytes) -> Path | None:
    """Write machine code atomically. Returns its path, or None if nothing can be written."""
    path = _code_path(name, what)
    return None if path is None else _write(path, content + _seal(path.name, content))


def _code_path(name: str, what: str) -> Path | None:
    path = path_of(name)
    return (
        None if path is None else path.with_suffix(f".{hashlib.blake2b(what.encode(), digest_size=8).hexdigest()}.code")
    )


def _seal(name: str, content: bytes) -> bytes:
    """What says that a file is whole and has the content that was stored under this name."""
    digest = hashlib.blake2b(name.encode() + b"\0", digest_size=_SEAL)
    digest.update(content)
    return digest.digest()


def _read(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # what was used longest ago is dropped first
    return content


def _write(path: Path, content: bytes) -> Path | None:
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=cache_size.UNFINISHED)
    except OSError:
        return None
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException as problem:
        _remove(temporary)
        if isinstance(problem, OSError):
            return None
        raise
    cache_size.written(path.parent, len(content))
    return path


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
    if cache_size.limit() == 0:
        return None
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
