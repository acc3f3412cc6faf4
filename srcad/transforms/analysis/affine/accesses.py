"""Array accesses: what statements read, store, and add to, by which subscripts, and whether on every path.

    for j in range(n):
        t = v[j]                read   v    (j, j)
        if t > 0.0:
            w[j + 1] += t       add    w    (j + 1, j + 1)      not on every path

This is the access relation of code in which names may be stored several times. What an array may share memory with is
not decided here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import gast

from srcad.transforms.analysis.affine.index_ranges import Range, Ranges, distances, overlap, swept
from srcad.transforms.analysis.affine.integer_facts import Bounds, index_parts, is_counted, step_of
from srcad.transforms.analysis.affine.linear_forms import Form, infeasible, is_nonnegative
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.ir.build import Block, inner_blocks, names_in, walk, walk_statements
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, changed_memory, stored_in

_LEAVING = (gast.Raise, gast.Assert, gast.Return)


@dataclass(frozen=True)
class Access:
    """An access by a statement.

    kind        "read", "store" or "add"
    name        of the array, or of a scalar
    forms       of the subscript's parts, whatever their sign; None unless it selects one element
    ends        the first and last index in each dimension, whatever their sign; None where unknown
    wide        the same over all iterations of the loops that are inside of the block in question
    known       the forms that are not negative there
    """

    kind: str
    name: str
    forms: tuple[Form, ...] | None
    ends: Ranges = ()
    wide: Ranges = ()
    known: tuple[Form, ...] = field(default=(), compare=False)
    node: gast.Subscript | None = field(default=None, compare=False)

    @cached_property
    def ranges(self) -> Ranges:
        """The range of indices in each dimension; None where an index may count from the end."""
        return tuple(map(self._counted, self.ends))

    @cached_property
    def region(self) -> Ranges:
        """The same over all iterations of inner loops."""
        return tuple(map(self._counted, self.wide))

    def repeated(self, loop: gast.For, bounds: Bounds) -> Access:
        """The access by all iterations of a loop around it."""
        wide = tuple(swept(each, loop.target.id, bounds) for each in self.wide)
        return self if wide == self.wide else replace(self, wide=wide)

    def _counted(self, part: Range) -> Range:
        if part is None:
            return None
        is_point = part[0] == part[1]
        low, high = part if is_point else (part[0], part[1] + 1)  # a slice's stop may be zero
        is_known = is_nonnegative(low, self.known) and (is_point or is_nonnegative(high, self.known))
        return part if is_known else None


@dataclass(frozen=True)
class Reached:
    """An access in a block.

    always      whether every path through the block reaches the access
    position    of the statement of the block that contains it
    """

    access: Access
    always: bool
    position: int


def accessed(block: Block, at: Facts) -> Iterator[Reached]:
    """All accesses in a block, in order, except those of scalars. Updates the facts `at` to the end of the block."""
    always = True
    for position, statement in enumerate(block):
        for access, alone in _of(statement, at):
            if access.forms is not None or at.ranks.get(access.name) != 0:
                yield Reached(access, always and alone, position)
        always = always and not any(isinstance(each, _LEAVING) for each in walk_statements([statement]))
        always = always and (isinstance(statement, (gast.Assign, gast.AugAssign)) or bool(inner_blocks(statement)))


def _of(statement: gast.stmt, at: Facts) -> Iterator[tuple[Access, bool]]:
    match statement:
        case gast.Assign() | gast.AugAssign() if not notes_of(statement).effect:
            yield from ((each, True) for each in accesses(statement, at))
            at.learn(statement)
        case gast.For() if is_counted(statement):
            for bound in statement.iter.args:
                yield from ((each, True) for each in reads_in(bound, at))
            at.forget(stored_in([statement]))
            bounds = at.bounds(statement)
            for access, _ in _inside(statement.body, at.enter(statement)):
                yield access.repeated(statement, bounds), False
        case gast.If(test=test) | gast.While(test=test):
            if isinstance(statement, gast.While):
                at.forget(stored_in([statement]))
            yield from ((each, True) for each in reads_in(test, at))
            for arm, inner in enumerate(inner_blocks(statement)):
                yield from _inside(inner, at.under(test, arm == 0))
            at.forget(stored_in([statement]))
        case gast.Pass() | gast.Break():
            pass
        case _:
            yield from ((each, False) for each in _unknown(statement, at))
            at.forget(stored_in([statement]))


def _unknown(statement: gast.stmt, at: Facts) -> Iterator[Access]:
    """The accesses of any other statement, a call for example, which may store all that it can reach."""
    changed = frozenset(changed_memory(statement))
    for name in all_written(statement):
        yield Access("store", name, None)
    for each in reads_in(statement, at):
        yield each
        if each.name in changed:
            yield replace(each, kind="store")


def _inside(block: Block, at: Facts) -> Iterator[tuple[Access, bool]]:
    for statement in block:
        for access, _ in _of(statement, at):
            yield access, False


def accesses(statement: gast.stmt, at: Facts) -> Iterator[Access]:
    """The accesses of a simple statement: what it stores first, then what it reads."""
    match statement:
        case gast.AugAssign(target=gast.Name(id=name)):
            yield Access("store", name, None)
        case gast.AugAssign(target=gast.Subscript() as target, op=op):
            yield access_of("add" if isinstance(op, (gast.Add, gast.Sub)) else "store", target, at)
        case gast.Assign(targets=[gast.Subscript() as target]):
            yield access_of("store", target, at)
    yield from reads_in(statement.value, at)


def reads_in(code: gast.AST, at: Facts) -> Iterator[Access]:
    """What an expression, or a statement, reads."""
    bases = set()
    for node in walk(code):
        if isinstance(node, gast.Subscript):
            bases.add(id(node.value))
            yield access_of("read", node, at)
        elif isinstance(node, gast.Name) and id(node) not in bases:
            yield Access("read", node.id, None)


def access_of(kind: str, node: gast.Subscript, at: Facts) -> Access:
    """The access by one subscript."""
    if not isinstance(node.value, gast.Name):
        return Access(kind, next(iter(names_in(node.value)), ""), None)
    name, parts = node.value.id, index_parts(node)
    ends = tuple(_ends(parts, at))
    points = [each[0] for each in ends if each is not None and each[0] == each[1]]
    is_element = len(points) == len(parts) == at.ranks.get(name) and not any(map(_is_slice, parts))
    return Access(kind, name, tuple(points) if is_element else None, ends, ends, at.known, node)


def _is_slice(part: gast.expr) -> bool:
    return isinstance(part, gast.Slice)


def _ends(parts: list[gast.expr], at: Facts) -> Iterator[Range]:
    """The first and last index in the leading dimensions, as far as each part belongs to a known dimension."""
    for part in parts:
        if isinstance(part, gast.Constant) and part.value is None:
            continue  # a new axis
        if isinstance(part, gast.Slice):
            yield _ends_of_slice(part, at)
            continue
        form = at.form(part)
        if form is not None and all(map(at.is_number, form.symbols)):
            yield form, form
        elif _is_number(part, at):
            yield None
        else:
            return  # an ellipsis or an array, which may belong to any number of dimensions


def _ends_of_slice(part: gast.Slice, at: Facts) -> Range:
    step = 1 if part.step is None else constant(part.step)
    low = Form() if part.lower is None else at.form(part.lower)
    high = at.form(part.upper)
    if type(step) is not int or step < 1 or low is None or high is None:
        return None
    return low, high - 1


def _is_number(part: gast.expr, at: Facts) -> bool:
    """Whether a part of an index is known to be a number."""
    inside = [each for each in walk(part) if isinstance(each, gast.expr)]
    return all(
        at.is_number(each.id)
        if isinstance(each, gast.Name)
        else isinstance(each, (gast.BinOp, gast.UnaryOp)) or type(constant(each)) is int
        for each in inside
    )


def never_meet(one: Access, other: Access, index: str) -> bool:
    """Whether two accesses in a loop with this index are to different elements, in whichever iterations they run."""
    again = {index: f"{index}'"}
    known = [*one.known, *(form.renamed(again) for form in other.known)]
    return infeasible([*known, *overlap(one.ranges, other.ranges, {}, again)])


def distance(loop: gast.For, subscripts: Collection[gast.Subscript], at: Facts) -> int | None:
    """The dependence distance: how many iterations apart two of the subscripts may be the same element, at most.

    `at` has the facts before the loop. None where nothing is known.
    """
    wanted, stored = {id(each) for each in subscripts}, stored_in(loop.body)
    inside = at.enter(loop)
    inside.restrict(stored)
    found = [each.access for each in accessed(loop.body, inside) if id(each.access.node) in wanted]
    if not found or len(found) < len(wanted) or loop.target.id in stored:
        return None
    pairs = ((one.region, other.region) for one in found for other in found)
    ends = [apart for pair in pairs if (apart := distances(*pair, loop.target.id, step_of(loop))) is not None]
    most = max((end for pair in ends for end in pair), default=0)
    return None if most == float("inf") else int(most)
