"""Effects: calls that a function makes for what they do elsewhere, such as logging. Compiled code makes them as Python.

They get copies of arrays, since the memory of an array may be used again for others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import objmode, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin


def effect(function: Any, *values: Any) -> None:
    """Make a call for its effect; `function` comes from `as_effect`.

    >>> seen = []
    >>> effect(as_effect(seen.append), 2.0)
    >>> seen
    [2.0]
    """
    function.py_func(*values)


def as_effect(act: Callable[..., Any]) -> Any:
    """A function that compiled code can call, and that has no result."""

    def run(*values: Any) -> None:
        with objmode():
            _call(act, values)

    made = numba.njit(run)
    made.__srcad_effect__ = True
    return made


def is_effect_function(thing: Any) -> bool:
    """Whether this comes from `as_effect`."""
    return hasattr(thing, "__srcad_effect__")


def _call(act: Callable[..., Any], values: tuple[Any, ...]) -> None:
    act(*(np.array(each) if isinstance(each, np.ndarray) else each for each in values))


@infer_global(effect)
class _EffectType(AbstractTemplate):  # type: ignore[misc]  # Numba carries no annotations
    """The type of a call, for which the function is not compiled yet."""

    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.none, *args)


@lower_builtin(effect, types.Dispatcher, types.VarArg(types.Any))
def _lower_effect(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
    names = ", ".join(["function", *(f"a{k}" for k in range(len(arguments) - 1))])
    namespace: dict[str, Any] = {}
    exec(f"def call({names}):\n    function({names.partition(', ')[2]})", namespace)
    return context.compile_internal(builder, namespace["call"], called, arguments)
