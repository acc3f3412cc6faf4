"""The adjoint of a store by index arrays: of values stored at the same place, the last one counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable


@register_jitable
def stored_bar(bar: Any, index: Any) -> Any:
    """The adjoint of `value` in `x[index] = value`, from the adjoint `bar` of `x` after the store.

    >>> stored_bar(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2]))
    array([1., 0., 4.])
    """
    places = np.arange(bar.size).reshape(bar.shape)[index]
    found = np.zeros(places.shape, bar.dtype)
    last = np.empty(bar.size, np.int64)
    for number, place in enumerate(places.flat):
        last[place] = number
    flat = bar.copy().reshape(-1)
    out = found.reshape(-1)
    for number, place in enumerate(places.flat):
        if last[place] == number:
            out[number] = flat[place]
    return found
