"""Atomic additions to the cotangents of what other threads read, turned into sums by the thread that owns the element.

    stencil                                         all pairs
    y[i] = f(x[i - 1], x[i + 1])                    for j in range(n): s += f(x[i], x[j])

Scattering, thread i adds to `x_bar[i - 1]`, or to `x_bar[j]` for all j. Gathering, the thread of element e does what
the threads that read e would do for it: here thread e + 1, or all threads i in their iteration j = e. The statements
are those of the reverse sweep, in other names (a slice), with the index of the other thread in place of its own.

This is right if the slice is a function of the index: it reads arrays that the kernel does not write, and cotangents
that it only takes. These must not be cleared meanwhile, so that a second kernel clears them. It is complete if there
is a thread for each element, which is looked at when the kernel is launched; else the kernel that scatters is taken.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gast

from srcad.cuda.index_forms import Form, bound, plus, scaled
from srcad.cuda.kept_values import KeptValues
from srcad.cuda.races import Races
from srcad.cuda.regions import Add, Load, Loop, Store, Thread, walk
from srcad.cuda.reversed_regions import ReverseSweep
from srcad.cuda.statement_slices import names_of_block, renamed, slice_of, stored_name, stored_names, with_sums, without
from srcad.parsing import syntax_tree
from srcad.transforms.ir.build import (
    Block,
    assign,
    augment,
    binary,
    branch,
    call,
    clone,
    const,
    load,
    loop,
    names_in,
    one_or_tuple,
    stored,
    subscript,
    walk_statements,
)
from srcad.transforms.ir.primitive import constant

MOST_STATEMENTS = 400  # of all slices together


@dataclass(frozen=True)
class Coverage:
    """An extent of an argument that must not exceed that of the grid: name, axis of the array, axis of the grid."""

    array: str
    axis: int
    grid_axis: str


@dataclass
class Gathered:
    """A kernel that gathers: its statements, those of the kernel that clears, and what a launch must have."""

    block: Block
    clears: Block
    coverage: tuple[Coverage, ...]


@dataclass(frozen=True)
class _Site:
    """A read whose cotangent is gathered.

    statement   the id of the statement that adds
    owners      axis of the grid -> axis of the array by which the owner of an element is found
    shifts      axis of the grid -> index of the element less index of the thread
    loop        the loop whose index stands in place of the thread's
    exchanged   the axis of the grid that it stands for
    """

    node: Load
    statement: int
    owners: tuple[tuple[str, int], ...]
    shifts: tuple[tuple[str, int], ...]
    loop: Loop | None = None
    exchanged: str = ""

    @property
    def is_own(self) -> bool:
        """Whether the element is that of the thread itself."""
        return self.loop is None and not any(shift for _, shift in self.shifts)

    @property
    def fixed(self) -> tuple[Any, ...]:
        """The parts of the index that do not depend on the thread."""
        axes = {axis for _, axis in self.owners}
        return tuple(None if k in axes else constant(each) for k, each in enumerate(self.node.index))


def gathered(thread: Thread, sweep: ReverseSweep, kept: KeptValues, races: Races, block: Block) -> Gathered | None:
    """The kernel with gathers in place of atomic additions, as far as these are possible; None if they are nowhere."""
    return _Gatherer(thread, sweep, kept, races, block).made()


class _Gatherer:
    def __init__(self, thread: Thread, sweep: ReverseSweep, kept: KeptValues, races: Races, block: Block) -> None:
        self.thread, self.sweep, self.kept, self.races, self.block = thread, sweep, kept, races, block
        self.axes = sorted({name[-1] for name in races.used})
        self.grid = {
            what[-1]: name for name, what in thread.launch.items() if what.startswith("grid_") and "dim" not in what
        }
        self.statements = {id(each): each for each in walk_statements(block)}
        self.sums: dict[Any, str] = {}  # array, owners and fixed parts of the index -> sum for the own element
        self.written = {node.array for node in walk(thread.body) if isinstance(node, (Store, Add))}
        self.read = {node.array for node in sweep.additions.values()}

    def made(self) -> Gathered | None:
        if set(self.grid) != set(self.axes) or not self.axes or self.kept.recorded:
            return None
        sites = self.sites()
        far = [site for site in sites if not site.is_own]
        if not far:
            return None
        removed = {site.statement for site in far}
        groups: dict[Any, list[_Site]] = {}
        for site in far:
            key = (site.exchanged, id(site.loop)) if site.loop is not None else site.shifts
            groups.setdefault((key, site.owners), []).append(site)
        gathers: Block = []
        taken: set[str] = set()
        for group in groups.values():
            part = slice_of(self.block, {site.statement for site in group})
            if not self.is_function_of_index(part, group[0].loop):
                return None
            taken |= {array for array, bar in self.sweep.bars.items() if bar in names_of_block(part)}
            gathers += self.gather(part, group)
        if len(list(walk_statements(gathers))) > MOST_STATEMENTS:
            return None
        if not all(map(self.is_taken_once, taken)):
            return None
        clears = {each for each, array in self.sweep.clears.items() if array in taken}
        second = slice_of(self.block, clears)
        if any(isinstance(each, gast.While) for each in walk_statements(second)) or self.touches_own(second):
            return None
        block = self.plain(without(self.block, removed | clears), sites)
        coverage = {Coverage(site.node.array, axis, grid) for site in sites for grid, axis in site.owners}
        begins = [assign(name, const(0.0)) for name in self.sums.values()]
        ends = [self.ended(key, name) for key, name in self.sums.items()]
        return Gathered([*begins, *block, *gathers, *ends], second, tuple(sorted(coverage, key=str)))

    def is_taken_once(self, array: str) -> bool:
        """Whether no cotangent of an element is read again after it has been taken, so that it can be cleared later."""
        nodes = [node for node in walk(self.thread.body) if isinstance(node, (Store, Add)) and node.array == array]
        if not any(isinstance(node, Store) for node in nodes):
            return True
        found = [self.races.by_node[id(node)] for node in nodes]
        apart = all(_differ(one.index, other.index) for one, other in itertools.combinations(found, 2))
        return apart and all(each.region.loop is None for each in found)

    def touches_own(self, block: Block) -> bool:
        """Whether statements use shared or local arrays, or read what the kernel overwrites."""
        return not names_of_block(block).isdisjoint(self.thread.own) or bool(_elements_read(block) & self.written)

    def plain(self, block: Block, sites: list[_Site]) -> Block:
        """The block with sums, or plain additions, in place of atomic additions to the thread's own elements."""
        own = {site.statement: site for site in sites if site.is_own}
        for each in walk_statements(block):
            for field in ("body", "orelse"):
                inner = getattr(each, field, None)
                if inner:
                    setattr(each, field, [self.plainly(one, own) for one in inner])
        return [self.plainly(one, own) for one in block]

    def plainly(self, statement: Any, own: Mapping[int, _Site]) -> Any:
        if id(statement) not in own or isinstance(statement, gast.AugAssign):
            return statement
        bar, index, amount = statement.value.args
        site = own[id(statement)]
        total = self.sums.get((site.node.array, site.owners, site.fixed))
        if total is not None:
            return augment(stored(total), gast.Add, amount)
        return augment(subscript(bar, index, store=True), gast.Add, amount)

    # Which reads

    def sites(self) -> list[_Site]:
        """The reads of arrays all of whose reads can be gathered."""
        by_array: dict[str, list[tuple[int, Load]]] = {}
        for statement, node in self.sweep.additions.items():
            by_array.setdefault(node.array, []).append((statement, node))
        found: list[_Site] = []
        for array, additions in by_array.items():
            if array in self.written or array in self.thread.own:
                continue
            sites = [self.site(node, statement) for statement, node in additions]
            if all(site is not None for site in sites) and len({site.owners for site in sites if site}) == 1:
                found += [site for site in sites if site is not None]
        return found

    def site(self, node: Load, statement: int) -> _Site | None:
        """How a read finds its element, if that is by the thread's index, or by that of a loop."""
        region = self.thread.regions[node.name]
        owners: dict[str, int] = {}
        shifts: dict[str, int] = {}
        by_loop: tuple[Loop, int] | None = None
        for axis, part in enumerate(node.index):
            form = self.races.forms.of(part)
            grid = self.grid_axis(form)
            if grid is not None:
                shift = plus(form, scaled(_grid_form(grid), -1)).get((), 0)
                if grid in owners or not self.is_not_negative(form, node):
                    return None
                owners[grid], shifts[grid] = axis, shift
            elif isinstance(part, gast.Name) and (loop := self.loop_of(part.id, node)) is not None:
                if by_loop is not None:
                    return None
                by_loop = loop, axis
            elif not isinstance(constant(part), int) or constant(part) < 0:
                return None
        missing = [axis for axis in self.axes if axis not in owners]
        if by_loop is None:
            is_far = missing or (region.loop is not None and any(shifts.values()))
            return None if is_far else _Site(node, statement, _pairs(owners), _pairs(shifts))
        if len(missing) != 1 or any(shifts.values()):
            return None
        owners[missing[0]] = by_loop[1]
        return _Site(node, statement, _pairs(owners), _pairs(shifts), by_loop[0], missing[0])

    def grid_axis(self, form: Form) -> str | None:
        """The axis of the grid by which a subscript is the thread's index, and a number."""
        for axis in self.axes:
            if set(plus(form, scaled(_grid_form(axis), -1))) <= {()}:
                return axis
        return None

    def is_not_negative(self, form: Form, node: Load) -> bool:
        """Whether a subscript cannot be negative, and so count from the end."""
        access = self.races.by_node[id(node)]
        low = bound(form, access.facts, lambda name: False, False) if form.get((), 0) < 0 else {}
        if low is None:
            low = self.low_by_guard(form, node)
        return low is not None and set(low) <= {()} and low.get((), 0) >= 0

    def low_by_guard(self, form: Form, node: Load) -> Form | None:
        """A lower bound from a guard on the whole index: `i > 0`."""
        for fact in self.races.by_node[id(node)].facts.nonnegative:
            difference = plus(form, scaled(fact, -1))
            if set(difference) <= {()} and difference.get((), 0) >= 0:
                return {}
        return None

    def loop_of(self, name: str, node: Load) -> Loop | None:
        """The loop whose index a name is, if each of its iterations may stand alone."""
        loop = self.thread.nodes.get(name)
        region = self.thread.regions[node.name]
        if not isinstance(loop, Loop) or loop.index != name or region.loop is not loop or not loop.is_counted:
            return None
        start, _, step = loop.bounds
        is_outer = self.thread.regions[loop.count].loop is None
        begins = constant(start)
        if (
            not is_outer
            or constant(step) != 1
            or not isinstance(begins, int)
            or begins < 0
            or loop in self.kept.numbered
        ):
            return None
        return loop

    # The slice

    def is_function_of_index(self, part: Block, exchanged: Loop | None) -> bool:
        """Whether a slice gives the same wherever it runs: it depends on the index of the thread only."""
        names = names_of_block(part)
        if _elements_read(part) & (self.written | set(self.thread.own)):
            return False
        bars = {array for array, bar in self.sweep.bars.items() if bar in names and array in self.thread.arrays}
        added = {site.array for site in self.sweep.additions.values()}
        roots = {
            self.sweep.additions[id(each)].array for each in walk_statements(part) if id(each) in self.sweep.additions
        }
        if any(array in self.thread.own or (array in added and array not in roots) for array in bars):
            return False
        if not names.isdisjoint(set(self.thread.launch) - set(self.grid.values()) - self.extents()):
            return False
        loops = [each for each in walk_statements(part) if isinstance(each, (gast.For, gast.While))]
        if exchanged is None:
            return not loops
        if len(loops) != 1 or not isinstance(loops[0], gast.For) or loops[0].target.id != exchanged.index:
            return False
        return _carries_nothing(part, loops[0])

    def extents(self) -> set[str]:
        """Names of extents of the launch."""
        return {name for name, what in self.thread.launch.items() if "dim" in what or what.startswith("gridsize")}

    # The statements

    def gather(self, part: Block, group: list[_Site]) -> Block:
        """A slice, run for the threads that read the element of this one."""
        fresh = self.thread.names.fresh
        site = group[0]
        totals: dict[int, str] = {}
        for each in group:
            key = each.node.array, each.owners, each.fixed
            if key not in self.sums:
                self.sums[key] = fresh(f"{self.sweep.bars[each.node.array]}_own")
            totals[each.statement] = self.sums[key]
        names = {
            name: fresh(name) for name in sorted(stored_names(part)) if site.loop is None or name != site.loop.index
        }
        names |= {self.grid[axis]: fresh(self.grid[axis]) for axis in self.axes}
        if site.loop is not None:
            names[str(site.loop.index)] = self.grid[site.exchanged]
        once = None if site.loop is None else (str(site.loop.index), in_range(site.loop))
        body = renamed(with_sums(part, totals, once), names)
        return self.by_shift(site, names, body) if site.loop is None else self.by_exchange(site, names, body)

    def ended(self, key: Any, name: str) -> gast.stmt:
        """Add a sum to the thread's own element; without contributions there may be no such element."""
        array, owners, fixed = key
        by_axis = {axis: grid for grid, axis in owners}
        index = [load(self.grid[by_axis[k]]) if k in by_axis else const(each) for k, each in enumerate(fixed)]
        target = subscript(load(self.sweep.bars[array]), one_or_tuple(index), store=True)
        test = gast.Compare(left=load(name), ops=[gast.NotEq()], comparators=[const(0.0)])
        return branch(test, [augment(target, gast.Add, load(name))], [])

    def by_shift(self, site: _Site, names: dict[str, str], body: Block) -> Block:
        """The thread at a distance, if the launch has it."""
        made: Block = []
        for axis, shift in site.shifts:
            own = load(self.grid[axis])
            made.append(assign(names[self.grid[axis]], _less(own, shift)))
            if shift:
                other = load(names[self.grid[axis]])
                limit: Any = const(0) if shift > 0 else _gridsize(axis)
                operator = gast.GtE() if shift > 0 else gast.Lt()
                test = gast.Compare(left=other, ops=[operator], comparators=[limit])
                body = [branch(test, body, [])]
        return [*made, *body]

    def by_exchange(self, site: _Site, names: dict[str, str], body: Block) -> Block:
        """All threads along an axis, in the iteration of this thread's element."""
        assert site.loop is not None
        own = self.grid[site.exchanged]
        others = [assign(names[self.grid[axis]], load(self.grid[axis])) for axis in self.axes if axis != site.exchanged]
        return [*others, loop(names[own], [_gridsize(site.exchanged)], body)]


def in_range(exchanged: Loop) -> gast.expr:
    """Whether a loop has an iteration of its index."""
    start, stop, _ = exchanged.bounds
    index = load(str(exchanged.index))
    tests = [
        gast.Compare(left=index, ops=[gast.GtE()], comparators=[clone(start)]),
        gast.Compare(left=index, ops=[gast.Lt()], comparators=[clone(stop)]),
    ]
    return tests[1] if constant(start) == 0 else gast.BoolOp(op=gast.And(), values=tests)


def _elements_read(block: Block) -> set[str]:
    """The arrays of which elements are read."""
    return {
        node.value.id
        for statement in block
        for node in gast.walk(statement)
        if isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Load) and isinstance(node.value, gast.Name)
    }


def _carries_nothing(part: Block, inner: gast.For) -> bool:
    """Whether what an iteration of a loop stores is stored nowhere else, and is read after it has been stored."""
    inside = stored_names(inner.body)
    outside: set[str] = set()
    for each in walk_statements(part):
        if each is not inner and not any(each is one for one in walk_statements(inner.body)):
            outside |= {name} if (name := stored_name(each)) is not None else set()
    if inside & outside:
        return False
    known: set[str] = set()
    for statement in inner.body:
        early = {name for name in names_in(statement) if name in inside and name not in known}
        if early - (stored_names([statement]) if isinstance(statement, (gast.If, gast.For)) else set()):
            return False
        if isinstance(statement, gast.AugAssign) and stored_name(statement) not in known:
            return False
        known |= stored_names([statement])
    return True


def _differ(one: tuple[Form, ...], other: tuple[Form, ...]) -> bool:
    """Whether two subscripts of one thread differ by a number."""
    differences = [plus(a, scaled(b, -1)) for a, b in zip(one, other, strict=True)]
    return any(set(each) == {()} for each in differences)


def _grid_form(axis: str) -> Form:
    return {tuple(sorted((f"block.{axis}", f"block_dim.{axis}"))): 1, (f"thread.{axis}",): 1}


def _gridsize(axis: str) -> gast.expr:
    if axis == "x":
        return call("cuda.gridsize", const(1))
    return syntax_tree(f"cuda.gridDim.{axis} * cuda.blockDim.{axis}").body[0].value


def _less(node: gast.expr, shift: int) -> gast.expr:
    if not shift:
        return node
    return binary(node, gast.Sub, const(shift)) if shift > 0 else binary(node, gast.Add, const(-shift))


def _pairs(each: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(each.items()))
