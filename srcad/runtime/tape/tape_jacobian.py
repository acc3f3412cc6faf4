"""Jacobians from a recording: a sweep is prepared once and run for every unit cotangent."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from srcad.errors import BadArgument, BadValue, TapeMisuse
from srcad.runtime.tape.core.active_recordings import Recording, active
from srcad.runtime.tape.core.reverse_sweep import Sweep
from srcad.runtime.tape.core.tensor import Tensor, tensor_of
from srcad.runtime.tape.recording.batched_pullbacks import cotangents_at_once, run_batched
from srcad.runtime.tape.recording.compiled_calls import CompiledCall


def jacobians(
    recording: Recording,
    target: Tensor,
    sources: Sequence[Tensor],
    threads: int = 1,
    batched: bool = True,
) -> list[Any]:
    """For each source a tensor with the target's shape followed by the source's; None if unconnected.

    batched     whether all rows, or as many as memory allows, are computed at once
    """
    if target._identity not in recording.known:  # a target that is its own source has a Jacobian only if watched
        return [None] * len(sources)
    sweep = Sweep(recording, [target], sources)
    blocks = _of_one_call(sweep, target, sources) if batched else None
    shapes = [target.shape + source.shape for source in sources]
    if blocks is not None:
        return [_filled(*each) for each in zip(shapes, sources, blocks, strict=True)]
    stacked = _stacked(sweep, target, _units, max(1, target.size), threads, batched)
    return [_joined(shape, block, 0) for shape, block in zip(shapes, stacked, strict=True)]


def batch_jacobian(
    recording: Recording,
    target: Tensor,
    source: Tensor,
    wants_zeros: bool = False,
    threads: int = 1,
    batched: bool = True,
) -> Any:
    """The Jacobians along the first axis, which target and source share; zeros if unconnected."""
    block, shape = None, target.shape + source.shape[1:]
    if target._identity in recording.known:
        sweep = Sweep(recording, [target], [source])
        width = int(np.prod(target.shape[1:]))
        (block,) = _stacked(sweep, target, _unit_columns, max(1, width), threads, batched)
    found = tensor_of(np.zeros(shape, target.dtype)[()]) if block is None else _joined(shape, block, 1)
    if batched and (wants_zeros or block is not None):
        follow(target, [found])
    return found


def zeros_for(target: Tensor, source: Any) -> Tensor:
    """The Jacobian of a target that does not depend on the source."""
    return tensor_of(np.zeros(target.shape + source.shape, source.dtype)[()])


def filled_with_zeros(target: Tensor, sources: Sequence[Any], found: Sequence[Any], batched: bool) -> list[Any]:
    """The blocks, with zeros in place of None. Row by row, zeros are made from the source, which counts as read."""
    filled = []
    for block, source in zip(found, sources, strict=True):
        filled.append(zeros_for(target, source) if block is None else block)
        if block is None and not batched:
            follow(source._read(), filled[-1:])
    return filled


def follow(target: Tensor, found: Sequence[Tensor | None]) -> None:
    """Let the active tapes that follow the target follow Jacobians that were computed at once.

    In TensorFlow, rows computed at once are the result of one function of the target, whatever they depend on: they can
    be differentiated by, though no derivative leads through them.
    """
    for tape in active.tapes:
        if target._identity in tape.known:
            for each in found:
                if each is not None:
                    tape.adopt(each._identity)


def threads_of(what: str, parallel_iterations: int | None, batched: bool, persistent: bool, count: int) -> int:
    """The number of threads for `parallel_iterations`. Raises the errors that TensorFlow raises.

    >>> threads_of("jacobian", None, True, False, 3), threads_of("jacobian", 2, True, True, 3)
    (1, 2)
    """
    if parallel_iterations is None:
        return 1
    if parallel_iterations < 1 and not batched:
        raise BadValue("'parallel_iterations' must be a positive integer.", hint="leave it out for one after the other")
    if parallel_iterations < 2 and batched:
        raise BadArgument(
            f"parallel_iterations={parallel_iterations}: the {what} takes two at a time or more",
            hint="experimental_use_pfor=False takes one after the other",
        )
    if batched and not persistent and count > 1 and parallel_iterations <= count:
        raise TapeMisuse(
            f"GradientTape must be created with persistent=True to compute the {what} with parallel_iterations.",
            hint="make the tape with persistent=True, or leave parallel_iterations out",
        )
    return parallel_iterations


def check_batches(target: Tensor, source: Tensor) -> None:
    """Raise ValueError unless both have at least two axes, and first axes of the same length."""
    for each in (target, source):
        if each.ndim < 2:
            raise BadArgument(
                f"Shape {each.shape} must have rank at least 2",
                hint="the first axis counts the batch; without one, use jacobian",
            )
    if target.shape[0] != source.shape[0]:
        raise BadArgument(
            f"Need first dimension of target {target.shape} and source {source.shape} to match.",
            hint="the first axis counts the batch; without one, use jacobian",
        )


def _of_one_call(sweep: Sweep, target: Tensor, sources: Sequence[Tensor]) -> list[Any] | None:
    """The blocks, if the sources lead to the target through one compiled call that has a Jacobian, else None."""
    node = sweep.path[0][0] if len(sweep.path) == 1 else None
    identities = [source._identity for source in sources]
    if not isinstance(node, CompiledCall) or sweep.live or not target.ndim or target._identity in identities:
        return None
    wanted = node.places(sweep.relevant)
    blocks = node.jacobian(wanted)
    if blocks is None:
        return None
    found: dict[int, Any] = {}
    for identity, block in zip([node.leaves[place]._identity for place in wanted], blocks, strict=True):
        found[identity] = found[identity] + block if identity in found else block
    return [found.get(each) for each in identities]


def _stacked(sweep: Sweep, target: Tensor, units: Any, count: int, threads: int, batched: bool) -> list[Any]:
    """For each source its adjoints for all unit cotangents, along a first axis; None if it is not connected."""
    at_once = cotangents_at_once(sweep.path, target.size) if batched and not sweep.live else 1
    at_once = max(1, min(at_once, -(-count // threads)))

    def part(start: int) -> list[Any]:
        seeds = units(target, start, min(count, start + at_once))
        if at_once > 1:
            return run_batched(sweep, seeds)
        return [each if each is None else each[None] for each in sweep.run([tensor_of(seeds[0][()])])]

    starts = range(0, count, at_once)
    if threads == 1 or sweep.live:
        parts = [part(start) for start in starts]
    else:
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(part, starts))
    return [None if blocks[0] is None else np.concatenate(blocks) for blocks in zip(*parts, strict=True)]


def _units(target: Tensor, start: int, stop: int) -> Any:
    """Unit cotangents. For an empty target one of zeros, which still shows what is connected."""
    seeds = np.zeros((stop - start, target.size), target.dtype)
    if target.size:
        seeds[range(stop - start), range(start, stop)] = 1
    return seeds.reshape(stop - start, *target.shape)


def _unit_columns(target: Tensor, start: int, stop: int) -> Any:
    """Unit cotangents that are the same for each entry of a batch."""
    length, *rest = target.shape
    seeds = np.zeros((stop - start, length, int(np.prod(rest))), target.dtype)
    if target.size:
        seeds[range(stop - start), :, range(start, stop)] = 1
    return seeds.reshape(stop - start, *target.shape)


def _filled(shape: tuple[int, ...], source: Tensor, block: Any) -> Any:
    return None if block is None else tensor_of(block.reshape(shape).astype(source.dtype, copy=False))


def _joined(shape: tuple[int, ...], block: Any, axis: int) -> Any:
    """A block with its first axis, that of the target's elements, moved to `axis` and split into the target's axes."""
    if block is None:
        return None
    if 0 in shape:
        return tensor_of(np.zeros(shape, block.dtype))
    joined: Any = np.reshape(np.moveaxis(block, 0, axis) if axis else block, shape)
    return joined if type(joined) is Tensor else tensor_of(joined[()])
