"""Syntax highlighting of Python text, for a terminal and for pages."""

from __future__ import annotations

import html
import io
import keyword
import tokenize
from collections.abc import Iterator

_RESET = "\x1b[0m"
_KEYWORD = "\x1b[35m"
_DEFINED = "\x1b[1;34m"
_NUMBER = "\x1b[36m"
_STRING = "\x1b[32m"
_COMMENT = "\x1b[90m"

_CLASSES = {_KEYWORD: "keyword", _DEFINED: "defined", _NUMBER: "number", _STRING: "string", _COMMENT: "comment"}

# Python 3.12 and later split f-strings into several tokens.
_STRINGS = ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")


def highlight(text: str) -> str:
    r"""The text with ANSI colours; text that is not valid Python is returned unchanged.

    >>> highlight("return x  # line 2\n")
    '\x1b[35mreturn\x1b[0m x  \x1b[90m# line 2\x1b[0m\n'
    """
    return "".join([f"{colour}{piece}{_RESET}" if colour else piece for colour, piece in _pieces(text)])


def html_lines(text: str) -> list[str]:
    """The lines of the text as HTML, what has a colour in a `<span>` whose class says what it is.

    >>> html_lines("return x  # <1>")
    ['<span class="keyword">return</span> x  <span class="comment"># &lt;1&gt;</span>']
    """
    found = [""]
    for colour, piece in _pieces(text):
        for place, part in enumerate(piece.split("\n")):
            if place:
                found.append("")
            said = html.escape(part)
            found[-1] += f'<span class="{_CLASSES[colour]}">{said}</span>' if colour and part else said
    return found


# Colours that have enough contrast on white and on black alike; a notebook's theme is not known here.
_STYLE = (
    ".srcad .keyword{color:#a155e7}.srcad .defined{color:#3b82d6}.srcad .number{color:#0f8a8a}"
    ".srcad .string{color:#2f8f46}.srcad .comment{color:#7d8590}"
)


def html_block(title: str, text: str | None) -> str:
    """A title and, if there is one, the text with its colours, to be shown in a notebook.

    >>> html_block("<gradient>", None)
    '<div class="srcad"><code>&lt;gradient&gt;</code></div>'
    """
    head = f"<code>{html.escape(title)}</code>"
    if text is None:
        return f'<div class="srcad">{head}</div>'
    body = "\n".join(html_lines(text.rstrip("\n")))
    return f'<div class="srcad"><style>{_STYLE}</style>{head}<pre><code>{body}</code></pre></div>'


class Source(str):
    """Generated text, which is shown with colours in a notebook; in all else a text."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html_block(f"{self.count(chr(10))} lines of source", self)


class Lines(str):
    """Text in lines, which a notebook shows as lines; in all else a text.

    >>> Lines("a < b")._repr_html_()
    '<pre>a &lt; b</pre>'
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self)}</pre>"


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces, each with its colour, empty for none."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        yield "", text
        return
    lines = text.splitlines(keepends=True)
    position, previous = (1, 0), ""
    for token in tokens:
        colour = _colour(token, previous)
        if token.string.strip():
            previous = token.string
        if not colour:
            continue
        yield "", _between(lines, position, token.start)
        yield colour, _between(lines, token.start, token.end)
        position = token.end
    yield "", _between(lines, position, (len(lines) + 1, 0))


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
