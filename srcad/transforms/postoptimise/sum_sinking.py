"""Sums of what only one arm of a branch gives a value move into that arm.

    d_bar = 0.0                             if t[k]:
    if t[k]:                                    d_bar = x_bar[i]
        d_bar += x_bar[i]       becomes         x_bar[i] = 0.0
        x_bar[i] = 0.0                          a_bar[k] += d_bar * b
    a_bar[k] += d_bar * b

Where the branch goes the other way these would add zeros: the losers of a minimum, paths that were not taken. It
saves reading and writing the elements, so it is done where the arm has to be taken as a branch anyway, since
it stores in memory; an arm of sums of numbers is better off as it is, which compiles to selections without a branch.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast
from numba import types as nb

from srcad.transforms.ir.build import (
    Block,
    assign,
    inner_blocks,
    mentions,
    names_in,
    place_of,
    position,
    walk_statements,
)
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.loop_analysis.alias_classes import Memories


def with_sums_in_arms(body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> Block:
    """The statements, with such sums moved; `kinds` has the types of names, as far as they are known."""
    if any(isinstance(each, gast.If) for each in walk_statements(body)):
        _Sinker(body, Memories(body, parameters, kinds)).walk(body)
    return body


class _Sinker:
    def __init__(self, body: Block, memories: Memories) -> None:
        self.memories = memories
        self.mentions = mentions(body)

    def walk(self, block: Block) -> None:
        """Move what can be in a block and those inside it."""
        for statement in block:
            for inner in inner_blocks(statement):
                self.walk(inner)
        for branch in [each for each in block if isinstance(each, gast.If)]:
            above = block[: position(block, branch)]
            for start in reversed(above):
                match start:
                    case gast.Assign(targets=[gast.Name(id=name)], value=gast.Constant(value=0.0)):
                        self.sink(block, start, branch, name)

    def sink(self, block: Block, start: gast.stmt, branch: gast.If, name: str) -> None:
        """Move the sums right behind a branch of what is zero at its start, if one arm alone adds to it."""
        first, at = position(block, start), position(block, branch)
        if any(name in mentions([each]) for each in block[first + 1 : at]):
            return
        arms = [arm for arm in _arms(branch) if any(name in all_written(each) for each in arm)]
        if len(arms) != 1 or not _is_taken(arms[0]) or mentions([branch])[name] != mentions(arms[0])[name]:
            return
        (arm,) = arms
        moved = self.run(block[at + 1 :], name)
        if not moved:
            return
        arm += moved
        del block[at + 1 : at + 1 + len(moved)]
        self.begin(block, start, arm, name)

    def run(self, behind: Block, name: str) -> Block:
        """The statements right behind a branch that add what is zero with a number, with what only they compute."""
        zeros, found = {name}, list[gast.stmt]()
        for each in behind:
            match each:
                case gast.AugAssign(op=gast.Add() | gast.Sub(), target=target, value=value) if any(
                    _is_zero(value, zero) for zero in zeros
                ):
                    if isinstance(target, gast.Name) and (target.id in zeros or self.memories.ranks.get(target.id)):
                        break
                case gast.Assign(targets=[gast.Name(id=made)], value=value) if self.memories.ranks.get(made) == 0:
                    if any(_is_zero(value, zero) for zero in zeros):
                        zeros.add(made)
                case _:
                    break
            found.append(each)
        while found and not self.is_closed(found):
            found.pop()
        return found if any(isinstance(each, gast.AugAssign) for each in found) else []

    def is_closed(self, run: Block) -> bool:
        """Whether what some statements compute is read by them only."""
        made = [name for each in run if isinstance(each, gast.Assign) for name in all_written(each)]
        within = mentions(run)
        return isinstance(run[-1], gast.AugAssign) and all(within[name] == self.mentions[name] for name in made)

    def begin(self, block: Block, start: gast.stmt, arm: Block, name: str) -> None:
        """Let the arm begin the number, if nothing else knows of it."""
        if self.mentions[name] != mentions(arm)[name] + 1:
            return
        first = next(each for each in arm if name in mentions([each]))
        match first:
            case gast.AugAssign(op=gast.Add(), target=gast.Name(id=target), value=value) if target == name:
                begun = note(assign(name, value, place_of(first)), comment=notes_of(first).comment)
                arm[position(arm, first)] = begun
                del block[position(block, start)]


def _arms(branch: gast.If) -> list[Block]:
    """The innermost arms of a branch, and of the branches in its arms that are statements of these."""
    found: list[Block] = []
    for arm in inner_blocks(branch):
        found.append(arm)
        for each in arm:
            if isinstance(each, gast.If):
                found += _arms(each)
    return found


def _is_taken(arm: Block) -> bool:
    """Whether an arm has to be a branch: it stores in memory, and does not leave."""
    simple = all(isinstance(each, (gast.Assign, gast.AugAssign)) for each in arm)
    targets = [each.targets[0] if isinstance(each, gast.Assign) else each.target for each in arm] if simple else []
    return simple and any(isinstance(each, gast.Subscript) for each in targets)


def _is_zero(value: gast.expr, name: str) -> bool:
    """Whether a value is zero if a number is."""
    match value:
        case gast.Name(id=other):
            return bool(other == name)
        case gast.UnaryOp(op=gast.USub(), operand=operand):
            return _is_zero(operand, name)
        case gast.BinOp(left=left, op=gast.Mult(), right=right):
            return (_is_zero(left, name) and name not in names_in(right)) or (
                _is_zero(right, name) and name not in names_in(left)
            )
        case gast.BinOp(left=left, op=gast.Div(), right=right):
            return _is_zero(left, name) and name not in names_in(right)
    return False
