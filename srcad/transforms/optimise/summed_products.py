"""Sums of products: loops that only add up products of elements, or of multiples of slices.

    for k in range(m):                      s += a[i, 0:m] @ b[0:m, j]
        s += a[i, k] * b[k, j]

    for k in range(m):                      c[i, :i] += alpha * (a[:i, 0:m] @ a[i, 0:m])
        c[i, :i] += alpha * a[i, k] * a[:i, k]

Recognises such loops in core form, in which each operation is a statement; `product_hoisting` rewrites them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import is_counted, step_of
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import load, walk, written
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.optimise.row_operands import Operand, Span, View, Views

Read = tuple[gast.stmt, gast.expr]  # a statement, and what it reads


@dataclass(frozen=True)
class Summed:
    """A loop that adds up products.

    left, right     the factors, of which the left one may have several rows
    reads           where the loop reads them
    scales          the numbers that each product is multiplied by
    last            the statements at the end of the body that add the product
    value           the name of the product in them
    dtype           the type of an element
    """

    left: Operand
    right: Operand
    reads: tuple[Read, Read]
    scales: tuple[gast.expr, ...]
    last: tuple[Any, ...]
    value: str
    dtype: nb.Type


def summed(program: Program, loop: gast.stmt, read_elsewhere: Any) -> Summed | None:
    """The products that a loop adds up, if it does nothing else; `read_elsewhere` tells of names read outside of it."""
    if not isinstance(loop, gast.For) or not is_counted(loop) or step_of(loop) not in (1, -1) or is_parallel(loop):
        return None
    index, body = loop.target.id, loop.body
    if len(program.flow.stores[index]) != 1 or read_elsewhere(index, loop):
        return None
    last = _last(body)
    if last is None:
        return None
    value = last[0].value if isinstance(last[0], gast.AugAssign) else _added(last)
    if not isinstance(value, gast.Name):
        return None
    inside = {str(written(each)): each for each in body[: -len(last)] if isinstance(each, gast.Assign)}
    if len(inside) != len(body) - len(last) or any(read_elsewhere(name, loop) for name in inside):
        return None
    return _Sum(program, loop, inside).of(value.id, last)


def _last(body: Any) -> tuple[gast.stmt, ...] | None:
    """The statements at the end of a body that add something: to a part of an array, or to a number."""
    match body:
        case [*_, gast.AugAssign(target=gast.Subscript(value=gast.Name()), op=gast.Add() | gast.Sub()) as one]:
            return (one,)
        case [
            *_,
            gast.Assign(targets=[gast.Name(id=new)], value=gast.BinOp(op=gast.Add() | gast.Sub())) as one,
            gast.Assign(targets=[gast.Name(id=total)], value=gast.Name(id=copied)) as other,
        ] if copied == new and (
            getattr(one.value.left, "id", None) == total
            or (isinstance(one.value.op, gast.Add) and getattr(one.value.right, "id", None) == total)
        ):
            return (one, other)
    return None


def _added(last: Any) -> gast.expr | None:
    """What is added to a number."""
    total, sides = last[1].targets[0].id, [last[0].value.left, last[0].value.right]
    others = [each for each in sides if getattr(each, "id", None) != total]
    return others[0] if len(others) == 1 else None


class _Sum:
    def __init__(self, program: Program, loop: gast.For, inside: dict[str, gast.Assign]) -> None:
        self.program, self.loop, self.inside = program, loop, inside
        self.views = Views(program.meeting)
        self.factors: list[tuple[View, Read]] = []
        self.scales: list[gast.expr] = []
        self.used: set[str] = set()

    def of(self, value: str, last: tuple[gast.stmt, ...]) -> Summed | None:
        """The sum of a product by name, if that is one of two parts of arrays and of numbers."""
        if not self.multiply(load(value)) or len(self.factors) != 2 or not self.are_all_used():
            return None
        if isinstance(last[0], gast.AugAssign) and self.mentions_index(last[0].target):
            return None
        kinds = [self.program.types.get(view.root) for view, _ in self.factors]
        dtypes = {getattr(kind, "dtype", None) for kind in kinds} | {self.dtype_of(self.target(last))}
        dtype = dtypes.pop()
        if dtypes or not isinstance(dtype, (nb.Float, nb.Complex)):
            return None
        bounds = self.program.meeting.bounds(self.loop).every
        if bounds is None:
            return None
        operands = [self.summed_over(view, *bounds) for view, _ in self.factors]
        reads = [read for _, read in self.factors]
        if operands[1] is not None and operands[1].free is not None:
            operands, reads = operands[::-1], reads[::-1]
        left, right = operands
        if left is None or right is None or right.free is not None:
            return None
        return Summed(left, right, (reads[0], reads[1]), tuple(self.scales), last, value, dtype)

    def multiply(self, node: gast.expr) -> bool:
        """Take apart a product; False where it is not one of parts of arrays and numbers alone."""
        if type(constant(node)) in (int, float):
            self.scales.append(node)
            return True
        if not isinstance(node, gast.Name):
            return False
        if node.id in self.used:
            return False
        made = self.inside.get(node.id)
        if made is None:
            is_number = isinstance(self.program.types.get(node.id), (nb.Float, nb.Complex, nb.Integer))
            self.scales.append(node)
            return is_number and self.is_made_before(node.id)
        self.used.add(node.id)
        match made.value:
            case gast.BinOp(left=left, op=gast.Mult(), right=right):
                return self.multiply(left) and self.multiply(right)
            case gast.Subscript() as value:
                view = self.views.selected(value, made)
                if view is None or len(view.kept) > 1 or not self.mentions_index(value):
                    return False
                self.factors.append((view, (made, value)))
                return True
        return False

    def is_made_before(self, name: str) -> bool:
        """Whether a name has its value before the loop."""
        return all(
            self.loop not in self.program.flow.spot(each).loops for each in self.program.flow.stores.get(name, ())
        )

    def are_all_used(self) -> bool:
        """Whether the body has nothing but the product, and integers for its subscripts."""
        kinds = self.program.types
        return all(name in self.used or isinstance(kinds.get(name), nb.Integer) for name in self.inside)

    def mentions_index(self, node: gast.Subscript) -> bool:
        """Whether a subscript depends on the loop's index, or may do so."""
        parts = [each for each in walk(node.slice) if isinstance(each, gast.Name)]
        forms = [self.program.meeting.form(each) for each in parts]
        return any(form is None or self.loop.target.id in form.symbols for form in forms)

    def target(self, last: Any) -> str:
        target = last[0].target.value if isinstance(last[0], gast.AugAssign) else last[0].targets[0]
        return str(target.id)

    def dtype_of(self, name: str) -> Any:
        kind = self.program.types.get(name)
        return kind.dtype if isinstance(kind, nb.Array) else kind

    def summed_over(self, view: View, low: Form, high: Form) -> Operand | None:
        """A part of an array, at one index in each iteration, as a factor that is summed over all of them."""
        index = self.loop.target.id
        at = [axis for axis, part in enumerate(view.parts) if isinstance(part, Form) and part.coefficient(index)]
        if len(at) != 1:
            return None
        made = Operand(view.root, view.parts, -1, None).lifted(index, low, high)
        if made is None or made.free != at[0] or not isinstance(made.parts[at[0]], Span):
            return None
        free = view.kept[0] if view.kept else None
        if free is not None and view.parts[free] != made.parts[free]:
            return None  # slices whose bounds depend on the index
        return replace(made, inner=at[0], free=free)
