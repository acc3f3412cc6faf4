"""Scatter to gather: sums into several neighbouring elements become one sum for each element.

    for j in range(n):                      if 0 < n:
        v[j] += v_row[j]                        for j in range(n + 2):
    for j in range(n):             becomes          v[j] += v_row[j + 2] + v_row[j]
        v[j + 2] += v_row[j]

The row has as many zeros at either end as the subscripts are apart, so that the ends need no special case: v_row[j] on
the left is v_row[j + 2] on the right. The input is what `loop_distribution` found, sums whose subscripts along one axis
differ by constants; subscripts too far apart stay in loops of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import gast

from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.ir.build import (
    Block,
    augment,
    binary,
    branch,
    clone,
    const,
    load,
    loop,
    place_of,
    subscript,
    tuple_of,
)
from srcad.transforms.ir.cost_model import MOST_ELEMENTS_APART
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.primitive import constant


@dataclass
class Sum:
    """A sum to be moved: the statement, its subscript in loop-invariant terms, and the row that holds its terms.

    forms   of the subscript
    slot    the variable that selects one of several rows
    """

    statement: gast.AugAssign
    index: gast.expr
    forms: tuple[Form, ...]
    row: str = ""
    sign: type[gast.operator] = gast.Add
    slot: str = ""

    def term(self, index: str, by: int) -> gast.expr:
        """The term that is added, at the index plus `by`."""
        at = shifted(load(index), by)
        return subscript(load(self.row), tuple_of(load(self.slot), at) if self.slot else at)


@dataclass
class Group:
    """Sums into one array whose subscripts differ by `shifts` along one axis."""

    sums: list[Sum]
    shifts: list[int]


@dataclass
class Gathering:
    """What a loop of gathered sums was made from: see `gathering`. Noted on the loop as `gathers`."""

    group: Group
    index: str
    bounds: list[gast.expr]
    margin: int


def grouped(sums: list[Sum], index: str) -> list[Group]:
    """Groups of sums that can be gathered together, ordered by the first sum of each group."""
    by_line: dict[object, list[tuple[int, Sum]]] = {}
    for k, each in enumerate(sums):
        axes = [axis for axis, form in enumerate(each.forms) if index in form.symbols]
        line: object = k
        offset = 0
        if len(axes) == 1 and each.forms[axes[0]].coefficient(index) == 1:
            offset = each.forms[axes[0]].constant
            rest = [form - offset if axis == axes[0] else form for axis, form in enumerate(each.forms)]
            line = (each.statement.target.value.id, *rest)
        by_line.setdefault(line, []).append((offset, each))
    found = []
    for members in by_line.values():
        members.sort(key=lambda member: member[0])
        least, most = members[0][0], members[-1][0]
        together = [members] if most - least <= MOST_ELEMENTS_APART else [[member] for member in members]
        for part in together:
            found.append(Group([each for _, each in part], [offset - part[0][0] for offset, _ in part]))
    return found


def reach(groups: list[Group], index: str) -> int:
    """How many zeros the rows need at either end, in case sums into several lines are combined."""
    offsets: dict[str, list[int]] = {}
    for group in groups:
        for each in group.sums:
            own = [form.constant for form in each.forms if form.symbols == {index}]
            offsets.setdefault(each.statement.target.value.id, []).extend(own)
    apart = max((max(own) - min(own) for own in offsets.values() if own), default=0)
    return max([apart if apart <= MOST_ELEMENTS_APART else 0, *(group.shifts[-1] for group in groups)])


def gathering(group: Group, index: str, bounds: list[gast.expr], margin: int) -> Block:
    """The loop of a group; the elements of a row start after its margin."""
    first, far = group.sums[0], group.shifts[-1]
    place = place_of(first.statement)
    adding = [k for k, each in enumerate(group.sums) if each.sign is gast.Add]
    lead = adding[0] if adding else 0
    order = [lead, *(k for k in range(len(group.sums)) if k != lead)]
    sign = group.sums[lead].sign
    terms = [group.sums[k].term(index, margin - group.shifts[k]) for k in order]
    value = terms[0]
    for k, term in zip(order[1:], terms[1:], strict=True):
        value = binary(value, gast.Add if group.sums[k].sign is sign else gast.Sub, term)
    target = subscript(load(first.statement.target.value.id), clone(first.index), store=True)
    low, high = map(clone, bounds)
    made = loop(index, [low, shifted(high, far), const(1)], [augment(target, sign, value, place)], place)
    if far:
        test = gast.Compare(left=clone(low), ops=[gast.Lt()], comparators=[clone(high)])
        made = branch(test, [made], [], place)
    return [note(made, gathers=Gathering(group, index, bounds, margin))]


def shifted(node: gast.expr, by: int) -> gast.expr:
    """`node + by`, with literals folded."""
    value = constant(node)
    if isinstance(value, int):
        return const(value + by)
    match node:
        case gast.BinOp(left=left, op=gast.Add() | gast.Sub() as op, right=gast.Constant(value=int() as more)):
            return shifted(left, by + more if isinstance(op, gast.Add) else by - more)
    return binary(clone(node), gast.Add if by > 0 else gast.Sub, const(abs(by))) if by else clone(node)
