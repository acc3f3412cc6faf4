"""Masked nests: the loop nest that masked statements become (see `masked_statements`)."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import gast

from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    augment,
    binary,
    branch,
    call,
    clone,
    const,
    dotted_path,
    load,
    place_of,
    stores_into,
    subscript,
    tuple_of,
    written,
)
from srcad.transforms.ir.node_notes import note
from srcad.transforms.optimise.loop_nests import Leaf, Nest, leaf_of

if TYPE_CHECKING:
    from srcad.transforms.optimise.elementwise_statements import Elements
    from srcad.transforms.optimise.masked_statements import Masked


def masked_nest(elements: Elements, region: Masked) -> Block:
    """The statements of a region as one nest, with a branch that asks the mask."""
    return _MaskedNest(elements, region).written()


def member_measured(value: gast.expr) -> tuple[str, bool] | None:
    """The array whose length an expression asks for, and whether as a shape; None for others."""
    match value:
        case gast.Attribute(value=gast.Name(id=name), attr="size" | "shape" as attribute):
            return str(name), attribute == "shape"
        case gast.Call(func=function, args=[gast.Name(id=name)], keywords=[]):
            path = dotted_path(function)
            return (str(name), path == "np.shape") if path in ("len", "np.size", "np.shape") else None
    return None


class _MaskedNest(Nest):
    def __init__(self, elements: Elements, region: Masked) -> None:
        super().__init__(elements, region.rank, place_of(region.statements[0]), region.last)
        self.region = region
        self.starts: dict[str, gast.expr] = {}  # accumulators, with what they start from
        self.terms: dict[str, gast.expr] = {}  # accumulators, with what a selected element adds
        self.count = ""  # the accumulator of the number of elements
        self.results: list[tuple[Any, str]] = []  # sums and means, with their accumulators

    def written(self) -> Block:
        """The nest, and the results of sums after it."""
        self.measure()
        test = self.selected()
        before, self.body = self.body, []
        for statement in (*self.region.again, *self.region.statements):
            self.add(statement)
        # What is not selected adds 0: a sum in a branch would be carried by the branch in the reverse sweep as well.
        terms = {each: self.elements.names.temporary() for each in self.terms}
        taken = [*self.body, *(assign(terms[each], term, self.place) for each, term in self.terms.items())]
        passed = [assign(terms[each], clone(self.starts[each]), self.place) for each in self.terms]
        self.body = [*before, note(branch(test, taken, passed, self.place), asks_mask=True)]
        for each, term in terms.items():
            following = self.elements.names.fresh(each)
            self.body.append(assign(following, binary(load(each), gast.Add, load(term)), self.place))
            self.body.append(assign(each, load(following), self.place))
        if not self.starts:
            return [*self.before, self.loops(self.extents)]
        loops = self.accumulating_loops(self.extents, self.starts)
        results = (each for statement, name in self.results for each in self.result(statement, name))
        return [*self.before, *loops, *results]

    def measure(self) -> None:
        """Set the extents, which are those of the mask, and check that arrays have them."""
        mask, types = self.region.mask, self.program.types
        rank = types.rank(mask) or 0
        arrays = dict.fromkeys([*self.region.loads(), *self.region.targets()])
        if rank == self.rank:
            self.extents_of(load(mask))
        else:
            whole = next(iter(arrays))
            self.extents = [self.shape_of(mask if axis < rank else whole, axis) for axis in range(self.rank)]
            self.forms = [self.program.meeting.size(mask if a < rank else whole, a) for a in range(self.rank)]
            for known, form in zip(self.same, self.forms, strict=True):
                known.add(form)
        for name in arrays:
            for axis in range(self.rank) if name not in self.elements.inlined else ():
                self.measure_axis(name, axis, axis < rank)

    def measure_axis(self, name: str, axis: int, is_masked: bool) -> None:
        """Check that an array has the extent of the nest: NumPy raises IndexError for a mask that has another."""
        form = self.program.meeting.size(name, axis)
        if form in self.same[axis] and form == self.forms[axis]:
            return
        if self.elements.assumes or not is_masked:
            self.check(axis, self.extents[axis], form, (name, axis))
            return
        message = "index is out of range: the mask has another shape than the array"
        if self.place is not None:
            message += f" ({PurePath(self.place.file).name}:{self.place.line})"
        own, extent = self.shape_of(name, axis), self.extents[axis]
        for one, other in ((own, extent), (extent, own)):
            room = self.name(binary(clone(one), gast.Sub, clone(other)))
            self.before.append(at(gast.Expr(value=call(self.kernel("check_room"), room, const(message))), self.place))
        self.same[axis].add(form)

    def selected(self) -> gast.expr:
        """The name of the element of the mask."""
        mask = self.region.mask
        rank = self.program.types.rank(mask) or 0
        if rank == self.rank:
            return self.atom(load(mask))
        found = leaf_of(self.program, mask) or _whole(mask, rank)
        return self.inner(found.element(self, self.indices[:rank], [False] * rank))

    def add(self, statement: Any) -> None:
        """Write one statement for one element."""
        target, name = stores_into(statement), written(statement)
        if target is not None:
            self.store(statement, target)
        elif member_measured(statement.value) is not None:
            self.results.append((statement, self.counted()))
        elif isinstance(statement.value, gast.Subscript):
            self.keep(str(name), self.cell_or_inlined(statement.value.value.id))
        elif name in self.region.members:
            self.keep(str(name), self.inner(self.element(statement.value)))
        else:
            self.accumulate(statement)

    def keep(self, member: str, value: gast.expr) -> None:
        """Remember the name of an element of a member."""
        self._done[f"element {member}"] = value

    def cell_or_inlined(self, array: str) -> gast.expr:
        """An element of an array that the mask selects from."""
        if array in self.elements.inlined:
            return self.atom(load(array))
        return self.inner(self.cell(array))

    def cell(self, array: str) -> gast.expr:
        found = leaf_of(self.program, array) or _whole(array, self.rank)
        return found.element(self, self.indices, [False] * self.rank)

    def store(self, statement: Any, target: gast.Subscript) -> None:
        """Store an element; elements that were read before are read again."""
        place = place_of(statement)
        value = self.atom(statement.value)
        cell = self.cell(target.value.id)
        cell.ctx = gast.Store()
        if isinstance(statement, gast.AugAssign):
            self.body.append(augment(cell, type(statement.op), value, place))
        else:
            self.body.append(assign(cell, value, place))
        self.reads_again()

    def accumulate(self, statement: Any) -> None:
        """Add an element to a sum, and count it for a mean."""
        names = self.elements.names
        name, source = str(written(statement)), statement.value.args[0]
        total = names.fresh(f"{name}_sum")
        self.starts[total], self.terms[total] = const(0.0), self.atom(source)
        self.results.append((statement, total))
        if dotted_path(statement.value.func) == "np.mean":
            self.counted()

    def counted(self) -> str:
        """The accumulator of the number of elements that the mask selects."""
        if not self.count:
            self.count = self.elements.names.fresh(f"{self.region.mask}_count")
            self.starts[self.count], self.terms[self.count] = const(0), const(1)
        return self.count

    def result(self, statement: Any, total: str) -> Block:
        """The statements that define a sum, a mean or a length."""
        name, place = str(written(statement)), place_of(statement)
        value: gast.expr = load(self.totals[total])
        measured = member_measured(statement.value)
        if measured is not None:
            return [assign(name, tuple_of(value) if measured[1] else value, place)]
        if dotted_path(statement.value.func) == "np.mean":
            value = call("np.divide", value, load(self.totals[self.count]))
        if not self.program.types.is_array(name):
            return [assign(name, value, place)]
        number = self.elements.names.fresh(f"{name}_number")
        cell = subscript(load(name), const(0), store=True)
        return [
            assign(number, value, place),
            assign(name, call("np.empty", const(1)), place),
            assign(cell, load(number), place),
        ]


def _whole(array: str, rank: int) -> Leaf:
    return Leaf(array, [(axis, None, 1) for axis in range(rank)])
