"""Calls of functions that are defined by others: computed by NumPy, recorded as one, differentiated as what they mean.

    y = np.unwrap(x)        kept as (plan, (x,), y, {}); asked for its derivative, the definition runs again on x

So such a call costs what NumPy takes, has NumPy's value and dtype, and holds its arguments, not what lies between.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.errors import CompilerBug
from srcad.refusals.tapes import COMPOSED_CALL
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.support.nested_structures import flatten
from srcad.runtime.tape.forward_accumulator import fitted_tangent
from srcad.runtime.tape.reverse.nodes import Bars, Node, gather, nodes_of
from srcad.runtime.tape.reverse.pullbacks import fitted
from srcad.runtime.tape.reverse.reverse_sweep import Sweep
from srcad.runtime.tape.values.active_recordings import Recording, active
from srcad.runtime.tape.values.indexed_slices import dense
from srcad.runtime.tape.values.tensor import Tensor, tensor_of


def run_again(
    meaning: Callable[..., Any] | None, arguments: Sequence[Any], keywords: Mapping[str, Any], followed: Iterable[int]
) -> tuple[Recording, Any]:
    """What a definition returns, and a recording of how that came about from the arguments followed."""
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
    """A call of a function that is defined by others: its derivatives are those of the definition."""

    __slots__ = ("meaning",)

    def __init__(
        self, primitive: Any, arguments: tuple[Any, ...], result: Tensor, keywords: Mapping[str, Any], meaning: Any
    ) -> None:
        super().__init__(primitive, arguments, result, keywords)
        self.meaning = meaning

    def prepare(self, wanted: tuple[Any, ...], live: bool) -> Callable[[Bars, Collection[int]], None]:
        """A function that takes the adjoint of the result out of the gathered ones and adds those of the inputs."""
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
        """The same for adjoints with a leading axis for cotangents."""
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
        """The result with its tangent, for tangents of inputs by their identities."""
        return pushed(self, self.meaning, dots, live)

    def _swept(self, wanted: tuple[Any, ...], live: bool) -> tuple[list[Tensor], Sweep | None, Any]:
        """The inputs that are wanted, a sweep to these from what the definition returns, and that."""
        inputs = list({each._identity: each for each in (self.arguments[k] for k in wanted)}.values())
        again, value = run_again(self.meaning, self.arguments, self.keywords, [each._identity for each in inputs])
        if type(value) is not Tensor:
            return inputs, None, value
        check_shapes(self.primitive, value, self.result)
        return inputs, Sweep(again, [value], inputs, live=live), value


def pushed(node: Any, meaning: Any, dots: Mapping[int, Tensor], live: bool) -> list[tuple[Tensor, Any]]:
    """The results of a call with their tangents, as what the call means has them."""
    again, value = run_again(meaning, node.arguments, node.keywords, dots)
    moving = dict(dots)
    for each in nodes_of(again.entries):
        for tensor, tangent in each.push(moving, live):
            if tangent is not None and tensor.dtype.kind in "fc":
                moving[tensor._identity] = fitted_tangent(tangent, tensor)
    pairs = zip(flatten(node.result), flatten(value), strict=True)
    return [(result, moving.get(each._identity) if type(each) is Tensor else None) for result, each in pairs]


def check_shapes(primitive: Any, value: Tensor, result: Tensor) -> None:
    """Raises CompilerBug if a definition does not return what NumPy does."""
    if value._value.shape != result._value.shape:
        name = primitive_name(primitive)
        raise CompilerBug(f"the definition of {name} has a result of shape {value.shape}, NumPy's is {result.shape}")


def check_accepted(plan: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Any) -> None:
    """Raises what a definition raises for a call that it does not cover, when that is recorded.

    It runs once for the shapes and types of arrays and the values of everything else, on which such refusals depend.
    Raises MissingRule if it returns something else than NumPy, `result`.
    """
    value = run_if_new(plan, plan.refuses or plan.meaning, arguments, keywords)
    if type(value) is Tensor and not _is_alike(value._value, result):
        plan.accepted.clear()
        name = primitive_name(plan.primitive)
        raise COMPOSED_CALL.error(function=name)


def run_if_new(plan: Any, meaning: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """What a definition returns for a call, if it has not run for such arrays and values; None else."""
    key = tuple([_fact(each) for each in (arguments if not keywords else (*arguments, *keywords.values()))])
    try:
        if key in plan.accepted:
            return None
    except TypeError:  # something that may change
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
    """Whether two results are the same, as far as that can be said of what may be badly conditioned."""
    if value.shape != result.shape:
        return False
    there = np.isfinite(value) & np.isfinite(result) & (np.abs(result) < _DOUBTFUL)
    size = np.max(np.abs(result), initial=0.0, where=there)
    return bool(np.all(np.abs(value - result) <= 0.05 * size, where=there))


_DOUBTFUL = 1e10


def is_simple(meaning: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], result: Any) -> bool:
    """Whether a definition comes to one call, with a result of NumPy's dtype: that can as well be recorded itself."""
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
