"""Integers of a thread as polynomials in its place in the grid, extents of the launch, and other names.

    i = cuda.grid(1); j = 2 * i + k         j is 2*block.x*block_dim.x + 2*thread.x + k

Guards and the bounds of loops give facts: polynomials that are not negative where a statement runs. A bound of a
polynomial follows by putting in the bounds of its symbols.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast

from srcad.cuda.regions import Assign, If, Loop, Region, Thread
from srcad.transforms.ir.primitive import constant

Form = dict[tuple[str, ...], int]  # monomial -> coefficient; () is the constant
_COMPARED: dict[Any, tuple[int, int, int]] = {  # sign of left and of right, and a constant: their sum is not negative
    gast.Lt: (-1, 1, -1),
    gast.LtE: (-1, 1, 0),
    gast.Gt: (1, -1, -1),
    gast.GtE: (1, -1, 0),
}
_NEGATED = {gast.Lt: gast.GtE, gast.LtE: gast.Gt, gast.Gt: gast.LtE, gast.GtE: gast.Lt, gast.NotEq: gast.Eq}


def plus(*forms: Form) -> Form:
    """The sum of polynomials.

    >>> plus({("i",): 2}, {("i",): -2, (): 1})
    {(): 1}
    """
    total: Form = {}
    for form in forms:
        for monomial, factor in form.items():
            total[monomial] = total.get(monomial, 0) + factor
    return {monomial: factor for monomial, factor in total.items() if factor}


def times(one: Form, other: Form) -> Form:
    """The product of polynomials."""
    return plus(*({tuple(sorted((*a, *b))): x * y} for a, x in one.items() for b, y in other.items()))


def scaled(form: Form, factor: int) -> Form:
    """A polynomial times a number."""
    return {monomial: factor * each for monomial, each in form.items() if factor}


def symbols(form: Form) -> set[str]:
    """The names in a polynomial."""
    return {name for monomial in form for name in monomial}


def renamed(form: Form, name: Callable[[str], str]) -> Form:
    """A polynomial in other names."""
    return {tuple(sorted(name(each) for each in monomial)): factor for monomial, factor in form.items()}


@dataclass(frozen=True)
class Facts:
    """What holds where a statement runs: polynomials that are not negative, and pairs that are equal."""

    nonnegative: tuple[Form, ...] = ()
    zero: tuple[Form, ...] = ()

    def and_(self, other: Facts) -> Facts:
        """Both."""
        return Facts((*self.nonnegative, *other.nonnegative), (*self.zero, *other.zero))

    def renamed(self, name: Callable[[str], str]) -> Facts:
        """The facts in other names."""
        return Facts(
            tuple(renamed(each, name) for each in self.nonnegative), tuple(renamed(each, name) for each in self.zero)
        )


class IndexForms:
    """Polynomials and facts of one thread."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread

    def of(self, node: gast.expr) -> Form:
        """The polynomial of an atom or an operation."""
        value = constant(node)
        if isinstance(value, int):
            return {(): int(value)} if value else {}
        match node:
            case gast.Name(id=name):
                return self.of_name(str(name))
            case gast.BinOp(left=left, op=gast.Add(), right=right):
                return plus(self.of(left), self.of(right))
            case gast.BinOp(left=left, op=gast.Sub(), right=right):
                return plus(self.of(left), scaled(self.of(right), -1))
            case gast.BinOp(left=left, op=gast.Mult(), right=right):
                return times(self.of(left), self.of(right))
            case gast.UnaryOp(op=gast.USub(), operand=operand):
                return scaled(self.of(operand), -1)
        return {(gast.dump(node),): 1}

    def of_name(self, name: str) -> Form:
        """The polynomial of a value."""
        meaning = self.thread.launch.get(name)
        if meaning is not None:
            return _of_place(meaning)
        node = self.thread.nodes.get(name)
        if not isinstance(node, Assign):
            return {(name,): 1}
        extent = self.extent(node.value)
        if extent is not None:
            return {(extent,): 1}
        if isinstance(node.value, (gast.BinOp, gast.UnaryOp)):
            made = self.of(node.value)
            if not any("(" in each for each in symbols(made)):
                return made
        return {(name,): 1}

    def extent(self, value: gast.expr) -> str | None:
        """The symbol for an extent of an array: "x.shape[0]"."""
        match value:
            case gast.Subscript(value=gast.Name(id=name), slice=gast.Constant(value=int() as axis)):
                shape = self.thread.nodes.get(name)
                if (
                    isinstance(shape, Assign)
                    and isinstance(shape.value, gast.Attribute)
                    and shape.value.attr == "shape"
                ):
                    return f"{shape.value.value.id}.shape[{axis}]"
            case gast.Attribute(value=gast.Name(id=name), attr="size") if self.rank(name) == 1:
                return f"{name}.shape[0]"
            case gast.Call(func=gast.Name(id="len"), args=[gast.Name(id=name)]):
                return f"{name}.shape[0]"
        return None

    def rank(self, name: str) -> int | None:
        """The rank of an array."""
        return getattr(self.thread.kinds.get(name), "ndim", None)

    # Facts

    def at(self, region: Region | None) -> Facts:
        """What holds in a region."""
        found = Facts()
        while region is not None:
            owner = region.owner
            if isinstance(owner, If):
                found = found.and_(self.said(owner.test, region is owner.then))
            elif isinstance(owner, Loop) and owner.index is not None:
                found = found.and_(self.bounds(owner))
            region = region.parent
        return found

    def bounds(self, loop: Loop) -> Facts:
        """What the range of a loop says of its index."""
        start, stop, step = loop.bounds
        size = constant(step)
        index: Form = {(str(loop.index),): 1}
        one: Form = {(): -1}
        if isinstance(size, int) and size < 0:
            return Facts((plus(self.of(start), scaled(index, -1)), plus(index, scaled(self.of(stop), -1), one)))
        if isinstance(size, int) or self.is_positive(step):
            return Facts((plus(index, scaled(self.of(start), -1)), plus(self.of(stop), scaled(index, -1), one)))
        return Facts()

    def is_positive(self, step: gast.expr) -> bool:
        """Whether a step is an extent of the launch, or a product of them."""
        form = self.of(step)
        names = symbols(form)
        positive = all("_dim." in name for name in names) and all(factor > 0 for factor in form.values())
        return bool(names) and positive

    def said(self, test: gast.expr, holds: bool) -> Facts:
        """What follows if a condition holds, or does not."""
        match test:
            case gast.Name(id=name):
                node = self.thread.nodes.get(name)
                return self.said(node.value, holds) if isinstance(node, Assign) else Facts()
            case gast.UnaryOp(op=gast.Not(), operand=operand):
                return self.said(operand, not holds)
            case gast.BoolOp(op=op, values=values) if isinstance(op, gast.And) == holds:
                found = Facts()
                for each in values:
                    found = found.and_(self.said(each, holds))
                return found
            case gast.Compare(left=left, ops=[op], comparators=[right]) if self.is_integer(left, right):
                return self.compared(left, type(op), right, holds)
        return Facts()

    def is_integer(self, *nodes: gast.expr) -> bool:
        """Whether both sides of a comparison are integers."""
        from numba import types as nb

        return all(
            isinstance(constant(node), int)
            or (isinstance(node, gast.Name) and isinstance(self.thread.kinds.get(node.id), nb.Integer))
            for node in nodes
        )

    def compared(self, left: gast.expr, kind: Any, right: gast.expr, holds: bool) -> Facts:
        """What a comparison of integers says."""
        if not holds:
            kind = _NEGATED.get(kind)
        one, two = self.of(left), self.of(right)
        if kind is gast.Eq:
            return Facts(zero=(plus(one, scaled(two, -1)),))
        if kind not in _COMPARED:
            return Facts()
        first, second, extra = _COMPARED[kind]
        return Facts((plus(scaled(one, first), scaled(two, second), {(): extra} if extra else {}),))


def _of_place(meaning: str) -> Form:
    """The polynomial of a place in the grid."""
    name, _, axis = meaning.rpartition("_")
    if name == "grid":
        return {tuple(sorted((f"block.{axis}", f"block_dim.{axis}"))): 1, (f"thread.{axis}",): 1}
    if name == "gridsize":
        return {tuple(sorted((f"block_dim.{axis}", f"grid_dim.{axis}"))): 1}
    return {(f"{name}.{axis}",): 1}


def bound(form: Form, facts: Facts, is_known: Callable[[str], bool], upper: bool) -> Form | None:
    """A bound of a polynomial in known symbols, from facts; None if there is none."""
    total: Form = {}
    for monomial, factor in form.items():
        unknown = [name for name in monomial if not is_known(name)]
        if not unknown:
            total = plus(total, {monomial: factor})
            continue
        if len(monomial) > 1:
            return None
        of_symbol = _symbol_bound(monomial[0], facts, is_known, upper == (factor > 0))
        if of_symbol is None:
            return None
        total = plus(total, scaled(of_symbol, factor))
    return total


def _symbol_bound(symbol: str, facts: Facts, is_known: Callable[[str], bool], upper: bool) -> Form | None:
    sign = -1 if upper else 1
    for fact in facts.nonnegative:
        rest = {monomial: factor for monomial, factor in fact.items() if monomial != (symbol,)}
        if fact.get((symbol,)) == sign and all(map(is_known, symbols(rest))):
            return rest if upper else scaled(rest, -1)
    plain = symbol.rstrip("'")
    if plain.startswith(("thread.", "block.")) and "_dim." not in plain:
        axis = plain[-1]
        if not upper:
            return {}
        return {(f"block_dim.{axis}" if plain.startswith("thread.") else f"grid_dim.{axis}",): 1, (): -1}
    return None


def is_positive(form: Form) -> bool:
    """Whether a polynomial is seen to be positive: a positive constant, and extents added to it."""
    if form.get((), 0) <= 0:
        return False
    return all(
        factor > 0 and all("_dim." in name or ".shape[" in name for name in monomial)
        for monomial, factor in form.items()
        if monomial
    )
