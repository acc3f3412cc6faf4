"""Reversible steps: the two directions of a loop whose step has an inverse, and what its reverse sweep may rely on.

    t = kernels.undoing(0.0)
    if t:
        x_3 = x_2 - 0.1 * v_2           undo: the statements of this arm
    else:
        x_3 = x_2 + 0.1 * v_2           do: those of the other one
    x_2 = x_3

What the inverse does not recover is not known when an iteration is reversed. So the loop may only sum it up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import gast
from numba import types as nb

from srcad.refusals.loops import REVERSIBLE_UNRECOVERED
from srcad.runtime import kernels
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.checkpointing.loop_state import State
from srcad.transforms.ir.build import (
    Block,
    clone,
    inner_blocks,
    is_exit,
    names_in,
    place_of,
    stores_into,
    walk_statements,
    written,
)
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.side_effects import reads


def in_direction(loop: gast.For, undoes: bool, bindings: dict[str, object]) -> gast.For:
    """A copy of the loop that does, or undoes, its iterations; the latter is not left early."""
    made = clone(loop)
    made.body = _taken(made.body, undoes, bindings, set())
    if undoes and made.body and is_exit(made.body[-1]):
        made.body = made.body[:-1]
    return made


def _taken(block: Block, undoes: bool, bindings: dict[str, object], marks: set[str]) -> Block:
    result: Block = []
    for statement in block:
        value = getattr(statement, "value", None)
        if isinstance(value, gast.Call) and primitive_of(value, bindings) is kernels.undoing:
            marks.add(str(written(statement)))
        elif isinstance(statement, gast.If) and getattr(statement.test, "id", None) in marks:
            result += _taken(statement.body if undoes else statement.orelse, undoes, bindings, marks)
        else:
            for inner in inner_blocks(statement):
                inner[:] = _taken(inner, undoes, bindings, marks) or [gast.Pass()]
            result.append(statement)
    return result


def recovered(program: Program, state: State, done: gast.For, undone: gast.For) -> tuple[str, ...]:
    """The names of the state that the inverse recovers; refuses loops that need other names as they were."""
    return _Recovery(program, state, done, undone).names()


class _Recovery:
    def __init__(self, program: Program, state: State, done: gast.For, undone: gast.For) -> None:
        self.program, self.state, self.done, self.undone = program, state, done, undone
        self.copies = {
            str(written(each)): each.value.id
            for each in undone.body
            if written(each) not in {None, *state.carried} and isinstance(getattr(each, "value", None), gast.Name)
        }
        self.restored = tuple(
            name
            for name in (*state.works, *state.carried)
            if (self.is_restored(name) if name in state.carried else self.is_rewritten(name))
        )
        self.lost = {*state.works, *state.carried} - {*self.restored} - state.sinks

    def names(self) -> tuple[str, ...]:
        self.check_undone()
        self.check_done(self.done.body, {name: name for name in self.lost})
        return self.restored

    def is_restored(self, name: str) -> bool:
        """Whether the inverse gives a loop-carried name another value than it has."""
        value = self.state.ends[name]
        if not isinstance(value, gast.Name):
            return not self.is_condition(name)
        found = value.id
        while found in self.copies:
            found = self.copies[found]
        return found != name and not self.is_condition(name)

    def is_condition(self, name: str) -> bool:
        """Whether a name is a flag or a test that the body computes in both directions."""
        return isinstance(self.program.types.of.get(name), nb.Boolean)

    def is_rewritten(self, name: str) -> bool:
        """Whether the inverse writes into an array."""
        mine = self.reached(name)
        targets = (stores_into(each) for each in walk_statements(self.undone.body))
        return any(self.reached(target.value.id) & mine for target in targets if target is not None)

    def reached(self, name: str) -> frozenset[str]:
        return self.program.aliases.of.get(name, frozenset([name]))

    def check_undone(self) -> None:
        """Refuse an inverse that reads what it does not recover."""
        needed: set[str] = set()
        for name in self.restored:
            needed |= {name, *names_in(self.state.ends[name])} if name in self.state.carried else self.reached(name)
        for statement in reversed(self.undone.body):
            inside = [*walk_statements([statement])]
            if written(statement) in self.state.carried or not any(self.changes(each, needed) for each in inside):
                continue
            needed |= {name for each in inside for name in reads(each)}
        for name in sorted(self.lost & needed):
            self.refuse(name, self.undone)

    def changes(self, statement: gast.stmt, needed: set[str]) -> bool:
        """Whether a statement gives one of these names another value, or writes into its array."""
        target = stores_into(statement)
        roots = {root for name in needed for root in self.reached(name)}
        return written(statement) in needed or (target is not None and bool(self.reached(target.value.id) & roots))

    def check_done(self, block: Block, lost: dict[str, str]) -> None:
        """Refuse statements whose derivatives need values that depend on what is not recovered.

        `lost` has such values, each with the name of the state that it comes from.
        """
        for statement in block:
            root = next((lost[name] for name in self.read_by(statement) if name in lost), None)
            if is_exit(statement) or root is None:
                for inner in inner_blocks(statement) if not is_exit(statement) else ():
                    self.check_done(inner, lost)
            elif isinstance(statement, gast.If) and (chosen := self.inactive_in(statement)):
                lost |= dict.fromkeys(chosen, root)
            elif (name := written(statement)) is not None and not inner_blocks(statement):
                if not (self.is_sum(statement.value) or self.is_inactive(name)) or name in self.restored:
                    self.refuse(root, statement)
                lost[name] = root
            elif not self.is_kept(statement, lost):
                self.refuse(root, statement)
        for name in self.restored:
            if block is self.done.body and name in self.state.ends and lost.keys() & {*names_in(self.state.ends[name])}:
                self.refuse(name, self.done)

    def read_by(self, statement: gast.stmt) -> Iterable[str]:
        """What a statement reads, without the blocks inside."""
        if isinstance(statement, (gast.If, gast.While)):
            return names_in(statement.test)
        return names_in(statement.iter) if isinstance(statement, gast.For) else reads(statement)

    def is_sum(self, value: gast.expr) -> bool:
        """Whether an expression is linear in all that it reads: a copy, a sum or a difference."""
        return isinstance(value, gast.Name) or (
            isinstance(value, gast.BinOp) and isinstance(value.op, (gast.Add, gast.Sub))
        )

    def is_inactive(self, name: str) -> bool:
        """Whether a value has no derivative."""
        return isinstance(self.program.types.of.get(name), (nb.Integer, nb.Boolean))

    def inactive_in(self, branch: gast.If) -> list[str]:
        """The names that a branch assigns, if no derivative leaves it through them, and it does nothing else."""
        inside = [*walk_statements([branch])]
        names = [written(each) or "" for each in inside if not isinstance(each, (gast.If, gast.Pass))]
        numbers = {name for name in names if not self.is_inactive(name)}
        outside = (each for each in walk_statements(self.done.body) if not any(each is other for other in inside))
        read = {name for each in outside for name in reads(each)}
        return [] if "" in names or numbers & (read | {*self.state.names}) else names

    def is_kept(self, statement: gast.stmt, lost: Mapping[str, str]) -> bool:
        """Whether a statement only stores such a value into an array that the loop does not read."""
        target = stores_into(statement)
        if target is None or not isinstance(statement, (gast.Assign, gast.AugAssign)):
            return False
        is_sink = bool(
            self.reached(target.value.id) & {root for name in self.state.sinks for root in self.reached(name)}
        )
        is_linear = isinstance(statement, gast.Assign) or isinstance(statement.op, (gast.Add, gast.Sub))
        return is_sink and is_linear and not lost.keys() & {*names_in(target.slice)}

    def refuse(self, name: str, statement: gast.stmt) -> None:
        raise REVERSIBLE_UNRECOVERED.at(place_of(statement) or place_of(self.done), name=re.sub(r"_\d+$", "", name))
