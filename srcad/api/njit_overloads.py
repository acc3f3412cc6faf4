"""Numba overloads of `srcad.grad`, `value_and_grad` and `hvp`, for calls inside `@njit`.

    @njit
    def descend(f, x):
        return x - 0.1 * srcad.grad(f)(x)

The function `f` is known by its type, and its derivative is a constant of the compiled code. `vjp`, `jvp`, `jacobian`
and `hessian` return Python objects, and are refused with a hint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba.core import types
from numba.extending import overload

from srcad.api.derivative_object import Derivative
from srcad.refusals.derivatives import NOT_A_NJIT_FUNCTION, NOT_CALLABLE_INSIDE_NJIT, NOT_INSIDE_NJIT, RUNTIME_OPTION
from srcad.runtime.support.numba_refresh import refresh_if_compiling


def register(makers: Sequence[Callable[..., Any]], others: Sequence[Callable[..., Any]]) -> None:
    """Make functions known to Numba: `makers` return a derivative for `f` and `wrt`; the `others` are refused."""
    for make in makers:
        _overload_with_wrt(make)
    for make in others:
        _refuse(make)
    refresh_if_compiling()


def _known(kind: Any, what: str) -> Any:
    """The compile-time value of an argument of this type."""
    if isinstance(kind, types.Omitted):
        return kind.value
    if isinstance(kind, types.NoneType):
        return None
    if isinstance(kind, types.Literal):
        return kind.literal_value
    if isinstance(kind, types.BaseTuple):
        return tuple(_known(each, what) for each in kind)
    if isinstance(kind, (bool, int, str, tuple, type(None))):  # a default
        return kind
    raise RUNTIME_OPTION.error(option=what)


def _function(kind: Any) -> Any:
    if not isinstance(kind, types.Dispatcher):
        raise NOT_A_NJIT_FUNCTION.error(what=kind)
    from srcad.api.njit_arguments import function_of

    return function_of(kind.dispatcher)


def _constant(value: Any) -> Any:
    """`value`, if it is a derivative that compiled code can call. Raises NotDifferentiable otherwise."""
    if not isinstance(value, Derivative):
        raise NOT_INSIDE_NJIT.error(function=value.__name__)
    return value


def _overload_with_wrt(make: Callable[..., Any]) -> None:
    def typed(f: Any, wrt: Any = 0, boundscheck: Any = None) -> Callable[..., Any]:
        checks = _known(boundscheck, "boundscheck")
        made = _constant(make(_function(f), _known(wrt, "wrt"), boundscheck=checks))
        return lambda f, wrt=0, boundscheck=None: made

    overload(make, prefer_literal=True, strict=False)(typed)


def _refuse(make: Callable[..., Any]) -> None:
    def typed(f: Any, *args: Any) -> None:
        raise NOT_CALLABLE_INSIDE_NJIT.error(function=make.__name__)

    overload(make, strict=False)(typed)
