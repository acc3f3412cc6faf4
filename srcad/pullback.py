"""A forward and a reverse function with the trace between them: what `srcad.vjp` and calls under a tape run.

    value, trace = pair.forward(*arguments)
    adjoints = pair.reverse(*arguments, trace, result_bar)          any number of times

The trace is read, never used up. `Function` is what `srcad.function` makes: the compiled primal, that a tape records as
one node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import typeof_impl

from srcad.errors import BadArgument
from srcad.gradient import Derivative, bind, name_of, plain_function, shape_of, signature_of
from srcad.remember import remembered
from srcad.runtime.active import active
from srcad.runtime.call import record_call
from srcad.runtime.operand import Operand
from srcad.version import Request, Version, compiled_routine, kind_of, uncompiled_routine


class Pair:
    """The two functions of reverse mode, for adjoints of some of the parameters, hidden ones included."""

    def __init__(self, version: Version, jit: bool = True) -> None:
        self.version = version
        self.parameters = version.unit.parameters
        if not jit:
            self.forward, self.reverse = uncompiled_routine(version, 0), uncompiled_routine(version, 1)
            return
        name, names = version.unit.name, version.unit.names.copy()
        more = (names.fresh("trace"), names.fresh("result_bar"))
        self.forward = compiled_routine(version, 0, shape_of(f"{name}_forward", self.parameters))
        self.reverse = compiled_routine(version, 1, shape_of(f"{name}_reverse", (*self.parameters, *more)))

    def pullback(self, arguments: tuple[Any, ...], value: Any, trace: Any) -> Callable[[Any], tuple[Any, ...]]:
        """The linear function from an adjoint of the value to the adjoints of the arguments."""

        def pullback(cotangent: Any) -> tuple[Any, ...]:
            bar = matching(cotangent, value, "the cotangent")
            found: tuple[Any, ...] = self.reverse(*arguments, trace, bar)
            return found

        return pullback


class Pairs:
    """The pair for a function as it is now."""

    def __init__(self, function: Callable[..., Any], wrt: tuple[int, ...], jit: bool) -> None:
        self._function, self._request, self._jit = function, Request("vjp", wrt), jit
        self._held: tuple[Version, Pair] | None = None

    def current(self) -> tuple[Version, Pair]:
        """The function with the captured numbers of now, and its pair."""
        if self._held is None or not self._held[0].is_current():
            version = Version(self._function, self._request)
            self._held = version, Pair(version, self._jit)
        return self._held


def pair_of(function: Callable[..., Any], wrt: tuple[int, ...], jit: bool) -> Pairs:
    """The pairs of a function, the same object when asked for again."""
    return remembered(function, ("pairs", wrt, jit), lambda: Pairs(function, wrt, jit))


def function_of(function: Callable[..., Any], jit: bool) -> Function:
    """The `Function` of a function, the same object when asked for again."""
    if isinstance(function, Function):
        return function
    return remembered(function, ("function", jit), lambda: Function(function, jit))


def matching(given: Any, value: Any, what: str) -> Any:
    """A cotangent or tangent in the dtype of the value that it belongs to; its shape must be the value's."""
    if isinstance(value, tuple):
        if not isinstance(given, (tuple, list)) or len(given) != len(value):
            raise BadArgument(f"{what} of a tuple of {len(value)} is a tuple of as many", hint=f"not {given!r}")
        parts = [matching(bar, part, what) for bar, part in zip(given, value, strict=True)]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, np.ndarray):
        bar = np.asarray(given, dtype=value.dtype if value.dtype.kind in "fc" else float)
        if bar.shape != value.shape:
            raise BadArgument(f"{what} has the shape {bar.shape}, what it belongs to has {value.shape}")
        # Contiguous, so that the compiled function serves whatever the caller's layout is.
        return np.ascontiguousarray(bar) if bar.ndim else bar
    if np.ndim(given):
        raise BadArgument(f"{what} has the shape {np.shape(given)}, what it belongs to is a number")
    if isinstance(value, np.inexact):
        return value.dtype.type(given)
    return complex(given) if isinstance(value, complex) else float(given)


class Function:
    """A function that runs compiled, and that a `GradientTape` records as one node.

    >>> import srcad
    >>> @srcad.function
    ... def product(x, y=2.0):
    ...     return x * y
    >>> product(3.0), srcad.grad(product, wrt="y")(3.0)
    (6.0, 3.0)
    """

    def __init__(self, function: Callable[..., Any], jit: bool = True) -> None:
        self.__wrapped__ = self.__wrapped_primal__ = function
        self.__name__, self.__doc__ = name_of(function), plain_function(function).__doc__
        self.__module__, self.__qualname__ = plain_function(function).__module__, plain_function(function).__qualname__
        self.__signature__ = signature_of(function)
        self._core = Derivative(function, Request("core", ()), jit)
        self._pairs: dict[tuple[Any, ...], tuple[Pair | None, tuple[int | None, ...]]] = {}
        self._paired: Version | None = None

    def __repr__(self) -> str:
        return f"<srcad function {self.__name__}>"

    def __reduce__(self) -> Any:
        return Function, (self.__wrapped__, self._core.jit)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else Function(self.__wrapped__.__get__(instance), self._core.jit)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The value; under a tape, or on tensors, as tensors."""
        recorded = bool(active.tapes)
        for each in (*args, *kwargs.values()) if kwargs else args:
            recorded = recorded or isinstance(each, Operand)
        if not recorded:
            return self._core(*args, **kwargs)
        variables = self.captured_variables()
        return record_call(self, bind(self.__signature__, args, kwargs), variables)

    def primal(self, values: Sequence[Any]) -> Any:
        """The value for arguments, followed by values of the captured variables."""
        return self._core(*values[: len(values) - len(self.captured_variables())])

    def forward(self, values: Sequence[Any]) -> tuple[Any, Callable[[Any], Sequence[Any]]]:
        """The value and its pullback, from its adjoint to those of all `values`; None for what has no derivative.

        `values` are the arguments, followed by values of the captured variables.
        """
        version = self._version()
        count = len(version.own_parameters)
        captured = list(version.hidden())
        for place, value in zip(self._variable_places(version), values[count:], strict=True):
            captured[place] = value
        arguments = (*values[:count], *captured)
        pair, places = self._pair(arguments)
        if pair is None:
            return self._core(*values[:count]), lambda bar: (None,) * len(values)
        value, trace = pair.forward(*arguments)

        def pullback(bar: Any) -> list[Any]:
            found = pair.reverse(*arguments, trace, bar)
            own = [None if place is None else found[place] for place in places]
            return [*own[:count], *(own[count + place] for place in self._variable_places(version))]

        return value, pullback

    def _version(self) -> Version:
        """The function as it is now, with what has been generated from it."""
        version = self._core.current()
        if version is not self._paired:
            self._paired = version
            self._pairs.clear()
        return version

    def captured_variables(self) -> tuple[Any, ...]:
        """The variables that the function reads besides its arguments."""
        version = self._version()
        return tuple(version.unit.hidden[place].read() for place in self._variable_places(version))

    @staticmethod
    def _variable_places(version: Version) -> tuple[int, ...]:
        if not version.unit.hidden:
            return ()
        return tuple(place for place, each in enumerate(version.unit.hidden) if isinstance(each.read(), Operand))

    def _pair(self, arguments: tuple[Any, ...]) -> tuple[Pair | None, tuple[int | None, ...]]:
        """The functions that differentiate by all arguments that have a derivative, and where each one's adjoint is."""
        key = tuple([each.dtype if isinstance(each, np.ndarray) else type(each) for each in arguments])
        found = self._pairs.get(key)
        if found is None:
            version = self._version()
            kinds = [kind_of(name, each) for name, each in zip(version.unit.parameters, arguments, strict=True)]
            wrt = tuple(place for place, kind in enumerate(kinds) if is_differentiable(kind))
            places = tuple(wrt.index(place) if place in wrt else None for place in range(len(kinds)))
            pair = Pair(version.asked(Request("vjp", wrt)), self._core.jit) if wrt else None
            found = self._pairs[key] = pair, places
        return found


def is_differentiable(kind: Any) -> bool:
    """Whether values of this Numba type can have a derivative.

    >>> from numba import typeof
    >>> is_differentiable(typeof(1.0)), is_differentiable(typeof(np.ones(2))), is_differentiable(typeof(2))
    (True, True, False)
    """
    if isinstance(kind, types.Array):
        kind = kind.dtype
    return isinstance(kind, (types.Float, types.Complex))


@typeof_impl.register(Function)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _typeof_function(value: Function, context: Any) -> types.Dispatcher:
    """Inside `@njit` a function is its compiled primal."""
    native: Dispatcher = value._core.native
    return types.Dispatcher(native)
