"""What Numba has to be told when it comes to a module of ours while it is inferring types."""

from __future__ import annotations

from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target


def refresh_if_compiling() -> None:
    """Make overloads known that were stated since Numba began to compile what it compiles in this thread.

    It may import one of our names at that time, for a function that reads it. When it begins to compile it looks for
    itself; to look before that would load all that it knows, which takes 0.2 s.
    """
    if global_compiler_lock.is_locked():
        cpu_target.typing_context.refresh()
