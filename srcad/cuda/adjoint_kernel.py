"""`adjoint`: the adjoint of a kernel, as an object that is launched like a kernel."""

from __future__ import annotations

import functools
import itertools
import linecache
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types as nb

from srcad.cuda.adjoint_text import KernelText, written
from srcad.cuda.device_arrays import is_device_array, overlap, type_of_argument
from srcad.cuda.kernel_source import KernelSource, read_kernel
from srcad.errors import BadArgument, BadType

_numbers = itertools.count(1)


def adjoint(kernel: Any, *, race_free: bool = False) -> AdjointKernel:
    """The adjoint of a CUDA kernel: a kernel that passes cotangents from its results to its arguments.

    Parameters
    ----------
    kernel
        What `numba.cuda.jit` has made of a function.
    race_free
        Say that no two threads reach the same element, one of them to write it, other than by `cuda.atomic.add` or
        with a barrier between. It is needed only where that cannot be shown from the subscripts; if it does not hold,
        the result is undefined, as is that of the kernel.

    Returns
    -------
    AdjointKernel
        Launched as `adjoint(kernel)[blocks, threads](*args, *cotangents)`.

    Raises
    ------
    BadType
        If `kernel` is no kernel.

    Examples
    --------
    >>> from numba import cuda, float64
    >>> @cuda.jit
    ... def squares(x, y):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         y[i] = x[i] * x[i]
    >>> print(adjoint(squares).source(float64[:], float64[:]))
    from numba import cuda
    <BLANKLINE>
    <BLANKLINE>
    @cuda.jit
    def squares_adjoint(x, x_bar, y_bar):
        grid_x = cuda.grid(1)
        t1 = x.size
        t2 = grid_x < t1
        if t2:
            t3 = x[grid_x]
            t5_bar = y_bar[grid_x]  # line 5: y[i] = x[i] * x[i]
            y_bar[grid_x] = 0.0
            t3_bar = t5_bar * t3  # line 5: y[i] = x[i] * x[i]
            t3_bar += t5_bar * t3
            x_bar[grid_x] += t3_bar  # line 5: y[i] = x[i] * x[i]
    <BLANKLINE>
    """
    return AdjointKernel(read_kernel(kernel), race_free)


class AdjointKernel:
    """The adjoint of a kernel, made by `srcad.cuda.adjoint`.

    `a[blocks, threads](*args, *cotangents)` takes the arguments of the kernel, with the values that they had *before*
    the kernel was launched, and then one cotangent for each of them, in the same order:

    - for an array of floats, a device array of the same shape and dtype. For a result it holds the derivatives of the
      objective by that result. The derivatives by what the kernel reads are *added* to the cotangents of its inputs;
      where the kernel overwrites an element, its cotangent is zero afterwards;
    - for a float, a device array of one element, to which its derivative is added;
    - None for other arguments, and for those by which no derivatives are wanted.

    Launch it with the grid that the kernel was launched with. Text and compiled kernel are kept for each combination of
    types and of cotangents that are given.
    """

    def __init__(self, kernel: KernelSource, race_free: bool) -> None:
        self._kernel, self._race_free = kernel, race_free
        self._made: dict[Any, _Compiled] = {}
        self.__name__ = f"{kernel.source.name}_adjoint"

    def __getitem__(self, launch: Any) -> functools.partial[None]:
        """Choose the grid: blocks, threads, and a stream if need be."""
        launch = launch if isinstance(launch, tuple) else (launch,)
        if not 2 <= len(launch) <= 3:
            raise BadArgument(
                "a launch has a number of blocks, a number of threads, and a stream if need be",
                hint="write `[blocks, threads](...)`; dynamic shared memory is not supported",
            )
        return functools.partial(self._launch, launch)

    def __call__(self, *arguments: Any) -> None:
        """Refused: a kernel needs a grid."""
        raise BadArgument(
            f"{self.__name__} is called without a grid", hint=f"write `{self.__name__}[blocks, threads](...)`"
        )

    def source(self, *arguments: Any) -> str:
        """The text of the adjoint kernel for these arguments and cotangents.

        `arguments` are those of a launch, or Numba types in their place; cotangents may be left out, and are then those
        of all arrays of floats and of all floats.
        """
        kinds = [each if isinstance(each, nb.Type) else self._kind(k, each) for k, each in enumerate(arguments)]
        count = len(self._names)
        if len(kinds) == count:
            wanted = [k for k, kind in enumerate(kinds) if _is_real(kind)]
        else:
            wanted = [k for k, kind in enumerate(kinds[count:]) if not isinstance(kind, nb.NoneType)]
        return written(self._kernel, kinds[:count], wanted, self._race_free).text

    @property
    def _names(self) -> list[str]:
        return [each.id for each in self._kernel.source.tree.args.args]

    def _kind(self, position: int, value: Any) -> nb.Type:
        if value is None:
            return nb.none
        kind = type_of_argument(value)
        if kind is None:
            name = self._names[position % len(self._names)]
            hint = "move it to the device with `cuda.to_device`, or make a CuPy array of it"
            if not isinstance(value, np.ndarray):
                hint = "pass device arrays and numbers"
            what = "a host array" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
            raise BadType(f"`{name}` is {what}, and the adjoint of a kernel works in device memory", hint=hint)
        return kind

    def _launch(self, launch: tuple[Any, ...], *arguments: Any) -> None:
        names = self._names
        if len(arguments) != 2 * len(names):
            raise BadArgument(
                f"{self.__name__} takes {len(names)} arguments and as many cotangents, not {len(arguments)} in all",
                hint=f"pass {', '.join(names)}, and then a cotangent for each of them, or None",
            )
        args, bars = arguments[: len(names)], arguments[len(names) :]
        kinds = tuple(self._kind(k, each) for k, each in enumerate(args))
        wanted = tuple(k for k, each in enumerate(bars) if each is not None)
        for k in wanted:
            _check_cotangent(names[k], kinds[k], args[k], bars[k])
        _check_memory(names, args, bars)
        self._compiled(kinds, wanted, True).launch(launch, args, bars, lambda: self._compiled(kinds, wanted, False))

    def _compiled(self, kinds: tuple[nb.Type, ...], wanted: tuple[int, ...], gathers: bool) -> _Compiled:
        """The kernel for these types and cotangents, compiled at its first launch."""
        key = kinds, wanted, gathers
        if key not in self._made:
            self._made[key] = _Compiled(written(self._kernel, kinds, wanted, self._race_free, gathers))
        return self._made[key]


class _Compiled:
    """A compiled adjoint kernel."""

    def __init__(self, made: KernelText) -> None:
        self.made = made
        file = f"<srcad {made.name} {next(_numbers)}>"
        linecache.cache[file] = (len(made.text), None, made.text.splitlines(keepends=True), file)
        names: dict[str, Any] = {"__name__": "srcad.cuda.made"}
        exec(compile(made.text, file, "exec"), names)
        self.kernel = names[made.name]
        self.counter = names[made.counter] if made.counter else None
        self.clearing = names[made.clearing.name] if made.clearing else None

    def launch(
        self, launch: tuple[Any, ...], args: Sequence[Any], bars: Sequence[Any], other: Callable[[], _Compiled]
    ) -> None:
        """Launch the kernel; `other` gives one that does not need as many threads as there are elements."""
        blocks, threads = (_three(each) for each in launch[:2])
        made = self.made
        if not made.covers(blocks, threads, {k: args[k].shape for k, _, _ in made.coverage}):
            return other().launch(launch, args, bars, other)
        self.check_axes(blocks, threads)
        given = [args[k] for k in made.arguments] + [bars[k] for k in made.cotangents]
        if made.traces:
            given += self.traces(launch, math.prod(blocks) * math.prod(threads), args)
        self.kernel[launch](*given)
        if made.clearing is not None:
            assert self.clearing is not None
            given = [args[k] for k in made.clearing.arguments] + [bars[k] for k in made.clearing.cotangents]
            self.clearing[launch](*given)
        return None

    def check_axes(self, blocks: tuple[int, ...], threads: tuple[int, ...]) -> None:
        """Refuse a launch along an axis along which threads do not differ in what they write."""
        for axis, *extents in zip("xyz", blocks, threads, strict=True):
            for where, extent in zip(("block", "thread"), extents, strict=True):
                if extent > 1 and f"{where}.{axis}" not in self.made.axes:
                    raise BadArgument(
                        f"{extent} {where}s along the axis {axis} would write the same elements: the kernel "
                        "does not tell them apart",
                        hint="launch the kernel and its adjoint with one dimension for each index that the kernel uses",
                    )

    def traces(self, launch: tuple[Any, ...], count: int, args: Sequence[Any]) -> list[Any]:
        """Device memory for what each thread records, as much as the counting kernel says."""
        from numba import cuda

        made = self.made
        assert self.counter is not None
        lengths = cuda.to_device(np.zeros(len(made.traces), np.int64))
        copies = [_copied(args[k]) if k in made.overwritten else args[k] for k in made.counter_arguments]
        self.counter[launch](*copies, lengths)
        rows = lengths.copy_to_host()
        return [
            cuda.device_array((max(int(length), 1), count), np.dtype(dtype))
            for length, dtype in zip(rows, made.traces, strict=True)
        ]


def _copied(array: Any) -> Any:
    from numba import cuda

    copy = cuda.device_array(array.shape, array.dtype)
    copy.copy_to_device(array)
    return copy


def _three(extent: Any) -> tuple[int, int, int]:
    given = tuple(extent) if isinstance(extent, (tuple, list)) else (extent,)
    first, second, third = (*given, 1, 1)[:3]
    return int(first), int(second), int(third)


def _is_real(kind: nb.Type) -> bool:
    return isinstance(kind.dtype if isinstance(kind, nb.Array) else kind, nb.Float)


def _check_cotangent(name: str, kind: nb.Type, value: Any, bar: Any) -> None:
    if not _is_real(kind):
        raise BadType(f"`{name}` is no float and has no cotangent", hint=f"pass None as the cotangent of `{name}`")
    if not is_device_array(bar):
        raise BadType(
            f"the cotangent of `{name}` is a {type(bar).__name__}, not a device array",
            hint="make it with `cuda.to_device`, as an array of one element for a number",
        )
    is_array = isinstance(kind, nb.Array)
    shape = tuple(value.shape) if is_array else (1,)
    dtype = value.dtype if is_array else np.dtype(str(kind))
    if tuple(bar.shape) != shape or (np.dtype(bar.dtype) != dtype and is_array):
        raise BadArgument(
            f"the cotangent of `{name}` is a {np.dtype(bar.dtype)} array of the shape {tuple(bar.shape)}",
            hint=f"pass a {dtype} array of the shape {shape}",
        )


def _check_memory(names: Sequence[str], args: Sequence[Any], bars: Sequence[Any]) -> None:
    """Refuse arrays that share memory, cotangents among them."""
    arrays = [(name, each) for name, each in zip(names, args, strict=True) if is_device_array(each)]
    arrays += [(f"cotangent of {name}", each) for name, each in zip(names, bars, strict=True) if each is not None]
    for (one, first), (other, second) in itertools.combinations(arrays, 2):
        if overlap(first, second):
            raise BadArgument(
                f"`{one}` and `{other}` share memory: the kernel's adjoint takes arrays that do not overlap",
                hint="pass a copy of one of them",
            )
