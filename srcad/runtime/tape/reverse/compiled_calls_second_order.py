"""Derivatives of pullbacks of compiled functions, for nested tapes.

A pullback P(x, bar) is linear in bar, so its own derivative is that of the tangent function:

    d/dx <w, P(x, bar)> = d/dx <bar, jvp(x; w)>         d/dbar <w, P(x, bar)> = jvp(x; w)

The call of a pullback is therefore recorded as one node again. If the compiled function has no second derivative, and
for third and higher derivatives, its Python code is run on tensors, and each operation is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.errors import MissingRule, NotDifferentiable, SrcadError, TapeMisuse
from srcad.refusals.tapes import SECOND_BY_TAPE
from srcad.runtime.support.nested_structures import flatten, pack_as
from srcad.runtime.tape.active_recordings import Recording, active
from srcad.runtime.tape.recording.compiled_calls import CallNode, record_call
from srcad.runtime.tape.recording.dispatch import wrapped
from srcad.runtime.tape.recording.nodes import tensors_in
from srcad.runtime.tape.recording.retention import snapshot
from srcad.runtime.tape.reverse.reverse_sweep import Sweep
from srcad.runtime.tape.values.tensor import Tensor, tensor_of


def pull_again(node: CallNode, wanted: tuple[int, ...], bars: Sequence[Any]) -> list[Any]:
    """The adjoints of the leaves at these places as tensors, recorded as a function of the arguments and `bars`."""
    seeds = [
        wrapped(np.zeros_like(tensor._value), ()) if bar is None else bar
        for bar, tensor in zip(bars, node.results, strict=True)
    ]
    call = _Pulling(node, wanted)
    found = iter(record_call(call, (*node.leaves, *seeds)))
    return [next(found) if is_there else None for is_there in call.there]


class _Pulling:
    """The pullback of a node as a compiled function: of the node's leaves and of the adjoints of its results."""

    def __init__(self, node: CallNode, wanted: tuple[int, ...]) -> None:
        self.node, self.wanted = node, wanted
        self.count = len(node.leaves)
        self.there: list[bool] = []

    def primal(self, values: Sequence[Any]) -> list[Any]:
        """The adjoints, without those that are None."""
        found = self.node.adjoints(self.wanted, list(values[self.count :]))
        self.there = [each is not None for each in found]
        return [each for each in found if each is not None]

    def forward(
        self, values: Sequence[Any], arrays: Sequence[Any], plain: tuple[int, ...] = ()
    ) -> tuple[list[Any], Any]:
        """The adjoints, and their pullback."""
        return self.primal(values), _PullbackOfPullback(self, list(values[self.count :]))

    def pick(self, adjoints: Sequence[Any]) -> list[Any]:
        """The items for the wanted leaves with an adjoint, from a list with an item for each leaf."""
        return [adjoints[place] for place, is_there in zip(self.wanted, self.there, strict=True) if is_there]

    def __wrapped__(self, *given: Any) -> list[Any]:
        """The adjoints, computed by recorded operations."""
        leaves, bars = given[: self.count], given[self.count :]
        results, recording = rerun(self.node, leaves)
        inputs = [leaves[place] for place in self.wanted]
        found = Sweep(recording, results, inputs, live=True).run(bars)
        zeros = (wrapped(np.zeros_like(each._value), ()) for each in inputs)
        pairs = zip(found, zeros, self.there, strict=True)
        return [zero if bar is None else bar for bar, zero, is_there in pairs if is_there]


class _PullbackOfPullback:
    """The derivative of a pullback, for given adjoints of the results."""

    def __init__(self, call: _Pulling, bars: list[Any]) -> None:
        self.call, self.bars = call, bars

    def __call__(self, directions: list[Any]) -> list[Any]:
        """The adjoints of the leaves and of the results' adjoints."""
        node = self.call.node
        problem: SrcadError | None = None
        if hasattr(node.pull, "again"):
            flat: list[Any] = [None] * self.call.count
            places = [place for place, is_there in zip(self.call.wanted, self.call.there, strict=True) if is_there]
            for place, direction in zip(places, directions, strict=True):
                flat[place] = direction
            try:
                by_input, by_bar = node.pull.again(node.structured(self.bars), list(pack_as(node.inputs, flat)))
            except (NotDifferentiable, MissingRule) as error:
                problem = error
            else:
                leaves = zip(flatten(node.result), flatten(by_bar), strict=True)
                return node.by_leaf(by_input) + [given for leaf, given in leaves if type(leaf) is Tensor]
        try:
            return self._operation_by_operation(directions)
        except (NotDifferentiable, MissingRule) as error:
            raise (problem or error) from error

    def push(self, directions: list[Any]) -> list[Any]:
        """The tangents of the adjoints: Hessians are symmetric, and pullbacks are linear in the adjoint they take."""
        node, count = self.call.node, self.call.count
        if not hasattr(node.pull, "again"):
            return self._tangents_operation_by_operation(directions)
        by_input, _ = node.pull.again(node.structured(self.bars), list(pack_as(node.inputs, directions[:count])))
        along = node.by_leaf(node.pull(node.structured(list(directions[count:]))))
        return [
            by_bar if by_leaf is None else by_bar + by_leaf
            for by_leaf, by_bar in zip(self.call.pick(node.by_leaf(by_input)), self.call.pick(along), strict=True)
        ]

    def _inputs(self) -> list[Any]:
        return [*self.call.node.leaves, *(tensor_of(np.array(bar)[()]) for bar in self.bars)]

    def _operation_by_operation(self, directions: list[Any]) -> list[Any]:
        inputs = self._inputs()
        tensors = [each for each in inputs if type(each) is Tensor]
        recording = Recording(watches_accessed=False)
        recording.known.update(each._identity for each in tensors)
        results = self._run(inputs, recording)
        found = iter(Sweep(recording, results, tensors, live=False).run([tensor_of(each) for each in directions]))
        return [next(found) if type(each) is Tensor else None for each in inputs]

    def _tangents_operation_by_operation(self, directions: list[Any]) -> list[Any]:
        from srcad.runtime.tape.forward_accumulator import Accumulation

        inputs, accumulation = self._inputs(), Accumulation()
        for each, direction in zip(inputs, directions, strict=True):
            if direction is not None:
                accumulation.watch(each, direction)
        found = [accumulation.known.get(each._identity) for each in self._run(inputs, accumulation)]
        return [None if each is None else each._value for each in found]

    def _run(self, inputs: list[Any], recording: Recording) -> list[Tensor]:
        outer, active.tapes = active.tapes, (recording,)
        try:
            return self.call.__wrapped__(*inputs)
        finally:
            active.tapes = outer


def push_again(node: CallNode, directions: Sequence[Any]) -> list[Any]:
    """The tangents of the results as tensors, recorded as a function of the arguments and their directions."""
    if not all(hasattr(node.pull, method) for method in ("push", "again")):
        return push_recorded(node, directions)
    call = _Pushing(node, [each is not None for each in directions])
    found = iter(record_call(call, (*node.leaves, *(each for each in directions if each is not None))))
    return [next(found) if is_there else None for is_there in call.there]


class _Pushing:
    """The tangents of a node's results as a compiled function: of the node's leaves and of their directions."""

    def __init__(self, node: CallNode, moving: list[bool]) -> None:
        self.node, self.moving = node, moving
        self.count = len(node.leaves)
        self.there: list[bool] = []

    def primal(self, values: Sequence[Any]) -> list[Any]:
        """The tangents, without those that are None."""
        found = self.node.tangents(self._placed(values[self.count :]))
        self.there = [each is not None for each in found]
        return [each for each in found if each is not None]

    def forward(
        self, values: Sequence[Any], arrays: Sequence[Any], plain: tuple[int, ...] = ()
    ) -> tuple[list[Any], Any]:
        """The tangents, and their pullback. The derivative by the directions is the node's own pullback."""
        node, directions = self.node, self._placed(values[self.count :])

        def pullback(bars: list[Any]) -> list[Any]:
            given = iter(bars)
            bar = node.structured([next(given) if is_there else None for is_there in self.there])
            by_input, _ = node.pull.again(bar, list(pack_as(node.inputs, directions)))
            by_direction = node.by_leaf(node.pull(bar))
            moved = [each for each, moves in zip(by_direction, self.moving, strict=True) if moves]
            return node.by_leaf(by_input) + moved

        return self.primal(values), pullback

    def _placed(self, directions: Sequence[Any]) -> list[Any]:
        given = iter(directions)
        return [next(given) if moves else None for moves in self.moving]

    def __wrapped__(self, *given: Any) -> list[Any]:
        """The tangents, computed by recorded operations."""
        found = push_recorded(self.node, self._placed(given[self.count :]), given[: self.count])
        return [each for each, is_there in zip(found, self.there, strict=True) if is_there]


def push_recorded(node: CallNode, directions: Sequence[Any], leaves: Sequence[Any] | None = None) -> list[Any]:
    """The tangents of the results as tensors, from a run of the function on tensors."""
    from srcad.runtime.tape.forward_accumulator import Accumulation

    accumulation = Accumulation()
    given = node.leaves if leaves is None else leaves
    for leaf, direction in zip(given, directions, strict=True):
        if direction is not None:
            accumulation.watch(leaf, direction)
    results, _ = rerun(node, given, accumulation)
    return [accumulation.known.get(each._identity) for each in results]


def rerun(node: CallNode, leaves: Sequence[Any], recording: Recording | None = None) -> tuple[list[Tensor], Recording]:
    """Run a node's function as Python on tensors: its results, and a recording of the run."""
    _check_captured(node)
    arguments = pack_as(node.inputs, leaves)
    arguments = snapshot(arguments[: len(arguments) - len(node.captured)])
    if recording is None:
        recording = Recording(watches_accessed=False)
        recording.known.update(each._identity for each in leaves if type(each) is Tensor and each.dtype.kind in "fc")
    active.push(recording)
    active.reruns += 1
    active.accumulations += 1
    name = getattr(node.function.__wrapped__, "__name__", "a function")
    try:
        result = node.function.__wrapped__(*arguments)
    except TypeError as error:
        raise SECOND_BY_TAPE.error(function=name, problem=error) from error
    finally:
        active.reruns -= 1
        active.accumulations -= 1
        active.remove(recording)
    return list(tensors_in(result)), recording


def _check_captured(node: CallNode) -> None:
    """Raise TapeMisuse if a captured value has changed since the call was recorded."""
    held = node.inputs[len(node.inputs) - len(node.captured) :]
    for variable, tensor in zip(node.captured, held, strict=True):
        if variable._tensor is not tensor:
            raise TapeMisuse(f"{variable.name} was assigned since it was recorded; its second derivative is gone")
    check = getattr(node.pull, "check_captured", None)
    if check is not None:
        check()
