"""Contraction of outer products: one that is only read element by element is never made.

    a_bar = np.outer(u, v)                  for i in range(n):
    for i in range(n):                          for j in range(m):
        for j in range(m):      becomes             b_bar[i, j] = u[i] * v[j] * c
            b_bar[i, j] = a_bar[i, j] * c

The adjoint of a matrix in a product with a vector is such a product, as large as the matrix: it would be written to
memory and read again. Elements are the same to the last bit. Input and output are the statements of one function.
Applies where neither vector changes until the last element has been read. `optimise.outer_products` is the same before
differentiation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import index_parts, is_counted
from srcad.transforms.analysis.aliases import Aliases, aliases_of
from srcad.transforms.ir.build import (
    Block,
    binary,
    clone,
    dotted_path,
    load,
    mentions,
    subscript,
    walk,
    walk_blocks,
    walk_statements,
)
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.side_effects import all_written, changed_memory

_OUTER = ("np.outer", "kernels.outer")


def without_outer_products(code: Code) -> Code:
    """Write elements of outer products as products of elements, where all that is read of them is elements."""
    products = [(block, each) for block in walk_blocks(code.body) for each in block if _is_product(each, code)]
    if not products:
        return code
    aliases, counts, stores = aliases_of(code), mentions(code.body), store_counts(code)
    integers = {name for name, kind in code.kinds.items() if isinstance(kind, nb.Integer)}
    integers |= {each.target.id for each in walk_statements(code.body) if is_counted(each)}
    for block, product in products:
        name, factors = product.targets[0].id, [each.id for each in product.value.args]
        reads = list(_elements(block[block.index(product) + 1 :], name, integers))
        if stores[name] != 1 or not reads or len(reads) != counts[name] - 1:
            continue
        if _are_kept(block, product, name, factors, aliases):
            for statement in block:
                _Products(name, factors).visit(statement)
            block.remove(product)
    return code.with_body(code.body)


def _is_product(statement: gast.stmt, code: Code) -> bool:
    """Whether a statement makes the outer product of two vectors of floats that have names."""
    match statement:
        case gast.Assign(
            targets=[gast.Name(id=name)],
            value=gast.Call(func=function, args=[gast.Name(id=one), gast.Name(id=other)], keywords=[]),
        ) if dotted_path(function) in _OUTER:
            kinds = [code.kinds.get(each) for each in (name, one, other)]
            found = [each for each in kinds if isinstance(each, nb.Array) and isinstance(each.dtype, nb.Float)]
            return [each.ndim for each in found] == [2, 1, 1] and len({each.dtype for each in found}) == 1
    return False


def _elements(block: Block, name: str, integers: Collection[str]) -> Iterator[gast.Subscript]:
    """The reads of single elements of a matrix."""
    for statement in block:
        for node in walk(statement):
            match node:
                case gast.Subscript(value=gast.Name(id=base), ctx=gast.Load()) if base == name:
                    parts = index_parts(node)
                    if len(parts) == 2 and all(_is_integer(part, integers) for part in parts):
                        yield node


def _is_integer(part: gast.expr, integers: Collection[str]) -> bool:
    """Whether part of a subscript is an integer, by its names and literals."""
    match part:
        case gast.Constant(value=value):
            return type(value) is int
        case gast.Name(id=name):
            return name in integers
        case gast.BinOp(left=left, op=gast.Add() | gast.Sub() | gast.Mult(), right=right):
            return _is_integer(left, integers) and _is_integer(right, integers)
    return False


def _are_kept(block: Block, product: gast.stmt, name: str, factors: list[str], aliases: Aliases) -> bool:
    """Whether the factors stay as they are from the product to the last statement that reads it."""
    rest = block[block.index(product) + 1 :]
    last = max(place for place, each in enumerate(rest) if name in mentions([each]))
    for statement in walk_statements(rest[: last + 1]):
        if not {*all_written(statement)}.isdisjoint(factors):
            return False
        if any(aliases.may_alias(each, factor) for each in changed_memory(statement) for factor in factors):
            return False
    return True


class _Products(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Replaces the elements of an outer product by products of elements."""

    def __init__(self, name: str, factors: list[str]) -> None:
        self.name, self.factors = name, factors

    def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
        self.generic_visit(node)
        if not isinstance(node.value, gast.Name) or node.value.id != self.name:
            return node
        places = zip(self.factors, index_parts(node), strict=True)
        one, other = (subscript(load(factor), clone(part)) for factor, part in places)
        return binary(one, gast.Mult, other)
