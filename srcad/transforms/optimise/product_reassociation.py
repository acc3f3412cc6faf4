"""Reassociation of products with vectors: numbers and matrices are multiplied by the vector first.

    t = alpha * a                               t = b @ x
    s = t @ b                becomes            s = a @ t
    y = s @ x                                   y = alpha * s

    t = np.transpose(a)     becomes             y = x @ a
    y = t @ x

A product of a matrix and a vector has as many operations as the matrix has elements, and one of two matrices many times
more; a multiple of a matrix goes through memory for nothing. The reverse sweep gains likewise: the adjoint of `alpha`
is a product of vectors, that of `a` an outer product, and no matrix is recorded. This is the order that dynamic
programming finds for a chain that ends in a vector, whatever the extents (Cormen et al., Introduction to Algorithms,
section 15.2). Results differ by rounding, in the last digits, so products that a choice depends on stay as they are.
A transposed matrix is read where it lies.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import gast
from numba import types as nb

from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    dotted_path,
    load,
    mentions,
    names_in,
    place_of,
    walk_blocks,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import all_written, changed_memory
from srcad.transforms.loop_analysis.control_dependence import choosing


def with_vectors_first(code: Code) -> Code:
    """Multiply vectors first, until nothing changes."""
    unit = code.unit.with_tree(code.unit.copy_tree())
    if not any(_product(each) for each in walk_statements(unit.tree.body)):
        return code
    program = analyse_forward(unit, code.types, [])
    chain = _Chain(program, code)
    is_done = False
    for block in walk_blocks(unit.tree.body):
        for statement in list(block):
            while chain.untransposed(statement) or chain.reassociated(block, statement):
                is_done = True
    return code.with_unit(unit) if is_done else code


def _product(statement: gast.stmt) -> tuple[str, str, str] | None:
    """The result and the factors of a product of two names."""
    match statement:
        case gast.Assign(
            targets=[gast.Name(id=name)],
            value=gast.BinOp(left=gast.Name(id=left), op=gast.MatMult(), right=gast.Name(id=right)),
        ):
            return name, left, right
        case gast.Assign(
            targets=[gast.Name(id=name)],
            value=gast.Call(func=function, args=[gast.Name(id=left), gast.Name(id=right)], keywords=[]),
        ) if dotted_path(function) == "np.dot":
            return name, left, right
    return None


class _Chain:
    def __init__(self, program: Program, code: Code) -> None:
        self.program, self.types, self.names = program, dict(code.types.of), code.fresh_names()
        self.counts = mentions(program.unit.tree.body)
        self.fixed = choosing(program.unit.tree.body, program.aliases)

    def untransposed(self, statement: Any) -> bool:
        """Let the product of a transposed matrix and a vector be that of the vector and the matrix."""
        found = _product(statement)
        if found is None:
            return False
        name, left, right = found
        turned, vector = (left, right) if self.is_real(left, 2) else (right, left)
        dtype = self.is_real(turned, 2)
        if dtype is None or self.is_real(vector, 1) != dtype or self.is_real(name, 1) != dtype:
            return False
        matrix = self.transposed(turned)
        if matrix is None:
            return False
        order = (vector, matrix) if turned == left else (matrix, vector)
        statement.value = binary(load(order[0]), gast.MatMult, load(order[1]))
        self.counts[matrix] += 1
        self.counts[turned] -= 1
        if self.counts[turned] == 1:
            self.drop(self.program.flow.single(turned))
            self.counts[matrix] -= 1
        return True

    def drop(self, statement: gast.stmt | None) -> None:
        """Take a statement out of its block."""
        for block in walk_blocks(self.program.unit.tree.body):
            if any(each is statement for each in block):
                block[:] = [each for each in block if each is not statement] or [gast.Pass()]

    def transposed(self, name: str) -> str | None:
        """The matrix of which a name is the transpose wherever it has a value; None if it is that of none."""
        flow = self.program.flow
        maker = flow.single(name)
        match maker.value if isinstance(maker, gast.Assign) else None:
            case gast.Call(func=function, args=[gast.Name(id=matrix)], keywords=[]):
                is_lasting = flow.single(matrix) is not None or (
                    matrix in flow.parameters and not flow.stores.get(matrix)
                )
                return matrix if dotted_path(function) == "np.transpose" and is_lasting else None
        return None

    def reassociated(self, block: Block, statement: Any) -> bool:
        """Let the product of a matrix and a vector come before what makes the matrix, if nothing else uses that."""
        found = _product(statement)
        if found is None or self.program.aliases.alias_class(found[0]) in self.fixed:
            return False
        name, left, right = found
        matrix, vector = (left, right) if self.is_real(left, 2) else (right, left)
        dtype = self.is_real(matrix, 2)
        if dtype is None or self.is_real(vector, 1) != dtype or self.is_real(name, 1) != dtype:
            return False
        k = next(k for k, each in enumerate(block) if each is statement)
        at = next((at for at in range(k - 1, -1, -1) if all_written(block[at]) == [matrix]), None)
        if (
            at is None
            or self.counts[matrix] != 2
            or not isinstance(block[at], gast.Assign)
            or notes_of(block[at]).effect
        ):
            return False
        first, last = self.factors(block[at], vector, matrix == left, dtype)
        if first is None or not self.stay({*names_in(block[at].value)}, block[at + 1 : k]):
            return False
        part = self.names.fresh(f"{name}_part")
        self.types[part] = self.types[name]
        self.counts[part] = 2
        made = assign(part, first, place_of(statement))
        statement.value = last(load(part))
        block[k:k] = [made]
        del block[at]
        while self.untransposed(made) or self.reassociated(block, made):
            pass
        return True

    def factors(self, maker: Any, vector: str, is_left: bool, dtype: nb.Type) -> tuple[gast.expr | None, Any]:
        """The product that comes first, and what becomes of its result, for what makes the matrix."""

        def applied(matrix: str) -> gast.expr:
            left, right = (matrix, vector) if is_left else (vector, matrix)
            return binary(load(left), gast.MatMult, load(right))

        product = _product(maker)
        if product is not None:
            _, left, right = product
            if self.is_real(left, 2) == self.is_real(right, 2) == dtype:
                if is_left:
                    return applied(right), lambda part: binary(load(left), gast.MatMult, part)
                return applied(left), lambda part: binary(part, gast.MatMult, load(right))
        match maker.value:
            case gast.BinOp(left=gast.Name(id=matrix), op=gast.Mult() | gast.Div() as op, right=number) if self.is_real(
                matrix, 2
            ) == dtype and self.is_number(number):
                return applied(matrix), lambda part: binary(part, type(op), number)
            case gast.BinOp(left=number, op=gast.Mult(), right=gast.Name(id=matrix)) if self.is_real(
                matrix, 2
            ) == dtype and self.is_number(number):
                return applied(matrix), lambda part: binary(number, gast.Mult, part)
            case gast.UnaryOp(op=gast.USub(), operand=gast.Name(id=matrix)) if self.is_real(matrix, 2) == dtype:
                return applied(matrix), lambda part: gast.UnaryOp(op=gast.USub(), operand=part)
        return None, None

    def is_real(self, name: str, ndim: int) -> nb.Type | None:
        """The type of the elements of a real array of so many dimensions; None for anything else."""
        kind: Any = self.types.get(name)
        is_fitting = isinstance(kind, nb.Array) and kind.ndim == ndim and isinstance(kind.dtype, nb.Float)
        return kind.dtype if is_fitting else None

    def is_number(self, node: gast.expr) -> bool:
        """Whether an operand is a real number."""
        if isinstance(node, gast.Name):
            return isinstance(self.types.get(node.id), (nb.Float, nb.Integer))
        return isinstance(node, gast.Constant) and type(node.value) in (int, float)

    def stay(self, names: Collection[str], block: Block) -> bool:
        """Whether names, and arrays of these names, stay what they are during some statements."""
        may_alias = self.program.aliases.may_alias
        return not any(
            {*all_written(each)} & {*names}
            or any(may_alias(one, name) for one in changed_memory(each) for name in names)
            for each in walk_statements(block)
        )
