"""Stack arrays: a small array of known extents that does not leave the function is on the stack, not on the heap.

    c = np.empty((3, 3))        becomes     c = kernels.small.empty_matrix(3, 3)

LLVM holds the elements of such arrays in registers, where all subscripts of them are numbers once loops are unrolled:
scalar replacement of aggregates (Muchnick, *Advanced Compiler Design and Implementation*, 1997, section 12.2). What is
on the heap stays in memory, since another function might read it. Applies to arrays of doubles that are allocated
outside of loops, where neither their name nor another one of the same memory is returned,
or passed to a function that may keep it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast
from numba import types as nb

from srcad.runtime import kernels
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.array_functions import SHAPE_ATTRIBUTES
from srcad.transforms.ir.build import (
    Block,
    at,
    const,
    dotted,
    dotted_path,
    inner_blocks,
    is_loop,
    load,
    names_in,
    place_of,
    walk_statements,
)
from srcad.transforms.ir.build import call as call_of
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.postoptimise.allocation.known_extents import known_extents, known_numbers
from srcad.transforms.postoptimise.allocation_hoisting import allocated

MOST_ELEMENTS = 64
_KINDS = nb.Array(nb.float64, 1, "C"), nb.Array(nb.float64, 2, "C")
_MOST_IN_ALL = 2048  # elements in the arrays of one function


def with_stack_arrays(made: Made) -> Made:
    """The functions of a module, with their small arrays on the stack."""
    name = next((each for each, thing in made.bindings.items() if thing is kernels), None)
    if name is None:
        return made
    for code in made.codes():
        everything = list(walk_statements(code.body))
        if any(is_loop(each) for each in everything) and not any(is_parallel(each) for each in everything):
            _Mover(code, f"{name}.").walk(code.body, Facts.at_start(code.kinds, ranks_of(code).of))
    return made


class _Mover:
    def __init__(self, code: Code, prefix: str) -> None:
        self.code, self.prefix, self.aliases = code, prefix, aliases_of(code)
        self.kept = _kept(code, prefix)
        self.room = _MOST_IN_ALL

    def walk(self, block: Block, facts: Facts) -> None:
        """Change the allocations in a block, and in branches in it."""
        result: Block = []
        for statement in block:
            result.append(statement)
            if inner_blocks(statement):
                for inner, inside in facts.descend(statement):
                    if not is_loop(statement):
                        self.walk(inner, inside)
                continue
            facts.learn(statement)
            facts.learn_check(statement)
            name = allocated(statement) or _identity(statement)
            if name is not None:
                result += self.moved(statement, name, facts)
        block[:] = result

    def moved(self, statement: Any, name: str, facts: Facts) -> Block:
        """Allocate an array on the stack, if it may be there; gives the statements that store its elements."""
        call, function = statement.value, str(dotted_path(statement.value.func))
        shape = call.args[0].elts if isinstance(call.args[0], gast.Tuple) else [*call.args]
        is_like = function.endswith("_like")
        if len(call.args) != 1 or (is_like and self.code.kinds.get(name) not in _KINDS):
            return []
        shape = shape * 2 if function == "np.eye" else shape
        extents = known_extents(load(name), facts) if is_like else known_numbers(shape, facts)
        if extents is None or len(extents) > 2 or min(extents) < 1:
            return []
        size = extents[0] * extents[-1] if len(extents) > 1 else extents[0]
        family = self.aliases.connected(name)
        if size > min(MOST_ELEMENTS, self.room) or self.kept & family or not family.isdisjoint(self.code.parameters):
            return []
        self.room -= size
        kernel = "empty_vector" if len(extents) == 1 else "empty_matrix"
        numbers = [const(each) for each in extents]
        statement.value = gast.Call(func=dotted(f"{self.prefix}small.{kernel}"), args=numbers, keywords=[])
        if function.startswith("np.empty"):
            return []
        filled = "diagonal_into" if function == "np.eye" else "fill"
        number = const(1.0 if function == "np.eye" else 0.0)
        stores = call_of(f"{self.prefix}small.{filled}", load(name), number, *map(const, (*extents, 1)[:2]))
        return [at(gast.Expr(value=stores), place_of(statement))]


def _identity(statement: gast.stmt) -> str | None:
    """The name that a matrix of ones on its diagonal is assigned to."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=function, args=[_], keywords=[])):
            return name if dotted_path(function) == "np.eye" else None
    return None


def _kept(code: Code, prefix: str) -> frozenset[str]:
    """The names that something may refer to after the function, or that are passed to functions which may keep them."""
    return frozenset(name for each in walk_statements(code.body) for name in _kept_by(each, prefix))


_QUIET = frozenset(
    (
        "add_outer",
        "add_scaled",
        "add_to",
        "cofactors_factored",
        "copy_to",
        "determinant_factored",
        "inverse_factored",
        "log_determinant_factored",
        "lu_factors",
        "outer",
        "plus",
        "product_of_derivatives",
        "same_extent",
        "sign_factored",
        "solve_factored",
        "solve_factored_transposed",
        "strong_product",
        "strong_quotient",
        "subtract_from",
        "times",
        "times_transpose",
        "trace_adjoint",
        "transpose_times",
    )
)  # kernels that read and write their arguments, and keep nothing of them


def _kept_by(statement: gast.stmt, prefix: str) -> Iterator[str]:
    """The names that a statement, without those in it, returns, keeps, or passes to what may."""
    match statement:
        case gast.For(iter=value) | gast.While(test=value) | gast.If(test=value):
            yield from _within(value, prefix, False)
        case gast.Assign(targets=[target], value=value):
            yield from _within(target, prefix, False)
            yield from _within(value, prefix, isinstance(value, gast.Name) and not isinstance(target, gast.Name))
        case gast.AugAssign(target=target, value=value):
            yield from _within(target, prefix, False)
            yield from _within(value, prefix, False)
        case gast.Expr(value=value):
            yield from _within(value, prefix, False)
        case _:
            yield from names_in(statement)


def _within(node: gast.AST, prefix: str, is_kept: bool) -> Iterator[str]:
    match node:
        case gast.Name(id=name):
            if is_kept:
                yield name
            return
        case gast.Attribute(value=gast.Name(), attr=attr) if attr in SHAPE_ATTRIBUTES:
            return
        case gast.Subscript(value=value):
            yield from _within(value, prefix, False)  # an index is read, not kept
            return
        case gast.Call(func=function, args=args, keywords=keywords):
            path = dotted_path(function) or ""
            own = path.removeprefix(prefix) if path.startswith(prefix) else ""
            is_quiet = own.startswith(("blas.", "small.")) or own in _QUIET or path.startswith("np.")
            for each in (*args, *(keyword.value for keyword in keywords)):
                yield from _within(each, prefix, not is_quiet)
            if not path:
                yield from names_in(function)
            return
        case gast.BinOp() | gast.UnaryOp() | gast.Compare() | gast.BoolOp() | gast.Attribute() | gast.IfExp():
            is_kept = isinstance(node, (gast.Attribute, gast.IfExp))
        case gast.Tuple() | gast.Slice():
            pass
        case gast.expr():
            is_kept = True
    for each in gast.iter_child_nodes(node):
        yield from _within(each, prefix, is_kept or isinstance(node, gast.Tuple))
