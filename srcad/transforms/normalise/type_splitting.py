"""Type splitting: where a name would have two types at a join, the statements after the join are repeated.

    s = 0.0                              s = 0.0
    for i in range(n):                   t = 0 < n
        s = s + x * i                    if t:
    r = np.sum(s)          becomes           i = 0
                                             s = s + x * i
                                             for i in range(1, n):
                                                 s = s + x * i
                                             r = np.sum(s)
                                         else:
                                             r = np.sum(s)

The first iteration of a loop is peeled, so that a name that is a number before it and an array after it has one type in
what remains of the loop. The arms of a branch are continued in the same way. Applies to core form before SSA, and only
where type inference has found such a name (`join_of`).

Where what follows cannot be compiled for the number, `assumes` asks for code that only serves loops that are entered;
it raises `Widens` otherwise.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import gast

from srcad.errors import Place
from srcad.names import Names
from srcad.runtime import kernels
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    binary,
    branch,
    call,
    clone,
    const,
    inner_blocks,
    is_exit,
    is_loop,
    is_range,
    load,
    place_of,
    position,
    walk_statements,
    written,
)
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.unit import Unit

_JOIN = "__srcad_join__"


class Join(NamedTuple):
    """A loop or a branch at whose end a name has two types: the place and kind of the statement, and the name.

    `number` counts the statements of the same place and kind before it, which earlier splitting has made.
    """

    place: Place
    is_loop: bool
    number: int
    name: str


def note_join(problem: Exception, unit: Unit, name: str | None) -> None:
    """Note on an exception where the name gets values of several types; the unit is in SSA form."""
    if name is not None:
        setattr(problem, _JOIN, join_of(unit, name))


def noted_join(problem: Exception) -> Join | None:
    """The join that is noted on an exception."""
    return getattr(problem, _JOIN, None)


def join_of(unit: Unit, name: str) -> Join | None:
    """The loop that carries a name, or the branch whose arms store it, in SSA form; None for other names."""

    def found(block: Block) -> tuple[int, gast.stmt | None]:
        """How many stores there are in a block, and the statement in it in which two of them meet."""
        count = 0
        for statement in block:
            inside = 0
            for inner in inner_blocks(statement):
                stores, meeting = found(inner)
                if meeting is not None:
                    return 0, meeting
                inside += stores
            if inside > 1 or (inside and count and is_loop(statement)):
                return 0, statement
            count += inside + (written(statement) == name and not is_loop(statement))
        return count, None

    statement = found(unit.tree.body)[1]
    place = None if statement is None else place_of(statement)
    if statement is None or place is None:
        return None
    same = _alike(unit.tree.body, place, is_loop(statement))
    return Join(place, is_loop(statement), position(same, statement), name)


def _alike(body: Block, place: Place, of_loops: bool) -> Block:
    """The loops, or the branches, that stem from one place."""
    return [
        each
        for each in walk_statements(body)
        if place_of(each) == place and inner_blocks(each) and is_loop(each) == of_loops and not is_exit(each)
    ]


def count_statements(unit: Unit) -> int:
    """How many statements a unit has."""
    return sum(1 for _ in walk_statements(unit.tree.body))


def split(unit: Unit, join: Join, assumes: bool, most: int) -> Unit | None:
    """The unit, in core form before SSA, with what follows the join repeated; None where that is not possible.

    `most` is how many statements it may have then.
    """
    tree, names = unit.copy_tree(), unit.names.copy()
    made = _Splitter(names, join, assumes).body(tree.body)
    if made is None or sum(1 for _ in walk_statements(made)) > most:
        return None
    tree.body = made
    return unit.with_tree(tree, names=names, bindings={**unit.bindings, "kernels": kernels})


class _Splitter:
    def __init__(self, names: Names, join: Join, assumes: bool) -> None:
        self.names, self.join, self.assumes = names, join, assumes

    def body(self, body: Block) -> Block | None:
        """The statements of the function with the first statement at the join split."""
        same = _alike(body, self.join.place, self.join.is_loop)
        if self.join.number >= len(same):
            return None
        statement: Any = same[self.join.number]
        name = self.stored_name(statement)
        if name is None:
            return None
        statement = _innermost(statement, name)
        path = _path(body, statement)
        loops = [at for at, (block, k) in enumerate(path) if is_loop(block[k])]
        block, k = path[loops[-1]] if loops else path[-1]
        around: Any = block[k]
        if not loops or (around is not statement and _stores(around.body, name, always=True)):
            return body if self.absorbed(path[loops[-1] + 1 :] if loops else path) else None
        if isinstance(around, gast.For) and (not is_range(around.iter) or _is_special(around)):
            return None
        end = _end(block)
        change = self.peeled if _stores(around.body, name, always=True) else self.two_phases
        block[k:end] = change(around, name, block[k + 1 : end])
        return body

    def absorbed(self, path: list[tuple[Block, int]]) -> bool:
        """Whether there is something after these branches, which then is moved to the ends of their arms."""
        moved = False
        for block, k in path:
            statement: Any = block[k]
            end = _end(block)
            rest = block[k + 1 : end]
            if rest:
                moved = True
                del block[k + 1 : end]
                statement.orelse += clone(rest)
                statement.body += rest
        return moved

    def stored_name(self, statement: gast.stmt) -> str | None:
        """The name of the join as it is before SSA form."""
        stored = {str(written(each)) for each in walk_statements([statement])}
        fitting = [each for each in stored if re.fullmatch(re.escape(each) + r"(_\d+)*", self.join.name)]
        return max(fitting, key=len, default=None)

    def peeled(self, statement: Any, name: str, rest: Block) -> Block:
        """A loop with its first iteration before it, and what follows the loop."""
        place = place_of(statement)
        if isinstance(statement, gast.While):
            peeled = self.iteration(statement, statement)
            return self.entered([], statement.test, [], [*peeled, *rest], clone(rest), place)
        before, (start, stop, step) = self.kept_bounds(statement)
        index = str(written(statement))
        *advanced, remaining = self.continued(statement, [start, stop, step], start)
        peeled = [*advanced, assign(index, clone(start), place), *self.iteration(statement, remaining)]
        test, tests = self.is_entered(start, stop, step, place)
        if test is True:
            return [*before, *peeled, *rest]
        nothing = [] if _number(step) else self.checked_step(step, place)
        return self.entered([*before, *tests], test, nothing, [*peeled, *rest], clone(rest), place)

    def checked_step(self, step: gast.expr, place: Place | None) -> Block:
        """Raises the exception that a range has for a step of zero."""
        is_zero = self.names.temporary()
        error = at(gast.Raise(exc=call("ValueError", const("range() arg 3 must not be zero")), cause=None), place)
        test = assign(is_zero, _compared(step, gast.Eq(), const(0)), place)
        return [test, branch(load(is_zero), [error], [], place)]

    def two_phases(self, statement: Any, name: str, rest: Block) -> Block:
        """A loop up to the iteration that stores a name, and the loop from there on, in which it has the new type."""
        place = place_of(statement)
        before: Block = []
        remaining, at_index = [clone(statement)], ""
        was, becomes, changed = self.names.fresh(name), self.names.fresh(name), self.names.fresh(f"{name}_changes")
        if isinstance(statement, gast.For):
            before, bounds = self.kept_bounds(statement)
            statement.iter.args = clone(bounds)
            at_index = self.names.fresh(str(written(statement)))
            remaining = self.continued(statement, bounds, load(at_index))
        change = [
            assign(becomes, load(name), place),
            assign(name, load(was), place),
            assign(changed, const(True), place),
        ]
        end = len(statement.body) - is_exit(statement.body[-1])
        body, exits = statement.body[:end], statement.body[end:]
        _mark(body, name, change)
        if at_index:
            body.insert(0, assign(at_index, load(str(written(statement))), place))
        body.insert(0, assign(was, load(name), place))
        if exits:
            left, done = self.names.temporary(), exits[0].test
            body.append(assign(left, binary(clone(done), gast.BitOr, load(changed)), place))
            goes_on = self.names.temporary()
            opposite = assign(goes_on, gast.UnaryOp(op=gast.Not(), operand=done), place)
            remaining = [opposite, branch(load(goes_on), remaining, [], place)]
            exits[0].test = load(left)
        else:
            exits = [at(gast.If(test=load(changed), body=[gast.Break()], orelse=[]), place)]
        statement.body = [*body, *exits]
        after = branch(load(changed), [assign(name, load(becomes), place), *remaining, *rest], clone(rest), place)
        return [*before, assign(changed, const(False), place), statement, after]

    def kept_bounds(self, statement: Any) -> tuple[Block, list[gast.expr]]:
        """Start, stop and step of a loop, with copies of those that change in the loop: a range does not."""
        place, bounds = place_of(statement), _full(statement.iter.args)
        before: Block = []
        stored = {written(each) for each in walk_statements([statement])}
        for k, bound in enumerate(bounds):
            if isinstance(bound, gast.Name) and bound.id in stored:
                kept = self.names.fresh(bound.id)
                before.append(assign(kept, load(bound.id), place))
                bounds[k] = load(kept)
        return before, bounds

    def continued(self, statement: gast.For, bounds: list[gast.expr], index: gast.expr) -> Block:
        """The loop from the iteration after that of this index on."""
        remaining, (_, stop, step) = clone(statement), bounds
        place, following = place_of(statement), _sum(index, step)
        before: Block = []
        if following is None:
            name = self.names.temporary()
            before, following = [assign(name, binary(clone(index), gast.Add, clone(step)), place)], load(name)
        remaining.iter.args = [following, clone(stop), clone(step)]
        return [*before, remaining]

    def is_entered(self, start: gast.expr, stop: gast.expr, step: gast.expr, place: Place | None) -> tuple[Any, Block]:
        """A test of whether a range has an element, with the statements that compute it; True if it is known to."""
        numbers = [_number(each) for each in (start, stop, step)]
        if None not in numbers and numbers[2] and range(*numbers):  # type: ignore[arg-type]
            return True, []
        test = self.names.temporary()
        if numbers[2]:
            order: gast.cmpop = gast.Lt() if numbers[2] > 0 else gast.Gt()
            return load(test), [assign(test, _compared(start, order, stop), place)]
        extent, product = self.names.temporary(), self.names.temporary()
        return load(test), [
            assign(extent, binary(clone(stop), gast.Sub, clone(start)), place),
            assign(product, binary(load(extent), gast.Mult, clone(step)), place),
            assign(test, _compared(load(product), gast.Gt(), const(0)), place),
        ]

    def iteration(self, statement: Any, remaining: Any) -> Block:
        """The first iteration of a loop, followed by what remains of the loop."""
        body: Block = clone(statement.body)
        if not is_exit(body[-1]):
            return [*body, remaining]
        left: Any = body.pop()
        goes_on, place = self.names.temporary(), place_of(statement)
        opposite = gast.UnaryOp(op=gast.Not(), operand=left.test)
        return [*body, assign(goes_on, opposite, place), branch(load(goes_on), [remaining], [], place)]

    def entered(
        self, before: Block, test: gast.expr, nothing: Block, body: Block, rest: Block, place: Place | None
    ) -> Block:
        """A loop that is entered, with what follows; `rest` is what follows if it is not, after `nothing`."""
        if not self.assumes:
            return [*before, branch(clone(test), body, [*nothing, *rest], place)]
        return [*before, at(gast.Expr(value=call("kernels.require_iteration", clone(test))), place), *body]


def _stores(block: Block, name: str, always: bool) -> bool:
    """Whether some path through a block, or each, stores a name outside of loops: in those, types stay as they are."""
    for statement in block:
        if written(statement) == name and not is_loop(statement):
            return True
        if isinstance(statement, gast.If) and not is_exit(statement):
            arms = [_stores(arm, name, always) for arm in (statement.body, statement.orelse)]
            if all(arms) or (any(arms) and not always):
                return True
    return False


def _innermost(statement: Any, name: str) -> Any:
    """The loop inside a loop that stores a name, if the outer one does not do so itself."""
    while is_loop(statement) and not _stores(statement.body, name, always=False):
        inside = [each for each in walk_statements(statement.body) if is_loop(each)]
        storing = [each for each in inside if _stores(each.body, name, always=False)]
        if not storing:
            break
        statement = storing[0]
    return statement


def _mark(block: Block, name: str, marks: Block) -> None:
    """Add statements at the end of each path through a block that stores a name."""
    for k, statement in enumerate(block):
        if _stores([statement], name, always=True):
            block += clone(marks)
            return
        if _stores([statement], name, always=False):
            choice: Any = statement
            rest = block[k + 1 :]
            del block[k + 1 :]
            for arm in (choice.body, choice.orelse):
                arm += clone(rest)
                _mark(arm, name, marks)
            return


def _path(block: Block, statement: gast.stmt) -> list[tuple[Block, int]]:
    """The blocks around a statement, outer ones first, with the places in them."""
    for k, each in enumerate(block):
        if each is statement:
            return [(block, k)]
        for inner in inner_blocks(each):
            found = _path(inner, statement)
            if found:
                return [(block, k), *found]
    return []


def _is_special(statement: gast.For) -> bool:
    notes = notes_of(statement)
    return notes.checkpointed or notes.parallel


def _end(block: Block) -> int:
    """Where the statements end that can be moved: before the exit of a loop and the return of the function."""
    return len(block) - (is_exit(block[-1]) or isinstance(block[-1], gast.Return))


def _compared(left: gast.expr, order: gast.cmpop, right: gast.expr) -> gast.Compare:
    return gast.Compare(left=clone(left), ops=[order], comparators=[clone(right)])


def _full(bounds: list[gast.expr]) -> list[gast.expr]:
    """Start, stop and step of a range."""
    bounds = [const(0), *bounds] if len(bounds) == 1 else [*bounds]
    return bounds if len(bounds) == 3 else [*bounds, const(1)]


def _number(node: gast.expr) -> int | None:
    """The value of an integer that is written out."""
    match node:
        case gast.Constant(value=int(value)):
            return value
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=int(value))):
            return -value
    return None


def _sum(one: gast.expr, other: gast.expr) -> gast.expr | None:
    """The sum of two integers that are written out."""
    first, second = _number(one), _number(other)
    return None if first is None or second is None else const(first + second)
