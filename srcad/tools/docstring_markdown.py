r"""Docstrings as Markdown, for the reference pages of the documentation site.

A docstring of srcad has paragraphs, tables of arguments (a name, two or more spaces, what it is), indented code, and
doctests. Markdown would run the lines of a table together, and read prompts as quotes.

    x       where to evaluate                     - **`x`**: where to evaluate; an array
            an array                    becomes   - **`jit`**: False runs plain Python
    jit     False runs plain Python
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

_ROW = re.compile(r"(?P<name>\*{0,2}[a-z_]\w*(?:, \*{0,2}[a-z_]\w*)*)(?P<gap> +)(?P<text>\S.*)")
_CODE = re.compile(r"(`[^`]*`)")  # split by it, a line has code in the odd places


def markdown_of(docstring: str) -> str:
    r"""A docstring as Markdown.

    >>> print(markdown_of("Half of `x`.\n\nx    a number\njit  False runs\n     plain Python\n"))
    Half of `x`.
    <BLANKLINE>
    - **`x`**: a number
    - **`jit`**: False runs plain Python
    """
    blocks = re.split(r"\n\s*\n", inspect.cleandoc(docstring))
    return "\n\n".join(_block(block) for block in _joined(blocks))


def _joined(blocks: list[str]) -> Iterator[str]:
    """The blocks, with indented ones that follow each other as one: code has blank lines."""
    held = ""
    for block in blocks:
        if _is_code(block) and held:
            held += "\n\n" + block
            continue
        if held:
            yield held
        held = block if _is_code(block) else ""
        if not held:
            yield block
    if held:
        yield held


def _block(block: str) -> str:
    if block.startswith(">>>"):
        return f"```pycon\n{block}\n```"
    if _is_code(block):
        return f"```python\n{inspect.cleandoc(block)}\n```"
    rows = _rows(block.split("\n"))
    if rows:
        return "\n".join(f"- **`{name}`**: {_escaped(text)}" for name, text in rows)
    return _escaped(block)


def _is_code(block: str) -> bool:
    return all(line.startswith("    ") for line in block.split("\n") if line)


def _rows(lines: list[str]) -> list[tuple[str, str]]:
    """The rows of a table of arguments, or nothing where these lines are none.

    >>> _rows(["f    a function", "     of numbers", "mode forward or reverse"])
    [('f', 'a function of numbers'), ('mode', 'forward or reverse')]
    >>> _rows(["f is a function", "of numbers"])
    []
    """
    found: list[tuple[str, str]] = []
    columns = {1: set[int](), 2: set[int]()}  # where texts begin, after one space and after more
    for line in lines:
        match = _ROW.fullmatch(line)
        if match:
            found.append((match["name"], match["text"]))
            columns[min(len(match["gap"]), 2)].add(match.start("text"))
        elif line.startswith(" ") and found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        else:
            return []
    # Names are set off by two spaces or more; a name that is as long as the column is wide has one.
    return found if columns[2] and columns[1] <= columns[2] else []


def _escaped(text: str) -> str:
    r"""Text with what Markdown would take for emphasis or markup as it stands, but for code.

    >>> _escaped("takes *args, and `**kwargs` <if any>")
    'takes \\*args, and `**kwargs` &lt;if any>'
    """
    parts = _CODE.split(text)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"([*_[\]])", r"\\\1", parts[place]).replace("<", "&lt;")
    return "".join(parts)
