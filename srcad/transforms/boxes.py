"""Boxes: which elements of an array a nest of loops visits, one after the other, each of them once.

    for i in range(n + 2):
        if i < n:
            for j in range(m):              the box 1 <= r < n + 1, 1 <= s < m + 1
                u[i + 1, j + 1] = 0.0

Loops and tests become limits, linear forms that are not negative, and boxes are compared by what these make impossible
(see `affine`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import gast

from srcad.transforms.accessed import is_counted
from srcad.transforms.affine import Form, infeasible
from srcad.transforms.build import Block, inner_blocks, mentions, walk
from srcad.transforms.primitive import constant
from srcad.transforms.reorder import ascending
from srcad.transforms.shapes import Shapes, natural_extents
from srcad.transforms.side_effects import stored_in
from srcad.transforms.sizes import index_parts


@dataclass(frozen=True)
class Side:
    """A dimension of a box: `low <= r < high`, and the range in terms of a loop's index, which is `shift` less."""

    low: Form
    high: Form
    range: tuple[gast.expr, gast.expr]
    shift: Form


Box = list[Side]


@dataclass
class Visit:
    """How a statement visits an array: by one subscript, in one block.

    loops   around the block, the outermost first
    limits  not negative where the block runs
    tests   that have come out true there
    users   the statements of the block that mention the array
    """

    loops: list[gast.For]
    limits: list[Form]
    tests: list[gast.expr]
    block: Block
    users: list[gast.stmt] = field(default_factory=list)
    index: tuple[Form, ...] = ()

    def axes(self) -> list[gast.For] | None:
        """The loop whose index is in each part of the subscript; None unless all loops are there, each of them once."""
        by_index = {each.target.id: each for each in self.loops}
        own = [form.symbols & set(by_index) for form in self.index]
        found = [by_index[name] for names in own for name in names]
        is_one = len(found) == len(own) == len(by_index) == len({each.target.id for each in found})
        units = all(form.coefficient(name) == 1 for form, names in zip(self.index, own, strict=True) for name in names)
        return found if is_one and units else None

    def symbols(self) -> frozenset[str]:
        """What the elements that are visited depend on."""
        forms = [*self.limits, *self.index]
        return frozenset[str]().union(*(form.symbols for form in forms)) - {each.target.id for each in self.loops}

    def points(self) -> list[Form]:
        """The limits in terms of the elements: the symbol of a dimension is its number."""
        axes = self.axes() or []
        shifts = {each.target.id: (k, form) for k, (each, form) in enumerate(zip(axes, self.index, strict=True))}
        return [self._of_points(limit, shifts) for limit in self.limits]

    @staticmethod
    def _of_points(limit: Form, shifts: dict[str, tuple[int, Form]]) -> Form:
        total = limit
        for name, (axis, form) in shifts.items():
            factor = limit.coefficient(name)  # the index is the element's place less the rest of the form
            total = total + (Form.of(f"#{axis}") - form).scaled(factor)
        return total

    def box(self, shapes: Shapes) -> Box | None:
        """The box of the elements; None where they are not seen to fill one."""
        axes, sides = self.axes(), list[Side]()
        for loop, place in zip(axes or [], self.index, strict=True):
            low, high = ascending(loop)
            for test in self.tests:
                match test:
                    case gast.Compare(left=gast.Name(id=name), ops=[gast.Lt()], comparators=[bound]):
                        high = bound if name == loop.target.id else high
            first, last, shift = shapes.form(low), shapes.form(high), place - Form.of(loop.target.id)
            if first is None or last is None:
                return None
            sides.append(Side(first + shift, last + shift, (low, high), shift))
        inside, points = limits_of(sides), self.points()
        known = [*shapes.facts, *natural_extents([*inside, *points])]
        return sides if sides and follow(points, inside, known) and follow(inside, points, known) else None

    def covers(self, box: Box, shapes: Shapes) -> bool:
        """Whether every element of a box is visited, and none that is counted from the end of the array."""
        points, inside = self.points(), limits_of(box)
        known = [*shapes.facts, *natural_extents([*inside, *points])]
        places = [Form.of(f"#{axis}") for axis in range(len(box))]
        return follow(places, points, known) and follow(points, inside, known)


def limits_of(box: Box) -> list[Form]:
    """What is not negative for the elements of a box."""
    places = [(Form.of(f"#{axis}"), side) for axis, side in enumerate(box)]
    return [limit for place, side in places for limit in (place - side.low, side.high - place - 1)]


def follow(limits: list[Form], given: list[Form], known: list[Form]) -> bool:
    """Whether all limits hold wherever the given ones do."""
    return all(infeasible([*known, *given, limit.scaled(-1) - 1]) for limit in limits)


def visits(statement: gast.stmt, array: str, shapes: Shapes) -> list[Visit]:
    """How a statement visits an array: in one way, or in two, the one of which comes before the other for each element.

    Nothing where that is not seen. `shapes` is known before the statement.
    """
    found: list[Visit] = []
    inside = shapes.copy()
    inside.forget(stored_in([statement]))
    is_plain = _find([statement], array, inside, Visit([], [], [], []), found)
    if not is_plain or any(each.axes() is None for each in found):
        return []
    return found if len(found) == 1 or (len(found) == 2 and _in_turn(*found)) else []


def _in_turn(one: Visit, two: Visit) -> bool:
    """Whether elements that both visit are visited in this order; that is the order of the blocks."""
    axes, others = one.axes() or [], two.axes() or []
    for outer, other in zip(one.loops, two.loops, strict=False):
        if outer is not other:
            break
        axis = next(k for k, each in enumerate(axes) if each is outer)
        later = one.index[axis] - two.index[axis]  # by how much the loop's index is greater at the second
        if others[axis] is not outer or later.terms:
            return False
        if later.constant:
            return bool((later.constant > 0) == (constant(Shapes.step(outer)) == 1))
    return True


def _find(block: Block, array: str, at: Shapes, around: Visit, found: list[Visit]) -> bool:
    """Add what a block has to the visits; False where some of it is not understood."""
    own = Visit(around.loops, around.limits, around.tests, block)
    for statement in block:
        if array not in mentions([statement]):
            _pass(statement, at)
            continue
        if not inner_blocks(statement):
            if not own.users:
                found.append(own)
            if not _adds(own, statement, array, at):
                return False
            at.learn(statement)
        elif not _enter(statement, array, at, own, found):
            return False
    return True


def _pass(statement: gast.stmt, at: Shapes) -> None:
    """Go past a statement."""
    if inner_blocks(statement):
        at.forget(stored_in([statement]))
    else:
        at.learn(statement)


def _adds(own: Visit, statement: gast.stmt, array: str, at: Shapes) -> bool:
    """Note a simple statement, if it mentions the array by the one subscript."""
    places = [each for each in walk(statement) if isinstance(each, gast.Subscript) and _is_of(each, array)]
    index = {tuple(map(at.form, index_parts(each))) for each in places}
    if len(places) != mentions([statement])[array] or len(index) != 1:
        return False
    (parts,) = index
    forms = tuple(form for form in parts if form is not None)
    if len(forms) != len(parts) or (own.users and forms != own.index):
        return False
    own.index = forms
    own.users.append(statement)
    return True


def _is_of(node: gast.Subscript, array: str) -> bool:
    return getattr(node.value, "id", None) == array


def _enter(statement: gast.stmt, array: str, at: Shapes, own: Visit, found: list[Visit]) -> bool:
    """Go into a loop or a branch."""
    at.forget(stored_in([statement]))
    if isinstance(statement, gast.If) and array not in mentions([gast.Expr(value=statement.test)]):
        for holds, inner in ((True, statement.body), (False, statement.orelse)):
            under = at.under(statement.test, holds)
            new = list(under.facts[len(at.facts) :])
            tests = [*own.tests, statement.test] if holds else own.tests
            if array in mentions(inner) and not (
                new and _find(inner, array, under, Visit(own.loops, [*own.limits, *new], tests, []), found)
            ):
                return False
        return True
    if not is_counted(statement) or array in mentions([gast.Expr(value=statement.iter)]):
        return False
    inside = at.inside(statement)
    new = list(inside.facts[len(at.facts) :])
    if constant(Shapes.step(statement)) not in (1, -1) or len(new) != 2:
        return False
    around = Visit([*own.loops, statement], [*own.limits, *new], own.tests, [])
    return _find(statement.body, array, inside, around, found)
