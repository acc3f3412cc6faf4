"""The reverse sweep: from adjoints of targets to adjoints of sources, over the nodes of a recording, last to first.

Nodes are in the order of execution, so a loop suffices, without recursion, however long the chain. A first loop,
forwards, finds the nodes that depend on the sources; pullbacks are made for these only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcad.runtime.support.errstate import IGNORED, unwarned
from srcad.runtime.tape.active_recordings import Recording, active
from srcad.runtime.tape.recording.nodes import Bars, nodes_of
from srcad.runtime.tape.reverse.batched_pullbacks import batched_step
from srcad.runtime.tape.values.indexed_slices import dense
from srcad.runtime.tape.values.tensor import Tensor


class Sweep:
    """The part of a recording that leads from some sources to some targets, ready to be run for many cotangents.

    live   whether the sweep's own operations are recorded: by default, if an active tape follows a value that the sweep
           may read
    """

    __slots__ = ("_kept", "_relevant", "_sources", "_steps", "_targets", "live", "path")

    def __init__(
        self,
        recording: Recording,
        targets: Sequence[Tensor],
        sources: Sequence[Tensor],
        seeds: Sequence[Tensor] = (),
        live: bool | None = None,
    ) -> None:
        self._sources = [source._identity for source in sources]
        self._targets = targets
        self._kept = frozenset(self._sources)
        relevant = recording.known.intersection(self._sources)
        forwards = []
        for node in nodes_of(recording.entries):
            wanted = node.leads_from(relevant)
            if wanted:
                relevant.update(node.outputs())
                forwards.append((node, wanted))
        # The gradient of a target by itself is one, whether it is watched or not.
        relevant.update(self._sources)
        self._relevant = relevant
        path = self._backwards(forwards)
        self.live = _is_followed(path, seeds) if live is None else live
        self.path = path
        self._steps: list[Any] | None = None

    def _backwards(self, forwards: list[Any]) -> list[Any]:
        """The nodes that the targets depend on, last first."""
        reached = {target._identity for target in self._targets}
        path = []
        for node, wanted in reversed(forwards):
            if not reached.isdisjoint(node.outputs()):
                reached.update(node.input_identities(wanted))
                path.append((node, wanted))
        return path

    def run(self, seeds: Sequence[Tensor], with_rows: bool = False) -> list[Any]:
        """The adjoints of the sources for these adjoints of the targets; None for sources that are not connected.

        They are tensors if the sweep is live, else arrays; with `with_rows` they may be `Rows`.
        """
        if self._steps is None:
            self._steps = [node.prepare(wanted, self.live) for node, wanted in self.path]
        found = self._swept([given if self.live else given._value for given in seeds], self._steps)
        return found if with_rows else [dense(bar) for bar in found]

    def run_batched(self, seeds: Any) -> list[Any]:
        """The adjoints of the sources for a batch of adjoints of the single target, along the first axis of each.

        Not for a live sweep.
        """
        steps = [batched_step(node, wanted) for node, wanted in self.path]
        return [dense(bar) for bar in self._swept([seeds], steps)]

    def _swept(self, seeds: list[Any], steps: list[Any]) -> list[Any]:
        bars: Bars = {}
        for target, seed in zip(self._targets, seeds, strict=True):
            identity = target._identity
            if identity in self._relevant:
                bars[identity] = bars[identity] + seed if identity in bars else seed
        active.live_sweeps += self.live
        # No warnings for infinite derivatives: the forward computation has already warned.
        before = unwarned.set(IGNORED)
        try:
            for step in steps:
                step(bars, self._kept)
            return [bars.get(identity) for identity in self._sources]
        finally:
            unwarned.reset(before)
            active.live_sweeps -= self.live


def _is_followed(path: Sequence[Any], seeds: Sequence[Tensor]) -> bool:
    """Whether an active tape follows a value that the sweep may read."""
    if not active.tapes:
        return False
    if any(getattr(node, "reads_more", False) for node, _ in path):
        return True
    identities = {tensor._identity for node, _ in path for tensor in node.tensors()}
    identities.update(seed._identity for seed in seeds)
    return any(not tape.known.isdisjoint(identities) for tape in active.tapes)


def without_unwatched_inputs(
    recording: Recording, targets: Sequence[Tensor], sources: Sequence[Any], bars: list[Any]
) -> list[Any]:
    """The adjoints, with None for unwatched tensors that are inputs of operations which led to a target.

    This is TensorFlow's behaviour: an unwatched tensor has the gradient one as its own target, unless another target
    reads it. A variable counts as read through its readings.
    """
    known = recording.known
    for source, bar in zip(sources, bars):  # noqa: B905 - strict is slow
        if bar is not None and source._identity not in known and type(source) is Tensor:
            break
    else:
        return bars
    reached = {target._identity for target in targets}
    read: set[int] = set()
    steps = [(node.outputs(), [each._identity for each in node.tensors()]) for node in nodes_of(recording.entries)]
    steps += [((result,), [*inputs]) for result, (_, inputs, _) in recording.cuts.items()]  # as TensorFlow does
    for outputs, inputs in sorted(steps, reverse=True):  # results made last have the greatest identities
        if not reached.isdisjoint(outputs):
            read.update(inputs)
            reached |= read
    unwatched = read - known
    pairs = zip(sources, bars, strict=True)
    return [None if type(each) is Tensor and each._identity in unwatched else bar for each, bar in pairs]
