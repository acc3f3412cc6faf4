"""The page of a report: one HTML file with its style and script inside, which needs no network.

Everything on it but the measured times, which are in elements of the class `measured`, follows from the function and
its arguments.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from srcad.driver.trace_memory import written
from srcad.printing.highlight import html_lines
from srcad.tools.gradient_figure import figure

if TYPE_CHECKING:
    from srcad.tools.line_times import LineTime
    from srcad.tools.report import Line, Report

_VERDICTS = {
    "right": ("right", "agrees with differences"),
    "wrong": ("wrong", "wrong: differs from differences"),
    "not settled": ("quiet", "differences do not tell"),
}


def page(report: Report) -> str:
    """The report as a whole page."""
    title = f"{html.escape(report.name)}: adjoint, cost and check"
    style, script = (files("srcad.tools").joinpath(name).read_text("utf-8") for name in ("report.css", "report.js"))
    notes = {each.number: list(each.notes) for each in report.primal if each.notes}
    for line, each in report.line_times.lines.items():
        notes.setdefault(line, []).append("it ran once" if each.runs == 1 else f"it ran {each.runs:,} times")
    data = json.dumps(notes).replace("<", "\\u003c")
    parts = [_head(report), _panes(report), _check(report), _gradients(report), _passes(report)]
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>\n{style}</style>\n</head>\n'
        f"<body>\n<main>\n{''.join(parts)}</main>\n"
        f'<script type="application/json" id="notes">{data}</script>\n<script>\n{script}</script>\n</body>\n</html>\n'
    )


def framed(report: Report) -> str:
    """The page in a frame of its own, for a notebook."""
    source = html.escape(page(report), quote=True)
    return f'<iframe title="report of {html.escape(report.name)}" srcdoc="{source}" width="100%" height="720"></iframe>'


def _head(report: Report) -> str:
    kind, said = _VERDICTS[report.verdict]
    names = ", ".join(report.parameters)
    facts = [("Check", f'<span class="{kind}">{said}</span>'), ("Trace", written(report.trace_bytes))]
    facts += [
        (each.what.capitalize(), f'<span class="measured">{_time(each.seconds)}</span>') for each in report.timings
    ]
    listed = "".join(f"<div><dt>{what}</dt><dd>{said}</dd></div>" for what, said in facts)
    how = "compiled by Numba" if report.jit else "run as plain Python"
    about = f"Derivative of <code>{html.escape(report.name)}</code> with respect to <code>{html.escape(names)}</code>"
    return f'<h1>{html.escape(report.name)}</h1>\n<p>{about}, {how}.</p>\n<dl class="facts">{listed}</dl>\n'


def _panes(report: Report) -> str:
    origins = {each.origin for each in report.adjoint}
    own = {each.number for each in report.primal if each.notes} | origins | set(report.line_times.lines)
    left = _listed(report.primal, own, {line: _spent(each) for line, each in report.line_times.lines.items()})
    right = _listed(report.adjoint, origins - {None})
    total = (
        report.explanation.total() if report.explanation is not None else ["it runs uncompiled: nothing is explained"]
    )
    told = "Choose a line, by pointer or arrow keys, to see what belongs to it and what is kept for it."
    return (
        '<h2 id="texts">The function and its two sweeps</h2>\n'
        f'<div id="told" role="status" aria-live="polite"><p class="quiet">{told}</p></div>\n<div class="panes">\n'
        f'<section aria-labelledby="h1"><h2 id="h1">Your function</h2>{left.format(id="primal", label="your function")}'
        '</section>\n<section aria-labelledby="h2"><h2 id="h2">Generated code</h2>'
        f"{right.format(id='adjoint', label='generated code')}</section>\n</div>\n"
        f"{_how_timed(report)}<p>Recorded for the reverse sweep, {html.escape('; '.join(total))}.</p>\n"
    )


def _listed(lines: list[Line], chosen: set[Any], spent: Mapping[int, str] | None = None) -> str:
    """A list of lines; those of `chosen` lines of the function can be selected, and the first of them by Tab."""
    items, is_first = [], True
    texts = html_lines("\n".join(each.text for each in lines))
    for line, text in zip(lines, texts, strict=True):
        said = text.replace("{", "{{").replace("}", "}}")
        kept = f'<span class="b">{written(line.size)} recorded</span>' if line.size else ""
        before = "" if spent is None else spent.get(line.number, '<span class="t"></span>')
        how = 'role="presentation"'
        if line.origin in chosen and line.text.strip():
            how = f'role="option" aria-selected="false" data-line="{line.origin}" tabindex="{0 if is_first else -1}"'
            is_first = False
        number = f'<span class="n" aria-hidden="true">{line.number}</span>'
        items.append(f"<li {how}>{before}{number}<span>{said}</span>{kept}</li>")
    return f'<ul class="code" id="{{id}}" role="listbox" aria-label="{{label}}">{"".join(items)}</ul>'


def _spent(line: LineTime) -> str:
    """A line's part of the time, with a bar, and how often it ran."""
    part = f"{line.part:.0%}"
    bar = f'<i class="bar" style="width:{100 * line.part:.0f}%"></i>'
    times = "once" if line.runs == 1 else f"{line.runs:,} times"
    return f'<span class="t" title="ran {times}"><span class="measured">{bar}{part}</span></span>'


def _how_timed(report: Report) -> str:
    if not report.line_times.lines:
        return ""
    how = "a compiled copy" if report.line_times.is_compiled else "a copy, run as plain Python,"
    return (
        f"<p>The bars are the parts of the lines in the time of your function, measured by {how} with a mark before "
        "each line, to about a line; a call counts for the line that makes it.</p>\n"
    )


def _check(report: Report) -> str:
    check = report.check
    rows = "".join(
        f'<tr><td><code>{html.escape(each.where)}</code></td><td class="num">{each.gradient:.9g}</td>'
        f'<td class="num">{each.expected.value:.9g}</td>'
        f'<td class="num">{_relative(each.gradient, each.expected.value)}</td></tr>'
        for each in check.numbers
    )
    problems = "".join(f'<p class="wrong">{html.escape(str(each).strip())}</p>' for each in check.found)
    problems += f'<p class="wrong">{html.escape(check.disagreement)}</p>' if check.disagreement else ""
    sides = ""
    if check.sides is not None:
        forward, reverse = check.sides
        said = f"forward mode gives {forward:.12g}, reverse mode {reverse:.12g}"
        sides = f"<p>Along a random direction, {said}: a relative difference of {_relative(forward, reverse)}.</p>"
    head = "".join(f'<th scope="col"{each}</th>' for each in _COLUMNS)
    return (
        f"<h2>Checked against differences</h2>\n<p>{check.compared} elements were compared.</p>\n{problems}{sides}"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>\n'
    )


_COLUMNS = ">element", ' class="num">gradient', ' class="num">difference', ' class="num">apart'


def _gradients(report: Report) -> str:
    found = []
    for name, each in zip(report.parameters, report.gradient, strict=True):
        drawn = figure(each, name)
        said = drawn or f"<p><code>{html.escape(np.array2string(np.asarray(each), threshold=20))}</code></p>"
        found.append(f"<h3>by <code>{html.escape(name)}</code></h3>{said}")
    return f"<h2>The gradient</h2>\n{''.join(found)}\n"


def _passes(report: Report) -> str:
    if not report.with_passes:
        return ""
    rows = "".join(
        f'<tr><td><code>{html.escape(name)}</code></td><td class="num">{count}</td><td>{html.escape(does)}</td></tr>'
        for name, does, count in report.changed_by
    )
    head = '<th scope="col">pass</th><th scope="col" class="num">lines</th><th scope="col">what it does</th>'
    return (
        "<h2>Passes that changed the generated code</h2>\n<p>With how many lines are different without the pass.</p>\n"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>\n'
    )


def _relative(one: float, other: float) -> str:
    scale = max(abs(one), abs(other))
    return "0" if one == other else f"{abs(one - other) / scale:.1e}"


def _time(seconds: float) -> str:
    """A time as people write it.

    >>> _time(1.5e-6), _time(0.25)
    ('1.5 µs', '250 ms')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
