"""`srcad.distributed.map_gradient`: the gradient of a sum over chunks that several processes compute."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Any

from srcad.distributed import dask_graph
from srcad.distributed.chunk_task import ChunkTask
from srcad.distributed.fixed_tree import FixedTree, scaled
from srcad.distributed.worker_pool import GivenExecutor, OwnProcesses, PooledSum
from srcad.errors import BadArgument, BadType
from srcad.frontend.load_source import name_of


class DistributedGradient:
    """What `map_gradient` returns: the gradient by parameters, over all chunks. `close` ends processes of its own."""

    def __init__(
        self,
        function: Callable[..., Any],
        chunks: Any,
        wrt: int | str,
        workers: Any,
        reduce: str,
        value: bool,
        jit: bool,
        retries: int,
        timeout: float | None,
    ) -> None:
        self.function, self._chunks, self._workers, self._reduce = function, chunks, workers, reduce
        self._value, self._retries, self._timeout = value, retries, timeout
        self._task = ChunkTask(function, wrt, jit)
        self._pool = _pool_of(workers)

    def __repr__(self) -> str:
        return f"<srcad distributed map_gradient of {name_of(self.function)}>"

    def __enter__(self) -> DistributedGradient:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that were begun for it. The next call begins others."""
        if self._pool is not None:
            self._pool.close()

    def __call__(self, *parameters: Any) -> Any:
        """The gradient, or with `value=True` the pair of value and gradient, for these first arguments."""
        total, count = self._sum(parameters)
        value, gradient = scaled(total, 1.0 / count) if self._reduce == "mean" else total
        return (value, gradient) if self._value else gradient

    def _sum(self, parameters: tuple[Any, ...]) -> tuple[Any, int]:
        chunks = self._chunks
        if not hasattr(type(chunks), "__iter__") and not dask_graph.is_dask(chunks):
            chunks = chunks()
        if self._pool is None and (self._workers is not None or dask_graph.are_of_dask(chunks)):
            made = dask_graph.delayed_chunks(chunks)
            if not made:
                raise BadArgument("there are no chunks", hint="pass at least one")
            return dask_graph.summed(self._task, parameters, made, self._compute), len(made)
        if self._pool is not None:
            return PooledSum(self._pool, self._task, self._retries, self._timeout).over(parameters, chunks)
        return _in_this_process(self._task, parameters, chunks)

    def _compute(self, node: Any) -> Any:
        """The value of a delayed object, by the client that was given or by Dask's present scheduler."""
        if self._workers is None:
            return node.compute()
        future = self._workers.compute(node, retries=self._retries)
        try:
            return future.result(self._timeout)
        finally:
            future.cancel()


def _in_this_process(task: ChunkTask, parameters: tuple[Any, ...], chunks: Iterable[Any]) -> tuple[Any, int]:
    tree, count = FixedTree(), 0
    for chunk in chunks:
        tree.put(count, task(parameters, chunk))
        count += 1
    if not count:
        raise BadArgument("there are no chunks", hint="pass at least one: the gradient of nothing has no shape")
    return tree.total(count), count


def _pool_of(workers: Any) -> OwnProcesses | GivenExecutor | None:
    """The pool that `workers` stands for; None for Dask and for this process."""
    if workers is None or _is_client(workers):
        return None
    if isinstance(workers, Executor):
        return GivenExecutor(workers, getattr(workers, "_max_workers", 1))
    if isinstance(workers, bool) or not isinstance(workers, int):
        hint = "give a number of processes, an executor of concurrent.futures, or a Client of dask.distributed"
        raise BadType(f"workers is a {type(workers).__name__}", hint=hint)
    if workers < 1:
        raise BadArgument(f"workers is {workers}", hint="give at least 1, or None for the calling process")
    return OwnProcesses(workers)


def _is_client(workers: Any) -> bool:
    """Whether this is a Client of dask.distributed, which is not imported for that."""
    return type(workers).__module__.partition(".")[0] == "distributed" and hasattr(workers, "compute")


def map_gradient(
    f: Callable[..., Any],
    chunks: Any,
    wrt: int | str = 0,
    *,
    workers: Any = None,
    reduce: str = "sum",
    value: bool = False,
    jit: bool = True,
    retries: int = 3,
    timeout: float | None = None,
) -> DistributedGradient:
    """The gradient of a sum over chunks, which other processes or machines compute.

    f           a function of parameters and of a chunk, with a real number as its result; it is sent with the text of
                its file, and compiled where it runs. It must be one that pickle can send: a `def` at the top of a
                module
    chunks      an iterable, or a function that makes one, of which each element is the last argument of `f`, a tuple of
                its last arguments, or a function without arguments that loads one where it is needed; or a
                `dask.array`, a tuple of these, whose blocks along the first axis are the chunks, or a list of
                `dask.delayed` objects
    wrt         the parameter to differentiate by, as for `grad`
    workers     a number of processes, which are begun at the first call and kept until `close`; an executor of
                `concurrent.futures`; a `Client` of `dask.distributed`; None is Dask's present scheduler for chunks of
                Dask's, the calling process for others
    reduce      "sum", or "mean": the sum divided by the number of chunks
    value       True returns the pair of value and gradient
    retries     how often chunks are computed again whose process has ended
    timeout     after how many seconds a call with `workers` raises TimeoutError; None is never

    Returns a function of the other arguments. Sums are added in the order of one binary tree over the chunks. So the
    result is the same, bit for bit, for any number of workers of one kind of processor, and after a worker was lost.
    At most two chunks for each process are under way at a time: an iterator of chunks need not fit into memory.

    Raises BadArgument, which names the cure, if `f` cannot be sent, if a worker has another version of its module, if
    there are no chunks, or if Dask's arrays are cut at different places; WorkersLost if processes end again and again.

    >>> import numpy as np
    >>> from srcad.distributed.sample_functions import squared_error
    >>> chunks = [(np.array([1.0, 2.0]), np.array([2.0, 3.0])), (np.array([3.0]), np.array([5.0]))]
    >>> value, gradient = map_gradient(squared_error, chunks, value=True, jit=False)(1.5)
    >>> float(value), float(gradient)
    (0.5, -4.0)
    """
    if reduce not in ("sum", "mean"):
        raise BadArgument(f"reduce is {reduce!r}", hint="it is 'sum' or 'mean'")
    is_iterable = hasattr(type(chunks), "__iter__") or dask_graph.is_dask(chunks)
    if not is_iterable and not callable(chunks):
        raise BadType(f"chunks is a {type(chunks).__name__}", hint="pass an iterable, or a function that makes one")
    return DistributedGradient(f, chunks, wrt, workers, reduce, value, jit, retries, timeout)
