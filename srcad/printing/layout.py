"""Where text goes on the page: comments behind statements, blocks, blank lines, docstrings."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from srcad.printing.expression_text import ExpressionPrinter
from srcad.printing.precedence import Strength, kind_of
from srcad.transforms.ir.node_notes import notes_of

WIDTH = 120
_LEAST_COMMENT = 24  # columns; a comment that would be cut to less stands on a line of its own

DEFINITIONS = ("FunctionDef", "AsyncFunctionDef", "ClassDef")


class Layout(ExpressionPrinter):
    """Writes sequences of statements; the statements themselves are written by the printer."""

    def __init__(self, comments: Mapping[int, str]) -> None:
        # Not astunparse's own __init__, which prints at once.
        self.f = io.StringIO()
        self.future_imports: list[str] = []
        self._indent = 0
        self._comments = comments
        self._start = 0  # of the statement being written
        self._comment: str | None = None  # still to be written behind its first line

    def enter(self) -> None:
        """Begin a block; the waiting comment belongs to the line that ends here."""
        self.write(":")
        self.end_of_header()
        self._indent += 1

    def dispatch(self, tree: Any) -> None:
        """Write a node, or a list of statements."""
        if isinstance(tree, list):
            self._statements(tree)
        else:
            super().dispatch(tree)

    def _statements(self, statements: list[Any]) -> None:
        for position, statement in enumerate(statements):
            follows_definition = position and kind_of(statements[position - 1]) in DEFINITIONS
            if follows_definition or (position and kind_of(statement) in DEFINITIONS):
                self.write("\n" if self._indent else "\n\n")
            self.statement(statement)

    def statement(self, node: Any) -> None:
        """Write one statement with its comment."""
        self.begin(node)
        self.dispatch(node)
        self.end_of_header()

    def begin(self, node: Any) -> None:
        """Note where a header begins, and which comment waits for its end."""
        self._start = self.f.tell()
        comment = notes_of(node).comment or self._comments.get(getattr(node, "lineno", None) or 0)
        self._comment = " ".join(comment.split()) if comment else None

    def end_of_header(self) -> None:
        """Write the waiting comment: behind the line, cut if it must be, or above it if there is no room."""
        comment, self._comment = self._comment, None
        if comment is None:
            return
        self.f.seek(self._start)
        written = self.f.read()
        line = written[written.rfind("\n") + 1 :]
        room = WIDTH - len(line) - len("  # ")
        if len(comment) <= room or room >= _LEAST_COMMENT:
            self.write("  # " + _cut(comment, room))
            return
        margin = "\n" + "    " * self._indent + "# "
        self.f.seek(self._start)
        self.f.truncate()
        self.write(margin + _cut(comment, WIDTH - len(margin) + 1) + written)

    def bare(self, node: Any, least: Strength = Strength.TUPLE) -> None:
        """An expression at the level of a statement, where a tuple needs no brackets but `:=` does."""
        self.expression(node, Strength.TEST if kind_of(node) == "NamedExpr" else least)

    def body(self, node: Any) -> None:
        """The statements of a function, class or module, of which the first may be a docstring."""
        body = list(node.body)
        if body and _is_docstring(body[0]):
            self.begin(body[0])
            self.fill(_docstring(body.pop(0).value.value))
            self.end_of_header()
            if body and kind_of(body[0]) in DEFINITIONS:
                self.write("\n" if self._indent else "\n\n")
        self.dispatch(body)

    def block(self, keyword: str, statements: list[Any]) -> None:
        """Write a clause such as `else:` with its statements, if it has any."""
        if statements:
            self.fill(keyword)
            self.enter()
            self.dispatch(statements)
            self.leave()


def _cut(comment: str, room: int) -> str:
    return comment if len(comment) <= room else comment[: room - 3] + "..."


def _is_docstring(node: Any) -> bool:
    if kind_of(node) != "Expr" or kind_of(node.value) != "Constant":
        return False
    return isinstance(node.value.value, str) and not getattr(node.value, "kind", None)


def _docstring(text: str) -> str:
    """The docstring in three quotes if it can stand there as it is."""
    plain = all(character == "\n" or character.isprintable() for character in text)
    if plain and "\\" not in text and '"""' not in text and not text.endswith('"'):
        return f'"""{text}"""'
    return repr(text)
