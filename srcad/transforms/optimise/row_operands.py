"""Row operands: the parts of arrays that products in loops are of, and the parts that all iterations take together.

    for i in range(n):
        t = a[i] @ b[:, i:]         a[i]        row i, all columns
                                    b[:, i:]    all rows, the columns from i on

    over all i                      a[0:n]      the rows from 0 to n - 1
                                    b[:, 0:]    the columns from 0 on, of which iteration i takes those from i on

Each axis of an array is at one index, or is a span of indices. An operand of a product has one span that is summed over
(`inner`) and at most one other (`free`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import gast

from srcad.transforms.analysis.affine.dependence_test import Meeting
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.aliases import is_basic
from srcad.transforms.ir.build import dotted_path
from srcad.transforms.ir.primitive import constant

ZERO = Form()


@dataclass(frozen=True)
class Span:
    """The indices from `low` on, before `high`, or to the end; like a slice, it is cut at the end of the axis."""

    low: Form = ZERO
    high: Form | None = None


Part = Form | Span


@dataclass(frozen=True)
class View:
    """Part of an array: an index or a span for each of its axes; `kept` are the axes of the view, in order."""

    root: str
    parts: tuple[Part, ...]
    kept: tuple[int, ...]


@dataclass(frozen=True)
class Operand:
    """A factor of a product, of one or two axes."""

    root: str
    parts: tuple[Part, ...]
    inner: int
    free: int | None

    @property
    def symbols(self) -> frozenset[str]:
        """What the indices depend on."""
        forms = [form for part in self.parts for form in ends_of(part)]
        return frozenset[str]().union(*(form.symbols for form in forms))

    def lifted(self, index: str, low: Form, high: Form) -> Operand | None:
        """The operand of all iterations of a loop, with indices from `low` to `high`; None where that is no matrix."""
        parts, free = list(self.parts), self.free
        for axis, part in enumerate(self.parts):
            if all(not form.coefficient(index) for form in ends_of(part)):
                continue
            if isinstance(part, Form):
                if free is not None or part.coefficient(index) != 1:
                    return None
                rest, free = part - Form.of(index), axis
                parts[axis] = Span(low + rest, high + rest + 1)
            elif axis == self.inner:  # the other rows have other terms
                return None
            else:
                first = _at_extreme(part.low, index, low, high)
                last = None if part.high is None else _at_extreme(part.high, index, high, low)
                parts[axis] = Span(first, last)
        return replace(self, parts=tuple(parts), free=free)


def ends_of(part: Part) -> tuple[Form, ...]:
    """The forms in an index or a span."""
    if isinstance(part, Form):
        return (part,)
    return (part.low,) if part.high is None else (part.low, part.high)


def _at_extreme(form: Form, index: str, rising: Form, falling: Form) -> Form:
    """A form's value at one end of an index's range: at `rising` where the form grows with the index."""
    return form.replaced(index, rising if form.coefficient(index) > 0 else falling)


class Views:
    """Finds out which part of which array a name holds."""

    def __init__(self, meeting: Meeting) -> None:
        self.meeting = meeting

    def named(self, name: str) -> View | None:
        """The part of an array that a name is a view of, or the whole array."""
        flow, rank = self.meeting.flow, self.meeting.types.rank(name)
        if rank is None:
            return None
        match flow.definition(name):
            case gast.Subscript(value=gast.Name(id=base)) as value if self.meeting.types.is_array(base):
                statement = flow.single(name)
                assert statement is not None
                return self.selected(value, statement) if is_basic(value.slice, self.meeting.types) else None
            case gast.Call(func=function, args=[gast.Name(id=base)], keywords=[]) if (
                dotted_path(function) == "np.transpose"
            ):
                found = self.named(base)
                return None if found is None else replace(found, kept=found.kept[::-1])
        return View(name, (Span(),) * rank, tuple(range(rank)))

    def selected(self, node: gast.Subscript, statement: gast.stmt) -> View | None:
        """The part that a subscript selects in a statement."""
        outer = self.named(node.value.id) if isinstance(node.value, gast.Name) else None
        index = index_parts(node)
        if outer is None or len(index) > len(outer.kept):
            return None
        parts, kept = list(outer.parts), list(outer.kept)
        for axis, part in zip(outer.kept, index, strict=False):
            found = self._part(part, parts[axis], statement)
            if found is None:
                return None
            parts[axis] = found
            if isinstance(found, Form):
                kept.remove(axis)
        return View(outer.root, tuple(parts), tuple(kept))

    def _part(self, node: gast.expr, outer: Part, statement: gast.stmt) -> Part | None:
        assert isinstance(outer, Span)
        if not isinstance(node, gast.Slice):
            form = self._counted(node, statement)
            return None if form is None else outer.low + form
        if node.step is not None and constant(node.step) != 1:
            return None
        low = ZERO if node.lower is None else self._counted(node.lower, statement)
        high = None if node.upper is None else self._counted(node.upper, statement)
        if low is None or (high is None and node.upper is not None) or (outer.high is not None and high is not None):
            return None
        return Span(outer.low + low, outer.high if high is None else outer.low + high)

    def _counted(self, node: gast.expr, statement: gast.stmt) -> Form | None:
        """The form of an index that does not count from the end."""
        is_known = isinstance(node, gast.Name) or type(constant(node)) is int
        form = self.meeting.form(node) if is_known else None
        is_counted = form is not None and self.meeting.is_nonnegative(form, self.meeting.at(statement))
        return form if is_counted else None


def operand_of(view: View | None, is_left: bool) -> Operand | None:
    """A view as a factor of a product."""
    match view:
        case View(kept=(axis,)):
            return Operand(view.root, view.parts, axis, None)
        case View(kept=(first, second)):
            return Operand(view.root, view.parts, *((second, first) if is_left else (first, second)))
    return None
