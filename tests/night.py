"""Cases of a table that every run of the suite takes; the night takes the others."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def by_day(cases: Iterable[Any], is_kept: Callable[..., bool]) -> list[Any]:
    """Those for which `is_kept` holds as they are, all others with the mark `nightly`.

    `is_kept` is called with the values of a case.
    """
    found = []
    for case in cases:
        values, marks, name = case if isinstance(case, type(pytest.param())) else ((case,), (), None)
        more = () if is_kept(*values) else (pytest.mark.nightly,)
        found.append(pytest.param(*values, marks=(*marks, *more), id=name))
    return found


def every(count: int, first: int = 0) -> Callable[..., bool]:
    """Keeps one case in so many, by its place."""
    places = iter(range(10**9))
    return lambda *_: next(places) % count == first
