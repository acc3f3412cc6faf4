"""Common subexpression elimination (CSE) and loop-invariant code motion (LICM), before differentiation.

    for i in range(n):                          t1 = sigma * sigma
        t1 = sigma * sigma                      for i in range(n):
        a = x[i] * t1              becomes          a = x[i] * t1
        t2 = sigma * sigma
        b = a + t2                                  b = a + t1

Optimising before differentiation saves more than optimising after it (Moses and Churavy, Instead of rewriting foreign
code for machine learning, automatically synthesize fast gradients, 2020). LICM moves only operations that cannot fail
and have no effect: arithmetic (division by literals only, for integers also the remainder), elementary functions of
NumPy, shapes, views by slices. CSE also applies to scalar operations that may fail (division, powers, the functions of
`math`): whatever fails has failed at the earlier statement already. Reads of elements are shared as long as no store
may reach the element: what is read once is recorded once. A matrix is factored once until something writes to it, in a
loop that does not write to it before the loop: `lu_factors` does not fail, what uses the factors may. Identity matrices
that are only read are made before loops.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeAlias

import gast
import numpy as np
from numba import types as nb

from srcad.runtime.kernels import lu_factors, same_extent
from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.aliases import is_basic
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.analysis.statement_positions import Flow
from srcad.transforms.ir.array_functions import TOTAL, functions
from srcad.transforms.ir.build import (
    Block,
    end_of_chain,
    inner_blocks,
    is_exit,
    names_in,
    rewrite,
    rewrite_names,
    stores_into,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.primitive import constant, primitive_of
from srcad.transforms.ir.side_effects import changed_in, stored_in

SAFE = frozenset(functions(TOTAL))
_FACTORS = "factors of "  # with the matrix's name, the key by which its factors are known
Reads: TypeAlias = dict[str, gast.Assign]  # the statements that read elements, by the element


def tidy(code: Code) -> Code:
    """Eliminate common subexpressions and hoist loop-invariant operations."""
    types, unit = code.types, code.unit.with_tree(code.unit.copy_tree())
    program = analyse_forward(unit, types, [])
    same: dict[str, str] = {}
    unit.tree.body = _Sharing(program, same).block(unit.tree.body, {}, {}, {})
    rewrite_names(unit.tree, lambda name: end_of_chain(same, name))
    program = analyse_forward(unit, types, [])
    unit.tree.body = rewrite(unit.tree.body, partial(_hoisted, program))
    program = analyse_forward(unit, types, [])
    again: dict[str, str] = {}
    unit.tree.body = _Sharing(program, again).block(unit.tree.body, {}, {}, {})
    rewrite_names(unit.tree, lambda name: end_of_chain(again, name))
    return code.with_unit(unit)


class _Sharing:
    """CSE: drops operations that an earlier statement has already done; `same` maps their names to the earlier ones."""

    def __init__(self, program: Program, same: dict[str, str]) -> None:
        self.program, self.same = program, same
        self.factored: set[str] = set()  # keys of matrices that statements have factored

    def block(self, block: Block, known: Mapping[str, str], read: Reads, equal: Mapping[str, str]) -> Block:
        """The statements of a block, where enclosing ones have done others before.

        `known` has operations done before, `read` elements of arrays that are written into, as they still are. `equal`
        maps extents to others that they are known to equal from here on, by `same_extent`.
        """
        known, read, equal = dict(known), dict(read), dict(equal)
        result: Block = []
        for statement in block:
            if equal:
                rewrite_names(statement, lambda name: end_of_chain(equal, name))
            for key in [each for each in self.factored if each in known and self.is_outdated(each, statement)]:
                del known[key]
            if isinstance(statement, (gast.For, gast.While)):
                self.forget(read, statement)
            for inner in inner_blocks(statement):
                if not is_exit(statement):
                    inner[:] = self.block(inner, known, read, equal) or [gast.Pass()]
            if self.is_new(statement, known, read, equal):
                result.append(statement)
            self.forget(read, statement)
        return result

    def is_new(self, statement: gast.stmt, known: dict[str, str], read: Reads, equal: dict[str, str]) -> bool:
        """Whether a statement has to stay; notes what it computes, reads or checks."""
        program, name = self.program, written(statement)
        if name and isinstance(statement, gast.Assign) and _is_single(program.flow, name):
            value: Any = statement.value
            rewrite_names(value, lambda each: end_of_chain(self.same, each))
            key = gast.dump(value)
            if _is_repeatable(program, statement):
                matrix = factored_matrix(program, statement)
                if matrix is not None:
                    key = _FACTORS + matrix
                    self.factored.add(key)
                self.same.update({name: known[key]} if key in known else {})
                return known.setdefault(key, name) is name
            if self.is_element(statement):
                self.same.update({name: str(written(read[key]))} if key in read else {})
                return read.setdefault(key, statement) is statement
        elif isinstance(statement, gast.Expr) and primitive_of(statement.value, program.unit.bindings) is same_extent:
            rewrite_names(statement, lambda each: end_of_chain(self.same, each))
            key = gast.dump(statement)
            if key in known or len({gast.dump(each) for each in statement.value.args}) == 1:
                return False
            if all(_is_single(program.flow, each) for part in statement.value.args for each in names_in(part)):
                known[key] = key
                equal.update(_equal_extents(statement.value.args, equal))
        return True

    def is_outdated(self, key: str, statement: gast.stmt) -> bool:
        """Whether a statement, or one inside of it, stores or writes to the matrix whose factors are known by a key."""
        matrix = key.removeprefix(_FACTORS)
        return matrix in stored_in([statement]) or _may_change([statement], matrix, self.program)

    def is_element(self, statement: gast.Assign) -> bool:
        """Whether a statement reads one element of an array by a subscript."""
        value, types = statement.value, self.program.types
        is_read = isinstance(value, gast.Subscript) and types.is_array(str(getattr(value.value, "id", "")))
        return is_read and not types.is_array(str(written(statement)))

    def forget(self, read: Reads, statement: gast.stmt) -> None:
        """Forget the elements that a statement, or one in it, may store, or whose names it stores."""
        if not read:
            return
        meeting = self.program.meeting
        for store in walk_statements([statement]):
            target, name = stores_into(store), written(store)
            for key, each in [*read.items()]:
                is_stored = target is not None and meeting.may_meet(each, each.value, store, target, at_once=True)
                if is_stored or name in [*names_in(each.value)]:
                    del read[key]


def _equal_extents(extents: list[gast.expr], equal: Mapping[str, str]) -> dict[str, str]:
    """The second extent by name, as the first one, where both are names that are not one already.

    Either may be known to equal others by now: what they are called in the end is related, so that no chain is a cycle.
    """
    match extents:
        case [gast.Name(id=one), gast.Name(id=other)]:
            first, second = end_of_chain(equal, one), end_of_chain(equal, other)
            return {second: first} if first != second else {}
    return {}


def _is_repeatable(program: Program, statement: gast.Assign) -> bool:
    """Whether a repetition of the statement gives the same value, so that it can be shared."""
    name = str(written(statement))
    if isinstance(statement.value, gast.Subscript):
        if program.types.is_array(name):
            return is_basic(statement.value.slice, program.types) and not program.aliases.is_written(name)
        return not program.aliases.is_written(str(getattr(statement.value.value, "id", "")))
    if factored_matrix(program, statement) is not None:
        return True
    return not program.types.is_array(name) and (is_safe(program, statement) or _is_of_numbers(program, statement))


def factored_matrix(program: Program, statement: gast.Assign) -> str | None:
    """The matrix that a statement factors, where nothing ever writes to the factors; None for other statements."""
    match statement.value:
        case gast.Call(args=[gast.Name(id=matrix)], keywords=[]):
            is_one = primitive_of(statement.value, program.unit.bindings) is lu_factors
            return matrix if is_one and not program.aliases.is_written(str(written(statement))) else None
    return None


def _may_change(block: Block, array: str, program: Program) -> bool:
    """Whether statements may write to the memory of an array."""
    return any(program.aliases.may_alias(each, array) for each in changed_in(block))


def _is_of_numbers(program: Program, statement: gast.Assign) -> bool:
    """Whether this is a scalar operation that depends on its operands only but may fail."""
    value = statement.value
    if not isinstance(value, (gast.BinOp, gast.Call)) or getattr(value, "keywords", None):
        return False
    primitive = primitive_of(value, program.unit.bindings)
    is_one = primitive in (operator.truediv, operator.pow) or getattr(primitive, "__module__", "") == "math"
    return is_one and all(isinstance(program.types.get(read), (nb.Integer, nb.Float)) for read in _operands(value))


def _operands(value: gast.BinOp | gast.Call) -> list[str]:
    parts = value.args if isinstance(value, gast.Call) else [value.left, value.right]
    return [name for part in parts for name in names_in(part)]


def is_safe(program: Program, statement: gast.Assign) -> bool:
    """Whether the operation depends on its operands only and cannot fail."""
    value = statement.value
    types = program.types
    match value:
        case gast.Attribute(attr="shape" | "ndim" | "size"):
            return True
        case gast.Subscript(value=gast.Name(id=base), slice=index):
            if isinstance(types.get(base), (nb.UniTuple, nb.Tuple)):
                return isinstance(constant(index), int)
            parts = index.elts if isinstance(index, gast.Tuple) else [index]
            return types.is_array(base) and all(isinstance(part, gast.Slice) for part in parts)
        case gast.BinOp(left=left, op=gast.Div(), right=gast.Constant(value=int() | float() as divisor)) if divisor:
            return not any(types.is_array(read) for read in names_in(left))
        case gast.BinOp(left=left, op=gast.FloorDiv() | gast.Mod(), right=gast.Constant(value=int() as n)) if n:
            return isinstance(left, gast.Name) and isinstance(types.get(left.id), nb.Integer)
        case gast.BinOp() | gast.UnaryOp() | gast.Compare() | gast.Call():
            if any(types.is_array(read) for read in names_in(value)) or getattr(value, "keywords", None):
                return False
            primitive = primitive_of(value, program.unit.bindings)
            if isinstance(primitive, np.ufunc):
                return registry.find(primitive) is not None
            return primitive in SAFE
    return False


def _hoisted(program: Program, statement: gast.stmt) -> Block:
    """LICM: a loop after its loop-invariant statements; applied from the innermost loop outwards."""
    if not isinstance(statement, (gast.For, gast.While)):
        return [statement]
    moved = _invariant(statement, program)
    statement.body = statement.body or [gast.Pass()]
    return [*moved, statement]


def _invariant(loop: gast.For | gast.While, program: Program) -> Block:
    """Remove the loop-invariant statements from a loop's body, and return them."""
    inside = {name for statement in walk_statements([loop]) if (name := written(statement))}
    moved: Block = []
    kept: Block = []
    for statement in loop.body:
        name = written(statement)
        if (
            isinstance(statement, gast.Assign)
            and name
            and _is_single(program.flow, name)
            and not inside & set(names_in(statement.value))
            and (
                is_safe(program, statement)
                or _is_factorisation_of_unchanged(program, statement, loop)
                or is_kept_identity(program, statement)
            )
        ):
            moved.append(statement)
            inside.discard(name)
        else:
            kept.append(statement)
    loop.body = kept
    return moved


def _is_factorisation_of_unchanged(program: Program, statement: gast.Assign, loop: gast.For | gast.While) -> bool:
    matrix = factored_matrix(program, statement)
    return matrix is not None and not _may_change([loop], matrix, program)


def is_kept_identity(program: Program, statement: gast.Assign) -> bool:
    """Whether a statement makes an identity matrix that only the function itself reads, and that nothing changes."""
    name, value = str(written(statement)), statement.value
    if not isinstance(value, gast.Call) or value.keywords or not value.args:
        return False
    if primitive_of(value, program.unit.bindings) not in (np.eye, np.identity):
        return False
    is_alone = program.aliases.connected(name) == {name} and not program.aliases.is_written(name)
    is_given = any(
        isinstance(each, gast.Return) and name in names_in(each) for each in walk_statements(program.unit.tree.body)
    )
    return is_alone and not is_given and all(_is_extent(program, each) for each in value.args)


def _is_extent(program: Program, node: gast.expr) -> bool:
    """Whether an expression is a literal that is no negative number, or an element of a shape."""
    if not isinstance(node, gast.Name):
        return type(constant(node)) is int and constant(node) >= 0
    match program.flow.definition(node.id):
        case gast.Subscript(value=gast.Name(id=shape)):
            match program.flow.definition(shape):
                case gast.Attribute(attr="shape"):
                    return True
    return False


def _is_single(flow: Flow, name: str) -> bool:
    return flow.single(name) is not None
