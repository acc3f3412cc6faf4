"""Comments in generated code: what is recorded, and which line of the primal an adjoint statement reverses."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from srcad.errors import Place
from srcad.transforms.ir.build import Block, clone
from srcad.transforms.ir.node_notes import note, notes_of

_LINE = "line "


def is_line(comment: str | None) -> bool:
    """Whether a comment says which primal line is reversed."""
    return comment is not None and comment.startswith(_LINE)


def with_line(block: Block, place: Place | None) -> Block:
    """Note on adjoint statements which primal line they reverse, unless there is a comment."""
    if place is not None:
        for statement in block:
            if notes_of(statement).comment is None:
                note(statement, comment=f"{_LINE}{place.line}: {place.text.strip()}")
    return block


def with_origin(statement: Any, place: Place | None) -> None:
    """Comment a statement with the user's line that it comes from, the file, and the calls that led there."""
    if place is None:
        return
    found, caller = f"{_line_of(place)}: {place.text.strip()}", place.inside
    while caller is not None:
        found, caller = f"{found}, called from {_line_of(caller)}", caller.inside
    note(statement, comment=found)


def _line_of(place: Place) -> str:
    return f"{PurePath(place.file).name}:{place.line}"


def message_at(place: Place | None, what: str) -> str:
    """What an exception of generated code says: the user's text, what is wrong with it, and where it stands."""
    if place is None:
        return what
    place = place.shown()
    text = place.text[place.column : place.end_column].strip()
    return f"{text}: {what} ({_line_of(place)})"


def commented(block: Block, comment: str) -> Block:
    """Copies of statements, the last one with a comment."""
    copied = [clone(statement) for statement in block]
    for statement in copied:
        note(statement, comment=comment if statement is copied[-1] or len(copied) == 1 else None)
    return copied
