"""Dead code elimination for generated statements.

A statement is live if it has an effect, or if a live statement may read what it writes; where the code is not compiled,
a statement of the primal that may raise an exception is live as well. Names of arrays that may share memory form one
alias class: a store is live as long as anything in its class is read.

A store that the reverse sweep undoes is dead, along with what undoes it, if nothing reads the new value in between:

    for i in range(n):                          for i in range(n):
        old[i] = a[i]
        a[i] = b[i] * a[i]          becomes
    for i in range(n):                              b_bar[i] = a_bar[i] * a[i]
        a[i] = old[i]
        b_bar[i] = a_bar[i] * a[i]

That is so of the last store into an array whose value the caller does not ask for, and then all that only this store
needs is dead (Hascoet and Araya-Polo, The adjoint data-flow analyses, 2006: adjoint liveness). Both have to reach an
element by the indices of all loops around them, so that no iteration touches another's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import index_parts, is_counted
from srcad.transforms.analysis.affine.point_facts import Facts, have_natural_indices
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.may_raise import raising_statements
from srcad.transforms.analysis.sweep_boundary import rejoined
from srcad.transforms.ir.build import (
    Block,
    attribute,
    call,
    const,
    inner_blocks,
    is_exit,
    is_loop,
    load,
    one_or_tuple,
    subscript,
    walk,
    walk_statements,
    without_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, is_effect, reads
from srcad.transforms.loop_analysis.control_dependence import names_with_values


def without_dead_code(code: Code) -> Block:
    """The statements that results, effects, or the memory of the outputs depend on."""
    liveness = _Liveness(code, _idle_undoing(code))
    alive: Collection[gast.stmt] = liveness.alive
    if not liveness.interpreted:
        alive = _without_products_for_shapes(code, liveness)
    return without_statements(code.body, lambda each: each not in alive and not notes_of(each).begins_reverse)


class _Liveness:
    """What is live, if some statements are left out; and of which arrays the elements are read, not the shape alone."""

    def __init__(self, code: Code, without: Collection[gast.stmt] = ()) -> None:
        body = code.body
        self.kinds, self.interpreted = code.kinds, code.settings.interpreted
        self.group = aliases_of(code).alias_class
        self.writers: dict[str, list[gast.stmt]] = {}
        self.changers: dict[str, list[gast.stmt]] = {}
        self.around: dict[gast.stmt, gast.stmt] = {}  # the compound statement around each
        self.read: set[str] = set()  # names whose writers live already
        self.with_elements: set[str] = set()  # alias classes whose changers live already
        for statement in walk_statements(body):
            if statement not in without:
                self._index(statement)
        effects = [statement for statement in walk_statements(body) if is_effect(statement)]
        if self.interpreted:
            effects += raising_statements(code)
        outputs = [each for name in code.outputs for each in (*self.writing(name), *self.changing(name))]
        self.alive = closure([*effects, *outputs], self.needed)

    def writing(self, name: str) -> Iterator[gast.stmt]:
        """The statements that store a name."""
        if name not in self.read:
            self.read.add(name)
            yield from self.writers.get(name, [])

    def changing(self, name: str) -> Iterator[gast.stmt]:
        """The statements that change memory that a name may refer to."""
        if (group := self.group(name)) not in self.with_elements:
            self.with_elements.add(group)
            yield from self.changers.get(group, [])

    def needed(self, statement: gast.stmt) -> Iterator[gast.stmt]:
        """The statements that a live statement makes live."""
        if statement in self.around:
            yield self.around[statement]
        for name in reads(statement):
            yield from self.writing(name)
            if not self.is_array(name):  # as of a list, of which `len` is read
                yield from self.changing(name)
        for name in self.elements(statement):
            yield from self.changing(name)
        if is_loop(statement) and is_exit(statement.body[-1]):
            yield statement.body[-1].body[0]

    def is_array(self, name: str) -> bool:
        """Whether a name is known to hold an array, whose shape stays."""
        return not self.interpreted and isinstance(self.kinds.get(rejoined(name)), nb.Array)

    def elements(self, statement: gast.stmt) -> Iterator[str]:
        """The names of what a statement itself reads, other than arrays of which it needs the shape alone."""
        match statement:
            case gast.If(test=part) | gast.While(test=part) | gast.For(iter=part):
                yield from names_with_values(part)
            case gast.Assign(
                targets=[gast.Name(id=view)], value=gast.Subscript(value=gast.Name(id=base), slice=index)
            ) if self.is_array(view) and self.is_array(base) and self.group(view) == self.group(base):
                yield from names_with_values(index)  # who reads the view reads the array
            case gast.Assign(targets=[gast.Name() | gast.Tuple()], value=value):
                yield from names_with_values(value)
            case _:
                yield from names_with_values(statement)

    def _index(self, statement: gast.stmt) -> None:
        self.around |= {each: statement for inner in inner_blocks(statement) for each in inner}
        for name in all_written(statement):
            self.writers.setdefault(name, []).append(statement)
        for name in changed_memory(statement):
            self.changers.setdefault(self.group(name), []).append(statement)


def _without_products_for_shapes(code: Code, liveness: _Liveness) -> Collection[gast.stmt]:
    """What is live where products of which nothing reads an element have become arrays without values."""
    found = [(each, shape) for each in liveness.alive if (shape := _shape_of_product(code, liveness, each)) is not None]
    for statement, shape in found:
        statement.value = call("np.empty", one_or_tuple(shape))
    return _Liveness(code, _idle_undoing(code)).alive if found else liveness.alive


def _rank_of_floats(code: Code, name: str) -> int:
    """The rank of a vector or matrix of floats; 0 for what else a name may hold."""
    kind = code.kinds.get(rejoined(name))
    return kind.ndim if isinstance(kind, nb.Array) and kind.dtype == nb.float64 and kind.ndim <= 2 else 0


def _shape_of_product(code: Code, liveness: _Liveness, statement: gast.stmt) -> list[gast.expr] | None:
    """The shape of a product, if a statement computes one for nothing else."""
    match statement:
        case gast.Assign(
            targets=[gast.Name(id=name)],
            value=gast.BinOp(left=gast.Name(id=left), op=gast.MatMult(), right=gast.Name(id=right)),
        ):
            if liveness.group(name) in liveness.with_elements:
                return None
            ranks = [_rank_of_floats(code, each) for each in (left, right, name)]
            if not all(ranks):
                return None
            of_left = [subscript(attribute(load(left), "shape"), const(0))] if ranks[0] == 2 else []
            of_right = [subscript(attribute(load(right), "shape"), const(1))] if ranks[1] == 2 else []
            return [*of_left, *of_right]
    return None


_Way = tuple[tuple[Block, int], ...]  # the blocks around a statement, from the outside, with its place in each


@dataclass(frozen=True)
class _Undoing:
    """A store into an element and the statement that undoes it, with their ways."""

    store: gast.stmt
    store_way: _Way
    restore: gast.stmt
    restore_way: _Way


def _idle_undoing(code: Code) -> set[gast.stmt]:
    """The stores that are undone before anything reads the new value, with the statements that undo them."""
    found = [] if code.settings.interpreted or code.settings.debug else _undone(code)
    while found:
        left_out = {each for pair in found for each in (pair.store, pair.restore)}
        alive = _Liveness(code, left_out).alive
        idle = [pair for pair in found if _Interval(code, pair, alive).is_idle()]
        if len(idle) == len(found):
            return left_out
        found = idle
    return set()


def _undone(code: Code) -> list[_Undoing]:
    """The stores into elements that are undone, both by the indices of all loops that only one of them is in."""
    stores: dict[str, list[tuple[gast.stmt, _Way]]] = {}
    restores: dict[str, list[tuple[gast.stmt, _Way]]] = {}
    for statement, way in _ways(code.body, ()):
        if notes_of(statement).undone_by:
            stores.setdefault(notes_of(statement).undone_by, []).append((statement, way))
        if notes_of(statement).puts_back:
            restores.setdefault(notes_of(statement).puts_back, []).append((statement, way))
    found = []
    for name in stores.keys() & restores.keys():
        if len(stores[name]) == len(restores[name]) == 1:
            pair = _Undoing(*stores[name][0], *restores[name][0])
            depth = _common_depth(pair)
            if all(_is_by_indices(code, *each, depth) for each in (stores[name][0], restores[name][0])):
                found.append(pair)
    return found


def _ways(block: Block, way: _Way) -> Iterator[tuple[gast.stmt, _Way]]:
    for place, statement in enumerate(block):
        here = (*way, (block, place))
        yield statement, here
        for inner in inner_blocks(statement):
            yield from _ways(inner, here)


def _common_depth(pair: _Undoing) -> int:
    """How many blocks both statements are in, the same iteration of the loops around these included."""
    depth = 0
    for (block, place), (other, second) in zip(pair.store_way, pair.restore_way, strict=False):
        if block is not other:
            break
        depth += 1
        if place != second:
            break
    return depth


def _is_by_indices(code: Code, statement: gast.stmt, way: _Way, depth: int) -> bool:
    """Whether a store is into one element, and no two iterations of the loops inside of a block reach the same."""
    target = _element(statement)
    if target is None or not depth:
        return False
    parts = index_parts(target)
    if len(parts) != getattr(code.kinds.get(target.value.id), "ndim", 0):
        return False
    if not all(isinstance(part, (gast.Name, gast.Constant)) for part in parts):
        return False
    names = [part.id for part in parts if isinstance(part, gast.Name)]
    around = [block[place] for block, place in way[depth - 1 : -1]]
    if not all(is_counted(each) and names.count(each.target.id) == 1 for each in around):
        return False
    return have_natural_indices(around, Facts())


def _element(statement: gast.stmt) -> gast.Subscript | None:
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name()) as target]):
            return target
        case gast.AugAssign(target=gast.Subscript(value=gast.Name()) as target):
            return target
    return None


class _Interval:
    """What happens between a store and what undoes it."""

    def __init__(self, code: Code, pair: _Undoing, alive: Collection[gast.stmt]) -> None:
        self.pair, self.alive, self.group = pair, alive, aliases_of(code).alias_class
        target = _element(pair.store)
        assert target is not None
        self.memory = self.group(target.value.id)

    def is_idle(self) -> bool:
        """Whether no live statement refers to the array, other than to the same element before or after."""
        pair, depth = self.pair, _common_depth(self.pair)
        (block, first), (_, last) = pair.store_way[depth - 1], pair.restore_way[depth - 1]
        before, after = (pair.store, pair.store_way[-1]), (pair.restore, pair.restore_way[-1])
        return first < last and not any(
            self.refers(statement)
            and not (place == first and self.is_own(statement, way[-1], *before, -1))
            and not (place == last and self.is_own(statement, way[-1], *after, 1))
            for place in range(first, last + 1)
            for statement, way in _ways([block[place]], ())
        )

    def names(self, statement: gast.stmt) -> list[str]:
        """The names for the array that a statement, or the header of a compound one, mentions for more than a shape."""
        match statement:
            case gast.If(test=part) | gast.While(test=part) | gast.For(iter=part):
                found = [*names_with_values(part)]
            case _:
                found = [*names_with_values(statement)]
        return [name for name in found if self.group(name) == self.memory]

    def refers(self, statement: gast.stmt) -> bool:
        """Whether a live statement refers to the array."""
        if statement in (self.pair.store, self.pair.restore):
            return False
        return (bool(inner_blocks(statement)) or statement in self.alive) and bool(self.names(statement))

    def is_own(
        self, statement: gast.stmt, at: tuple[Block, int], of: gast.stmt, there: tuple[Block, int], side: int
    ) -> bool:
        """Whether a statement of the same block refers to the same element only, before (-1) or after (1)."""
        target = _element(of)
        if target is None or inner_blocks(statement) or at[0] is not there[0] or (at[1] - there[1]) * side <= 0:
            return False
        nodes = (each for each in walk(statement) if isinstance(each, gast.Subscript))
        same = [each for each in nodes if _same_element(each, target)]
        return len(same) == len(self.names(statement))


def _same_element(one: gast.Subscript, other: gast.Subscript) -> bool:
    return all(gast.dump(a) == gast.dump(b) for a, b in ((one.value, other.value), (one.slice, other.slice)))
