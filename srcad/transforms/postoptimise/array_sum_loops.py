"""Array sums as loops: whole-array `+=` and `-=` in derivatives become explicit loop nests, adjacent ones fused.

    s = np.dot(r, x)                    s = np.dot(r, x)
    r_bar += s_bar * x      becomes     for i in range(r.shape[0]):
    x_bar += s_bar * r                      r_bar[i] += s_bar * x[i]
                                            x_bar[i] += s_bar * r[i]

The primal's array statements became loops before differentiation (`elementwise_fusion`); this pass handles those that
derivative rules add. Numba would allocate a temporary array for each product, and take longer to compile the statement.
Adjacent sums with the same extents share one loop nest. Applies only where all extents are proved equal, so that
nothing broadcasts.

If the statement comes from the rule of a function with a scalar result (note `exact`) and has one array operand, that
operand has the adjoint's shape. Other rules may broadcast: their operands must be proved to have that shape.
"""

from __future__ import annotations

from collections import Counter

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import index_parts, is_full
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.array_functions import STRONG
from srcad.transforms.ir.build import (
    Block,
    augment,
    binary,
    clone,
    dotted_path,
    inner_blocks,
    load,
    loop,
    mentions,
    names_in,
    one_or_tuple,
    place_of,
    subscript,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.optimise.loop_nests import INDICES
from srcad.transforms.postoptimise.array_contraction_to_scalar import made_in


def with_whole_sums(code: Code) -> Code:
    """Turn whole-array sums into loops where the shapes are known to agree.

    Functions with parallel loops are left unchanged: what their threads share is recognised by whole arrays.
    """
    if any(is_parallel(each) for each in walk_statements(code.body)):
        return code
    speller = _Speller(code)
    ranks = speller.ranks.of | _traces(code.body)
    return code.with_body(speller.spelled(code.body, Facts.at_start(code.kinds, ranks)))


def _traces(body: Block) -> dict[str, int]:
    """The ranks of new arrays of several dimensions, such as traces, that only one statement stores."""
    everything = list(walk_statements(body))
    stores = Counter(name for each in everything for name in all_written(each))
    made = {name: each.value.args[0] for each in everything if (name := made_in(each)) is not None and each.value.args}
    return {name: len(of.elts) for name, of in made.items() if isinstance(of, gast.Tuple) and stores[name] == 1}


class _Speller:
    def __init__(self, code: Code) -> None:
        self.kinds = code.kinds
        self.aliases, self.ranks = aliases_of(code), ranks_of(code)
        self.names = code.fresh_names()

    def spelled(self, block: Block, shapes: Facts) -> Block:
        """The block with loops for whole-array sums; adjacent sums with the same extents share one loop nest."""
        result: Block = []
        neighbour: list[Form] | None = None  # the extents of the preceding loop nest, if this pass made it
        for statement in block:
            if inner_blocks(statement):
                shapes.forget(self.rebound(statement))
                for inner in inner_blocks(statement):
                    inner[:] = self.spelled(inner, shapes.copy())
            extents = self.extents(statement, shapes)
            if extents is not None and extents == neighbour and self.fits(result[-1], statement):
                self.join(result[-1], statement)
            else:
                result.append(statement if extents is None else self.loops(statement, shapes))
            neighbour = extents
            shapes.learn(statement)
        return result

    def rebound(self, statement: gast.stmt) -> set[str]:
        """The names that are rebound by a statement; an array that is added to in place is not."""
        stores = ((each, name) for each in walk_statements([statement]) for name in all_written(each))
        return {name for each, name in stores if not (self.ranks.of.get(name) and isinstance(each, gast.AugAssign))}

    def extents(self, statement: gast.stmt, shapes: Facts) -> list[Form] | None:
        """The extents of a whole-array sum; None for other statements and where shapes are not proved equal."""
        match statement:
            case gast.AugAssign(
                target=gast.Name(id=name), op=gast.Add() | gast.Sub(), value=gast.BinOp() | gast.Call() as value
            ):
                pass
            case _:
                return None
        kind = self.kinds.get(name)
        if not (notes_of(statement).whole and isinstance(kind, nb.Array) and kind.dtype == nb.float64):
            return None
        arrays = self.arrays(value)
        if not arrays or any(self.overlap(name, _base(each)) for each in arrays):
            return None
        found, *others = [shapes.forms_of(each) for each in (load(name), *arrays)]
        if notes_of(statement).exact and len(arrays) == 1 and others[0] and len(others[0]) == len(found or ()):
            if isinstance(arrays[0], gast.Name):
                shapes.note(arrays[0].id, shapes.of(name) or ())
            return found
        return found if found and all(each == found for each in others) else None

    def arrays(self, node: gast.expr) -> list[gast.expr] | None:
        """The array operands of an arithmetic expression; None if it contains anything but arrays and numbers."""
        match node:
            case gast.BinOp(left=left, op=gast.Add() | gast.Sub() | gast.Mult() | gast.Div(), right=right):
                parts = self.arrays(left), self.arrays(right)
                return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]
            case gast.Call(func=function, args=[left, right]) if dotted_path(function) in STRONG:
                parts = self.arrays(left), self.arrays(right)
                return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]
            case gast.UnaryOp(op=gast.USub(), operand=operand):
                return self.arrays(operand)
        if self.is_number(node):
            return []
        kind = self.kinds.get(_base(node))
        return [node] if isinstance(kind, nb.Array) and isinstance(kind.dtype, (nb.Float, nb.Integer)) else None

    def is_number(self, node: gast.expr) -> bool:
        """Whether an expression is a scalar that array stores cannot change."""
        return self.ranks.is_number(node) and not any(self.ranks.of.get(each) for each in names_in(node))

    def overlap(self, one: str, other: str) -> bool:
        """Whether two different names may share memory, at different positions."""
        return one != other and self.aliases.may_alias(one, other)

    def fits(self, nest: gast.stmt, statement: gast.AugAssign) -> bool:
        """Whether a sum can be fused with the preceding loop nest: no two different arrays in them may share memory."""
        while isinstance(nest.body[0], gast.For):
            (nest,) = nest.body
        pairs = [(_base(each.target), name) for each in nest.body for name in self.arrays_in([statement])]
        pairs += [(statement.target.id, name) for name in self.arrays_in(nest.body)]
        return not any(self.overlap(one, other) for one, other in pairs)

    def arrays_in(self, block: Block) -> list[str]:
        """The names of the arrays that statements mention."""
        return [name for name in mentions(block) if self.ranks.of.get(name)]

    def loops(self, statement: gast.AugAssign, shapes: Facts) -> gast.stmt:
        """The loop nest for a whole-array sum."""
        bounds = [clone(each) for each in shapes.of(statement.target.id) or ()]
        indices = [self.names.fresh(each) for each in INDICES[: len(bounds)]]
        nest = self.element(statement, indices)
        for index, bound in zip(reversed(indices), reversed(bounds), strict=True):
            nest = loop(index, [bound], [nest], place_of(statement))
        return nest

    def join(self, nest: gast.For, statement: gast.AugAssign) -> None:
        """Fuse a whole-array sum into the preceding loop nest."""
        indices = [nest.target.id]
        while isinstance(nest.body[0], gast.For):
            (nest,) = nest.body
            indices.append(nest.target.id)
        nest.body.append(self.element(statement, indices))

    def element(self, statement: gast.AugAssign, indices: list[str]) -> gast.stmt:
        """A whole-array sum for one element."""
        target = subscript(statement.target, one_or_tuple([load(each) for each in indices]), store=True)
        result = augment(target, type(statement.op), self.at(statement.value, indices), place_of(statement))
        return note(result, comment=notes_of(statement).comment)

    def at(self, node: gast.expr, indices: list[str]) -> gast.expr:
        """A whole-array expression for one element."""
        match node:
            case gast.BinOp(left=left, op=op, right=right):
                return binary(self.at(left, indices), type(op), self.at(right, indices))
            case gast.UnaryOp(op=op, operand=operand):
                return gast.UnaryOp(op=op, operand=self.at(operand, indices))
            case gast.Call(func=function, args=[left, right]) if dotted_path(function) in STRONG:
                return gast.Call(func=function, args=[self.at(left, indices), self.at(right, indices)], keywords=[])
        if self.is_number(node):
            return node
        own = iter([load(each) for each in indices])
        given = index_parts(node) if isinstance(node, gast.Subscript) else []
        parts = [next(own) if is_full(each) else each for each in given]
        return subscript(load(_base(node)), one_or_tuple([*parts, *own]))


def _base(node: gast.expr) -> str:
    return getattr(node.value if isinstance(node, gast.Subscript) else node, "id", "")
