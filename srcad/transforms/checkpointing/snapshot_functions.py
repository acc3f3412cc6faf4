"""Snapshot functions: the forward function of a checkpointed loop, which takes snapshots, and the reverse function.

def loop_4_forward(first, stop, width, snapshots, k, s, calls):
    ...                                             # run, and take snapshots on the way
    calls.loop_4.append(Loop4Trace(...))
    return (s,)

def loop_4_reverse(calls, at, s_bar):
    ...
    for last in range(trips, 0, -1):
        here = places[-1]                           # from the last snapshot before the iteration
        s = s_kept[-1]
        while here < last - 1:                      # run up to the iteration, taking new snapshots
            ...
        t = loop_4_iteration(here, k, s, s_bar)     # the iteration and its reverse
        s_bar = t[0]
    return (k_bar, s_bar)

Snapshots are placed by the schedule in `binomial_checkpointing`, among the kernels. The record is not modified: the
reverse function pops snapshots from copies of the lists.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

import gast
from numba import types as nb

from srcad.names import Names
from srcad.parsing import syntax_tree
from srcad.transforms.adjoint.call_derivatives import Pair
from srcad.transforms.checkpointing.loop_outlining import Checkpointed, begin
from srcad.transforms.checkpointing.undone_iterations import UndoneIterations
from srcad.transforms.ir.build import const, load
from srcad.transforms.ir.canonical_names import RESERVED
from srcad.transforms.ir.name_types import is_complex
from srcad.transforms.ir.node_notes import note
from srcad.transforms.sweeps.callee_pairs import read_back, recorded, typed_blank
from srcad.transforms.sweeps.forward_reverse_pair import attribute_name


class Drivers:
    """Writes both functions, with names of their own: `state` is the loop's state, renamed."""

    def __init__(self, pair: Pair, version: Checkpointed, active: Collection[int]) -> None:
        """`active` has the positions, in the state, of names that carry derivatives."""
        self.pair, self.version = pair, version
        self.names = Names(RESERVED | {"t", pair.forward, pair.reverse, pair.iteration, pair.trace})
        self.state = state = version.state.renamed(lambda name: self.names.fresh(re.sub(r"_\d+$", "", name)))
        self.kinds = dict(zip(state.names, version.kinds[4:], strict=True))
        self.own = (*state.works, *state.carried)
        self.kept = [name for name in self.own if name not in state.sinks]
        plain = dict(zip(version.state.names, state.names, strict=True))
        self.recovered = [plain[name] for name in version.recovered]
        fresh = self.names.fresh
        self.first, self.stop, self.width, self.snapshots = map(fresh, ("first", "stop", "width", "snapshots"))
        self.trips, self.most, self.places, self.here, self.there, self.last = map(
            fresh, ("trips", "most", "places", "here", "there", "last")
        )
        self.on_disk = fresh("on_disk") if version.in_files and any(map(self.is_array, self.kept)) else None
        self.levels, self.limit, self.left, self.slot = map(fresh, ("levels", "limit", "left", "slot"))
        self.firsts = {name: fresh(f"{name}_first") for name in self.recovered} if version.undo else {}
        self.calls, self.at, self.trace = map(fresh, ("calls", "at", "trace"))
        self.stacks = {name: fresh(f"{name}_kept") for name in self.kept}
        is_undone = version.undo is not None
        self.lasts = {name: fresh(f"{name}_last") for name in self.own if is_undone or self.is_array(name)}
        self.active = [state.names[k] for k in active]
        self.bars = {name: fresh(f"{name}_bar") for name in self.active}
        self.result_bars = {self.out_name(position): fresh("result_bar") for position in pair.outs}

    def is_array(self, name: str) -> bool:
        """Whether a name of the state holds an array."""
        return isinstance(self.kinds[name], nb.Array)

    def out_name(self, position: int) -> str:
        """The name in the state whose final value a result is."""
        return (*self.state.results, *self.state.works)[position]

    def make(self) -> tuple[int, ...]:
        """Make both functions and the record of the pair; returns the positions of arguments that are passed again."""
        pair, state = self.pair, self.state
        numbers = [name for name in state.inputs if isinstance(self.kinds[name], (nb.Number, nb.Boolean))]
        handed = [name for name in state.inputs if name not in numbers]
        fields: dict[str, gast.expr] = {each: const(0) for each in (self.first, self.width, self.trips, self.most)}
        fields |= {name: typed_blank(self.kinds[name]) for name in numbers}
        if self.version.undo is None:
            fields[self.places] = _list(const(0))
            fields |= {} if self.on_disk is None else {self.on_disk: _list(const(False))}
            fields |= {self.stacks[name]: _list(typed_blank(self.plain(name))) for name in self.kept}
        fields |= {first: typed_blank(self.plain(name)) for name, first in self.firsts.items()}
        fields |= {self.lasts[name]: typed_blank(self.plain(name)) for name in self.lasts if self.needs_last(name)}
        shorts = [attribute_name(name, [*fields]) for name in fields]
        pair.fields = [(short, name, blank) for short, (name, blank) in zip(shorts, fields.items(), strict=True)]
        pair.functions = [self.forward(), self.reverse(handed)]
        return tuple(4 + state.inputs.index(name) for name in handed)

    def plain(self, name: str) -> nb.Type:
        """The type of a snapshot."""
        kind = self.kinds[name]
        return kind.copy(layout="C", readonly=False) if isinstance(kind, nb.Array) else kind

    def needs_last(self, name: str) -> bool:
        """Whether the reverse function needs the shape of a name's final value."""
        if self.version.undo is not None:
            return True
        return name in self.state.sinks or (name in self.active and name not in self.result_bars)

    def seeded(self) -> list[str]:
        """The loop-carried names whose adjoints at an iteration's end are passed to it, beside those of parameters."""
        return [
            name
            for name in self.state.carried
            if name in self.active and not (self.is_array(name) and name in self.state.moved)
        ]

    def forward(self) -> gast.FunctionDef:
        """The forward function: runs all iterations, and takes snapshots."""
        state = self.state
        bounds = [self.first, self.stop, self.width, self.snapshots]
        results = [*state.results, *state.works]
        begun = (f"{name} = {gast.unparse(begin(load(name), self.kinds[name])).strip()}" for name in self.own)
        tree = _parsed(
            f"def {self.pair.forward}({_commas(*bounds, *state.names, self.calls)}):",
            *(f"    {line}" for line in self.run(begun)),
            *(f"    {self.lasts[name]} = {name}" for name in self.lasts if self.needs_last(name)),
            *self.checked(),
            f"    return {_tuple(*results)}",
        )
        tree.body[-1:-1] = recorded(self.pair, self.calls)
        return tree

    def run(self, begun: Iterable[str]) -> list[str]:
        """The statements that run the loop."""
        if self.version.undo is not None:
            return UndoneIterations(self).forward(begun)
        return self.online(begun) if self.version.has_exit else self.counted(begun)

    def counted(self, begun: Iterable[str]) -> list[str]:
        """The statements that run a known number of iterations, in legs between snapshots."""
        return [
            f"{self.trips} = kernels.trip_count({self.first}, {self.stop}, {self.width})",
            f"{self.most} = kernels.snapshot_limit({self.ways}, {self.snapshots})",
            *begun,
            *self.within(self.trips),
            *self.kept_first(),
            f"while {self.here} < {self.ways}:",
            f"    {self.there} = kernels.next_snapshot({self.here}, {self.ways}, {self.most} - len({self.places}))",
            *(f"    {line}" for line in self.advanced()),
            f"    if {self.here} < {self.ways}:",
            *(f"        {line}" for line in self.kept_now()),
        ]

    def online(self, begun: Iterable[str]) -> list[str]:
        """The statements that run iterations until the loop is left, one or `at_once` after the other."""
        version, goes_on = self.version, f"{self.trips} < {self.limit} and not {self.left}"
        ends = [self.trips, f"min({self.trips} + {version.at_once}, {self.limit})"]
        begins = [f"{self.first} + {each} * {self.width}" for each in ends]
        count = len(self.state.carried)
        grows = [f"{self.most} = kernels.online_limit({self.here}, {self.most})"]
        return [
            f"{self.limit} = kernels.trip_count({self.first}, {self.stop}, {self.width})",
            f"{self.most} = max(1, {self.snapshots})",
            *begun,
            *self.within(self.limit),
            *self.kept_first(),
            f"{self.levels} = kernels.first_levels()",
            f"{self.trips} = 0",
            f"{self.left} = False",
            f"while {goes_on}:",
            f"    t = {version.advance.name}({_commas(*begins, self.width, *self.state.names)})",
            *(f"    {name} = t[{k}]" for k, name in enumerate(self.state.carried)),
            f"    {self.trips} += t[{count}]",
            f"    {self.left} = t[{count + 1}]",
            f"    {self.here} += 1",
            *([f"    if {self.snapshots} < 1:", *(f"        {line}" for line in grows)] if self.grows else []),
            f"    if {goes_on}:",
            f"        {self.slot} = kernels.online_slot({self.levels}, {self.most})",
            f"        if {self.slot} >= 0:",
            f"            kernels.keep_in_slot({self.places}, {self.slot}, {self.here})",
            *(f"            {line}" for line in self.kept_in(self.slot)),
        ]

    @property
    def grows(self) -> bool:
        """Whether the number of snapshots may grow with the number of iterations."""
        return self.version.most_bytes is None

    def kept_first(self) -> list[str]:
        """The statements that take the snapshot before the loop."""
        return [
            f"{self.places} = [0]",
            *([] if self.on_disk is None else [f"{self.on_disk} = [True]"]),
            *(f"{self.stacks[name]} = [{self.snapshot(name)}]" for name in self.kept),
            f"{self.here} = 0",
        ]

    def snapshot(self, name: str) -> str:
        """A snapshot of a name, where the last element of `on_disk` says."""
        if self.on_disk is None or not self.is_array(name):
            return f"kernels.snapshot({name})"
        return f"kernels.snapshot_at({name}, {self.on_disk}[-1])"

    def kept_in(self, slot: str) -> list[str]:
        """The statements that take a snapshot in place of that in a slot, or beside all."""
        goes = f"kernels.goes_to_disk({self.on_disk}, {slot}, {self.version.in_files})"
        where = [] if self.on_disk is None else [f"kernels.keep_in_slot({self.on_disk}, {slot}, {goes})"]
        stacks = self.stacks.items()
        return [*where, *(f"kernels.keep_in_slot({stack}, {slot}, {self.snapshot(name)})" for name, stack in stacks)]

    def within(self, most_trips: str) -> list[str]:
        """The statement that limits the number of snapshots to the available memory, if that is bounded."""
        if self.version.most_bytes is None:
            return []
        fixed = [f"{name}.nbytes" for name in self.lasts if self.needs_last(name)]
        each = [self.size(name) for name in self.kept]
        sizes = f"{' + '.join([str(8 * len(self.pair.fields)), *fixed])}, {' + '.join(['8', *each])}"
        found = f"kernels.snapshots_within({most_trips}, {self.snapshots}, {self.version.most_bytes}, {sizes})"
        return [f"{self.most} = {found}"]

    def size(self, name: str) -> str:
        """The size of a snapshot of a name, in bytes."""
        return f"{name}.nbytes" if self.is_array(name) else "16" if is_complex(self.kinds[name]) else "8"

    def checked(self) -> list[str]:
        """A check for arrays that iterations make, which may be larger than in the first snapshot."""
        grown = [name for name in self.kept if name in self.state.carried and self.is_array(name)]
        if self.version.most_bytes is None or not grown:
            return []
        total, each = self.names.fresh("kept"), self.names.fresh("each")
        code = [f"    {total} = 0"]
        for name in grown:
            code += [f"    for {each} in {self.stacks[name]}:", f"        {total} += {each}.nbytes"]
        return [*code, f"    kernels.check_bytes({total}, {self.version.most_bytes})"]

    def advanced(self) -> list[str]:
        """The statements that run from `here` to `there`."""
        begins = [f"{self.first} + {self.steps(each)} * {self.width}" for each in (self.here, self.there)]
        run = f"{self.version.advance.name}({_commas(*begins, self.width, *self.state.names)})"
        taken = [f"{name} = t[{k}]" for k, name in enumerate(self.state.carried)]
        return [f"t = {run}" if taken else run, *taken, f"{self.here} = {self.there}"]

    def steps(self, place: str) -> str:
        """The number of iterations before a position."""
        at_once = self.version.at_once
        return place if at_once == 1 else f"min({place} * {at_once}, {self.trips})"

    @property
    def ways(self) -> str:
        """The number of steps of the reverse sweep."""
        at_once = self.version.at_once
        return self.trips if at_once == 1 else f"-(-{self.trips} // {at_once})"

    def kept_now(self) -> list[str]:
        """The statements that take a snapshot."""
        taken = (f"{self.stacks[name]}.append({self.snapshot(name)})" for name in self.kept)
        goes = f"kernels.goes_to_disk({self.on_disk}, len({self.on_disk}), {self.version.in_files})"
        where = [] if self.on_disk is None else [f"{self.on_disk}.append({goes})"]
        return [f"{self.places}.append({self.here})", *where, *taken]

    def reverse(self, handed: list[str]) -> gast.FunctionDef:
        """The reverse function: all iterations from last to first, each recomputed from the last snapshot before it."""
        pair, state = self.pair, self.state
        wrt = [state.names[position - 4] for position in pair.wrt]
        given = {name: self.added(name) for name in wrt if self.is_array(name)}
        tree = _parsed(
            f"def {pair.reverse}("
            f"{_commas(*handed, *given.values(), self.calls, self.at, *self.result_bars.values())}):",
            *(f"    {name} = np.zeros_like({self.lasts[name]})" for name in self.own if name in state.sinks),
            *(f"    {line}" for line in self.begun()),
            *(f"    {line}" for line in self.reversed()),
            *(
                f"    {bar} += {self.bars[name]}"
                for name, bar in given.items()
                if name in self.own and name in self.bars
            ),
            f"    return {self.returned(wrt)}",
        )
        tree.body[:0] = read_back(pair, self.calls, self.at, self.trace)
        return tree

    def reversed(self) -> list[str]:
        """The statements that reverse all iterations, from the last one to the first."""
        if self.version.undo is not None:
            return UndoneIterations(self).reverse()
        stacks = [self.places, *([] if self.on_disk is None else [self.on_disk]), *self.stacks.values()]
        limit = f"{self.most} - len({self.places})"
        return [
            *(f"{stack} = {stack}[:]" for stack in stacks),
            f"for {self.last} in range({self.ways}, 0, -1):",
            f"    {self.here} = {self.places}[-1]",
            *(f"    {name} = kernels.snapshot({stack}[-1])" for name, stack in self.stacks.items()),
            f"    while {self.here} < {self.last} - 1:",
            f"        {self.there} = kernels.next_snapshot({self.here}, {self.last}, {limit})",
            f"        {self.there} = min({self.there}, {self.last} - 1)",
            *(f"        {line}" for line in self.advanced()),
            f"        if {self.here} < {self.last} - 1:",
            *(f"            {line}" for line in self.kept_now()),
            *(f"    {line}" for line in self.reversed_iteration(self.state.names)),
            f"    if {self.places}[-1] == {self.last} - 1:",
            *(f"        {stack}.pop()" for stack in stacks),
        ]

    def added(self, name: str) -> str:
        """The adjoint of an array argument, which is added to."""
        if name in self.state.inputs and name in self.bars:
            return self.bars[name]
        return self.names.fresh(f"{name}_given_bar")

    def begun(self) -> list[str]:
        """The adjoints after the last iteration."""
        code = []
        for name, bar in self.bars.items():
            result = self.result_bars.get(name)
            if self.is_array(name):
                begin_with = f"np.copy({result})" if result else f"np.zeros_like({self.lasts.get(name)})"
                code += [] if name in self.state.inputs else [f"{bar} = {begin_with}"]
            else:
                code.append(f"{bar} = {result or self.zero(name)}")
        return code

    def zero(self, name: str) -> str:
        """The initial adjoint of a number."""
        return "0j" if is_complex(self.kinds[name]) else "0.0"

    def reversed_iteration(self, given: Iterable[str]) -> list[str]:
        """The call that reverses an iteration of this state: takes the adjoints after it, and gives those before it."""
        state = self.state
        before: dict[str, str] = {}
        code: list[str] = []
        for name in (name for name in state.carried if name in self.bars and self.is_array(name)):
            before[name] = self.names.fresh(f"{name}_first_bar")
            parts = [
                self.bars[other] for other in state.carried if other in self.bars and state.moved.get(other) == name
            ]
            code.append(f"{before[name]} = {' + '.join(parts) or f'np.zeros_like({name})'}")
        arrays = [before.get(name, self.bars[name]) for name in self.active if self.is_array(name)]
        numbers = [name for name in self.active if not self.is_array(name)]
        at_once = self.version.at_once
        index = f"{self.first} + {self.here} * {self.width}"
        if at_once > 1:
            begin_at = f"{self.here} * {at_once}"
            count = f"min({at_once}, {self.trips} - {begin_at})"
            index = f"{self.first} + {begin_at} * {self.width}, {count}, {self.width}"
        seeds = [self.bars[name] for name in self.seeded()]
        run = f"{self.pair.iteration}({_commas(index, *given, *arrays, *seeds)})"
        code.append(f"t = {run}" if numbers else run)
        for k, name in enumerate(numbers):
            code.append(f"{self.bars[name]} {'+=' if name in state.inputs else '='} t[{k}]")
        return [*code, *(f"{self.bars[name]} = {bar}" for name, bar in before.items())]

    def returned(self, wrt: list[str]) -> str:
        """The adjoints of the arguments that are numbers."""
        numbers = [self.bars.get(name) or self.zero(name) for name in wrt if not self.is_array(name)]
        return _tuple(*numbers) if numbers else "None"


def _parsed(*lines: str) -> Any:
    """A function that is printed exactly as written here."""
    return note(syntax_tree("\n".join(lines)).body[0], is_finished=True)


def _commas(*parts: str) -> str:
    return ", ".join(parts)


def _tuple(*parts: str) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _list(*elements: gast.expr) -> gast.List:
    return gast.List(elts=list(elements), ctx=gast.Load())
