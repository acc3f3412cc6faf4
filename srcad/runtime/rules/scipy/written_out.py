"""Definitions that are written out from a table: the text of a function becomes a definition of a primitive."""

from __future__ import annotations

import linecache
from collections.abc import Mapping, Sequence
from typing import Any

from srcad.runtime.rulebook.registry import define


def function_of_text(label: str, head: str, lines: Sequence[str], space: Mapping[str, Any]) -> Any:
    """The function with these parameters and lines, which may call what is in `space`.

    The text is kept where tracebacks and `inspect` find it, under a file name that contains the label.
    """
    name = label.rpartition("scipy.")[2].replace(".", "_")
    text = f"def {name}({head}):\n    " + "\n    ".join(lines) + "\n"
    file = f"<srcad {label}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {**space, "__name__": __name__}
    exec(compile(text, file, "exec"), names)
    return names[name]


def define_by_text(primitive: Any, label: str, head: str, lines: Sequence[str], space: Mapping[str, Any]) -> None:
    """Define a primitive by a function with these parameters and lines."""
    define(primitive)(function_of_text(label, head, lines, space))
