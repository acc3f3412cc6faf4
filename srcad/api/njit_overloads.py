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

from srcad.api.derivative import Derivative
from srcad.errors import NotDifferentiable, UnsupportedSyntax
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
    if isinstance(kind, types.Literal):
        return kind.literal_value
    if isinstance(kind, types.BaseTuple):
        return tuple(_known(each, what) for each in kind)
    if isinstance(kind, (bool, int, str, tuple, type(None))):  # a default
        return kind
    raise UnsupportedSyntax(
        f"`{what}` is known only at run time, in a derivative that is made inside @njit",
        hint="write a constant, or make the derivative outside",
    )


def _function(kind: Any) -> Any:
    if not isinstance(kind, types.Dispatcher):
        raise UnsupportedSyntax(
            f"a derivative is made inside @njit of {kind}, which is no function under @njit",
            hint="put @njit on the function, or make the derivative outside",
        )
    from srcad.api.njit_arguments import function_of

    return function_of(kind.dispatcher)


def _constant(value: Any) -> Any:
    """`value`, if it is a derivative that compiled code can call. Raises NotDifferentiable otherwise."""
    if not isinstance(value, Derivative):
        raise NotDifferentiable(
            f"{value.__name__} cannot be called inside @njit",
            hint="call it from Python, or use srcad.hvp of the function",
        )
    return value


def _overload_with_wrt(make: Callable[..., Any]) -> None:
    def typed(f: Any, wrt: Any = 0) -> Callable[..., Any]:
        made = _constant(make(_function(f), _known(wrt, "wrt")))
        return lambda f, wrt=0: made

    overload(make, prefer_literal=True, strict=False)(typed)


def _refuse(make: Callable[..., Any]) -> None:
    def typed(f: Any, *args: Any) -> None:
        raise UnsupportedSyntax(
            f"srcad.{make.__name__} cannot be called inside @njit",
            hint="call it from Python; inside @njit there are srcad.grad, value_and_grad, hvp and function",
        )

    overload(make, strict=False)(typed)
