"""Print syntax trees as Python source.

Statements may carry a note `comment` (`srcad.transforms.ir.node_notes`), which is written after the statement's first
line:

    x_bar += np.cos(x) * s_bar  # line 3: s = np.sin(x)

The text parses to the tree that was printed. Line breaks inside statements and the user's own comments are not
preserved; parentheses are written only where precedence requires them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gast

from srcad.printing.layout import DEFINITIONS, Layout
from srcad.printing.precedence import Strength, kind_of


def print_function(tree: gast.AST, comments: Mapping[int, str] | None = None) -> str:
    r"""The text of a function, or of any other tree, ending with a newline.

    `comments` maps line numbers to comments, for statements that have none of their own.

    >>> from srcad.transforms.ir.node_notes import note
    >>> tree = gast.parse("def f(a, i):\n    return (a[(i, 1)] * 2) ** (-i), None").body[0]
    >>> tree.body[0] = note(tree.body[0], comment="line 2")
    >>> print(print_function(tree), end="")
    def f(a, i):
        return (a[i, 1] * 2) ** -i, None  # line 2
    """
    return _Printer(comments or {}).text_of(tree)


def print_module(nodes: Sequence[gast.AST], header: Sequence[str] = ()) -> str:
    r"""The text of a file: the header lines, then the nodes, with two blank lines around definitions.

    >>> print(print_module(gast.parse("a = 1\ndef f(): pass").body, ["import math"]), end="")
    import math
    <BLANKLINE>
    a = 1
    <BLANKLINE>
    <BLANKLINE>
    def f():
        pass
    """
    text = "".join(f"{line}\n" for line in header)
    previous = "header" if header else None
    for node in nodes:
        kind = "definition" if kind_of(node) in DEFINITIONS else "statement"
        if previous is not None and "definition" in (previous, kind):
            text += "\n\n"
        elif previous == "header":
            text += "\n"
        text += print_function(node)
        previous = kind
    return text


class _Printer(Layout):
    """Writes statements; node types without a method here are written by astunparse."""

    def text_of(self, tree: Any) -> str:
        if kind_of(tree) == "Module":
            self.body(tree)
        elif isinstance(tree, gast.expr):
            self.expression(tree, Strength.TUPLE)
        else:
            self.statement(tree)
        return self.f.getvalue().lstrip("\n") + "\n"

    def _Expr(self, node: Any) -> None:
        self.fill()
        self.bare(node.value, Strength.YIELD)

    def _Assign(self, node: Any) -> None:
        self.fill()
        for target in node.targets:
            self.expression(target, Strength.TUPLE)
            self.write(" = ")
        self.bare(node.value, Strength.YIELD)

    def _AugAssign(self, node: Any) -> None:
        self.fill()
        self.expression(node.target, Strength.ATOM)
        self.write(f" {self.binop[kind_of(node.op)]}= ")
        self.bare(node.value, Strength.YIELD)

    def _AnnAssign(self, node: Any) -> None:
        bracket = kind_of(node.target) == "Name" and not node.simple
        self.fill("(" if bracket else "")
        self.expression(node.target, Strength.ATOM)
        self.write("): " if bracket else ": ")
        self.expression(node.annotation, Strength.TEST)
        if node.value is not None:
            self.write(" = ")
            self.bare(node.value, Strength.YIELD)

    def _Return(self, node: Any) -> None:
        self.fill("return" if node.value is None else "return ")
        if node.value is not None:
            self.bare(node.value)

    def _Delete(self, node: Any) -> None:
        self.fill("del ")
        self.commas(node.targets, Strength.TEST)

    def _Assert(self, node: Any) -> None:
        self.fill("assert ")
        self.commas([node.test, *([node.msg] if node.msg is not None else [])], Strength.TEST)

    def _Raise(self, node: Any) -> None:
        self.fill("raise")
        for word, value in ((" ", node.exc), (" from ", node.cause)):
            if value is not None:
                self.write(word)
                self.expression(value, Strength.TEST)

    def _If(self, node: Any) -> None:
        self._branch("if ", node)
        while len(node.orelse) == 1 and kind_of(node.orelse[0]) == "If":
            node = node.orelse[0]
            self.begin(node)
            self._branch("elif ", node)
        self.block("else", node.orelse)

    def _branch(self, keyword: str, node: Any) -> None:
        self.fill(keyword)
        self.expression(node.test, Strength.NAMED)
        self.enter()
        self.dispatch(node.body)
        self.leave()

    def _While(self, node: Any) -> None:
        self._branch("while ", node)
        self.block("else", node.orelse)

    def _For(self, node: Any, keyword: str = "for ") -> None:
        self.fill(keyword)
        self.expression(node.target, Strength.TUPLE)
        self.write(" in ")
        self.bare(node.iter)
        self.enter()
        self.dispatch(node.body)
        self.leave()
        self.block("else", node.orelse)

    def _AsyncFor(self, node: Any) -> None:
        self._For(node, "async for ")

    def _FunctionDef(self, node: Any, keyword: str = "def ") -> None:
        self._decorators(node)
        self.fill(keyword + node.name)
        self._type_parameters(node)
        self.write("(")
        self.dispatch(node.args)
        self.write(")")
        if node.returns is not None:
            self.write(" -> ")
            self.expression(node.returns, Strength.TEST)
        self.enter()
        self.body(node)
        self.leave()

    def _AsyncFunctionDef(self, node: Any) -> None:
        self._FunctionDef(node, "async def ")

    def _ClassDef(self, node: Any) -> None:
        self._decorators(node)
        self.fill("class " + node.name)
        self._type_parameters(node)
        if node.bases or node.keywords:
            self.write("(")
            self.commas(node.bases, Strength.NAMED)
            self.write(", " if node.bases and node.keywords else "")
            self._keywords(node.keywords)
            self.write(")")
        self.enter()
        self.body(node)
        self.leave()

    def _decorators(self, node: Any) -> None:
        for decorator in node.decorator_list:
            self.fill("@")
            self.expression(decorator, Strength.NAMED)

    def _type_parameters(self, node: Any) -> None:
        parameters = getattr(node, "type_params", None) or []
        for position, parameter in enumerate(parameters):
            self.write(", " if position else "[")
            self.as_python(parameter)
        self.write("]" if parameters else "")

    def _TypeAlias(self, node: Any) -> None:
        self.fill("type " + node.name.id)
        self._type_parameters(node)
        self.write(" = ")
        self.expression(node.value, Strength.TEST)

    def _Try(self, node: Any, keyword: str = "except") -> None:
        self.block("try", node.body)
        for handler in node.handlers:
            self.begin(handler)
            self.fill(keyword)
            if handler.type is not None:
                self.write(" ")
                self.expression(handler.type, Strength.TEST)
            if handler.name is not None:
                self.write(f" as {getattr(handler.name, 'id', handler.name)}")
            self.enter()
            self.dispatch(handler.body)
            self.leave()
        self.block("else", node.orelse)
        self.block("finally", node.finalbody)

    def _TryStar(self, node: Any) -> None:
        self._Try(node, "except*")

    def _withitem(self, node: Any) -> None:
        self.expression(node.context_expr, Strength.TEST)
        if node.optional_vars is not None:
            self.write(" as ")
            self.expression(node.optional_vars, Strength.TEST)

    def _Match(self, node: Any) -> None:
        self.fill("match ")
        self.bare(node.subject)
        self.enter()
        for case in node.cases:
            self.fill("case ")
            self.as_python(case.pattern)
            if case.guard is not None:
                self.write(" if ")
                self.expression(case.guard, Strength.NAMED)
            self.enter()
            self.dispatch(case.body)
            self.leave()
        self.leave()
