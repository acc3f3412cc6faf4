"""The order in which Python visits a set, where it does not depend on how the set came to be.

CPython keeps an element at the place that the last bits of its hash name in a table of 8, 16, 32, ... places, and at
another one where that is taken. So the order is certain if no two elements share a place, and all sizes of the table
give the same order. Hashes of texts differ from process to process: whatever the order, it is one of Python's.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any

_MOST_PLACES = 2**26


def visited(elements: Collection[Hashable], has_lost_some: bool) -> list[Any] | None:
    """The elements in the order in which a set of them is visited; None if that is not certain.

    `has_lost_some` tells that others have been removed from the set, whose places may have been taken before.

    >>> visited([5, 1, 3], False), visited([16, 1], False), visited([8, 0], False)
    ([1, 3, 5], None, None)
    """
    found = list(set(elements))
    if len(found) < 2 or any(map(_varies, found)):
        return found
    if has_lost_some:
        return None
    places = 8
    while places < _MOST_PLACES:
        if places > len(found):
            at = {hash(each) & (places - 1): each for each in found}
            if [at[place] for place in sorted(at)] != found:
                return None
        places *= 2
    return found


def _varies(element: Any) -> bool:
    """Whether the hash of an element differs from process to process."""
    if isinstance(element, (tuple, frozenset)):
        return any(map(_varies, element))
    return element is None or not isinstance(element, (int, float, complex))
