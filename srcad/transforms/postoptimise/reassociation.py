"""Recurrences of innermost loops, in which what the last iteration computed is added last.

    for j in range(1, n):                       for j in range(1, n):
        t = a[j - 1] + b[j]         becomes         t = b[j]
        a[j] = (t + c[j]) / 9.0                     a[j] = (t + c[j] + a[j - 1]) * (1.0 / 9.0)

An iteration has to wait for the last one from where it reads its result on. All other terms of the sum can be added
before that, and a product takes a third of a division's time (Kuck, The Structure of Computers and Computations, 1978,
calls it tree height reduction). Sums come out rounded otherwise, in the last digits, so this is done in
functions that do not return the primal's value, and not where a choice depends on it (see `choosing`). Sums with
more than one such term stay as they are: compensation (Kahan) relies on the order. So does what is not in double
precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import gast
from numba import types as nb

from srcad.transforms.ir.build import Block, binary, const, inner_blocks, names_in, walk, walk_statements
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, changed_memory, stored_in
from srcad.transforms.loop_analysis.affine_subscripts import Subscripts
from srcad.transforms.loop_analysis.alias_classes import Memories
from srcad.transforms.loop_analysis.array_accesses import is_counted
from srcad.transforms.loop_analysis.control_dependence import choosing
from srcad.transforms.loop_analysis.recurrences import Recurrence


def regrouped(body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> Block:
    """The statements, with recurrences regrouped; `kinds` has the types of names, as far as they are known."""
    if all(_is_double(kind) for kind in kinds.values()):
        _walk(body, Subscripts(), _Function(body, Memories(body, parameters, kinds), kinds))
    return body


def _is_double(kind: nb.Type) -> bool:
    """Whether arithmetic with this type is exact, or in double precision."""
    dtype = kind.dtype if isinstance(kind, nb.Array) else kind
    return isinstance(dtype, (nb.Integer, nb.Boolean)) or dtype == nb.float64


class _Function:
    """What there is to know of the whole function: its arrays, how often names are mentioned and stored."""

    def __init__(self, body: Block, memories: Memories, kinds: Mapping[str, nb.Type]) -> None:
        self.memories, self.kinds = memories, kinds
        self.choosing = choosing(body, memories)
        self.mentions: dict[str, int] = {}
        self.stores: dict[str, int] = {}
        for statement in body:
            for node in walk(statement):
                if isinstance(node, gast.Name):
                    self.mentions[node.id] = self.mentions.get(node.id, 0) + 1
        for statement in walk_statements(body):
            for name in all_written(statement):
                self.stores[name] = self.stores.get(name, 0) + 1

    def chooses_by(self, names: frozenset[str]) -> bool:
        """Whether what is done depends on these names."""
        return any(self.memories.find(name) in self.choosing for name in names)

    def is_private(self, name: str) -> bool:
        """Whether a name is stored once and read once."""
        return self.stores.get(name) == 1 and self.mentions.get(name) == 2


def _walk(block: Block, at: Subscripts, function: _Function) -> None:
    """Regroup the innermost loops of a block; `at`, what is known of integers, becomes what is known behind it."""
    for statement in block:
        if not inner_blocks(statement):
            at.learn(statement)
            continue
        at.forget(stored_in([statement]))
        inside = at.inside(statement) if is_counted(statement) else at.copy()
        is_simple = all(isinstance(each, (gast.Assign, gast.AugAssign)) for each in statement.body)
        if is_counted(statement) and is_simple and not any(notes_of(each).effect for each in statement.body):
            recurrence = Recurrence(statement, inside, function.memories, function.kinds)
            if recurrence.late and not function.chooses_by(recurrence.changed):
                _Regrouper(statement, recurrence, function).run()
            continue
        for inner in inner_blocks(statement):
            _walk(inner, inside.copy(), function)


@dataclass
class _Split:
    """A sum without its late term: what is left, whether the term is added or taken, and how many terms it passed."""

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
        """Regroup the values of all statements."""
        for at in range(len(self.body) - 1, -1, -1):
            self.at = at
            statement = self.body[self.at]
            statement.value = self.value(statement.value)

    def value(self, node: gast.expr) -> gast.expr:
        """An expression with its late term, if there is just one, added last."""
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
        """The late term of a sum, and the sum of the others; names that hold parts of it lose the term on `commit`."""
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
        """The statement above that stores a sum with a late term in a name that is read here only."""
        if not self.function.is_private(name):
            return None
        for above in self.body[: self.at]:
            match above:
                case gast.Assign(targets=[gast.Name(id=target)], value=gast.BinOp(op=gast.Add() | gast.Sub()) as value):
                    if target == name and self.lates(value) == 1:
                        return above
        return None

    def is_undisturbed(self, late: gast.expr, above: gast.stmt) -> bool:
        """Whether a term has the same value here as in a statement above."""
        names = set(names_in(late))
        start = next(k for k, each in enumerate(self.body) if each is above)
        for between in self.body[start : self.at]:
            if names & set(all_written(between)):
                return False
            if any(self.function.memories.may_share(base, each) for base in changed_memory(between) for each in names):
                return False
        return True

    def lates(self, node: gast.expr) -> int:
        """How many terms of an expression depend on the last iteration."""
        if self.recurrence.is_late(node):
            return 1
        if isinstance(node, gast.Subscript):
            return 0
        return sum(self.lates(child) for child in gast.iter_child_nodes(node) if isinstance(child, gast.expr))

    def is_fixed(self, node: gast.expr) -> bool:
        """Whether a divisor is the same in all iterations."""
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
