"""Calls of functions that are defined by others: computed by NumPy, recorded as one node, differentiated by definition.

    y = np.unwrap(x)        recorded as (plan, (x,), y, {}); in the reverse sweep the definition runs again on x

Such a call takes the time that NumPy takes and has NumPy's value and dtype. The node keeps the arguments, but none of
the intermediate results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.errors import CompilerBug
from srcad.refusals.tapes import COMPOSED_CALL
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.support.nested_structures import flatten
from srcad.runtime.tape.active_recordings import Recording, active
from srcad.runtime.tape.forward_accumulator import fitted_tangent
from srcad.runtime.tape.recording.nodes import Bars, Node, gather, nodes_of
from srcad.runtime.tape.reverse.pullbacks import fitted
from srcad.runtime.tape.reverse.reverse_sweep import Sweep
from srcad.runtime.tape.values.indexed_slices import dense
from srcad.runtime.tape.values.tensor import Tensor, tensor_of


def run_again(
    meaning: Callable[..., Any] | None, arguments: Sequence[Any], keywords: Mapping[str, Any], followed: Iterable[int]
) -> tuple[Recording, Any]:
    """Run a definition: its result, and a recording of how it was computed from the arguments `followed`."""
    assert meaning is not None
    again = Recording(watches_accessed=False)
    again.known.update(followed)
    tapes = active.tapes
    active.tapes = (*tapes, again)
    active.expansions += 1
    try:
        return again, meaning(*arguments, **keywords)
    finally:
        active.expansions -= 1
        active.tapes = tapes


class ComposedNode(Node):
    """A recorded call of a function that is defined by others: its derivatives are those of the definition."""

    __slots__ = ("meaning",)

    def __init__(
        self, primitive: Any, arguments: tuple[Any, ...], result: Tensor, keywords: Mapping[str, Any], meaning: Any
    ) -> None:
        super().__init__(primitive, arguments, result, keywords)
        self.meaning = meaning

    def prepare(self, wanted: tuple[Any, ...], live: bool) -> Callable[[Bars, Collection[int]], None]:
        """The reverse step: it takes the adjoint of the result out of `bars` and adds contributions to the inputs."""
        inputs, sweep, value = self._swept(wanted, live)
        identity = self.result._identity

        def step(bars: Bars, kept: Collection[int]) -> None:
            bar = dense(bars.get(identity)) if identity in kept else bars.pop(identity, None)
            if bar is None or sweep is None:
                return
            seed = fitted(bar, value)
            for each, contribution in zip(inputs, sweep.run([seed if live else tensor_of(seed)]), strict=True):
                gather(bars, each, contribution)

        return step

    def batched(self, wanted: tuple[Any, ...]) -> Callable[[Bars, Collection[int]], None]:
        """The reverse step for adjoints with a leading axis, one entry per cotangent."""
        inputs, sweep, value = self._swept(wanted, live=False)
        identity = self.result._identity

        def step(bars: Bars, kept: Collection[int]) -> None:
            bar = bars.get(identity) if identity in kept else bars.pop(identity, None)
            if bar is None or sweep is None:
                return
            for each, rows in zip(inputs, sweep.run_batched(bar.astype(value.dtype, copy=False)), strict=True):
                if rows is not None:
                    found = rows.astype(each.dtype, copy=False)
                    key = each._identity
                    bars[key] = bars[key] + found if key in bars else found

        return step

    def push(self, dots: Mapping[int, Tensor], live: bool) -> list[tuple[Tensor, Any]]:
        """The result with its tangent, for tangents of the inputs by identity."""
        return pushed(self, self.meaning, dots, live)

    def _swept(self, wanted: tuple[Any, ...], live: bool) -> tuple[list[Tensor], Sweep | None, Any]:
        """The wanted inputs, a sweep to them from the result of the definition, and that result."""
        inputs = list({each._identity: each for each in (self.arguments[k] for k in wanted)}.values())
        again, value = run_again(self.meaning, self.arguments, self.keywords, [each._identity for each in inputs])
        if type(value) is not Tensor:
            return inputs, None, value
        check_shapes(self.primitive, value, self.result)
        return inputs, Sweep(again, [value], inputs, live=live), value


def pushed(node: Any, meaning: Any, dots: Mapping[int, Tensor], live: bool) -> list[tuple[Tensor, Any]]:
    """The results of a call with their tangents, computed by running its definition."""
    again, value = run_again(meaning, node.arguments, node.keywords, dots)
    moving = dict(dots)
    for each in nodes_of(again.entries):
        for tensor, tangent in each.push(moving, live):
            if tangent is not None and tensor.dtype.kind in "fc":
                moving[tensor._identity] = fitted_tangent(tangent, tensor)
    pairs = zip(flatten(node.result), flatten(value), strict=True)
    return [(result, moving.get(each._identity) if type(each) is Tensor else None) for result, each in pairs]


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
    return len(again.entries) < 2 and type(value) is Tensor and value.dtype == result.dtype


_MOST = 1024


def _fact(argument: Any) -> Any:
    kind = type(argument)
    if kind is Tensor:
        return argument._value.shape
    if kind is list:
        return list, *map(_fact, argument)
    return (argument.shape, argument.dtype) if kind is np.ndarray else argument
