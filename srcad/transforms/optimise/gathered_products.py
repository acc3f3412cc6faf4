"""Inner products with gathered elements become sums of products.

    t = x[cols]                         t = x[cols]
    y = vals @ t            becomes     p = vals * t
                                        y = np.sum(p)

The gather is then fused with the sum: no array of the elements exists, none is recorded, and iterations around it share
only what they add to. Inner products of vectors as they lie in memory stay calls of BLAS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.analysis.program_facts import analyse_forward
from srcad.transforms.ir.array_functions import CHECKING, last_part, last_parts
from srcad.transforms.ir.build import (
    assign,
    binary,
    call,
    load,
    place_of,
    rewrite_blocks,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.side_effects import reads
from srcad.transforms.ir.unit import Unit
from srcad.transforms.loop_analysis.control_dependence import choosing

_CHECKS = last_parts(CHECKING)


def with_sums_of_gathered(unit: Unit, types: Any) -> Unit:
    """The unit with such products as sums; `types` learns the types of new names."""
    if unit.bindings.get("np") is not np or not any(_operands(unit, types, each) for each in _statements(unit)):
        return unit
    found = unit.with_tree(unit.copy_tree(), names=unit.names.copy(), bindings=dict(unit.bindings))
    program = analyse_forward(unit, types, [])
    fixed = choosing(unit.tree.body, program.aliases)
    counts = Counter(written(each) for each in _statements(found))
    uses = Counter(name for each in _statements(found) if not _is_check(each) for name in reads(each))

    def change(block: list[gast.stmt]) -> list[gast.stmt]:
        gathered = {
            str(name): each.value.slice.id
            for each in block
            if (name := written(each)) is not None
            and counts[name] == uses[name] == 1
            and _is_gather(types, getattr(each, "value", None))
        }
        code: list[gast.stmt] = []
        for each in block:
            pair = _operands(found, types, each)
            if (
                isinstance(each, gast.Assign)
                and pair is not None
                and not gathered.keys().isdisjoint(pair)
                and program.aliases.alias_class(str(written(each))) not in fixed
            ):
                products = found.names.temporary()
                types.of[products] = nb.float64[::1]
                code.append(assign(products, binary(load(pair[0]), gast.Mult, load(pair[1])), place_of(each)))
                each.value = call("np.sum", load(products))
            elif gathered and _is_check(each):
                _rename_shapes(each, gathered)
            code.append(each)
        return code

    found.tree.body = rewrite_blocks(found.tree.body, change)
    return found


def _statements(unit: Unit) -> list[gast.stmt]:
    return list(walk_statements(unit.tree.body))


def _is_check(statement: gast.stmt) -> bool:
    match statement:
        case gast.Expr(value=gast.Call(func=function)):
            return last_part(function) in _CHECKS
    return False


def _rename_shapes(check: gast.stmt, gathered: Mapping[str, str]) -> None:
    """Check the shapes of indices in place of those of what is gathered by them."""
    for node in walk(check):
        match node:
            case gast.Attribute(value=gast.Name(id=name), attr="shape") if name in gathered:
                node.value = load(gathered[name])


def _operands(unit: Unit, types: Types, statement: gast.stmt) -> tuple[str, str] | None:
    """The operands of an inner product of two vectors of floats."""
    match statement:
        case gast.Assign(
            targets=[gast.Name(id=name)],
            value=gast.BinOp(left=gast.Name(id=left), op=gast.MatMult(), right=gast.Name(id=right)),
        ):
            pass
        case gast.Assign(
            targets=[gast.Name(id=name)],
            value=gast.Call(args=[gast.Name(id=left), gast.Name(id=right)], keywords=[]) as value,
        ) if primitive_of(value, unit.bindings) is np.dot:
            pass
        case _:
            return None
    is_number = types.get(name) == nb.float64
    return (left, right) if is_number and all(_is_vector(types, each) for each in (left, right)) else None


def _is_vector(types: Types, name: str) -> bool:
    kind = types.get(name)
    return isinstance(kind, nb.Array) and kind.ndim == 1 and kind.dtype == nb.float64


def _is_gather(types: Types, value: gast.expr | None) -> bool:
    match value:
        case gast.Subscript(value=gast.Name(id=base), slice=gast.Name(id=index)):
            places = types.get(index)
            is_places = isinstance(places, nb.Array) and places.ndim == 1 and isinstance(places.dtype, nb.Integer)
            return is_places and _is_vector(types, base)
    return False
