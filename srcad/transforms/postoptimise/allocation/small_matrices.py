"""Small matrices: calls for matrices of a few elements become kernels that know the extents.

    kernels.blas.times_into(c, a, b)        becomes     kernels.small.times_into(c, a, b, 3, 3, 2)
    np.trace(c)                                         c[0, 0] + c[1, 1]

Where all extents are numbers (`known_extents`), and few elements are computed. These kernels are instructions where
they are called, without loops, checks or pointers that leave the function: what small arrays hold can then be in
registers. Runs after all passes that know the other kernels by name; `with_general_kernels` takes it back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
from numba import types as nb

from srcad.runtime import kernels
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.liveness import liveness_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.build import (
    Block,
    binary,
    const,
    dotted,
    dotted_path,
    inner_blocks,
    load,
    subscript,
    tuple_of,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.lasting_extents import known_throughout
from srcad.transforms.postoptimise.allocation.known_extents import known_extents
from srcad.transforms.postoptimise.allocation_hoisting import allocated, allocated_kind

MOST_TERMS = 64  # of a product: 4 by 4 matrices
MOST_ELEMENTS = 36  # of an array that is copied or added
_Extents = tuple[int, ...]


def with_small_matrices(made: Made) -> Made:
    """The functions of a module, with kernels that know the extents of small matrices."""
    name = next((each for each, thing in made.bindings.items() if thing is kernels), None)
    if name is None:
        return made
    for code in made.codes():
        if code.kinds and not any(is_parallel(each) for each in walk_statements(code.body)):
            Chooser(code, name).walk(code.body, Facts.at_start(code.kinds, ranks_of(code).of))
    return made


def _product(a: _Extents, b: _Extents) -> _Extents | None:
    rows = a[0] if len(a) == 2 else 1
    return _matching((rows, a[-1], b[1] if len(b) == 2 else 1), a[-1] == b[0])


def _times_transpose(a: _Extents, b: _Extents) -> _Extents | None:
    return _matching((a[0], a[-1], b[0]), len(a) == len(b) == 2 and a[1] == b[1])


def _transpose_times(a: _Extents, b: _Extents) -> _Extents | None:
    return _matching((a[-1], a[0], b[1] if len(b) == 2 else 1), len(a) == 2 and a[0] == b[0])


def _outer(a: _Extents, b: _Extents) -> _Extents | None:
    return _matching((a[0], 1, b[0]), len(a) == len(b) == 1)


def _matching(extents: _Extents, holds: bool) -> _Extents | None:
    rows, inner, columns = extents
    return extents if holds and min(extents) > 0 and rows * inner * columns <= MOST_TERMS else None


def _same(out: _Extents, a: _Extents) -> _Extents | None:
    if out != a or not 0 < len(out) < 3 or not 0 < _size(out) <= MOST_ELEMENTS:
        return None
    return (*out, 1)[:2]


def _size(extents: _Extents) -> int:
    found = 1
    for each in extents:
        found *= each
    return found


def _square(*extents: _Extents) -> _Extents | None:
    """The rows of a matrix of 2 or 3 rows, given with what belongs to it."""
    return (extents[-1][0],) if extents[-1] in ((2, 2), (3, 3)) else None


def _of_factors(factors: _Extents) -> _Extents | None:
    return (factors[1],) if factors in ((3, 2), (4, 3)) else None


def _system(out: _Extents, factors: _Extents, b: _Extents) -> _Extents | None:
    n = _of_factors(factors)
    return (*n, (*b, 1)[1]) if n is not None and out == b and b[0] == n[0] and (*b, 1)[1] in range(1, 5) else None


# Kernels, with the places of the arrays among the arguments, and what gives the numbers to add for their extents.
_PRODUCTS: dict[str, Callable[[_Extents, _Extents], _Extents | None]] = {
    "blas.times_into": _product,
    "blas.times_transpose_into": _times_transpose,
    "blas.transpose_times_into": _transpose_times,
    "blas.outer_into": _outer,
    "blas.add_times": _product,
    "blas.add_times_transpose": _times_transpose,
    "blas.add_transpose_times": _transpose_times,
    "add_outer": _outer,
}
_KERNELS: dict[str, tuple[tuple[int, ...], Callable[..., _Extents | None]]] = {
    **{name: ((1, 2), extents) for name, extents in _PRODUCTS.items()},
    "copy_to": ((0, 1), _same),
    "add_to": ((0, 1), _same),
    "subtract_from": ((0, 1), _same),
    "add_scaled": ((0, 2), _same),
    "blas.diagonal_into": ((0,), lambda out: out if len(out) == 2 and 0 < _size(out) <= MOST_ELEMENTS else None),
    "blas.lu_factors_into": ((0, 1), lambda factors, a: _square(a) if factors[0] == a[0] + 1 else None),
    "blas.inverse_factored_into": ((0, 2), lambda out, factors: _of_factors(factors) if len(out) == 2 else None),
    "blas.solve_factored_into": ((0, 2, 3), _system),
    "blas.solve_factored_transposed_into": ((0, 2, 3), _system),
    "blas.cofactors_factored_into": ((0, 2), lambda out, factors: _of_factors(factors)),
    "determinant_factored": ((1,), _of_factors),
}


class Chooser:
    """Puts kernels for known extents in the place of others."""

    def __init__(self, code: Code, kernels_name: str) -> None:
        made = {allocated(each): each for each in walk_statements(code.body)}
        self.kinds = {**{name: allocated_kind(each) for name, each in made.items() if name is not None}, **code.kinds}
        self.prefix = f"{kernels_name}."
        self.live = liveness_of(code)

    def walk(self, block: Block, facts: Facts) -> None:
        """Change the calls in a block, and in its inner blocks."""
        for statement in block:
            if inner_blocks(statement):
                before, head = facts.copy(), self.live.heads.get(statement, ())
                blocks = facts.descend(statement)
                known_throughout(statement, before, head, (facts, *(inside for _, inside in blocks)))
                for inner, inside in blocks:
                    self.walk(inner, inside)
                continue
            _Calls(self, facts).visit(statement)
            facts.learn(statement)
            facts.learn_check(statement)

    def is_double(self, node: gast.expr) -> bool:
        """Whether this is an array of doubles, or of single precision, by a name, a transposed matrix, or rows."""
        match node:
            case gast.Call(args=[inner], keywords=[]) if dotted_path(node.func) == "np.transpose":
                return self.is_double(inner)
            case gast.Subscript(value=gast.Name(id=name)):
                pass
            case gast.Name(id=name):
                pass
            case _:
                return False
        kind: Any = self.kinds.get(name)
        rank = getattr(kind, "ndim", 0) - (len(index_parts(node)) if isinstance(node, gast.Subscript) else 0)
        return type(kind) is nb.Array and kind.dtype == nb.float64 and 0 < rank < 3


class _Calls(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """One statement with the kernels that its operands allow."""

    def __init__(self, chooser: Chooser, facts: Facts) -> None:
        self.chooser, self.facts = chooser, facts

    def visit_Call(self, node: gast.Call) -> gast.expr:
        self.generic_visit(node)
        path = dotted_path(node.func) or ""
        if path == "np.trace" and len(node.args) == 1 and not node.keywords:
            return self.diagonal(node)
        if not path.startswith(self.chooser.prefix):
            return node
        name = path.removeprefix(self.chooser.prefix)
        if name not in _KERNELS:
            return node
        places, extents_of = _KERNELS[name]
        arrays = [node.args[place] for place in places]
        if name in _PRODUCTS:
            arrays.append(node.args[0])
        if not all(map(self.chooser.is_double, arrays)):
            return node
        extents = [known_extents(each, self.facts) for each in arrays[: len(places)]]
        numbers = None if None in extents else extents_of(*extents)
        if numbers is None:
            return node
        small = f"{self.chooser.prefix}small.{name.rpartition('.')[2]}"
        return gast.Call(func=dotted(small), args=[*node.args, *map(const, numbers)], keywords=[])

    def diagonal(self, node: gast.Call) -> gast.expr:
        """The trace of a small matrix as a sum."""
        matrix = node.args[0]
        extents = known_extents(matrix, self.facts)
        if not isinstance(matrix, gast.Name) or not self.chooser.is_double(matrix) or extents is None:
            return node
        if len(extents) != 2 or extents[0] != extents[1] or not 0 < extents[0] <= 6:
            return node
        first, *others = (subscript(load(matrix.id), tuple_of(const(i), const(i))) for i in range(extents[0]))
        total: gast.expr = first
        for each in others:
            total = binary(total, gast.Add, each)
        return total


_BLAS = frozenset(name.partition(".")[2] for name in _KERNELS if name.startswith("blas."))


def with_general_kernels(tree: gast.AST, kernels_name: str = "kernels") -> gast.AST:
    """The same text with kernels for any extents, and arrays that are not on the stack; changes the tree."""
    return _General(f"{kernels_name}.small.").visit(tree)


class _General(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def visit_Call(self, node: gast.Call) -> gast.expr:
        self.generic_visit(node)
        path = dotted_path(node.func) or ""
        if not path.startswith(self.prefix):
            return node
        name, root = path.removeprefix(self.prefix), self.prefix.removesuffix("small.")
        if name in ("empty_vector", "empty_matrix"):
            shape = node.args[0] if len(node.args) == 1 else tuple_of(*node.args)
            return gast.Call(func=dotted("np.empty"), args=[shape], keywords=[])
        own = [each for each in node.args if not (isinstance(each, gast.Constant) and type(each.value) is int)]
        return gast.Call(func=dotted(f"{root}{'blas.' * (name in _BLAS)}{name}"), args=own, keywords=[])
