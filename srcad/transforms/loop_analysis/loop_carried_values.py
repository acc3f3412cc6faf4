"""Loop-carried values: whether a scalar that an iteration reads from the previous one is a sum, or unchanged.

    e = e + v[i]                    e       sum     read by nothing but the summing
    s_3_bar = s_bar
    s_bar = 0.0
    if v[i] > 0.0:                  s_bar   same    an iteration leaves what it found
        s_bar += s_3_bar
    else:
        s_bar += s_3_bar

An abstract interpretation of one iteration: the value of each name in terms of the value at the iteration's start.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

import gast

from srcad.transforms.analysis.dataflow import Forward
from srcad.transforms.analysis.liveness import carried_names
from srcad.transforms.ir.build import Block, assign, clone, const, load, names_in, rewrite, subscript, walk
from srcad.transforms.ir.side_effects import all_written, reads

START, ZERO, OTHER = "what it was", "zero", "something else"
REST, MIXED = "the rest", "one or another"
State: TypeAlias = dict[str, str]


def carried(loop: gast.For, arrays: Collection[str], scratch: Collection[str] = ()) -> dict[str, str] | None:
    """The loop-carried names as name -> "sum" or "same"; None if some name is neither.

    `arrays` are names for which `+=` adds to memory. Names in `scratch` are ignored.
    """
    body = plain(loop.body, arrays)
    found: dict[str, str] = {}
    for name in sorted(carried_names(body) - set(scratch)):
        how = passed_on(body, name)
        if how is None:
            return None
        found[name] = how
    return found


def passed_on(body: Block, name: str) -> str | None:
    """How an iteration changes a name's value from the previous one: "sum", "same", or None for anything else."""
    if _same(_Exactly().solve(body, {name: START}).end, name, START):
        return "same"
    return "sum" if is_sum(body, name) else None


def is_sum(body: Block, name: str) -> bool:
    """Whether an iteration only copies a name and adds to it, and reads it for nothing else."""
    return are_sums(body, [name])


def are_sums(body: Block, names: Collection[str]) -> bool:
    """Whether iterations only copy these names and add to them, each to itself, and read them for nothing else.

    In `a = a + b; b = b + v[i]` the next iteration finds in `a` what `b` was in this one: `b` is not only summed.
    """
    try:
        end = _AsSum().solve(body, {name: name for name in names}).end
    except _Refused:
        return False
    if end is None or any(end.get(name) != name for name in names):
        return False
    others = end.keys() - set(names)
    return not others or others.isdisjoint(carried_names(body))


def _same(end: State | None, name: str, held: str) -> bool:
    return end is not None and end.get(name) == held


def plain(block: Block, arrays: Collection[str]) -> Block:
    """A copy with `x += y` as `x = x + y` for scalars and as `x[...] += y` for arrays."""
    return rewrite([clone(each) for each in block], lambda statement: [_plain(statement, arrays)])


def _plain(statement: gast.stmt, arrays: Collection[str]) -> gast.stmt:
    match statement:
        case gast.AugAssign(target=gast.Name(id=name)) if name in arrays:
            statement.target = subscript(load(name), const(...), store=True)
        case gast.AugAssign(target=gast.Name(id=name), op=op, value=value):
            return assign(name, gast.BinOp(left=load(name), op=op, right=value))
    return statement


class _Refused(Exception):
    """Raised where a sum is read by something else."""


class _Values(Forward[State]):
    """The values of names in terms of those at the start of the iteration.

    rest        the value of names that a state does not have: most, so that states are small
    either      the value of a name that has different values on two paths
    """

    rest: str
    either: str

    @abstractmethod
    def value(self, node: gast.expr, state: State) -> str:
        """The abstract value of an expression."""

    def join(self, one: State, other: State) -> State:
        names = {name: one.get(name, self.rest) for name in {*one, *other}}
        held = {name: held if held == other.get(name, self.rest) else self.either for name, held in names.items()}
        return {name: each for name, each in held.items() if each != self.rest}

    def transfer(self, statement: gast.stmt, state: State) -> State:
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                held = self.value(value, state)
                return self.without(state, [name]) if held == self.rest else {**state, name: held}
            case gast.For():
                return state
        return self.without(state, all_written(statement))

    def bind(self, loop: gast.For, state: State) -> State:
        return self.without(state, [loop.target.id])

    def without(self, state: State, names: Iterable[str]) -> State:
        """The state after these names got other values."""
        gone = [name for name in names if name in state]
        return {name: held for name, held in state.items() if name not in gone} if gone else state


class _Exactly(_Values):
    """Whether a value is the initial one, or zero."""

    rest = either = OTHER

    def value(self, node: gast.expr, state: State) -> str:
        match node:
            case gast.Name(id=name):
                return state.get(name, OTHER)
            case gast.Constant(value=float() as number) if number == 0.0:
                return ZERO
            case gast.BinOp(left=left, op=gast.Add() | gast.Sub() as op, right=right):
                held = self.value(left, state), self.value(right, state)
                if held == (START, ZERO) or (held == (ZERO, START) and isinstance(op, gast.Add)):
                    return START
                return ZERO if held == (ZERO, ZERO) else OTHER
        return OTHER


class _AsSum(_Values):
    """Of which initial value a name has the sum with something else; raises for any other use of such a value."""

    rest, either = REST, MIXED

    def transfer(self, statement: gast.stmt, state: State) -> State:
        is_name = isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name)
        if not is_name and any(name in state for name in _read(statement)):
            raise _Refused
        return super().transfer(statement, state)

    def value(self, node: gast.expr, state: State) -> str:
        match node:
            case gast.Name(id=name):
                held = state.get(name, REST)
            case gast.BinOp(left=left, op=gast.Add(), right=gast.Name(id=name)) if name in state:
                held = _only_rest(left, state, state[name])
            case gast.BinOp(left=left, op=gast.Add() | gast.Sub(), right=right):
                held = _only_rest(right, state, self.value(left, state))
            case _:
                held = _only_rest(node, state, REST)
        if held == MIXED:
            raise _Refused
        return held


def _only_rest(value: gast.expr, state: State, held: str) -> str:
    if any(name in state for name in names_in(value)):
        raise _Refused
    return held


def _read(statement: gast.stmt) -> Iterator[str]:
    yield from reads(statement)
    if isinstance(statement, gast.AugAssign):
        yield from (node.id for node in walk(statement.target) if isinstance(node, gast.Name))
