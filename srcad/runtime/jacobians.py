"""Jacobians of a recording: one sweep, prepared once, run for every unit cotangent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from srcad.errors import BadArgument
from srcad.runtime.active import Recording
from srcad.runtime.sweep import Sweep
from srcad.runtime.tensor import Tensor, tensor_of


def jacobians(recording: Recording, target: Tensor, sources: Sequence[Tensor], wants_zeros: bool) -> list[Any]:
    """For each source an array of the target's shape joined with the source's; None or zeros if unconnected."""
    rows = _rows(recording, target, sources, _units(target))
    return [
        _joined(target.shape + source.shape, source.dtype, [row[index] for row in rows], 0, wants_zeros)
        for index, source in enumerate(sources)
    ]


def batch_jacobian(recording: Recording, target: Tensor, source: Tensor) -> Any:
    """The Jacobians along the first axis, of which target and source have the same length."""
    rows = _rows(recording, target, [source], _unit_columns(target))
    return _joined(target.shape + source.shape[1:], target.dtype, [row[0] for row in rows], 1, wants_zeros=True)


def check_batches(target: Tensor, source: Tensor) -> None:
    """Raises ValueError unless both have a first axis of the same length, and further ones."""
    for each in (target, source):
        if each.ndim < 2:
            raise BadArgument(f"Shape {each.shape} must have rank at least 2")
    if target.shape[0] != source.shape[0]:
        raise BadArgument(f"Need first dimension of target {target.shape} and source {source.shape} to match.")


def _rows(recording: Recording, target: Tensor, sources: Sequence[Tensor], seeds: Iterator[Any]) -> list[list[Any]]:
    """The adjoints of the sources for each cotangent."""
    sweep = Sweep(recording, [target], sources)
    return [sweep.run([tensor_of(seed[()])]) for seed in seeds]


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


def _joined(shape: tuple[int, ...], dtype: Any, rows: list[Any], axis: int, wants_zeros: bool) -> Any:
    if rows[0] is None:
        return tensor_of(np.zeros(shape, dtype)[()]) if wants_zeros else None
    if 0 in shape:
        return tensor_of(np.zeros(shape, rows[0].dtype))
    joined: Any = np.reshape(np.stack(rows, axis=axis), shape)
    return joined if type(joined) is Tensor else tensor_of(joined[()])
