"""Counters in closed form: positions in traces that grow, in parallel loops that record one value an iteration.

    for i in range(n):                          for i in range(n):
        y_old_trace[y_old_count] = y[i]             y_old_trace[y_old_count + i] = y[i]
        y_old_count += 1             becomes        ...
        ...                                     y_old_count += kernels.trip_count(0, n, 1)

A loop whose iterations take positions from a counter passes it from one to the next, and could not be shared among
threads. Such traces belong to loops of unknown length around the parallel one: how often it runs is not known, but how
many iterations it has is. The reverse sweep counts down in the same way.
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.transforms.ir.build import (
    Block,
    augment,
    binary,
    call,
    clone,
    const,
    is_range,
    load,
    names_in,
    stored,
    walk,
    walk_blocks,
    walk_statements,
)
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.ir.type_annotations import is_parallel


def with_closed_counters(body: Block) -> None:
    """Change the parallel loops in a block that count one up, or down with a falling index, in each iteration."""
    risen = _risen(body)
    for block in list(walk_blocks(body)):
        for statement in list(block):
            if is_parallel(statement) and isinstance(statement, gast.For):
                at = next(k for k, each in enumerate(block) if each is statement)
                block[at + 1 : at + 1] = _closed(statement, risen)


def _risen(body: Block) -> set[str]:
    """The names that begin with natural numbers, and are only added to: they are never negative."""
    found: dict[str, bool] = {}
    for each in walk_statements(body):
        match each:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Constant(value=int() as begin)):
                rises = begin >= 0
            case gast.AugAssign(target=gast.Name(id=name)):
                rises = _steps(each) == 1
            case _:
                own = names_in(each.target) if isinstance(each, gast.For) else stored_in([each])
                found |= dict.fromkeys(() if isinstance(each, (gast.If, gast.While)) else own, False)
                continue
        found[name] = found.get(name, True) and rises
    return {name for name, rises in found.items() if rises}


def _closed(loop: Any, risen: set[str]) -> Block:
    """Change one loop; returns the statements that follow it."""
    if not is_range(loop.iter) or not isinstance(loop.target, gast.Name):
        return []
    if any(isinstance(node, (gast.Break, gast.Continue, gast.Return)) for each in loop.body for node in walk(each)):
        return []
    start, stop, step = _bounds(loop.iter.args)
    if step not in (1, -1):
        return []
    after: Block = []
    for name in [each.target.id for each in loop.body if _steps(each) == step]:
        if _is_counter(name, loop):
            _without(loop, name, start, step)
            if name in risen:
                note(loop, positions=(*notes_of(loop).positions, name))
            trips = call("kernels.trip_count", clone(start), clone(stop), const(step))
            after.append(augment(stored(name), gast.Add if step > 0 else gast.Sub, trips))
    return after


def _bounds(args: list[gast.expr]) -> tuple[gast.expr, gast.expr, int | None]:
    """Start, stop and step of a range; None for a step that is not written out."""
    start, stop = (const(0), args[0]) if len(args) == 1 else (args[0], args[1])
    if len(args) < 3:
        return start, stop, 1
    match args[2]:
        case gast.Constant(value=int() as step):
            return start, stop, step
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=int() as step)):
            return start, stop, -step
    return start, stop, None


def _steps(statement: gast.stmt) -> int | None:
    """What a statement adds to a counter; None for other statements."""
    match statement:
        case gast.AugAssign(target=gast.Name(), op=gast.Add(), value=gast.Constant(value=1)):
            return 1
        case gast.AugAssign(target=gast.Name(), op=gast.Sub(), value=gast.Constant(value=1)):
            return -1
    return None


def _is_counter(name: str, loop: Any) -> bool:
    """Whether only one statement of the body, which each iteration reaches, stores the name."""
    stores = [each for each in loop.body if _steps(each) is not None and each.target.id == name]
    others = [each for each in loop.body if each not in stores and name in stored_in([each])]
    bounds = {read for bound in loop.iter.args for read in names_in(bound)}
    assigned = {*stored_in(loop.body), loop.target.id}
    return len(stores) == 1 and not others and name not in bounds and not bounds & assigned


def _without(loop: Any, name: str, start: gast.expr, step: int) -> None:
    """Drop the counter's statement; what reads it reads its position in this iteration."""
    has_stepped, body = False, []
    for statement in loop.body:
        if _steps(statement) is not None and statement.target.id == name:
            has_stepped = True
            continue
        _Reader(name, _position(name, loop.target.id, start, step if has_stepped else 0)).visit(statement)
        body.append(statement)
    loop.body = body or [gast.Pass()]


def _position(name: str, index: str, start: gast.expr, stepped: int) -> gast.expr:
    """The counter's value: `name + (index - start) + stepped`, in few terms."""
    match start, stepped:
        case gast.Constant(value=0), 0:
            return binary(load(name), gast.Add, load(index))
        case gast.BinOp(left=left, op=gast.Sub(), right=gast.Constant(value=1)), -1:
            return binary(load(name), gast.Add, binary(load(index), gast.Sub, clone(left)))
    found = binary(load(name), gast.Add, binary(load(index), gast.Sub, clone(start)))
    return binary(found, gast.Add, const(stepped)) if stepped else found


class _Reader(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, name: str, position: gast.expr) -> None:
        self.name, self.position = name, position

    def visit_Name(self, node: gast.Name) -> gast.expr:
        """The position in place of the counter."""
        is_read = node.id == self.name and isinstance(node.ctx, gast.Load)
        return clone(self.position) if is_read else node
