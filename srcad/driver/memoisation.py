"""What has been made from a function is kept with the function: found again while it lives, gone when it goes.

`srcad.grad(f)(x)` in a loop compiles once; a lambda made in each iteration, with the data that it captures, is not kept
alive.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Hashable
from types import FunctionType
from typing import Any, TypeVar

from numba.core.dispatcher import Dispatcher

from srcad.runtime.support import rule_changes

Result = TypeVar("Result")

_ATTRIBUTE = "__srcad_made__"


class _Made(dict[Hashable, Any]):
    """Things made from one function. Wrappers copy the attributes of what they wrap, so it says whose it is.

    A function may be given other code and defaults in its place, as IPython does that loads modules again.
    """

    owner: Any = None
    inside: tuple[Any, ...] = ()

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
    inside = _inside(function)
    if made is None or made.owner is not function or not _are_same(made.inside, inside):
        made = _Made()
        made.owner, made.inside = function, inside
        vars(function)[_ATTRIBUTE] = made
    if key not in made:
        made[key] = make()
    return made[key]  # type: ignore[no-any-return]


def _inside(function: Any) -> tuple[Any, ...]:
    """The code of a function, and its defaults."""
    plain = getattr(function, "py_func", function)
    if not isinstance(plain, FunctionType):
        return ()
    return plain.__code__, plain.__defaults__, *(plain.__kwdefaults__ or {}).values()


def _are_same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(map(operator.is_, one, other))


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
