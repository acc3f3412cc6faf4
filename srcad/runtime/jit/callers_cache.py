"""Functions of the user's that call gradients are not stored in Numba's own cache (`@njit(cache=True)`).

Numba would load such a function in a new process without asking srcad: the gradient's module would not be there, and a
gradient of a function that has changed since would be taken for the current one. Numba compiles the function again
instead, with a warning; the gradient itself comes from srcad's cache.
"""

from __future__ import annotations

import warnings
from typing import Any

from numba.core.caching import CompileResultCacheImpl
from numba.core.errors import NumbaWarning

_check_cachable = CompileResultCacheImpl.check_cachable


def calls_gradient(library: Any) -> bool:
    """Whether the code of a library was linked to generated code, directly or through others."""
    seen, pending = set[int](), [library]
    while pending:
        each = pending.pop()
        if hasattr(each, "is_of_srcad"):  # `dispatchers` sets it
            return True
        if id(each) not in seen:
            seen.add(id(each))
            pending += getattr(each, "_linking_libraries", ())
    return False


def check_cachable(self: Any, cres: Any) -> bool:
    """Whether Numba may store what it has compiled, in place of `CompileResultCacheImpl.check_cachable`."""
    if not calls_gradient(cres.library):
        return bool(_check_cachable(self, cres))
    name = cres.fndesc.qualname.split(".")[-1]
    message = f'Cannot cache compiled function "{name}" as it calls a derivative made by srcad, which keeps it itself'
    warnings.warn_explicit(message, NumbaWarning, self._locator._py_file, self._lineno)
    return False


CompileResultCacheImpl.check_cachable = check_cachable
