"""Array contraction to a scalar: an array of which each iteration uses only its own element becomes a scalar.

    h = np.empty(n)
    h_bar = np.zeros(n)                   for i in range(n):
    for i in range(n):                        h_i = np.tanh(x[i])
        h[i] = np.tanh(x[i])                  h_bar_i = f(h_i)
        h_bar[i] += f(h[i])    becomes        x_bar[i] += h_bar_i * (1.0 - h_i * h_i)
        t = h_bar[i]
        x_bar[i] += t * (1.0 - h[i] * h[i])

Such arrays are intermediate values of elementwise code whose forward and reverse loops have been fused. Input and
output are the statements of one function. Applies to float64 arrays that are allocated empty or as zeros and used in
one loop nest only, always with the same subscript, which consists of the nest's loop indices, each once. Where a loop
needs several rows at the same time, `array_contraction` applies instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import index_parts, is_counted
from srcad.transforms.analysis.affine.point_facts import Facts, have_natural_indices
from srcad.transforms.ir.array_functions import DOUBLES, MAKES_UNSET, MAKES_ZEROS
from srcad.transforms.ir.build import (
    Block,
    MentionedNames,
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
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.ir.type_annotations import is_parallel

_NUMBERS = nb.float64, nb.complex128


def with_single_elements(code: Code) -> Code:
    """Contract arrays to scalars where possible.

    Functions with parallel loops are left unchanged.
    """
    if any(is_parallel(each) for each in walk_statements(code.body)):
        return code
    contractor = _Contractor(code)
    contractor.walk(code.body)
    return code.with_body(code.body, contractor.kinds)


class _Contractor:
    def __init__(self, code: Code) -> None:
        self.kinds = dict(code.kinds)
        self.mentions = mentions(code.body)
        self.stores = store_counts(code)
        self.names = code.fresh_names()
        self.mentioned = MentionedNames()  # arrays that are contracted are not asked for again

    def walk(self, block: Block) -> None:
        """Contract the arrays that are allocated in a block or in its inner blocks."""
        for statement in list(block):
            for inner in inner_blocks(statement):
                self.walk(inner)
            name = made_in(statement)
            kind = self.kinds.get(name or "")
            if name and self.stores[name] == 1 and isinstance(kind, nb.Array) and kind.dtype in _NUMBERS:
                nest = self.only_user(islice(block, position(block, statement) + 1, None), name)
                if is_counted(nest) and self.contract(name, nest):
                    block.remove(statement)

    def only_user(self, block: Iterable[gast.stmt], name: str) -> gast.stmt | None:
        """The only statement of a block, or of one arm in it, that mentions a name; None if there are several."""
        users = [*islice((each for each in block if name in self.mentioned.of(each)), 2)]
        if len(users) != 1 or not isinstance(users[0], gast.If):
            return users[0] if len(users) == 1 else None
        found = [self.only_user(arm, name) for arm in inner_blocks(users[0]) if name in mentions(arm)]
        return found[0] if len(found) == 1 else None

    def contract(self, name: str, nest: gast.For) -> bool:
        """Replace the elements of an array in a loop nest by a scalar variable, if possible; returns whether it was."""
        loops = loops_around(nest, {name})
        index = common_index(loops, {name})
        if index is None or mentions([nest])[name] + 1 != self.mentions[name]:
            return False
        if len(index) != self.kinds[name].ndim:  # rows
            return False
        body = loops[-1].body
        users = [each for each in body if name in mentions([each])]
        first = first_store(users[0], name)
        if is_zero_store(users[-1], name) and len(users) > 1:
            body.remove(users[-1])
        element = self.names.fresh("_".join([name, *index]))
        kind = self.kinds[element] = self.kinds[name].dtype
        body[position(body, users[0])] = first or users[0]
        if first is None:
            body.insert(0, assign(element, const(0.0 if kind == nb.float64 else 0j), place_of(users[0])))
        for each in walk_statements(body):
            target = stores_into(each)
            if getattr(getattr(target, "value", None), "id", None) == name and not self.is_of(kind, each.value):
                each.value = call(f"np.{kind}", each.value)  # as the array would have converted it
        replace = _Elements(name, element)
        body[:] = [replace.visit(each) for each in body]
        return True

    def is_of(self, kind: nb.Type, value: gast.expr) -> bool:
        """Whether a number is known to be a double, or a complex number of two."""
        match value:
            case gast.Constant(value=number):
                return isinstance(number, float if kind == nb.float64 else complex)
            case gast.Name(id=name):
                return bool(self.kinds.get(name) == kind)
            case gast.Subscript(value=gast.Name(id=name)):
                return bool(getattr(self.kinds.get(name), "dtype", None) == kind)
            case gast.UnaryOp(operand=operand):
                return self.is_of(kind, operand)
            case gast.BinOp(left=left, right=right):
                return self.is_of(kind, left) or self.is_of(kind, right)
            case gast.IfExp(body=body, orelse=orelse):
                return self.is_of(kind, body) and self.is_of(kind, orelse)
            case gast.Call(func=function, args=args):
                return dotted_path(function) in DOUBLES and any(self.is_of(kind, each) for each in args)
        return False


def made_in(statement: gast.stmt) -> str | None:
    """The name of the array that a statement allocates, empty or as zeros."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=function)):
            return name if dotted_path(function) in MAKES_UNSET | MAKES_ZEROS else None
    return None


def loops_around(nest: gast.For, names: set[str]) -> list[gast.For]:
    """The loops, outermost first, around all mentions of the names, and around tests whether they have iterations."""
    loops = [nest]
    while True:
        users = _users(loops[-1].body, names)
        if len(users) == 1 and notes_of(users[0]).asks_for_iterations:
            users = _users(users[0].body, names)
        if len(users) != 1 or not is_counted(users[0]):
            return loops
        loops += users


def _users(block: Block, names: set[str]) -> Block:
    """The statements of a block that mention some of the names."""
    return [each for each in block if not names.isdisjoint(mentions([each]))]


def common_index(loops: Sequence[gast.For], names: set[str], before: Facts | None = None) -> list[str] | None:
    """The loop indices in the order in which every subscript of the arrays has them, each exactly once.

    Then no two iterations use the same element. None where the arrays are used in any other way, and where an index is
    not known to be natural: it may count from the end. `before` has the facts before the loops.
    """
    if not have_natural_indices(loops, before or Facts()):
        return None
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
    """The first access as a plain store: `a[i] = v` for `a[i] += v`, where the element is zero; None for others."""
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


class _Elements(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Replaces the elements of an array by a scalar variable."""

    def __init__(self, array: str, element: str) -> None:
        self.array, self.element = array, element

    def visit_Subscript(self, node: gast.Subscript) -> gast.AST:
        if getattr(node.value, "id", None) == self.array:
            return gast.Name(id=self.element, ctx=node.ctx, annotation=None, type_comment=None)
        return self.generic_visit(node)
