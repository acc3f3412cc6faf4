"""Views that a loop carries from one iteration to the next, found again by the index of the iteration before.

    x = first                                   x = first
    for l in range(n):                          for l in range(n):
        y[l] = g(x)             needs no            y[l] = g(x)
        x = state[2 * l]        list of x           x = state[2 * l]
                                                for l in range(n - 1, -1, -1):
                                                    x = state[2 * (l - 1)] if l > 0 else first

What a view looks at is found by names that the loop leaves alone and by its index, whatever the memory holds. The same
goes for the view that is there behind the loop.
"""

from __future__ import annotations

import gast
from numba import types as nb

from srcad.transforms.analysis.loop_phis import carried_by_loop
from srcad.transforms.analysis.points_to import is_basic
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import binary, clone, const, load, walk
from srcad.transforms.ir.pass_names import INDUCTION_VARIABLES

_WHOLE = (gast.Add, gast.Sub, gast.Mult)


def previous_view(program: Program, name: str) -> gast.expr | None:
    """What an array that a loop carries is at the start of an iteration; None where that cannot be told."""
    loop = program.carrier(name)
    if not isinstance(loop, gast.For) or not program.types.is_array(name):
        return None
    index = load(loop.target.id)
    return _at(program, name, loop, binary(clone(index), gast.Sub, const(1)), index)


def last_view(program: Program, name: str, behind: gast.stmt) -> gast.expr | None:
    """What an array that a loop carries is at a statement behind the loop; None where that cannot be told."""
    loop, spot = program.carrier(name), program.flow.spot(behind)
    if not isinstance(loop, gast.For) or loop in spot.loops or any(isinstance(each, gast.Break) for each in walk(loop)):
        return None
    _, stop, _ = loop.iter.args
    return _at(program, name, loop, binary(clone(stop), gast.Sub, const(1)), stop)


def _at(program: Program, name: str, loop: gast.For, index: gast.expr, bound: gast.expr) -> gast.expr | None:
    """What the iteration of an index has left, if `bound` is above the loop's first index, else what stood before."""
    carried = carried_by_loop(program.flow, name)
    if carried is None or carried.loop is not loop or carried.step != 1 or not program.unit.does(INDUCTION_VARIABLES):
        return None
    view = _View(program, loop, index).expanded(carried.left)
    if view is None or not isinstance(carried.before, gast.Name):
        return None
    test = gast.Compare(left=clone(bound), ops=[gast.Gt()], comparators=[clone(loop.iter.args[0])])
    return gast.IfExp(test=test, body=view, orelse=clone(carried.before))


class _View:
    """What a loop's iteration makes, in terms of its index and of names that are stored outside of the loop."""

    def __init__(self, program: Program, loop: gast.For, index: gast.expr) -> None:
        self.program, self.loop, self.index = program, loop, index

    def expanded(self, value: gast.expr) -> gast.expr | None:
        """The view, or None where it depends on more."""
        if not isinstance(value, gast.Name):
            return None
        match self.program.flow.definition(value.id):
            case gast.Subscript(value=gast.Name(id=base), slice=place) if is_basic(place, self.program.types):
                parts = place.elts if isinstance(place, gast.Tuple) else [place]
                made = list(map(self.part, parts))
                if None in made or self.number(load(base), nb.Array) is None:
                    return None
                whole = gast.Tuple(elts=made, ctx=gast.Load()) if isinstance(place, gast.Tuple) else made[0]
                return gast.Subscript(value=load(base), slice=whole, ctx=gast.Load())
        return None

    def part(self, part: gast.expr) -> gast.expr | None:
        """A part of a view's subscript."""
        if not isinstance(part, gast.Slice):
            return self.number(part, nb.Integer)
        bounds = [None if each is None else self.number(each, nb.Integer) for each in (part.lower, part.upper)]
        if part.step is not None or [each is None for each in bounds] != [part.lower is None, part.upper is None]:
            return None
        return gast.Slice(lower=bounds[0], upper=bounds[1], step=None)

    def number(self, value: gast.expr, kind: type[nb.Type]) -> gast.expr | None:
        """A number, or an array, that the loop does not store; integers that an iteration computes are written out."""
        if isinstance(value, gast.Constant):
            return clone(value)
        if not isinstance(value, gast.Name) or not isinstance(self.program.types.get(value.id), kind):
            return None
        if value.id == self.loop.target.id:
            return clone(self.index)
        flow = self.program.flow
        if not any(self.loop in flow.spot(store).loops for store in flow.stores.get(value.id, ())):
            return load(value.id)
        match flow.definition(value.id):
            case gast.BinOp(left=left, op=operation, right=right) if isinstance(operation, _WHOLE):
                sides = self.number(left, nb.Integer), self.number(right, nb.Integer)
                return None if None in sides else _shorter(binary(sides[0], type(operation), sides[1]))
        return None


def _shorter(sum_: gast.BinOp) -> gast.expr:
    """`i` for `i - 1 + 1`."""
    match sum_:
        case gast.BinOp(
            left=gast.BinOp(left=first, op=gast.Sub(), right=gast.Constant(value=less)),
            op=gast.Add(),
            right=gast.Constant(value=more),
        ) if less == more:
            return first
    return sum_
