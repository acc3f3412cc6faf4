"""The dispatcher that stands for a derivative inside `@njit`. Captured arrays are constants there, as globals are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core.dispatcher import Dispatcher

from srcad.api.signature_stubs import defaults_of, shape_of
from srcad.driver.version import Version
from srcad.runtime.jit.dispatchers import TypedDispatcher


def native_of(derivative: Any, adapted: Callable[[tuple[Any, ...]], Dispatcher | None]) -> TypedDispatcher:
    """The dispatcher for a derivative, which chooses the function to call by the types of the arguments.

    `adapted` gives the adapter if functions or tuples are among the arguments, else None.
    """
    plain: list[Dispatcher] = []

    def specialise(kinds: tuple[Any, ...]) -> Dispatcher:
        found = adapted(kinds)
        if found is not None:
            return found
        if not plain:
            plain.append(derivative.native_routine())
        from srcad.api.njit_islands import compiled_or_island  # late: it loads Numba's array functions

        return compiled_or_island(derivative, plain[0], kinds)

    defaults = defaults_of(derivative.__signature__)
    front = TypedDispatcher(
        shape_of(derivative.__name__, tuple(derivative.__signature__.parameters), defaults), specialise
    )
    front.derivative = derivative
    return front


def frozen(version: Version, routine: Dispatcher, derivative: Any) -> Dispatcher:
    """The routine of a derivative with the current captured arrays bound as constants."""
    if not version.unit.hidden:
        return routine
    own = len(version.own_parameters)
    names = routine.py_func.__code__.co_varnames[: routine.py_func.__code__.co_argcount]
    hidden = names[own : own + len(version.unit.hidden)]
    outer = (*names[:own], *names[own + len(hidden) :])
    namespace: dict[str, Any] = dict(zip(hidden, version.hidden(), strict=True))
    namespace["routine"] = routine
    exec(f"def {derivative.__name__}({', '.join(outer)}):\n    return routine({', '.join(names)})\n", namespace)
    function = namespace[derivative.__name__]
    if len(outer) == len(derivative.__signature__.parameters):
        function.__defaults__ = defaults_of(derivative.__signature__)
    return numba.njit(function)
