r"""The graph of what a tape has recorded, for `tape.show()`: as SVG, as text for Graphviz, and as plain text.

w (2,)    x (2,)
   \     /
  np.multiply (2,)        boxes are operations with the shapes of their results; dashed ones cut the gradient
      |
   np.sum ()
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from srcad.errors import BadValue
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.tape.core.active_recordings import Recording
from srcad.runtime.tape.why_none import name_of

MOST = 200  # operations that are drawn; of longer recordings the last ones
_CHARACTER, _HEIGHT, _GAP, _BETWEEN = 7.3, 26, 18, 34  # pixels: of letters, boxes, between boxes, between ranks
_STYLE = """
text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, monospace; fill: #1b1f24; text-anchor: middle; }
rect { fill: #f6f8fa; stroke: #57606a; } .source rect { fill: #ddf4ff; stroke: #0969da; }
.cut rect { fill: #fff1b8; stroke: #9a6700; stroke-dasharray: 4 3; } path { fill: none; stroke: #57606a; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } rect { fill: #161b22; stroke: #9ea7b3; } .source rect { fill: #0c2d6b; stroke: #58a6ff; }
  .cut rect { fill: #4a3a05; stroke: #d29922; } path { stroke: #9ea7b3; }
}
"""


@dataclass(frozen=True)
class Vertex:
    """A source, an operation, or one that cuts the gradient.

    kind    "source", "operation" or "cut"
    label   its name, with the shape of its result
    reads   places of the vertices that it reads
    reason  why it cuts the gradient
    """

    kind: str
    label: str
    reads: tuple[int, ...]
    reason: str = ""


class Graph:
    """What a tape has recorded, as a graph that draws itself in a notebook.

    `dot()` is its text for Graphviz, `svg()` the picture, `save("graph.svg")` or `save("graph.dot")` writes one.
    `vertices` are in the order in which they were recorded; `left_out` earlier operations are not among them.
    """

    def __init__(self, recording: Recording) -> None:
        self.vertices: list[Vertex] = []
        self.left_out = max(0, len(recording.nodes) - MOST)
        self._places: dict[int, int] = {}  # identity -> place among the vertices
        for made, vertex in self._found(recording):
            for identity in made:
                self._places[identity] = len(self.vertices)
            self.vertices.append(vertex)

    def _found(self, recording: Recording) -> Iterator[tuple[list[int], Vertex]]:
        cuts = dict(recording.cuts)
        for node in recording.nodes[self.left_out :]:
            for tensor in node.inputs():
                yield from self._read(tensor._identity, tensor.shape, recording, cuts)
            outputs = node.outputs()
            shapes = ", ".join(str(tuple(each.shape)) for each in outputs)
            reads = self._reads([each._identity for each in node.inputs()])
            yield [each._identity for each in outputs], Vertex("operation", f"{name_of(node)} {shapes}", reads)
        # What cuts the gradient and is read by nothing else that is recorded, such as a result.
        for identity in cuts:
            yield from self._read(identity, None, recording, cuts)

    def _read(self, identity: int, shape: Any, recording: Recording, cuts: Any) -> Iterator[tuple[list[int], Vertex]]:
        """What a node reads and no vertex has made: the result of a cut, or a source."""
        if identity in self._places:
            return
        if identity in cuts:
            primitive, read, reason = cuts[identity]
            for each in read:
                yield from self._read(each, None, recording, cuts)
            shown = "" if shape is None else f" {tuple(shape)}"
            label = f"{primitive_name(primitive)}{shown}"
            yield [identity], Vertex("cut", label, self._reads(read), reason or "computed from what cuts the gradient")
        elif identity in recording.variables:
            variable = recording.variables[identity]
            yield [identity], Vertex("source", f"{variable.name} {tuple(variable.shape)}", ())
        elif identity in recording.roots:
            yield [identity], Vertex("source", f"watched {'' if shape is None else tuple(shape)}".strip(), ())
        elif self.left_out:
            yield [identity], Vertex("source", "recorded before", ())

    def _reads(self, identities: Any) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._places[each] for each in identities if each in self._places))

    def dot(self) -> str:
        """The graph in the language of Graphviz."""
        styles = {"source": "style=filled, fillcolor=lightblue", "operation": "", "cut": "style=dashed"}
        lines = []
        for place, vertex in enumerate(self.vertices):
            label = vertex.label.replace("\\", "\\\\").replace('"', '\\"')
            style = styles[vertex.kind]
            lines.append(f'    {place} [shape=box, label="{label}"{", " + style if style else ""}];')
            lines += [f"    {each} -> {place};" for each in vertex.reads]
        return "digraph tape {\n" + "\n".join(lines) + "\n}\n"

    def svg(self) -> str:
        """The picture, with nothing from elsewhere."""
        boxes = _laid_out(self.vertices)
        width = max((x + w / 2 for x, _, w in boxes), default=0.0) + _GAP
        height = max((y + _HEIGHT for _, y, _ in boxes), default=0.0) + _GAP
        parts = []
        for vertex, (x, y, _) in zip(self.vertices, boxes, strict=True):
            for place in vertex.reads:
                from_x, from_y = boxes[place][0], boxes[place][1] + _HEIGHT
                bend = (y - from_y) / 2
                curve = f"C{from_x:.0f} {from_y + bend:.0f} {x:.0f} {y - bend:.0f} {x:.0f} {y:.0f}"
                parts.append(f'<path d="M{from_x:.0f} {from_y:.0f} {curve}"/>')
        for vertex, (x, y, w) in zip(self.vertices, boxes, strict=True):
            title = f"<title>{html.escape(vertex.reason)}</title>" if vertex.reason else ""
            box = f'<rect x="{x - w / 2:.0f}" y="{y:.0f}" width="{w:.0f}" height="{_HEIGHT}" rx="4"/>'
            text = f'<text x="{x:.0f}" y="{y + 17:.0f}">{html.escape(vertex.label)}</text>'
            parts.append(f'<g class="{vertex.kind}">{title}{box}{text}</g>')
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" role="img" '
            f'aria-label="{len(self.vertices)} recorded values"><style>{_STYLE}</style>{"".join(parts)}</svg>\n'
        )

    def save(self, path: str | Path) -> Path:
        """Write a file that ends in `.svg` or `.dot`, and return where."""
        path = Path(path)
        if path.suffix not in (".svg", ".dot"):
            raise BadValue(f"{path.name} is neither a picture nor a graph", hint="end the name in .svg or .dot")
        path.write_text(self.svg() if path.suffix == ".svg" else self.dot(), encoding="utf-8")
        return path

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        lines = [f"{self.left_out} operations before"] if self.left_out else []
        for place, vertex in enumerate(self.vertices):
            read = ", ".join(map(str, vertex.reads))
            cut = f", cuts the gradient: {vertex.reason}" if vertex.reason else ""
            lines.append(f"{place}: {vertex.label}{f' of {read}' if read else ''}{cut}")
        return "\n".join(lines) or "nothing is recorded"


def _laid_out(vertices: list[Vertex]) -> list[tuple[float, float, float]]:
    """For each vertex the middle of its box, its top and its width: in ranks, each below what it reads."""
    ranks: list[int] = []
    for vertex in vertices:
        ranks.append(1 + max((ranks[each] for each in vertex.reads), default=-1))
    middle = [0.0] * len(vertices)
    widths = [_CHARACTER * len(vertex.label) + 16 for vertex in vertices]
    for rank in range(max(ranks, default=-1) + 1):
        row = [place for place, each in enumerate(ranks) if each == rank]
        wanted = {place: _mean([middle[each] for each in vertices[place].reads]) for place in row}
        right = 0.0
        for place in sorted(row, key=lambda place: (wanted[place], place)):
            left = max(right + _GAP, wanted[place] - widths[place] / 2)
            middle[place], right = left + widths[place] / 2, left + widths[place]
    return [(middle[place], _GAP + rank * (_HEIGHT + _BETWEEN), widths[place]) for place, rank in enumerate(ranks)]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
