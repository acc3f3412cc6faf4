"""Tiered mode: generated functions run as plain Python until they are compiled (`srcad.runtime.jit.tiers`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from srcad.driver.interpreted_mode import Interpreted
from srcad.driver.result_precision import python_numbers
from srcad.driver.version import Version, compiler_options
from srcad.runtime.jit.dispatchers import TypedDispatcher, plain
from srcad.runtime.jit.machine_code import MachineCode
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.jit.tiers import Tiers

Kinds = tuple[Any, ...]


def let_run_meanwhile(
    dispatcher: TypedDispatcher, version: Version, index: int, routine: Callable[..., Any] | None
) -> None:
    """Let the uncompiled `routine` run while the function of this index is compiled.

    Without a routine, calls raise CannotType meanwhile.
    """
    count = len(version.unit.parameters)

    def uncompiled(kinds: Kinds) -> Callable[..., Any] | None:
        if _is_stored(version, index, kinds):
            return None
        if routine is None:
            return _not_yet
        if not index:
            with global_compiler_lock:
                made = version.uncompiled(tuple(map(plain, kinds[:count])))
            if isinstance(made, Interpreted):
                return None  # Numba has no types, and nothing can be compiled
        return routine

    dispatcher.tiers = Tiers(uncompiled, index, compiler_options(version.unit, version.request))


def with_python_numbers(routine: Callable[..., Any]) -> Callable[..., Any]:
    """An uncompiled routine that returns the numbers that the compiled one returns."""
    return lambda *args: python_numbers(routine(*args))


def _not_yet(*args: Any) -> Any:
    raise CannotType("it is not compiled yet")


def _is_stored(version: Version, index: int, kinds: Kinds) -> bool:
    """Whether the machine code for these types is in memory or in the cache folder."""
    count = len(version.unit.parameters)
    with global_compiler_lock:
        made = version.recorded_by(kinds)
        if made is None:
            own = tuple(map(plain, kinds[:count]))
            if not version.is_stored(own, version.assumes):
                return False
            made = version.compiled(own, version.assumes)
    cache = made[index]._cache
    return kinds in made[index].overloads or (isinstance(cache, MachineCode) and cache.holds(kinds))
