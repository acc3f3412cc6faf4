"""Second derivatives of a recording: the reverse sweep is appended to a copy of it, which is swept in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.errors import BadArgument
from srcad.runtime.tape.core.active_recordings import Recording, active
from srcad.runtime.tape.core.reverse_sweep import Sweep
from srcad.runtime.tape.core.tensor import Tensor, tensor_of
from srcad.runtime.tape.tape_jacobian import jacobians, zeros_for
from srcad.runtime.tape.targets_and_sources import ones
from srcad.runtime.tape.values.conversions import convert_to_tensor


def hessians(recording: Recording, target: Tensor, sources: Sequence[Tensor]) -> list[list[Any]]:
    """Blocks of second derivatives of a target that is one number; None for sources that it does not depend on."""
    if target.size != 1:
        raise BadArgument(
            f"a Hessian is that of one number, the target has the shape {target.shape}",
            hint="give one element of the target, or its sum",
        )
    again, slopes = _recorded_gradient(recording, target, sources)
    connected = [slope is not None for slope in slopes]
    rows: list[list[Any]] = []
    for slope in slopes:
        if slope is None:
            rows.append([None] * len(sources))
            continue
        found = zip(jacobians(again, slope, sources), sources, strict=True)
        blocks = [zeros_for(slope, source) if block is None else block for block, source in found]
        rows.append([block if there else None for block, there in zip(blocks, connected, strict=True)])
    return rows


def products(recording: Recording, target: Tensor, sources: Sequence[Tensor], vectors: Sequence[Any]) -> list[Any]:
    """The product of the Hessian of the sum of the target with vectors, one for each source."""
    directions = [
        convert_to_tensor(each, dtype_hint=source.dtype) for each, source in zip(vectors, sources, strict=True)
    ]
    for direction, source in zip(directions, sources, strict=True):
        if direction.shape != source.shape:
            raise BadArgument(
                f"a vector of shape {direction.shape} for a source of shape {source.shape}", hint="give it that shape"
            )
    again, slopes = _recorded_gradient(recording, target, sources)
    pairs = [(slope, each) for slope, each in zip(slopes, directions, strict=True) if slope is not None]
    seeds = [each for _, each in pairs]
    found = Sweep(again, [slope for slope, _ in pairs], sources, seeds).run(seeds)
    return [
        None if slope is None else np.zeros(source.shape, source.dtype)[()] if bar is None else bar
        for bar, slope, source in zip(found, slopes, sources, strict=True)
    ]


def _recorded_gradient(
    recording: Recording, target: Tensor, sources: Sequence[Tensor]
) -> tuple[Recording, list[Tensor | None]]:
    """The gradient, and a recording of the forward computation and of the reverse sweep that computed it."""
    again = Recording(watches_accessed=False)
    again.nodes, again.known, again.roots = [*recording.nodes], {*recording.known}, {*recording.roots}
    active.push(again)
    try:
        found = Sweep(recording, [target], sources, live=True).run([ones(target)])
    finally:
        active.remove(again)
    return again, [bar if bar is None or isinstance(bar, Tensor) else tensor_of(bar) for bar in found]
