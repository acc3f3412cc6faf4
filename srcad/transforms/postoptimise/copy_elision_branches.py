"""Copy elision across branches: where one arm changes an array and the other only passes it on, no copy is made.

    t_bar = np.copy(v_bar)                  t_bar = v_bar
    v_bar = np.zeros_like(v)                if c:
    if c:                         becomes       v_bar = np.zeros_like(v)
        v_bar += f(t_bar)                       v_bar += f(t_bar)
    else:                                   else:
        v_bar += t_bar                          v_bar = t_bar

Both the copy and the zeros disappear from the arm that passes the adjoint on. Applies to arrays that the function
allocates itself and that have no other names. An addition to zeros of the same shape, as noted by `Adjoints.add`,
becomes an assignment. Copies without a branch are handled by `copy_elision_moves`.
"""

from __future__ import annotations

from collections import Counter

import gast
from numba import types as nb

from srcad.transforms.ir.build import (
    Block,
    assign,
    clone,
    dotted_path,
    inner_blocks,
    load,
    mentions,
    place_of,
    position,
    walk_statements,
)
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.alias_classes import memories_of


def with_traded_adjoints(code: Code) -> Code:
    """Replace copies that one arm of a branch passes on by references.

    Functions with parallel loops are left unchanged: aliasing there could no longer be decided.
    """
    if any(is_parallel(each) for each in walk_statements(code.body)):
        return code
    _Trader(code).walk(code.body)
    return code.with_body(code.body)


class _Trader:
    def __init__(self, code: Code) -> None:
        self.kinds = code.kinds
        self.stores = store_counts(code)
        self.mentions = mentions(code.body)
        memories = memories_of(code)
        groups = Counter(memories.find(name) for name in self.mentions)
        self.alone = {name for name in self.mentions if groups[memories.find(name)] == 1 and memories.is_own(name)}

    def walk(self, block: Block) -> None:
        """Elide copies in a block and in its inner blocks."""
        for statement in block:
            for inner in inner_blocks(statement):
                self.walk(inner)
        for statement in list(block):
            match statement:
                case gast.Assign(
                    targets=[gast.Name(id=copy)], value=gast.Call(args=[gast.Name(id=array)], keywords=[])
                ):
                    if not _calls(statement, "np.copy") or not {copy, array} <= self.alone:
                        continue
                    if self.stores[copy] == 1:
                        self.hand_back(block, statement, copy, array)

    def hand_back(self, block: Block, statement: gast.Assign, copy: str, array: str) -> None:
        """Replace the copy by the array itself, if the uses up to and in the branch allow it."""
        at = position(block, statement)
        later = [each for each in block[at + 1 :] if array in mentions([each])]
        if len(later) < 2 or not _is_zero(later[0], array) or not isinstance(later[1], gast.If):
            return
        zeros, branch = later[:2]
        between = block[position(block, zeros) + 1 : position(block, branch)]
        if not _calls(zeros, "np.zeros_like"):
            return
        like = zeros.value.args[0]
        behind = [*block[:at], *block[position(block, branch) + 1 :]]
        if any(copy in mentions([each]) for each in behind) or self.mentions[copy] != mentions(block[at:])[copy]:
            return
        if not isinstance(like, gast.Name) or any(like.id in all_written(each) for each in walk_statements(between)):
            return
        arms = [self.arm(arm, copy, array, zeros) for arm in (branch.body, branch.orelse)]
        if not self.are_alike(copy, array) or any(arm is None for arm in arms):
            return
        statement.value = load(array)
        branch.body, branch.orelse = arms
        block.remove(zeros)

    def arm(self, arm: Block, copy: str, array: str, zeros: gast.stmt) -> Block | None:
        """The rewritten arm of the branch; None where the pattern does not match."""
        users = [each for each in arm if array in mentions([each])]
        if len(users) != 1 or not _adds_whole(users[0], array):
            return None
        at = position(arm, users[0])
        if isinstance(users[0].value, gast.Name) and users[0].value.id == copy:
            is_last = not any(copy in mentions([each]) for each in arm[at + 1 :])
            return [*arm[:at], assign(array, load(copy), place_of(users[0])), *arm[at + 1 :]] if is_last else None
        if _calls(users[0], "kernels.longer_bar"):
            return [*arm[:at], assign(array, users[0].value, place_of(users[0])), *arm[at + 1 :]]
        like = zeros.value.args[0].id
        if any(like in all_written(each) for each in walk_statements(arm[:at])):
            return None
        return [*arm[:at], clone(zeros), *arm[at:]]

    def are_alike(self, *names: str) -> bool:
        """Whether the names hold arrays of the same type."""
        kinds = {self.kinds.get(name) for name in names}
        return len(kinds) == 1 and all(isinstance(kind, nb.Array) and kind.ndim for kind in kinds)


def _adds_whole(statement: gast.stmt, array: str) -> bool:
    """Whether a statement adds to the whole array and does not mention it otherwise."""
    match statement:
        case gast.AugAssign(target=gast.Name(id=name), op=gast.Add()):
            return bool(name == array) and notes_of(statement).whole and mentions([statement])[array] == 1
    return False


def _calls(statement: gast.stmt, function: str) -> bool:
    return isinstance(statement.value, gast.Call) and dotted_path(statement.value.func) == function


def _is_zero(statement: gast.stmt, array: str) -> bool:
    """Whether a statement makes the array zero, by allocation or by a store to all of it."""
    match statement:
        case gast.Assign(
            targets=[gast.Subscript(value=gast.Name(id=name), slice=gast.Constant(value=index))],
            value=gast.Constant(value=0.0),
        ):
            return name == array and index is ...
        case gast.Assign(targets=[gast.Name(id=name)]):
            return name == array and _calls(statement, "np.zeros_like")
    return False
