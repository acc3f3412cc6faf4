"""Integer facts: expressions as linear forms, the bounds of loop indices, and what tests say about integers.

`Integers` translates; what a name stands for, and how long an array is, is left to its subclasses: definitions, in core
form (`ssa_facts`), or what was learned on the way to a point of the code (`point_facts`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import gast

from srcad.transforms.analysis.affine.linear_forms import Form, is_extent, name_of
from srcad.transforms.ir.build import attribute, binary, const, dotted_path, load, subscript
from srcad.transforms.ir.primitive import constant


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest index of a loop, as far as they are known, and its step.

    Every index lies between them. If the step is 1 or -1, and the loop has iterations, both are reached.
    """

    low: Form | None
    high: Form | None
    step: int

    @property
    def every(self) -> tuple[Form, Form] | None:
        """The bounds if the loop takes every index between them, and both are known."""
        return None if self.low is None or self.high is None or abs(self.step) != 1 else (self.low, self.high)

    def limits(self, index: str) -> tuple[Form, ...]:
        """The bounds as forms that are not negative."""
        own = Form.of(index)
        below = () if self.low is None else (own - self.low,)
        above = () if self.high is None else (self.high - own,)
        return (*below, *above)


class Integers(ABC):
    """What is known about integers; `form` is None for what is not a linear form."""

    @abstractmethod
    def of_name(self, name: str) -> Form | None:
        """The form of an integer by name: a symbol of its own if nothing else is known."""

    @abstractmethod
    def size(self, array: str, axis: int) -> Form | None:
        """The form of `array.shape[axis]`."""

    @abstractmethod
    def element(self, name: str, place: int) -> Form | None:
        """The form of `name[place]`, if the name is a tuple of extents."""

    @abstractmethod
    def rank_of(self, name: str) -> int | None:
        """The number of an array's dimensions, if known; 0 or None for what is no array."""

    @abstractmethod
    def comparison(self, test: gast.expr) -> gast.expr | None:
        """The comparison that a test stands for, if all its operands are integers."""

    def form(self, node: gast.expr | None) -> Form | None:
        """The linear form of an integer expression."""
        value = constant(node)
        if type(value) is int:
            return Form.number(value)
        match node:
            case gast.Name(id=name):
                return self.of_name(name)
            case gast.BinOp(left=left, op=gast.Add() | gast.Sub() | gast.Mult() as op, right=right):
                one = self.form(left)
                return None if one is None else combined(one, op, self.form(right))
            case gast.UnaryOp(op=gast.USub(), operand=operand):
                negated = self.form(operand)
                return None if negated is None else negated.scaled(-1)
            case gast.Attribute(value=gast.Name(id=array), attr="size") if self.rank_of(array) == 1:
                return self.size(array, 0)
            case gast.Call(func=gast.Name(id="len"), args=[gast.Name(id=array)]) if self.rank_of(array):
                return self.size(array, 0)
            case gast.Subscript(value=whole, slice=index) if type(place := constant(index)) is int:
                return self._extent(whole, place)
        return None

    def _extent(self, whole: gast.expr, place: int) -> Form | None:
        match whole:
            case gast.Attribute(value=gast.Name(id=array), attr="shape"):
                rank = self.rank_of(array)
                axis = place + (rank or 0) if place < 0 else place
                return self.size(array, axis) if rank is None or 0 <= axis < rank else None
            case gast.Name(id=name):
                return self.element(name, place)
        return None

    def bounds(self, loop: gast.For) -> Bounds:
        """The bounds of a loop over a range, where the loop starts."""
        start, stop = ends_of(loop)
        step = step_of(loop)
        if step == 0:
            return Bounds(None, None, 0)
        first, last = (self._outside(loop, end) for end in (start, stop))
        if step > 0:
            return Bounds(first, None if last is None else last - 1, step)
        return Bounds(None if last is None else last + 1, first, step)

    def _outside(self, loop: gast.For, end: gast.expr) -> Form | None:
        """The form of a loop's bound; None where it depends on a former value of the index."""
        form = self.form(end)
        return None if form is None or loop.target.id in form.symbols else form

    def implied(self, test: gast.expr, holds: bool) -> tuple[Form, ...]:
        """The forms that are not negative where a test holds, or does not hold."""
        match self.comparison(test):
            case gast.Compare(left=left, ops=[operator], comparators=[right]):
                a, b = self.form(left), self.form(right)
                kind = type(operator) if holds else _OPPOSITE.get(type(operator))
                if a is None or b is None or kind is None:
                    return ()
                meant = {
                    gast.Lt: (b - a - 1,),
                    gast.LtE: (b - a,),
                    gast.Gt: (a - b - 1,),
                    gast.GtE: (a - b,),
                    gast.Eq: (a - b, b - a),
                }
                return meant.get(kind, ())
        return ()


_OPPOSITE = {gast.Lt: gast.GtE, gast.LtE: gast.Gt, gast.Gt: gast.LtE, gast.GtE: gast.Lt, gast.NotEq: gast.Eq}


def combined(a: Form | None, op: gast.operator, b: Form | None) -> Form | None:
    """The sum, difference or product of two forms, if that is a linear form."""
    if a is None or b is None:
        return None
    match op:
        case gast.Add():
            return a + b
        case gast.Sub():
            return a - b
        case gast.Mult() if not a.terms:
            return b.scaled(a.constant)
        case gast.Mult() if not b.terms:
            return a.scaled(b.constant)
    return None


def expression_of(form: Form) -> gast.expr:
    """A form as an expression, positive terms first."""
    total: gast.expr | None = None
    for symbol, factor in sorted(form.terms, key=lambda term: term[1] < 0):
        term: gast.expr = load(name_of(symbol))
        if is_extent(symbol):
            term = subscript(attribute(term, "shape"), const(int(symbol[symbol.rindex("[") + 1 : -1])))
        term = term if abs(factor) == 1 else binary(const(abs(factor)), gast.Mult, term)
        if total is None:
            total = term if factor > 0 else gast.UnaryOp(op=gast.USub(), operand=term)
        else:
            total = binary(total, gast.Add if factor > 0 else gast.Sub, term)
    if total is None:
        return const(form.constant)
    operator = gast.Add if form.constant > 0 else gast.Sub
    return binary(total, operator, const(abs(form.constant))) if form.constant else total


def is_counted(statement: gast.stmt) -> bool:
    """Whether this is a loop over a range."""
    return isinstance(statement, gast.For) and dotted_path(statement.iter.func) == "range"


def ends_of(loop: gast.For) -> tuple[gast.expr, gast.expr]:
    """The start and the stop of a loop's range."""
    args = loop.iter.args
    return (const(0), args[0]) if len(args) == 1 else (args[0], args[1])


def step_of(loop: gast.For) -> int:
    """The step of a loop's index; 0 where it is not a literal."""
    args = loop.iter.args
    step = constant(args[2]) if len(args) == 3 else 1
    return step if type(step) is int else 0


def index_parts(view: gast.Subscript) -> list[gast.expr]:
    """The parts of a subscript's index."""
    return list(view.slice.elts) if isinstance(view.slice, gast.Tuple) else [view.slice]


def is_full(part: gast.expr) -> bool:
    """Whether part of a subscript is a full slice."""
    return isinstance(part, gast.Slice) and part.lower is part.upper is part.step is None
