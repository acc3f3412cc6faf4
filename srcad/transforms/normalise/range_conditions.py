"""Range conditions: what has to hold for a subscript to be in range, and what that means outside of a loop or branch.

    for i in range(n):
        if i > 0:
            s += x[i - 1]           needs   i - 1 >= 0      and     x.shape[0] - i >= 0     for this i
    before the branch               needs   x.shape[0] - i >= 0         if i - 1 >= 0
    before the loop                 needs   x.shape[0] - n + 1 >= 0     if n - 2 >= 0

A condition has a *room*, how far the index is from the end of the axis, which must not be negative, and the forms that
are not negative where the subscript is evaluated. Outside of a loop the room is the least one of all iterations that
evaluate it. These are found exactly (or not at all): a condition fails outside of the loop if and only if it fails in
one of the iterations.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import gast

from srcad.errors import Place
from srcad.transforms.analysis.affine.integer_facts import Bounds
from srcad.transforms.analysis.affine.linear_forms import Form, is_nonnegative


@dataclass(frozen=True)
class Condition:
    """What has to hold at one point of the code.

    rooms       forms that must not be negative
    needed      forms that are not negative where the subscript is evaluated, besides what holds at this point anyway
    message     of the exception, else
    kernel      that raises it where a room is negative
    index       the index and the extent of its axis, as long as the condition is that of one subscript where it stands
    """

    rooms: tuple[Form, ...]
    needed: tuple[Form, ...]
    message: str
    place: Place | None
    index: tuple[Form, Form] | None = None
    kernel: str = "check_room"

    @property
    def names(self) -> frozenset[str]:
        """The names of the numbers and arrays that the condition depends on."""
        return frozenset().union(*(form.names for form in (*self.rooms, *self.needed)))

    def covers(self, other: Condition) -> bool:
        """Whether the other condition holds where this one does."""
        return set(self.needed) <= set(other.needed) and all(
            any(not (room - own).terms and (room - own).constant >= 0 for own in self.rooms) for room in other.rooms
        )

    def replaced(self, name: str, value: Form) -> Condition:
        """The condition with a value in place of a number's name."""
        rooms, needed = (tuple(form.replaced(name, value) for form in each) for each in (self.rooms, self.needed))
        if self.index is None:
            return replace(self, rooms=rooms, needed=needed)
        index, extent = (form.replaced(name, value) for form in self.index)
        return replace(self, rooms=rooms, needed=needed, index=(index, extent))

    def under(self, tests: Collection[Form]) -> Condition:
        """The condition before a branch, in the arm of which these forms are not negative."""
        return replace(self, needed=tuple(dict.fromkeys((*self.needed, *tests))), index=None)

    def before_loop(
        self, index: str, bounds: Bounds, inside: Collection[Form], outside: Collection[Form]
    ) -> list[Condition] | None:
        """What the condition at the start of each iteration means before the loop; None where that is not known.

        `inside` and `outside` have the forms that are not negative at the start of an iteration, and before the loop.
        """
        if bounds.low is None or bounds.high is None:
            return None
        found: list[Condition] = []
        rest = [room for room in self.rooms if not room.coefficient(index)]
        groups = [(room,) for room in self.rooms if room.coefficient(index)] + ([tuple(rest)] if rest else [])
        for rooms in groups:
            range_of = _evaluated(self.needed, index, bounds, inside)
            if range_of is None:
                return None
            low, high, needed = range_of
            factor = rooms[0].coefficient(index)
            if factor and not _reaches(low if factor > 0 else high, bounds):
                return None
            least = tuple(room.replaced(index, low if factor > 0 else high) for room in rooms)
            needed += [bounds.high - bounds.low, high - low]
            kept = tuple(dict.fromkeys(form for form in needed if not is_nonnegative(form, outside)))
            found.append(replace(self, rooms=least, needed=kept, index=None))
        return found


def _reaches(end: Form, bounds: Bounds) -> bool:
    """Whether a loop that has iterations has one with this index, which is an end of its range, or between the ends."""
    return abs(bounds.step) == 1 or end == (bounds.low if bounds.step > 0 else bounds.high)


def _evaluated(
    needed: Collection[Form], index: str, bounds: Bounds, inside: Collection[Form]
) -> tuple[Form, Form, list[Form]] | None:
    """The least and the greatest index for which forms are not negative, and those that do not depend on the index."""
    low, high = bounds.low, bounds.high
    assert low is not None
    assert high is not None
    rest = []
    for form in needed:
        factor = form.coefficient(index)
        if is_nonnegative(form, inside):
            continue
        if not factor:
            rest.append(form)
        elif abs(factor) != 1 or abs(bounds.step) != 1:
            return None
        elif factor == 1:  # the index is at least
            least = Form.of(index) - form
            if is_nonnegative(least - low, inside):
                low = least
            elif not is_nonnegative(low - least, inside):
                return None
        else:  # the index is at most
            most = form + Form.of(index)
            if is_nonnegative(high - most, inside):
                high = most
            elif not is_nonnegative(most - high, inside):
                return None
    return low, high, rest


def is_exact(comparison: gast.expr | None, holds: bool) -> bool:
    """Whether `Integers.implied` says all that a test says, so that its forms are not negative only where it holds."""
    match comparison:
        case gast.Compare(ops=[gast.Lt() | gast.LtE() | gast.Gt() | gast.GtE()]):
            return True
        case gast.Compare(ops=[gast.Eq()]):
            return holds
        case gast.Compare(ops=[gast.NotEq()]):
            return not holds
    return False
