"""`custom_gradient`: a function with a hand-written gradient; `recompute_grad`: a function recomputed for its gradient.

    @custom_gradient
    def log1pexp(x):
        e = np.exp(x)
        return np.log(1.0 + e), lambda upstream: upstream * (1.0 - 1.0 / (1.0 + e))

A tape records a call as one node, whose pullback is the gradient function that the call returned.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.errors import BadArgument, BadType
from srcad.refusals.tapes import VARIABLES_KEYWORD
from srcad.runtime.support.nested_structures import flatten, map_leaves
from srcad.runtime.support.untracked_conversions import check_return
from srcad.runtime.tape.core.active_recordings import Recording, Watcher, active
from srcad.runtime.tape.core.node import Node, Pairs
from srcad.runtime.tape.core.tensor import Tensor, tensor_of
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape, UnconnectedGradients
from srcad.runtime.tape.values.conversions import convert_to_tensor, is_tensor


class CustomGradient:
    """The callable that `custom_gradient` returns; it binds to an object like a method."""

    __srcad_primitive__ = True

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else CustomGradient(self._function.__get__(instance, owner))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The first of the two values that the function returns, as tensors."""
        watcher = Watcher()
        active.push(watcher)
        active.customs += 1
        try:
            result, gradient = _pair(self._function(*args, **kwargs), self._function)
        finally:
            active.customs -= 1
            active.remove(watcher)
        given = flatten(args)
        inputs = {id(each) for each in (*given, *flatten(kwargs))}
        variables = [each for each in watcher.watched_variables() if id(each) not in inputs]
        if variables and not _takes_variables(gradient):
            raise VARIABLES_KEYWORD.error(variables=variables)
        result = map_leaves(_as_new_tensor, result)
        values = [each._tensor if isinstance(each, Variable) else each for each in (*given, *variables)]
        node = CustomCall(values, len(given), result, gradient, variables)
        tapes = active.who_know([each._identity for each in node.inputs()])
        check_return(tapes, None, given)
        for tape in tapes:
            tape.append(node)
        return result


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Give a function a hand-written gradient. Usable as a decorator.

    `f(*x)` returns `(y, gradient)`. `gradient(*upstream)` takes the adjoints of `y` and returns those of `x`, one for
    each argument, None for an argument without. If `f` reads variables besides its arguments, `gradient` must have a
    parameter `variables`, and returns a pair: the adjoints of the arguments, and a list of the adjoints of the
    variables. Raises TypeError if it has no such parameter; `tape.gradient` raises ValueError if the counts do not
    match.

    Second derivatives differentiate the operations of `gradient`. `f` may call functions that have no rule. Forward
    mode transposes `gradient`, whereas TensorFlow differentiates the operations of `f`.

    >>> from srcad.runtime.tape.gradient_tape import GradientTape
    >>> from srcad.runtime.tape.values.conversions import constant
    >>> @custom_gradient
    ... def clipped(x):
    ...     return x, lambda upstream: np.clip(upstream, -1.0, 1.0)
    >>> x = constant(3.0)
    >>> with GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = clipped(x) * 5.0
    >>> float(tape.gradient(y, x))
    1.0
    """
    return custom_gradient if f is None else CustomGradient(needs_callable(f))


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Let tapes save nothing computed inside a function: it is run again when its gradient is computed.

    >>> from srcad.runtime.tape.gradient_tape import GradientTape
    >>> from srcad.runtime.tape.values.conversions import constant
    >>> x = constant(2.0)
    >>> with GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = recompute_grad(lambda x: np.sin(x) * x)(x)
    >>> round(float(tape.gradient(y, x)), 6)
    0.077004
    """
    needs_callable(f)

    @custom_gradient
    @functools.wraps(f)
    def recomputing(*args: Any, **kwargs: Any) -> tuple[Any, Callable[..., Any]]:
        with _nothing_recorded():
            result = f(*args, **kwargs)

        def gradient(*upstream: Any, variables: Sequence[Variable] | None = None) -> Any:
            watched = list(variables or ())
            with GradientTape() as tape:
                again = map_leaves(_same, args)
                tape.watch([each for each in flatten(again) if is_tensor(each)])
                tape.watch(watched)
                results = f(*again, **kwargs)
            sources = [each for each in flatten(again) if is_tensor(each)]
            zero = UnconnectedGradients.ZERO
            found = tape.gradient(results, [*sources, *watched], list(upstream), unconnected_gradients=zero)
            by_source = iter(found[: len(sources)])
            bars = [next(by_source) if is_tensor(each) else None for each in flatten(again)]
            return (bars, found[len(sources) :]) if variables is not None else bars

        return result, gradient

    recomputing.__wrapped__ = f
    return recomputing  # type: ignore[no-any-return]


class CustomCall(Node):
    """A recorded call of a function with a custom gradient. Places count its flattened arguments, then variables."""

    __slots__ = ("count", "given", "gradient", "result", "results", "variables")

    reads_more = True  # the gradient function may have captured anything

    def __init__(
        self, given: list[Any], count: int, result: Any, gradient: Callable[..., Any], variables: list[Variable]
    ) -> None:
        self.given, self.count, self.variables = given, count, variables
        self.gradient = gradient
        self.result = result
        self.results: list[Tensor] = flatten(result)

    def inputs(self) -> Sequence[Tensor]:
        """All tensors among the arguments and variables."""
        return [each for each in self.given if type(each) is Tensor]

    def outputs(self) -> Sequence[Tensor]:
        """The results that can have a derivative."""
        return [each for each in self.results if each.dtype.kind in "fc"]

    def pullback(self, bars: Sequence[Any], relevant: Collection[int], live: bool) -> Pairs:
        """The contributions to the adjoints of relevant inputs, by the gradient function."""
        if not any(each._identity in relevant for each in self.inputs()):
            return
        found = iter(bars)
        adjoints = self._pulled(
            [_as_tensor(next(found) if each.dtype.kind in "fc" else None, each) for each in self.results]
        )
        for tensor, given in zip(self.given, adjoints, strict=True):
            if given is not None and type(tensor) is Tensor and tensor._identity in relevant:
                bar = _fitting(convert_to_tensor(given), tensor)
                yield tensor, bar if live else bar._value

    def pushforward(self, dots: Mapping[int, Tensor], live: bool) -> Pairs:
        """The results with their tangents. The gradient function is linear, so it is transposed here."""
        bars = [tensor_of(np.zeros_like(each._value)[()]) for each in self.results]
        with GradientTape() as tape:
            tape.watch(bars)
            adjoints = self._pulled(bars)
        pairs = [
            (_fitting(convert_to_tensor(adjoint), each), dots[each._identity])
            for adjoint, each in zip(adjoints, self.given, strict=True)
            if adjoint is not None and type(each) is Tensor and each._identity in dots
        ]
        found = tape.gradient([adjoint for adjoint, _ in pairs], bars, [dot for _, dot in pairs]) if pairs else []
        return list(zip(self.results, found, strict=False))

    def _pulled(self, bars: list[Tensor]) -> list[Any]:
        with _user_code():
            if self.variables:
                by_input, by_variable = self.gradient(*bars, variables=self.variables)
            else:
                by_input, by_variable = self.gradient(*bars), []
        adjoints = flatten(by_input)
        if len(by_variable) != len(self.variables):
            raise BadArgument(
                "the gradient function of a custom_gradient must return a gradient for each variable",
                hint="return a pair: the gradients of the arguments, and a list of those of the variables",
            )
        if len(adjoints) != self.count:
            what = f"a custom_gradient function is expected to return {self.count} gradients"
            raise BadArgument(
                f"{what}, but returned {len(adjoints)}",
                hint="return one for each argument: None for one without",
            )
        return [*adjoints, *by_variable]


def needs_callable(f: Any) -> Any:
    """`f`, if it can be called. Raises BadType otherwise."""
    if not callable(f):
        raise BadType(
            f"a function is needed, not {type(f).__name__}", hint="pass the function itself, not a result of it"
        )
    return f


def _pair(returned: Any, function: Any) -> tuple[Any, Callable[..., Any]]:
    """The result and the gradient function that a function with a custom gradient returns."""
    if type(returned) not in (tuple, list) or len(returned) != 2 or not callable(returned[1]):
        name = getattr(function, "__qualname__", repr(function))
        hint = "write `return y, gradient`, where `gradient` takes the adjoint of y"
        raise BadType(f"{name} returns no pair of a result and a gradient function", hint=hint)
    return returned[0], returned[1]


def _takes_variables(gradient: Callable[..., Any]) -> bool:
    parameters = inspect.signature(gradient).parameters
    return "variables" in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def _as_new_tensor(leaf: Any) -> Tensor:
    return tensor_of(convert_to_tensor(leaf)._value)


def _same(leaf: Any) -> Any:
    return +leaf if is_tensor(leaf) else leaf


def _as_tensor(bar: Any, like: Tensor) -> Tensor:
    if bar is None:
        return tensor_of(np.zeros_like(like._value)[()])
    return bar if isinstance(bar, Tensor) else tensor_of(bar)


def _fitting(bar: Any, like: Tensor) -> Any:
    """An adjoint in the shape and dtype of its tensor; a single number is broadcast to all elements."""
    if bar.shape not in (like.shape, ()):
        raise BadArgument(
            f"a custom gradient has the shape {bar.shape}, what it belongs to has {like.shape}",
            hint="return it in the shape of the argument",
        )
    if bar.dtype.kind not in "biufc":
        raise BadArgument(f"a custom gradient is of dtype {bar.dtype}", hint="return numbers")
    if bar.dtype != like.dtype and np.can_cast(bar.dtype, like.dtype, "same_kind"):
        bar = bar.astype(like.dtype)
    return bar if bar.shape == like.shape else np.broadcast_to(bar, like.shape)


class _Forwarding(Watcher):
    """A recording that records nothing, and tells other recordings which variables are read."""

    __slots__ = ("others",)

    def __init__(self, others: Sequence[Recording]) -> None:
        super().__init__()
        self.others = others

    def note_access(self, variable: Any) -> None:
        for each in self.others:
            each.note_access(variable)


@contextlib.contextmanager
def _nothing_recorded() -> Iterator[None]:
    """In this block tapes see only which variables are read."""
    outer = active.tapes
    active.tapes = (_Forwarding(outer),)
    try:
        yield
    finally:
        active.tapes = outer


@contextlib.contextmanager
def _user_code() -> Iterator[None]:
    """In this block user code runs within a reverse sweep: restrictions for derivative rules do not apply to it."""
    held = active.live_sweeps, active.reruns, active.customs
    active.live_sweeps = active.reruns = active.customs = 0
    try:
        yield
    finally:
        active.live_sweeps, active.reruns, active.customs = held
