"""Bind the arguments of a call to a function's parameters: keywords and defaults are put in positional order."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from srcad.errors import BadArgument, BadType
from srcad.frontend.load_source import name_of


class WithDirections(inspect.Signature):
    """The parameters of a function, followed by directions: the last positional arguments are the directions.

    So arguments that have defaults may be left out, although directions follow them, and what `**kwargs` gathers is
    given by name.
    """

    def __init__(self, function: inspect.Signature, directions: tuple[str, ...]) -> None:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        super().__init__([inspect.Parameter(name, kind) for name in (*function.parameters, *directions)])
        self.function, self.directions, self.count = function, frozenset(directions), len(directions)
        self.takes_options = any(each.kind is each.VAR_KEYWORD for each in function.parameters.values())

    def split(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """The arguments in parameter order where some are left out or given by name, if the directions are not."""
        count = len(args) - self.count
        is_whole = not kwargs and len(args) >= len(self.parameters)
        names = kwargs.keys() - self.directions if self.takes_options else self.function.parameters.keys()
        if count < 0 or is_whole or not kwargs.keys() <= names:
            return None
        try:
            return (*bind(self.function, args[:count], kwargs), *args[count:])
        except TypeError:  # told of the parameters and the directions together
            return None


def bind(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments in parameter order, with keywords and defaults filled in. Raises TypeError as Python does.

    >>> def f(x, k=2.0):
    ...     return k * x
    >>> bind(WithDirections(inspect.signature(f), ("x_dot",)), (1.0, 0.5), {})
    (1.0, 2.0, 0.5)
    """
    if isinstance(signature, WithDirections) and (found := signature.split(args, kwargs)) is not None:
        return found
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return tuple(bound.arguments[name] for name in signature.parameters)


def refuse_single(values: Any, name: str) -> None:
    """Raise BadType unless `values`, an argument of this name, is a tuple or list with one value for each parameter."""
    if not isinstance(values, (tuple, list)):
        raise BadType(f"`{name}` is of type {type(values).__name__}", hint="give a tuple, also of a single value: (x,)")


def with_batch(function: Callable[..., Any], parameters: tuple[Any, ...], batch: Any) -> tuple[Any, ...]:
    """The arguments of a call by which a batch follows the parameters: as the last one, or a tuple as the last ones.

    Raises BadArgument if the function takes another number of arguments.

    >>> with_batch(lambda w, x, y: None, (1.0,), (2.0, 3.0))
    (1.0, 2.0, 3.0)
    """
    given = batch if isinstance(batch, tuple) else (batch,)
    try:
        inspect.signature(function).bind(*parameters, *given)
    except TypeError as problem:
        name = name_of(function)
        parts = f"{len(given)} arguments, one for each element of the tuple" if len(given) != 1 else "one argument"
        raise BadArgument(
            f"a batch is given to `{name}` as {parts}: {problem}",
            hint=f"give `{name}` a parameter for each, or batches that are lists or arrays",
        ) from None
    return (*parameters, *given)


class Binding:
    """`bind` for many calls of one function. The common cases do not go through `inspect`.

    >>> import inspect
    >>> Binding(inspect.signature(lambda x, scale=2.0, shift=1.0: None))((3.0,), {"shift": 5.0})
    (3.0, 2.0, 5.0)
    """

    def __init__(self, signature: inspect.Signature) -> None:
        self._signature = signature
        parameters = signature.parameters.values()
        self._names = tuple(signature.parameters)
        self._defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
        self._is_simple = all(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in the order of the parameters. Raises TypeError as Python does."""
        rest, named = [], 0
        if self._is_simple and len(args) <= len(self._names):
            for name in self._names[len(args) :]:
                if name in kwargs:
                    rest.append(kwargs[name])
                    named += 1
                elif name in self._defaults:
                    rest.append(self._defaults[name])
                else:
                    break
            if len(args) + len(rest) == len(self._names) and named == len(kwargs):
                return (*args, *rest)
        return bind(self._signature, args, kwargs)
