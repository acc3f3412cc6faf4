"""SSA facts: integers and array extents of core form as linear forms, by the definitions of names.

    t = n + 1
    a = np.zeros((t, m))
    v = a[2:]                       the extents of v are n - 1 and m
    kernels.unit_extent(k)          the extent of a parameter that k names is 1 throughout
    kernels.known_extent(k, 3)      or 3
    kernels.least_extent(k, 3)      or at least 3

A name that is stored once is its definition, wherever it is read. What is not understood is a symbol of its own, `n` or
`a.shape[0]`: equal to itself and to nothing else. For code in which names are stored several times, see `point_facts`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any

import gast
from numba import types as nb

from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.affine.extents import Dimension, Extent, Extents
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.affine.linear_forms import Form, extent_symbol, is_extent, is_nonnegative, name_of
from srcad.transforms.analysis.optimistic_facts import Trials
from srcad.transforms.analysis.statement_positions import Flow, Spot
from srcad.transforms.ir.array_functions import OF_ELEMENTS, last_part
from srcad.transforms.ir.build import dotted_path, walk_statements
from srcad.transforms.ir.cost_model import DEEPEST_FORM
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant, operands, primitive_of
from srcad.transforms.ir.unit import Unit

ONE = Form.number(1)


class Definitions(Extents):
    """The integers and extents of one core function."""

    def __init__(self, unit: Unit, flow: Flow, types: Types) -> None:
        self.unit, self.flow, self.types = unit, flow, types
        self._depth = 0  # of the definitions that are being followed
        self._known: dict[Spot, list[Form]] = {}
        self._trials = Trials[tuple[str, int], Form]()
        self.shortened: set[Form] = set()  # lengths of slices: where negative, these are empty
        self._checks = list(_checks(unit, flow))
        branches = (each for each in walk_statements(unit.tree.body) if isinstance(each, gast.If))
        self._branches = {flow.spot(each).number: each for each in branches}

    def of_name(self, name: str) -> Form:
        """The form of an integer by name."""
        value = self.flow.definition(name)
        if value is None or self._depth > DEEPEST_FORM:
            return Form.of(name)
        self._depth += 1
        found = self.form(value)
        self._depth -= 1
        return Form.of(name) if found is None else found

    def element(self, name: str, place: int) -> Form | None:
        """The form of an element of a tuple, if that is an array's shape."""
        match self.flow.definition(name):
            case gast.Attribute(value=gast.Name(id=array), attr="shape"):
                return self.size(array, place)
        return None

    def rank_of(self, name: str) -> int | None:
        """The rank of an array; None for what is none."""
        return self.types.rank(name)

    def comparison(self, test: gast.expr) -> gast.expr | None:
        """The comparison that a test stands for, if its operands are integers."""
        found = self.flow.definition(test.id) if isinstance(test, gast.Name) else test
        is_of_integers = isinstance(found, gast.Compare) and all(map(self.is_integer, (found.left, *found.comparators)))
        return found if is_of_integers else None

    def is_nonnegative(self, form: Form, known: Collection[Form] = ()) -> bool:
        """Whether a form is proved not to be negative, given the bounds of its loop indices and the `known` forms."""
        system, pending, seen = [*known], [*form.symbols], set[str]()
        while pending:
            symbol = pending.pop()
            match self.flow.stores.get(symbol, ()):
                case [gast.For() as loop] if symbol not in seen:
                    limits = self.bounds(loop).limits(symbol)
                    system += limits
                    pending += [other for limit in limits for other in limit.symbols]
            seen.add(symbol)
        return is_nonnegative(form, system)

    def at(self, statement: gast.stmt) -> list[Form]:
        """The forms that are not negative where a statement runs, by the loops and branches around it."""
        spot = self.flow.spot(statement)
        if spot not in self._known:
            loops = (loop for loop in spot.loops if isinstance(loop, gast.For))
            known = [form for loop in loops for form in self.bounds(loop).limits(loop.target.id)]
            for number, arm in spot.way:
                if number in self._branches:
                    known += self.implied(self._branches[number].test, arm == 0)
            self._known[spot] = known
        return self._known[spot]

    def size(self, array: str, axis: int) -> Form:
        """The form of `array.shape[axis]`."""
        rank = self.types.rank(array)
        if axis < 0 and rank is not None:
            axis += rank
        opaque = Form.of(extent_symbol(array, axis))
        return self._trials.ask((array, axis), lambda: self._size(array, axis, rank) or opaque, opaque)

    def learn(self, array: str, axis: int, form: Form) -> None:
        """Record the form of `array.shape[axis]`."""
        self._trials.learn((array, axis), form)

    def _size(self, array: str, axis: int, rank: int | None) -> Form | None:
        value = self.flow.definition(array)
        if value is None:
            number = 1 if (array, axis) in self._units else self._numbers.get((array, axis))
            return self._carried(array, axis) if number is None else Form.number(number)
        if rank is None or not 0 <= axis < rank:
            return None
        match value:
            case gast.Subscript(value=gast.Name(id=base)) if not self.types.is_array(base):
                return None  # an array in a tuple
            case gast.Subscript(value=gast.Name(id=base), slice=index):
                return self._sliced(base, index, axis) or self._gathered(base, index_parts(value), axis, rank)
        found = self.extents_of(value, rank)
        if found is not None:
            return self._of_extent(found[axis]) if len(found) == rank else None
        path = dotted_path(value.func) if isinstance(value, gast.Call) else None
        if path in OF_ELEMENTS and axis == 0 and isinstance(value.args[0], gast.Tuple):
            return Form.number(len(value.args[0].elts))
        if path == "np.reshape" and len(value.args) == 2 and not value.keywords:
            return self._reshaped(value.args[0], value.args[1], axis, rank)
        return self._elementwise(value, axis, rank)

    @cached_property
    def _units(self) -> set[tuple[str, int]]:
        """The parameters and axes whose extents the function has checked to be 1 before anything else."""
        return {origin for origin, _ in self._checked("unit_extent")}

    @cached_property
    def _numbers(self) -> dict[tuple[str, int], int]:
        """For parameters and axes, what the function has checked their extents to be."""
        return {origin: number.value for origin, (number,) in self._checked("known_extent")}

    @cached_property
    def _least(self) -> dict[tuple[str, int], int]:
        """For parameters and axes, what the function has checked their extents to be at least."""
        return {origin: bound.value for origin, (bound,) in self._checked("least_extent")}

    def _checked(self, check: str) -> Iterator[tuple[tuple[str, int], list[Any]]]:
        """The extents of parameters that a function is called with outside of loops and branches, and what else."""
        for statement in self.unit.tree.body:
            match statement:
                case gast.Expr(value=gast.Call(func=function, args=[gast.Name(id=extent), *others])):
                    found = self._dimension(extent) if last_part(function) == check else None
                    if found is not None and self._is_constant(found[0]):
                        yield found, others

    def _is_constant(self, name: str) -> bool:
        """Whether a name is a parameter that is not stored."""
        return name in self.flow.parameters and name not in self.flow.stores

    def _dimension(self, extent: str) -> tuple[str, int] | None:
        """The array and the axis that a name is the extent of, by its definition alone."""
        match self.flow.definition(extent):
            case gast.Subscript(value=gast.Name(id=shape), slice=gast.Constant(value=int(axis))):
                match self.flow.definition(shape):
                    case gast.Attribute(value=gast.Name(id=array), attr="shape"):
                        return array, axis
        return None

    def dimension_of(self, form: Form) -> tuple[str, int] | None:
        """The parameter and the axis that a form is the extent of; None if it is another."""
        if form.constant or len(form.terms) != 1 or form.terms[0][1] != 1 or not is_extent(form.terms[0][0]):
            return None
        array, _, axis = form.terms[0][0].partition(".shape[")
        return (array, int(axis[:-1])) if self._is_constant(array) else None

    def _of_extent(self, extent: Extent) -> Form | None:
        return self.size(extent.array, extent.axis) if isinstance(extent, Dimension) else self.form(extent)

    def held(self, name: str) -> tuple[Extent, ...] | None:
        """The extents that a tuple holds, if it is the shape of an array."""
        match self.flow.definition(name):
            case gast.Attribute(value=gast.Name(id=array), attr="shape"):
                return self.dimensions(array)
        return None

    def is_integer(self, node: gast.expr) -> bool:
        """Whether an atom is an integer."""
        if isinstance(node, gast.Name):
            return isinstance(self.types.get(node.id), nb.Integer)
        return type(constant(node)) is int

    def _carried(self, array: str, axis: int) -> Form | None:
        """An extent of an array that is stored in several places, if all arrays that the name may hold agree.

        If a loop carries it: the extent before the loop, provided that an iteration preserves it, assuming that it
        holds before.
        """
        sources = self.sources(array)
        if sources is None:
            return None
        symbol = extent_symbol(array, axis)
        found = self._supposing(array, axis, Form.of(symbol), sources)
        before = [form for form in found if symbol not in form.symbols]
        if len(found) == len(before) == 1:
            return before[0]
        return next((form for form in before if not self._supposing(array, axis, form, sources)), None)

    def _supposing(self, array: str, axis: int, supposed: Form, sources: list[str]) -> list[Form]:
        """The extents of the arrays that a name may hold, other than the extent assumed for the name itself."""
        with self._trials.supposing((array, axis), supposed):
            found = dict.fromkeys(
                form for name in sources if not self._agrees(name, form := self.size(name, axis), supposed, array)
            )
        return list(found)

    def _agrees(self, name: str, form: Form, supposed: Form, array: str) -> bool:
        """Whether an extent is the one that is assumed for `array`, by itself or by a check before its array is made.

        Other names in such a check must have one value, or it could be of an earlier one.
        """
        made = self.flow.single(name)
        if form == supposed or made is None:
            return form == supposed
        symbols = form.symbols | supposed.symbols
        if any(len(self.flow.stores.get(each, ())) > 1 for each in map(name_of, symbols) if each != array):
            return False
        spot = self.flow.spot(made)
        return any(
            check.number < spot.number
            and check.way == spot.way[: len(check.way)]
            and {form, supposed} == {self.form(one), self.form(other)}
            for check, one, other in self._checks
        )

    def sources(self, array: str) -> list[str] | None:
        """The arrays that a name may hold, following copies; None if they are not known."""
        names, sources = [array], []
        for name in names:  # grows: names that are swapped hold each other's arrays
            value = self.flow.definition(name)
            if value is not None and not isinstance(value, gast.Name):
                sources.append(name)
                continue
            stores = self.flow.stores.get(name, [])
            if name in self.flow.parameters and stores:
                return None
            if not stores:
                sources.append(name)
            for statement in stores:
                if not isinstance(statement, gast.Assign) or not isinstance(statement.value, gast.Name):
                    return None
                if statement.value.id not in names:
                    names.append(statement.value.id)
        return sources

    def _reshaped(self, source: gast.expr, shape: gast.expr, axis: int, rank: int) -> Form | None:
        """An extent of a new shape: a number that cannot be -1, or a -1 next to ones, which is a vector's length."""
        extents = shape.elts if isinstance(shape, gast.Tuple) else [shape]
        if len(extents) == rank and constant(extents[axis]) == -1:
            rest = [constant(each) for place, each in enumerate(extents) if place != axis]
            is_vector = isinstance(source, gast.Name) and self.types.rank(source.id) == 1
            return self.size(source.id, 0) if is_vector and all(each == 1 for each in rest) else None
        found = self.shape_in(shape) or ()
        form = self._of_extent(found[axis]) if len(found) == rank else None
        known = form is not None and form.constant >= 0 and all(".shape[" in name and k > 0 for name, k in form.terms)
        return form if known else None

    def _elementwise(self, value: gast.expr, axis: int, rank: int) -> Form | None:
        """The extent given by operands of full rank, except those known to have the extent one."""
        rule = registry.find(primitive_of(value, self.unit.bindings))
        if rule is None or not rule.elementwise:
            return None
        positional, keywords = operands(value)
        return self._broadcast([*positional, *keywords.values()], axis, rank)

    def _gathered(self, base: str, parts: list[gast.expr], axis: int, rank: int) -> Form | None:
        """An extent of the elements at the places that integer arrays hold, one for each axis."""
        kinds = [self.types.get(part.id) for part in parts if isinstance(part, gast.Name)]
        are_integers = all(isinstance(getattr(kind, "dtype", kind), nb.Integer) for kind in kinds)
        are_places = all(isinstance(part, gast.Name) or type(constant(part)) is int for part in parts)
        is_one_each = are_integers and are_places and len(parts) == self.types.rank(base)
        return self._broadcast(parts, axis, rank) if is_one_each else None

    def _broadcast(self, nodes: list[gast.expr], axis: int, rank: int) -> Form | None:
        """The extent that operands are broadcast to."""
        found = set()
        for node in nodes:
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
        origin = self.dimension_of(size)
        least = size.constant if not size.terms else 0 if origin is None else self._least.get(origin, 0)
        if 0 <= low < high <= least:
            return Form.number(high - low)
        if low < 0 or high > 0 or (part.upper is not None and high == 0):
            return None
        length = size + (high - low)
        if high < low and (length.terms or length.constant < 0):
            self.shortened.add(length)
        return length


def _checks(unit: Unit, flow: Flow) -> Iterator[tuple[Spot, gast.expr, gast.expr]]:
    """Where two extents are checked to be equal."""
    for statement in walk_statements(unit.tree.body):
        match statement:
            case gast.Expr(value=gast.Call(func=function, args=[one, other])) if last_part(function) == "same_extent":
                yield flow.spot(statement), one, other


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
