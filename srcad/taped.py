"""`Function`: what `srcad.function` makes, the compiled primal that a tape records as one node.

The node holds a `Pulled`: the trace of the forward function, with the arguments that the reverse function reads. Its
derivative, which tapes within tapes ask for, is compiled as well: a Hessian times a vector, of the weighted results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import typeof_impl

from srcad.errors import NotDifferentiable, TapeMisuse
from srcad.gradient import Derivative, bind, name_of, plain_function, shape_of, signature_of
from srcad.pullback import Pair
from srcad.remember import remembered
from srcad.runtime.active import active
from srcad.runtime.call import record_call
from srcad.runtime.nest import flatten
from srcad.runtime.operand import Operand
from srcad.transforms.weigh import weighted
from srcad.version import Request, Version, compiled_routine, kind_of, uncompiled_routine


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
        self._count = len(self.__signature__.parameters)
        self._core = Derivative(function, Request("core", ()), jit)
        self._pairs: dict[tuple[Any, ...], Differentiated | None] = {}
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
        if not recorded:
            for each in (*args, *kwargs.values()) if kwargs else args:
                if isinstance(each, Operand):
                    recorded = True
                    break
            else:
                return self._core(*args, **kwargs)
        if kwargs or len(args) != self._count:
            args = bind(self.__signature__, args, kwargs)
        version = self._version()
        if not version.unit.hidden:
            return record_call(self, args)
        return record_call(self, args, self.captured_variables(), self.captured_arrays())

    def primal(self, values: Sequence[Any]) -> Any:
        """The value for arguments, followed by values of the captured variables."""
        version = self._version()
        found = self._core(*values[: len(version.own_parameters)])
        if not version.unit.hidden:
            return found
        theirs = [each for each in version.hidden() if isinstance(each, np.ndarray)]
        return _apart(found, theirs)

    def forward(self, values: Sequence[Any], arrays: Sequence[Any] | None = None) -> tuple[Any, Any]:
        """The value and its pullback, from its adjoint to those of all `values`; None for what has no derivative.

        `values` are the arguments, followed by values of the captured variables; `arrays` stand for the captured
        arrays. Neither may change as long as the pullback is to be called.
        """
        version = self._version()
        arguments = tuple(values)
        if version.unit.hidden:
            arguments = version.with_captured(values, self.captured_arrays() if arrays is None else arrays)
        made = self._differentiated(version, arguments)
        if made is None:
            own = len(version.own_parameters)
            return self._core(*values[:own]), lambda bar: (None,) * len(values)
        value, trace = made.pair.forward(*arguments)
        return value, Pulled(made, arguments, value, trace)

    def _version(self) -> Version:
        """The function as it is now, with what has been generated from it."""
        version = self._core.current()
        if version is not self._paired:
            self._paired = version
            self._pairs.clear()
        return version

    def captured_variables(self) -> tuple[Any, ...]:
        """The variables that the function reads besides its arguments."""
        return tuple(each for each in self._version().captured() if isinstance(each, Operand))

    def captured_arrays(self) -> tuple[Any, ...]:
        """The arrays that the function reads besides its arguments."""
        return tuple(each for each in self._version().captured() if not isinstance(each, Operand))

    def _differentiated(self, version: Version, arguments: tuple[Any, ...]) -> Differentiated | None:
        """What differentiates by all arguments that have a derivative; None if there are none."""
        key = tuple([each.dtype if isinstance(each, np.ndarray) else type(each) for each in arguments])
        if key in self._pairs:
            return self._pairs[key]
        kinds = [kind_of(name, each) for name, each in zip(version.unit.parameters, arguments, strict=True)]
        wrt = tuple(place for place, kind in enumerate(kinds) if is_differentiable(kind))
        found = self._pairs[key] = Differentiated(version, wrt, self._core.jit) if wrt else None
        return found


class Differentiated:
    """The generated functions for one choice of arguments that have a derivative."""

    def __init__(self, version: Version, wrt: tuple[int, ...], jit: bool) -> None:
        self.version, self.wrt, self.jit = version, wrt, jit
        self.pair = Pair(version.asked(Request("vjp", wrt)), jit)
        variables = version.variable_places()
        own = len(version.own_parameters)
        # What the tape knows as arguments: the user's own, then the captured variables.
        self.seen = (*range(own), *(own + place for place in variables))
        self.places = tuple(wrt.index(each) if each in wrt else None for each in self.seen)
        self.in_order = self.places == tuple(range(len(wrt)))
        self._tangents: dict[tuple[int, ...], Callable[..., Any]] = {}
        self._products: dict[tuple[int | None, ...], Callable[..., Any]] = {}

    def tangent(self, moving: tuple[int, ...]) -> Callable[..., Any]:
        """The value and its tangent, where these arguments move."""
        if moving not in self._tangents:
            self._tangents[moving] = self._routine(self.version.asked(Request("tangent", moving)))
        return self._tangents[moving]

    def products(self, ranks: tuple[int | None, ...]) -> Callable[..., Any]:
        """The Hessian of the weighted results times a vector; the weights follow the user's own arguments."""
        if ranks not in self._products:
            unit = weighted(self.version.unit, ranks)
            own, count = len(self.version.own_parameters), sum(rank is not None for rank in ranks)
            wrt = (*(each + count * (each >= own) for each in self.wrt), *range(own, own + count))
            version = Version(self.version.function, Request("hvp", tuple(sorted(wrt))), unit)
            self._products[ranks] = self._routine(version)
        return self._products[ranks]

    def _routine(self, version: Version) -> Callable[..., Any]:
        """The function for all parameters and a direction of each that moves."""
        if not self.jit:
            return uncompiled_routine(version, 0)
        unit, request = version.unit, version.request
        names = unit.names.copy()
        dots = [names.fresh(f"{unit.parameters[place]}_dot") for place in request.wrt]
        return compiled_routine(version, 0, shape_of(f"{unit.name}_{request.mode}", (*unit.parameters, *dots)))


class Pulled:
    """The pullback of one call: its trace and arguments, and the functions that read them."""

    __slots__ = ("arguments", "made", "trace", "value")

    def __init__(self, made: Differentiated, arguments: tuple[Any, ...], value: Any, trace: Any) -> None:
        self.made, self.arguments, self.value, self.trace = made, arguments, value, trace

    def __call__(self, bar: Any) -> Sequence[Any]:
        """The adjoints of the arguments and of the captured variables, for that of the value."""
        found: Sequence[Any] = self.made.pair.reverse(*self.arguments, self.trace, bar)
        if self.made.in_order:
            return found
        return [None if place is None else found[place] for place in self.made.places]

    def again(self, bar: Any, directions: Sequence[Any]) -> tuple[list[Any], Any]:
        """The adjoints of what the pullback was computed from, for those of its results: of the arguments, of `bar`."""
        made = self.made
        leaves, bars = flatten(self.value), flatten(bar)
        if any(np.iscomplexobj(each) for each in (*self.arguments, *leaves)):
            raise NotDifferentiable(f"{made.version.unit.name}: complex second derivatives by a tape")
        ranks = tuple(np.ndim(each) if np.result_type(each).kind == "f" else None for each in leaves)
        weights = [each for each, rank in zip(bars, ranks, strict=True) if rank is not None]
        if not weights:
            raise NotDifferentiable(f"{made.version.unit.name} has no result that can have a derivative")
        own = len(made.version.own_parameters)
        given = (*self.arguments[:own], *map(_plain, weights), *self.arguments[own:])
        towards = dict(zip(made.seen, directions, strict=True))
        dots = [_direction(towards.get(place), self.arguments[place]) for place in made.wrt]
        before = sum(place < own for place in made.wrt)
        dots[before:before] = [_direction(None, each) for each in weights]
        found = list(made.products(ranks)(*given, *dots))
        by_bar = iter(found[before : before + len(weights)])
        by_argument = dict(zip(made.wrt, found[:before] + found[before + len(weights) :], strict=True))
        moved = [next(by_bar) if rank is not None else None for rank in ranks]
        return [by_argument.get(place) for place in made.seen], moved

    def push(self, directions: Sequence[Any]) -> Any:
        """The tangents of the value, for directions of the arguments and the captured variables."""
        made = self.made
        towards = {place: each for place, each in zip(made.seen, directions, strict=True) if each is not None}
        moving = tuple(place for place in made.wrt if place in towards)
        dots = [_direction(towards[place], self.arguments[place]) for place in moving]
        return made.tangent(moving)(*self.arguments, *dots)[1]

    def check_captured(self) -> None:
        """Raises TapeMisuse if a captured number or array is not what it was."""
        version = self.made.version
        held = self.arguments[len(version.own_parameters) :]
        same = version.is_current() and all(
            isinstance(now, Operand) or np.array_equal(now, then, equal_nan=True)
            for now, then in zip(version.captured(), held, strict=True)
        )
        if not same:
            raise TapeMisuse(
                f"what {version.unit.name} captures was changed since the call was recorded",
                hint="take the gradient before the change, or pass the value as an argument",
            )


def _plain(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) and value.ndim else np.asarray(value)[()]


def _direction(given: Any, like: Any) -> Any:
    """A tangent in the type of what it belongs to; zeros for None."""
    if isinstance(like, np.ndarray):
        return np.zeros(like.shape, like.dtype) if given is None else np.array(given, like.dtype)
    return type(like)(0.0 if given is None else given)


def _apart(found: Any, theirs: Sequence[Any]) -> Any:
    """What a function has returned, copied where it shares memory with arrays of the user's."""
    if isinstance(found, tuple):
        parts = [_apart(each, theirs) for each in found]
        return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
    if isinstance(found, np.ndarray) and any(np.may_share_memory(found, each) for each in theirs):
        return found.copy()
    return found


def function_of(function: Callable[..., Any], jit: bool) -> Function:
    """The `Function` of a function, the same object when asked for again."""
    if isinstance(function, Function):
        return function
    return remembered(function, ("function", jit), lambda: Function(function, jit))


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
