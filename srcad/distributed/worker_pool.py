"""Worker pools: tasks for the chunks of an iterable, in an executor of `concurrent.futures`, a few at a time.

Chunks are taken from the iterable as workers become free, so that they need not all fit into memory. If a process of a
pool of ours ends before its task, a new pool computes the chunks that were under way again.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from typing import Any

from srcad.distributed.fixed_tree import FixedTree
from srcad.errors import BadArgument, WorkersLost

UNDER_WAY = 2  # chunks for each worker: one that it computes, one that waits


class OwnProcesses:
    """A pool of processes, which is begun with the first task, and again after one of them was lost."""

    def __init__(self, workers: int, context: str = "spawn") -> None:
        self.workers, self._context = workers, multiprocessing.get_context(context)
        self._pool: ProcessPoolExecutor | None = None

    def executor(self) -> Executor:
        """The pool."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.workers, mp_context=self._context)
        return self._pool

    def renewed(self) -> bool:
        """Give up a pool that has lost a process; the next task begins another one."""
        self.close()
        return True

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


class GivenExecutor:
    """An executor of the caller's."""

    def __init__(self, executor: Executor, workers: int) -> None:
        self.workers, self._executor = workers, executor

    def executor(self) -> Executor:
        """The executor."""
        return self._executor

    def renewed(self) -> bool:
        """An executor that is not ours cannot be begun again."""
        return False

    def close(self) -> None:
        """The caller's executor stays open."""


class PooledSum:
    """The sum of a task's results over chunks."""

    def __init__(
        self, pool: OwnProcesses | GivenExecutor, task: Callable[..., Any], retries: int, timeout: float | None
    ) -> None:
        self.pool, self.task, self.retries, self.timeout = pool, task, retries, timeout
        self.under_way: dict[Future[Any], tuple[int, Any]] = {}
        self.tree, self.lost = FixedTree(), 0

    def over(self, parameters: tuple[Any, ...], chunks: Iterable[Any]) -> tuple[Any, int]:
        """The sum, and the number of chunks, which is at least one."""
        ends = None if self.timeout is None else time.monotonic() + self.timeout
        left, count, most = iter(chunks), 0, 1  # the first chunk alone: its worker compiles, and others find the code
        try:
            while True:
                for chunk in left:
                    self.submit(parameters, count, chunk)
                    count += 1
                    if len(self.under_way) >= most:
                        break
                if not self.under_way:
                    break
                self.collect(parameters, ends)
                most = UNDER_WAY * self.pool.workers
        finally:
            for future in self.under_way:
                future.cancel()
        if not count:
            raise BadArgument("there are no chunks", hint="pass at least one: the gradient of nothing has no shape")
        return self.tree.total(count), count

    def submit(self, parameters: tuple[Any, ...], index: int, chunk: Any) -> None:
        """Have the task of a chunk computed."""
        try:
            future = self.pool.executor().submit(self.task, parameters, chunk)
        except BrokenExecutor as problem:
            self.renew(parameters, problem)
            self.submit(parameters, index, chunk)
        else:
            self.under_way[future] = index, chunk

    def collect(self, parameters: tuple[Any, ...], ends: float | None) -> None:
        """Wait for a task, and add up what is done."""
        remaining = None if ends is None else max(0.0, ends - time.monotonic())
        done, _ = wait(self.under_way, remaining, FIRST_COMPLETED)
        if not done:
            raise TimeoutError(f"{len(self.under_way)} chunks were not computed within {self.timeout} s")
        for future in done:
            problem = future.exception()
            if isinstance(problem, BrokenExecutor):
                self.renew(parameters, problem)
                return
            if problem is not None:
                raise problem
            index, _ = self.under_way.pop(future)
            self.tree.put(index, future.result())

    def renew(self, parameters: tuple[Any, ...], problem: BaseException) -> None:
        """Compute what was under way again, in other processes."""
        self.lost += 1
        again = sorted(self.under_way.values(), key=lambda each: each[0])
        if self.lost > self.retries or not self.pool.renewed():
            first = f", among them that of chunk {again[0][0]}" if again else ""
            raise WorkersLost(
                f"worker processes ended before their tasks{first}",
                hint="pass the number of workers in place of an executor, and see whether a chunk needs more memory "
                'than there is; in a script, call it under `if __name__ == "__main__":`',
            ) from problem
        done = {future for future in self.under_way if future.done() and future.exception() is None}
        for future in done:
            index, _ = self.under_way[future]
            self.tree.put(index, future.result())
        finished = {self.under_way[future][0] for future in done}
        self.under_way = {}
        for index, chunk in again:
            if index not in finished:
                self.submit(parameters, index, chunk)
