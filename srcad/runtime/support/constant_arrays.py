"""Arrays that depend on lengths alone: made once for each, and kept if they are short."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

Made = Callable[..., Any]


def remembered(largest: int) -> Callable[[Made], Made]:
    """A function of a length, and perhaps more, that remembers what it has returned for lengths up to the largest.

    >>> squares = remembered(2)(lambda size: [k * k for k in range(size)])
    >>> squares(2) is squares(2), squares(3) is squares(3)
    (True, False)
    """

    def decorate(make: Made) -> Made:
        known = functools.lru_cache(64)(make)

        def made(size: int, *rest: Any) -> Any:
            return known(size, *rest) if size <= largest else make(size, *rest)

        return made

    return decorate


LONGEST = 4096  # elements of vectors that are kept
VECTORS = remembered(LONGEST)
MATRICES = remembered(64)


@VECTORS
def ones(size: int) -> Any:
    """So many ones: a product with these adds up, in a third of the time that a sum of few numbers takes."""
    return np.ones(size)
