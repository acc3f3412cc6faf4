"""The loop over the elements of a batch: its text, compiled around the routine for one element, shared among threads.

    def first(a0, a1):                        # a0 is mapped, a1 is not
        return (f_grad(a0[0], a1),)           # the first element tells the shape

    def sweep(first, last, a0, a1, o0):
        for i in range(first, last):
            r = f_grad(a0[i], a1)
            if r.shape != o0.shape[1:]:
                return i
            o0[i] = r
        return -1

The text stands in a module with that of the routine, which is compiled and kept on disk as generated ones are. It runs
without Python's lock. Each element writes to places of its own: results do not depend on the number of threads.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.registry import CPUDispatcher
from numba.np import numpy_support

from srcad.batching.mapped_axes import refuse_ragged
from srcad.driver.version import Version, compiler_options
from srcad.runtime.jit import disk_cache
from srcad.runtime.jit.disk_cache import Stored
from srcad.runtime.jit.dispatchers import compiled, load
from srcad.runtime.jit.numba_inference import CannotType

_NAMES = ("srcad_vmap_first", "srcad_vmap_sweep")
_ALONE = 3e-4  # seconds that the calling thread works alone, to see how long elements take
_SHARED = 1e-3  # seconds of work from which threads are started
_CHUNKS = 16  # per thread: elements may take different time


class ElementLoop:
    """The loop for one routine, types of arguments, and choice of which are mapped.

    `written` says which arguments the routine writes to: it is given copies of these.
    """

    def __init__(
        self, version: Version, routine: Any, kinds: Sequence[Any], is_mapped: Sequence[bool], written: Sequence[bool]
    ) -> None:
        inner = [element_kind(kind) if here else kind for kind, here in zip(kinds, is_mapped, strict=True)]
        routine.compile(tuple(inner))
        self._result = routine.overloads[tuple(inner)].signature.return_type
        self._leaves = list(_leaves_of(self._result, "r"))
        blanks = [np.empty((0,) * (1 + ndim), dtype) for _, dtype, ndim, _ in self._leaves]
        generated, options = (
            version.module(tuple(inner), version.assumes),
            compiler_options(version.unit, version.request),
        )
        text = _text(generated[1].functions[0], self._leaves, inner, is_mapped, written)
        self._first, self._sweep = _compiled(text, generated, options)
        self._first.compile(tuple(kinds))
        self._sweep.compile((types.intp, types.intp, *kinds, *map(numba.typeof, blanks)))

    def __call__(self, size: int, args: Sequence[Any], is_alone: bool = False) -> Any:
        """The results of all elements: arrays, in tuples as those of the routine. With `is_alone`, in one thread."""
        started = time.perf_counter()
        outs, done = self._begun(size, args), 1
        while done < size and time.perf_counter() - started < _ALONE:
            last = min(size, 4 * done)
            self._run(done, last, args, outs)
            done = last
        if done < size:
            estimate = (time.perf_counter() - started) / done * (size - done)
            workers = min(size - done, thread_count()) if estimate > _SHARED and not is_alone else 1
            share_out(lambda first, last: self._run(first, last, args, outs), done, size, workers)
        return _assembled(self._result, iter(outs))

    def _begun(self, size: int, args: Sequence[Any]) -> list[Any]:
        """Arrays for all results, with that of the first element. NumPy takes large ones from large pages."""
        outs = []
        for one, (_, dtype, *_) in zip(self._first(*args), self._leaves, strict=True):
            outs.append(np.empty((size, *np.shape(one)), dtype))
            outs[-1][0] = one
        return outs

    def _run(self, first: int, last: int, args: Sequence[Any], outs: Sequence[Any]) -> None:
        ragged = self._sweep(first, last, *args, *outs)
        if ragged >= 0:
            refuse_ragged(ragged)


def _compiled(text: str, generated: tuple[ModuleType, Stored], options: Mapping[str, Any]) -> tuple[CPUDispatcher, ...]:
    """The functions of this text, compiled with the generated ones that they call, and kept with them on disk."""
    module, stored = generated
    name = disk_cache.key("vmap", module.__name__, text)
    whole = replace(stored, text=f"{stored.text}\n\n{text}", functions=_NAMES)
    if not stored.injected and disk_cache.fetch(name) is None:
        disk_cache.store(name, whole)
    given = {each: vars(module)[each] for each in stored.injected}
    return compiled(load(name, whole, given), _NAMES, {**options, "nogil": True})


def element_kind(kind: Any) -> Any:
    """Numba's type of an element of a contiguous array.

    >>> element_kind(types.float64[:, ::1]), element_kind(types.int64[::1])
    (Array(float64, 1, 'C', False, aligned=True), int64)
    """
    if kind.ndim == 1:
        return kind.dtype
    return types.Array(kind.dtype, kind.ndim - 1, "C", not kind.mutable, aligned=kind.aligned)


def _leaves_of(kind: Any, path: str) -> Any:
    """For each number or array in a result: its expression, its dtype, its number of axes, whether it is contiguous."""
    if isinstance(kind, types.BaseTuple):
        for k, part in enumerate(kind.types):
            yield from _leaves_of(part, f"{path}[{k}]")
    elif isinstance(kind, types.Array):
        yield path if kind.ndim else f"{path}[()]", numpy_support.as_dtype(kind.dtype), kind.ndim, kind.layout == "C"
    elif isinstance(kind, (types.Number, types.Boolean)):
        yield path, numpy_support.as_dtype(types.unliteral(kind)), 0, True
    else:
        raise CannotType(f"a result is of the type {kind}, which is no number, array or tuple of these")


def _assembled(kind: Any, each: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        parts = [_assembled(part, each) for part in kind.types]
        return kind.instance_class(*parts) if isinstance(kind, types.BaseNamedTuple) else tuple(parts)
    return next(each)


def _text(
    routine: str, leaves: Sequence[Any], kinds: Sequence[Any], is_mapped: Sequence[bool], written: Sequence[bool]
) -> str:
    """The function for the first element, which tells the shapes, and the loop over others."""
    given = [f"a{k}" for k in range(len(kinds))]
    outs = [f"o{k}" for k in range(len(leaves))]
    passed = [f"{name}[i]" if here else name for name, here in zip(given, is_mapped, strict=True)]
    for k, kind in enumerate(kinds):
        if written[k] and isinstance(kind, types.Array):
            passed[k] = f"{passed[k]}.copy()"
    call = f"r = {routine}({', '.join(passed)})"
    first = [
        f"def {_NAMES[0]}({', '.join(given)}):",
        "    i = 0",
        f"    {call}",
        f"    return ({''.join(f'{path}, ' for path, *_ in leaves)})",
    ]
    rest = [f"def {_NAMES[1]}(first, last, {', '.join([*given, *outs])}):"]
    stores = []
    for out, (path, _, ndim, is_contiguous) in zip(outs, leaves, strict=True):
        if not ndim:
            stores.append(f"        {out}[i] = {path}")
            continue
        stores += [f"        if {path}.shape != {out}.shape[1:]:", "            return i"]
        if is_contiguous:  # one loop over all elements, which becomes vector instructions
            source = path if ndim == 1 else f"{path}.reshape(-1)"
            rest.append(f"    f{out} = {out}.reshape({out}.shape[0], -1)" if ndim > 1 else f"    f{out} = {out}")
            stores += [
                f"        source = {source}",
                "        for k in range(source.size):",
                f"            f{out}[i, k] = source[k]",
            ]
        else:
            stores.append(f"        {out}[i] = {path}")
    rest += ["    for i in range(first, last):", f"        {call}", *stores, "    return -1"]
    return "\n".join(["import numpy as np", "", "", *first, "", "", *rest]) + "\n"


def thread_count() -> int:
    """As many threads as Numba has: NUMBA_NUM_THREADS, or what `numba.set_num_threads` has said."""
    if "numba.np.ufunc.parallel" in sys.modules:
        return int(numba.get_num_threads())
    return int(numba.config.NUMBA_NUM_THREADS)


def share_out(work: Callable[[int, int], Any], first: int, last: int, workers: int) -> None:
    """Do `work(start, stop)` for all parts of a range, in several threads, of which the calling one is the first.

    Raises the exception of the first part that raises one, as one thread would.

    >>> seen = []
    >>> share_out(lambda start, stop: seen.extend(range(start, stop)), 0, 5, 2)
    >>> sorted(seen)
    [0, 1, 2, 3, 4]
    """
    if workers == 1:
        work(first, last)
        return
    length = max(1, -(-(last - first) // (workers * _CHUNKS)))
    starts, lock, failed = itertools.count(first, length), threading.Lock(), dict[int, BaseException]()

    def run() -> None:
        while True:
            with lock:
                start = next(starts)
            # Parts are taken in order, so that all those before one that failed have been taken as well.
            if start >= last or any(each < start for each in list(failed)):
                return
            try:
                work(start, min(last, start + length))
            except BaseException as problem:  # noqa: BLE001 - raised below, by the calling thread
                failed[start] = problem

    helpers = [threading.Thread(target=run, daemon=True) for _ in range(workers - 1)]
    for each in helpers:
        each.start()
    run()
    for each in helpers:
        each.join()
    if failed:
        raise failed[min(failed)]
