"""`custom_vjp` and `custom_jvp`: functions with a derivative rule of the user's own, in the form that JAX has them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

import numba
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import typeof_impl

from srcad.driver.compiled_routines import compiled_routine
from srcad.driver.version import Request, Version
from srcad.errors import BadArgument, BadType, Place
from srcad.frontend.calls_by_rule import UsersRule
from srcad.frontend.load_source import name_of, signature_of
from srcad.refusals.users_rules import RULE_MISSING
from srcad.runtime.tape.core.operand import Operand
from srcad.transforms.inference.subroutine_types import Subroutine


class CustomRule:
    """A function with a rule of the user's own."""

    __srcad_custom__ = True
    __name__: str
    _decorator = ""
    _giving = ""

    def __init__(self, function: Callable[..., Any], nondiff_argnums: int | Sequence[int] = ()) -> None:
        functools.update_wrapper(self, _needs_callable(function, f"what {self._decorator} gets"))
        self.__wrapped__ = self.__wrapped_primal__ = function
        self.__name__ = name_of(function)
        self.__signature__ = signature_of(function)
        given: tuple[Any, ...] = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)
        count = len(self.__signature__.parameters)
        for each in given:
            if not isinstance(each, int) or not -count <= each < count:
                raise BadArgument(
                    f"nondiff_argnums has {each!r}, and `{self.__name__}` has {count} parameters",
                    hint="give positions of parameters, counted from 0",
                )
        self.constant = tuple(sorted({each % count for each in given}))
        # The rule, under the key by which derivatives compare it: a new one makes them again.
        self.state: dict[str, UsersRule | None] = {"rule": None}

    def __repr__(self) -> str:
        return f"<srcad {self._decorator} {self.__name__}>"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The value; a tape that records the arguments records the call by its rule."""
        if any(isinstance(each, Operand) for each in (*args, *kwargs.values())):
            from srcad.api.compiled_function import function_of

            return function_of(self, True)(*args, **kwargs)
        return self.__wrapped__(*args, **kwargs)

    def rule_at(self, place: Place | None) -> UsersRule:
        """The rule. Raises MissingRule if it has not been given."""
        rule = self.state["rule"]
        if rule is None:
            raise RULE_MISSING.at(
                place,
                function=self.__name__,
                decorator=f"srcad.{self._decorator}",
                call=f"`{self.__name__}.{self._giving}`",
            )
        return rule

    def _state(self, kind: str, functions: tuple[Any, ...], by_argument: bool = False) -> None:
        for each in functions:
            if each is not None:
                _needs_callable(each, f"a part of the rule of `{self.__name__}`")
        self.state["rule"] = UsersRule(self.__wrapped__, kind, functions, by_argument, self.constant, _transposed)

    @functools.cached_property
    def dispatcher(self) -> Dispatcher:
        """The function itself, for code under `@njit`."""
        function = self.__wrapped__
        return function if isinstance(function, Dispatcher) else numba.njit(function)


def _needs_callable(function: Any, what: str) -> Any:
    if not callable(function):
        raise BadType(f"{what} is a {type(function).__name__}, not a function", hint="pass the function itself")
    return function


def _transposed(function: Subroutine, wrt: tuple[int, ...]) -> Any:
    """The gradient of a function in core form, as a dispatcher that compiled code can call."""
    version = Version(function, Request("grad", wrt, True), function.unit)
    names = ", ".join(f"a{k}" for k in range(len(function.unit.parameters)))
    namespace: dict[str, Any] = {}
    exec(f"def shape({names}): pass", namespace)
    return compiled_routine(version, 0, namespace["shape"], assumes=False)


class CustomVjp(CustomRule):
    """What `custom_vjp` returns."""

    _decorator, _giving = "custom_vjp", "defvjp(forward, backward)"

    def defvjp(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> None:
        """Give the rule: `forward(*args)` returns `value, saved`; `backward(saved, y_bar)` the adjoints as a tuple."""
        self._state("vjp", (forward, backward))


def custom_vjp(f: Callable[..., Any] | None = None, nondiff_argnums: int | Sequence[int] = ()) -> Any:
    """Give a function a rule for reverse mode. Usable as a decorator.

    >>> import numpy as np, srcad
    >>> @srcad.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> def clipped_forward(x):
    ...     return x, None
    >>> def clipped_backward(saved, y_bar):
    ...     return (np.minimum(y_bar, 1.0),)
    >>> clipped.defvjp(clipped_forward, clipped_backward)
    >>> srcad.grad(lambda x: 5.0 * clipped(x))(3.0)
    1.0
    """
    if f is None:
        return functools.partial(custom_vjp, nondiff_argnums=nondiff_argnums)
    return CustomVjp(f, nondiff_argnums)


class CustomJvp(CustomRule):
    """What `custom_jvp` returns."""

    _decorator, _giving = "custom_jvp", "defjvp(jvp)"

    def defjvp(self, jvp: Callable[..., Any]) -> Callable[..., Any]:
        """Give the rule: `jvp(primals, tangents)` returns the value and its tangent. Usable as a decorator."""
        self._state("jvp", (jvp,))
        return jvp

    def defjvps(self, *jvps: Callable[..., Any] | None) -> None:
        """Give a tangent function for each argument, or None: `jvp(x_dot, value, *primals)`."""
        self._state("jvp", jvps, by_argument=True)


def custom_jvp(f: Callable[..., Any] | None = None, nondiff_argnums: int | Sequence[int] = ()) -> Any:
    """Give a function a rule for forward mode, from which its gradient follows. Usable as a decorator.

    >>> import srcad
    >>> @srcad.custom_jvp
    ... def square(x):
    ...     return x * x
    >>> @square.defjvp
    ... def square_jvp(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     return x * x, 2.0 * x * x_dot
    >>> srcad.grad(square)(3.0), srcad.jvp(square, (3.0,), (1.0,))
    (6.0, (9.0, 6.0))
    """
    if f is None:
        return functools.partial(custom_jvp, nondiff_argnums=nondiff_argnums)
    return CustomJvp(f, nondiff_argnums)


@typeof_impl.register(CustomRule)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _typeof(value: CustomRule, context: Any) -> types.Dispatcher:
    return types.Dispatcher(value.dispatcher)
