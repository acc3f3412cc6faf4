"""Loop nests over the elements of an array expression: the loops, and the statements that compute one element.

An operand that is a view is addressed as its base array: an element of the view is an element of the base.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

import gast
from numba import types as nb

from srcad.errors import Place
from srcad.runtime import kernels
from srcad.transforms.analysis.affine.dependence_test import Meeting
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.shape_equality import model
from srcad.transforms.analysis.affine.ssa_facts import ONE, sliced
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    attribute,
    binary,
    call,
    clone,
    const,
    dotted,
    dotted_path,
    load,
    loop,
    one_or_tuple,
    place_of,
    subscript,
    tuple_of,
)
from srcad.transforms.ir.primitive import constant
from srcad.transforms.optimise.gathers import conversion

if TYPE_CHECKING:
    from srcad.transforms.optimise.elementwise_statements import Elements

# One entry per dimension of the base: (dimension of the view, start, step), or an index that the view fixes.
Part: TypeAlias = tuple[int, gast.expr | None, int] | gast.expr


class Leaf:
    """How the elements of a view are addressed in its base array."""

    def __init__(self, base: str, parts: list[Part]) -> None:
        self.base, self.parts = base, parts
        self.extents: tuple[
            Form | None, ...
        ] = ()  # of the view, where they are known: along those of one it is broadcast

    def is_same(self, other: Leaf, meeting: Meeting, assumes: bool) -> bool:
        """Whether both address the same element at the same index; with `assumes`, extents may be equal that can be."""
        one, two = self.extents, other.extents
        return (
            self.base == other.base
            and len(self.parts) == len(other.parts)
            and ([each == ONE for each in one] == [each == ONE for each in two] if assumes else one == two)
            and all(_are_equal(meeting, one, two) for one, two in zip(self.parts, other.parts, strict=True))
        )

    def is_apart(self, other: Leaf, meeting: Meeting) -> bool:
        """Whether the two share no element, because they fix different indices: a[:, -1] and a[:, -2]."""
        return self.base == other.base and any(
            not isinstance(one, tuple) and not isinstance(two, tuple) and _differ(meeting, one, two)
            for one, two in zip(self.parts, other.parts, strict=True)
        )

    def element(self, nest: Nest, indices: list[str], units: list[bool]) -> gast.expr:
        """The element at the nest's indices; dimensions of length one have the index 0."""
        index: list[gast.expr] = []
        for part in self.parts:
            if not isinstance(part, tuple):
                index.append(clone(part))
                continue
            dimension, start, step = part
            at: gast.expr = const(0) if units[dimension] else load(indices[dimension])
            if step != 1:
                at = nest.inner(binary(at, gast.Mult, const(step)))
            if start is not None and constant(start) != 0:
                at = nest.inner(binary(at, gast.Add, clone(start)))
            index.append(at)
        return subscript(load(self.base), one_or_tuple(index))

    def cell(self, nest: Nest) -> gast.Subscript:
        """The element as the target of a store."""
        return self.element(nest, nest.indices, [False] * nest.rank)


def _are_equal(meeting: Meeting, one: Part, two: Part) -> bool:
    """Whether two parts of addresses are equal, given the values of all names at one time."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        (dimension, start, step), (other, begin, width) = one, two
        return dimension == other and step == width and _are_one(meeting, start or const(0), begin or const(0))
    return not isinstance(one, tuple) and not isinstance(two, tuple) and _are_one(meeting, one, two)


def _are_one(meeting: Meeting, one: gast.expr, two: gast.expr) -> bool:
    first, second = meeting.form(one), meeting.form(two)
    return gast.dump(one) == gast.dump(two) if first is None or second is None else first == second


def _differ(meeting: Meeting, one: gast.expr, two: gast.expr) -> bool:
    """Whether two indices never select the same element: they differ, and count from the same end."""
    first, second = meeting.form(one), meeting.form(two)
    if first is None or second is None or (first - second).terms or first == second:
        return False
    return all(map(meeting.is_nonnegative, (first, second))) or (
        not first.terms and not second.terms and max(first.constant, second.constant) < 0
    )


def leaf_of(program: Program, name: str, view: gast.Subscript | None = None) -> Leaf | None:
    """How an array's elements are addressed through its view; None where that is not a simple formula."""
    found = _leaf_of(program, name, view)
    if found is not None and view is None:
        found.extents = tuple(program.meeting.size(name, axis) for axis in range(program.types.rank(name) or 0))
    return found


def _leaf_of(program: Program, name: str, view: gast.Subscript | None) -> Leaf | None:
    value = view if view is not None else program.flow.definition(name)
    if view is None and (name not in program.aliases.views or not isinstance(value, gast.Subscript)):
        return Leaf(name, [(axis, None, 1) for axis in range(program.types.rank(name) or 0)])
    assert isinstance(value, gast.Subscript)
    base = str(value.value.id)
    rank = program.types.rank(base) or 0
    given = list(value.slice.elts) if isinstance(value.slice, gast.Tuple) else [value.slice]
    if any(map(program.types.is_opaque, given)):
        return None
    if [constant(part) for part in given] == [...]:
        given = []
    parts: list[Part] = []
    dimension = 0
    for part in given:
        if isinstance(part, gast.Constant) and part.value is None:
            dimension += 1
            continue
        if isinstance(part, gast.Slice):
            simple = _start(program, part)
            if simple is None:
                return None
            parts.append((dimension, simple[0], simple[1]))
            dimension += 1
        elif isinstance(part, gast.Constant) and part.value is ...:
            return None
        else:
            parts.append(part)
    while len(parts) < rank:
        parts.append((dimension, None, 1))
        dimension += 1
    if program.types.rank(base) != len(parts):
        return None
    return _through(program, Leaf(base, parts))


def _through(program: Program, leaf: Leaf) -> Leaf:
    """A view of a view as a view of the base."""
    outer = _leaf_of(program, leaf.base, None)
    if outer is None or outer.base == leaf.base:
        return leaf
    parts: list[Part] = []
    for part in outer.parts:
        if not isinstance(part, tuple):
            parts.append(part)
            continue
        inner = leaf.parts[part[0]]
        if part[1] is None and part[2] == 1:
            parts.append(inner)
        elif isinstance(inner, tuple) and inner[1] is None and inner[2] == 1:
            parts.append((inner[0], part[1], part[2]))
        else:
            return leaf
    return Leaf(outer.base, parts)


def _start(program: Program, part: gast.Slice) -> tuple[gast.expr | None, int] | None:
    """Where a slice starts, counted from the front, and its step; None where that is not known."""
    step = 1 if part.step is None else constant(part.step)
    if not isinstance(step, int) or step < 1:
        return None
    if part.lower is None:
        return None, step
    value = constant(part.lower)
    if isinstance(value, int):
        return (part.lower, step) if value >= 0 else None
    form = program.meeting.form(part.lower)
    if form is not None and program.meeting.is_nonnegative(form):
        return part.lower, step
    return None


__all__ = ["Leaf", "leaf_of"]

INDICES = (*"ijklm", *(f"i{axis}" for axis in range(5, 64)))  # NumPy has arrays of 64 axes


class Nest:
    """The loop nest around the statements for one element."""

    def __init__(self, elements: Elements, rank: int, place: Place | None, statement: gast.stmt) -> None:
        self.elements, self.program, self.place = elements, elements.program, place
        self.rank = rank
        self.indices = [elements.names.fresh(INDICES[axis]) for axis in range(rank)]
        self.before: Block = []
        self.body: Block = []
        self.totals: dict[str, str] = {}
        self.forms: list[Form | None] = [None] * rank
        self.same: list[set[Form | None]] = [{ONE} for _ in range(rank)]  # known extents, as linear forms
        self.extents: list[gast.expr] = []
        self._done: dict[str, gast.expr] = {}
        self._known: dict[str, str] = {}

    def index(self) -> gast.expr:
        """The subscript of an element of the result."""
        parts = [load(name) for name in self.indices]
        return parts[0] if self.rank == 1 else tuple_of(*parts)

    def limits(self, extents: list[gast.expr]) -> None:
        """Set the extents of the nest."""
        self.extents = extents

    def extents_of(self, node: gast.expr) -> list[gast.expr]:
        """Atoms for the extents of an expression's shape, computed before the loops."""
        leaves = list(dict.fromkeys(self.elements.leaves(node)))
        extents: list[gast.expr] = []
        for axis in range(self.rank):
            candidates: dict[Form, tuple[str, int]] = {}
            for name in leaves:
                own = axis - (self.rank - (self.program.types.rank(name) or 0))
                if own >= 0:
                    candidates.setdefault(self.program.meeting.size(name, own), (name, own))
            wide = {form: pair for form, pair in candidates.items() if form != ONE} or candidates
            first = min(wide, key=self.depth)  # known outside of as many loops as possible
            extent = self.shape_of(*wide.pop(first))
            self.forms[axis] = None if wide and not self.elements.assumes else first
            self.same[axis].add(self.forms[axis])
            for form, pair in wide.items():
                if self.elements.assumes:
                    self.check(axis, extent, form, pair)
                else:
                    extent = self.name(call(self.kernel("common_extent"), extent, self.shape_of(*pair)))
            extents.append(extent)
        self.extents = extents
        return extents

    def depth(self, form: Form) -> int:
        """The number of loops around the definitions that a form depends on."""
        flow = self.program.flow
        stores = [flow.stores.get(symbol.partition(".shape[")[0], []) for symbol, _ in form.terms]
        return max((len(flow.spot(statement).loops) for found in stores for statement in found[:1]), default=0)

    def check_shape(self, name: str) -> None:
        """Emit a check that an operand can be broadcast to the nest, which a derivative may not need to compute."""
        message = "operands could not be broadcast together"
        if self.place is not None:
            message += f" ({PurePath(self.place.file).name}:{self.place.line})"
        shape = self.name(attribute(load(name), "shape"))
        test = call(self.kernel("check_fits"), shape, tuple_of(*map(clone, self.extents)), const(message))
        if gast.dump(test) not in self._known:
            self._known[gast.dump(test)] = ""
            self.before.append(at(gast.Expr(value=test), self.place))

    def check(self, axis: int, extent: gast.expr, form: Form, pair: tuple[str, int]) -> None:
        """Emit a check that the extent of an operand is that of the nest; it raises `Widens` at run time if not."""
        test = call(self.kernel("same_extent"), clone(extent), self.sliced_shape_of(*pair))
        if gast.dump(test) not in self._known:
            self._known[gast.dump(test)] = ""
            self.before.append(at(gast.Expr(value=test), self.place))
        self.same[axis].add(form)

    def target(self, target: gast.Subscript) -> tuple[Leaf, list[gast.expr]]:
        """The view that a store writes to, and its extents."""
        leaf = leaf_of(self.program, target.value.id, target)
        view = self.elements.names.temporary()
        known: Any = self.program.types.of
        base = known[target.value.id]
        known[view] = nb.Array(base.dtype, self.rank, "A")
        read = clone(target)
        read.ctx = gast.Load()
        if leaf is not None:  # only its shape is used
            read.value = load(model(self.program.meeting, target.value.id))
        view_statement = assign(view, read, self.place)
        flow = self.program.flow
        flow.stores[view] = [view_statement]
        flow.spots[id(view_statement)] = flow.spots.get(id(target), next(iter(flow.spots.values())))
        self.forms = [self.program.meeting.size(view, axis) for axis in range(self.rank)]
        if [constant(part) for part in index_parts(target)] == [...]:
            view = target.value.id
            self.forms = [self.program.meeting.size(view, axis) for axis in range(self.rank)]
        else:
            self.before.append(view_statement)
        extents = [self.shape_of(view, axis) for axis in range(self.rank)]
        for known, form in zip(self.same, self.forms, strict=True):
            known.add(form)
        leaf = leaf if leaf is not None else Leaf(view, [(axis, None, 1) for axis in range(self.rank)])
        leaf.extents = tuple(self.forms)
        return leaf, extents

    def shape_of(self, name: str, axis: int) -> gast.expr:
        """An atom for `name.shape[axis]`, through the array or number that the extent is known to come from."""
        form = self.program.meeting.size(name, axis)
        if not form.terms:
            return const(form.constant)
        if form.constant == 0 and len(form.terms) == 1 and form.terms[0][1] == 1:
            symbol = form.terms[0][0]
            if ".shape[" not in symbol:
                return load(symbol)
            origin, _, rest = symbol.partition(".shape[")
            if origin not in self.elements.inlined:  # an inlined array does not exist
                name, axis = origin, int(rest.rstrip("]"))
        shape = self.name(attribute(load(name), "shape"))
        return self.name(subscript(shape, const(axis)))

    def sliced_shape_of(self, name: str, axis: int) -> gast.expr:
        """The extent of a slice, without making the slice; not used for loop bounds, where `shape_of` tells more."""
        view: Any = self.program.flow.definition(name) if name in self.program.aliases.views else None
        if isinstance(view, gast.Subscript) and (cut := sliced(view, axis)) is not None:
            extent = self.sliced_shape_of(view.value.id, cut[0])
            bounds = (cut[1].lower or const(0), cut[1].upper or extent)
            return self.name(call(self.kernel("slice_extent"), extent, *map(clone, bounds)))
        return self.shape_of(name, axis)

    def name(self, value: gast.expr) -> gast.expr:
        """A name for a value computed before the loops; equal values are computed once."""
        key = gast.dump(value)
        if key not in self._known:
            self._known[key] = self.elements.names.temporary()
            self.before.append(assign(self._known[key], value, self.place))
        return load(self._known[key])

    def inner(self, value: gast.expr) -> gast.expr:
        """A name for a value computed in the innermost loop; equal values are computed once."""
        key = gast.dump(value)
        if key not in self._done:
            name = self.elements.names.temporary()
            self.body.append(assign(name, value, self.place))
            self._done[key] = load(name)
        return clone(self._done[key])

    def reads_again(self) -> None:
        """Forget the elements of arrays that were read: a store may have changed them."""
        self._done = {key: value for key, value in self._done.items() if not key.startswith("Subscript(")}

    def kernel(self, function: str) -> str:
        """The dotted name of a kernel in generated code."""
        bindings = self.elements.bindings
        bindings.setdefault("kernels", kernels)
        alias = next(name for name, value in bindings.items() if value is kernels)
        return f"{alias}.{function}"

    def atom(self, node: gast.expr) -> gast.expr:
        """One element of an operand."""
        if not isinstance(node, gast.Name) or not self.program.types.is_array(node.id):
            return clone(node)
        # Looked up by name: what is used twice by what is used twice would be spelled out again and again.
        key = f"element {node.id}"
        if node.id in self.elements.inlined and key not in self._done:
            self._done[key] = self.inner(self.element(self.elements.defined[node.id].value))
            self.body += [self._check_of_element(each, self._done[key]) for each in self.checks_of(node.id)]
        if key in self._done:
            return clone(self._done[key])
        return self.inner(self.leaf(node.id))

    def checks_of(self, name: str) -> list[Any]:
        """The checks that all elements of an inlined array of indices are in range."""
        return self.elements.checks.get(name, [])

    def _check_of_element(self, check: Any, element: gast.expr) -> gast.stmt:
        """The check of one element in place of a check of all of them."""
        _, extent, message = check.value.args
        found: gast.stmt = at(
            gast.Expr(value=call(self.kernel("check_index"), clone(element), clone(extent), message)), place_of(check)
        )
        return found

    def element(self, value: gast.expr) -> gast.expr:
        """One element of an operation, as an expression of atoms."""
        made = clone(value)
        match made, value:
            case gast.BinOp(op=gast.Div()), gast.BinOp():
                return call("np.divide", self.atom(value.left), self.atom(value.right))
            case gast.BinOp(), gast.BinOp():
                made.left, made.right = self.atom(value.left), self.atom(value.right)
            case gast.UnaryOp(), gast.UnaryOp():
                made.operand = self.atom(value.operand)
            case gast.Compare(), gast.Compare():
                made.left = self.atom(value.left)
                made.comparators = [self.atom(value.comparators[0])]
            case gast.Subscript(), gast.Subscript():
                return subscript(load(value.value.id), one_or_tuple([self.atom(part) for part in index_parts(value)]))
            case gast.Call(), gast.Call():
                converted = conversion(self.program, value)
                if converted is not None:
                    path = self.kernel(converted.removeprefix("kernels.")) if "." in converted else converted
                    return call(path, self.atom(value.args[0]))
                if dotted_path(value.func) == "np.where":
                    made.func = dotted(self.kernel("select"))
                made.args = [self.atom(argument) for argument in value.args]
        return made

    def leaf(self, name: str) -> gast.expr:
        """One element of an array, which is broadcast first where its shape may differ from that of the nest."""
        program = self.program
        own = program.types.rank(name) or 0
        forms = [program.meeting.size(name, axis) for axis in range(own)]
        first = self.rank - own
        if self.elements.assumes:
            for axis, form in enumerate(forms, first):
                if form not in self.same[axis]:
                    self.check(axis, self.extents[axis], form, (name, axis - first))
        if all(form in self.same[axis] for axis, form in enumerate(forms, first)):
            found = leaf_of(program, name) or Leaf(name, [(axis, None, 1) for axis in range(own)])
            units = [form == ONE and self.forms[axis] != ONE for axis, form in enumerate(forms, first)]
            return found.element(self, self.indices[first:], units)
        self.check_shape(name)
        extents = self.extents[first:]
        shape = tuple_of(*(clone(extent) for extent in extents))
        key = f"expand {name}"
        if key not in self._done:
            self._done[key] = self.name(call(self.kernel("expand"), load(name), shape))
        index = [load(each) for each in self.indices[first:]]
        return subscript(clone(self._done[key]), index[0] if own == 1 else tuple_of(*index))

    def loops(self, extents: list[gast.expr]) -> gast.stmt:
        """The loops of the nest, around its body."""
        block: Block = self.body
        for name, extent in zip(reversed(self.indices), reversed(extents), strict=True):
            block = [loop(name, [const(0), clone(extent), const(1)], block, self.place)]
        return block[0]

    def accumulating_loops(self, extents: list[gast.expr], starts: dict[str, gast.expr]) -> Block:
        """The loops of the nest around accumulators, with what they start from; `totals` has their names after it.

        Each loop carries accumulators of its own, as SSA form requires.
        """
        names, block, inner = self.elements.names, self.body, {each: each for each in starts}
        place = self.place
        begin: Block = [assign(each, clone(start), place) for each, start in starts.items()]
        for depth, (index, extent) in enumerate(zip(reversed(self.indices), reversed(extents), strict=True)):
            nest = loop(index, [const(0), clone(extent), const(1)], block, place)
            after = {each: names.fresh(f"{each}_end") for each in starts}
            ends = [assign(after[each], load(inner[each]), place) for each in starts]
            if depth == len(extents) - 1:
                self.totals = after
                return [*begin, nest, *ends]
            outer = {each: names.fresh(each) for each in starts}
            block = [
                *(assign(inner[each], load(outer[each]), place) for each in starts),
                nest,
                *ends,
                *(assign(outer[each], load(after[each]), place) for each in starts),
            ]
            begin = [assign(outer[each], clone(start), place) for each, start in starts.items()]
            inner = outer
        return begin
