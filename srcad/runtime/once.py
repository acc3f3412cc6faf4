"""The reverse sweep of a gradient that is asked for once, while no tape is active: in one loop over what was recorded.

Its results are those of a `Sweep`, which chooses all pullbacks first and then runs them, any number of times.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from srcad.runtime.active import Recording
from srcad.runtime.node import Bars, Node, gather, nodes_of
from srcad.runtime.pull import direct, direct_pullback
from srcad.runtime.tensor import Tensor

_float64 = np.float64
_double = np.dtype(np.float64)


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
        _sweep(recording.entries, bars, kept, relevant)
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


def _sweep(entries: Sequence[Any], bars: Bars, kept: Collection[int], relevant: Collection[int]) -> None:
    """Take the adjoint of each result out of the gathered ones, and add those of the relevant inputs.

    For simple calls this does what `Node.prepare` and `gather` do, in one piece, since it runs for every operation.
    """
    for entry in reversed(entries):
        if type(entry) is not tuple:
            _pull(entry, bars, kept, relevant)
            continue
        primitive, arguments, result = entry
        identity, value = result._identity, result._value
        bar = bars.pop(identity, None)
        if bar is None:
            continue
        mask, values, inputs = 1, [], []
        # Where the result and an input are real, so is the slope, whatever else is complex.
        is_simple = type(value) is _float64 or value.dtype is _double or value.dtype.kind != "c"
        for argument in arguments:
            mask += mask
            if type(argument) is Tensor:
                held = argument._value
                if argument._identity in relevant:
                    mask += 1
                    inputs.append(argument)
                    if type(held) is not _float64 and held.dtype is not _double and held.dtype.kind == "c":
                        is_simple = False
                values.append(held)
            else:
                values.append(argument)
        run = (direct[primitive].get(mask) or direct_pullback(primitive, mask, values)) if is_simple else None
        if run is None or identity in kept:
            bars[identity] = bar
            _pull(Node(*entry), bars, kept, relevant)
            continue
        for tensor, contribution in zip(inputs, run(bar, value, *values)):  # noqa: B905 - strict is slow
            if type(contribution) is _float64 and type(tensor._value) is _float64:
                before = bars.get(tensor._identity)
                bars[tensor._identity] = contribution if before is None else before + contribution
            else:
                gather(bars, tensor, contribution)


def _pull(node: Any, bars: Bars, kept: Collection[int], relevant: Collection[int]) -> None:
    """The same for any node."""
    if not bars.keys().isdisjoint(node.outputs()) and (wanted := node.leads_from(relevant)):
        node.prepare(wanted, False)(bars, kept)
