"""The text of a kernel for a group of values, and how it is launched.

Without a reduction, each thread computes elements at one index. A reduction over axes is computed in one of two
ways, which sizes decide:

    by threads      a thread for each element of the result adds up along the axes
    by blocks       a row of a block's threads for each element of the result: each adds up what is as far apart as
                    there are threads, then they add up each other's sums, by a tree in shared memory

Where the result has few elements, the reduced range is divided into chunks, and a second kernel combines their
results. Sizes alone decide how, so that the order of additions is the same in each call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.cuda.functions.array_expressions import Expression
from srcad.cuda.functions.element_functions import literal
from srcad.cuda.functions.kernel_plan import Group
from srcad.cuda.functions.kernel_writer import LETTERS, Body, Index, Parameters

_BLOCKS = 2048  # enough to fill a GPU
_THREADS = 1 << 18  # likewise
_LEAST_PER_THREAD = 8
_LEAST_OF_CHUNK = 32
_SHORT = 4  # a reduction that a thread does alone
_SIDE_BY_SIDE = 4  # elements of the result whose operands are neighbours in memory
_MOST_ROWS = 32768  # blocks along the second axis of a grid, of which there may not be many
COMBINED = {
    "sum": "{0} + {1}",
    "max": "{1} if {1} > {0} or {1} != {1} else {0}",
    "min": "{1} if {1} < {0} or {1} != {1} else {0}",
}


@dataclass(frozen=True)
class Kernel:
    """A kernel: its text, name, parameters (of `Parameters`), grid and block, and how many chunks reductions have."""

    text: str
    name: str
    parameters: tuple[Any, ...]
    grid: tuple[int, int]
    block: tuple[int, int]
    chunks: int = 1

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to compute."""
        return 0 in self.grid


def kernel_for(
    group: Group, kept: set[int], names: tuple[str, ...], name: str, threads: int, divides: bool = True
) -> Kernel:
    """The kernel for a group; `names` are those of the caller's arguments, `kept` says what is in memory before it.

    `threads` is the size of blocks. Reductions are divided into chunks if the kernel may be followed by another.
    """
    writer = _Writer(group, kept, names, name, threads)
    return writer.elementwise() if group.axes is None else writer.reductions(divides)


class _Writer:
    def __init__(self, group: Group, kept: set[int], names: tuple[str, ...], name: str, threads: int) -> None:
        self.group, self.name, self.threads, self.shape = group, name, threads, group.shape
        self.parameters = Parameters(names, kept)
        self.body = Body(self.parameters)

    # One thread for each element.

    def elementwise(self) -> Kernel:
        """All values of the group, element by element."""
        body, shape = self.body, self.shape
        if not shape:
            body.open("if cuda.grid(1) == 0:")
            self.store_elements(())
            return self.made((1, 1), (1, 1))
        self.loop(LETTERS[len(shape) - 1], "cuda.grid(1)" if len(shape) == 1 else "column", shape[-1], "columns")
        lead = shape[:-1]
        rows = math.prod(lead)
        self.store_elements((*self.lead, Index(LETTERS[len(shape) - 1], 1, 0)))
        wide = min(self.threads, _power_of_two(shape[-1])) if lead else self.threads
        high = max(self.threads // wide, 1)
        grid = -(-shape[-1] // wide), min(-(-rows // high), _MOST_ROWS)
        return self.made(grid, (wide, high))

    def loop(self, letter: str, start: str, extent: int, stride: str) -> None:
        """The loops over the elements that are a thread's own: one, unless the grid is too small."""
        body, lead = self.body, self.shape[:-1]
        self.lead: tuple[Index, ...] = ()
        if not lead:
            body.open(f"for {letter} in range({start}, {body.integer(extent)}, cuda.gridsize(1)):")
        else:
            body.line("column, row = cuda.grid(2)")
            body.line("columns, rows = cuda.gridsize(2)")
            first = LETTERS[0] if len(lead) == 1 else "place"
            body.open(f"for {first} in range(row, {body.integer(math.prod(lead))}, rows):")
            if len(lead) == 1:
                self.lead = (Index(first, 1, 0),)
                body.ranges[first] = 0, max(lead[0] - 1, 0)
            else:
                self.lead = body.places(first, lead)
            body.open(f"for {letter} in range({start}, {body.integer(extent)}, {stride}):")
        body.ranges[letter] = 0, max(extent - 1, 0)

    def store_elements(self, at: tuple[Index, ...]) -> None:
        """Compute and store what is no reduction."""
        members = [each for each in self.group.members if each.op != "reduce"]
        texts = [self.body.value(each, at) for each in members]
        for each, text in zip(members, texts, strict=True):
            self.body.line(f"{self.body.element(each, at)} = {text}")

    def made(self, grid: tuple[int, int], block: tuple[int, int], chunks: int = 1, before: str = "") -> Kernel:
        """The kernel with all that has been written."""
        given = self.parameters.given
        lines = [f"def {self.name}({', '.join(given.values())}):", *self.body.lines]
        text = "\n".join(("@cuda.jit", *lines)) + "\n"
        return Kernel(text, self.name, tuple(given), grid, block, chunks)

    # Reductions.

    def reductions(self, divides: bool) -> Kernel:
        """All reductions of the group, and values of their operands' shape beside them."""
        axes, shape = self.group.axes or (), self.shape
        self.kept_axes = [k for k in range(len(shape)) if k not in axes]
        self.reduced = [each for each in self.group.members if each.op == "reduce"]
        many = math.prod(shape[k] for k in self.kept_axes)
        long = math.prod(shape[k] for k in axes)
        ends_kept = bool(self.kept_axes) and self.kept_axes[-1] == len(shape) - 1
        is_side_by_side = divides and ends_kept and many >= _SIDE_BY_SIDE
        if many > 1 and (long <= _SHORT or is_side_by_side):
            wide = min(self.threads, _power_of_two(many))
            self.divide(long, min(-(-long // _LEAST_OF_CHUNK), _THREADS // many, _MOST_ROWS) if divides else 1)
            high = self.threads // wide if self.chunks > 1 else 1
            self.by_threads(many)
            return self.made((-(-many // wide), -(-self.chunks // high)), (wide, high), self.chunks)
        wide = self.threads if many == 1 else min(self.threads, max(_power_of_two(long), 1))
        high = self.threads // wide
        blocks = -(-many // high)
        self.divide(long, min(-(-long // (wide * _LEAST_PER_THREAD)), _BLOCKS // max(blocks, 1)) if divides else 1)
        self.by_blocks(many, wide, high)
        return self.made((blocks, self.chunks), (wide, high), self.chunks)

    def divide(self, long: int, chunks: int) -> None:
        """Divide what is reduced into at most so many chunks of one length."""
        self.long, self.step = long, -(-long // max(chunks, 1))
        self.chunks = -(-long // self.step) if self.step else 1

    def by_threads(self, many: int) -> None:
        """A thread for each element of the result, and each chunk."""
        body = self.body
        body.line("k, c = cuda.grid(2)")
        body.open(f"if k < {body.integer(many)} and c < {body.integer(self.chunks)}:")
        own = body.places("k", tuple(self.shape[k] for k in self.kept_axes))
        totals = self.begun()
        self.sums(own, totals, "", "1")
        for each, total in zip(self.reduced, totals, strict=True):
            body.line(f"{self.result(each, own)} = {total}")

    def by_blocks(self, many: int, wide: int, high: int) -> None:
        """A row of threads of a block for each element of the result, and each chunk."""
        body = self.body
        body.line("thread = cuda.threadIdx.x")
        body.line(f"place = thread + {wide} * cuda.threadIdx.y")
        body.line(f"k = cuda.blockIdx.x * {high} + cuda.threadIdx.y")
        body.line("c = cuda.blockIdx.y")
        totals = self.begun()
        body.open(f"if k < {body.integer(many)}:")
        self.sums(self.own("k"), totals, " + thread", str(wide))
        body.close()
        shared = [f"shared{k}" for k in range(len(totals))]
        for each, name, total in zip(self.reduced, shared, totals, strict=True):
            body.line(f"{name} = cuda.shared.array({self.threads}, {each.dtype.name})")
            body.line(f"{name}[place] = {total}")
        body.line("cuda.syncthreads()")
        body.line(f"half = {wide // 2}")
        body.open("while half > 0:")
        body.open("if thread < half:")
        for each, name in zip(self.reduced, shared, strict=True):
            own_total, other = (f"{name}[place{offset}]" for offset in ("", " + half"))
            body.line(f"{name}[place] = {_combined(each, own_total, other)}")
        body.close()
        body.line("cuda.syncthreads()")
        body.line("half //= 2")
        body.close()
        body.open(f"if thread == 0 and k < {body.integer(many)}:")
        own = self.own("k")
        for each, name in zip(self.reduced, shared, strict=True):
            body.line(f"{self.result(each, own)} = {name}[place]")
        body.close()

    def own(self, name: str) -> tuple[Index, ...]:
        """The indices of an element of the result."""
        kept = tuple(self.shape[k] for k in self.kept_axes)
        return self.body.places(name, kept) if kept else ()

    def begun(self) -> list[str]:
        """What reductions begin with. Returns the names of what a thread combines."""
        totals = [f"total{k}" for k in range(len(self.reduced))]
        for each, total in zip(self.reduced, totals, strict=True):
            self.body.line(f"{total} = {_first(each)}")
        return totals

    def sums(self, own: tuple[Index, ...], totals: list[str], offset: str, stride: str) -> None:
        """The loop over the elements that a thread combines."""
        body, group = self.body, self.group
        long, step = body.integer(self.long), body.integer(self.step)
        if self.chunks > 1:
            start, stop = f"c * {step}{offset}", f"min((c + 1) * {step}, {long})"
        else:
            start, stop = offset.removeprefix(" + ") or "0", long
        body.open(f"for r in range({start}, {stop}, {stride}):")
        axes = group.axes or ()
        along = dict(zip(self.kept_axes, own, strict=True))
        along |= zip(axes, body.places("r", tuple(self.shape[k] for k in axes)), strict=True)
        at = tuple(along[k] for k in range(len(self.shape)))
        self.store_elements(at)
        values = [body.value(each.inputs[0], at) for each in self.reduced]
        for each, total, value in zip(self.reduced, totals, values, strict=True):
            body.line(f"{total} = {_combined(each, total, value)}")
        body.close()

    def result(self, each: Expression, own: tuple[Index, ...]) -> str:
        """Where a reduction is stored."""
        if self.chunks == 1:
            return self.body.element(each, own)
        return self.parameters.partial(each) + self.body.subscript((Index("c", 1, 0), *own))


def _first(each: Expression) -> str:
    """What a reduction begins with."""
    kind, dtype = each.data[0], each.dtype
    if kind == "sum":
        text = "0.0" if dtype.kind == "f" else "0"
    elif dtype.kind == "f":
        text = "-math.inf" if kind == "max" else "math.inf"
    else:
        ends = np.iinfo(dtype)
        text = literal(ends.min if kind == "max" else ends.max)
    return text if dtype.itemsize == 8 else f"np.{dtype.name}({text})"


def _combined(each: Expression, total: str, value: str) -> str:
    return COMBINED[each.data[0]].format(total, value)


def _power_of_two(extent: int) -> int:
    return 1 << max(extent - 1, 0).bit_length()
