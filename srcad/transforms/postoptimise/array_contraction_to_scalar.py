"""Array contraction to a number: an array of which each iteration meets one element of its own, and nobody else any.

    h = np.empty(n)
    h_bar = np.zeros(n)                   for i in range(n):
    for i in range(n):                        h_i = np.tanh(x[i])
        h[i] = np.tanh(x[i])                  h_bar_i = f(h_i)
        h_bar[i] += f(h[i])    becomes        x_bar[i] += h_bar_i * (1.0 - h_i * h_i)
        t = h_bar[i]
        x_bar[i] += t * (1.0 - h[i] * h[i])

So it is with what a function computes for all elements, each of them several times used, where both sweeps go through
the elements together. (`contract` keeps the rows of an array that a loop needs at once, of which there may be several.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import gast
from numba import types as nb

from srcad.names import Names
from srcad.transforms.analysis.symbolic_shapes import index_parts
from srcad.transforms.ir.array_functions import MAKES_UNSET, MAKES_ZEROS, SMOOTH
from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    const,
    dotted_path,
    inner_blocks,
    mentions,
    place_of,
    position,
    stores_into,
    walk,
    walk_statements,
)
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.array_accesses import is_counted
from srcad.transforms.loop_analysis.array_extents import Shapes


def with_single_elements(body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> Block:
    """The statements with numbers for such arrays; `kinds` has the types of names, as far as they are known.

    Functions with parallel loops stay as they are.
    """
    if not any(is_parallel(each) for each in walk_statements(body)):
        _Contractor(body, parameters, kinds).walk(body)
    return body


class _Contractor:
    def __init__(self, body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> None:
        self.kinds = dict(kinds)
        self.mentions = mentions(body)
        self.stores = Counter([*parameters, *(name for each in walk_statements(body) for name in all_written(each))])
        self.names = Names({*self.mentions, *parameters})

    def walk(self, block: Block) -> None:
        """Contract arrays that are made in a block, or inside it."""
        for statement in list(block):
            for inner in inner_blocks(statement):
                self.walk(inner)
            name = made_in(statement)
            kind = self.kinds.get(name or "")
            if name and self.stores[name] == 1 and isinstance(kind, nb.Array) and kind.dtype == nb.float64:
                nest = _only_user(block[position(block, statement) + 1 :], name)
                if is_counted(nest) and self.contract(name, nest):
                    block.remove(statement)

    def contract(self, name: str, nest: gast.For) -> bool:
        """Put a variable in the place of an array's elements in a nest of loops, if that can be."""
        loops = loops_around(nest, {name})
        index = common_index(loops, {name})
        if index is None or mentions([nest])[name] + 1 != self.mentions[name] or not all(map(is_from_zero, loops)):
            return False
        body = loops[-1].body
        users = [each for each in body if name in mentions([each])]
        first = first_store(users[0], name)
        if is_zero_store(users[-1], name) and len(users) > 1:
            body.remove(users[-1])
        element = self.names.fresh("_".join([name, *index]))
        self.kinds[element] = nb.float64
        body[position(body, users[0])] = first or users[0]
        if first is None:
            body.insert(0, assign(element, const(0.0), place_of(users[0])))
        for each in walk_statements(body):
            target = stores_into(each)
            if getattr(getattr(target, "value", None), "id", None) == name and not self.is_float(each.value):
                each.value = call("np.float64", each.value)  # as an array would have it
        replace = _Elements(name, element)
        body[:] = [replace.visit(each) for each in body]
        return True

    def is_float(self, value: gast.expr) -> bool:
        """Whether a number is known to be one of double precision."""
        match value:
            case gast.Constant(value=number):
                return isinstance(number, float)
            case gast.Name(id=name):
                return bool(self.kinds.get(name) == nb.float64)
            case gast.Subscript(value=gast.Name(id=name)):
                return bool(getattr(self.kinds.get(name), "dtype", None) == nb.float64)
            case gast.UnaryOp(operand=operand):
                return self.is_float(operand)
            case gast.BinOp(left=left, right=right):
                return self.is_float(left) or self.is_float(right)
            case gast.IfExp(body=body, orelse=orelse):
                return self.is_float(body) and self.is_float(orelse)
            case gast.Call(func=function, args=args):
                return dotted_path(function) in SMOOTH and any(map(self.is_float, args))
        return False


def _only_user(block: Block, name: str) -> gast.stmt | None:
    """The one statement of a block, or of a branch of it, that mentions a name."""
    users = [each for each in block if name in mentions([each])]
    if len(users) != 1 or not isinstance(users[0], gast.If):
        return users[0] if len(users) == 1 else None
    found = [_only_user(arm, name) for arm in inner_blocks(users[0]) if name in mentions(arm)]
    return found[0] if len(found) == 1 else None


def made_in(statement: gast.stmt) -> str | None:
    """The name of an array that a statement makes, empty or of zeros."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=function)):
            return name if dotted_path(function) in MAKES_UNSET | MAKES_ZEROS else None
    return None


def loops_around(nest: gast.For, names: set[str]) -> list[gast.For]:
    """The loops around all that mentions the names, from the nest inwards."""
    loops = [nest]
    while True:
        users = [each for each in loops[-1].body if not names.isdisjoint(mentions([each]))]
        if len(users) != 1 or not is_counted(users[0]):
            return loops
        loops += users


def common_index(loops: list[gast.For], names: set[str]) -> list[str] | None:
    """The indices of the loops in the order in which all subscripts of some arrays have them, each of them once.

    None where the arrays are mentioned otherwise.
    """
    found = [each for each in walk(loops[0]) if isinstance(each, gast.Subscript)]
    places = [index_parts(each) for each in found if getattr(each.value, "id", None) in names]
    counted = mentions([loops[0]])
    if len(places) != sum(counted[name] for name in names):
        return None
    index = [getattr(part, "id", "") for part in places[0]]
    is_one = all([getattr(part, "id", None) for part in each] == index for each in places)
    is_kept = all(each.target.id not in stored_in(each.body) for each in loops)
    return index if is_one and is_kept and sorted(index) == sorted(each.target.id for each in loops) else None


def first_store(statement: gast.stmt, array: str) -> gast.Assign | None:
    """What a statement becomes that is the first to store an element, or to add to what is zero; None for others."""
    target = stores_into(statement)
    if target is None or getattr(target.value, "id", None) != array or mentions([statement])[array] != 1:
        return None
    match statement:
        case gast.Assign():
            return statement
        case gast.AugAssign(op=gast.Add(), value=value):
            pass
        case gast.AugAssign(op=gast.Sub(), value=gast.expr() as value):
            value = gast.UnaryOp(op=gast.USub(), operand=value)
        case _:
            return None
    return note(assign(target, value, place_of(statement)), comment=notes_of(statement).comment)


def is_zero_store(statement: gast.stmt, array: str) -> bool:
    """Whether a statement stores zero in an element of an array."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name))], value=value):
            return bool(name == array and constant(value) == 0.0)
    return False


def is_from_zero(loop: gast.For) -> bool:
    """Whether a loop goes up from zero, or down to it: no index is counted from the end of an array."""
    args, step = loop.iter.args, constant(Shapes.step(loop))
    if isinstance(step, int) and step < 0:
        return bool(constant(args[1]) == -1)
    return len(args) == 1 or (isinstance(step, int) and bool(constant(args[0]) == 0))


class _Elements(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Puts a variable in the place of an array's elements."""

    def __init__(self, array: str, element: str) -> None:
        self.array, self.element = array, element

    def visit_Subscript(self, node: gast.Subscript) -> gast.AST:
        if getattr(node.value, "id", None) == self.array:
            return gast.Name(id=self.element, ctx=node.ctx, annotation=None, type_comment=None)
        return self.generic_visit(node)
