"""Index integers: bounds of loops and subscripts of short or unsigned types become integers of 64 bits first.

    for j in range(k[i], n):            t = k[i]            an uint8
        s += x[j]               becomes t2 = np.int64(t)
                                        for j in range(t2, n):
                                            s += x[j]

Sweeps compute with such integers: the last iteration is `n - 1`, which wraps around where n is an unsigned 0, and
NumPy's sum of an uint8 and an extent is an uint8. Signed integers of 32 bits stay: index arrays are made of them, and
nothing in memory reaches their bounds.
"""

from __future__ import annotations

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    load,
    place_of,
    rewrite,
    stores_into,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types

_SHORT = (nb.int8, nb.int16, nb.uint8, nb.uint16, nb.uint32, nb.uint64)


def with_long_indices(code: Code) -> Code:
    """The function in which no short or unsigned number bounds a loop or is a subscript."""
    known = dict(code.types.of)
    if not any(_short_names(each, known) for each in walk_statements(code.body)):
        return code
    names = code.unit.names.copy()
    numpy = "np" if code.unit.bindings.get("np", np) is np else names.fresh("np")

    def longer(statement: gast.stmt) -> Block:
        before: Block = []
        for node in _short_names(statement, known):
            name = names.temporary()
            known[name] = nb.int64
            before.append(assign(name, call(f"{numpy}.int64", load(node.id)), place_of(statement)))
            node.id = name
        return [*before, statement]

    tree = code.unit.copy_tree()
    tree.body = rewrite(tree.body, longer)
    unit = code.unit.with_tree(tree, names=names, bindings={**code.unit.bindings, numpy: np})
    return code.with_unit(unit, Types(known, code.types.result))


def _short_names(statement: gast.stmt, known: dict[str, nb.Type]) -> list[gast.Name]:
    """The names of short or unsigned integers that bound a loop, or are in subscripts."""
    nodes: list[gast.expr | None] = []
    if isinstance(statement, gast.For):
        nodes += statement.iter.args
    for place in (getattr(statement, "value", None), stores_into(statement)):
        for part in index_parts(place) if isinstance(place, gast.Subscript) else ():
            nodes += [part.lower, part.upper, part.step] if isinstance(part, gast.Slice) else [part]
    return [each for each in nodes if isinstance(each, gast.Name) and known.get(each.id) in _SHORT]
