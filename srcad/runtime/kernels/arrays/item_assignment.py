"""Item assignment as a function that returns a new array, for the tape, where arrays are immutable values."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.runtime.kernels.arrays.scatter import is_basic
from srcad.runtime.kernels.arrays.store_adjoint import stored_bar


def with_item(x: Any, key: Any, value: Any) -> Any:
    """A copy of `x` after `x[key] = value`.

    >>> with_item(np.array([1.0, 2.0, 3.0]), slice(1, None), 0.0)
    array([1., 0., 0.])
    """
    copy = np.array(x)
    copy[key] = value
    return copy if copy.ndim else copy[()]


def item_bar(bar: Any, key: Any) -> Any:
    """The adjoint of the assigned value before unbroadcasting: of values stored at the same place, the last one counts.

    >>> item_bar(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2]))
    array([1., 0., 4.])
    """
    if is_basic(key) or (isinstance(key, np.ndarray) and key.dtype == bool):
        return bar[key]
    return stored_bar(np.asarray(bar), key)
