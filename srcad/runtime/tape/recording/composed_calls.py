"""Calls of functions that are defined by others: computed by NumPy, recorded as one node, differentiated by definition.

    y = np.unwrap(x)        recorded as one node; in the reverse sweep the definition runs again on x

Such a call takes the time that NumPy takes and has NumPy's value and dtype. The node keeps the arguments, but none of
the intermediate results.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.errors import CompilerBug
from srcad.refusals.tapes import COMPOSED_CALL
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.node import Pairs, fitted
from srcad.runtime.tape.core.reverse_sweep import Sweep
from srcad.runtime.tape.core.tensor import Tensor, tensor_of
from srcad.runtime.tape.recording.batched_pullbacks import run_batched
from srcad.runtime.tape.recording.definitions import pushed, run_again
from srcad.runtime.tape.recording.primitive_call import PrimitiveCall


class ComposedCall(PrimitiveCall):
    """A recorded call of a function that is defined by others: its derivatives are those of the definition."""

    __slots__ = ()

    def pullback(self, bars: Sequence[Any], relevant: Collection[int], live: bool) -> Pairs:
        """The contributions to the adjoints of relevant arguments, by a sweep over what the definition does."""
        inputs, sweep, value = self._swept(relevant, live)
        if sweep is None:
            return ()
        seed = fitted(bars[0], value)
        return zip(inputs, sweep.run([seed if live else tensor_of(seed)], keeps_sparse=not live), strict=True)

    def batched_pullback(self, bars: Sequence[Any], relevant: Collection[int]) -> Pairs | None:
        """`pullback` for many adjoints at once, along a leading axis."""
        inputs, sweep, value = self._swept(relevant, live=False)
        if sweep is None:
            return ()
        found = run_batched(sweep, bars[0].astype(value.dtype, copy=False))
        pairs = zip(inputs, found, strict=True)
        return [(each, rows.astype(each.dtype, copy=False)) for each, rows in pairs if rows is not None]

    def pushforward(self, dots: Mapping[int, Tensor], live: bool) -> Pairs:
        """The result with its tangent."""
        return pushed(self, self.plan.meaning, dots, live)

    def _swept(self, relevant: Collection[int], live: bool) -> tuple[list[Tensor], Sweep | None, Any]:
        """The relevant inputs, a sweep to them from the result of the definition, and that result."""
        inputs = list({each._identity: each for each in self.inputs() if each._identity in relevant}.values())
        if not inputs:
            return [], None, None
        again, value = run_again(self.plan.meaning, self.arguments, self.keywords, [each._identity for each in inputs])
        if type(value) is not Tensor:
            return inputs, None, value
        check_shapes(self.primitive, value, self.result)
        return inputs, Sweep(again, [value], inputs, live=live), value


def check_shapes(primitive: Any, value: Tensor, result: Tensor) -> None:
    """Raise CompilerBug if a definition returns another shape than NumPy."""
    if value._value.shape != result._value.shape:
        name = primitive_name(primitive)
        raise CompilerBug(f"the definition of {name} has a result of shape {value.shape}, NumPy's is {result.shape}")


def check_accepted(plan: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Any) -> None:
    """When a call is recorded, raise the error of its definition if that does not cover the call.

    The definition runs once for each combination of shapes and types of arrays and values of other arguments, on which
    such errors depend. Raises MissingRule if its value differs from `result`, which is NumPy's.
    """
    value = run_if_new(plan, plan.refuses or plan.meaning, arguments, keywords)
    if type(value) is Tensor and not _is_alike(value._value, result):
        plan.accepted.clear()
        name = primitive_name(plan.primitive)
        raise COMPOSED_CALL.error(function=name)


def run_if_new(plan: Any, meaning: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """The result of a definition, if it has not run yet for such arrays and values; else None."""
    key = tuple([_fact(each) for each in (arguments if not keywords else (*arguments, *keywords.values()))])
    try:
        if key in plan.accepted:
            return None
    except TypeError:  # not hashable: it may change
        key = ()
    tapes = active.tapes
    active.tapes = ()
    try:
        followed = [each._identity for each in arguments if type(each) is Tensor]
        _, value = run_again(meaning, arguments, keywords, followed)
    finally:
        active.tapes = tapes
    if key:
        if len(plan.accepted) >= _MOST:
            plan.accepted.clear()
        plan.accepted.add(key)
    return value


def _is_alike(value: Any, result: Any) -> bool:
    """Whether two results agree, with a wide tolerance for badly conditioned functions."""
    if value.shape != result.shape:
        return False
    there = np.isfinite(value) & np.isfinite(result) & (np.abs(result) < _DOUBTFUL)
    size = np.max(np.abs(result), initial=0.0, where=there)
    return bool(np.all(np.abs(value - result) <= 0.05 * size, where=there))


_DOUBTFUL = 1e10


def is_simple(meaning: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], result: Any) -> bool:
    """Whether a definition is a single call with a result of NumPy's dtype, which can be recorded itself."""
    tapes = active.tapes
    active.tapes = ()
    try:
        followed = [each._identity for each in arguments if type(each) is Tensor]
        again, value = run_again(meaning, arguments, keywords, followed)
    finally:
        active.tapes = tapes
    return len(again.nodes) < 2 and type(value) is Tensor and value.dtype == result.dtype


_MOST = 1024


def _fact(argument: Any) -> Any:
    kind = type(argument)
    if kind is Tensor:
        return argument._value.shape
    if kind is list:
        return list, *map(_fact, argument)
    return (argument.shape, argument.dtype) if kind is np.ndarray else argument
