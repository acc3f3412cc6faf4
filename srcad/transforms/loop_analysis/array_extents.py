"""Array extents: symbolic shapes, in addition to subscripts; after `a = np.zeros((n + 1, m))`, a has n + 1 rows.

Facts hold at one point of the code, like those of `Subscripts`, and are killed where a name in them is stored. An
extent that is not known otherwise is a symbol of its own, `x.shape[0]`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import gast

from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.analysis.symbolic_shapes import index_parts
from srcad.transforms.ir.array_functions import LIKE_WITH_ONE_ARGUMENT, OF_SHAPE
from srcad.transforms.ir.build import attribute, clone, const, dotted_path, load, names_in, subscript
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.loop_analysis.affine_subscripts import Subscripts

_ARITHMETIC = (gast.BinOp, gast.UnaryOp, gast.Name, gast.Constant, gast.operator, gast.USub, gast.expr_context)
_OPPOSITE = {gast.Lt: gast.GtE, gast.LtE: gast.Gt, gast.Gt: gast.LtE, gast.GtE: gast.Lt, gast.NotEq: gast.Eq}


class Shapes(Subscripts):
    """The facts about integers, array extents and tests at one point of the code."""

    def __init__(self, ranks: Mapping[str, int], integers: frozenset[str]) -> None:
        """`ranks` has the rank of arrays by name, 0 for scalars; `integers` has the names of integers."""
        super().__init__()
        self.ranks, self.integers = ranks, integers
        self.extents: dict[str, tuple[gast.expr, ...]] = {}  # of arrays, and the elements of tuples that hold extents
        self.tests: dict[str, gast.Compare] = {}
        self._mentioned: dict[str, frozenset[str]] = {}  # the names in the facts about a name's extents or test

    def copy(self) -> Shapes:
        """An independent copy of the facts."""
        other = Shapes(self.ranks, self.integers)
        other.forms, other.least, other.values = dict(self.forms), dict(self.least), dict(self.values)
        other.facts, other.extents, other.tests = self.facts, dict(self.extents), dict(self.tests)
        other._mentioned = dict(self._mentioned)
        return other

    def inside(self, loop: gast.For) -> Shapes:
        """The facts in the body of a loop."""
        found = super().inside(loop)
        assert isinstance(found, Shapes)
        return found

    def under(self, test: gast.expr, holds: bool) -> Shapes:
        """The facts in the arm of a branch where a test holds, or does not hold."""
        found = self.copy()
        if isinstance(test, gast.Name):
            test = self.tests.get(test.id, test)
        match test:
            case gast.Compare(left=left, ops=[operator], comparators=[right]) if self._is_whole(left, right):
                a, b = self.form(left), self.form(right)
                kind = type(operator) if holds else _OPPOSITE.get(type(operator))
                if a is not None and b is not None:
                    meant = {gast.Lt: (b - a - 1,), gast.LtE: (b - a,), gast.Gt: (a - b - 1,), gast.GtE: (a - b,)}
                    found.facts += meant.get(kind, ())
        return found

    def _is_whole(self, *nodes: gast.expr) -> bool:
        return all(isinstance(constant(node), int) or self.integers >= {*names_in(node)} for node in nodes)

    def forget(self, names: Collection[str]) -> None:
        """Kill the facts about these names, which are stored."""
        super().forget({*names, *(symbol for name in names for symbol in self._symbols(name))})
        for name in [each for each, used in self._mentioned.items() if each in names or not used.isdisjoint(names)]:
            del self._mentioned[name]
            self.extents.pop(name, None)
            self.tests.pop(name, None)

    def _symbols(self, name: str) -> list[str]:
        return [f"{name}.shape[{k}]" for k in range(self.ranks.get(name, 0))]

    def learn(self, statement: gast.stmt) -> None:
        """Update the facts for a simple statement."""
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                form, extents = self.form(value), self._parts(value)
                self.forget([name])
                if form is not None and name not in map(source, form.symbols):
                    self.forms[name] = form
                parts = extents or ((value,) if isinstance(value, gast.Compare) else ())
                mentioned = frozenset(each for part in parts for each in names_in(part))
                if parts and name not in mentioned:
                    self._mentioned[name] = mentioned
                    if extents:
                        self.extents[name] = extents
                    else:
                        self.tests[name] = value
                self._learn_product(name, value)
            case gast.AugAssign(target=gast.Name(id=name)) if self.ranks.get(name):
                pass  # the same array
            case _:
                self.forget([*all_written(statement)])

    def _learn_product(self, name: str, value: gast.expr) -> None:
        """After a matrix product, the right operand is known to have as many rows as the left one has columns."""
        match value:
            case gast.BinOp(left=gast.Name(id=left), op=gast.MatMult(), right=gast.Name(id=right)):
                pass
            case gast.Call(func=function, args=[gast.Name(id=left), gast.Name(id=right)]) if _is_dot(function):
                pass
            case gast.BinOp() | gast.UnaryOp() | gast.Call():
                for each in gast.iter_child_nodes(value):
                    self._learn_product(name, each)
                return
            case _:
                return
        ranks = self.ranks.get(left), self.ranks.get(right)
        if ranks in ((2, 2), (2, 1), (1, 1)) and name not in (left, right):
            self.note(right, ((self.of(left) or ())[-1], *(self.of(right) or ())[1:]))

    def note(self, array: str, extents: tuple[gast.expr, ...]) -> None:
        """Record the extents of an array, unless some are known already."""
        if array not in self.extents:
            self.extents[array] = extents
            self._mentioned[array] = frozenset(each for part in extents for each in names_in(part))

    def form(self, node: gast.expr) -> Form | None:
        """The linear form of an integer expression."""
        match node:
            case gast.Attribute(value=gast.Name(id=name), attr="size") if self.ranks.get(name) == 1:
                return self.form((self.of(name) or ())[0])
            case gast.Subscript(value=gast.Name() | gast.Attribute(attr="shape") as whole, slice=index):
                parts, k = self._parts(whole, of_array=False), constant(index)
                if parts is None or not isinstance(k, int) or not -len(parts) <= k < len(parts):
                    return None
                own = parts[k]
                is_symbol = isinstance(own, gast.Subscript)
                return Form.of(f"{own.value.value.id}.shape[{constant(own.slice)}]") if is_symbol else self.form(own)
        return super().form(node)

    def of(self, name: str) -> tuple[gast.expr, ...] | None:
        """The extents of an array, as expressions of values known here."""
        own = tuple(subscript(attribute(load(name), "shape"), const(k)) for k in range(self.ranks.get(name, 0)))
        return self.extents.get(name, own or None)

    def parts(self, node: gast.expr) -> tuple[gast.expr, ...] | None:
        """The extents of an array, or of a view of it by integers and full slices."""
        match node:
            case gast.Name(id=name):
                return self.of(name)
            case gast.Subscript(value=gast.Name(id=name)):
                own, index = self.of(name) or (), index_parts(node)
                others = [each for each in index if not is_full(each)]
                is_view = all(isinstance(each, (gast.Name, gast.Constant, gast.BinOp)) for each in others)
                if is_view and len(index) <= len(own) and self._is_whole(*others):
                    kept = (extent for part, extent in zip(index, own, strict=False) if is_full(part))
                    return (*kept, *own[len(index) :]) or None
        return None

    def _parts(self, value: gast.expr, of_array: bool = True) -> tuple[gast.expr, ...] | None:
        """The extents of a newly allocated array, or the extents that a tuple holds."""
        match value:
            case gast.Attribute(value=gast.Name(id=name), attr="shape"):
                return self.of(name)
            case gast.Name(id=name) if not of_array and name not in self.ranks:
                return self.extents.get(name)
            case gast.Call(func=function, args=[gast.Name(id=name)], keywords=[]) if (
                dotted_path(function) in LIKE_WITH_ONE_ARGUMENT
            ):
                return self.of(name)
            case gast.Call(func=function, args=[shape, *_]) if dotted_path(function) in OF_SHAPE:
                return self._listed(shape)
            case gast.Subscript(value=gast.Name(id=name)) if of_array and self.ranks.get(name):
                return self.parts(value)
            case gast.BinOp(left=gast.Name(id=left), op=gast.MatMult(), right=gast.Name(id=right)):
                rows, columns = self.of(left), self.of(right)
                if rows is not None and columns is not None and len(rows) == 2:
                    return rows[0], *columns[1:]
            case gast.BinOp() if (of := self._only_array(value)) is not None:
                return self.of(of)
            case gast.Call(func=function, args=[gast.Name(id=left), gast.Name(id=right)], keywords=[]):
                return self._product(dotted_path(function) or "", self.of(left) or (), self.of(right) or ())
        return None

    def _only_array(self, value: gast.expr) -> str | None:
        """The only array in an arithmetic expression of names and literals; None for any other expression."""
        names = {*names_in(value)}
        arrays = [name for name in names if self.ranks.get(name) != 0]
        is_plain = all(isinstance(each, _ARITHMETIC) for each in gast.walk(value))
        return arrays[0] if is_plain and len(arrays) == 1 and self.ranks.get(arrays[0]) else None

    def _product(
        self, path: str, left: tuple[gast.expr, ...], right: tuple[gast.expr, ...]
    ) -> tuple[gast.expr, ...] | None:
        match path, len(left), len(right):
            case "np.outer", 1, 1:
                return *left, *right
            case "kernels.times_transpose", 2, 2:
                return left[0], right[0]
            case "kernels.transpose_times", 2, 1 | 2:
                return left[1], *right[1:]
        return None

    def _listed(self, shape: gast.expr) -> tuple[gast.expr, ...] | None:
        if isinstance(shape, gast.Tuple):
            return tuple(map(clone, shape.elts))
        is_extent = isinstance(shape, gast.Subscript) and getattr(shape.value, "attr", None) == "shape"
        if (
            (is_extent and isinstance(constant(shape.slice), int))
            or isinstance(constant(shape), int)
            or (not isinstance(shape, gast.Attribute) and all(self.ranks.get(each) == 0 for each in names_in(shape)))
        ):
            return (clone(shape),)
        return self._parts(shape, of_array=False)


def _is_dot(function: gast.expr) -> bool:
    return dotted_path(function) == "np.dot"


def is_full(part: gast.expr) -> bool:
    """Whether part of a subscript is a full slice."""
    return isinstance(part, gast.Slice) and part.lower is part.upper is part.step is None


def source(symbol: str) -> str:
    """The name that a symbol refers to."""
    return symbol.partition(".")[0]
