"""`stop_gradient`: a value that derivatives treat as a constant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from srcad.runtime.rulebook import registry
from srcad.runtime.support.numba_refresh import refresh_if_compiling
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.operand import Operand
from srcad.runtime.tape.core.tensor import tensor_of


def stop_gradient(x: Any) -> Any:
    """The value of x, with derivative zero. An array is copied.

    x may be a number, an array, a tensor, or a list, tuple or dictionary of these: all in it are constants then.

    Works in functions that are differentiated, under `@njit`, and on tensors under a tape.

    >>> import srcad
    >>> def f(x):
    ...     return x * srcad.stop_gradient(x)
    >>> f(3.0), srcad.grad(f)(3.0)
    (9.0, 3.0)
    """
    if isinstance(x, Operand):
        stopped = tensor_of(np.array(x._array())[()])
        # Does not count as a reading, so the variable is not watched because of it.
        read = (getattr(x, "_tensor", x)._identity,)
        for tape in active.tapes:
            tape.note_cut("srcad.stop_gradient", read, (stopped,), "it is meant to")
        return stopped
    if isinstance(x, dict):
        return {key: stop_gradient(each) for key, each in x.items()}
    if isinstance(x, (list, tuple)):
        parts = [stop_gradient(each) for each in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return np.copy(x) if isinstance(x, np.ndarray) else x


@overload(stop_gradient)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _stop_gradient(x: Any) -> Callable[[Any], Any]:
    def copied(x: Any) -> Any:
        return x.copy()

    def same(x: Any) -> Any:
        return x

    return copied if isinstance(x, types.Array) else same


registry.zero(stop_gradient)
refresh_if_compiling()
