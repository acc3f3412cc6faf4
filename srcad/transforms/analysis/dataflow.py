"""Dataflow analysis: one engine for facts about structured code, and two fixed points for facts about a whole function.

An analysis says what a *state* is (what is known at a point of the code), how a statement changes it (`transfer`), and
what is known where two paths meet (`join`). The engine follows all paths and records the state before and after each
statement. At a loop it repeats the body until the state at the loop's head no longer changes; this ends
where states can only be widened finitely often.

    class Liveness(Backward[frozenset[str]]):           names whose values may be read later
        bottom = frozenset()

        def join(self, one, other):
            return one | other

        def transfer(self, statement, after):
            return {*reads(statement)} | (after - {written(statement)})

Code is a tree of blocks, so no control flow graph is built (syntax-directed dataflow analysis). When the body of an
outer loop is repeated, its inner loops start from the states that they ended with, so nesting costs little.

`closure` and `fixed_point` serve analyses whose facts do not depend on the place in the code: what can be reached in a
graph, and what a step no longer changes.

Literature: Gary Kildall, A unified approach to global program optimization, POPL 1973. Aho, Lam, Sethi and Ullman,
Compilers, 2006, chapter 9. Steven Muchnick, Advanced compiler design and implementation, 1997, section 8.6.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

import gast

from srcad.transforms.ir.build import Block

S = TypeVar("S")
T = TypeVar("T", bound=Hashable)
Loop: TypeAlias = gast.For | gast.While


@dataclass(frozen=True)
class Solution(Generic[S]):
    """The states of a block and of the statements in it, nested ones included.

    start       the state at the start of the block
    end         the state at its end; None where no path gets there
    before      the state before each statement; statements that no path reaches are missing
    after       the state after each statement; those that no path leaves are missing
    heads       the state at the head of each loop: where the next index is taken, or the test is evaluated
    """

    start: S
    end: S | None
    before: dict[gast.stmt, S] = field(repr=False)
    after: dict[gast.stmt, S] = field(repr=False)
    heads: dict[gast.stmt, S] = field(repr=False)


class Problem(ABC, Generic[S]):
    """What an analysis has to say, in either direction. States are not changed in place."""

    @abstractmethod
    def join(self, one: S, other: S) -> S:
        """The state where two paths meet: the least that holds on both."""

    @abstractmethod
    def transfer(self, statement: gast.stmt, state: S) -> S:
        """The state on the other side of a simple statement, or of the test or range of a compound one."""

    def bind(self, loop: gast.For, state: S) -> S:
        """The state on the other side of the start of an iteration, where the loop's index gets its value."""
        return state


class Forward(Problem[S]):
    """An analysis that follows the paths in the order of execution."""

    def arm(self, statement: gast.If | gast.While, holds: bool, state: S) -> S:
        """The state after the test of a statement, where it holds or does not."""
        return state

    def leave(self, block: Block, state: S) -> S:
        """The state where control leaves an inner block, at its end or early."""
        return state

    def solve(self, block: Block, start: S) -> Solution[S]:
        """The states of a block, given the one at its start; a `break` out of the block leads to its end."""
        solver = _ForwardSolver(self)
        end = solver.block(block, start)
        for state in solver.exits[0].values():
            end = solver.joined(end, state)
        return Solution(start, end, solver.before, solver.after, solver.heads)


class Backward(Problem[S]):
    """An analysis that follows the paths against the order of execution.

    bottom      the state where the function ends
    """

    bottom: S

    def solve(self, block: Block, end: S) -> Solution[S]:
        """The states of a block, given the one at its end, to which a `break` out of the block leads as well."""
        solver = _BackwardSolver(self, end)
        start = solver.block(block, end)
        return Solution(start, end, solver.before, solver.after, solver.heads)


class _ForwardSolver(Generic[S]):
    def __init__(self, problem: Forward[S]) -> None:
        self.problem = problem
        self.before: dict[gast.stmt, S] = {}
        self.after: dict[gast.stmt, S] = {}
        self.heads: dict[gast.stmt, S] = {}
        self.exits: list[dict[type, S]] = [{}]  # of each loop around, the states at its `break` and `continue`

    def block(self, block: Block, state: S | None) -> S | None:
        for statement in block:
            if state is None:
                break
            self.before[statement] = state
            state = self.statement(statement, state)
            if state is not None:
                self.after[statement] = state
        return state

    def inner(self, block: Block, state: S) -> S | None:
        end = self.block(block, state)
        return None if end is None else self.problem.leave(block, end)

    def statement(self, statement: gast.stmt, state: S) -> S | None:
        if isinstance(statement, (gast.For, gast.While)):
            return self.loop(statement, state)
        if isinstance(statement, (gast.Break, gast.Continue)):
            exits, kind = self.exits[-1], type(statement)
            exits[kind] = self.problem.join(exits[kind], state) if kind in exits else state
            return None
        state = self.problem.transfer(statement, state)
        if isinstance(statement, gast.If):
            arms = ((statement.body, True), (statement.orelse, False))
            ends = [self.inner(block, self.problem.arm(statement, holds, state)) for block, holds in arms]
            return self.joined(*ends)
        return None if isinstance(statement, (gast.Return, gast.Raise)) else state

    def loop(self, loop: Loop, state: S) -> S | None:
        problem, is_for = self.problem, isinstance(loop, gast.For)
        head = problem.transfer(loop, state) if is_for else state
        if loop in self.heads:
            head = problem.join(self.heads[loop], head)
        while True:
            self.heads[loop] = head
            tested = head if is_for else problem.transfer(loop, head)
            self.exits.append({})
            start = problem.bind(loop, head) if is_for else problem.arm(loop, True, tested)
            end = self.joined(self.block(loop.body, start), self.exits[-1].get(gast.Continue))
            broken = self.exits.pop().get(gast.Break)
            wider = head if end is None else problem.join(head, problem.leave(loop.body, end))
            if wider == head:
                left = head if is_for else problem.arm(loop, False, tested)
                return left if broken is None else problem.join(left, problem.leave(loop.body, broken))
            head = wider

    def joined(self, one: S | None, other: S | None) -> S | None:
        if one is None or other is None:
            return other if one is None else one
        return self.problem.join(one, other)


class _BackwardSolver(Generic[S]):
    def __init__(self, problem: Backward[S], end: S) -> None:
        self.problem = problem
        self.before: dict[gast.stmt, S] = {}
        self.after: dict[gast.stmt, S] = {}
        self.heads: dict[gast.stmt, S] = {}
        self.exits = [(end, end)]  # of each loop around, the states after its `break` and `continue`

    def block(self, block: Block, state: S) -> S:
        for statement in reversed(block):
            self.after[statement] = state
            state = self.statement(statement, state)
            self.before[statement] = state
        return state

    def statement(self, statement: gast.stmt, after: S) -> S:
        if isinstance(statement, (gast.For, gast.While)):
            return self.loop(statement, after)
        if isinstance(statement, (gast.Break, gast.Continue)):
            return self.exits[-1][isinstance(statement, gast.Continue)]
        if isinstance(statement, gast.If):
            after = self.problem.join(self.block(statement.body, after), self.block(statement.orelse, after))
        elif isinstance(statement, (gast.Return, gast.Raise)):
            after = self.problem.bottom
        return self.problem.transfer(statement, after)

    def loop(self, loop: Loop, after: S) -> S:
        problem, is_for = self.problem, isinstance(loop, gast.For)
        head = after if is_for else problem.transfer(loop, after)
        if loop in self.heads:
            head = problem.join(self.heads[loop], head)
        while True:
            self.exits.append((after, head))
            start = self.block(loop.body, head)
            self.exits.pop()
            start = problem.bind(loop, start) if is_for else problem.transfer(loop, problem.join(after, start))
            wider = problem.join(head, start)
            if wider == head:
                self.heads[loop] = head
                return problem.transfer(loop, head) if is_for else head
            head = wider


def closure(start: Iterable[T], edges: Callable[[T], Iterable[T]]) -> dict[T, None]:
    """All that can be reached from `start` along `edges`, in the order in which it is found.

    >>> list(closure([1], lambda number: {1: [2, 3], 3: [1]}.get(number, [])))
    [1, 2, 3]
    """
    found = dict.fromkeys(start)
    pending = list(found)
    for each in pending:
        for other in edges(each):
            if other not in found:
                found[other] = None
                pending.append(other)
    return found


def fixed_point(step: Callable[[S], S], start: S) -> S:
    """What repeated steps end with: the first value that a step leaves as it is.

    >>> sorted(fixed_point(lambda known: known | {n // 2 for n in known}, {20}))
    [0, 1, 2, 5, 10, 20]
    """
    while True:
        after = step(start)
        if after == start:
            return after
        start = after
