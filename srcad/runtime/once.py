"""The reverse sweep of a gradient that is asked for once, while no tape is active: in one loop over what was recorded.

Its results are those of a `Sweep`, which chooses all pullbacks first and then runs them, any number of times.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from srcad.runtime.active import Recording
from srcad.runtime.node import Bars, Call, Node, gather, nodes_of
from srcad.runtime.pull import direct_pullback
from srcad.runtime.tensor import Tensor

_float64 = np.float64


def swept_once(
    recording: Recording, targets: Sequence[Tensor], sources: Sequence[Tensor], seeds: Sequence[Tensor]
) -> list[Any]:
    """The adjoints of the sources, arrays or `Rows`, where no tape is active: in one loop over the nodes.

    Only what leads from the sources is asked for its pullback.
    """
    kept = {source._identity for source in sources}
    relevant = _leading_from(recording, kept)
    bars: Bars = {}
    for target, seed in zip(targets, seeds, strict=True):
        identity = target._identity
        # A target that is a source has the gradient one, watched or not.
        if identity in relevant or identity in kept:
            bars[identity] = bars[identity] + seed._value if identity in bars else seed._value
    # Infinite slopes are infinite, without a warning: what is warned of happened in the forward computation.
    with np.errstate(all="ignore"):
        for entry in reversed(recording.entries):
            if type(entry) is tuple:
                _pull(entry, bars, kept, relevant)
            elif not bars.keys().isdisjoint(entry.outputs()) and (wanted := entry.leads_from(relevant)):
                entry.prepare(wanted, False)(bars, kept)
    return [bars.get(source._identity) for source in sources]


def _leading_from(recording: Recording, sources: set[int]) -> set[int]:
    """The identities of what the recording follows and the sources lead to."""
    if recording.roots <= sources:  # all that was watched: so everything
        return recording.known
    relevant = recording.known.intersection(sources)
    for node in nodes_of(recording.entries):
        if node.leads_from(relevant):
            relevant.update(node.outputs())
    return relevant


def _pull(entry: Call, bars: Bars, kept: Collection[int], relevant: Collection[int]) -> None:
    """Take the adjoint of the result of a call out of the gathered ones, and add those of the relevant inputs.

    What `Node.prepare` makes does the same for a sweep that is run many times, or recorded.
    """
    primitive, arguments, result = entry
    identity, value = result._identity, result._value
    if identity not in bars:
        return
    mask, values, inputs = 1, [], []
    # Where the result and an input are real, so is the slope, whatever else is complex.
    is_real = type(value) is _float64 or value.dtype.kind != "c"
    for argument in arguments:
        mask += mask
        if type(argument) is Tensor:
            held = argument._value
            if argument._identity in relevant:
                mask += 1
                inputs.append(argument)
                if type(held) is not _float64 and held.dtype.kind == "c":
                    is_real = False
            values.append(held)
        else:
            values.append(argument)
    run = direct_pullback(primitive, mask, values) if is_real and identity not in kept else None
    if run is None:
        node = Node(primitive, arguments, result)
        wanted = node.leads_from(relevant)
        if wanted:
            node.prepare(wanted, False)(bars, kept)
        return
    for tensor, contribution in zip(inputs, run(bars.pop(identity), value, *values)):  # noqa: B905 - strict is slow
        gather(bars, tensor, contribution)
