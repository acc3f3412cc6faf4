"""Write out what loops are promised: sums without an order, indices that are not negative (`unordered`, `natural`).

This comes last: all that looks at statements, for one the sharing of parallel loops, finds plain sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gast

from srcad.runtime import kernels
from srcad.transforms.build import Block, assign, call, clone, inner_blocks, load, place_of, walk, walk_statements
from srcad.transforms.gradient import Made
from srcad.transforms.unordered import added


def with_promises(made: Made) -> Made:
    """The functions with what has been noted on their statements written out."""
    noted = [tree for tree in made.functions if any(map(_is_noted, walk_statements(tree.body)))]
    name = _name_of_kernels(made)
    if not noted or name is None:
        return made
    for tree in noted:
        tree.body = _written(tree.body, name)
    return replace(made, bindings={**made.bindings, name: kernels})


def _is_noted(statement: gast.stmt) -> bool:
    return getattr(statement, "is_free", False) or bool(getattr(statement, "natural", ()))


def _name_of_kernels(made: Made) -> str | None:
    """The name by which generated functions know the kernels; None if that is taken."""
    bindings: Mapping[str, Any] = made.bindings
    for name, thing in bindings.items():
        if thing is kernels:
            return name
    names = {node.id for tree in made.functions for node in walk(tree) if isinstance(node, gast.Name)}
    return None if "kernels" in names or "kernels" in bindings else "kernels"


def _written(block: Block, name: str) -> Block:
    result: Block = []
    for statement in block:
        for inner in inner_blocks(statement):
            inner[:] = _written(inner, name)
        for index in reversed(getattr(statement, "natural", ())):
            statement.body.insert(0, gast.Expr(value=call(f"{name}.natural", clone(index))))
        result.append(_sum(statement, name) if getattr(statement, "is_free", False) else statement)
    return result


def _sum(statement: gast.Assign | gast.AugAssign, name: str) -> gast.stmt:
    """`s += x` as `s = kernels.plus(s, x)`."""
    total = statement.target.id if isinstance(statement, gast.AugAssign) else statement.targets[0].id
    found = added(statement, total)
    assert found is not None
    operation, term = found
    if operation is gast.Sub:
        term = gast.UnaryOp(op=gast.USub(), operand=term)
    result = assign(total, call(f"{name}.plus", load(total), term), place_of(statement))
    result.comment = getattr(statement, "comment", None)
    return result
