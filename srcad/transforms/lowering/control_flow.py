"""Control flow: branches and loops over statements with structures; the abstract states of paths are joined.

A loop with a known trip count is unrolled if its body needs that, to select a part of a structure or to extend a list.
If that would be too many operations, numbers that are selected are read from an array where that is all that it needs.
Otherwise the parts that change from one iteration to the next become loop-carried variables. The state at the start of
a loop is found as a fixed point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import gast

from srcad.errors import CompilerBug, SrcadError
from srcad.refusals.constructs import CHANGE_IN_CONDITION
from srcad.refusals.loops import RESIZED_IN_LOOP, WRITE_AHEAD_OF_LOOP
from srcad.refusals.names_and_functions import UNKNOWN_FORM
from srcad.transforms.ir.block_exits import completes
from srcad.transforms.ir.build import Block, assign, at, clone, const, is_exit, load, place_of, walk
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.ir.cost_model import (
    FIRST_LIST_ROOM,
    MOST_GUARDED_TURNS,
    MOST_LOOP_TRIALS,
    MOST_UNROLLED_OPERATIONS,
    MOST_UNROLLED_TURNS,
    MOST_UNROLLED_WHILE,
)
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.lowering.lists.record_arrays import RecordArrays
from srcad.transforms.lowering.structures.abstract_state import PLAIN, Chosen, Grown, Memory, Structure
from srcad.transforms.lowering.structures.consumed_iterators import is_changed, read_ahead
from srcad.transforms.lowering.structures.state_join import Copies, Joined, join
from srcad.transforms.lowering.structures.structure_expressions import NeedsConstant

# Nodes of an expression that become a statement of their own.
_OPERATIONS = (gast.BinOp, gast.UnaryOp, gast.Call, gast.Compare, gast.Subscript, gast.IfExp, gast.AugAssign)


class Paths(RecordArrays):
    """Lowers statements along each path, from the state at the point where the paths part."""

    def block(self, block: Block) -> Block:
        """The statements for a nested block."""
        raise NotImplementedError

    # Branches

    def branch(self, statement: gast.If) -> None:
        """A branch on an atom; only the arm that is taken, where that is known."""
        test = self.truth(statement.test)
        known = self.memory.constant(test)
        if known is not UNKNOWN:
            self.emit(*self.block(statement.body if known else statement.orelse))
            return
        place, start = self.place, self.memory.copy()
        body = self.block(statement.body)
        first = self.memory.copy()
        self.memory.become(start)
        orelse = self.block(statement.orelse)
        if not completes(body):
            pass
        elif not completes(orelse):
            self.memory.become(first)
        else:
            self.level(first, body, orelse)
            joined = join(first, self.memory, self.names.fresh)
            body += self.copies(joined.first)
            orelse += self.copies(joined.second)
            self.memory.become(joined.memory)
        if not body and orelse:
            name = self.names.temporary()
            self.emit(assign(name, gast.UnaryOp(op=gast.Not(), operand=test), place))
            test, body, orelse = load(name), orelse, []
        if body:
            self.emit(at(gast.If(test=test, body=body, orelse=orelse), place))

    def level(self, first: Memory, body: Block, orelse: Block) -> None:
        """Convert lists that grow on one path only into growing lists at the end of the other path too."""
        second, outer = self.memory, self.made
        for here, there, block in ((first, second, body), (second, first, orelse)):
            self.memory, self.made = here, []
            for cell, held in there.cells.items():
                other = here.cells.get(cell)
                differ = isinstance(held, dict) and isinstance(other, dict) and len(held) != len(other)
                if differ and cell.type is list and not self.memory.loops:
                    held = self.memory.lists.setdefault(cell, self.new_grown(None))
                if isinstance(held, Grown) and self.plain_list(Structure(cell)) is not None:
                    self.fill(held, list(here.cells[cell].values()), const(FIRST_LIST_ROOM))
                    here.cells[cell] = held
            block += self.made
        self.memory, self.made = second, outer

    def truth(self, test: gast.expr) -> gast.expr:
        """An atom that is true where the test is; for a structure, whether it is not empty."""
        part = self.part(test)
        return self.truth_of(part) if isinstance(part, Structure) else self.held_in_atom(part)

    def only_if(self, test: gast.expr, make: Callable[[], None]) -> None:
        """A branch around generated statements, which must not change structures."""
        test = self.truth(test)
        known = self.memory.constant(test)
        if known is not UNKNOWN:
            if known:
                make()
            return
        outer, self.made = self.made, []
        start = self.memory.copy()
        make()
        joined = join(start, self.memory, self.names.fresh)
        if any(joined.memory.cells[cell] != held for cell, held in start.cells.items()):
            self.refuse(CHANGE_IN_CONDITION)
        self.memory.become(joined.memory)
        body, self.made = self.made, outer
        if body:
            self.emit(at(gast.If(test=test, body=body, orelse=[]), self.place))

    def copies(self, pairs: Copies) -> Block:
        """Parallel assignment: all values are read before the first name is assigned."""
        result: Block = []
        targets = {name for name, _ in pairs}
        ready: Copies = []
        for name, value in pairs:
            self.memory.unite(name, value)
            if isinstance(value, gast.Name) and value.id in targets and value.id != name:
                held = self.names.temporary()
                result.append(assign(held, value, self.place))
                value = load(held)
            ready.append((name, value))
        return result + [assign(name, value, self.place) for name, value in ready if getattr(value, "id", None) != name]

    # Loops

    def loop(self, statement: gast.For) -> None:
        """A loop over `range`: rolled, or unrolled if necessary."""
        turns, guarded = self.turns(statement), False
        if turns is not None and len(turns) == 1 and self.is_plain(statement):
            self.unrolled(statement, list(turns))
            return
        if turns is None:
            turns, guarded = self.most_turns(statement), True
        if turns is None:
            self.rolled(statement)
            return
        if self.stays_a_loop(statement):
            return
        if self.is_large(statement, len(turns)):
            self.memory.tabled.append(statement)
            try:
                if self.stays_a_loop(statement):
                    return
            finally:
                self.memory.tabled.pop()
        if guarded:
            self.guarded_turns(statement, list(turns))
        else:
            self.unrolled(statement, list(turns))

    def stays_a_loop(self, statement: gast.For) -> bool:
        """Lower a loop as a loop; False, with nothing done, where its body needs the index as a constant."""
        start, outer, made, place = self.memory.copy(), self.made, len(self.made), self.place
        self.memory.loops.append(statement)
        try:
            self.rolled(clone(statement), _give_up)
            return True
        except NeedsConstant:
            pass
        finally:
            self.memory.loops.pop()
        self.made, self.place = outer, place
        del self.made[made:]
        self.memory.become(start)
        return False

    def is_large(self, statement: gast.For, turns: int) -> bool:
        """Whether a loop would be too many operations once it is unrolled, in all iterations of unrolled loops around.

        What is inlined into it is not part of the estimate: a helper has a bound of its own, over all calls.
        """
        each = sum(isinstance(node, _OPERATIONS) for inner in statement.body for node in walk(inner))
        return each * math.prod(self.memory.repeats, start=turns) > MOST_UNROLLED_OPERATIONS

    def is_plain(self, statement: gast.For) -> bool:
        """Whether a loop is neither shared by threads nor checkpointed."""
        notes = notes_of(statement)
        return not notes.parallel and not notes.checkpointed

    def most_turns(self, statement: gast.For) -> range | None:
        """The most values that the index of a loop to a minimum can have, such as `min(len(x), 3)`; few of them."""
        match statement.iter.args:
            case [gast.Name(id=name)] if name in self.memory.most and self.memory.most[name] <= MOST_GUARDED_TURNS:
                return range(self.memory.most[name])
        return None

    def guarded_turns(self, statement: gast.For, turns: list[int]) -> None:
        """The body for each value of the index, as far as the loop gets: each turn after the first ends in a test."""
        stop, place = self.kept(statement.iter.args[0]), place_of(statement)  # which the body may assign to
        leave = statement.body.pop() if is_exit(statement.body[-1]) else None
        following = gast.BinOp(left=load(statement.target.id), op=gast.Add(), right=const(1))
        test: gast.expr = gast.Compare(left=following, ops=[gast.GtE()], comparators=[clone(stop)])
        if leave is not None:
            test = gast.BoolOp(op=gast.Or(), values=[leave.test, test])
        done = self.names.temporary()
        ends = at(gast.If(test=load(done), body=[at(gast.Break(), place)], orelse=[]), place)
        statement.body = [*statement.body, assign(done, test, place), ends]
        begins = gast.Compare(left=const(0), ops=[gast.Lt()], comparators=[clone(stop)])
        marker = at(gast.Expr(value=Turns(statement, turns)), place)
        self.branch(at(gast.If(test=begins, body=[marker], orelse=[]), place))

    def while_loop(self, statement: gast.While) -> None:
        """A `while` loop; where that is refused, its body again and again while its test is known to be true."""
        start, outer, made, place = self.memory.copy(), self.made, len(self.made), self.place
        if self.memory.constant(statement.test) is UNKNOWN:
            self.rolled(statement)
            return
        try:
            self.rolled(clone(statement))
            return
        except (SrcadError, NeedsConstant) as refused:
            problem = refused
        self.made, self.place = outer, place
        del self.made[made:]
        self.memory.become(start)
        self.unrolled_while(statement, problem, 0)

    def unrolled_while(self, statement: gast.While, problem: Exception, depth: int) -> None:
        """The body of a `while` loop as often as its test is known to be true.

        After an iteration that may have left the loop, the rest is in a branch. Raises the problem that kept it from
        being a loop if its end is not found.
        """
        place = self.place
        for _ in range(MOST_UNROLLED_WHILE):
            known = self.memory.constant(statement.test)
            if known is UNKNOWN and depth < MOST_GUARDED_TURNS:
                marker = at(gast.Expr(value=WhileTurns(statement, problem, depth + 1)), place)
                self.branch(at(gast.If(test=clone(statement.test), body=[marker], orelse=[]), place))
                return
            if known is UNKNOWN:
                break
            if not known:
                return
            self.emit(*self.block(clone(statement.body)))
            self.place = place
        raise problem

    def turns(self, statement: gast.For) -> range | None:
        """The values of the loop's index, if they are known and not too many."""
        bounds = [self.memory.constant(each) for each in statement.iter.args]
        if not all(type(each) is int for each in bounds) or (len(bounds) == 3 and bounds[2] == 0):
            return None
        found = range(*bounds)
        return found if len(found) <= MOST_UNROLLED_TURNS else None

    def unrolled(self, statement: gast.For, turns: list[int]) -> None:
        """The body once for each iteration; after a possible exit, the remaining iterations are in a branch."""
        self.memory.repeats.append(len(turns))
        try:
            self.each_turn(statement, turns)
        finally:
            self.memory.repeats.pop()

    def each_turn(self, statement: gast.For, turns: list[int]) -> None:
        """The iterations of a loop that is unrolled, one after the other."""
        place, held, ahead = place_of(statement), self.looped_over(statement), read_ahead(statement, self.memory)
        for position, turn in enumerate(turns):
            body = clone(statement.body)
            leave = body.pop() if is_exit(body[-1]) else None
            self.let(statement.target.id, const(turn))
            self.emit(*self.block(body))
            self.place = place
            if self.looped_over(statement).items() ^ held.items():
                self.refuse_change()
            if is_changed(ahead, self.memory, position + 1):
                self.refuse_ahead()
            rest = turns[position + 1 :]
            if leave is not None and rest:
                go_on = gast.UnaryOp(op=gast.Not(), operand=leave.test)
                marker = at(gast.Expr(value=Turns(statement, rest)), place)
                self.branch(at(gast.If(test=go_on, body=[marker], orelse=[]), place))
                return

    def looped_over(self, statement: gast.For) -> dict[Any, int]:
        """The lists and dictionaries that a loop visits, with their lengths; a negative length is unknown."""
        parts = [self.memory.names.get(name) for name in notes_of(statement).looped_over]
        views = self.memory.views
        found = [views.get(each.cell, (each,))[0].cell for each in parts if isinstance(each, Structure)]
        cells = [cell for cell in found if not issubclass(cell.type, tuple)]
        contents = {cell: self.memory.cells[cell] for cell in cells}
        return {cell: len(known) if isinstance(known, dict) else -1 for cell, known in contents.items()}

    def refuse_ahead(self) -> NoReturn:
        """Refuse writes to elements that the loop has not reached yet."""
        self.refuse(WRITE_AHEAD_OF_LOOP)

    def rolled(self, statement: gast.For | gast.While, give_up: Callable[[], None] | None = None) -> None:
        """The loop with its body lowered once, from the state at the start of every iteration (a fixed point)."""
        self.forget(statement)
        grows = self.begin_growth(statement, inner=give_up is not None)
        start, made, own = self.memory.copy(), len(self.made), set[Any]()
        before, ahead = Block(), read_ahead(statement, self.memory)
        for _ in range(MOST_LOOP_TRIALS):
            self.memory.become(start)
            self.memory.growth.update(dict.fromkeys(grows, 0))
            resized, forms = dict(self.memory.resized), set(self.memory.forms)
            self.memory.nest.append(statement)
            try:
                body = self.block(clone(statement.body))
            finally:
                self.memory.nest.pop()
            self.refuse_resized(statement, resized)
            if is_changed(ahead, self.memory, 0):
                self.refuse_ahead() if give_up is None else give_up()
            if any(self.memory.forms.get(each) and each not in forms for each in grows):  # it may have been read before
                del self.made[made:]
                continue
            joined = join(start, self.memory, self.names.fresh, own)
            lists = [each for each in joined.lengths if give_up is None or isinstance(self.memory.cells[each], Grown)]
            self.memory.become(start)
            if self.grow_all(lists, statement, grows):
                start = self.memory.copy()
                del self.made[made:]
                continue
            if joined.lost is not None and give_up is not None:
                give_up()
            if not joined.changed:
                self.memory.become(joined.memory)
                before += self.finish_growth(statement, body, grows) if grows else []
                self.finish_loop(statement, body, joined, before)
                return
            before += self.copies(joined.first)
            del self.made[made:]
            start, own = _head(start, joined), joined.own
        self.refuse_unsettled(start)

    def refuse_unsettled(self, start: Memory) -> NoReturn:
        """Refuse a function that is another one in each iteration."""
        for name, held in start.names.items():
            if isinstance(held, Structure) and held.cell.type is Chosen:
                self.refuse(UNKNOWN_FORM, name=name, forms="a function that each iteration of a loop defines anew")
        raise CompilerBug("the parts of a structure that a loop carries do not settle", at=self.place)

    def refuse_resized(self, statement: gast.For | gast.While, before: dict[Grown, int]) -> None:
        """Refuse a list that changes its length while a loop visits it."""
        for cell in self.looped_over(statement):
            held = self.memory.cells[cell]
            if isinstance(held, Grown) and self.memory.resized.get(held, 0) != before.get(held, 0):
                self.refuse_change()

    def refuse_change(self) -> NoReturn:
        """Refuse a change of length while looping."""
        self.refuse(RESIZED_IN_LOOP)

    def forget(self, statement: gast.For | gast.While) -> None:
        """Forget constants that the body assigns: they are not known at the start of an iteration."""
        for node in walk(statement):
            if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
                self.memory.forget(node.id)
        self.memory.opaque |= _may_become_containers(statement, self.memory)
        if isinstance(statement, gast.For):
            self.memory.names[statement.target.id] = PLAIN
            self.memory.measure(statement.target.id, () if self.memory.extents else None)

    def finish_loop(self, statement: gast.For | gast.While, body: Block, joined: Joined, before: Block) -> None:
        """The loop, with the loop-carried variables assigned before it and at the end of its body."""
        copied = self.copies(joined.second)
        last = body.pop() if body and (copied and (is_exit(body[-1]) or isinstance(statement, gast.While))) else None
        if last is not None:
            targets = {name for name, _ in joined.second}
            for node in walk(last):
                if isinstance(node, gast.Name) and node.id in targets:
                    held = self.names.temporary()
                    body.append(assign(held, load(node.id), self.place))
                    node.id = held
        statement.body = [*body, *copied, *([last] if last is not None else [])] or [at(gast.Pass(), self.place)]
        self.memory.become(joined.memory)
        self.emit(*before, statement)  # loop-carried variables are not known to be constant


class Turns(gast.expr):  # type: ignore[misc]  # gast carries no annotations
    """Stands for the remaining iterations of an unrolled loop, inside a branch."""

    def __init__(self, rest: gast.For, turns: list[int]) -> None:
        super().__init__()
        self.rest, self.turns = rest, turns


class WhileTurns(gast.expr):  # type: ignore[misc]  # gast carries no annotations
    """Stands for the remaining iterations of an unrolled `while` loop, inside a branch."""

    def __init__(self, rest: gast.While, problem: Exception, depth: int) -> None:
        super().__init__()
        self.rest, self.problem, self.depth = rest, problem, depth


def _give_up() -> None:
    raise NeedsConstant


def _head(start: Memory, joined: Joined) -> Memory:
    """The state at the start of an iteration: facts that hold both before the loop and at the end of the body."""
    found = joined.memory.copy()
    found.names = {name: value for name, value in found.names.items() if name in start.names}
    return found


def _may_become_containers(loop: gast.For | gast.While, memory: Memory) -> set[str]:
    """The variables that may hold a tuple or a list at the start of an iteration, by what the body assigns."""
    given: list[tuple[str, gast.expr | None]] = []
    for node in walk(loop):
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                given.append((name, value))
            case gast.AugAssign(target=gast.Name(id=name), op=op, value=value):
                given.append((name, gast.BinOp(left=load(name), op=op, right=value)))
            case gast.Assign(targets=targets):
                stored = [each for target in targets for each in walk(target) if isinstance(each, gast.Name)]
                given += [(each.id, None) for each in stored if isinstance(each.ctx, gast.Store)]
    found = set[str]()
    trial = Memory(opaque=set(memory.opaque), rebound=memory.rebound)
    while new := {name for name, value in given if value is None or trial.may_be_container(value)} - found:
        found |= new
        trial.opaque |= new
    return found
