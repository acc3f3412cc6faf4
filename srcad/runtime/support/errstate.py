"""Ignore floating-point errors as `np.errstate(all="ignore")` does, in a tenth of its time.

    before = unwarned.set(IGNORED)
    try:
        np.log(np.zeros(2))             gives no warning
    finally:
        unwarned.reset(before)

NumPy stores how such errors are handled in a context variable. `np.errstate` computes a value from its arguments and
sets that variable; here the value is computed once.
"""

from __future__ import annotations

import contextvars
from typing import Any

import numpy as np


def _set_by_numpy() -> tuple[contextvars.ContextVar[Any], Any]:
    """The context variable that `np.errstate` sets, and the value for ignored errors."""
    before = contextvars.copy_context()
    with np.errstate(all="ignore"):
        within = contextvars.copy_context()
    (found,) = [(each, within[each]) for each in within if each not in before or before[each] is not within[each]]
    return found


unwarned, IGNORED = _set_by_numpy()
