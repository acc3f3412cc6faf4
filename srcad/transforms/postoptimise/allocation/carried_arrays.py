"""Carried arrays: a small array that a loop passes on to its next iteration stays where it is, and is copied there.

    y = np.zeros(3)                     y = np.zeros(3)
    for t in range(n):                  for t in range(n):
        new = np.empty(3)                   new = np.empty(3)
        ...              becomes            ...
        y = new                             kernels.copy_to(y, new)

`new` can then be allocated before the loop, and both can be in registers (`stack_arrays`): for a few elements a copy
takes less time than an allocation. Applies where no other name that has a value when an iteration starts may refer to
the memory of `y`, in loops that are left at their end only, to arrays of doubles whose extents are numbers that last.
"""

from __future__ import annotations

from typing import Any

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.liveness import liveness_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.build import (
    Block,
    at,
    clone,
    inner_blocks,
    is_loop,
    load,
    place_of,
    rewrite_names,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.lasting_extents import known_throughout, lasting_numbers
from srcad.transforms.postoptimise.allocation_hoisting import allocated
from srcad.transforms.postoptimise.kernel_calls import kernel_call, means_kernels

MOST_ELEMENTS = 36
_EXITS = gast.Break, gast.Continue, gast.Return, gast.Try, gast.Raise
_KINDS = nb.Array(nb.float64, 1, "C"), nb.Array(nb.float64, 2, "C")


def with_carried_arrays(code: Code) -> Code:
    """Let small arrays that loops pass on stay in one place."""
    everything = list(walk_statements(code.body))
    if any(is_parallel(each) for each in everything) or not any(map(is_loop, everything)) or not means_kernels(code):
        return code
    keeper = _Keeper(code)
    keeper.walk(code.body, Facts.at_start(code.kinds, ranks_of(code).of))
    return code.with_body(code.body, keeper.new) if keeper.new else code


class _Keeper:
    def __init__(self, code: Code) -> None:
        self.kinds, self.aliases, self.live = code.kinds, aliases_of(code), liveness_of(code)
        self.names, self.new = code.fresh_names(), dict[str, nb.Type]()

    def walk(self, block: Block, facts: Facts) -> None:
        """Go through a block; inner loops come first."""
        for statement in block:
            if not inner_blocks(statement):
                facts.learn(statement)
                facts.learn_check(statement)
                continue
            before = facts.copy()
            head = self.live.heads[statement] if is_loop(statement) else ()
            blocks = facts.descend(statement)
            known_throughout(statement, before, head, (facts, *(inside for _, inside in blocks)))
            for inner, inside in blocks:
                self.walk(inner, inside)
            if is_loop(statement) and not any(isinstance(each, _EXITS) for each in walk_statements(statement.body)):
                lasting = lasting_numbers(statement, before, head)
                for name in sorted(head):
                    if self.is_fitting(name, head, lasting):
                        self.keep(statement, name, head)

    def is_fitting(self, name: str, head: Any, lasting: dict[str, tuple[int, ...]]) -> bool:
        """Whether a name holds a small array that the function allocated, to whose memory no other name refers."""
        size = 1
        for each in lasting.get(name, (0,)):
            size *= each
        if not 0 < size <= MOST_ELEMENTS or self.kinds.get(name) not in _KINDS or not self.aliases.is_local(name):
            return False
        own = self.aliases.points_to(name)
        return bool(own) and not any(own & self.aliases.points_to(each) for each in head if each != name)

    def keep(self, loop: Any, name: str, head: Any) -> None:
        """Copy what an iteration makes to where the array is, at the end of the iteration."""
        stores = [
            each
            for each in walk_statements(loop.body)
            if not isinstance(each, gast.AugAssign) and name in all_written(each)
        ]
        places = [k for k, each in enumerate(loop.body) if any(each is store for store in stores)]
        if len(stores) != 1 or len(places) != 1:
            return
        (place,) = places
        statement = loop.body[place]
        match statement:
            case gast.Assign(targets=[gast.Name()], value=gast.Name(id=made)):
                if not self.is_made(made, loop.body[:place], loop, head):
                    return
                rest = self.renamed(loop.body[place + 1 :], name, made)
                loop.body[place:] = rest
            case gast.Assign(targets=[gast.Name()]) if allocated(statement) == name:
                made = self.names.fresh(name)
                self.new[made] = self.kinds[name]
                first = clone(statement)
                first.targets[0].id = made
                loop.body[place:] = [first, *self.renamed(loop.body[place + 1 :], name, made)]
            case _:
                return
        copy = at(gast.Expr(value=kernel_call("copy_to", load(name), load(made))), place_of(statement))
        loop.body.append(note(copy, calls_kernels=True))
        self.new.setdefault(made, self.kinds[name])

    def is_made(self, name: str, before: Block, loop: Any, head: Any) -> bool:
        """Whether an iteration allocates an array, by a name that is stored there only."""
        stores = [
            each
            for each in walk_statements(loop.body)
            if not isinstance(each, gast.AugAssign) and name in all_written(each)
        ]
        is_own = len(stores) == 1 and any(each is stores[0] for each in before) and allocated(stores[0]) == name
        return is_own and name not in head and self.kinds.get(name) in _KINDS

    def renamed(self, block: Block, name: str, other: str) -> Block:
        """Copies of statements in which an array has another name."""
        found = [clone(each) for each in block]
        for each in found:
            rewrite_names(each, lambda own: other if own == name else own)
        return found
