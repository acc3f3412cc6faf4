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

from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

import gast

from srcad.transforms.analysis.liveness import live_before
from srcad.transforms.ir.build import Block, clone, const, inner_blocks, load, names_in, subscript
from srcad.transforms.ir.side_effects import all_written, reads, stored_in

START, ZERO, OTHER = "what it was", "zero", "something else"
SUM, REST, MIXED = "what it was and more", "the rest", "either"
State: TypeAlias = dict[str, str]
Meaning: TypeAlias = Callable[[gast.expr, State], str]


def carried(loop: gast.For, arrays: Collection[str], scratch: Collection[str] = ()) -> dict[str, str] | None:
    """The loop-carried names as name -> "sum" or "same"; None if some name is neither.

    `arrays` are names for which `+=` adds to memory. Names in `scratch` are ignored.
    """
    body = plain(loop.body, arrays)
    stored = stored_in(body)
    found: dict[str, str] = {}
    for name in sorted((stored - set(scratch)) & live_before(body, frozenset())):
        how = passed_on(body, name)
        if how is None:
            return None
        found[name] = how
    return found


def passed_on(body: Block, name: str) -> str | None:
    """How an iteration changes a name's value from the previous one: "sum", "same", or None for anything else."""
    if _after(body, {name: START}, _exactly).get(name, OTHER) == START:
        return "same"
    return "sum" if _is_sum(body, name) else None


def plain(block: Block, arrays: Collection[str]) -> Block:
    """A copy with `x += y` as `x = x + y` for scalars and as `x[...] += y` for arrays."""
    copied: Block = [clone(each) for each in block]
    _make_plain(copied, arrays)
    return copied


def _make_plain(block: Block, arrays: Collection[str]) -> None:
    for k, each in enumerate(block):
        for inner in inner_blocks(each):
            _make_plain(inner, arrays)
        match each:
            case gast.AugAssign(target=gast.Name(id=name)) if name in arrays:
                each.target = subscript(load(name), const(...), store=True)
            case gast.AugAssign(target=gast.Name(id=name), op=op, value=value):
                sum_ = gast.BinOp(left=load(name), op=op, right=value)
                block[k] = gast.Assign(targets=[each.target], value=sum_, type_comment=None)


class _Refused(Exception):
    """Raised where a sum is read by something else."""


def _is_sum(body: Block, name: str) -> bool:
    try:
        return _after(body, {name: SUM}, _as_sum).get(name, REST) == SUM
    except _Refused:
        return False


def _after(block: Block, state: State, meaning: Meaning) -> State:
    """The abstract values after a block; names that are not in the state are independent of the start."""
    for statement in block:
        _check(statement, state, meaning)
        match statement:
            case gast.If(body=[gast.Break()]):
                pass
            case gast.If(body=body, orelse=orelse):
                state = _either(_after(body, dict(state), meaning), _after(orelse, dict(state), meaning), meaning)
            case gast.For() | gast.While():
                state = _behind_loop(statement, state, meaning)
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                state = {**state, name: meaning(value, state)}
            case _:
                state = {**state, **{name: _rest(meaning) for name in all_written(statement)}}
    return state


def _behind_loop(loop: gast.For | gast.While, state: State, meaning: Meaning) -> State:
    while True:
        inside = {**state, **{name: _rest(meaning) for name in all_written(loop)}}
        again = _either(state, _after(loop.body, inside, meaning), meaning)
        if again == state:
            _check(loop, state, meaning)  # the test of a while loop is also evaluated after its body
            return state
        state = again


def _either(one: State, other: State, meaning: Meaning) -> State:
    """The join of the states of two paths."""
    unknown = OTHER if meaning is _exactly else MIXED
    rest = _rest(meaning)
    first = {name: one.get(name, rest) for name in {*one, *other}}
    return {name: held if held == other.get(name, rest) else unknown for name, held in first.items()}


def _rest(meaning: Meaning) -> str:
    return OTHER if meaning is _exactly else REST


def _exactly(value: gast.expr, state: State) -> str:
    """Whether a value is the initial one, or zero."""
    match value:
        case gast.Name(id=name):
            return state.get(name, OTHER)
        case gast.Constant(value=float() as number) if number == 0.0:
            return ZERO
        case gast.BinOp(left=left, op=gast.Add() | gast.Sub() as op, right=right):
            held = _exactly(left, state), _exactly(right, state)
            if held == (START, ZERO) or (held == (ZERO, START) and isinstance(op, gast.Add)):
                return START
            return ZERO if held == (ZERO, ZERO) else OTHER
    return OTHER


def _as_sum(value: gast.expr, state: State) -> str:
    """Whether a value is the initial one plus something; raises for any other use of it."""
    match value:
        case gast.Name(id=name):
            held = state.get(name, REST)
        case gast.BinOp(left=left, op=gast.Add(), right=gast.Name(id=name)) if state.get(name) == SUM:
            held = _only_rest(left, state, SUM)
        case gast.BinOp(left=left, op=gast.Add() | gast.Sub(), right=right):
            held = _only_rest(right, state, _as_sum(left, state))
        case _:
            held = _only_rest(value, state, REST)
    if held == MIXED:
        raise _Refused
    return held


def _only_rest(value: gast.expr, state: State, held: str) -> str:
    if any(state.get(name, REST) != REST for name in names_in(value)):
        raise _Refused
    return held


def _check(statement: gast.stmt, state: State, meaning: Meaning) -> None:
    """Refuse statements, other than assignments to names, that read a sum."""
    if meaning is _exactly or (isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name)):
        return
    if any(state.get(name, REST) != REST for name in _read(statement)):
        raise _Refused


def _read(statement: gast.stmt) -> Iterator[str]:
    yield from reads(statement)
    if isinstance(statement, gast.AugAssign):
        yield from (node.id for node in gast.walk(statement.target) if isinstance(node, gast.Name))
