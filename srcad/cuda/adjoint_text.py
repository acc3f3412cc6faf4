"""The text of an adjoint kernel: a module that needs `numba.cuda` only.

`written` runs the stages for one kernel and one set of argument types; `KernelText` is what `adjoint_kernel` launches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import gast
from numba import types as nb

from srcad.cuda.active_values import active_names
from srcad.cuda.dead_values import drop_dead_values
from srcad.cuda.device_functions import DEVICE_FUNCTIONS, DeviceForms
from srcad.cuda.gathered_reads import gathered
from srcad.cuda.intrinsics import AXES, PLACES
from srcad.cuda.kept_values import counted_values, kept_values
from srcad.cuda.kernel_source import KernelSource, OwnArray
from srcad.cuda.late_clears import with_late_clears
from srcad.cuda.races import Races
from srcad.cuda.region_builder import thread_of
from srcad.cuda.regions import Thread
from srcad.cuda.reversed_regions import ReverseSweep, reverse_sweep
from srcad.cuda.shared_divisors import with_shared_divisors
from srcad.cuda.shared_sums import BlockExtent, fits, with_shared_sums
from srcad.cuda.statement_slices import without_dead_names
from srcad.cuda.sweep_writer import SweepWriter, joined
from srcad.cuda.thread_core import thread_core
from srcad.parsing import syntax_tree
from srcad.printing.printer import print_function
from srcad.transforms.ir.build import Block, assign, call, clone, const, dotted, load, tuple_of


@dataclass(frozen=True)
class Clearing:
    """A kernel that clears cotangents: its name, and the positions of arguments and cotangents that it takes."""

    name: str
    arguments: tuple[int, ...]
    cotangents: tuple[int, ...]


@dataclass(frozen=True)
class KernelText:
    """An adjoint kernel as text.

    text        the module
    name        the name of the kernel in it
    arguments   the positions of the kernel's arguments that it takes, then those of the cotangents
    cotangents
    traces      the dtypes of its traces, as the last parameters
    axes        the places in the grid along which the launch may have more than one thread
    counter     the name of the kernel that counts what each thread records, if there are traces
    clearing    the kernel that is launched after it, if there is one
    extents     bounds of the extents of blocks
    coverage    position of an argument, axis of it, axis of the grid: extents that the grid must cover
    counter_arguments   the positions of the arguments that it takes
    overwritten  the positions of arguments that it writes into
    """

    text: str
    name: str
    arguments: tuple[int, ...]
    cotangents: tuple[int, ...]
    traces: tuple[str, ...]
    axes: frozenset[str]
    counter: str = ""
    counter_arguments: tuple[int, ...] = ()
    overwritten: frozenset[int] = frozenset()
    clearing: Clearing | None = None
    coverage: tuple[tuple[int, int, str], ...] = ()
    extents: tuple[BlockExtent, ...] = ()

    def covers(self, blocks: Sequence[int], threads: Sequence[int], shapes: Mapping[int, Sequence[int]]) -> bool:
        """Whether a launch has one thread for each element that threads gather; `shapes` are those of arguments."""
        if not fits(self.extents, dict(zip("xyz", threads, strict=True))):
            return False
        extents = {axis: one * two for axis, one, two in zip("xyz", blocks, threads, strict=True)}
        used = {grid for _, _, grid in self.coverage}
        if self.coverage and any(extents[axis] > 1 for axis in "xyz" if axis not in used):
            return False
        return all(shapes[k][axis] <= extents[grid] for k, axis, grid in self.coverage)


def written(
    kernel: KernelSource, kinds: Sequence[nb.Type], wanted: Collection[int], race_free: bool, gathers: bool = True
) -> KernelText:
    """The adjoint kernel for arguments of these types, with cotangents for the arguments at these positions.

    With `gathers`, threads gather what others would add to their elements, where that can be done.
    """
    thread = thread_of(thread_core(kernel, kinds))
    drop_dead_values(thread.body)
    races = Races(thread, race_free)
    races.check()
    given = [thread.parameters[k] for k in wanted]
    active = active_names(thread, given)
    sweep = reverse_sweep(thread, active, races.is_own)
    kept = kept_values(thread, sweep, races.is_private)
    writer = SweepWriter(thread, kept)
    block = joined([*sweep.starts, *writer.forward(), *writer.reverse(sweep.block)])
    block = with_late_clears(block, sweep.clears)
    shared = with_shared_sums(thread, sweep, kept, races, block) if gathers else None
    if shared is not None:
        block = shared.block
        thread.own = {**thread.own, **shared.published}
    found = gathered(thread, sweep, kept, races, block) if gathers else None
    module = _Module(thread, sweep, writer, given, races)
    if shared is not None:
        module.padded, module.extents = shared.padded | set(shared.published), tuple(shared.extents)
    if kept.recorded:
        module.count(SweepWriter(thread, counted_values(thread, kept, races.is_private), module.writer))
    if found is None:
        return module.written(block)
    clearing = module.clear(found.clears)
    made = module.written(found.block)
    coverage = tuple((module.positions([each.array])[0], each.axis, each.grid_axis) for each in found.coverage)
    return replace(made, clearing=clearing, coverage=coverage)


class _Module:
    def __init__(
        self, thread: Thread, sweep: ReverseSweep, writer: SweepWriter, given: Sequence[str], races: Races
    ) -> None:
        self.thread, self.sweep, self.writer, self.given, self.races = thread, sweep, writer, given, races
        self.forms = DeviceForms(thread.bindings, thread.names, None)
        self.kernels: list[str] = []
        self.counter = ""
        self.padded: set[str] = set()
        self.extents: tuple[BlockExtent, ...] = ()
        self.counter_arguments: tuple[int, ...] = ()
        self.overwritten: frozenset[int] = frozenset()

    def written(self, block: Block) -> KernelText:
        """The kernel of these statements, and the module."""
        thread, names = self.thread, self.thread.names
        totals = {name: names.fresh(f"{name}_bar_total") for name in self.given if thread.is_real(name)}
        bars = self.sweep.bars
        ends: Block = []
        for each, total in totals.items():
            if each in bars:
                # No barrier after the last sum: it would wait for an addition for which many blocks queue.
                ends += [gast.Expr(value=call("cuda.syncthreads"))] * bool(ends)
                ends.append(gast.Expr(value=call("add_over_block", load(total), load(bars[each]))))
        body = self.forms_of(without_dead_names([*block, *ends]))
        body = with_shared_divisors(body, names)
        used = names_in_trees(body)
        prologue = self.prologue(used, [name for name in thread.own if bars.get(name) in used])
        used |= names_in_trees(prologue)
        taken = [name for name in thread.parameters if name in used]
        cotangents = [name for name in self.given if name in totals or bars.get(name) in used]
        parameters = [*taken, *(totals.get(name) or bars[name] for name in cotangents)]
        parameters += [trace for trace, _ in self.writer.traces.values()]
        name = f"{thread.name}_adjoint"
        self.kernels.append(self.function(name, parameters, [*prologue, *body]))
        return KernelText(
            self.module(bool(totals)),
            name,
            self.positions(taken),
            self.positions(cotangents),
            tuple(self.writer.traces),
            self.races.axes,
            self.counter,
            self.counter_arguments,
            self.overwritten,
            extents=self.extents,
        )

    def clear(self, block: Block) -> Clearing | None:
        """The kernel that clears cotangents after the adjoint kernel has read them, where there are any to clear."""
        if not block:
            return None
        thread = self.thread
        body = self.forms_of(without_dead_names(joined(block)))
        used = names_in_trees(body)
        taken = [name for name in thread.parameters if name in used]
        bars = [name for name in self.given if self.sweep.bars.get(name) in used]
        name = f"{thread.name}_clears"
        parameters = [*taken, *(self.sweep.bars[each] for each in bars)]
        self.kernels.append(self.function(name, parameters, [*self.places(used), *body]))
        return Clearing(name, self.positions(taken), self.positions(bars))

    def count(self, writer: SweepWriter) -> None:
        """The kernel that counts what each thread records."""
        thread = self.thread
        body = self.forms_of(writer.forward())
        starts = [assign(at, const(0)) for _, at in writer.traces.values()]
        lengths = thread.names.fresh("lengths")
        ends = [
            gast.Expr(value=call("cuda.atomic.max", load(lengths), const(k), load(at)))
            for k, (_, at) in enumerate(writer.traces.values())
        ]
        used = names_in_trees(body)
        taken = [name for name in thread.parameters if name in used]
        self.counter = f"{thread.name}_lengths"
        self.kernels.append(self.function(self.counter, [*taken, lengths], [*self.places(used), *starts, *body, *ends]))
        self.counter_arguments = self.positions(taken)
        self.overwritten = frozenset(self.positions([name for name in taken if name in writer.kept.stored]))

    def positions(self, names: Sequence[str]) -> tuple[int, ...]:
        """Of parameters of the kernel."""
        return tuple(self.thread.parameters.index(name) for name in names)

    def forms_of(self, block: Block) -> Block:
        return [self.forms.visit(clone(each)) for each in block]

    def prologue(self, used: set[str], own_bars: list[str]) -> Block:
        """What stands before both sweeps: places in the grid, arrays of the kernel's own, zeroed cotangents."""
        thread, made = self.thread, Block()
        made += self.places(used)
        if self.writer.lane:
            made.append(assign(self.writer.lane, syntax_tree(_LANE).body[0].value))
            made += [assign(at, const(0)) for _, at in self.writer.traces.values()]
        shared = False
        for name in own_bars:
            array = thread.own[name]
            made.append(assign(self.sweep.bars[name], _own_array(array)))
            made += self.zeroed(self.sweep.bars[name], array)
            shared |= array.is_shared
        if shared:
            made.append(gast.Expr(value=call("cuda.syncthreads")))
        return made

    def places(self, used: set[str]) -> Block:
        """Places in the grid and arrays of the kernel's own, as far as they are used."""
        thread = self.thread
        made = [assign(name, _spelled(meaning)) for name, meaning in thread.launch.items() if name in used]
        return made + [assign(name, self.own_array(name)) for name in thread.own if name in used]

    def own_array(self, name: str) -> gast.expr:
        """A shared or local array; one of which columns are read has a column more, so that its rows share no bank."""
        array = self.thread.own[name]
        if name in self.padded and len(array.shape) > 1:
            array = replace(array, shape=(*array.shape[:-1], array.shape[-1] + 1))
        return _own_array(array)

    def zeroed(self, bar: str, array: OwnArray) -> Block:
        """Loops that fill an array with zeros: a shared one by all threads of the block together."""
        names = [self.thread.names.fresh(f"zero_{k}") for k in range(len(array.shape))]
        bounds = [str(extent) for extent in array.shape]
        if array.is_shared:
            axes = AXES[: len(array.shape)][::-1]
            bounds = [
                f"cuda.threadIdx.{axis}, {extent}, cuda.blockDim.{axis}"
                for axis, extent in zip(axes, array.shape, strict=False)
            ] + [str(extent) for extent in array.shape[len(axes) :]]
        text = ""
        for depth, (name, bound) in enumerate(zip(names, bounds, strict=True)):
            text += "    " * depth + f"for {name} in range({bound}):\n"
        text += "    " * len(names) + f"{bar}[{', '.join(names)}] = 0.0\n"
        return list(syntax_tree(text).body)

    def function(self, name: str, parameters: list[str], body: Block) -> str:
        arguments = gast.arguments(
            args=[gast.Name(id=each, ctx=gast.Param(), annotation=None, type_comment=None) for each in parameters],
            posonlyargs=[],
            vararg=None,
            kwonlyargs=[],
            kw_defaults=[],
            kwarg=None,
            defaults=[],
        )
        tree = gast.FunctionDef(
            name=name,
            args=arguments,
            body=body or [gast.Pass()],
            decorator_list=[],
            returns=None,
            type_comment=None,
            type_params=[],
        )
        return f"@cuda.jit\n{print_function(tree)}"

    def module(self, adds_up: bool) -> str:
        helpers = [f"@cuda.jit(device=True){DEVICE_FUNCTIONS[name]}" for name in self.forms.used]
        if adds_up:
            helpers.append(_ADD_OVER_BLOCK)
        text = "\n\n".join([*helpers, *self.kernels])
        lines = ["import math\n"] if "math." in text else []
        lines.append("\nimport numpy as np\nfrom numba import cuda" if "np." in text else "\nfrom numba import cuda")
        dtypes = [each for each in _DTYPES if f", {each})" in text]
        lines.append("".join(f", {each}" for each in dtypes))
        return "".join(lines).lstrip("\n") + "\n\n\n" + text


_DTYPES = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_LANE = (
    "cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x + cuda.gridDim.x * cuda.blockDim.x * ("
    "cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y + cuda.gridDim.y * cuda.blockDim.y * ("
    "cuda.blockIdx.z * cuda.blockDim.z + cuda.threadIdx.z))"
)
_ADD_OVER_BLOCK = '''@cuda.jit(device=True)
def add_over_block(total, value):
    """Add a number of each thread to total[0]: within the block by halves, then by one atomic addition."""
    part = cuda.shared.array(1024, float64)
    t = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
    n = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z
    part[t] = value
    s = 512
    while s >= n:
        s >>= 1
    while s > 0:
        cuda.syncthreads()
        if t < s and t + s < n:
            part[t] += part[t + s]
        s >>= 1
    if t == 0:
        cuda.atomic.add(total, 0, part[0])
'''


def _spelled(meaning: str) -> gast.expr:
    if meaning in PLACES:
        return dotted(PLACES[meaning])
    name, _, axis = meaning.partition("_")
    if axis == "x":
        return call(f"cuda.{name}", const(1))
    text = {
        "grid": f"cuda.blockIdx.{axis} * cuda.blockDim.{axis} + cuda.threadIdx.{axis}",
        "gridsize": f"cuda.gridDim.{axis} * cuda.blockDim.{axis}",
    }[name]
    return syntax_tree(text).body[0].value


def _own_array(array: OwnArray) -> gast.expr:
    shape = const(array.shape[0]) if len(array.shape) == 1 else tuple_of(*map(const, array.shape))
    return call(f"cuda.{'shared' if array.is_shared else 'local'}.array", shape, load(array.dtype.name))


def names_in_trees(block: Block) -> set[str]:
    """All names in statements, read or stored."""
    return {each.id for node in block for each in gast.walk(node) if isinstance(each, gast.Name)}
