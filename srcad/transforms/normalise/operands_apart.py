"""Operands apart: what an operator in place reads of the array that it writes into is copied before.

    b += b.T        t = np.copy(b.T); b += t        NumPy does so itself, Numba reads what it has written

For functions that are compiled as they are, and in derivatives for the array statements that `elementwise_fusion`
leaves: loop nests see to it themselves.
"""

from __future__ import annotations

from itertools import starmap

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.analysis.aliases import aliases_of_unit
from srcad.transforms.ir.build import Block, assign, call, load, place_of, rewrite, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import IN_PLACE_FUNCTIONS, primitive_of


def with_operands_apart(code: Code) -> Code:
    """The typed function, with copies of operands that may share memory with the array that is changed."""
    if not reads_what_it_writes(code):
        return code
    aliases = aliases_of_unit(code.unit, code.types)
    tree, names, kinds = code.unit.copy_tree(), code.unit.names.copy(), dict(code.types.of)

    def apart(statement: gast.stmt) -> Block:
        pair = _pair(statement, code)
        if pair is None or not aliases.may_alias(*pair):
            return [statement]
        kind, copy = kinds[pair[1]], names.temporary()
        kinds[copy] = nb.Array(kind.dtype, kind.ndim, "C")
        if isinstance(statement, gast.AugAssign):
            statement.value = load(copy)
        else:
            statement.value.args[1] = load(copy)
        return [assign(copy, call("np.copy", load(pair[1])), place_of(statement)), statement]

    tree.body = rewrite(tree.body, apart)
    unit = code.unit.with_tree(tree, names=names, bindings={"np": np, **code.unit.bindings})
    return code.with_unit(unit, Types(kinds, code.types.result))


def reads_what_it_writes(code: Code) -> bool:
    """Whether an operator in place of a typed function may read memory that it has written."""
    pairs = [pair for each in walk_statements(code.unit.tree.body) if (pair := _pair(each, code)) is not None]
    return bool(pairs) and any(starmap(aliases_of_unit(code.unit, code.types).may_alias, pairs))


def _pair(statement: gast.stmt, code: Code) -> tuple[str, str] | None:
    """The array that an operator in place changes, and another one or a part that it reads; else None."""
    match statement:
        case gast.AugAssign(target=gast.Subscript(value=gast.Name(id=changed)), value=gast.Name(id=read)):
            is_one = True
        case gast.Assign(value=gast.Call(args=[gast.Name(id=changed), gast.Name(id=read)]) as value):
            is_one = changed != read and primitive_of(value, code.unit.bindings) in IN_PLACE_FUNCTIONS
        case _:
            return None
    return (changed, read) if is_one and all(map(code.types.is_array, (changed, read))) else None
