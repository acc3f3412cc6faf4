"""A derivative for use inside `@njit`: captured arrays are constants there, as globals are to Numba."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numba
from numba.core.dispatcher import Dispatcher

from srcad.runtime.compile import TypedDispatcher
from srcad.version import Version


def native_of(derivative: Any) -> TypedDispatcher:
    """What stands for a derivative: which of its functions is called follows from the types of the arguments."""
    own = derivative.own
    plain: list[Dispatcher] = []

    def specialise(kinds: tuple[Any, ...]) -> Dispatcher:
        from srcad.handed import adapter, is_handed  # with structures, which most calls have no use for

        if any(map(is_handed, kinds[:own])):
            return adapter(derivative, kinds)
        if not plain:
            plain.append(derivative.native_routine())
        return plain[0]

    defaults = defaults_of(derivative.__signature__)
    front = TypedDispatcher(
        shape_of(derivative.__name__, tuple(derivative.__signature__.parameters), defaults), specialise
    )
    front.derivative = derivative
    return front


def shape_of(name: str, parameters: tuple[str, ...], defaults: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """A function that has a name, parameters and defaults, and does nothing."""
    namespace: dict[str, Any] = {}
    exec(f"def {name}({', '.join(parameters)}): pass", namespace)
    function: Any = namespace[name]
    function.__defaults__ = defaults
    return function  # type: ignore[no-any-return]


def frozen(version: Version, routine: Dispatcher, derivative: Any) -> Dispatcher:
    """The routine of a derivative with the captured arrays of now given as constants."""
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


def defaults_of(signature: inspect.Signature) -> tuple[Any, ...]:
    """The defaults of a signature, which the last parameters have."""
    return tuple(each.default for each in signature.parameters.values() if each.default is not each.empty)
