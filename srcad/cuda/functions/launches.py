"""The launches of a call, in order, with the memory that they use; made once for arguments of the same kinds and
sizes.

A `Plan` names arrays by number: those of the caller by position, others by that of the expression that they hold.
Memory is given back after its last use.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcad.cuda.functions.array_expressions import Expression, Graph, reachable
from srcad.cuda.functions.device import Device
from srcad.cuda.functions.index_maps import Shape
from srcad.cuda.functions.kernel_plan import Group, planned
from srcad.cuda.functions.kernel_text import Kernel, kernel_for

HEADER = """import math

import numpy as np
from numba import cuda, float32, float64, int32, int64
"""
_SMALL = 1 << 20  # bytes
Slot = tuple[str, Any]


@dataclass
class Launch:
    """A launch: the kernel, what is allocated before it, and what is given back after it."""

    kernel: Kernel
    module: str
    allocated: list[tuple[Slot, Shape, np.dtype[Any]]]
    arguments: list[Slot]
    released: list[Slot] = field(default_factory=list)


@dataclass
class Plan:
    """The launches of a call, and which arrays are in memory after them."""

    launches: list[Launch]
    small: frozenset[Slot] = frozenset()  # memory that calls may leave to later ones

    def run(
        self, device: Device, args: Sequence[Any], memory: dict[Slot, Any], spare: dict[Slot, Any] | None = None
    ) -> None:
        """Launch all kernels; `memory` holds the arrays that are there, and gets those that are made.

        `spare` is small memory of an earlier call.
        """
        spare = {} if spare is None else spare
        for each in self.launches:
            for slot, shape, dtype in each.allocated:
                memory[slot] = made = spare.get(slot)
                if made is None:
                    memory[slot] = made = device.empty(shape, dtype)
                if slot in self.small:
                    spare[slot] = made
            kernel = each.kernel
            if not kernel.is_empty:
                given = [_given(slot, args, memory) for slot in each.arguments]
                device.launch(each.module, kernel.name, kernel.grid, kernel.block, given)
            for slot in each.released:
                del memory[slot]

    @property
    def text(self) -> str:
        """All kernels, in the order in which they are first launched."""
        return HEADER + "".join(f"\n\n{each}" for each in dict.fromkeys(each.kernel.text for each in self.launches))


def _given(slot: Slot, args: Sequence[Any], memory: Mapping[Slot, Any]) -> Any:
    kind, number = slot
    if kind == "integer":
        return number
    if kind == "real":
        return np.float64(number)  # whose arithmetic is that of the device in the simulator too
    if kind in ("argument", "number"):
        return args[number]
    return memory[slot]


def plan_for(
    roots: Sequence[Expression],
    known: Iterable[int],
    names: tuple[str, ...],
    title: str,
    threads: int,
    returned: Collection[int],
    numbers: Collection[int] = (),
) -> Plan:
    """The launches that put values into memory; `known` are there already, the caller gets those `returned`.

    `numbers` are read by the host: of those that nothing else reads, it combines what chunks have given.
    """
    there = set(known)
    groups, _ = planned(roots, there)
    lasting = {*there, *(each.number for each in roots)}
    launches: list[Launch] = []
    titles: dict[str, str] = {}
    read = {operand.number for each in reachable(roots) for operand in each.inputs}
    apart = {*numbers} - read
    for group in groups:
        launches += _launches(group, there, names, title, threads, titles, apart)
        there |= {each.number for each in group.members}
    _release(launches, lasting, apart)
    small = {
        slot
        for each in launches
        for slot, shape, dtype in each.allocated
        if math.prod(shape) * dtype.itemsize <= _SMALL and slot[1] not in returned
    }
    return Plan(launches, frozenset(small))


def _launches(
    group: Group,
    kept: set[int],
    names: tuple[str, ...],
    title: str,
    threads: int,
    titles: dict[str, str],
    apart: set[int],
) -> list[Launch]:
    kernel = _titled(kernel_for(group, kept, names, "kernel", threads), title, titles)
    allocated = []
    after: list[Launch] = []
    for each in group.members:
        shape = each.shape or (1,)
        allocated.append((("kept", each.number), shape, each.dtype))
        if each.op == "reduce" and kernel.chunks > 1:
            slot = "partial", each.number
            allocated[-1] = slot, (kernel.chunks, *each.shape), each.dtype
            if each.number in apart:
                continue
            after.append(_combining(each, kernel.chunks, title, threads, titles))
    return [Launch(kernel, HEADER + "\n\n" + kernel.text, allocated, [*kernel.parameters]), *after]


def _combining(each: Expression, chunks: int, title: str, threads: int, titles: dict[str, str]) -> Launch:
    """The launch that combines the results of all chunks."""
    graph = Graph()
    parts = graph.made("argument", (chunks, *each.shape), each.dtype, (), 0)
    whole = graph.made("reduce", each.shape, each.dtype, (parts,), (each.data[0], (0,)))
    group = Group(parts.shape, (0,), [whole])
    kernel = _titled(kernel_for(group, set(), ("parts",), "kernel", threads, False), title, titles)
    own = {("argument", 0): ("partial", each.number), ("kept", whole.number): ("kept", each.number)}
    arguments = [own.get(key, key) for key in kernel.parameters]
    return Launch(
        kernel, HEADER + "\n\n" + kernel.text, [(("kept", each.number), each.shape or (1,), each.dtype)], arguments
    )


def _titled(kernel: Kernel, title: str, titles: dict[str, str]) -> Kernel:
    """The kernel, named by the function and its place among those that it needs."""
    name = titles.setdefault(kernel.text, f"{title}_kernel_{len(titles) + 1}")
    text = kernel.text.replace("def kernel(", f"def {name}(", 1)
    return Kernel(text, name, kernel.parameters, kernel.grid, kernel.block, kernel.chunks)


def _release(launches: Sequence[Launch], lasting: set[int], apart: set[int]) -> None:
    """Give memory back after the last launch that uses it."""
    last: dict[Slot, Launch] = {}
    for each in launches:
        for slot in (*each.arguments, *(slot for slot, _, _ in each.allocated)):
            is_lasting = slot[1] in (apart if slot[0] == "partial" else lasting)
            if slot[0] in ("partial", "kept") and not is_lasting:
                last[slot] = each
    for slot, each in last.items():
        each.released.append(slot)
