"""Side effects: what statements read and write, names and the memory of arrays, in core form and in generated code.

    statement               all_written     reads           changed_memory
    a = x[i]                a               x, i
    a[i] = x                                x, a, i         a
    a += x                  a               x, a            a               if it is an array
    a, b = t                a, b            t
    kept.append(x)                          kept, x         kept
    kernels.add_to(a, x)                    a, x            a, x            it is not known which
    for i in range(n): ...  i               n               of the header alone

The functions for blocks (`stored_in`, `changed_in`) look into nested statements as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gast

from srcad.transforms.ir.array_functions import CHECKING, WRITES_NOTHING, WRITING, WRITING_TWO, last_part, last_parts
from srcad.transforms.ir.build import dotted_path, names_in, walk, walk_statements, written
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.unit import Unit

# Names


def all_written(statement: gast.stmt) -> list[str]:
    """The names that a statement stores, including augmented ones (def set)."""
    match statement:
        case gast.AugAssign(target=gast.Name(id=name)):
            return [name]
        case gast.Assign(targets=[gast.Tuple() as target]):
            return [node.id for node in walk(target) if isinstance(node, gast.Name) and _is_stored(node)]
    name = written(statement)
    return [name] if name else []


def reads(statement: gast.stmt) -> Iterator[str]:
    """The names that the statement itself reads; for a compound one, its header (use set)."""
    match statement:
        case gast.Assign(targets=[target], value=value):
            yield from names_in(value)
            if not isinstance(target, gast.Name):
                yield from names_in(target)
        case gast.AugAssign(target=target, value=value):
            yield from names_in(value)
            yield from [target.id] if isinstance(target, gast.Name) else names_in(target)
        case gast.If(test=test) | gast.While(test=test):
            yield from names_in(test)
        case gast.For(iter=iterator):
            yield from names_in(iterator)
        case _:
            yield from names_in(statement)


def stored_in(block: Iterable[gast.stmt]) -> frozenset[str]:
    """The names that statements store."""
    return frozenset(name for statement in walk_statements(block) for name in all_written(statement))


def stored_names(nodes: Iterable[gast.AST]) -> set[str]:
    """The names that are stored anywhere in nodes of any Python code, as it is before core form."""
    every = (node for each in nodes for node in walk(each))
    return {node.id for node in every if isinstance(node, gast.Name) and _is_stored(node)}


def stored_inside(statement: gast.stmt) -> set[str]:
    """The names that `:=` stores in a statement, or in the header of a compound one."""
    match statement:
        case gast.If(test=header) | gast.While(test=header) | gast.For(iter=header):
            nodes = walk(header)
        case _:
            nodes = walk(statement)
    return {node.target.id for node in nodes if isinstance(node, gast.NamedExpr)}


def _is_stored(name: gast.Name) -> bool:
    return isinstance(name.ctx, gast.Store)


# Memory


def changed_memory(statement: gast.stmt) -> list[str]:
    """The names of arrays and lists that a statement writes to."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=base)]) | gast.AugAssign(target=gast.Subscript(value=base)):
            return _bases(base)
        case gast.AugAssign(target=gast.Name(id=name)):
            return [name]
        case gast.Expr(value=gast.Call(func=function) as value):
            return [] if last_part(function) in _NOTHING else mutated_by(statement) or list(names_in(value))
        case gast.Assign(value=value) if notes_of(statement).effect:
            return list(names_in(value))
    return []


def mutated_by(statement: gast.stmt) -> list[str]:
    """The arrays that a kernel call, or an append, is known to change, and nothing else."""
    match statement:
        case gast.Expr(value=gast.Call(func=gast.Attribute(value=gast.Name(id=base), attr="append"))):
            return [base]
        case gast.Expr(value=gast.Call(func=gast.Attribute(attr=name), args=[gast.Name(id=base), *_])):
            return [base] if name in _WRITING else list(_first_two(statement)) if name in _WRITING_TWO else []
    return []


def _first_two(statement: Any) -> Iterator[str]:
    """The names of the first two arguments of a call."""
    for argument in statement.value.args[:2]:
        yield from names_in(argument)


def changed_in(block: Iterable[gast.stmt]) -> frozenset[str]:
    """The names of arrays and lists that statements write to."""
    return frozenset(name for statement in walk_statements(block) for name in changed_memory(statement))


def is_effect(statement: gast.stmt) -> bool:
    """Whether a statement does more than to store names and to change memory: it raises, returns, prints, calls."""
    match statement:
        case gast.Return() | gast.Assert() | gast.Raise():
            return True
        case gast.Expr(value=gast.Call()):
            return not mutated_by(statement)
        case gast.Expr():
            return True
    return notes_of(statement).effect


def is_check(statement: gast.stmt) -> bool:
    """Whether a statement raises an exception or does nothing, by what a compiler pass has made sure of.

    >>> is_check(gast.parse("kernels.check_index(i, n, 'x[i] is out of range')").body[0])
    True
    """
    match statement:
        case gast.Expr(value=gast.Call(func=gast.Attribute(attr=name))):
            return name in _CHECKING
    return False


def is_draw(path: str | None) -> bool:
    """Whether the function of this name draws random numbers: it has an effect, on what is drawn next.

    >>> is_draw("np.random.normal"), is_draw("kernels.draw_random"), is_draw("np.exp")
    (True, True, False)
    """
    is_kernel = path is not None and path.startswith("kernels.draw_") and path != "kernels.draw_size"
    return is_kernel or (path or "").startswith("np.random.")


def draws_numbers(unit: Unit) -> bool:
    """Whether a unit, or a function that it calls, draws random numbers."""
    pending, seen = [unit], set[int]()
    while pending:
        each = pending.pop()
        if any(isinstance(node, gast.Call) and is_draw(dotted_path(node.func)) for node in walk(each.tree)):
            return True
        for thing in each.bindings.values():
            inner = getattr(thing, "unit", None)
            if isinstance(inner, Unit) and id(thing) not in seen:
                seen.add(id(thing))
                pending.append(inner)
    return False


def _bases(node: gast.expr) -> list[str]:
    """The array that a subscript of any depth belongs to."""
    while isinstance(node, (gast.Subscript, gast.Attribute)):
        node = node.value
    return [node.id] if isinstance(node, gast.Name) else list(names_in(node))


_WRITING, _WRITING_TWO, _NOTHING = last_parts(WRITING), last_parts(WRITING_TWO), last_parts(WRITES_NOTHING)
_CHECKING = last_parts(CHECKING)
