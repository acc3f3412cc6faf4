"""Symbolic shapes: each extent of an array as a linear form, so that equal shapes can be recognised.

An extent that is not understood is a symbol of its own, `a.shape[0]`: equal to itself and to nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

import gast
from numba import types as nb

from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.analysis.optimistic_facts import Trials
from srcad.transforms.analysis.statement_positions import Flow
from srcad.transforms.ir.array_functions import LIKE, OF_ELEMENTS, OF_SHAPE, REDUCING, SAME_SHAPE
from srcad.transforms.ir.build import dotted_path
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant, operands, primitive_of
from srcad.transforms.ir.unit import Unit

ONE = Form.number(1)


class Sizes:
    """The extents of the arrays of one function; `form` gives the linear form of an integer atom."""

    def __init__(self, unit: Unit, flow: Flow, types: Types, form: Callable[[gast.expr | None], Form | None]) -> None:
        self.unit, self.flow, self.types, self.form = unit, flow, types, form
        self._trials = Trials[tuple[str, int], Form]()
        self.shortened: set[Form] = set()  # lengths of slices: where negative, these are empty

    def size(self, array: str, axis: int) -> Form:
        """The form of `array.shape[axis]`."""
        rank = self.types.rank(array)
        if axis < 0 and rank is not None:
            axis += rank
        opaque = Form.of(f"{array}.shape[{axis}]")
        return self._trials.ask((array, axis), lambda: self._size(array, axis, rank) or opaque, opaque)

    def learn(self, array: str, axis: int, form: Form) -> None:
        """Record the form of `array.shape[axis]`."""
        self._trials.learn((array, axis), form)

    def _size(self, array: str, axis: int, rank: int | None) -> Form | None:
        value = self.flow.definition(array)
        if value is None:
            return self._carried(array, axis)
        if rank is None or not 0 <= axis < rank:
            return None
        match value:
            case gast.Name(id=other):
                return self.size(other, axis)
            case gast.Subscript(value=gast.Name(id=base)) if not self.types.is_array(base):
                return None  # an array in a tuple
            case gast.Subscript(value=gast.Name(id=base), slice=index):
                return self._sliced(base, index, axis)
        path = dotted_path(value.func) if isinstance(value, gast.Call) else None
        if path in LIKE and isinstance(value.args[0], gast.Name):
            return self.size(value.args[0].id, axis)
        if path in OF_SHAPE:
            return self._shaped(value.args[0], axis, rank)
        if path in OF_ELEMENTS and axis == 0 and isinstance(value.args[0], gast.Tuple):
            return Form.number(len(value.args[0].elts))
        if path == "np.reshape" and len(value.args) == 2 and not value.keywords:
            return self._reshaped(value.args[0], value.args[1], axis, rank)
        if path == "np.transpose" and len(value.args) == 1 and isinstance(value.args[0], gast.Name):
            return self.size(value.args[0].id, rank - 1 - axis)
        if (isinstance(value, gast.BinOp) and isinstance(value.op, gast.MatMult)) or path == "np.dot":
            return self._product(value, axis, rank)
        if path in REDUCING and (cut := reduction_of(value, self.types)) is not None:
            return self._reduced(value.args[0].id, axis, *cut)
        if path in SAME_SHAPE and value.args:
            return self._same(value.args[0], axis, rank)
        if path == "np.linalg.solve" and len(value.args) == 2:
            return self._same(value.args[1], axis, rank)
        if path in ("np.eye", "np.identity") and not value.keywords:
            return self.form(value.args[axis if axis < len(value.args) else 0])
        if path == "np.outer" and all(self.types.rank(getattr(each, "id", "")) == 1 for each in value.args):
            return self.size(value.args[axis].id, 0)
        return self._elementwise(value, axis, rank)

    def _same(self, source: gast.expr, axis: int, rank: int) -> Form | None:
        """An extent of an array with the shape of another, if the ranks agree (np.cumsum returns vectors)."""
        is_like = isinstance(source, gast.Name) and self.types.rank(source.id) == rank
        return self.size(source.id, axis) if is_like else None

    def _reduced(self, source: str, axis: int, over: frozenset[int], keeps: bool) -> Form | None:
        """An extent of a reduction's result; one for a dimension that is reduced and kept."""
        if keeps:
            return ONE if axis in over else self.size(source, axis)
        left = [each for each in range(self.types.rank(source) or 0) if each not in over]
        return self.size(source, left[axis])

    def _carried(self, array: str, axis: int) -> Form | None:
        """An extent of an array that is stored in several places, if all arrays that the name may hold agree.

        If a loop carries it: the extent before the loop, provided that an iteration preserves it, assuming that it
        holds before.
        """
        sources = self.sources(array)
        if sources is None:
            return None
        symbol = f"{array}.shape[{axis}]"
        found = self._supposing(array, axis, Form.of(symbol), sources)
        before = [form for form in found if symbol not in form.symbols]
        if len(found) == len(before) == 1:
            return before[0]
        return next((form for form in before if not self._supposing(array, axis, form, sources)), None)

    def _supposing(self, array: str, axis: int, supposed: Form, sources: list[str]) -> list[Form]:
        """The extents of the arrays that a name may hold, other than the extent assumed for the name itself."""
        with self._trials.supposing((array, axis), supposed):
            found = dict.fromkeys(self.size(name, axis) for name in sources)
        found.pop(supposed, None)
        return list(found)

    def sources(self, array: str) -> list[str] | None:
        """The arrays that a name may hold, following copies; None if they are not known."""
        names, sources = [array], []
        for name in names:  # grows: names that are swapped hold each other's arrays
            value = self.flow.definition(name)
            if value is not None and not isinstance(value, gast.Name):
                sources.append(name)
                continue
            if name in self.flow.parameters:
                return None
            for statement in self.flow.stores.get(name, []):
                if not isinstance(statement, gast.Assign) or not isinstance(statement.value, gast.Name):
                    return None
                if statement.value.id not in names:
                    names.append(statement.value.id)
        return sources

    def _shaped(self, shape: gast.expr, axis: int, rank: int) -> Form | None:
        if isinstance(shape, gast.Name) and isinstance(self.types.get(shape.id), nb.BaseTuple):
            inner = self.flow.definition(shape.id)
            if isinstance(inner, gast.Attribute) and inner.attr == "shape" and isinstance(inner.value, gast.Name):
                return self.size(inner.value.id, axis)
            return None
        extents = shape.elts if isinstance(shape, gast.Tuple) else [shape]
        return self.form(extents[axis]) if len(extents) == rank else None

    def _reshaped(self, source: gast.expr, shape: gast.expr, axis: int, rank: int) -> Form | None:
        """An extent of a new shape: a number that cannot be -1, or a -1 next to ones, which is a vector's length."""
        extents = shape.elts if isinstance(shape, gast.Tuple) else [shape]
        if len(extents) == rank and constant(extents[axis]) == -1:
            rest = [constant(each) for place, each in enumerate(extents) if place != axis]
            is_vector = isinstance(source, gast.Name) and self.types.rank(source.id) == 1
            return self.size(source.id, 0) if is_vector and all(each == 1 for each in rest) else None
        form = self._shaped(shape, axis, rank)
        known = form is not None and form.constant >= 0 and all(".shape[" in name and k > 0 for name, k in form.terms)
        return form if known else None

    def _product(self, value: gast.expr, axis: int, rank: int) -> Form | None:
        """The product of two matrices, or of a matrix and a vector."""
        (left, right), _ = operands(value)
        if not isinstance(left, gast.Name) or not isinstance(right, gast.Name):
            return None
        ranks = self.types.rank(left.id), self.types.rank(right.id)
        if ranks == (2, 2):
            return self.size((left if axis == 0 else right).id, axis)
        if ranks == (2, 1):
            return self.size(left.id, 0)
        return self.size(right.id, 1) if ranks == (1, 2) else None

    def _elementwise(self, value: gast.expr, axis: int, rank: int) -> Form | None:
        """The extent given by operands of full rank, except those known to have the extent one."""
        rule = registry.find(primitive_of(value, self.unit.bindings))
        if rule is None or not rule.elementwise:
            return None
        positional, keywords = operands(value)
        found = set()
        for node in [*positional, *keywords.values()]:
            own = self.types.rank(node.id) if isinstance(node, gast.Name) else None
            if own is not None and axis - (rank - own) >= 0:
                found.add(self.size(node.id, axis - (rank - own)))
        wide = found - {ONE}
        if len(wide) == 1 and len(found) >= 1:
            return wide.pop()
        return ONE if found == {ONE} else None

    def part(self, base: str, index: gast.expr, axis: int) -> Form | None:
        """The extent of a dimension of `base[index]`; None where it is not understood."""
        return self.size(base, axis) if constant(index) is ... else self._sliced(base, index, axis)

    def _sliced(self, base: str, index: gast.expr, axis: int) -> Form | None:
        """An extent of a view."""
        parts = list(index.elts) if isinstance(index, gast.Tuple) else [index]
        if any(constant(part) is ... or self.types.is_opaque(part) for part in parts):
            return None
        dimension = seen = 0
        for part in parts:
            if isinstance(part, gast.Constant) and part.value is None:
                if seen == axis:
                    return ONE
                seen += 1
                continue
            if isinstance(part, gast.Slice):
                if seen == axis:
                    return self._stretch(part, self.size(base, dimension))
                seen += 1
            elif isinstance(part, gast.Name) and self.types.is_array(part.id):
                return None
            dimension += 1
        return self.size(base, dimension + axis - seen)

    def _stretch(self, part: gast.Slice, size: Form) -> Form | None:
        """The length of a slice, if its form does not depend on the array's length (negative means empty)."""
        if part.step is not None and constant(part.step) != 1:
            return None
        low = 0 if part.lower is None else constant(part.lower)
        high = 0 if part.upper is None else constant(part.upper)
        if not isinstance(low, int) or not isinstance(high, int):
            return None
        if low < 0 or high > 0 or (part.upper is not None and high == 0):
            return None
        length = size + (high - low)
        if high < low and (length.terms or length.constant < 0):
            self.shortened.add(length)
        return length


def reduction_of(value: gast.Call, types: Types) -> tuple[frozenset[int], bool] | None:
    """The dimensions, counted from the front, that a call like `np.sum(x, axis=1)` reduces, and whether it keeps them.

    None where these are not literals, or there are other arguments.
    """
    given = {keyword.arg: keyword.value for keyword in value.keywords}
    if not 1 <= len(value.args) <= 2 or not set(given) <= {"axis", "keepdims"}:
        return None
    source = value.args[0]
    rank = types.rank(source.id) if isinstance(source, gast.Name) else None
    keeps = constant(given["keepdims"]) if "keepdims" in given else False
    over = _dimensions(value.args[1] if len(value.args) == 2 else given.get("axis"), rank or 0)
    return None if over is None or type(keeps) is not bool else (over, keeps)


def _dimensions(axis: gast.expr | None, rank: int) -> frozenset[int] | None:
    """The dimensions that an argument `axis` means: all, one or several different ones; None where not known."""
    if axis is None or (isinstance(axis, gast.Constant) and axis.value is None):
        return frozenset(range(rank)) if rank else None
    found = [constant(each) for each in (axis.elts if isinstance(axis, gast.Tuple) else [axis])]
    if not all(type(each) is int and -rank <= each < rank for each in found):
        return None
    over = frozenset(each % rank for each in found)
    return over if len(over) == len(found) else None


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


def sliced(view: gast.Subscript, axis: int) -> tuple[int, gast.Slice] | None:
    """The dimension that a view's dimension is a slice of, and the slice; None if there is none, or it has a step.

    >>> place, part = sliced(gast.parse("a[2, 3:, i:j]", mode="eval").body, 1)
    >>> place, part.lower.id
    (2, 'i')
    """
    dimension = -1
    for place, part in enumerate(index_parts(view)):
        if isinstance(part, gast.Slice):
            dimension += 1
            if dimension == axis:
                return (place, part) if part.step is None else None
        elif isinstance(part, gast.Constant) and not isinstance(part.value, int):
            return None  # a new axis, or an ellipsis
    return None


def index_parts(view: gast.Subscript) -> list[gast.expr]:
    """The parts of a subscript's index."""
    return list(view.slice.elts) if isinstance(view.slice, gast.Tuple) else [view.slice]
