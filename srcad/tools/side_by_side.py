"""The picture of a function beside its adjoint, lines that belong together in one colour.

    python -m srcad.tools.side_by_side > docs/side_by_side.svg

It shows what the compiler makes of `settle`, so it cannot go out of date unnoticed: a test compares it.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Sequence

import numpy as np

from srcad.tools.report import Line, Report

_STEP, _SIZE, _LETTER = 19, 13, 7.83  # of a line, of the font, and of a letter of it, in pixels
_LEFT, _RIGHT, _TOP = 16, 452, 44
_COLOURS = ("#cfe8ff", "#ffe3b3", "#d6f5d6", "#f6d3e8", "#e5dcff", "#ffd6cc")
_EDGES = ("#2f7fc1", "#b97c00", "#2e8b57", "#b03a86", "#6d55c9", "#c4512d")


def settle(x: np.ndarray, k: float) -> float:
    """A value that is damped while it is large, and driven while it is small."""
    v = 1.0
    for i in range(x.shape[0]):
        if v > 0.5:
            v = v - k * v * v
        else:
            v = v + 0.1 * np.sin(x[i])
    return v


def picture(report: Report) -> str:
    """An SVG of the user's function and the generated reverse function of a report.

    >>> picture(Report(settle, (np.ones(2), 0.3), (0, 1), jit=False, passes=False))[:4]
    '<svg'
    """
    left = [each for each in report.primal if '"""' not in each.text]
    last = max(k for k, each in enumerate(report.adjoint) if each.text.startswith("def "))
    code = [Line(each.number, each.text.partition("#")[0].rstrip(), each.origin) for each in report.adjoint[last:]]
    right = [each for each in code if each.text]
    shared = [each.number for each in left if any(other.origin == each.number for other in right)]
    colours = {number: place % len(_COLOURS) for place, number in enumerate(shared)}
    ties = [
        _tie(a, b, _EDGES[colours[one.number]])
        for a, one in enumerate(left)
        for b in _starts(right, one.number)
        if one.number in colours
    ]
    width = _RIGHT + int(_LETTER * max(len(each.text) for each in right)) + 2 * _LEFT
    height = _TOP + _STEP * max(len(left), len(right)) + 16
    heads = _text(_LEFT, 24, "your function", True) + _text(_RIGHT, 24, "its reverse sweep, as it runs", True)
    body = _column(left, _LEFT, _RIGHT - 70, colours) + _column(right, _RIGHT, width - _LEFT, colours)
    label = f"{report.name} beside its generated reverse function; lines that belong together have one colour"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{heads}{"".join(ties)}{body}</svg>\n'
    )


def _starts(lines: Sequence[Line], origin: int) -> list[int]:
    """Where runs of lines of one origin begin."""
    return [k for k, each in enumerate(lines) if each.origin == origin and (not k or lines[k - 1].origin != origin)]


def _column(lines: Sequence[Line], begin: int, end: int, colours: dict[int, int]) -> str:
    found = []
    for place, line in enumerate(lines):
        y = _TOP + _STEP * place
        if line.origin in colours:
            fill = _COLOURS[colours[line.origin]]
            found.append(f'<rect x="{begin - 8}" y="{y}" width="{end - begin + 8}" height="{_STEP}" fill="{fill}"/>\n')
        found.append(_text(begin, y + 14, line.text))
    return "".join(found)


def _tie(a: int, b: int, colour: str) -> str:
    """A curve from a line on the left to one on the right."""
    begin, end, half = _RIGHT - 70, _RIGHT - 8, _STEP / 2
    one, other, middle = _TOP + _STEP * a + half, _TOP + _STEP * b + half, (begin + end) // 2
    path = f"M{begin} {one}C{middle} {one} {middle} {other} {end} {other}"
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>\n'


def _text(x: int, y: int, text: str, is_head: bool = False) -> str:
    style = 'font-family="sans-serif" font-weight="bold"' if is_head else 'font-family="monospace"'
    shown = html.escape(text).replace(" ", "&#160;")
    return f'<text x="{x}" y="{y}" font-size="{_SIZE}" {style} fill="#1b1f24">{shown}</text>\n'


def main() -> int:
    """Write the picture to standard output."""
    sys.stdout.write(picture(Report(settle, (np.ones(2), 0.3), (0, 1), jit=False, passes=False)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
