"""Traces: the statements that allocate, fill and read the storage of recorded values.

grid    an array with one entry per iteration of the enclosing loops, if their bounds are known before they start
stack   a growing array, with a count; for loops whose trip count is unknown, or depends on an outer loop
list    a list of references to arrays, or of shapes: tuples, and shapes of `hollow` (shape-only) arrays

Recorded arrays may be copied into one array, which has a row for each iteration:

    u_trace = []                                u_trace = np.empty((steps, n))
    for t in range(steps):                      for t in range(steps):
        u_trace.append(u)                           for i in range(n):
        new = np.empty(n)           becomes             u_trace[t, i] = u[i]
        for i in range(n):                          new = np.empty(n)
            new[i] = f(u[i])                        ...
        u = new                                     u = new

A list keeps every array that an iteration allocates alive, and memory that has never been used is expensive: the
operating system provides it page by page, filled with zeros. Copies go into memory that was allocated at once, and the
arrays themselves reuse the memory of earlier ones. What is copied must be complete, and must not be written afterwards,
neither by the function nor by the reverse sweep when it undoes stores. An array that one statement allocates and others
fill is copied after these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import gast
from numba import types as nb

from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.reverse_plan import Plan, Replay, Way, inner_plans
from srcad.transforms.analysis.affine.integer_facts import step_of
from srcad.transforms.analysis.affine.shape_equality import model
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import (
    Block,
    assign,
    attribute,
    augment,
    binary,
    branch,
    call,
    clone,
    const,
    dotted,
    is_exit,
    load,
    names_in,
    one_or_tuple,
    stored,
    stores_into,
    subscript,
    tuple_of,
)
from srcad.transforms.ir.build import loop as loop_over
from srcad.transforms.ir.cost_model import FIRST_TRACE_ENTRIES, LARGEST_TRACE
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.pass_names import PREALLOCATED_TRACES
from srcad.transforms.ir.primitive import constant
from srcad.transforms.storage.placement import Loop, Sites
from srcad.transforms.storage.recomputation import Recipes
from srcad.transforms.storage.tbr_result import Decisions, Row
from srcad.transforms.storage.trip_counts import extent, is_lasting, known_extent

NUMBERS = (nb.Float, nb.Complex, nb.Integer, nb.Boolean)


def can_be_made(kind: nb.Type | None) -> bool:
    """Whether `np.empty` can make an array of this type."""
    if not isinstance(kind, nb.Array) or type(kind) is not nb.Array:
        return False
    return bool(kind.layout == "C" and kind.mutable and kind.ndim) and isinstance(kind.dtype, NUMBERS)


def rows(sites: Sites, recipes: Recipes, decisions: Decisions) -> dict[str, Row]:
    """The recorded names that are copied into a trace, in loops with a known trip count."""
    finder = _Finder(sites, recipes, decisions)
    found = {name: finder.row(name) for name in sorted(decisions.recorded)}
    return {name: row for name, row in found.items() if row is not None}


class _Finder:
    def __init__(self, sites: Sites, recipes: Recipes, decisions: Decisions) -> None:
        self.sites, self.recipes, self.program = sites, recipes, sites.program
        of = self.program.aliases.of
        targets = (stores_into(store) for store in decisions.undone)
        self.undone = {root for target in targets if target is not None for root in of.get(target.value.id, ())}

    def row(self, name: str) -> Row | None:
        """How a name is copied; None where it is not."""
        kind, loops = self.program.types.get(name), self.sites.loops_around(self.sites.site(name))
        roots = self.program.aliases.points_to(name)
        if not loops or not can_be_made(kind) or not roots or roots & self.undone or name in self.program.aliases.views:
            return None
        if not any(self.is_made_in(loops[-1], root) for root in roots):
            return None
        shape, where = known_shape(self.sites, name), self.complete(name)
        return None if where is None or shape is None else Row(shape, *where)

    def is_made_in(self, loop: Loop, root: str) -> bool:
        """Whether the iterations of a loop allocate the array again."""
        made = self.program.flow.single(root)
        return made is not None and loop in self.program.flow.spot(made).loops

    def complete(self, name: str) -> tuple[gast.stmt, ...] | None:
        """Where an array is complete: () at the store of its name, else (statement after which it is,), or None."""
        carrier: Any = self.program.carrier(name)
        if carrier is not None:
            return None if self.recipes.stores_after(carrier.body[0], load(name)) else ()
        made = self.program.flow.single(name)
        if made is None:
            return None
        if self.program.aliases.of[name] != {name}:  # another name of an array
            return None if self.recipes.stores_after(made, load(name)) else ()
        filled = [self.recipes.newer.filled_in(store, made) for store in self.recipes.stores_into(name)]
        if None in filled:
            return None
        last = max((each for each in filled if each is not None), key=self.number, default=None)
        return () if last is None else (last,)

    def number(self, statement: gast.stmt) -> int:
        """The position of a statement."""
        return self.program.flow.spot(statement).number


def known_shape(sites: Sites, name: str) -> tuple[gast.expr, ...] | None:
    """The shape of an array, as expressions of values known before the loops around it; None if that is impossible."""
    program = sites.program
    of, rank = model(program.meeting, name), program.types.rank(name) or 0
    if of != name and is_lasting(sites, of):
        return tuple(subscript(attribute(load(of), "shape"), const(axis)) for axis in range(rank))
    known = []
    for axis in range(rank):
        form = program.meeting.size(name, axis)
        length = known_extent(sites, form)
        if length is None:
            return None
        is_of_slice = any(each.symbols & form.symbols for each in program.meeting.shortened)
        known.append(call("max", length, const(0)) if is_of_slice else length)
    return tuple(known)


@dataclass(frozen=True)
class Trace:
    """The statements for one recorded name: allocate before its outermost loop, save, and read in the reverse sweep.

    begin       statements at the start of the reverse sweep
    room        statements that let the trace grow: at the start of each iteration of its only loop; if `around` is a
                `for` loop, before it, for all of its iterations; if that is a `while` loop, before each strip of it
    place       where the next entry goes, for a trace that grows before strips
    cursor      the variable that counts down while a stack or list is read
    is_hollow   whether it holds the shapes of arrays
    blank       statements that make an empty trace, for paths that do not reach the loop
    after       the statement after which an array is saved, if that is not the one that stores its name
    """

    name: str
    outermost: Loop
    make: Block
    save: Block
    begin: Block
    read: Block
    blank: Block
    room: Block = field(default_factory=list)
    around: Loop | None = None
    place: str = ""
    cursor: str = ""
    is_hollow: bool = False
    after: gast.stmt | None = None

    def is_complete(self, is_stored: bool, statement: gast.stmt) -> bool:
        """Whether the value to be saved is complete after a statement, given whether that stores the name."""
        return is_stored if self.after is None else self.after is statement


class Traces:
    """Chooses the form of each trace."""

    def __init__(
        self,
        program: Program,
        sites: Sites,
        adjoints: Adjoints,
        numbers: Mapping[int, tuple[str, str]],
        hollow: Collection[str] = (),
        rows: Mapping[str, Row] | None = None,
    ) -> None:
        """`numbers` has the names of the iteration's number, forwards and in reverse, for loops that count iterations.

        For `hollow` arrays only the shape is recorded; `rows` has the arrays that are copied.
        """
        self.program, self.sites, self.adjoints, self.numbers = program, sites, adjoints, numbers
        self.hollow, self.rows = hollow, rows or {}
        self.names = adjoints.names

    def trace(self, name: str, kind: nb.Type, way: Way) -> Trace:
        """The trace of a name of this type, which is recorded in this block, inside a loop."""
        loops = self.sites.loops_around(way)
        skips = way[-1][0] not in self.program.flow.loops  # in a branch
        if not isinstance(kind, (nb.Number, nb.Boolean)):
            row = None if name in self.hollow or not is_grid(self.sites, loops) else self.rows.get(name)
            return self.listed(name, kind, loops) if row is None else self.rowed(name, kind, loops, row)
        if is_grid(self.sites, loops):
            return self.grid(name, kind, loops)
        if len(loops) == 1 and id(loops[0]) in self.numbers:
            return self.numbered(name, kind, loops[0], skips)
        return self.stack(name, kind, loops, skips)

    def grid(self, name: str, kind: nb.Type, loops: tuple[Loop, ...]) -> Trace:
        """A trace with one entry for each iteration."""
        trace = self.names.fresh(f"{name}_trace")
        extents = [each for each in (extent(self.sites, loop) for loop in loops) if each is not None]
        sizes, indices = [each.size for each in extents], [each.number for each in extents]
        zeros = tuple_of(*(const(0) for _ in sizes))
        shape = one_or_tuple(sizes)
        index = one_or_tuple(indices)
        return Trace(
            name,
            loops[0],
            [assign(trace, entries(shape, kind))],
            [assign(subscript(load(trace), clone(index), store=True), load(name))],
            [],
            [assign(name, subscript(load(trace), clone(index)))],
            [assign(trace, entries(zeros if len(zeros.elts) > 1 else const(0), kind))],
        )

    def rowed(self, name: str, kind: nb.Type, loops: tuple[Loop, ...], row: Row) -> Trace:
        """A trace with one row for each iteration, in the shape of the recorded array."""
        trace = self.names.fresh(f"{name}_trace")
        extents = [each for each in (extent(self.sites, each) for each in loops) if each is not None]
        sizes, turn = [*(each.size for each in extents), *row.shape], [each.number for each in extents]
        within = [self.names.fresh("i") for _ in row.shape]
        own, whole = ([clone(each) for each in (*before, *map(load, within))] for before in ([], turn))
        save: Any = assign(
            subscript(load(trace), tuple_of(*whole), store=True),
            subscript(load(name), one_or_tuple(own)),
        )
        for index, size in reversed([*zip(within, row.shape, strict=True)]):
            save = loop_over(index, [const(0), clone(size), const(1)], [save])
        return Trace(
            name,
            loops[0],
            [assign(trace, empty(tuple_of(*map(clone, sizes)), kind.dtype))],
            [note(save, copies_into_trace=True)],
            [],
            [assign(name, subscript(load(trace), one_or_tuple(turn)))],
            [assign(trace, empty(tuple_of(*(const(0) for _ in sizes)), kind.dtype))],
            after=row.after,
        )

    def numbered(self, name: str, kind: nb.Type, loop: Loop, skips: bool) -> Trace:
        """A growing trace, with one entry for each iteration of a loop that counts them; `skips` if some have none."""
        trace = self.names.fresh(f"{name}_trace")
        forwards, backwards = self.numbers[id(loop)]
        strips = goes_in_strips(loop)
        room = self.room(trace, forwards, (loop,), skips or strips)
        return Trace(
            name,
            loop,
            [assign(trace, entries(self.capacity((loop,)), kind))],
            [
                *([room] if skips and not strips else []),
                assign(subscript(load(trace), load(forwards), store=True), load(name)),
            ],
            [],
            [assign(name, subscript(load(trace), load(backwards)))],
            [assign(trace, entries(const(0), kind))],
            room=[room] if strips or not skips else [],
            around=loop if strips else None,
            place=forwards if strips else "",
        )

    def room(self, trace: str, at: str, loops: tuple[Loop, ...], skips: bool = False) -> gast.stmt:
        """Grow a trace when the next entry, or with `skips` a later one, does not fit.

        A trace that was allocated at its maximum length does not grow: in compiled code, an array that is reassigned in
        a loop costs several times what the loop itself does. It can only be full if it has the largest permitted
        length.
        """
        return self.unless_fits(trace, load(at), gast.GtE if skips else gast.Eq, loops, [load(at)] if skips else [])

    def unless_fits(
        self, trace: str, at: gast.expr, compare: type[gast.cmpop], loops: tuple[Loop, ...], least: list[gast.expr]
    ) -> gast.stmt:
        """Grow a trace, to have at least this place, or raise an error, where a place compares so with its length."""
        bounded = _most(self.sites, loops) is not None
        size = const(LARGEST_TRACE) if bounded else attribute(load(trace), "size")
        full = gast.Compare(left=at, ops=[compare()], comparators=[size])
        if bounded:
            message = f"a loop ran more than {LARGEST_TRACE} times, and each has to be recorded"
            return branch(full, [gast.Raise(exc=call("MemoryError", const(message)), cause=None)], [])
        return branch(full, [assign(trace, call(self.adjoints.kernel("grown"), load(trace), *least))], [])

    def room_for_all(self, trace: str, count: str, loops: tuple[Loop, ...]) -> gast.stmt | None:
        """Grow a trace before its innermost loop where the entries of all iterations may not fit.

        The loop is then free of tests, and can be vectorised. None for a loop that may end early, or whose iterations
        are not counted first.
        """
        loop = loops[-1]
        if not isinstance(loop, gast.For) or abs(step_of(loop)) != 1 or is_exit(loop.body[-1]):
            return None
        low, high = loop.iter.args[:2] if step_of(loop) == 1 else loop.iter.args[1::-1]
        length = clone(high) if constant(low) == 0 else binary(clone(high), gast.Sub, clone(low))
        last = binary(load(count), gast.Add, length)
        return self.unless_fits(trace, last, gast.Gt, loops, [clone(last)])

    def stack(self, name: str, kind: nb.Type, loops: tuple[Loop, ...], skips: bool) -> Trace:
        """A trace that grows; `skips` if some iterations have no entry."""
        trace, count, at = (self.names.fresh(f"{name}_{wish}") for wish in ("trace", "count", "at"))
        strips = goes_in_strips(loops[-1])
        ahead = self.room(trace, count, loops) if strips else None if skips else self.room_for_all(trace, count, loops)
        return Trace(
            name,
            loops[0],
            [assign(trace, entries(self.capacity(loops), kind)), assign(count, const(0))],
            [
                *([self.room(trace, count, loops)] if ahead is None else []),
                assign(subscript(load(trace), load(count), store=True), load(name)),
                augment(stored(count), gast.Add, const(1)),
            ],
            [assign(at, load(count))],
            [augment(stored(at), gast.Sub, const(1)), assign(name, subscript(load(trace), load(at)))],
            [assign(trace, entries(const(64), kind)), assign(count, const(0))],
            room=[] if ahead is None else [ahead],
            around=None if ahead is None else loops[-1],
            place=count if strips else "",
            cursor=at,
        )

    def capacity(self, loops: tuple[Loop, ...]) -> gast.expr:
        """The initial length of a trace: its maximum, if known, since memory that is never written costs nothing."""
        most = _most(self.sites, loops)
        return const(FIRST_TRACE_ENTRIES) if most is None else call("min", most, const(LARGEST_TRACE))

    def listed(self, name: str, kind: nb.Type, loops: tuple[Loop, ...]) -> Trace:
        """A trace of references to arrays, or of shapes."""
        trace, at = (self.names.fresh(f"{name}_{wish}") for wish in ("trace", "at"))
        is_hollow = name in self.hollow
        what = attribute(load(name), "shape") if is_hollow else load(name)
        entry = subscript(load(trace), load(at))
        append = gast.Call(func=attribute(load(trace), "append"), args=[what], keywords=[])
        return Trace(
            name,
            loops[0],
            [assign(trace, gast.List(elts=[], ctx=gast.Load()))],
            [_statement(append)],
            [assign(at, call("len", load(trace)))],
            [
                augment(stored(at), gast.Sub, const(1)),
                assign(name, empty(entry, getattr(kind, "dtype", None)) if is_hollow else entry),
            ],
            [assign(trace, _no_entries(kind, is_hollow))],
            cursor=at,
            is_hollow=is_hollow,
        )


def _no_entries(kind: nb.Type, is_hollow: bool) -> gast.expr:
    """An empty list of arrays, or of shapes, written so that Numba can infer its type without an `append`."""
    nothing = gast.List(elts=[], ctx=gast.Load())
    if not can_be_made(kind):
        return nothing
    entry = tuple_of(*[const(0)] * kind.ndim)
    nothing.elts.append(entry if is_hollow else empty(entry, kind.dtype))
    return subscript(nothing, gast.Slice(lower=None, upper=const(0), step=None))


def goes_in_strips(loop: Loop) -> bool:
    """Whether a loop can be split into strips, in which traces do not grow: a `while` loop that nothing else ends."""
    return isinstance(loop, gast.While) and not (loop.body and is_exit(loop.body[-1]))


def is_list(value: gast.expr) -> bool:
    """Whether the initial value of a trace is a list."""
    return isinstance(value.value if isinstance(value, gast.Subscript) else value, gast.List)


def empty(shape: gast.expr, kind: nb.Type) -> gast.expr:
    """`np.empty(shape)` of the right type."""
    if kind == nb.float64:
        return call("np.empty", shape)
    spelled = "bool_" if kind == nb.boolean else str(kind)
    return call("np.empty", shape, dotted(f"np.{spelled}"))


def entries(shape: gast.expr, kind: nb.Type) -> gast.expr:
    """The same for a trace whose entries are numbers of a type."""
    return note(empty(shape, kind), of_integers=kind == nb.int64)


def is_grid(sites: Sites, loops: tuple[Loop, ...]) -> bool:
    """Whether a trace inside loops can have one place per iteration, without too many staying empty."""
    if not sites.program.unit.does(PREALLOCATED_TRACES):
        return False
    extents = [extent(sites, loop) for loop in loops]
    if any(each is None for each in extents) or any(is_exit(loop.body[-1]) for loop in loops):
        return False
    return sum(not each.is_exact for each in extents if each is not None) <= 1


def _most(sites: Sites, loops: tuple[Loop, ...]) -> gast.expr | None:
    """The maximum number of iterations of nested loops; None where that is not known."""
    product: gast.expr | None = None
    if not sites.program.unit.does(PREALLOCATED_TRACES):
        return None
    for loop in loops:
        found = extent(sites, loop)
        if found is None:
            return None
        product = found.size if product is None else binary(product, gast.Mult, found.size)
    return product


def iteration_numbers(program: Program, counts: Mapping[int, str], plan: Plan) -> Iterator[tuple[int, tuple[str, str]]]:
    """For reversed loops that count iterations, by id: the names of the iteration's number, forwards and in reverse."""
    for node in plan.nodes:
        if isinstance(node, Replay) and id(node.statement) in counts:
            forwards = program.flow.definition(counts[id(node.statement)])
            assert isinstance(forwards, gast.Name)
            assert node.header is not None
            yield id(node.statement), (forwards.id, node.header.target.id)
        for inner in inner_plans(node):
            yield from iteration_numbers(program, counts, inner)


def is_made_ahead(trace: Trace, sites: Sites) -> bool:
    """Whether a trace inside a loop of iteration-local reversal can be allocated before that loop, and reused."""
    flow, size = sites.program.flow, trace.make[0].value
    if sites.spot not in {number for number, _ in flow.spot(trace.outermost).way} or isinstance(size, gast.List):
        return False
    return not any((sites.spot, 0) in sites.site(name) for name in names_in(size) if sites.is_primal(name))


def _statement(value: gast.expr) -> Any:
    return gast.Expr(value=value)
