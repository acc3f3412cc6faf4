"""Sum sinking: sums whose terms are zero unless one arm of a branch is taken move into that arm.

    d_bar = 0.0                             if t[k]:
    if t[k]:                                    d_bar = x_bar[i]
        d_bar += x_bar[i]       becomes         x_bar[i] = 0.0
        x_bar[i] = 0.0                          a_bar[k] += d_bar * b
    a_bar[k] += d_bar * b

On the other path these statements add zeros: the losers of a minimum, branches not taken. Moving them saves reading and
writing the elements. Applies only where the arm stores to memory, and so must be a branch anyway; an arm that only sums
scalars is left alone, since it compiles to selects without a branch.
"""

from __future__ import annotations

import gast

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
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.loop_analysis.alias_classes import Memories, memories_of


def with_sums_in_arms(code: Code) -> Code:
    """Move such sums into the arm."""
    if not any(isinstance(each, gast.If) for each in walk_statements(code.body)):
        return code
    _Sinker(code.body, memories_of(code)).walk(code.body)
    return code.with_body(code.body)


class _Sinker:
    def __init__(self, body: Block, memories: Memories) -> None:
        self.memories = memories
        self.mentions = mentions(body)

    def walk(self, block: Block) -> None:
        """Move the sums of a block and of its inner blocks."""
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
        """Move the sums directly after a branch whose terms are multiples of `name`, if one arm alone adds to it."""
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
        """The statements directly after a branch that add multiples of a zero, and the values that only they use."""
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
        """Whether the values that some statements compute are read by them only."""
        made = [name for each in run if isinstance(each, gast.Assign) for name in all_written(each)]
        within = mentions(run)
        return isinstance(run[-1], gast.AugAssign) and all(within[name] == self.mentions[name] for name in made)

    def begin(self, block: Block, start: gast.stmt, arm: Block, name: str) -> None:
        """Let the arm initialise the variable, if nothing outside of the arm uses it."""
        if self.mentions[name] != mentions(arm)[name] + 1:
            return
        first = next(each for each in arm if name in mentions([each]))
        match first:
            case gast.AugAssign(op=gast.Add(), target=gast.Name(id=target), value=value) if target == name:
                begun = note(assign(name, value, place_of(first)), comment=notes_of(first).comment)
                arm[position(arm, first)] = begun
                del block[position(block, start)]


def _arms(branch: gast.If) -> list[Block]:
    """The arms of a branch, and of the branches that are statements of its arms."""
    found: list[Block] = []
    for arm in inner_blocks(branch):
        found.append(arm)
        for each in arm:
            if isinstance(each, gast.If):
                found += _arms(each)
    return found


def _is_taken(arm: Block) -> bool:
    """Whether an arm must be a branch: it consists of assignments, some of them to memory."""
    simple = all(isinstance(each, (gast.Assign, gast.AugAssign)) for each in arm)
    targets = [each.targets[0] if isinstance(each, gast.Assign) else each.target for each in arm] if simple else []
    return simple and any(isinstance(each, gast.Subscript) for each in targets)


def _is_zero(value: gast.expr, name: str) -> bool:
    """Whether a value is zero whenever the variable is."""
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
