"""Last values: what a loop keeps from the last iteration that assigned it is computed again, after the loop.

    for i in range(0, n, 1):                    i_last = -1
        e = g(x[i])                             for i in range(0, n, 1):
        if e < best:                                e = g(x[i])
            best = e                                if e < best:
                                  becomes               best = e
                                                        i_last = i
    y = best                                    if i_last != -1:
                                                    e_2 = g(x[i_last])
                                                    best_2 = e_2
                                                y = best_2

The loop then only searches, and carries no derivatives; these go through one iteration instead of all. A minimum, a
nearest neighbour, a first match, an entry of a table are found in this way. Values of the same loop that are sums of
something stay as they are.

What is computed again reads nothing that the loop changes. Integers that cannot be computed again are kept with the
index: where the inner loop of two has found its minimum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.names import Names
from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    branch,
    clone,
    const,
    dotted_path,
    inner_blocks,
    is_range,
    load,
    mentions,
    place_of,
    position,
    rewrite_names,
    walk_blocks,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant, primitive_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, is_check, is_draw, reads, stored_in
from srcad.transforms.ir.type_annotations import is_parallel

Arm = tuple[gast.If, int]  # a branch, and which of its blocks
_INTEGERS = nb.int64, nb.boolean
_SMOOTH = nb.Float, nb.Complex
_LARGEST = max, np.maximum, np.fmax
_LEAST = min, np.minimum, np.fmin
_EXTREMES = frozenset({"max", "min", "np.maximum", "np.minimum", "np.fmax", "np.fmin"})
_OPERATIONS = gast.Name, gast.Constant, gast.UnaryOp, gast.BinOp, gast.Compare, gast.Subscript, gast.Attribute


def with_last_values(code: Code) -> Code:
    """Compute what a loop keeps of one iteration again after the loop, where derivatives need nothing else of it."""
    if not any(isinstance(each, gast.For) and _searches(each) for each in walk_statements(code.body)):
        return code
    search = _Pass(code)
    # Inner loops come first: where one of them was, there is a branch then, of which the loop around keeps a value.
    for block in reversed([*walk_blocks(search.unit.tree.body)]):
        for loop in [each for each in block if isinstance(each, gast.For) and _searches(each)]:
            for leaf, path in [*_arms(loop.body, ())]:
                if path:
                    search.rewrite(block, loop, leaf, path)
                for statement in list(leaf):
                    search.rewrite_extreme(block, loop, leaf, path, statement)
    return code if search.types is code.types else replace(code.with_unit(search.unit), types=search.types)


class _Pass:
    """The function, as far as it is rewritten."""

    def __init__(self, code: Code) -> None:
        self.unit, self.types, self.names = code.unit.with_tree(code.unit.copy_tree()), code.types, code.fresh_names()
        self.program = analyse_forward(self.unit, self.types, [])
        self.searched: dict[str, str] = {}  # what is computed again: which name has the value that the search has found

    def rewrite(self, block: Block, loop: gast.For, leaf: Block, path: tuple[Arm, ...]) -> bool:
        """Let what a loop keeps of an arm be computed again. Returns whether that is done."""
        choice = _Search(self.program, block, loop).choice(leaf, path)
        if choice is not None:
            writer = _Writer(block, loop, choice, self.types.of, self.names)
            self.add(writer.write())
            for change in choice.kept.values():
                merged = change.targets[0].id
                if merged in self.searched:  # what an inner loop has found need not be computed again in each iteration
                    change.value = load(self.searched[merged])
            self.searched |= {value: name for name, value in writer.values.items()}
        return choice is not None

    def rewrite_extreme(
        self, block: Block, loop: gast.For, inner: Block, path: tuple[Arm, ...], statement: gast.stmt
    ) -> None:
        """Do so for a minimum or maximum of a number of the iteration and one that the loop carries."""
        extreme = _extreme(statement)
        carried = _ends(loop, written(statement))[-1]
        if extreme is None or carried not in extreme or not self.is_of_numbers(statement, extreme):
            return
        before, at = (self.types, self.program), position(inner, statement)
        branched = self.branched(statement, str(carried), extreme)
        inner[at : at + 1] = branched
        self.program = analyse_forward(self.unit, self.types, [])
        if not self.rewrite(block, loop, branched[-1].body, (*path, (branched[-1], 0))):
            inner[at : at + len(branched)] = [statement]
            self.types, self.program = before

    def is_of_numbers(self, statement: Any, extreme: tuple[str, str]) -> bool:
        """Whether this is one of the functions known here, of real numbers of one type."""
        one, other = map(self.types.get, extreme)
        primitive = primitive_of(statement.value, self.unit.bindings)
        return isinstance(one, nb.Float) and one == other and any(primitive is each for each in (*_LARGEST, *_LEAST))

    def branched(self, statement: Any, carried: str, extreme: tuple[str, str]) -> list[Any]:
        """A minimum or maximum as a branch that keeps what is carried; of equal numbers the first is taken."""
        value, result = extreme[extreme[0] == carried], statement.targets[0].id
        primitive = primitive_of(statement.value, self.unit.bindings)
        place, code = place_of(statement), []

        def noted(what: str, test: gast.expr) -> gast.expr:
            name = self.names.fresh(f"{result}_{what}")
            self.add({name: nb.boolean}, known=False)
            code.append(assign(name, test, place))
            return load(name)

        beyond = gast.Gt if primitive in _LARGEST else gast.Lt
        ignored = {np.fmax: carried, np.fmin: carried, np.maximum: value, np.minimum: value}.get(primitive)
        if ignored is not None:  # a NaN stays, or is replaced
            is_nan = noted("is_nan", _compared(ignored, gast.NotEq, ignored))
            or_equal = {gast.Gt: gast.GtE, gast.Lt: gast.LtE}[beyond]
            operator = or_equal if value == extreme[0] else beyond
            test: gast.expr = binary(noted("beyond", _compared(value, operator, carried)), gast.BitOr, is_nan)
        elif value == extreme[0]:  # Python keeps the first where the second is not beyond it, as where one is NaN
            test = gast.UnaryOp(op=gast.Not(), operand=noted("beyond", _compared(carried, beyond, value)))
        else:
            test = _compared(value, beyond, carried)
        taken = noted("taken", test)
        arms = [assign(result, load(name), place) for name in (value, carried)]
        return [*code, branch(taken, arms[:1], arms[1:], place)]

    def add(self, new: Mapping[str, nb.Type], known: bool = True) -> None:
        """Add the types of new names."""
        self.types = replace(self.types, of={**self.types.of, **new})
        if known:
            self.program = analyse_forward(self.unit, self.types, [])


def _compared(left: str, operator: type[gast.cmpop], right: str) -> gast.expr:
    return gast.Compare(left=load(left), ops=[operator()], comparators=[load(right)])


def _extreme(statement: gast.stmt) -> tuple[str, str] | None:
    """The names of which a statement assigns the minimum or the maximum."""
    match statement:
        case gast.Assign(
            targets=[gast.Name()],
            value=gast.Call(func=function, args=[gast.Name(id=one), gast.Name(id=other)], keywords=[]),
        ) if dotted_path(function) in _EXTREMES:
            return one, other
    return None


def _searches(loop: gast.For) -> bool:
    """Whether an iteration of a serial loop may keep the value that a name had before it."""
    if not is_range(loop.iter) or is_parallel(loop):
        return False
    for block, path in _arms(loop.body, ()):
        for each in block:
            found = [_copied(each)] if path else []
            if (
                _ends(loop, written(each))[-1] in [*found, *(_extreme(each) or ())]
                and len(_ends(loop, written(each))) > 1
            ):
                return True
    return False


def _ends(loop: gast.For, name: str | None) -> list[str | None]:
    """The names that a value is copied to, one after another, until an iteration ends; the last is carried."""
    ends = [name]
    for each in loop.body:
        if _copied(each) == ends[-1] is not None:
            ends.append(written(each))
    return ends


def _arms(block: Block, path: tuple[Arm, ...]) -> Iterator[tuple[Block, tuple[Arm, ...]]]:
    """The arms of the branches in a block that are in no inner loop, inner ones first, with the way to each."""
    for statement in block:
        if isinstance(statement, gast.If):
            for arm, inner in enumerate(inner_blocks(statement)):
                yield from _arms(inner, (*path, (statement, arm)))
    yield block, path


@dataclass(frozen=True)
class _Choice:
    """What a loop keeps of the last iteration in which it took an arm of a branch.

    path        the branches around the arm, with the arms taken
    kept        each name that the loop carries, with the statement of the arm that gives it a value
    first       what these names are before the loop
    again       the statements that give the values, in order
    integers    names that cannot be computed again, which are kept with the index
    """

    path: tuple[Arm, ...]
    kept: dict[str, gast.Assign]
    first: dict[str, gast.expr]
    again: Block
    integers: list[str]


class _Search:
    """Whether what a loop keeps can be computed again after it."""

    def __init__(self, program: Program, block: Block, loop: gast.For) -> None:
        self.program, self.loop = program, loop
        self.stores, self.types = program.flow.stores, program.types
        self.after = block[position(block, loop) + 1 :]
        self.before = block[: position(block, loop)]
        self.inside = list(walk_statements(loop.body))
        self.local = stored_in(loop.body)
        self.writes: dict[str, Block] = {}
        for each in self.inside:
            for root in self.changed_by(each):
                self.writes.setdefault(root, []).append(each)

    def choice(self, leaf: Block, path: tuple[Arm, ...]) -> _Choice | None:
        """What the loop keeps of the arm, if that can be computed again and nothing else depends on it smoothly."""
        if self.types.get(self.loop.target.id) != nb.int64:
            return None
        kept = {name: change for change in leaf for name in self._carried(change) if self._is_searched(name, change)}
        return self._computed_again(leaf, path, kept) if kept else None

    def _carried(self, change: gast.stmt) -> Iterator[str]:
        """The name that the loop carries, if this statement of an arm alone gives it a value."""
        match change:
            case gast.Assign(targets=[gast.Name(id=merged)]) if isinstance(self.types.get(merged), _SMOOTH):
                *way, name = _ends(self.loop, merged)
                others = [each for each in self.stores[merged] if each is not change]
                is_kept = way and others and all(_copied(each) == name for each in others)
                if any(len(self.stores[str(between)]) > 1 for between in way[1:]):
                    return  # an inner loop or a branch may give it another value on the way
                if name is not None and is_kept and self._first(name) is not None:
                    yield name

    def _first(self, name: str) -> gast.expr | None:
        """What a name that the loop carries is before the loop, if that is known after it."""
        outside = [each for each in self.stores[name] if all(each is not one for one in self.inside)]
        if len(outside) != 1 or len(self.stores[name]) != 2 or all(each is not outside[0] for each in self.before):
            return None
        value = getattr(outside[0], "value", None)
        return value if isinstance(value, gast.Constant) or _copied(outside[0]) not in (None, *self.local) else None

    def _is_searched(self, name: str, change: gast.Assign) -> bool:
        """Whether the loop reads a name that it carries for nothing but to compare, and it is read after the loop."""
        own = _ends(self.loop, change.targets[0].id)
        for each in self.inside:
            if not any(read in own for read in reads(each)) or (_copied(each) in own and written(each) in own):
                continue
            if not all(isinstance(self.types.get(one), nb.Integer | nb.Boolean) for one in all_written(each)):
                return False
        near = {id(each) for each in [*self.inside, *walk_statements(self.after)]}
        everywhere = walk_statements(self.program.unit.tree.body)
        is_read = any(name in reads(each) for each in walk_statements(self.after))
        return is_read and not any(name in reads(each) for each in everywhere if id(each) not in near)

    def _computed_again(self, leaf: Block, path: tuple[Arm, ...], kept: dict[str, gast.Assign]) -> _Choice | None:
        """The statements that give the values kept, and integers to be kept with them; None if that does not do."""
        blocks = [self.loop.body, *(inner_blocks(each)[arm] for each, arm in path)]
        ahead = [
            statement
            for block, (each, _) in zip(blocks, path, strict=False)
            for statement in block[: position(block, each)]
        ]
        changes = {id(each) for each in kept.values()}
        candidates = [*ahead, *leaf]
        slices = _Slices(self, [each for each in candidates if id(each) not in changes])
        wanted = [name for each in kept.values() for name in reads(each)]
        if not all(map(self.is_again, kept.values())) or not all(map(slices.is_known, wanted)):
            return None
        integers = slices.integers(wanted)
        needed = {id(each) for each in slices.statements(wanted)} | changes
        again = [each for each in candidates if id(each) in needed]
        if not all(map(slices.is_integer, integers)) or not stored_in(again).isdisjoint(integers):
            return None
        first = {name: value for name in kept if (value := self._first(name)) is not None}
        return _Choice(path, kept, first, again, integers)

    def is_again(self, statement: gast.stmt) -> bool:
        """Whether a statement has the same results once more, if the names that it reads have the same values."""
        for each in walk_statements([statement]):
            match each:
                case gast.Assign(targets=[gast.Name()], value=value):
                    if notes_of(each).effect or not self._is_pure(value):
                        return False
                case gast.Assign(value=value) | gast.AugAssign(value=value) if changed_memory(each):
                    if not (self._is_pure(value) and self.changed_by(each) <= self.local):
                        return False
                case gast.If() | gast.Pass():
                    pass
                case gast.For(iter=iterator) if is_range(iterator):
                    pass
                case _ if not is_check(each):
                    return False
            memory = {root for name in reads(each) for root in self._memory(name)}
            if not memory.isdisjoint(self.writes.keys() - self.local):
                return False
        return True

    def changed_by(self, statement: gast.stmt) -> set[str]:
        """The memory that a statement writes to."""
        return {root for name in changed_memory(statement) for root in self._memory(name)}

    def _is_pure(self, value: gast.expr) -> bool:
        if not isinstance(value, gast.Call):
            return isinstance(value, _OPERATIONS)
        primitive, path = primitive_of(value, self.program.unit.bindings), dotted_path(value.func)
        if primitive is None or path is None or is_draw(path):
            return False
        return path == "len" or registry.find(primitive, [0] * len(value.args)) is not None

    def _memory(self, name: str) -> frozenset[str]:
        return self.program.aliases.points_to(name)


class _Slices:
    """Which statements of an iteration give a name its value."""

    def __init__(self, search: _Search, candidates: Block) -> None:
        self.search, self.index = search, search.loop.target.id
        self.by: dict[str, Block] = {}
        for statement in candidates:
            memory = {root for each in walk_statements([statement]) for root in search.changed_by(each)}
            for name in stored_in([statement]) | memory:
                self.by.setdefault(name, []).append(statement)
        self._inner = {name: [*walk_statements(each)] for name, each in self.by.items()}
        self._known: dict[str, bool] = {}

    def is_known(self, name: str) -> bool:
        """Whether a name has its value after the loop, or can get it there, or is an integer to be kept."""
        return self.is_computed(name) or self.is_integer(name)

    def is_computed(self, name: str) -> bool:
        """Whether a name has its value after the loop, or can be computed there."""
        if name == self.index or name not in self.search.local:
            return True
        if name not in self._known:
            self._known[name] = True  # it may depend on itself, by an inner loop
            self._known[name] = self._are_all_stores(name) and all(map(self._is_computed, self.by[name]))
        return self._known[name]

    def _is_computed(self, statement: gast.stmt) -> bool:
        return self.search.is_again(statement) and all(map(self.is_known, mentions([statement])))

    def _are_all_stores(self, name: str) -> bool:
        """Whether all that stores a name or writes to its memory is on the way to the arm."""
        known = {id(each) for each in self._inner.get(name, ())}
        stores = [*self.search.stores[name], *self.search.writes.get(name, ())]
        return name in self.by and all(id(each) in known for each in stores)

    def is_integer(self, name: str) -> bool:
        """Whether a name is an integer or a boolean of the iteration, which can be kept."""
        return name in self.by and self.search.types.get(name) in _INTEGERS

    def statements(self, names: list[str]) -> Block:
        """The statements by which names are computed."""
        return [each for name in self._needed(names) if self.is_computed(name) for each in self.by.get(name, ())]

    def integers(self, names: list[str]) -> list[str]:
        """The integers to be kept for names."""
        return sorted(name for name in self._needed(names) if not self.is_computed(name))

    def _needed(self, names: list[str]) -> list[str]:
        def before(name: str) -> list[str]:
            own = self.by.get(name, []) if self.is_computed(name) else []
            return [read for each in own for read in mentions([each]) if read != self.index]

        return [name for name in dict.fromkeys(closure(names, before)) if name in self.search.local]


class _Writer:
    """Writes what a choice comes to: the loop with the index that it keeps, and what follows it."""

    def __init__(
        self, block: Block, loop: gast.For, choice: _Choice, types: Mapping[str, nb.Type], names: Names
    ) -> None:
        self.block, self.loop, self.choice, self.types, self.names = block, loop, choice, types, names
        self.index, self.place = loop.target.id, place_of(loop)
        self.new: dict[str, nb.Type] = {}
        self.values: dict[str, str] = {}

    def write(self) -> dict[str, nb.Type]:
        """Change the block. Returns the types of the new names."""
        at = position(self.block, self.loop)
        after = self.block[at + 1 :]
        ahead: Block = []
        none = self._none(ahead)
        last = {self.index: self._kept(self.index, none, ahead)}
        for name in self.choice.integers:
            last[name] = self._kept(name, const(False if self.types[name] == nb.boolean else 0), ahead)
        behind = [assign(self._like(name, "last"), load(carried), self.place) for name, carried in last.items()]
        renamed = {name: each.targets[0].id for name, each in zip(last, behind, strict=True)}
        is_found = self._named(f"{self.index}_found", nb.boolean)
        test = gast.Compare(left=load(renamed[self.index]), ops=[gast.NotEq()], comparators=[clone(none)])
        behind.append(assign(is_found, test, self.place))
        behind.append(self._again(is_found, renamed, after))
        self.block[at:] = [*ahead, self.loop, *behind, *after]
        return self.new

    def _none(self, ahead: Block) -> gast.expr:
        """What the index is before it has any value: the one before the first."""
        start, _, step = self.loop.iter.args
        width = constant(step)
        if isinstance(constant(start), int) and isinstance(width, int):
            return const(constant(start) - width)
        none, is_down = self._named(f"{self.index}_none", nb.int64), isinstance(width, int) and width < 0
        before = binary(clone(start), gast.Add, const(-width)) if is_down else binary(start, gast.Sub, clone(step))
        ahead.append(assign(none, clone(before), self.place))
        return load(none)

    def _kept(self, name: str, first: gast.expr, ahead: Block) -> str:
        """Let the loop keep the value that a name has when the arm is taken. Returns the name that carries it."""
        carried, merged = self._like(name, "last"), self._like(name, "last")
        ahead.append(assign(carried, clone(first), self.place))
        for branching, arm in self.choice.path:
            inner_blocks(branching)[1 - arm].append(assign(merged, load(carried), self.place))
        branching, arm = self.choice.path[-1]
        inner_blocks(branching)[arm].append(assign(merged, load(name), self.place))
        ends = [k for k, each in enumerate(self.loop.body) if written(each) in self.choice.kept]
        self.loop.body.insert(ends[-1] + 1, assign(carried, load(merged), self.place))
        return carried

    def _again(self, is_found: str, renamed: dict[str, str], after: Block) -> gast.stmt:
        """The branch that computes again what the loop has kept; what follows reads that."""
        kept = self.choice.kept
        self.values = values = {name: self._like(name) for name in kept}
        renamed |= {change.targets[0].id: values[name] for name, change in kept.items()}
        renamed |= {name: self._like(name) for name in sorted(stored_in(self.choice.again)) if name not in renamed}
        again = [clone(each) for each in self.choice.again]
        for each in again:
            rewrite_names(each, lambda name: renamed.get(name, name))
        for each in after:
            rewrite_names(each, lambda name: values.get(name, name))
        first = [assign(values[name], clone(each), self.place) for name, each in self.choice.first.items()]
        return branch(load(is_found), again, first, self.place)

    def _like(self, name: str, suffix: str = "") -> str:
        """A new name of the type that a name has."""
        base = re.sub(r"(_\d+)+$", "", name)
        return self._named(f"{base}_{suffix}" if suffix else base, self.types[name])

    def _named(self, name: str, kind: nb.Type) -> str:
        found = self.names.fresh(name)
        self.new[found] = kind
        return found


def _copied(statement: gast.stmt) -> str | None:
    """The name that a statement copies."""
    match statement:
        case gast.Assign(targets=[gast.Name()], value=gast.Name(id=name)):
            return str(name)
    return None
