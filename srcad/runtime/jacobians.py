"""Jacobians of a recording: one sweep, prepared once, run for every unit cotangent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from srcad.errors import BadArgument, TapeMisuse
from srcad.runtime.active import Recording
from srcad.runtime.call import CallNode
from srcad.runtime.sweep import Sweep
from srcad.runtime.tensor import Tensor, tensor_of


def jacobians(
    recording: Recording,
    target: Tensor,
    sources: Sequence[Tensor],
    wants_zeros: bool,
    threads: int = 1,
    batched: bool = True,
) -> list[Any]:
    """For each source an array of the target's shape joined with the source's; None or zeros if unconnected.

    batched     whether a call of a compiled function, where it is all that there is, may do all rows at once
    """
    sweep = Sweep(recording, [target], sources)
    shapes = [(target.shape + source.shape, source.dtype) for source in sources]
    blocks = _of_one_call(sweep, target, sources) if batched else None
    if blocks is not None:
        return [_filled(shape, dtype, block, wants_zeros) for (shape, dtype), block in zip(shapes, blocks, strict=True)]
    rows = _rows(sweep, _units(target), threads)
    return [
        _joined(shape, dtype, [row[index] for row in rows], 0, wants_zeros)
        for index, (shape, dtype) in enumerate(shapes)
    ]


def batch_jacobian(recording: Recording, target: Tensor, source: Tensor, threads: int = 1) -> Any:
    """The Jacobians along the first axis, of which target and source have the same length."""
    rows = _rows(Sweep(recording, [target], [source]), _unit_columns(target), threads)
    return _joined(target.shape + source.shape[1:], target.dtype, [row[0] for row in rows], 1, wants_zeros=True)


def threads_of(what: str, parallel_iterations: int | None, batched: bool, persistent: bool, count: int) -> int:
    """The number of threads that `parallel_iterations` asks for; errors as TensorFlow's.

    >>> threads_of("jacobian", None, True, False, 3), threads_of("jacobian", 2, True, True, 3)
    (1, 2)
    """
    if parallel_iterations is None:
        return 1
    if parallel_iterations < (2 if batched else 1):
        raise BadArgument(
            f"parallel_iterations={parallel_iterations}: the {what} takes two at a time or more",
            hint="experimental_use_pfor=False takes one after the other",
        )
    if batched and not persistent and count > 1 and parallel_iterations <= count:
        raise TapeMisuse(
            f"GradientTape must be created with persistent=True to compute the {what} with parallel_iterations."
        )
    return parallel_iterations


def check_batches(target: Tensor, source: Tensor) -> None:
    """Raises ValueError unless both have a first axis of the same length, and further ones."""
    for each in (target, source):
        if each.ndim < 2:
            raise BadArgument(f"Shape {each.shape} must have rank at least 2")
    if target.shape[0] != source.shape[0]:
        raise BadArgument(f"Need first dimension of target {target.shape} and source {source.shape} to match.")


def _of_one_call(sweep: Sweep, target: Tensor, sources: Sequence[Tensor]) -> list[Any] | None:
    """The blocks, where all that leads to the target is one call of a compiled function that knows its Jacobian."""
    node, wanted = sweep.only_node or (None, ())
    identities = [source._identity for source in sources]
    if not isinstance(node, CallNode) or sweep.live or not target.ndim or target._identity in identities:
        return None
    blocks = node.jacobian(wanted)
    if blocks is None:
        return None
    found: dict[int, Any] = {}
    for identity, block in zip(node.input_identities(wanted), blocks, strict=True):
        found[identity] = found[identity] + block if identity in found else block
    return [found.get(each) for each in identities]


def _rows(sweep: Sweep, seeds: Iterator[Any], threads: int = 1) -> list[list[Any]]:
    """The adjoints of the sources for each cotangent."""
    tensors = (tensor_of(seed[()]) for seed in seeds)
    if threads == 1 or sweep.live:
        return [sweep.run([each]) for each in tensors]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda each: sweep.run([each]), tensors))


def _units(target: Tensor) -> Iterator[Any]:
    """The unit cotangents; zeros, once, where the target is empty: what is connected shows all the same."""
    for index in range(max(1, target.size)):
        seed = np.zeros(target.shape, target.dtype)
        seed.reshape(-1)[index : index + 1] = 1
        yield seed


def _unit_columns(target: Tensor) -> Iterator[Any]:
    width = int(np.prod(target.shape[1:]))
    for index in range(max(1, width)):
        seed = np.zeros((target.shape[0], width), target.dtype)
        seed[:, index : index + 1] = 1
        yield seed.reshape(target.shape)


def _filled(shape: tuple[int, ...], dtype: Any, block: Any, wants_zeros: bool) -> Any:
    if block is None:
        return tensor_of(np.zeros(shape, dtype)[()]) if wants_zeros else None
    return tensor_of(block.reshape(shape).astype(dtype, copy=False))


def _joined(shape: tuple[int, ...], dtype: Any, rows: list[Any], axis: int, wants_zeros: bool) -> Any:
    if rows[0] is None:
        return tensor_of(np.zeros(shape, dtype)[()]) if wants_zeros else None
    if 0 in shape:
        return tensor_of(np.zeros(shape, rows[0].dtype))
    joined: Any = np.reshape(np.stack(rows, axis=axis), shape)
    return joined if type(joined) is Tensor else tensor_of(joined[()])
