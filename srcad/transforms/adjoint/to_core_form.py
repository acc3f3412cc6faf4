"""Restoring core form: split nested expressions, so that each generated statement applies one primitive."""

from __future__ import annotations

from typing import Any

import gast

from srcad.names import Names
from srcad.transforms.ir.build import Block, assign, load, place_of
from srcad.transforms.ir.primitive import is_atom


class Splitter:
    """Assigns nested expressions to temporaries."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def block(self, block: Block) -> Block:
        """Simple statements, split."""
        return [made for statement in block for made in self.statement(statement)]

    def statement(self, statement: Any) -> Block:
        """A statement, preceded by the statements that compute its operands."""
        first: Block = []
        if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
            statement.value = self.operation(statement.value, first, place_of(statement))
        elif isinstance(statement, (gast.Assign, gast.AugAssign)):
            statement.value = self.atom(statement.value, first, place_of(statement))
        return [*first, statement]

    def operation(self, node: Any, first: Block, place: Any) -> Any:
        """An expression whose operands are atoms."""
        match node:
            case gast.BinOp():
                node.left, node.right = self.atom(node.left, first, place), self.atom(node.right, first, place)
            case gast.UnaryOp() if not is_atom(node):
                node.operand = self.atom(node.operand, first, place)
            case gast.Compare():
                node.left = self.atom(node.left, first, place)
                node.comparators = [self.atom(each, first, place) for each in node.comparators]
            case gast.Call():
                node.args = [self.atom(each, first, place) for each in node.args]
                for keyword in node.keywords:
                    keyword.value = self.atom(keyword.value, first, place)
            case gast.Subscript():
                node.value = self.atom(node.value, first, place)
            case gast.Attribute() if not is_atom(node) or node.attr in ("shape", "size", "ndim", "dtype"):
                if not isinstance(node.value, gast.Name):
                    node.value = self.atom(node.value, first, place)
            case gast.Tuple():
                node.elts = [self.atom(each, first, place) for each in node.elts]
        return node

    def atom(self, node: Any, first: Block, place: Any) -> Any:
        """An atom for an expression; of a tuple, only the elements become atoms."""
        if isinstance(node, gast.Attribute) and node.attr in ("shape", "size", "ndim", "dtype"):
            pass
        elif is_atom(node):
            return node
        made = self.operation(node, first, place)
        if isinstance(made, gast.Tuple):
            return made
        name = self.names.temporary()
        first.append(assign(name, made, place))
        return load(name)
