"""Derivatives of pullbacks of compiled functions, for tapes within tapes.

A pullback P(x, bar) is linear in bar, so its own derivative is that of the tangent function:

    d/dx <w, P(x, bar)> = d/dx <bar, jvp(x; w)>         d/dbar <w, P(x, bar)> = jvp(x; w)

So the call of a pullback is recorded as one node again. Where the compiled function cannot tell the second derivative, and
for third and higher ones, its own Python code is run on tensors, each operation recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.errors import MissingRule, NotDifferentiable, SrcadError, TapeMisuse
from srcad.runtime.active import Recording, active
from srcad.runtime.call import CallNode, record_call
from srcad.runtime.dispatch import wrapped
from srcad.runtime.keep import snapshot
from srcad.runtime.nest import flatten, pack_as
from srcad.runtime.node import tensors_in
from srcad.runtime.sweep import Sweep
from srcad.runtime.tensor import Tensor, tensor_of


def pull_again(node: CallNode, wanted: tuple[int, ...], bars: Sequence[Any]) -> list[Any]:
    """The adjoints of the leaves at these places as tensors, recorded as computed from the arguments and `bars`."""
    seeds = [
        wrapped(np.zeros_like(tensor._value), ()) if bar is None else bar
        for bar, tensor in zip(bars, node.results, strict=True)
    ]
    call = _Pulling(node, wanted)
    found = iter(record_call(call, (*node.leaves, *seeds)))
    return [next(found) if is_there else None for is_there in call.there]


class _Pulling:
    """The pullback of a node as a function of the node's leaves and of its results' adjoints: a compiled function."""

    def __init__(self, node: CallNode, wanted: tuple[int, ...]) -> None:
        self.node, self.wanted = node, wanted
        self.count = len(node.leaves)
        self.there: list[bool] = []

    def primal(self, values: Sequence[Any]) -> list[Any]:
        """The adjoints, those that are None left out."""
        found = self.node.adjoints(self.wanted, list(values[self.count :]))
        self.there = [each is not None for each in found]
        return [each for each in found if each is not None]

    def forward(self, values: Sequence[Any], arrays: Sequence[Any]) -> tuple[list[Any], Any]:
        """The same, and the derivative."""
        bars = values[self.count :]

        def pullback(directions: list[Any]) -> list[Any]:
            again = getattr(self.node.pull, "again", None)
            problem: SrcadError | None = None
            if again is not None:
                try:
                    return self._flat(*again(self.node.structured(list(bars)), self._placed(directions)))
                except (NotDifferentiable, MissingRule) as error:
                    problem = error
            try:
                return self._operation_by_operation(bars, directions)
            except (NotDifferentiable, MissingRule) as error:
                raise (problem or error) from error

        return self.primal(values), pullback

    def _placed(self, directions: list[Any]) -> list[Any]:
        """The directions in the structure of the node's arguments, None where there is none."""
        flat: list[Any] = [None] * self.count
        places = [place for place, is_there in zip(self.wanted, self.there, strict=True) if is_there]
        for place, direction in zip(places, directions, strict=True):
            flat[place] = direction
        return list(pack_as(self.node.inputs, flat))

    def _flat(self, adjoints: Sequence[Any], bar: Any) -> list[Any]:
        flat: list[Any] = []
        for each, given in zip(self.node.inputs, adjoints, strict=True):
            flat += [None] * len(flatten(each)) if given is None else flatten(given)
        leaves = zip(flatten(self.node.result), flatten(bar), strict=True)
        return flat + [given for leaf, given in leaves if type(leaf) is Tensor]

    def _operation_by_operation(self, bars: Sequence[Any], directions: list[Any]) -> list[Any]:
        inputs = [*self.node.leaves, *(tensor_of(np.array(bar)[()]) for bar in bars)]
        tensors = [each for each in inputs if type(each) is Tensor]
        recording = Recording(watches_accessed=False)
        recording.known.update(each._identity for each in tensors)
        outer, active.tapes = active.tapes, (recording,)
        try:
            results = self.__wrapped__(*inputs)
        finally:
            active.tapes = outer
        found = iter(Sweep(recording, results, tensors, live=False).run([tensor_of(each) for each in directions]))
        return [next(found) if type(each) is Tensor else None for each in inputs]

    def __wrapped__(self, *given: Any) -> list[Any]:
        """The same from recorded operations."""
        leaves, bars = given[: self.count], given[self.count :]
        results, recording = rerun(self.node, leaves)
        inputs = [leaves[place] for place in self.wanted]
        found = Sweep(recording, results, inputs, live=True).run(bars)
        zeros = (wrapped(np.zeros_like(each._value), ()) for each in inputs)
        pairs = zip(found, zeros, self.there, strict=True)
        return [zero if bar is None else bar for bar, zero, is_there in pairs if is_there]


def rerun(node: CallNode, leaves: Sequence[Any]) -> tuple[list[Tensor], Recording]:
    """The results of a node's function, run as Python on tensors, and what that recorded."""
    _check_captured(node)
    arguments = pack_as(node.inputs, leaves)
    arguments = snapshot(arguments[: len(arguments) - len(node.captured)])
    recording = Recording(watches_accessed=False)
    recording.known.update(each._identity for each in leaves if type(each) is Tensor and each.dtype.kind in "fc")
    active.push(recording)
    active.reruns += 1
    name = getattr(node.function.__wrapped__, "__name__", "a function")
    try:
        result = node.function.__wrapped__(*arguments)
    except TypeError as error:
        raise NotDifferentiable(
            f"the second derivative of {name} by a tape: {error}",
            hint="compute it with srcad.hvp or srcad.hessian, which differentiate in-place writes too",
        ) from error
    finally:
        active.reruns -= 1
        active.remove(recording)
    return list(tensors_in(result)), recording


def _check_captured(node: CallNode) -> None:
    """Raises TapeMisuse if what the function captures is not what it was when the call was recorded."""
    held = node.inputs[len(node.inputs) - len(node.captured) :]
    for variable, tensor in zip(node.captured, held, strict=True):
        if variable._tensor is not tensor:
            raise TapeMisuse(f"{variable.name} was assigned since it was recorded; its second derivative is gone")
    check = getattr(node.pull, "check_captured", None)
    if check is not None:
        check()
