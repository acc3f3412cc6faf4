"""Print expressions, with parentheses only where precedence requires them.

    (a * b) + (c ** (-d))     is printed as     a * b + c ** -d

Works for `ast` and `gast` nodes. Each method states the minimal binding strength of its operands; `expression` alone
decides on parentheses. Statements are printed by `printer`.
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterable
from typing import Any

import gast
from astunparse.unparser import Unparser

from srcad.errors import CompilerBug
from srcad.printing.precedence import Strength, kind_of, number, strength


class ExpressionPrinter(Unparser):  # type: ignore[misc]
    """Writes expressions; `self.write` and `self.dispatch` are those of astunparse."""

    def expression(self, node: Any, least: Strength) -> None:
        """Write an expression, in parentheses if it binds less tightly than `least`."""
        bracket = strength(node) < least
        if bracket:
            self.write("(")
        self.dispatch(node)
        if bracket:
            self.write(")")

    def commas(self, nodes: Iterable[Any], least: Strength) -> None:
        """Write expressions separated by commas."""
        for position, node in enumerate(nodes):
            self.write(", " if position else "")
            self.expression(node, least)

    def as_python(self, node: Any) -> None:
        """Write a node with `ast.unparse`: for f-strings and patterns, whose syntax depends on the Python version."""
        converted = gast.gast_to_ast(node) if type(node).__module__.startswith("gast") else copy.deepcopy(node)
        self.write(ast.unparse(ast.fix_missing_locations(converted)))

    def _Constant(self, node: Any) -> None:
        value = node.value
        if value is Ellipsis:
            self.write("...")
        elif isinstance(value, (int, float, complex)):
            self.write(number(value))
        elif value is None or isinstance(value, (str, bytes)):
            self.write(("u" if getattr(node, "kind", None) == "u" else "") + repr(value))
        elif isinstance(value, tuple):
            elements = ast.Tuple([ast.Constant(element) for element in value], ast.Load())
            self.expression(elements, Strength.ATOM)
        else:
            raise CompilerBug(f"a constant of type {type(value).__name__} has no literal")

    def _Name(self, node: Any) -> None:
        self.write(node.id)
        if getattr(node, "annotation", None) is not None:
            self.write(": ")
            self.expression(node.annotation, Strength.TEST)

    def _Tuple(self, node: Any) -> None:
        bracketed = len(node.elts) < 2  # longer ones have them where precedence requires
        self.write("(" if bracketed else "")
        self._elements(node)
        self.write(")" if bracketed else "")

    def _elements(self, node: Any) -> None:
        self.commas(node.elts, Strength.TEST)
        self.write("," if len(node.elts) == 1 else "")

    def _List(self, node: Any) -> None:
        self.write("[")
        self.commas(node.elts, Strength.NAMED)
        self.write("]")

    def _Set(self, node: Any) -> None:
        self.write("{" if node.elts else "{*()")
        self.commas(node.elts, Strength.NAMED)
        self.write("}")

    def _Dict(self, node: Any) -> None:
        self.write("{")
        for position, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            self.write(", " if position else "")
            if key is None:
                self.write("**")
                self.expression(value, Strength.BIT_OR)
            else:
                self.expression(key, Strength.TEST)
                self.write(": ")
                self.expression(value, Strength.TEST)
        self.write("}")

    def _UnaryOp(self, node: Any) -> None:
        self.write(self.unop[kind_of(node.op)])
        self.write(" " if kind_of(node.op) == "Not" else "")
        self.expression(node.operand, strength(node))

    def _BinOp(self, node: Any) -> None:
        own = strength(node)
        tighter = Strength(own + 1)
        left, right = (tighter, Strength.UNARY) if own is Strength.POWER else (own, tighter)
        self.expression(node.left, left)
        self.write(f" {self.binop[kind_of(node.op)]} ")
        self.expression(node.right, right)

    def _BoolOp(self, node: Any) -> None:
        word = " and " if kind_of(node.op) == "And" else " or "
        for position, value in enumerate(node.values):
            self.write(word if position else "")
            self.expression(value, Strength(strength(node) + 1))

    def _Compare(self, node: Any) -> None:
        known = _literal_identity(node)
        if known is not None:  # Python warns of `0 is None`, which is what a rule's `n is None` may become
            self.write(str(known))
            return
        self.expression(node.left, Strength.BIT_OR)
        for operator, right in zip(node.ops, node.comparators, strict=True):
            self.write(f" {self.cmpops[kind_of(operator)]} ")
            self.expression(right, Strength.BIT_OR)

    def _IfExp(self, node: Any) -> None:
        self.expression(node.body, Strength.OR)
        self.write(" if ")
        self.expression(node.test, Strength.OR)
        self.write(" else ")
        self.expression(node.orelse, Strength.TEST)

    def _NamedExpr(self, node: Any) -> None:
        self.expression(node.target, Strength.ATOM)
        self.write(" := ")
        self.expression(node.value, Strength.TEST)

    def _Starred(self, node: Any) -> None:
        self.write("*")
        self.expression(node.value, Strength.BIT_OR)

    def _Await(self, node: Any) -> None:
        self.write("await ")
        self.expression(node.value, Strength.ATOM)

    def _Yield(self, node: Any) -> None:
        self.write("yield")
        if node.value is not None:
            self.write(" ")
            self.expression(node.value, Strength.TEST if kind_of(node.value) == "NamedExpr" else Strength.TUPLE)

    def _YieldFrom(self, node: Any) -> None:
        self.write("yield from ")
        self.expression(node.value, Strength.TEST)

    def _Attribute(self, node: Any) -> None:
        is_integer = kind_of(node.value) == "Constant" and type(node.value.value) is int and node.value.value >= 0
        self.write("(" if is_integer else "")  # `3.real` is a syntax error
        self.expression(node.value, Strength.ATOM)
        self.write((")" if is_integer else "") + "." + node.attr)

    def _Subscript(self, node: Any) -> None:
        self.expression(node.value, Strength.ATOM)
        self.write("[")
        elements = node.slice.elts if kind_of(node.slice) == "Tuple" else []
        if not elements:
            self.expression(node.slice, Strength.NAMED)
        elif sys.version_info < (3, 11) and any(kind_of(element) == "Starred" for element in elements):
            self.expression(node.slice, Strength.ATOM)
        else:
            self._elements(node.slice)
        self.write("]")

    def _Slice(self, node: Any) -> None:
        if node.lower is not None:
            self.expression(node.lower, Strength.TEST)
        self.write(":")
        if node.upper is not None:
            self.expression(node.upper, Strength.TEST)
        if node.step is not None:
            self.write(":")
            self.expression(node.step, Strength.TEST)

    def _Call(self, node: Any) -> None:
        self.expression(node.func, Strength.ATOM)
        if len(node.args) == 1 and not node.keywords and kind_of(node.args[0]) == "GeneratorExp":
            self.dispatch(node.args[0])  # its parentheses are those of the call
            return
        self.write("(")
        self.commas(node.args, Strength.NAMED)
        self.write(", " if node.args and node.keywords else "")
        self._keywords(node.keywords)
        self.write(")")

    def _keywords(self, keywords: list[Any]) -> None:
        for position, keyword in enumerate(keywords):
            self.write((", " if position else "") + ("**" if keyword.arg is None else f"{keyword.arg}="))
            self.expression(keyword.value, Strength.TEST)

    def _JoinedStr(self, node: Any) -> None:
        self.as_python(node)

    def _TemplateStr(self, node: Any) -> None:
        self.as_python(node)

    def _ListComp(self, node: Any) -> None:
        self._comprehensions("[", node, "]")

    def _SetComp(self, node: Any) -> None:
        self._comprehensions("{", node, "}")

    def _GeneratorExp(self, node: Any) -> None:
        self._comprehensions("(", node, ")")

    def _DictComp(self, node: Any) -> None:
        self.write("{")
        self.expression(node.key, Strength.TEST)
        self.write(": ")
        self.expression(node.value, Strength.TEST)
        self._clauses(node.generators)
        self.write("}")

    def _comprehensions(self, opening: str, node: Any, closing: str) -> None:
        self.write(opening)
        self.expression(node.elt, Strength.NAMED)
        self._clauses(node.generators)
        self.write(closing)

    def _clauses(self, generators: list[Any]) -> None:
        for clause in generators:
            self.write(" async for " if clause.is_async else " for ")
            self.expression(clause.target, Strength.TUPLE)
            self.write(" in ")
            self.expression(clause.iter, Strength.OR)
            for condition in clause.ifs:
                self.write(" if ")
                self.expression(condition, Strength.OR)

    def _Lambda(self, node: Any) -> None:
        arguments = node.args
        is_bare = not (arguments.posonlyargs or arguments.args or arguments.vararg or arguments.kwonlyargs)
        self.write("lambda" if is_bare and arguments.kwarg is None else "lambda ")
        self.dispatch(arguments)
        self.write(": ")
        self.expression(node.body, Strength.TEST)

    def _arg(self, node: Any) -> None:
        self._Name(ast.Name(node.arg, ast.Load()))
        if node.annotation is not None:
            self.write(": ")
            self.expression(node.annotation, Strength.TEST)

    def _arguments(self, node: Any) -> None:
        positional = node.posonlyargs + node.args
        required = [None] * (len(positional) - len(node.defaults))
        parts = list(zip([""] * len(positional), positional, required + node.defaults, strict=True))
        if node.posonlyargs:
            parts.insert(len(node.posonlyargs), ("/", None, None))
        if node.vararg is not None or node.kwonlyargs:
            parts.append(("*", node.vararg, None))
        parts += zip([""] * len(node.kwonlyargs), node.kwonlyargs, node.kw_defaults, strict=True)
        if node.kwarg is not None:
            parts.append(("**", node.kwarg, None))
        for position, (mark, name, default) in enumerate(parts):
            self.write((", " if position else "") + mark)
            if name is not None:
                self.dispatch(name)
            if default is not None:
                self.write(" = " if getattr(name, "annotation", None) is not None else "=")
                self.expression(default, Strength.TEST)


def _literal_identity(node: Any) -> bool | None:
    """Whether a test `is None` of a literal holds; None for other comparisons."""
    match node:
        case gast.Compare(left=gast.Constant(value=left), ops=[operator], comparators=[gast.Constant(value=None)]):
            if isinstance(operator, gast.Is | gast.IsNot):
                return (left is None) is isinstance(operator, gast.Is)
    return None
