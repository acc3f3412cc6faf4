"""First contributions: an adjoint that loops fill from its first element to its last is not set to zero before.

    x_bar = np.zeros((n, m))                      x_bar = np.empty((n, m))
    for i in range(n):                            for i in range(n):
        for j in range(m):                            for j in range(m):
            x_bar[i, j] += 2.0 * x[i, j]  becomes         x_bar[i, j] = 2.0 * x[i, j]

Saves a pass over memory to clear the array and another to read the zeros. Input and output are the statements of one
function. Applies where the loop nest is the first to mention the array, each iteration uses one element of it, that of
the loops' indices, and starts with the sum; and where the loops are proved to reach all elements (`point_facts`, with
what `kernels.same_extent` has checked). A test around an inner loop is allowed if it only asks whether that loop has
iterations, as `scalar_replacement` writes them.

After `buffer_reuse`, which gives an array of zeros the memory of one that is dead: that saves more.
"""

from __future__ import annotations

from typing import Any

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import Bounds, is_counted
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.build import (
    Block,
    MentionedNames,
    dotted,
    dotted_path,
    inner_blocks,
    load,
    mentions,
    names_in,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.postoptimise.array_contraction_to_scalar import common_index, first_store, loops_around

_EXITS = gast.Break, gast.Continue, gast.Return
_UNSET = {"np.zeros": "np.empty", "np.zeros_like": "np.empty_like"}


def with_first_stores(code: Code) -> Code:
    """Store the first contributions to arrays of zeros, where loops make one to each element.

    Functions with parallel loops are left unchanged.
    """
    if any(is_parallel(each) for each in walk_statements(code.body)):
        return code
    if not any(_made(each) for each in walk_statements(code.body)):
        return code
    filler = _Filler(code)
    filler.walk(code.body, Facts.at_start(code.kinds, ranks_of(code).of))
    return code.with_body(code.body)


class _Filler:
    def __init__(self, code: Code) -> None:
        self.kinds = code.kinds
        self.mentioned = MentionedNames()

    def walk(self, block: Block, shapes: Facts) -> None:
        """Store first contributions in a block and in its inner blocks."""
        pending: dict[str, gast.Assign] = {}  # arrays of zeros that nothing has mentioned yet
        for statement in list(block):
            used = self.mentioned.of(statement)
            if is_counted(statement):
                for name in [each for each in pending if each in used]:
                    self.fill(block, pending[name], statement, shapes)
            for name in [each for each in pending if each in used]:
                del pending[name]
            made = _made(statement)
            if made is not None and self.is_real(made):
                pending[made] = statement
            if inner_blocks(statement):
                for inner, inside in shapes.descend(statement):
                    self.walk(inner, inside)
            else:
                shapes.learn(statement)
                shapes.learn_check(statement)

    def is_real(self, name: str) -> bool:
        """Whether a name holds an array of floats or complex numbers."""
        kind = self.kinds.get(name)
        return isinstance(kind, nb.Array) and kind.ndim > 0 and isinstance(kind.dtype, (nb.Float, nb.Complex))

    def fill(self, block: Block, made: Any, nest: gast.For, shapes: Facts) -> None:
        """Let a loop nest store what it first adds to an array of zeros, if it reaches all elements."""
        name = made.targets[0].id
        extents = shapes.forms_of(load(name))
        if extents is None or any(isinstance(each, _EXITS) for each in walk_statements(nest.body)):
            return
        loops = loops_around(nest, {name})
        index = common_index(loops, {name}, shapes)
        if index is None or len(index) != len(extents) or mentions(loops[-1].body)[name] != mentions([nest])[name]:
            return
        body = loops[-1].body
        at = next(k for k, each in enumerate(body) if name in mentions([each]))
        store, stored = first_store(body[at], name), stored_in([nest])
        if any(stored & set(names_in(each.iter)) for each in loops[1:]):  # they are not what they were before the nest
            return
        ranges = {each.target.id: shapes.bounds(each) for each in loops}
        are_whole = (_is_whole(ranges[each], extent, shapes) for each, extent in zip(index, extents, strict=True))
        if store is not None and all(are_whole):
            body[at] = store
            made.value.func = dotted(_UNSET[str(dotted_path(made.value.func))])
            self.mentioned.forget(nest)


def _made(statement: gast.stmt) -> str | None:
    """The name of an array that a statement fills with zeros."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=function)):
            return name if dotted_path(function) in _UNSET else None
    return None


def _is_whole(bounds: Bounds, extent: Form, shapes: Facts) -> bool:
    """Whether the indices of a loop are proved to be all of a dimension."""
    if bounds.every is None:
        return False
    low, high = bounds.every
    return shapes.is_nonnegative(low.scaled(-1)) and shapes.is_nonnegative(high - extent + 1)
