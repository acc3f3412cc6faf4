"""Dead store elimination: elements of an adjoint are not cleared where nothing reads them afterwards.

    for i in range(n):                      for i in range(n):
        t = y_bar[i]                            t = y_bar[i]
        y_bar[i] = 0.0          becomes         x_bar[i] += t * k
        x_bar[i] += t * k

A store sets the adjoint of what it overwrites to zero. That is idle where the store was the first into the element, as
into a new array: then no statement before it has read or stored the element, and none after it in the reverse sweep
reads its adjoint. Input and output are the statements of one function. Applies to arrays that no other name refers to,
at the last loop nest that mentions them, where each iteration uses one element of its own.
"""

from __future__ import annotations

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import ends_of, is_counted, step_of
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.ir.build import Block, mentions, walk_blocks, walk_statements
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.postoptimise.array_contraction_to_scalar import common_index, is_zero_store, loops_around


def without_dead_stores(code: Code) -> Code:
    """Drop the stores of zeros into elements that nothing reads afterwards.

    Functions with parallel loops are left unchanged.
    """
    if any(is_parallel(each) for each in walk_statements(code.body)):
        return code
    remover = _Remover(code)
    for block in list(walk_blocks(code.body)):
        remover.visit(block)
    return code.with_body(code.body)


class _Remover:
    def __init__(self, code: Code) -> None:
        self.kinds, self.stores, self.mentions = code.kinds, store_counts(code), mentions(code.body)
        self.aliases = aliases_of(code)

    def visit(self, block: Block) -> None:
        """Drop the dead stores at the ends of nests of a block, into arrays that the block makes."""
        made: dict[str, int] = {}
        last: dict[str, gast.stmt] = {}
        for statement in block:
            match statement:
                case gast.Assign(targets=[gast.Name(id=name)]) if self.is_own(name):
                    made[name] = 0
            for name, count in mentions([statement]).items():
                if name in made:
                    made[name] += count
                    last[name] = statement
        for name, nest in last.items():
            if is_counted(nest) and made[name] == self.mentions[name]:
                self.drop(name, nest)

    def is_own(self, name: str) -> bool:
        """Whether a name is the only one for an array of floats that the function makes once."""
        kind = self.kinds.get(name)
        if not isinstance(kind, nb.Array) or not isinstance(kind.dtype, (nb.Float, nb.Complex)):
            return False
        if self.stores[name] != 1 or self.aliases.of.get(name) != frozenset([name]):
            return False
        return not any(name in roots for other, roots in self.aliases.of.items() if other != name)

    def drop(self, name: str, nest: gast.For) -> None:
        """Drop the last store of each iteration into its element, if it is one of zero."""
        loops = loops_around(nest, {name})
        if common_index(loops, {name}) is None or not all(map(_is_natural, loops)):
            return
        body = loops[-1].body
        users = [each for each in body if name in mentions([each])]
        if len(users) > 1 and is_zero_store(users[-1], name):
            body.remove(users[-1])


def _is_natural(loop: gast.For) -> bool:
    """Whether a loop's index is never negative, so that no two iterations mean one element."""
    (start, stop), step = ends_of(loop), step_of(loop)
    least = constant(start) if step > 0 else constant(stop)
    return type(least) is int and least >= (0 if step > 0 else -1) and step != 0
