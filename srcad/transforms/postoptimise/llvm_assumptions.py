"""LLVM assumptions: write out what was noted: reassociable sums, non-negative indices, kernel calls.

The notes come from `unordered_reductions`, `nonnegative_indices`, `kernel_calls` and `vector_math`. Sums of array
products are written as kernel calls as well, which allocate no temporary for the product.

Runs last: other passes, such as work sharing for parallel loops, recognise plain sums and NumPy's functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import gast

from srcad.runtime import kernels
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    call,
    clone,
    dotted,
    load,
    one_or_tuple,
    place_of,
    rewrite,
    subscript,
    walk,
    walk_statements,
)
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.postoptimise.unordered_reductions import added
from srcad.transforms.postoptimise.vector_math import choose_lanes


def with_promises(made: Made) -> Made:
    """The functions with the notes on their statements written as calls."""
    choose_lanes(made.functions)
    noted = [tree for tree in made.functions if any(map(_is_noted, walk_statements(tree.body)))]
    name = _name_of_kernels(made)
    if not noted or name is None:
        return made
    for tree in noted:
        tree.body = rewrite(tree.body, partial(_written, name))
    return replace(made, bindings={**made.bindings, name: kernels})


def _is_noted(statement: gast.stmt) -> bool:
    noted = notes_of(statement)
    is_noted = noted.is_unordered or noted.natural or noted.calls_kernels or noted.becomes_call
    return bool(is_noted) or _added_product(statement) is not None


def _name_of_kernels(made: Made) -> str | None:
    """The name by which generated functions refer to the kernels; None if "kernels" is used for something else."""
    bindings: Mapping[str, Any] = made.bindings
    for name, thing in bindings.items():
        if thing is kernels:
            return name
    nodes = [node for tree in made.functions for node in walk(tree)]
    noted = (node for node in nodes if isinstance(node, gast.Call) and notes_of(node).kernel is not None)
    own = {id(each) for node in noted for each in walk(node.func)}
    names = {node.id for node in nodes if isinstance(node, gast.Name) and id(node) not in own}
    return None if "kernels" in names or "kernels" in bindings else "kernels"


def _written(name: str, statement: Any) -> Block:
    for index in reversed(notes_of(statement).natural):
        statement.body.insert(0, gast.Expr(value=call(f"{name}.natural", clone(index))))
    if notes_of(statement).calls_kernels and _added_product(statement) is None:
        _call_kernels(statement, name)
    return [_sum(statement, name) if notes_of(statement).is_unordered else _as_call(statement, name)]


def _call_kernels(statement: gast.stmt, name: str) -> None:
    """`t = np.max(x)` as `t = kernels.largest(x)`."""
    for node in walk(statement):
        if (kernel := notes_of(node).kernel) is not None:
            node.func = dotted(f"{name}.{kernel}")


def _sum(statement: gast.Assign | gast.AugAssign, name: str) -> gast.stmt:
    """`s += x` as `s = kernels.plus(s, x)`."""
    total = statement.target.id if isinstance(statement, gast.AugAssign) else statement.targets[0].id
    found = added(statement, total)
    assert found is not None
    operation, term = found
    if operation is gast.Sub:
        term = gast.UnaryOp(op=gast.USub(), operand=term)
    result = assign(total, call(f"{name}.plus", load(total), term), place_of(statement))
    return note(result, comment=notes_of(statement).comment)


_ADDED = {
    "outer": "add_outer",
    "dot": "blas.add_times",
    "times": "blas.add_times",
    "times_transpose": "blas.add_times_transpose",
    "transpose_times": "blas.add_transpose_times",
}


def _added_product(statement: gast.stmt) -> tuple[str, list[gast.expr]] | None:
    """The kernel, with its arguments, that adds a product of two arrays, or what is mostly zeros, to an array."""
    if not notes_of(statement).whole:
        return None
    match statement:
        case gast.AugAssign(target=gast.Name(id=total), op=gast.Add(), value=value):
            match value:
                case gast.Call(func=gast.Attribute(attr=attr), args=[a, b], keywords=[]) if attr in _ADDED:
                    return _ADDED[attr], [load(total), a, b]
                case gast.BinOp(left=a, op=gast.MatMult(), right=b):
                    return "blas.add_times", [load(total), a, b]
                case gast.Call(func=gast.Attribute(attr="extremum_adjoint"), args=arguments, keywords=[]):
                    return "add_extremum", [load(total), *arguments]
    return None


def _as_call(statement: gast.stmt, name: str) -> gast.stmt:
    """A whole-array statement as a kernel call; `kernels.add_outer(a, x, y)` allocates no array for the product."""
    found = _added_product(statement)
    if found is None and notes_of(statement).becomes_call:
        found = _whole(statement)
    if found is None:
        return statement
    function, arguments = found
    result = gast.Expr(value=call(f"{name}.{function}", *arguments))
    return note(at(result, place_of(statement)), comment=notes_of(statement).comment)


def _whole(statement: gast.stmt) -> tuple[str, list[gast.expr]] | None:
    """The kernel, with its arguments, that adds one array to another, or copies one into its place in a trace."""
    indices: list[str | None] = []
    while isinstance(statement, gast.For) and len(statement.body) == 1:
        indices.append(statement.target.id)
        (statement,) = statement.body
    match statement:
        case gast.AugAssign(
            target=gast.Name() as target, op=op, value=gast.BinOp(left=factor, op=gast.Mult(), right=of)
        ):
            factor = factor if isinstance(op, gast.Add) else gast.UnaryOp(op=gast.USub(), operand=factor)
            return "add_scaled", [_loaded(target), factor, of]
        case gast.AugAssign(target=target, op=op, value=value) if not indices:
            return "add_to" if isinstance(op, gast.Add) else "subtract_from", [_loaded(target), value]
        case gast.Assign(targets=[gast.Subscript() as target], value=value) if not indices:
            return "copy_to", [_loaded(target), value]
        case gast.Assign(targets=[gast.Subscript(slice=gast.Tuple(elts=into)) as to], value=gast.Subscript() as of):
            turn, own = into[: -len(indices)], [getattr(each, "id", None) for each in into[-len(indices) :]]
            if turn and own == indices == [getattr(each, "id", None) for each in index_parts(of)]:
                return "copy_to", [subscript(to.value, one_or_tuple(turn)), of.value]
    return None


def _loaded(target: gast.expr) -> gast.expr:
    return subscript(target.value, target.slice) if isinstance(target, gast.Subscript) else load(target.id)
