"""Index ranges: the part of an array that is accessed, as a range of indices for each dimension.

    a[i, 2:n]       (i, i), (2, n - 1)      of a loop over i from 0 to m - 1:  (0, m - 1), (2, n - 1)

A range is the first and last index, as linear forms, or None for "anything": where an index may be negative, it may
count from the end. `overlap` gives the inequalities that hold where two accesses are to the same element, `distances`
the number of iterations between them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

from srcad.transforms.analysis.affine.integer_facts import Bounds
from srcad.transforms.analysis.affine.linear_forms import Form, infeasible, is_nonnegative

Range: TypeAlias = tuple[Form, Form] | None
Ranges: TypeAlias = tuple[Range, ...]
Distances: TypeAlias = tuple[float, float] | None
"""The least and greatest number of iterations; None where they never meet."""

ANY: tuple[float, float] = (float("-inf"), float("inf"))


def overlap(
    one: Ranges, other: Ranges, left: Mapping[str, str] | None = None, right: Mapping[str, str] | None = None
) -> list[Form]:
    """Inequalities that hold if two parts have an element in common; `left` and `right` rename symbols of either."""
    left, right = left or {}, right or {}
    system: list[Form] = []
    for a, b in zip(one, other, strict=False):
        if a is not None and b is not None:
            system.append(b[1].renamed(right) - a[0].renamed(left))
            system.append(a[1].renamed(left) - b[0].renamed(right))
    return system


def apart(one: Ranges, other: Ranges, known: Collection[Form]) -> bool:
    """Whether two parts never have an element in common, where the `known` forms are not negative."""
    return infeasible([*known, *overlap(one, other)])


def within(known: Collection[Form], part: tuple[Form, Form], whole: tuple[Form, Form]) -> bool:
    """Whether one range of indices is contained in another; an empty one need not be."""
    return is_nonnegative(part[0] - whole[0], known) and is_nonnegative(whole[1] - part[1], known)


def swept(part: Range, index: str, bounds: Bounds) -> Range:
    """The range that contains a range for all indices of a loop; None where it is not known."""
    if part is None or not any(form.coefficient(index) for form in part):
        return part
    if bounds.low is None or bounds.high is None:
        return None
    rising, falling = (bounds.low, bounds.high), (bounds.high, bounds.low)
    first = rising if part[0].coefficient(index) > 0 else falling
    last = rising if part[1].coefficient(index) > 0 else falling
    return part[0].replaced(index, first[0]), part[1].replaced(index, last[1])


def distances(one: Ranges, other: Ranges, index: str, step: int) -> Distances:
    """How many iterations after `one` the other access may be to the same element: at least and at most.

    Negative where the other comes first. All symbols but the index have the same value in all iterations, as after
    `Facts.restrict`.
    """
    least, most = ANY
    for a, b in zip(one, other, strict=False):
        if a is None or b is None:
            continue
        factor = a[0].coefficient(index)
        highest, lowest = a[1] - b[0], a[0] - b[1]  # factor * (other's index - one's) lies between the two
        if any(form.coefficient(index) != factor for form in (*a, *b)) or highest.terms or lowest.terms:
            continue
        pace = factor * step
        if pace == 0:
            if factor == 0 and (highest.constant < 0 or lowest.constant > 0):
                return None
            continue
        ends = (lowest.constant, highest.constant) if pace > 0 else (-highest.constant, -lowest.constant)
        least, most = max(least, -(-ends[0] // abs(pace))), min(most, ends[1] // abs(pace))
        if least > most:
            return None
    return least, most
