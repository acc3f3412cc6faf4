"""The adjoint of `np.convolve`."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.runtime.kernels.arrays.array_add_and_copy import copy_to


def convolve_adjoint(g: Any, other: Any, like: Any, mode: str = "full") -> Any:
    """The adjoint of `like`, one operand of `np.convolve`, given the other one.

    >>> convolve_adjoint(np.array([1.0, 0.0, 0.0, 10.0]), np.array([1.0, 2.0]), np.zeros(3))
    array([ 1.,  0., 20.])
    """
    n, m = len(like), len(other)
    short = min(n, m)
    start = 0 if mode == "full" else (short - 1) // 2 if mode == "same" else short - 1
    whole = np.zeros(n + m - 1, g.dtype)
    copy_to(whole[start : start + len(g)], g)
    return np.convolve(whole, other[::-1])[m - 1 : m - 1 + n]
