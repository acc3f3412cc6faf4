"""Structure operators: evaluated at compile time, where the result does not depend on numbers or arrays.

(a, b) + (c,)       [w] * 3         "scale" in p        p is None       not layers      x.shape == (2, 3)
"""

from __future__ import annotations

from collections import Counter, deque

import gast

from srcad.refusals.structures import (
    IDENTITY_OF_STRUCTURES,
    IN_STRUCTURES,
    NESTED_LIST_EQUAL,
    NO_ORDER,
    OBJECTS_EQUAL,
    STRUCTURE_ARITHMETIC,
)
from srcad.transforms.ir.build import call, clone, const
from srcad.transforms.ir.constant_conditions import UNKNOWN, Member
from srcad.transforms.ir.cost_model import MOST_PARTS
from srcad.transforms.lowering.structures.abstract_state import Callee, Cell, Structure
from srcad.transforms.lowering.structures.structure_expressions import NeedsConstant, Structures


class Combined(Structures):
    """Operators; on numbers and arrays they remain operations."""

    def core(self, node: gast.expr) -> gast.expr:
        """The expression as one operation on atoms, or as a structure."""
        match node:
            case gast.JoinedStr(values=values):
                return self.joined_text(values)
            case gast.BinOp(left=gast.Constant(value=str(text)), op=gast.Mod(), right=right):
                return self.formatted_text(text, right)
            case gast.BinOp(left=left, op=op, right=right):
                first = self.part(left)
                return self.binary(first, op, self.part(right))
            case gast.UnaryOp(op=gast.Not(), operand=operand):
                return self.negated(self.part(operand))
            case gast.Compare(left=left, ops=[op], comparators=[right]):
                if isinstance(op, (gast.In, gast.NotIn)) and isinstance(right, gast.Set):
                    right = gast.Tuple(elts=right.elts, ctx=gast.Load())  # here the elements may be computed
                first = self.part(left)
                return self.compared(first, op, self.part(right))
        return super().core(node)

    def joined_text(self, values: list[gast.expr]) -> gast.expr:
        """An f-string."""
        raise NotImplementedError

    def formatted_text(self, text: str, right: gast.expr) -> gast.expr:
        """`text % right`."""
        raise NotImplementedError

    def negated(self, operand: gast.expr) -> gast.expr:
        """`not operand`; for a structure, whether it is empty."""
        if isinstance(operand, Structure):
            return const(not self.contents(operand))
        return self.unary(gast.UnaryOp(op=gast.Not(), operand=operand))

    def compared(self, left: gast.expr, op: gast.cmpop, right: gast.expr) -> gast.expr:
        """A comparison: identity or equality of structures, membership of constants."""
        first, second = isinstance(left, Structure), isinstance(right, Structure)
        if isinstance(op, (gast.Is, gast.IsNot)) and (first or second):
            return const((first and second and self.is_one_object(left, right)) == isinstance(op, gast.Is))
        if isinstance(op, (gast.Is, gast.IsNot)) and isinstance(left, Callee) and _is_singleton(right):
            return const(isinstance(op, gast.IsNot))
        known = self.constant(left), self.constant(right)
        if isinstance(op, (gast.Is, gast.IsNot)) and any(isinstance(each, Member) for each in known):
            op = gast.Eq() if isinstance(op, gast.Is) else gast.NotEq()
        if isinstance(op, (gast.In, gast.NotIn)) and second:
            parts = self.parts(right, in_order=False)
            values = [self.constant(each) for each in parts]
            known = self.constant(left)
            if known is UNKNOWN or UNKNOWN in values:
                return self.one_of(left, parts, isinstance(op, gast.In))
            return const((known in values) == isinstance(op, gast.In))
        if isinstance(op, (gast.In, gast.NotIn)) and isinstance(self.constant(right), str):
            known = self.constant(left)
            if isinstance(known, str):
                return const((known in self.constant(right)) == isinstance(op, gast.In))
        if isinstance(op, (gast.Eq, gast.NotEq)) and (first or second):
            return self.equal(left, op, right)
        return self.comparison(left, op, right)

    def is_one_object(self, left: Structure, right: Structure) -> bool:
        """Whether two structures are one object; an enclosing loop may be unrolled so that this is known."""
        known = self.memory.is_one_object(left.cell, right.cell)
        if known is None and self.memory.loops:
            raise NeedsConstant
        if known is None:
            self.refuse(IDENTITY_OF_STRUCTURES, what=left.cell.called)
        return known

    def comparison(self, left: gast.expr, op: gast.cmpop, right: gast.expr) -> gast.expr:
        """A comparison at run time."""
        self.check_extents(left, right)
        if self.differs(left, right):
            if isinstance(op, (gast.Eq, gast.NotEq)):
                return const(isinstance(op, gast.NotEq))
            self.refuse(NO_ORDER)
        return gast.Compare(left=self.beside(left, right), ops=[op], comparators=[self.beside(right, left)])

    def beside(self, part: gast.expr, other: gast.expr) -> gast.expr:
        """An atom for an operand: a tuple or list is an array beside an array, and a tuple beside a tuple (a shape).

        Which of these the other operand is, is only known by types (`array_like_arguments`, from
        `in_place_resolution`).
        """
        if not isinstance(part, Structure) or isinstance(other, Structure):
            return self.held_in_atom(part)
        if self.memory.shape_kind(other) is _plain(part.cell):
            return self.held_in_atom(self.expanded(part))
        kernel = f"kernels.{_plain(part.cell).__name__}_beside"
        return self.held_in_atom(call(kernel, self.expanded(part), self.held_in_atom(other)))

    def differs(self, left: gast.expr, right: gast.expr, inside: bool = False) -> bool:
        """Whether two values, or parts in the same position, are known to differ: a list and a tuple, a tuple and 3."""
        if not isinstance(left, Structure) or not isinstance(right, Structure):
            structure, other = (left, right) if isinstance(left, Structure) else (right, left)
            if not isinstance(structure, Structure):
                return False
            is_known = self.constant(other) is not UNKNOWN
            if inside and not is_known and _plain(structure.cell) is list:
                self.refuse(NESTED_LIST_EQUAL)
            return is_known
        if not left.cell.is_sequence or not right.cell.is_sequence:
            return False
        if _plain(left.cell) is not _plain(right.cell) or (left.cell.kind is deque) != (right.cell.kind is deque):
            return True
        parts, others = self.parts(left), self.parts(right)
        return len(parts) == len(others) and any(
            self.differs(*pair, inside=True) for pair in zip(parts, others, strict=True)
        )

    def one_of(self, left: gast.expr, values: list[gast.expr], wanted: bool) -> gast.expr:
        """Whether a number or text is one of several values, some of which are known only at run time."""
        if isinstance(left, Structure) or any(isinstance(each, Structure) for each in values):
            self.refuse(IN_STRUCTURES)
        known = self.constant(left)
        same = [each for each in values if UNKNOWN in (known, self.constant(each)) or self.constant(each) == known]
        atom, op = self.held_in_atom(left), gast.Eq() if wanted else gast.NotEq()
        tests = [gast.Compare(left=clone(atom), ops=[op], comparators=[self.held_in_atom(each)]) for each in same]
        if len(tests) < 2:
            return tests[0] if tests else const(not wanted)
        return self.part(gast.BoolOp(op=gast.Or() if wanted else gast.And(), values=tests))

    def equal(self, left: gast.expr, op: gast.cmpop, right: gast.expr) -> gast.expr:
        """`==` of a structure with something else."""
        known = self.constant(left), self.constant(right)
        if UNKNOWN not in known:
            return const((known[0] == known[1]) == isinstance(op, gast.Eq))
        if any(isinstance(each, Structure) and not each.cell.is_sequence for each in (left, right)):
            self.refuse(OBJECTS_EQUAL)
        return self.comparison(left, op, right)

    def binary(self, left: gast.expr, op: gast.operator, right: gast.expr) -> gast.expr:
        """`left op right`: concatenation of tuples or lists, repetition by a number."""
        first, second = isinstance(left, Structure), isinstance(right, Structure)
        known = self.constant(left), self.constant(right)
        if isinstance(op, gast.Add) and all(type(each) is str for each in known):
            return const(known[0] + known[1])
        if isinstance(op, gast.Add):
            self.check_extents(left, right)
        if not first and not second:
            return gast.BinOp(left=self.held_in_atom(left), op=op, right=self.held_in_atom(right))
        made = self.together(left, op, right)
        if made is None and isinstance(op, gast.Mult) and first != second:
            sequence, count = (left, right) if first else (right, left)
            if self.is_plain_tuple(sequence) and self.memory.constant(count) is UNKNOWN:  # as many as an array has axes
                return gast.BinOp(left=self.held_in_atom(left), op=op, right=self.held_in_atom(right))
        if made is None:
            called = [each.cell.called for each in (left, right) if isinstance(each, Structure)]
            self.refuse(STRUCTURE_ARITHMETIC, what=" and ".join(called))
        return made

    def check_extents(self, left: gast.expr, right: gast.expr) -> None:
        """Refuse a list of extents beside a tuple: in core form it is a tuple as well."""
        kinds = [
            _plain(each.cell) if isinstance(each, Structure) else self.memory.shape_kind(each) for each in (left, right)
        ]
        if set(kinds) == {list, tuple} and list in (self.memory.shape_kind(left), self.memory.shape_kind(right)):
            self.refuse(STRUCTURE_ARITHMETIC, what="a list and a tuple")

    def is_plain_tuple(self, structure: gast.expr) -> bool:
        """Whether a structure is a tuple of integers that are written out."""
        known = self.constant(structure)
        return isinstance(known, tuple) and all(type(each) is int for each in known)

    def together(self, left: gast.expr, op: gast.operator, right: gast.expr) -> gast.expr | None:
        """The concatenation of two sequences, a repeated sequence, or the union of two dictionaries; else None."""
        if any(isinstance(each, Structure) and each.cell.kind in (deque, Counter) for each in (left, right)):
            return None  # one drops elements at its limit, the other counts
        if not isinstance(left, Structure) or not isinstance(right, Structure):
            structure, count = (left, right) if isinstance(left, Structure) else (right, left)
            times = self.memory.constant(count)
            if not isinstance(op, gast.Mult) or type(times) is not int or not isinstance(structure, Structure):
                return None
            if not structure.cell.is_sequence or times * len(self.contents(structure)) > MOST_PARTS:
                return None
            return self.memory.new(_plain(structure.cell), dict(enumerate(self.parts(structure) * times)))
        if isinstance(op, gast.Add) and left.cell.is_sequence and _plain(left.cell) is _plain(right.cell):
            return self.memory.new(_plain(left.cell), dict(enumerate(self.parts(left) + self.parts(right))))
        if isinstance(op, gast.BitOr) and left.cell.is_mapping and right.cell.is_mapping:
            return self.memory.new(dict, {**self.contents(left), **self.contents(right)})
        return None


def _is_singleton(node: gast.expr) -> bool:
    return isinstance(node, gast.Constant) and (node.value is None or isinstance(node.value, bool))


def _plain(cell: Cell) -> type:
    return list if issubclass(cell.type, list) else tuple
