"""Syntax highlighting of Python text for a terminal."""

from __future__ import annotations

import io
import keyword
import tokenize

_RESET = "\x1b[0m"
_KEYWORD = "\x1b[35m"
_DEFINED = "\x1b[1;34m"
_NUMBER = "\x1b[36m"
_STRING = "\x1b[32m"
_COMMENT = "\x1b[90m"

# Python 3.12 and later split f-strings into several tokens.
_STRINGS = ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")


def highlight(text: str) -> str:
    r"""The text with ANSI colours; text that is not valid Python is returned unchanged.

    >>> highlight("return x  # line 2\n")
    '\x1b[35mreturn\x1b[0m x  \x1b[90m# line 2\x1b[0m\n'
    """
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return text
    lines = text.splitlines(keepends=True)
    pieces: list[str] = []
    position, previous = (1, 0), ""
    for token in tokens:
        colour = _colour(token, previous)
        if token.string.strip():
            previous = token.string
        if not colour:
            continue
        pieces += [_between(lines, position, token.start), colour, _between(lines, token.start, token.end), _RESET]
        position = token.end
    return "".join([*pieces, _between(lines, position, (len(lines) + 1, 0))])


def _colour(token: tokenize.TokenInfo, previous: str) -> str:
    kind = tokenize.tok_name[token.type]
    if kind == "NAME":
        if previous in ("def", "class"):
            return _DEFINED
        return _KEYWORD if keyword.iskeyword(token.string) else ""
    if kind in _STRINGS:
        return _STRING
    return {"NUMBER": _NUMBER, "COMMENT": _COMMENT}.get(kind, "")


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text from one position to another; lines count from 1, columns from 0."""
    (first, column), (last, stop) = start, end
    if first == last:
        return lines[first - 1][column:stop] if first <= len(lines) else ""
    middle = lines[first : last - 1]
    tail = lines[last - 1][:stop] if last <= len(lines) else ""
    return "".join([lines[first - 1][column:] if first <= len(lines) else "", *middle, tail])
