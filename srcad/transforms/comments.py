"""Comments in generated code: what is recorded, and which line of the primal an adjoint statement reverses."""

from __future__ import annotations

from srcad.errors import Place
from srcad.transforms.build import Block, clone


def with_line(block: Block, place: Place | None) -> Block:
    """Name the primal line beside the first of its adjoint statements."""
    if block and place is not None:
        block[0].comment = f"line {place.line}: {place.text.strip()}"
    return block


def commented(block: Block, comment: str) -> Block:
    """Copies of statements, the last one with a comment."""
    copied = [clone(statement) for statement in block]
    for statement in copied:
        statement.comment = comment if statement is copied[-1] or len(copied) == 1 else None
    return copied
