"""Dask: the chunks are those of Dask arrays or delayed objects, and the tree of sums is a part of the graph.

Dask loads chunks where they are computed, sends only sums from worker to worker, and computes again what a lost worker
had.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcad.distributed.fixed_tree import added
from srcad.errors import BadArgument


def is_dask(value: Any) -> bool:
    """Whether a value is one of Dask's: an array or a delayed object. Dask is not imported for that.

    >>> is_dask(1.0)
    False
    """
    return callable(getattr(type(value), "__dask_graph__", None))


def are_of_dask(chunks: Any) -> bool:
    """Whether chunks are a Dask array, a tuple of these, or a list with delayed objects."""
    return is_dask(chunks) or (isinstance(chunks, (list, tuple)) and any(map(is_dask, chunks)))


def delayed_chunks(chunks: Any) -> list[Any]:
    """The chunks of an iterable, one by one; of arrays, their blocks along the first axis.

    Raises BadArgument if arrays are not cut alike, or along other axes too.
    """
    arrays = chunks if isinstance(chunks, tuple) else (chunks,)
    if not all(hasattr(each, "to_delayed") and hasattr(each, "chunks") for each in arrays):
        return [chunks] if is_dask(chunks) else list(chunks)
    for each in arrays:
        if any(len(sizes) > 1 for sizes in each.chunks[1:]):
            hint = "join them along the other axes: `x.rechunk({1: -1})`"
            raise BadArgument(f"the blocks of an array cut more than its first axis: {each.chunks}", hint=hint)
        if each.chunks[0] != arrays[0].chunks[0]:
            hint = "give all arrays the blocks of one: `y.rechunk({0: x.chunks[0]})`"
            raise BadArgument(f"arrays are cut at different places: {arrays[0].chunks[0]}, {each.chunks[0]}", hint=hint)
    import dask

    rows = zip(*(each.to_delayed().ravel() for each in arrays), strict=True)
    return [dask.delayed(row, traverse=True) if isinstance(chunks, tuple) else row[0] for row in rows]


def summed(task: Callable[..., Any], parameters: tuple[Any, ...], chunks: Sequence[Any], compute: Any) -> Any:
    """The sum of a task's results over chunks; `compute` computes a delayed object."""
    import dask

    run, add = dask.delayed(task, pure=False), dask.delayed(added, pure=False)
    given = dask.delayed(parameters, traverse=False)
    nodes = [run(given, chunk) for chunk in chunks]
    while len(nodes) > 1:
        pairs = [add(*nodes[k : k + 2]) for k in range(0, len(nodes) - 1, 2)]
        nodes = pairs + ([nodes[-1]] if len(nodes) & 1 else [])
    return compute(nodes[0])
