"""Product fusion: two products of one matrix with vectors, or two outer products into one matrix, share a pass.

    y_bar = kernels.transpose_times(a, u)       y_bar = np.empty(a.shape[1])
    ...                              becomes    z_bar = np.empty(a.shape[0])
    z_bar = kernels.times(a, v)                 kernels.blas.store_both_products(z_bar, y_bar, a, v, u)

    a_bar = np.outer(u, x)                      a_bar = np.empty((u.shape[0], x.shape[0]))
    ...                              becomes    kernels.blas.store_outer_products(a_bar, u, x, v, y)
    a_bar += np.outer(v, y)

Products of a matrix and a vector take as long as memory takes, and both sweeps of `a @ x` and of `x @ a` are made of
them. One product may read what the other one gives, as in `a.T @ (a @ x)`. Input and output are the statements of one
function. Applies within a block, where the first can wait for the second, or the second can be computed with the first.
Terms are added in another order than BLAS adds them, so products that the primal's results or choices depend on (see
`choosing`) stay as they are; sums of outer products are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import gast
from numba import types as nb

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    attribute,
    call,
    const,
    dotted_path,
    load,
    mentions,
    place_of,
    position,
    subscript,
    tuple_of,
    walk,
    walk_blocks,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, is_effect
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.control_dependence import choosing, is_smooth
from srcad.transforms.postoptimise.kernel_calls import kernel_call, means_kernels, with_kernel_calls
from srcad.transforms.postoptimise.unordered_reductions import primal_results

_TIMES, _TRANSPOSE_TIMES = ("kernels.times", "np.dot"), "kernels.transpose_times"
_LINEAR = (gast.Add, gast.Sub, gast.Mult, gast.Div, gast.MatMult)
_EXITS = (gast.Break, gast.Continue, gast.Return)


def with_shared_passes(code: Code) -> Code:
    """Let products, and sums of outer products, share passes over memory."""
    everything = list(walk_statements(code.body))
    if not any(map(_may_be_product, everything)):
        return code
    if any(is_parallel(each) for each in everything) or not means_kernels(code):
        return code
    fusion = _Fusion(code)
    for block in list(walk_blocks(code.body)):
        fusion.of_outer_products(block)
        fusion.of_products(block)
    return code.with_body(code.body, fusion.new) if fusion.is_done else code


def _may_be_product(statement: gast.stmt) -> bool:
    if not isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return)) or statement.value is None:
        return False
    return any(
        (isinstance(node, gast.BinOp) and isinstance(node.op, gast.MatMult))
        or (isinstance(node, gast.Call) and dotted_path(node.func) in (*_TIMES, _TRANSPOSE_TIMES, "np.outer"))
        for node in walk(statement.value)
    )


@dataclass(frozen=True)
class _Product:
    """A product of a matrix, or of its transpose, and a vector, within a statement.

    name        what it is assigned to, if that is all the statement does
    turned      whether the rows of the memory, in which the matrix lies, are added up
    """

    statement: Any
    node: gast.expr
    matrix: str
    vector: str
    turned: bool
    name: str | None


@dataclass(frozen=True)
class _Outer:
    """A statement that makes an outer product, or adds it to a matrix."""

    statement: Any
    total: str
    factors: tuple[str, str]
    makes: bool


class _Fusion:
    def __init__(self, code: Code) -> None:
        self.kinds, self.aliases = code.kinds, aliases_of(code)
        self.names, self.new = code.fresh_names(), dict[str, nb.Type]()
        self.primals = code.primals or 0
        self.fixed = choosing(code.body, self.aliases, primal_results(code.body, self.primals), _chooses_nothing)
        self.is_done = False

    # Outer products

    def of_outer_products(self, block: Block) -> None:
        """Let outer products that are added to one matrix share passes, two at a time."""
        waiting: dict[str, _Outer] = {}
        for statement in list(block):
            later = self.outer(statement)
            if later is None:
                continue
            first = waiting.pop(later.total, None)
            if first is None or later.makes or not self.can_wait_to_add(first, later, block):
                waiting[later.total] = later
                continue
            _replace(block, first.statement, [])
            _replace(block, statement, self.added_together(first, later))
            self.is_done = True

    def outer(self, statement: gast.stmt) -> _Outer | None:
        """The outer product of two vectors that a statement makes, or adds to a matrix, if all are of one type."""
        match statement:
            case gast.Assign(targets=[gast.Name(id=total)], value=gast.Call() as value):
                makes = True
            case gast.AugAssign(target=gast.Name(id=total), op=gast.Add(), value=gast.Call() as value):
                makes = False
            case _:
                return None
        match value:
            case gast.Call(func=function, args=[gast.Name(id=one), gast.Name(id=other)], keywords=[]):
                is_outer = dotted_path(function) == "np.outer" and (makes or notes_of(statement).whole)
                dtype = self.dtype(one, 1)
                if is_outer and dtype is not None and self.dtype(other, 1) == dtype and self.is_new(total, 2, dtype):
                    return _Outer(statement, total, (one, other), makes)
        return None

    def can_wait_to_add(self, first: _Outer, later: _Outer, block: Block) -> bool:
        """Whether an outer product may be computed as late as another one that is added to the same matrix."""
        between = _between(block, first.statement, later.statement)
        used = mentions(between)
        is_unused = not any(used[each] for each in {first.total, *self.aliases.connected(first.total)})
        return is_unused and self.stay(first.factors, between)

    def added_together(self, first: _Outer, later: _Outer) -> Block:
        """The statements that make the matrix, or add to it, in one pass."""
        factors = [load(each) for each in (*first.factors, *later.factors)]
        kernel = "blas.store_outer_products" if first.makes else "blas.add_outer_products"
        sums = self.called(kernel, [load(first.total), *factors], first.statement)
        if not first.makes:
            return [sums]
        extents = tuple_of(*(_extent(each, 0) for each in first.factors))
        return [self.room(first.total, extents, first.factors[0], first.statement), sums]

    # Products of a matrix and a vector

    def of_products(self, block: Block) -> None:
        """Let products of one matrix with vectors share passes, two at a time."""
        waiting: list[_Product] = []
        for statement in list(block):
            for later in list(self.products(statement)):
                for first in reversed(waiting):
                    if first.matrix == later.matrix and self.together(first, later, block):
                        waiting.remove(first)
                        self.is_done = True
                        break
                else:
                    waiting.append(later)

    def products(self, statement: Any) -> Iterator[_Product]:
        """The products in a statement that may be added up in any order."""
        match statement:
            case gast.Assign(targets=[target], value=value):
                name = target.id if isinstance(target, gast.Name) else None
                parts = [value]
            case gast.AugAssign(value=value):
                name, parts = None, [value]
            case gast.Return(value=gast.Tuple(elts=elements)):
                name, parts = None, elements[self.primals :]
            case gast.Return(value=gast.expr() as value) if not self.primals:
                name, parts = None, [value]
            case _:
                return
        changed = {*all_written(statement), *changed_memory(statement)}
        if any(self.aliases.alias_class(each) in self.fixed for each in changed):
            return
        for part in parts:
            for node in _terms(part):
                found = self.factors(node)
                if found is not None:
                    matrix, vector, turned = found
                    is_whole = node is part and name is not None and self.is_new(name, 1, self.dtype(matrix, 2))
                    yield _Product(statement, node, matrix, vector, turned, name if is_whole else None)

    def factors(self, node: gast.expr) -> tuple[str, str, bool] | None:
        """The matrix, the vector, and whether rows of the memory are added up."""
        match node:
            case gast.BinOp(left=gast.Name(id=one), op=gast.MatMult(), right=gast.Name(id=other)):
                path: str | None = _TIMES[0]
            case gast.Call(func=function, args=[gast.Name(id=one), gast.Name(id=other)], keywords=[]):
                path = dotted_path(function)
            case _:
                return None
        if path in _TIMES and self.dtype(one, 1) is not None:
            matrix, vector, turned = other, one, True
        elif path in (*_TIMES, _TRANSPOSE_TIMES):
            matrix, vector, turned = one, other, path == _TRANSPOSE_TIMES
        else:
            return None
        dtype = self.dtype(matrix, 2)
        kind: Any = self.kinds.get(matrix)
        if dtype is None or self.dtype(vector, 1) != dtype or kind.layout == "A":
            return None
        return matrix, vector, turned != (kind.layout == "F")

    def together(self, first: _Product, later: _Product, block: Block) -> bool:
        """Compute two products of one matrix together, if they can be."""
        if first.turned == later.turned:
            return False
        between = _between(block, first.statement, later.statement)
        if any(isinstance(each, _EXITS) for each in walk_statements(between)):
            return False
        if self.can_wait(first, later, between):
            own = later.name if later.name not in (first.vector, later.vector) else None
            made = self.both(first, later, (first.name, own), later.statement)
            _replace(block, later.statement, made if own else [*made, later.statement])
            if first.statement is not later.statement:
                _replace(block, first.statement, [])
            return True
        if self.can_be_early(first, later, between):
            taken = {first.name, *mentions([first.statement, *between]), later.vector}
            own = later.name if later.name not in taken else None
            made = self.both(first, later, (first.name, own), first.statement)
            _replace(block, first.statement, made if first.name else [*made, first.statement])
            if own:
                _replace(block, later.statement, [])
            return True
        return False

    def can_wait(self, first: _Product, later: _Product, between: Block) -> bool:
        """Whether the first product may be computed as late as the second one."""
        if first.statement is later.statement:
            return True
        name = first.name
        if name is None or name in (first.vector, later.vector, *all_written(later.statement)):
            return False
        return not mentions(between)[name] and self.stay((first.matrix, first.vector), between)

    def can_be_early(self, first: _Product, later: _Product, between: Block) -> bool:
        """Whether the second product may be computed as early as the first one."""
        if any(map(is_effect, between)):
            return False
        if later.vector == first.name:
            is_chain = not first.turned and first.vector != first.name
            return is_chain and self.stay((later.matrix, later.vector), between)
        is_apart = first.name not in (first.vector, later.vector)
        return is_apart and self.stay((later.matrix, later.vector), [first.statement, *between])

    def both(self, first: _Product, later: _Product, names: tuple[str | None, str | None], at_once: Any) -> Block:
        """The statements that compute both products; other names are put in their places."""
        own = [each or self.temporary(product) for each, product in zip(names, (first, later), strict=True)]
        for name, product, given in zip(own, (first, later), names, strict=True):
            if given is None:
                _put(product, load(name))
        straight, turned = (later, first) if first.turned else (first, later)
        p, q = reversed(own) if first.turned else own
        is_turned = self.kinds[first.matrix].layout == "F"
        matrix = attribute(load(first.matrix), "T") if is_turned else load(first.matrix)
        rooms = [
            self.room(name, _extent(first.matrix, axis), first.matrix, at_once)
            for name, axis in ((p, int(is_turned)), (q, int(not is_turned)))
        ]
        if later.vector == first.name:
            return [
                *rooms,
                self.called("blas.store_product_and_back", [load(p), load(q), matrix, load(first.vector)], at_once),
            ]
        factors = [matrix, load(straight.vector), load(turned.vector)]
        return [*rooms, self.called("blas.store_both_products", [load(p), load(q), *factors], at_once)]

    def temporary(self, product: _Product) -> str:
        """A new name for a product."""
        name: str = self.names.fresh(f"{product.matrix}_{product.vector}")
        self.new[name] = nb.Array(self.kinds[product.matrix].dtype, 1, "C")
        return name

    # What both have in common

    def dtype(self, name: str, ndim: int) -> nb.Type | None:
        """The type of the elements of a real array of so many dimensions; None for anything else."""
        kind: Any = self.kinds.get(name)
        is_real = isinstance(kind, nb.Array) and kind.ndim == ndim and isinstance(kind.dtype, nb.Float)
        return kind.dtype if is_real else None

    def is_new(self, name: str, ndim: int, dtype: nb.Type | None) -> bool:
        """Whether a name holds arrays such as `np.empty` makes them, of this type of elements."""
        return dtype is not None and self.kinds.get(name) == nb.Array(dtype, ndim, "C")

    def stay(self, names: Collection[str], block: Block) -> bool:
        """Whether arrays stay as they are during some statements."""
        for each in walk_statements(block):
            if not {*all_written(each)}.isdisjoint(names):
                return False
            if any(self.aliases.may_alias(changed, name) for changed in changed_memory(each) for name in names):
                return False
        return True

    def room(self, name: str, extents: gast.expr, like: str, place: gast.stmt) -> gast.stmt:
        """The statement that allocates an array for a result, of the type of another array."""
        dtype = [] if self.kinds[like].dtype == nb.float64 else [attribute(load(like), "dtype")]
        return assign(name, call("np.empty", extents, *dtype), place_of(place))

    def called(self, kernel: str, arguments: list[gast.expr], place: gast.stmt) -> gast.stmt:
        """The call of a kernel in the place of a statement."""
        statement = at(gast.Expr(value=kernel_call(kernel, *arguments)), place_of(place))
        return note(with_kernel_calls(statement), comment=notes_of(place).comment)


def _chooses_nothing(path: str | None) -> bool:
    """Whether a function makes no choice by values that are rounded differently; kernels serve smooth adjoints."""
    return is_smooth(path) or (path is not None and path.startswith("kernels."))


def _extent(name: str, axis: int) -> gast.expr:
    return subscript(attribute(load(name), "shape"), const(axis))


def _terms(value: gast.expr) -> Iterator[gast.expr]:
    """An expression, and the parts of it on which it depends linearly or as a quotient."""
    yield value
    match value:
        case gast.BinOp(left=left, op=op, right=right) if isinstance(op, _LINEAR):
            yield from _terms(left)
            yield from _terms(right)
        case gast.UnaryOp(op=gast.USub(), operand=operand):
            yield from _terms(operand)


def _between(block: Block, first: gast.stmt, last: gast.stmt) -> Block:
    """The statements between two statements of a block."""
    return block[position(block, first) + 1 : position(block, last)]


def _replace(block: Block, statement: gast.stmt, by: Block) -> None:
    k = position(block, statement)
    block[k : k + 1] = by


class _Put(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, node: gast.expr, by: gast.expr) -> None:
        self.node, self.by = node, by

    def visit(self, node: gast.AST) -> Any:
        return self.by if node is self.node else super().visit(node)


def _put(product: _Product, name: gast.expr) -> None:
    """Put a name in the place of a product."""
    _Put(product.node, name).visit(product.statement)
