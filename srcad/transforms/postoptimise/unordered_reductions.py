"""Reassociable sums: find the sums over innermost loops whose terms may be added in any order.

    for k in range(n):                          for k in range(n):
        a_bar += c_bar[k] * b[k]    becomes         a_bar = kernels.plus(a_bar, c_bar[k] * b[k])

Floating-point sums must be added in source order, one after the other, unless they are marked as reassociable; then
LLVM adds four or eight terms at a time. Reversing a product with a loop-invariant number gives such a sum, so gradients
are full of them where the primal has none. Results differ by rounding, in the last digits. For that reason sums that
the primal's results or control flow depend on are left alone (see `choosing`), and all other operations keep the user's
order.

    if m[k]:                                    a_bar_term = 0.0
        a_bar += c_bar[k]                       if m[k]:
                                    becomes         a_bar_term = c_bar[k]
                                                a_bar = kernels.plus(a_bar, a_bar_term)

A sum in a branch is added after it, since LLVM adds several terms at a time only of sums that each iteration adds to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import gast
from numba import types as nb

from srcad.names import Names
from srcad.transforms.analysis.affine.integer_facts import is_counted
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.ir.array_functions import VECTOR_INSTRUCTIONS
from srcad.transforms.ir.build import (
    Block,
    assign,
    augment,
    const,
    dotted_path,
    inner_blocks,
    load,
    names_in,
    place_of,
    rewrite,
    stored,
    walk,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, stored_in
from srcad.transforms.loop_analysis.control_dependence import choosing


def with_free_sums(code: Code) -> Code:
    """Note (`is_unordered`) the statements that add to a sum whose terms may be added in any order."""
    body = code.body
    loops = [each for each in walk_statements(body) if is_counted(each) and _is_vector(each)]
    sums = [(loop, name) for loop in loops for name in sums_of(loop)]
    if not sums:
        return code
    aliases = aliases_of(code)
    fixed = choosing(body, aliases, primal_results(body, code.primals or 0))
    for loop, name in sums:
        if _is_float(name, body, code.kinds) and aliases.alias_class(name) not in fixed:
            for statement in walk_statements(loop.body):
                if added(statement, name) is not None:
                    note(statement, is_unordered=True)
    branching = [each for each in loops if any(isinstance(inner, gast.If) for inner in each.body)]
    names, new = code.fresh_names() if branching else Names(()), dict[str, nb.Type]()
    for loop in branching:
        loop.body[:] = _with_sums_after_branches(loop.body, names, new, code.kinds)
    return code.with_body(body, new)


def _with_sums_after_branches(
    block: Block, names: Names, new: dict[str, nb.Type], kinds: Mapping[str, nb.Type]
) -> Block:
    """The body of a loop in which what branches add to sums is added after them."""
    result: Block = []
    for statement in block:
        terms: list[tuple[str, gast.stmt]] = []

        def noted(each: Any, terms: list[tuple[str, gast.stmt]] = terms) -> Block:
            name = next(iter(all_written(each)), "")
            if not notes_of(each).is_unordered or kinds.get(name) != nb.float64:
                return [each]
            operation, value = added(each, name) or (gast.Add, const(0.0))
            term = names.fresh(f"{name}_term")
            new[term] = nb.float64
            terms.append((term, note(augment(stored(name), operation, load(term), place_of(each)), is_unordered=True)))
            return [assign(term, value, place_of(each))]

        if not isinstance(statement, gast.If):
            result.append(statement)
            continue
        (inner,) = rewrite([statement], noted)
        place = place_of(statement)
        result += [*(assign(term, const(0.0), place) for term, _ in terms), inner, *(each for _, each in terms)]
    return result


def primal_results(body: Block, primals: int) -> list[str]:
    """The names in the first `primals` results."""
    last = body[-1]
    if not primals or not isinstance(last, gast.Return) or last.value is None:
        return []
    found = last.value.elts[:primals] if isinstance(last.value, gast.Tuple) else [last.value]
    return [name for each in found for name in names_in(each)]


def _is_vector(loop: gast.For) -> bool:
    """Whether the body of a loop could be vectorised."""
    for each in walk_statements(loop.body):
        if not isinstance(each, (gast.Assign, gast.AugAssign, gast.If, gast.Pass)) or notes_of(each).effect:
            return False
        if any(isinstance(node, gast.Call) and not _is_instruction(node) for node in _nodes(each)):
            return False
    elements = _elements(loop)
    indices = (node.slice for each in walk_statements(loop.body) for node in _subscripts(each))
    return not any(_is_looked_up(index, elements) for index in indices)


def _is_instruction(node: gast.Call) -> bool:
    return dotted_path(node.func) in VECTOR_INSTRUCTIONS or notes_of(node).lane == "free"


def _subscripts(statement: gast.stmt) -> Iterator[gast.Subscript]:
    return (node for node in _nodes(statement) if isinstance(node, gast.Subscript))


def _elements(loop: gast.For) -> set[str]:
    """The names that depend directly on elements of arrays."""
    return {
        name
        for each in walk_statements(loop.body)
        if isinstance(each, gast.Assign) and any(isinstance(node, gast.Subscript) for node in walk(each.value))
        for name in all_written(each)
    }


def _is_looked_up(index: gast.expr, elements: set[str]) -> bool:
    """Whether a subscript depends on an array element (indirect access), so that vectorisation would need gathers."""
    return any(
        isinstance(node, gast.Subscript) or (isinstance(node, gast.Name) and node.id in elements)
        for node in walk(index)
    )


def _nodes(statement: gast.stmt) -> list[gast.AST]:
    """The nodes of a simple statement, or of a branch's condition."""
    return walk(statement.test) if isinstance(statement, gast.If) else walk(statement)


def sums_of(loop: gast.For) -> Iterator[str]:
    """The names that the iterations of a loop use only to add to them or to subtract from them."""
    statements = list(walk_statements(loop.body))
    mentions = Counter(node.id for each in statements for node in _nodes(each) if isinstance(node, gast.Name))
    adding = defaultdict[str, list[gast.stmt]](list)
    for each in statements:
        if not inner_blocks(each):
            for name in all_written(each):
                adding[name].append(each)
    for name in sorted(stored_in(loop.body)):
        own = [each for each in adding[name] if added(each, name) is not None]
        if own and mentions[name] == sum(1 if isinstance(each, gast.AugAssign) else 2 for each in own):
            yield name


def added(statement: gast.stmt, name: str) -> tuple[type[gast.operator], gast.expr] | None:
    """The operation (addition or subtraction) and the term, if a statement adds a term to a name; None for others."""
    match statement:
        case gast.AugAssign(target=gast.Name(id=target), op=gast.Add() | gast.Sub() as op, value=term):
            is_own = target == name
        case gast.Assign(
            targets=[gast.Name(id=target)],
            value=gast.BinOp(left=gast.Name(id=left), op=gast.Add() | gast.Sub() as op, right=term),
        ):
            is_own = target == name == left
        case _:
            return None
    return (type(op), term) if is_own and name not in names_in(term) else None


def _is_float(name: str, body: Block, kinds: Mapping[str, nb.Type]) -> bool:
    """Whether a name is known to hold floating-point or complex numbers."""
    if name in kinds:
        return isinstance(kinds[name], (nb.Float, nb.Complex))
    for statement in walk_statements(body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=target)], value=gast.Subscript(value=gast.Name(id=array))):
                if target == name:
                    kind = kinds.get(array)
                    return isinstance(kind, nb.Array) and isinstance(kind.dtype, (nb.Float, nb.Complex))
            case gast.Assign(targets=[gast.Name(id=target)], value=value) if target == name:
                if isinstance(constant(value), (float, complex)):
                    return True
    return False
