"""Loop-carried views: recompute a carried view from the index of the previous iteration instead of recording it.

    x = first                                   x = first
    for l in range(n):                          for l in range(n):
        y[l] = g(x)             needs no            y[l] = g(x)
        x = state[2 * l]        list of x           x = state[2 * l]
                                                for l in range(n - 1, -1, -1):
                                                    x = state[2 * (l - 1)] if l > 0 else first

A view is determined by its base array and its subscript, independent of the array's contents. Applies where the base
and the subscript depend only on names that the loop does not store, and on the loop's index. The view that is live
after the loop is recomputed in the same way.
"""

from __future__ import annotations

import gast
from numba import types as nb

from srcad.transforms.analysis.aliases import is_basic
from srcad.transforms.analysis.loop_phis import carried_by_loop
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import binary, clone, const, load, walk
from srcad.transforms.ir.pass_names import INDUCTION_VARIABLES

_WHOLE = (gast.Add, gast.Sub, gast.Mult)


def previous_view(program: Program, name: str) -> gast.expr | None:
    """The view that a loop-carried name holds at the start of an iteration; None where it cannot be derived."""
    loop = program.carrier(name)
    if not isinstance(loop, gast.For) or not program.types.is_array(name):
        return None
    index = load(loop.target.id)
    return _at(program, name, loop, binary(clone(index), gast.Sub, const(1)), index)


def last_view(program: Program, name: str, behind: gast.stmt) -> gast.expr | None:
    """The view that a loop-carried name holds at a statement after the loop; None where it cannot be derived."""
    loop, spot = program.carrier(name), program.flow.spot(behind)
    if not isinstance(loop, gast.For) or loop in spot.loops or any(isinstance(each, gast.Break) for each in walk(loop)):
        return None
    _, stop, _ = loop.iter.args
    return _at(program, name, loop, binary(clone(stop), gast.Sub, const(1)), stop)


def _at(program: Program, name: str, loop: gast.For, index: gast.expr, bound: gast.expr) -> gast.expr | None:
    """The view left by the iteration with this index if `bound` is above the first index, else the initial value."""
    carried = carried_by_loop(program.flow, name)
    if carried is None or carried.loop is not loop or carried.step != 1 or not program.unit.does(INDUCTION_VARIABLES):
        return None
    view = _View(program, loop, index).expanded(carried.left)
    if view is None or not isinstance(carried.before, gast.Name):
        return None
    test = gast.Compare(left=clone(bound), ops=[gast.Gt()], comparators=[clone(loop.iter.args[0])])
    return gast.IfExp(test=test, body=view, orelse=clone(carried.before))


class _View:
    """A view that an iteration makes, in terms of the loop's index and of names that are stored outside of the loop."""

    def __init__(self, program: Program, loop: gast.For, index: gast.expr) -> None:
        self.program, self.loop, self.index = program, loop, index

    def expanded(self, value: gast.expr) -> gast.expr | None:
        """The view as an expression of such names, or None where it depends on others."""
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
        """A number or array that the loop does not store; integers computed in the iteration are expanded."""
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
