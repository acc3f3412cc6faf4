"""The reverse sweep: from adjoints of targets to adjoints of sources, over the nodes of a recording, last to first.

Nodes are in the order of execution, so a loop suffices, without recursion, however long the chain.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from srcad.runtime.support.errstate import IGNORED, unwarned
from srcad.runtime.tape.core.active_recordings import Recording, active
from srcad.runtime.tape.core.node import Bars, Node, SparseAdjoint, accumulate, dense
from srcad.runtime.tape.core.tensor import Tensor


class Sweep:
    """The part of a recording that leads from some sources to some targets, ready to be run for many cotangents.

    live   whether the sweep's own operations are recorded: by default, if an active tape follows a value that the sweep
           may read
    """

    def __init__(
        self,
        recording: Recording,
        targets: Sequence[Tensor],
        sources: Sequence[Tensor],
        seeds: Sequence[Tensor] = (),
        live: bool | None = None,
    ) -> None:
        self._recording = recording
        self._targets = targets
        self._sources = [source._identity for source in sources]
        self._kept = frozenset(self._sources)
        # If all watched values are sources, everything recorded depends on them.
        self.relevant = recording.known if recording.roots <= self._kept else self._leading_from()
        self.live = self._is_followed(seeds) if live is None else live

    def _leading_from(self) -> set[int]:
        """The identities of values that depend on the sources."""
        relevant = self._recording.known.intersection(self._kept)
        for node in self._recording.nodes:
            for tensor in node.inputs():
                if tensor._identity in relevant:
                    relevant.update([each._identity for each in node.outputs()])
                    break
        return relevant

    @functools.cached_property
    def path(self) -> list[tuple[Node, list[Tensor]]]:
        """The nodes between sources and targets, last first, each with the inputs that depend on the sources."""
        reached = {target._identity for target in self._targets}
        path = []
        for node in reversed(self._recording.nodes):
            if not reached.isdisjoint([each._identity for each in node.outputs()]):
                wanted = [each for each in node.inputs() if each._identity in self.relevant]
                if wanted:
                    reached.update([each._identity for each in wanted])
                    path.append((node, wanted))
        return path

    def _is_followed(self, seeds: Sequence[Tensor]) -> bool:
        """Whether an active tape follows a value that the sweep may read."""
        if not active.tapes:
            return False
        if any(node.reads_more for node, _ in self.path):
            return True
        read = [tensor._identity for node, _ in self.path for tensor in node.inputs()]
        read += [seed._identity for seed in seeds]
        return bool(active.who_know(read))

    def run(self, seeds: Sequence[Tensor], keeps_sparse: bool = False) -> list[Any]:
        """The adjoints of the sources for these adjoints of the targets; None for sources that are not connected.

        They are tensors if the sweep is live, else arrays; if `keeps_sparse` they may be sparse.
        """
        found = self.swept([seed if self.live else seed._value for seed in seeds], self._pulled)
        return found if keeps_sparse else [dense(bar) for bar in found]

    def swept(self, seeds: Sequence[Any], pull: Callable[[Node, list[Any], Bars], None]) -> list[Any]:
        """The adjoints of the sources. `pull` moves the adjoints of a node's outputs on to its inputs."""
        bars: Bars = {}
        for target, seed in zip(self._targets, seeds, strict=True):
            identity = target._identity
            # The gradient of a target by itself is one, whether it is watched or not.
            if identity in self.relevant or identity in self._kept:
                bars[identity] = bars[identity] + seed if identity in bars else seed
        active.live_sweeps += self.live
        # No warnings for infinite derivatives: the forward computation has already warned.
        before = unwarned.set(IGNORED)
        try:
            for node in reversed(self._recording.nodes):
                found, is_reached = [], False
                for output in node.outputs():
                    identity = output._identity
                    bar = bars.get(identity) if identity in self._kept else bars.pop(identity, None)
                    if bar is not None:
                        is_reached = True
                        if isinstance(bar, SparseAdjoint):
                            bar = bar.dense()
                    found.append(bar)
                if is_reached:
                    pull(node, found, bars)
            return [bars.get(identity) for identity in self._sources]
        finally:
            unwarned.reset(before)
            active.live_sweeps -= self.live

    def _pulled(self, node: Node, found: list[Any], bars: Bars) -> None:
        """Move the adjoints of a node's outputs on to its inputs, in `bars`."""
        for tensor, contribution in node.pullback(found, self.relevant, self.live):
            accumulate(bars, tensor, contribution)
