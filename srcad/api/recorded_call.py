"""The pullback that a tape keeps for one call of a compiled function, and the generated functions that it runs.

`Pulled` holds the trace of the forward function and the arguments that the reverse function reads. Nested tapes
differentiate the pullback itself: that derivative is compiled as well, as the product of a vector with the Hessian of
the weighted results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core import types

from srcad.api.signature_stubs import shape_of
from srcad.api.vjp_pair import Pair
from srcad.driver.compiled_routines import compiled_routine, uncompiled_routine
from srcad.driver.jacobian_loops import columns, rows
from srcad.driver.version import Request, Version
from srcad.errors import TapeMisuse
from srcad.refusals.derivatives import COMPLEX_SECOND_BY_TAPE, NO_DIFFERENTIABLE_RESULT
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.jit.uncompiled_trace import Kept
from srcad.runtime.support.array_snapshots import emptied
from srcad.runtime.support.nested_structures import flatten, map_leaves
from srcad.runtime.tape.core.operand import Operand
from srcad.transforms.sweeps.weighted_result import weighted

_LARGE = 1024  # arrays of at least this many elements are replaced by an empty shell


class Differentiated:
    """The generated functions for one choice of arguments to differentiate with respect to."""

    def __init__(self, version: Version, wrt: tuple[int, ...], jit: bool, has_single: bool = False) -> None:
        self.version, self.wrt, self.jit = version, wrt, jit
        # Whether Numba may return as double what it has computed in single precision.
        self.is_single = jit and has_single
        self.pair = Pair(version.asked(Request("vjp", wrt)), jit)
        variables = version.variable_places()
        own = len(version.own_parameters)
        # The inputs of the tape's node: the user's own arguments, then the captured variables.
        self.seen = (*range(own), *(own + place for place in variables))
        self.places = tuple(wrt.index(each) if each in wrt else None for each in self.seen)
        self.in_order = self.places == tuple(range(len(wrt)))
        self._rows: Callable[..., Any] | None = None
        self._columns: dict[int, Callable[..., Any]] = {}
        self._tangents: dict[tuple[int, ...], Callable[..., Any]] = {}
        self._products: dict[tuple[int | None, ...], Callable[..., Any]] = {}

    def rows(self, arguments: tuple[Any, ...], trace: Any, zeros: Any) -> Sequence[Any]:
        """The adjoints for all unit cotangents of the single result, in one loop, compiled where possible."""
        if self.jit and not isinstance(trace, Kept):
            if self._rows is None:
                names = tuple(f"a{place}" for place in range(len(arguments) + 2))
                self._rows = compiled_routine(self.pair.version, 2, shape_of("rows", names), must_compile=True)
            try:
                found: Sequence[Any] = self._rows(*arguments, trace, zeros)
            except CannotType:
                pass
            else:
                return found
        return rows(self.pair.reverse, arguments, trace, zeros, len(self.wrt))

    def columns(self, arguments: tuple[Any, ...], moving: int, zeros: Any) -> Any:
        """The tangents of the single result for all unit directions of one argument, in one loop."""
        if self.jit:
            if moving not in self._columns:
                names = tuple(f"a{place}" for place in range(len(arguments) + 1))
                version = self.version.asked(Request("tangent", (moving,)))
                self._columns[moving] = compiled_routine(version, 1, shape_of("columns", names), must_compile=True)
            try:
                return self._columns[moving](*arguments, zeros)
            except CannotType:
                pass
        return columns(self.tangent((moving,)), arguments, zeros, isinstance(arguments[moving], np.ndarray))

    def tangent(self, moving: tuple[int, ...]) -> Callable[..., Any]:
        """The function that computes the value and its tangent when the arguments at `moving` move."""
        if moving not in self._tangents:
            self._tangents[moving] = self._routine(self.version.asked(Request("tangent", moving)))
        return self._tangents[moving]

    def products(self, ranks: tuple[int | None, ...]) -> Callable[..., Any]:
        """The function that multiplies the Hessian of the weighted results with a vector.

        The weights are parameters after the user's own; `ranks` has the rank of each result's weight, None for results
        without.
        """
        if ranks not in self._products:
            unit = weighted(self.version.unit, ranks)
            own, count = len(self.version.own_parameters), sum(rank is not None for rank in ranks)
            wrt = (*(each + count * (each >= own) for each in self.wrt), *range(own, own + count))
            request = Request("hvp", tuple(sorted(wrt)), options=self.version.request.options)
            version = Version(self.version.function, request, unit)
            self._products[ranks] = self._routine(version)
        return self._products[ranks]

    def _routine(self, version: Version) -> Callable[..., Any]:
        """The function of all parameters and of a direction for each of those in the request's `wrt`."""
        if not self.jit:
            return uncompiled_routine(version, 0)
        unit, request = version.unit, version.request
        names = unit.names.copy()
        dots = [names.fresh(f"{unit.parameters[place]}_dot") for place in request.wrt]
        return compiled_routine(version, 0, shape_of(f"{unit.name}_{request.mode}", (*unit.parameters, *dots)))


def _is_small(value: Any) -> bool:
    """Whether a value takes little memory: numbers, small arrays, or a tuple of these."""
    if type(value) is not tuple:
        return type(value) is np.ndarray and value.size < _LARGE
    for each in value:
        if type(each) is not float and not (type(each) is np.ndarray and each.size < _LARGE):
            return False
    return True


class Pulled:
    """The pullback of one call: the trace, the arguments, and the functions that read them."""

    __slots__ = ("arguments", "made", "trace", "value")

    def __init__(self, made: Differentiated, arguments: tuple[Any, ...], value: Any, trace: Any) -> None:
        self.made, self.arguments, self.value, self.trace = made, arguments, value, trace
        if type(value) is not float and not _is_small(value):
            self.value = map_leaves(emptied, value)  # only shapes and dtypes are read

    @property
    def held(self) -> tuple[Any, ...]:
        """The memory that the call keeps alive: its arguments and its trace."""
        return *self.arguments, self.trace.trace if isinstance(self.trace, Kept) else self.trace

    def __call__(self, bar: Any) -> Sequence[Any]:
        """The adjoints of the arguments and of the captured variables, for the adjoint of the value."""
        found: Sequence[Any] = self.made.pair.reverse(*self.arguments, self.trace, bar)
        if self.made.in_order:
            return found
        return [None if place is None else found[place] for place in self.made.places]

    def jacobian(self, wanted: Sequence[int]) -> list[Any] | None:
        """The Jacobian of a call with one result, by some of the arguments: the result's axes come first.

        None if complex numbers are involved, or an argument has no derivative. Forward mode takes a sweep for each
        element of the arguments, reverse mode one for each element of the result; the cheaper one is taken.
        """
        made = self.made
        inputs = [self.arguments[made.seen[place]] for place in wanted]
        if self._is_complex() or any(made.places[place] is None for place in wanted):
            return None
        size, dtype = np.size(self.value), np.result_type(self.value)
        if sum(np.size(each) for each in inputs) < size:
            return [self._columns(made.seen[place]) for place in wanted]
        zeros = np.zeros(np.shape(self.value), dtype)
        found = made.rows(self.arguments, self.trace, zeros)
        return [found[place] for place in map(made.places.__getitem__, wanted) if place is not None]

    def _columns(self, moving: int) -> Any:
        argument = self.arguments[moving]
        zeros = np.zeros(np.shape(argument) or (1,), np.result_type(argument))
        found = self.made.columns(self.arguments, moving, zeros)
        return np.moveaxis(found, 0, -1).reshape(np.size(self.value), *np.shape(argument))

    def _is_complex(self) -> bool:
        return any(np.iscomplexobj(each) for each in (*self.arguments, *flatten(self.value)))

    def again(self, bar: Any, directions: Sequence[Any]) -> tuple[list[Any], Any]:
        """Differentiate the pullback: from adjoints of its results to the adjoints of the arguments and of `bar`."""
        made = self.made
        leaves, bars = flatten(self.value), flatten(bar)
        if self._is_complex():
            raise COMPLEX_SECOND_BY_TAPE.error(function=made.version.unit.name)
        ranks = tuple(np.ndim(each) if np.result_type(each).kind == "f" else None for each in leaves)
        weights = [each for each, rank in zip(bars, ranks, strict=True) if rank is not None]
        if not weights:
            raise NO_DIFFERENTIABLE_RESULT.error(function=made.version.unit.name)
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
        """The tangents of the value, for directions of the arguments and of the captured variables."""
        made = self.made
        towards = {place: each for place, each in zip(made.seen, directions, strict=True) if each is not None}
        moving = tuple(place for place in made.wrt if place in towards)
        dots = [_direction(towards[place], self.arguments[place]) for place in moving]
        return made.tangent(moving)(*self.arguments, *dots)[1]

    def check_captured(self) -> None:
        """Raise TapeMisuse if a captured number or array has changed since the call was recorded."""
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
    """A tangent in the type of `like`; zeros if `given` is None."""
    if isinstance(like, np.ndarray):
        return np.zeros(like.shape, like.dtype) if given is None else np.array(given, like.dtype)
    return type(like)(0.0 if given is None else given)


def is_differentiable(kind: Any) -> bool:
    """Whether values of this Numba type can have a derivative.

    >>> from numba import typeof
    >>> is_differentiable(typeof(1.0)), is_differentiable(typeof(np.ones(2))), is_differentiable(typeof(2))
    (True, True, False)
    """
    if isinstance(kind, types.Array):
        kind = kind.dtype
    return isinstance(kind, (types.Float, types.Complex))
