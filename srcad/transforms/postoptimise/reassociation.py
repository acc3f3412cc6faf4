"""Reassociation of recurrences (tree height reduction): the value from the previous iteration is added last.

    for j in range(1, n):                       for j in range(1, n):
        t = a[j - 1] + b[j]         becomes         t = b[j]
        a[j] = (t + c[j]) / 9.0                     a[j] = (t + c[j] + a[j - 1]) * (1.0 / 9.0)

An iteration depends on the previous one from the point where it reads that result. All other terms of the sum can be
added before, and multiplying by a reciprocal takes a third of a division's time (Kuck, The Structure of Computers and
Computations, 1978, calls this tree height reduction). Results differ by rounding, in the last digits, so the pass
applies only to functions that do not return the primal's value, and not where control flow depends on the sum (see
`choosing`). Sums with more than one carried term are left alone, since compensated summation (Kahan) relies on the
order; so are functions with values of less than double precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import gast
from numba import types as nb

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.build import Block, binary, const, inner_blocks, mentions, names_in
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, changed_memory, stored_in
from srcad.transforms.loop_analysis.affine_subscripts import Subscripts
from srcad.transforms.loop_analysis.control_dependence import choosing
from srcad.transforms.loop_analysis.loop_accesses import is_counted
from srcad.transforms.loop_analysis.recurrences import Recurrence


def regrouped(code: Code) -> Code:
    """Reassociate the recurrences of innermost loops."""
    if not all(_is_double(kind) for kind in code.kinds.values()):
        return code
    _walk(code.body, Subscripts(), _Function(code))
    return code.with_body(code.body)


def _is_double(kind: nb.Type) -> bool:
    """Whether arithmetic with this type is exact or in double precision."""
    dtype = kind.dtype if isinstance(kind, nb.Array) else kind
    return isinstance(dtype, (nb.Integer, nb.Boolean)) or dtype == nb.float64


class _Function:
    """Facts about the whole function: aliasing, control-relevant names, counts of mentions and stores."""

    def __init__(self, code: Code) -> None:
        self.aliases, self.ranks, self.kinds = aliases_of(code), ranks_of(code), code.kinds
        self.choosing = choosing(code.body, self.aliases)
        self.mentions = mentions(code.body)
        self.stores = store_counts(code)

    def chooses_by(self, names: frozenset[str]) -> bool:
        """Whether control flow depends on any of these names."""
        return any(self.aliases.alias_class(name) in self.choosing for name in names)

    def is_private(self, name: str) -> bool:
        """Whether a name is stored once and read once."""
        return self.stores[name] == 1 and self.mentions[name] == 2


def _walk(block: Block, at: Subscripts, function: _Function) -> None:
    """Reassociate in the innermost loops of a block; `at` has the known integers before it, and then those after it."""
    for statement in block:
        if not inner_blocks(statement):
            at.learn(statement)
            continue
        at.forget(stored_in([statement]))
        inside = at.inside(statement) if is_counted(statement) else at.copy()
        is_simple = all(isinstance(each, (gast.Assign, gast.AugAssign)) for each in statement.body)
        if is_counted(statement) and is_simple and not any(notes_of(each).effect for each in statement.body):
            recurrence = Recurrence(statement, inside, function.ranks, function.kinds)
            if recurrence.late and not function.chooses_by(recurrence.changed):
                _Regrouper(statement, recurrence, function).run()
            continue
        for inner in inner_blocks(statement):
            _walk(inner, inside.copy(), function)


@dataclass
class _Split:
    """A sum split at its late term, the one that depends on the previous iteration: the rest, sign, terms passed."""

    rest: gast.expr | None
    sign: int
    late: gast.expr
    height: int = 0


class _Regrouper:
    def __init__(self, loop: gast.For, recurrence: Recurrence, function: _Function) -> None:
        self.body: Block = loop.body
        self.stored = stored_in(loop.body) | {loop.target.id}
        self.recurrence, self.function = recurrence, function
        self.at = 0

    def run(self) -> None:
        """Reassociate the values of all statements of the loop, from the last upwards."""
        for at in range(len(self.body) - 1, -1, -1):
            self.at = at
            statement = self.body[self.at]
            statement.value = self.value(statement.value)

    def value(self, node: gast.expr) -> gast.expr:
        """An expression in which its late term, if it has exactly one, is added last."""
        if self.lates(node) != 1 or self.recurrence.is_late(node):
            return node
        match node:
            case gast.BinOp(op=gast.Add() | gast.Sub()):
                return self.sum(node)
            case gast.BinOp(left=left, op=gast.Div(), right=right) if self.lates(left) and self.is_fixed(right):
                return binary(self.value(left), gast.Mult, binary(const(1.0), gast.Div, right))
            case gast.BinOp(left=left, op=op, right=right):
                return gast.BinOp(left=self.value(left), op=op, right=self.value(right))
            case gast.UnaryOp(op=op, operand=operand):
                return gast.UnaryOp(op=op, operand=self.value(operand))
            case gast.Call(func=func, args=args, keywords=keywords):
                return gast.Call(func=func, args=[self.value(each) for each in args], keywords=keywords)
        return node

    def sum(self, node: gast.BinOp) -> gast.expr:
        """A sum, with its late term last."""
        found = self.split(node, commit=False)
        if found.height < 2:
            return gast.BinOp(left=self.value(node.left), op=node.op, right=self.value(node.right))
        found = self.split(node, commit=True)
        assert found.rest is not None
        return binary(found.rest, gast.Add if found.sign > 0 else gast.Sub, self.value(found.late))

    def split(self, node: gast.expr, commit: bool) -> _Split:
        """Split a sum into late term and rest; `commit` also removes the late term from names that hold part of it."""
        match node:
            case gast.BinOp(left=left, op=gast.Add() | gast.Sub() as op, right=right) if self.lates(node) == 1:
                if self.lates(left):
                    inner = self.split(left, commit)
                    rest = _joined(inner.rest, op, right)
                    return _Split(rest, inner.sign, inner.late, inner.height + 1)
                inner = self.split(right, commit)
                turned = isinstance(op, gast.Sub)
                rest = left if inner.rest is None else gast.BinOp(left=left, op=op, right=inner.rest)
                return _Split(rest, -inner.sign if turned else inner.sign, inner.late, inner.height + 1)
            case gast.Name(id=name):
                above = self.definition(name)
                if above is not None:
                    inner = self.split(above.value, commit)
                    if self.is_undisturbed(inner.late, above):
                        if commit:
                            above.value = inner.rest
                        return _Split(node, inner.sign, inner.late, inner.height)
        return _Split(None, 1, node)

    def definition(self, name: str) -> gast.Assign | None:
        """The earlier statement that assigns a sum with a late term to a name whose only read is here."""
        if not self.function.is_private(name):
            return None
        for above in self.body[: self.at]:
            match above:
                case gast.Assign(targets=[gast.Name(id=target)], value=gast.BinOp(op=gast.Add() | gast.Sub()) as value):
                    if target == name and self.lates(value) == 1:
                        return above
        return None

    def is_undisturbed(self, late: gast.expr, above: gast.stmt) -> bool:
        """Whether a term has the same value here as at an earlier statement."""
        names = set(names_in(late))
        start = next(k for k, each in enumerate(self.body) if each is above)
        for between in self.body[start : self.at]:
            if names & set(all_written(between)):
                return False
            if any(self.function.aliases.may_alias(base, each) for base in changed_memory(between) for each in names):
                return False
        return True

    def lates(self, node: gast.expr) -> int:
        """The number of terms in an expression that depend on the previous iteration."""
        if self.recurrence.is_late(node):
            return 1
        if isinstance(node, gast.Subscript):
            return 0
        return sum(self.lates(child) for child in gast.iter_child_nodes(node) if isinstance(child, gast.expr))

    def is_fixed(self, node: gast.expr) -> bool:
        """Whether a divisor is loop-invariant, and its reciprocal safe."""
        value = constant(node)
        if isinstance(value, float):
            return 1e-300 < abs(value) < 1e300
        return (
            isinstance(node, gast.Name)
            and node.id not in self.stored
            and self.function.kinds.get(node.id) == nb.float64
        )


def _joined(rest: gast.expr | None, op: gast.operator, right: gast.expr) -> gast.expr:
    if rest is None:
        return right if isinstance(op, gast.Add) else gast.UnaryOp(op=gast.USub(), operand=right)
    return gast.BinOp(left=rest, op=op, right=right)
