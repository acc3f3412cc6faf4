"""Accumulator forwarding: an array that only accumulates sums for another array is replaced by that array.

    b_bar = np.zeros_like(a)
    for j in range(n):                              for j in range(n):
        t_row[j + 1] = a_bar[j]                         t_row[j + 1] = a_bar[j]
        a_bar[j] = 0.0                  becomes         a_bar[j] = 0.0
    for j in range(n + 1):                          for j in range(n + 1):
        b_bar[j] += t_row[j + 1] + t_row[j]             a_bar[j] += t_row[j + 1] + t_row[j]
    a_bar += b_bar

Input and output are the statements of one function. Time-stepping schemes that start from a copy of the field, `un =
u.copy()`, have such adjoints. Applies where both arrays have the same shape and type, the accumulator starts as zeros,
and every use of it in between adds to an element or subtracts from it. Does not apply where anything else accesses the
destination array after the first sum, with one exception: a loop that buffers its sums in rows (see
`row_buffered_gather`) long enough that it never needs a line of the destination that it has already added to.
"""

from __future__ import annotations

from collections import Counter

import gast

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.array_functions import LIKE_WITH_ONE_ARGUMENT
from srcad.transforms.ir.build import Block, dotted_path, inner_blocks, mentions, rewrite_names, walk, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.loop_analysis.affine_subscripts import Subscripts
from srcad.transforms.loop_analysis.loop_accesses import accessed
from srcad.transforms.postoptimise.row_buffered_gather import is_sum


def with_sums_absorbed(code: Code) -> Code:
    """Remove accumulator arrays whose sums can go to the destination directly."""
    _Absorber(code).walk(code.body)
    return code.with_body(code.body)


class _Absorber:
    def __init__(self, code: Code) -> None:
        self.aliases, self.ranks, self.kinds = aliases_of(code), ranks_of(code), code.kinds
        everything = [each for each in walk_statements(code.body) if not isinstance(each, gast.AugAssign)]
        self.stores = Counter([*code.parameters, *(name for each in everything for name in all_written(each))])
        self.made = {each.targets[0].id: each.value for each in everything if _is_made(each)}
        self.mentions = mentions(code.body)

    def walk(self, block: Block) -> None:
        """Forward the accumulators of a block and of its inner blocks."""
        for statement in list(block):
            for inner in inner_blocks(statement):
                self.walk(inner)
        for last in list(block):
            match last:
                case gast.AugAssign(target=gast.Name(id=array), op=gast.Add(), value=gast.Name(id=sums)):
                    between = self.between(block, last, array, sums)
                    if between is not None and self.are_alike(array, sums) and self.may_absorb(between, array, sums):
                        block[:] = [each for each in block if each is not last and sums not in all_written(each)]
                        _rename(between, sums, array)

    def between(self, block: Block, last: gast.stmt, array: str, sums: str) -> Block | None:
        """The statements between zero initialisation and final sum, if the accumulator is mentioned nowhere else."""
        end = next(k for k, each in enumerate(block) if each is last)
        start = next((k for k, each in enumerate(block[:end]) if sums in all_written(each)), None)
        if start is None or self.stores[sums] != 1 or array == sums or not self.aliases.is_local(sums):
            return None
        found = block[start + 1 : end]
        return found if mentions(found)[sums] + 2 == self.mentions[sums] else None

    def are_alike(self, array: str, sums: str) -> bool:
        """Whether two arrays have the same shape and type, and the second starts as zeros."""
        value = self.made.get(sums)
        is_zero = isinstance(value, gast.Call) and dotted_path(value.func) == "np.zeros_like"
        same_type = self.kinds.get(array) is not None and self.kinds.get(array) == self.kinds.get(sums)
        return is_zero and same_type and self.origin(array) == self.origin(sums)

    def origin(self, name: str) -> str:
        """The array that an array took its shape from, through chains of `zeros_like`."""
        while self.stores[name] == 1 and name in self.made:
            name = self.made[name].args[0].id
        return name

    def may_absorb(self, between: Block, array: str, sums: str) -> bool:
        """Whether the statements only add to the accumulator, and do not access the array once they have begun to."""
        adding = {id(each.target.value) for each in walk_statements(between) if is_sum(each)}
        has_begun = False
        for statement in between:
            nodes = _named(statement)
            own = [node for node in nodes if node.id == sums]
            if any(id(node) not in adding for node in own):
                return False
            reached = any(self.meets(node, array) for node in nodes if id(node) not in adding)
            if reached and (has_begun or (own and not self.waits(statement, array, sums))):
                return False
            has_begun = has_begun or bool(own)
        return True

    def meets(self, node: gast.Name, array: str) -> bool:
        """Whether a name may refer to the memory of the array."""
        return self.ranks.of.get(node.id) != 0 and self.aliases.may_alias(node.id, array)

    def waits(self, statement: gast.stmt, array: str, sums: str) -> bool:
        """Whether the statement is a row-buffered loop that never accesses a line of the array after adding to it."""
        if not isinstance(statement, gast.If):
            return False
        loops = [(each, rolls[sums]) for each in statement.body if sums in (rolls := notes_of(each).rolls or {})]
        if len(loops) != 1 or self.reaches(statement, [loop for loop, _ in loops], array):
            return False
        ((loop, (axis, nearest)),) = loops
        waiting = [each for each in loop.body if notes_of(each).gathers is not None]
        if mentions([statement])[sums] != mentions(waiting)[sums]:
            return False
        index = loop.target.id
        for one in accessed(loop.body, Subscripts().inside(loop), self.ranks):
            name, forms = one.access.name, one.access.forms
            if name == sums or self.ranks.of.get(name) == 0 or not self.aliases.may_alias(name, array):
                continue
            if name != array or forms is None or not one.at.is_natural(forms[axis]):
                return False
            if forms[axis].symbols != {index} or forms[axis].coefficient(index) != 1 or forms[axis].constant < nearest:
                return False
        return True

    def reaches(self, statement: gast.stmt, loops: Block, array: str) -> bool:
        """Whether the statement accesses the array outside of the given loops."""
        inside = {id(node) for each in loops for node in walk(each)}
        return any(id(node) not in inside and self.meets(node, array) for node in _named(statement))


def _rename(block: Block, old: str, new: str) -> None:
    for each in block:
        rewrite_names(each, lambda name: new if name == old else name)


def _is_made(statement: gast.stmt) -> bool:
    match statement:
        case gast.Assign(targets=[gast.Name()], value=gast.Call(func=function, args=[gast.Name()], keywords=[])):
            return dotted_path(function) in LIKE_WITH_ONE_ARGUMENT
    return False


def _named(statement: gast.stmt) -> list[gast.Name]:
    """The names in a statement, except those of which only the dtype is used."""
    everything = walk(statement)
    asked = {id(node.value) for node in everything if isinstance(node, gast.Attribute) and node.attr == "dtype"}
    return [node for node in everything if isinstance(node, gast.Name) and id(node) not in asked]
