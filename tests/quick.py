"""`--quick`: which tests make an everyday round of about a minute, the same ones in each run.

Tests marked `compiled` or `slow` are left out. Of a file with more than `MOST` cases of parametrised tests, each of
these tests keeps its first case and every k-th after it, where k is the least number with which about `MOST` remain.
"""

from collections import Counter
from collections.abc import Iterable
from math import ceil

import pytest

MOST = 20
LEFT_OUT = "compiled", "slow"


def is_kept(position: int, count: int) -> bool:
    """Whether a case at a position among those of its test stays, if its file has so many cases in all.

    >>> [k for k in range(12) if is_kept(k, 3 * MOST)]
    [0, 3, 6, 9]
    """
    return position % ceil(count / MOST) == 0


def sample(items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests of a quick round, and those that it leaves out."""
    remaining, left_out = [], []
    for item in items:
        marked = any(item.get_closest_marker(name) for name in LEFT_OUT)
        (left_out if marked else remaining).append(item)
    cases = Counter(item.path for item in remaining if hasattr(item, "callspec"))
    met: Counter[str] = Counter()
    kept = []
    for item in remaining:
        test, *case = item.nodeid.split("[", 1)
        (kept if not case or is_kept(met[test], cases[item.path]) else left_out).append(item)
        met[test] += 1
    return kept, left_out
