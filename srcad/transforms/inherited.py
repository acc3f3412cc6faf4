"""An array that is copied and never looked at again is not copied: the copy takes it over.

    k_bar = np.copy(a_bar)
    return k_bar, y_bar         becomes         return a_bar, y_bar

A function that works on a copy of an argument has one adjoint for both at its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import gast
from numba import types as nb

from srcad.runtime.clock import stage
from srcad.transforms.build import Block, dotted_path, rewrite_names, walk, walk_statements
from srcad.transforms.copies import all_written
from srcad.transforms.memories import Memories


@stage("copies")
def without_last_copies(body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> Block:
    """The statements without copies, in the outermost block, of arrays of the function's own that end there."""
    memories = Memories(body, parameters, kinds)
    stores = Counter(name for statement in walk_statements(body) for name in all_written(statement))
    result: Block = []
    for k, statement in enumerate(body):
        match statement:
            case gast.Assign(
                targets=[gast.Name(id=copy)], value=gast.Call(func=function, args=[gast.Name(id=array)], keywords=[])
            ) if dotted_path(function) == "np.copy" and memories.ranks.get(array) and memories.is_own(array):
                ends = not _mentions(body[k + 1 :], array, copy, memories)
                if ends and stores[copy] == 1 and copy not in parameters:
                    _rename(body[k + 1 :], copy, array)
                    continue
        result.append(statement)
    return result


def _mentions(block: Block, array: str, copy: str, memories: Memories) -> bool:
    """Whether any name that may share an array's memory appears in a block."""
    names = {node.id for statement in block for node in walk(statement) if isinstance(node, gast.Name)} - {copy}
    return any(memories.may_share(name, array) for name in names)


def _rename(block: Block, copy: str, array: str) -> None:
    for statement in block:
        rewrite_names(statement, lambda name: array if name == copy else name)
