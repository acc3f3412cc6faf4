"""Gradients of functions that return a pair: the value to differentiate, and what else they have computed (`has_aux`).

The function is wrapped so that the second result is a constant: no derivative of it is computed.

    def loss_with_aux(params, x):
        pair = loss(params, x)
        return pair[0], stop_gradient(pair[1])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.api.argument_binding import bind
from srcad.driver.memoisation import remembered
from srcad.frontend.load_source import name_of, signature_of
from srcad.frontend.wrappers import with_defaults, written
from srcad.names import Names
from srcad.refusals.derivatives import NO_AUXILIARY
from srcad.refusals.types_and_results import RESULT_NOT_SCALAR
from srcad.runtime.stop_gradient import stop_gradient

_NO_PAIR = "with has_aux=True a function returns a pair"


def pair_and_pullback(
    function: Callable[..., Any], pulled: Callable[..., tuple[Any, Callable[[Any], Any]]], args: tuple[Any, ...]
) -> tuple[tuple[Any, Any], Callable[[Any], Any]]:
    """The pair that a function returns, and its pullback, which `pulled` makes for a function and its arguments."""
    try:
        return pulled(with_constant_auxiliary(function), *args)
    except TypeError as problem:
        if problem.args[:1] != (_NO_PAIR,):
            raise
        raise NO_AUXILIARY.error(function=name_of(function)) from None


def with_constant_auxiliary(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the same parameters that returns the same pair, of which the second part is a constant.

    It raises TypeError where `function` returns no pair. Calls with the same function return the same object.

    >>> made = with_constant_auxiliary(lambda x: (x * x, {"twice": 2.0 * x}))
    >>> made(3.0)
    (9.0, {'twice': 6.0})
    """
    return remembered(function, "with auxiliary", lambda: _wrapped(function))


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = signature_of(function)
    names = Names(signature.parameters)
    called, stop, pair = (names.fresh(each) for each in ("function", "stop_gradient", "pair"))
    given = ", ".join(signature.parameters)
    name = f"{name_of(function)}_with_aux"
    text = (
        f"def {name}({given}):\n"
        f"    {pair} = {called}({given})\n"
        f"    if not isinstance({pair}, tuple) or len({pair}) != 2:\n"
        f"        raise TypeError({_NO_PAIR!r})\n"
        f"    return {pair}[0], {stop}({pair}[1])\n"
    )
    return with_defaults(written(text, name, {called: function, stop: stop_gradient}), signature)


class GradientWithAuxiliary:
    """The callable that `srcad.grad(f, has_aux=True)` and `value_and_grad(f, has_aux=True)` return."""

    __srcad_primitive__ = True

    def __init__(
        self, function: Callable[..., Any], pulled: Callable[..., tuple[Any, Callable[[Any], Any]]], with_value: bool
    ) -> None:
        """`pulled` takes the function and its arguments, and gives the value and a pullback to what is asked for."""
        self._function, self._pulled, self._with_value = function, pulled, with_value
        self.__name__ = f"{name_of(function)}_{'value_and_grad' if with_value else 'grad'}"
        self.__signature__ = signature_of(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The gradient and the auxiliary result; with the value, the pair of value and auxiliary result comes first."""
        args = bind(self.__signature__, args, kwargs)
        pair, pull = pair_and_pullback(self._function, self._pulled, args)
        value, auxiliary = pair
        if np.size(value) != 1 or np.iscomplexobj(value):
            what = "a complex number" if np.size(value) == 1 else f"an array of shape {np.shape(value)}"
            way = "return one real number first, or use srcad.vjp or srcad.jacobian"
            raise RESULT_NOT_SCALAR.error(function=name_of(self._function), what=what, way=way)
        # The adjoint of the auxiliary result is read by nothing: any value of its form will do.
        gradient = pull((np.ones_like(value) if np.ndim(value) else 1.0, auxiliary))
        return (pair, gradient) if self._with_value else (gradient, auxiliary)
