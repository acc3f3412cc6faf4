"""Layout of printed code: comments after statements, blocks, blank lines, docstrings."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from srcad.printing.expression_text import ExpressionPrinter
from srcad.printing.precedence import Strength, kind_of
from srcad.transforms.ir.comments import is_line
from srcad.transforms.ir.node_notes import notes_of

WIDTH = 120
_LEAST_COMMENT = 24  # columns; a comment with less room gets a line of its own

DEFINITIONS = ("FunctionDef", "AsyncFunctionDef", "ClassDef")


class Layout(ExpressionPrinter):
    """Writes sequences of statements; `printer` writes the statements themselves."""

    def __init__(self, comments: Mapping[int, str]) -> None:
        # Not astunparse's own __init__, which prints at once.
        self.f = io.StringIO()
        self.future_imports: list[str] = []
        self._indent = 0
        self._comments = comments
        self._around: list[str | None] = [None]  # the comments of the statements that the current one is in
        self._gap_before: Any = None  # the statement that begins the reverse sweep
        self._start = 0  # of the current statement
        self._comment: str | None = None  # to be written after its first line

    def enter(self) -> None:
        """Begin a block. The pending comment is written at the end of the current line."""
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
        for position, (statement, heading) in enumerate(zip(statements, self._headings(statements), strict=True)):
            follows_definition = position and kind_of(statements[position - 1]) in DEFINITIONS
            if follows_definition or (position and kind_of(statement) in DEFINITIONS):
                self.write("\n" if self._indent else "\n\n")
            if statement is self._gap_before:
                self.write("\n")
            if heading:
                self.fill("# " + _cut(heading, WIDTH - 4 * self._indent - 2))
            self.statement(statement, heading is None)

    def _headings(self, statements: list[Any]) -> list[str | None]:
        """For each statement: the line that it and those after it reverse, "" where that stands above already.

        It does also where the statement around them reverses this line. None is for a statement that keeps its comment.
        """
        own = [self._comment_of(each) for each in statements]
        found: list[str | None] = [None] * len(own)
        start = 0
        around = self._around[-1]
        while start < len(own) and own[start] in (None, around) and around is not None:
            found[start] = ""
            start += 1
        while start < len(own):
            comment, last = own[start], start
            if is_line(comment):
                for k in range(start + 1, len(own)):
                    if own[k] == comment:
                        last = k
                    elif own[k] is not None:
                        break
            if last > start:
                found[start : last + 1] = [comment, *[""] * (last - start)]
            start = last + 1
        return found

    def _comment_of(self, node: Any) -> str | None:
        comment = notes_of(node).comment or self._comments.get(getattr(node, "lineno", None) or 0)
        return " ".join(comment.split()) if comment else None

    def statement(self, node: Any, is_commented: bool = True) -> None:
        """Write one statement with its comment, unless that stands above it."""
        self.begin(node)
        self._around.append(self._comment)
        self._comment = self._comment if is_commented else None
        self.dispatch(node)
        self.end_of_header()
        self._around.pop()

    def begin(self, node: Any) -> None:
        """Note where a statement's header begins, and its comment, which is pending until the header ends."""
        self._start = self.f.tell()
        self._comment = self._comment_of(node)

    def end_of_header(self) -> None:
        """Write the pending comment after the line, shortened if necessary, or above it if there is no room."""
        comment, self._comment = self._comment, None
        if comment is None:
            return
        self.f.seek(self._start)
        written = self.f.read()
        line = written[written.rfind("\n") + 1 :]
        if is_line(comment) and comment.partition(": ")[2] == written.strip():
            comment = comment.partition(": ")[0]
        room = WIDTH - len(line) - len("  # ")
        if len(comment) <= room or room >= _LEAST_COMMENT:
            self.write("  # " + _cut(comment, room))
            return
        margin = "\n" + "    " * self._indent + "# "
        self.f.seek(self._start)
        self.f.truncate()
        self.write(margin + _cut(comment, WIDTH - len(margin) + 1) + written)

    def bare(self, node: Any, least: Strength = Strength.TUPLE) -> None:
        """An expression at statement level, where a tuple needs no parentheses but `:=` does."""
        self.expression(node, Strength.TEST if kind_of(node) == "NamedExpr" else least)

    def body(self, node: Any) -> None:
        """The statements of a function, class or module; the first one may be a docstring."""
        body = list(node.body)
        if body and _is_docstring(body[0]):
            self.begin(body[0])
            self.fill(_docstring(body.pop(0).value.value))
            self.end_of_header()
            if body and kind_of(body[0]) in DEFINITIONS:
                self.write("\n" if self._indent else "\n\n")
        self._gap_before = self._begin_of_reverse(body) if kind_of(node) in DEFINITIONS else None
        self.dispatch(body)

    def _begin_of_reverse(self, body: list[Any]) -> Any:
        """The first statement that reverses a line, or the adjoints that are begun before it."""
        at = next((k for k, each in enumerate(body) if is_line(self._comment_of(each))), 0)
        while at and self._comment_of(body[at - 1]) is None and _begins_adjoint(body[at - 1]):
            at -= 1
        return body[at] if at else None

    def block(self, keyword: str, statements: list[Any]) -> None:
        """Write a clause such as `else:` with its statements, if it has any."""
        if statements:
            self.fill(keyword)
            self.enter()
            self.dispatch(statements)
            self.leave()


def _begins_adjoint(node: Any) -> bool:
    target = node.targets[0] if kind_of(node) == "Assign" else None
    return target is not None and kind_of(target) == "Name" and "_bar" in target.id


def _cut(comment: str, room: int) -> str:
    return comment if len(comment) <= room else comment[: room - 3] + "..."


def _is_docstring(node: Any) -> bool:
    if kind_of(node) != "Expr" or kind_of(node.value) != "Constant":
        return False
    return isinstance(node.value.value, str) and not getattr(node.value, "kind", None)


def _docstring(text: str) -> str:
    """The docstring in triple quotes, if it can be written so."""
    plain = all(character == "\n" or character.isprintable() for character in text)
    if plain and "\\" not in text and '"""' not in text and not text.endswith('"'):
        return f'"""{text}"""'
    return repr(text)
