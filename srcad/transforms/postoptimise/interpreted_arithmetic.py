"""Interpreted arithmetic: where code is not compiled, derivatives are infinite where Python raises an exception.

    y = math.sqrt(x)                        y = math.sqrt(x)
                                            kernels.ignore_errors()
    x_bar = y_bar * (0.5 / y)   becomes     x_bar = y_bar * kernels.ieee_quotient(0.5, y)

    k_trace = np.empty(n, np.int64)         k_trace = np.empty(n, object)

Only divisions and powers that come from a derivative rule change: those of the function raise as in Python. The reverse
sweep gives no warnings of floating-point errors, of which the function itself gives none. Traces of integers keep
Python's own, which have no bound.
"""

from __future__ import annotations

import gast
from numba import types as nb

from srcad.runtime import kernels
from srcad.runtime.rulebook.strong_zeros import is_nonzero
from srcad.transforms.ir.array_functions import STRONG
from srcad.transforms.ir.build import at, call, dotted_path, effect, load, walk, walk_blocks
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant

_KERNELS = {gast.Div: "ieee_quotient", gast.Pow: "ieee_power"}


def with_infinities(code: Code) -> Code:
    """The function with kernels for divisions and powers of rules, and without warnings in its reverse sweep."""
    bindings = code.unit.bindings
    writer = _Writer(code, next((name for name, thing in bindings.items() if thing is kernels), None))
    body = code.body
    for block in walk_blocks(body):
        start = next((k for k, each in enumerate(block) if notes_of(each).begins_reverse), None)
        if start is not None and any(_may_warn(node) for each in block[start:] for node in walk(each)):
            ignoring = gast.Expr(value=call(f"{writer.module}.ignore_errors"))
            block.insert(start + 1, at(effect(ignoring), None))
            writer.is_used = True
    body = [writer.visit(statement) for statement in body]
    if writer.is_used:
        bindings.setdefault(writer.module, kernels)  # type: ignore[attr-defined]
    return code.with_body(body)


def _may_warn(node: gast.AST) -> bool:
    """Whether a part of a reverse sweep may be infinite or nan where the function is not."""
    is_strong = isinstance(node, gast.Call) and dotted_path(node.func) in STRONG
    return is_strong or (isinstance(node, (gast.BinOp, gast.Call)) and notes_of(node).of_rule)


class _Writer(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, code: Code, module: str | None) -> None:
        self.kinds = notes_of(code.unit.tree).kinds or {}
        self.module = module or code.fresh_names().fresh("kernels")
        self.is_used = False

    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        self.generic_visit(node)
        kernel = _KERNELS.get(type(node.op))
        if kernel is None or not notes_of(node).of_rule or not self.may_raise(node):
            return node
        self.is_used = True
        return call(f"{self.module}.{kernel}", node.left, node.right)

    def visit_Call(self, node: gast.Call) -> gast.expr:
        self.generic_visit(node)
        if notes_of(node).of_integers:
            node.args[1] = load("object")
        return node

    def may_raise(self, node: gast.BinOp) -> bool:
        """Whether Python may raise an exception: not of arrays, nor where the operand is seen to be harmless."""
        if self.is_array(node):
            return False
        if isinstance(node.op, gast.Pow):
            exponent = constant(node.right)
            return not (isinstance(exponent, int) and 0 <= exponent <= _SMALL)
        counts = any(isinstance(each, gast.Call) for each in walk(node.right))  # there may be no elements
        return counts or not is_nonzero(node.right)

    def is_array(self, node: gast.expr) -> bool:
        """Whether a name, or an operation on names, is known to be an array."""
        match node:
            case gast.Name(id=name):
                return isinstance(self.kinds.get(name), nb.Array)
            case gast.BinOp(left=left, right=right):
                return self.is_array(left) or self.is_array(right)
            case gast.UnaryOp(operand=operand):
                return self.is_array(operand)
        return False


_SMALL = 3  # exponents of powers that do not overflow where the function does not
