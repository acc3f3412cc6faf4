"""Copy elision by moves: a copy of an array that is dead afterwards is a reference; a sum into zeros is an assignment.

    x_bar = np.copy(h_bar)                  x_bar = h_bar
    h_bar = np.zeros_like(h)    becomes     ...
    ...                                     h_bar = kernels.times_transpose(t_bar, w)
    h_bar += kernels.times_transpose(t_bar, w)

    t_bar = np.copy(v_bar)                  t_bar = v_bar
    v_bar = np.zeros_like(v)                s_bar = u_bar
    s_bar = np.copy(u_bar)                  u_bar = t_bar
    u_bar = np.zeros_like(u)    becomes     v_bar = s_bar
    u_bar += t_bar
    v_bar += s_bar

Input and output are the statements of one function. A copy becomes a reference where no name that may alias the array
is live after it, or where the array is only cleared afterwards: then fresh zeros are allocated there. This pass runs
late, since references make the alias analysis of other passes less precise.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast
from numba import types as nb

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.liveness import Live, liveness
from srcad.transforms.ir.array_functions import MAKES_ZEROS, PRODUCT_KERNELS, PRODUCTS
from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    clone,
    dotted_path,
    load,
    mentions,
    place_of,
    position,
    walk,
    walk_blocks,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.type_annotations import is_parallel


def with_memory_handed(code: Code) -> Code:
    """Replace copies by references, and sums into zeros by assignments."""
    if any(is_parallel(each) for each in walk_statements(code.body)):
        return code
    giver = _Giver(code)
    for hand_over in (giver.sums, giver.copies):
        live = liveness(code.body).after
        for block in list(walk_blocks(code.body)):
            hand_over(block, live)
    return code.with_body(code.body)


class _Giver:
    def __init__(self, code: Code) -> None:
        self.kinds, self.aliases = code.kinds, aliases_of(code)

    def sums(self, block: Block, live: Mapping[gast.stmt, Live]) -> None:
        """Turn sums into zeros into assignments; `live` has the names that are live after each statement."""
        for statement in list(block):
            match statement:
                case gast.AugAssign(target=gast.Name(id=name), op=gast.Add()):
                    if notes_of(statement).whole and mentions([statement])[name] == 1:
                        self.store_sum(block, statement, live)

    def copies(self, block: Block, live: Mapping[gast.stmt, Live]) -> None:
        """Replace copies in a block by references."""
        for statement in list(block):
            match statement:
                case gast.Assign(
                    targets=[gast.Name(id=copy)],
                    value=gast.Call(func=function, args=[gast.Name(id=array)], keywords=[]),
                ) if dotted_path(function) == "np.copy" and self.are_alike(copy, array):
                    if self.ends(array, live[statement]):
                        statement.value = load(array)
                    elif self.ends(array, live[statement] - {array}):
                        self.make_anew(block, statement, array)

    def make_anew(self, block: Block, statement: gast.Assign, array: str) -> None:
        """Replace the copy by a reference, if the array is cleared next: that statement then allocates new zeros."""
        at = position(block, statement)
        clear = next((each for each in block[at + 1 :] if array in mentions([each])), None)
        if clear is None or not _is_cleared(clear, array):
            return
        end = position(block, clear)
        if not _may_leave(block[at:end]):
            statement.value = load(array)
            block[end] = assign(array, call("np.zeros_like", load(array)), place_of(clear))

    def ends(self, array: str, behind: Live) -> bool:
        """Whether an array is the function's own and no alias of it is live after a statement."""
        return self.aliases.is_local(array) and not self.aliases.connected(array) & behind

    def store_sum(self, block: Block, statement: gast.AugAssign, live: Mapping[gast.stmt, Live]) -> None:
        """Replace `zeros; +=` by an assignment of the value."""
        name, at = statement.target.id, position(block, statement)
        made = next((each for each in reversed(block[:at]) if name in mentions([each])), None)
        stored = self.as_new(name, statement.value, live[statement])
        if made is None or stored is None or _may_leave(block[position(block, made) : at]):
            return
        if _is_zeros(made, name) or (_is_cleared(made, name) and self.ends(name, live[made] - {name})):
            block[at] = note(assign(name, stored, place_of(statement)), comment=notes_of(statement).comment)
            block.remove(made)

    def as_new(self, name: str, value: gast.expr, behind: Live) -> gast.expr | None:
        """The value as an array without other references, of the type of `name`; None where the type may differ."""
        kind = self.kinds.get(name)
        if not isinstance(kind, nb.Array) or kind.layout != "C":
            return None
        match value:
            case gast.Name(id=other) if self.are_alike(name, other):
                return clone(value) if self.ends(other, behind) else call("np.copy", clone(value))
            case gast.BinOp(op=gast.MatMult()):
                return clone(value)
            case gast.Call(func=function):
                path = dotted_path(function) or ""
                is_product = path in PRODUCTS or path.rpartition(".")[2] in PRODUCT_KERNELS
                return clone(value) if is_product else None
        return None

    def are_alike(self, *names: str) -> bool:
        """Whether the names hold arrays of the same type."""
        kinds = {self.kinds.get(name) for name in names}
        return len(kinds) == 1 and all(isinstance(kind, nb.Array) and kind.ndim for kind in kinds)


def _is_zeros(statement: gast.stmt, name: str) -> bool:
    """Whether a statement allocates an array of zeros."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=target)], value=gast.Call(func=function)):
            return bool(target == name) and dotted_path(function) in MAKES_ZEROS
    return False


def _is_cleared(statement: gast.stmt, name: str) -> bool:
    """Whether a statement stores zeros to all of an array."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=target), slice=index)], value=value):
            return bool(target == name) and constant(index) is ... and constant(value) == 0.0
    return False


def _may_leave(block: Block) -> bool:
    """Whether control may leave the loop or the function from within a block."""
    return any(isinstance(node, (gast.Break, gast.Return)) for each in block for node in walk(each))
