"""What has been made from a function is kept with the function: found again while it lives, gone when it goes.

`srcad.grad(f)(x)` in a loop compiles once; a lambda made in each iteration, with the data that it captures, is not kept
alive.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from types import FunctionType
from typing import Any, TypeVar

from numba.core.dispatcher import Dispatcher

from srcad.runtime.support import rule_changes

Result = TypeVar("Result")

_ATTRIBUTE = "__srcad_made__"


class _Made(dict[Hashable, Any]):
    """Things made from one function. Wrappers copy the attributes of what they wrap, so it says whose it is."""

    owner: Any = None

    def __reduce__(self) -> Any:
        return _Made, ()


def remembered(function: Callable[..., Any], key: Hashable, make: Callable[[], Result]) -> Result:
    """What was made from the function under this key, else what `make` makes now.

    >>> def f(x): ...
    >>> remembered(f, "list", list) is remembered(f, "list", list)
    True
    """
    key = (key, rule_changes.state.count)
    if not isinstance(function, (FunctionType, Dispatcher)) and not hasattr(type(function), "__srcad_keeps__"):
        return _of_other(function, key, make)
    made = vars(function).get(_ATTRIBUTE)
    if made is None or made.owner is not function:
        made = _Made()
        made.owner = function
        vars(function)[_ATTRIBUTE] = made
    if key not in made:
        made[key] = make()
    return made[key]  # type: ignore[no-any-return]


def _of_other(function: Callable[..., Any], key: Hashable, make: Callable[[], Result]) -> Result:
    """Methods are new objects at each access, and the user's objects are not ours to write on: a few are kept here."""
    try:
        kept = _few(function)
    except TypeError:  # the object cannot be hashed
        return make()
    if key not in kept:
        kept[key] = make()
    return kept[key]  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=64)
def _few(function: Callable[..., Any]) -> dict[Hashable, Any]:
    return {}
