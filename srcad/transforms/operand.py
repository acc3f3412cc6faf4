"""An array operand inside a loop nest: an element of a view as an element of the array that it views."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import gast

from srcad.transforms.build import binary, clone, const, load, one_or_tuple, subscript
from srcad.transforms.meet import Meeting
from srcad.transforms.primitive import constant
from srcad.transforms.program import Program

if TYPE_CHECKING:
    from srcad.transforms.nest import Nest

# One entry per dimension of the base: (dimension of the view, start, step), or an index that the view fixes.
Part: TypeAlias = tuple[int, gast.expr | None, int] | gast.expr


class Leaf:
    """How the elements of a view are addressed in its base."""

    def __init__(self, base: str, parts: list[Part]) -> None:
        self.base, self.parts = base, parts

    def is_same(self, other: Leaf, meeting: Meeting) -> bool:
        """Whether both address the same element at the same index."""
        return (
            self.base == other.base
            and len(self.parts) == len(other.parts)
            and all(_are_equal(meeting, one, two) for one, two in zip(self.parts, other.parts, strict=True))
        )

    def is_apart(self, other: Leaf, meeting: Meeting) -> bool:
        """Whether no element is one of the other's, seen from an index that both fix: a[:, -1] and a[:, -2]."""
        return self.base == other.base and any(
            not isinstance(one, tuple) and not isinstance(two, tuple) and _differ(meeting, one, two)
            for one, two in zip(self.parts, other.parts, strict=True)
        )

    def element(self, nest: Nest, indices: list[str], units: list[bool]) -> gast.expr:
        """The element at the nest's indices; dimensions of length one are addressed by 0."""
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
        """The element as something to store into."""
        return self.element(nest, nest.indices, [False] * nest.rank)


def _are_equal(meeting: Meeting, one: Part, two: Part) -> bool:
    """Whether two parts of addresses are the same, by the numbers that they have at one time."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        (dimension, start, step), (other, begin, width) = one, two
        return dimension == other and step == width and _are_one(meeting, start or const(0), begin or const(0))
    return not isinstance(one, tuple) and not isinstance(two, tuple) and _are_one(meeting, one, two)


def _are_one(meeting: Meeting, one: gast.expr, two: gast.expr) -> bool:
    first, second = meeting.form(one), meeting.form(two)
    return gast.dump(one) == gast.dump(two) if first is None or second is None else first == second


def _differ(meeting: Meeting, one: gast.expr, two: gast.expr) -> bool:
    """Whether two indices are never those of one element: they differ, and both count from the same end."""
    first, second = meeting.form(one), meeting.form(two)
    if first is None or second is None or (first - second).terms or first == second:
        return False
    return all(map(meeting.is_natural, (first, second))) or (
        not first.terms and not second.terms and max(first.constant, second.constant) < 0
    )


def leaf_of(program: Program, name: str, view: gast.Subscript | None = None) -> Leaf | None:
    """The address of an array's elements through its view, or None where that is not simple."""
    value = view if view is not None else program.flow.definition(name)
    if view is None and (name not in program.roots.views or not isinstance(value, gast.Subscript)):
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
    outer = leaf_of(program, leaf.base)
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
    if form is not None and program.meeting.is_natural(form):
        return part.lower, step
    return None


__all__ = ["Leaf", "leaf_of"]
