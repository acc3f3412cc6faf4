"""Arguments that the caller declares as compile-time constants: `grad(f, static=("order", "verbose"))`.

Each value makes a version of its own, in which branches that the value rules out are left out before the rest is looked
at. The values are marked (`Frozen`) and passed to the derivative of the function, which keeps its versions by the
values of constants, as it does for texts and functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.api.argument_binding import Binding
from srcad.api.wrt import Path, Wrt, positions
from srcad.errors import BadArgument, BadType
from srcad.frontend.load_source import signature_of
from srcad.runtime.support.structured_arguments import Frozen, is_function


class WithStatic:
    """A derivative some of whose arguments, named in `static`, are compile-time constants."""

    __srcad_static__ = True

    def __init__(self, derivative: Any, static: tuple[str, ...]) -> None:
        self.derivative, self.static = derivative, static
        self.__signature__ = derivative.__signature__
        self.__name__ = derivative.__name__
        names = list(self.__signature__.parameters)
        self._places, self._binding = [names.index(each) for each in static], Binding(self.__signature__)

    def __repr__(self) -> str:
        return f"{repr(self.derivative).removesuffix('>')}, with constant {', '.join(self.static)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the derivative, for which the values of these arguments are constants."""
        given = [*self._binding(args, kwargs)]
        for place, name in zip(self._places, self.static, strict=True):
            given[place] = _frozen(given[place], name)
        return self.derivative(*given)

    def __reduce__(self) -> Any:
        return WithStatic, (self.derivative, self.static)


def with_static(transform: Callable[..., Any], function: Any, wrt: Wrt, static: Wrt) -> WithStatic:
    """The derivative that a transform makes of a function, or of a `WithStatic`; what was constant stays so."""
    before: tuple[str, ...] = ()
    if isinstance(function, WithStatic):
        before, function = function.static, function.derivative
    origin = getattr(function, "function", function)
    new = names_of(origin, static) if static != () else ()
    known = tuple(dict.fromkeys((*before, *new)))
    names = list(signature_of(origin).parameters)
    asked = {names[each.parameter if isinstance(each, Path) else each] for each in positions(origin, wrt)[0]}
    for name in known:
        if name in asked:
            raise BadArgument(
                f"'{name}' is in both `wrt` and `static`", hint="a constant has no derivative: leave it out of one"
            )
    return WithStatic(transform(function, wrt), known)


def names_of(function: Any, static: Wrt) -> tuple[str, ...]:
    """The names of parameters that are given by position or name.

    >>> names_of(lambda x, order, verbose: None, (1, "verbose"))
    ('order', 'verbose')
    """
    names = list(signature_of(function).parameters)
    places = positions(function, static)[0]
    for place in places:
        if isinstance(place, Path):
            text = place.text(names[place.parameter])
            raise BadArgument(f"`static` names {text}, a part of an argument", hint="name the whole argument")
    return tuple(names[place] for place in places)


def _frozen(value: Any, name: str) -> Any:
    """The value with its numbers marked as constants. Raises BadType for arrays."""
    if isinstance(value, np.ndarray):
        raise BadType(
            f"the argument '{name}' is static, and an array",
            hint="a constant is a number, a text, None, a function, or a tuple, list or dictionary of these",
        )
    if type(value) in (tuple, list):
        return type(value)(_frozen(each, name) for each in value)
    if type(value) is dict:
        return {key: _frozen(each, name) for key, each in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    return value if value is None or isinstance(value, str) or is_function(type(value)) else Frozen(value)
