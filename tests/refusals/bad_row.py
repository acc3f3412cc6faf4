"""One bad input, and what it should get."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bad:
    """A program that misuses srcad; the error comes from its last line unless `line` says otherwise.

    kind    the class of the error
    says    words of its message
    at      the part of the user's function that it marks; empty where the call itself is what is wrong
    own     whether the exception is Python's or the function's own, so that it has no hint
    """

    program: str
    kind: type[BaseException]
    says: str
    at: str = ""
    own: bool = False
    line: int = 0
