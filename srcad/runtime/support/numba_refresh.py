"""Register new overloads with Numba if a module is imported while Numba infers types."""

from __future__ import annotations

from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target


def refresh_if_compiling() -> None:
    """Register the overloads that were defined since the current compilation in this thread began.

    Numba may import a module of srcad during a compilation, for a function that reads a name of it. At the start of a
    compilation Numba refreshes by itself; doing so earlier would load its whole registry, which takes 0.2 s.
    """
    if global_compiler_lock.is_locked():
        cpu_target.typing_context.refresh()
