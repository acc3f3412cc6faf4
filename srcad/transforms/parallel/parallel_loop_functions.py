"""Parallel loop functions: a function for one part of a loop, one that runs all parts, and their call.

    def f_part(part, parts, x, s_bar, k_bar_parts, done):
        k_bar = 0.0
        first, last = kernels.part_of(part, parts, 0, x.shape[0], 1)
        for i in range(first, last):
            k_bar += x[i] * s_bar
        k_bar_parts[part] = k_bar
        done[part] = True

Numba only compiles `f_parts` in parallel mode: a part is compiled like any other function, so that Numba's own guesses
about private variables and reductions do not apply. Numba drops exceptions that are raised in parallel; a part that has
not finished is run again by itself, so that it raises them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast
import numba
import numpy as np
from numba import types as nb

from srcad.names import Names
from srcad.runtime import kernels
from srcad.transforms.ir.build import (
    Block,
    assign,
    attribute,
    augment,
    binary,
    branch,
    call,
    clone,
    const,
    load,
    place_of,
    stored,
    subscript,
    tuple_of,
    walk,
    walk_statements,
    without_statements,
)
from srcad.transforms.ir.cost_model import HEAVY_ITERATION
from srcad.transforms.ir.generated_functions import function
from srcad.transforms.ir.node_notes import note, notes_of


@dataclass(frozen=True)
class Share:
    """How a loop is divided among threads.

    sums        numbers that iterations add to, with their types
    totals      arrays that iterations add to
    scratch     statements that allocate arrays of which each part needs one
    inputs      other names that the loop reads or writes to
    width       how many iterations apart two may add to the same element of an array among the inputs
    apart       pairs of arrays that must not share memory
    """

    loop: gast.For
    sums: dict[str, nb.Type]
    totals: list[str]
    scratch: list[gast.Assign]
    inputs: list[str]
    width: int
    apart: list[tuple[str, str]]


NEEDED: dict[str, Any] = {"np": np, "kernels": kernels, "prange": numba.prange}


def shared_out(
    block: Block, share: Share, tree: gast.FunctionDef, titles: Names, names: Names
) -> list[gast.FunctionDef]:
    """Replace a loop of the block, in a function, by a call of the functions returned."""
    tree.body[:] = without_statements(tree.body, share.scratch.__contains__)
    writer = _Writer(share, tree.name, titles, names)
    at = next(k for k, each in enumerate(block) if each is share.loop)
    block[at : at + 1] = writer.call()
    return [writer.part(), writer.all_parts()]


class _Writer:
    def __init__(self, share: Share, owner: str, titles: Names, names: Names) -> None:
        self.share = share
        self.one, self.all = titles.fresh(f"{owner}_part"), titles.fresh(f"{owner}_parts")
        self.number, self.count, self.done = names.fresh("part"), names.fresh("parts"), names.fresh("done")
        self.first, self.last, self.turn = names.fresh("first"), names.fresh("last"), names.fresh("turn")
        self.kept = {name: names.fresh(f"{name}_parts") for name in (*share.sums, *share.totals)}
        self.given = [*share.inputs, *self.kept.values(), self.done]
        bounds = [clone(each) for each in share.loop.iter.args]
        self.bounds = [const(0), *bounds, const(1)] if len(bounds) == 1 else [*bounds, const(1)][:3]

    def part(self) -> gast.FunctionDef:
        """The function that runs one part."""
        share, number = self.share, load(self.number)
        body: Block = [assign(name, const(0 if kind == nb.int64 else 0.0)) for name, kind in share.sums.items()]
        body += [assign(name, call("np.zeros_like", subscript(load(self.kept[name]), number))) for name in share.totals]
        body += [clone(made) for made in share.scratch]
        ends = gast.Tuple(elts=[stored(self.first), stored(self.last)], ctx=gast.Store())
        body.append(assign(ends, call("kernels.part_of", number, load(self.count), *map(clone, self.bounds))))
        loop = clone(share.loop)
        step = self.bounds[2]
        loop.iter = call("range", load(self.first), load(self.last), *([] if _is_one(step) else [clone(step)]))
        body.append(loop)
        body += [assign(subscript(load(kept), number, store=True), load(name)) for name, kept in self.kept.items()]
        body.append(assign(subscript(load(self.done), number, store=True), const(True)))
        return function(self.one, (self.number, self.count, *self.given), body)

    def all_parts(self) -> gast.FunctionDef:
        """The function that runs all parts in parallel; every second one first, if neighbours add to one element."""
        number: gast.expr = call("np.int64", load(self.number))
        most: gast.expr = load(self.count)
        if self.share.width:
            number = binary(binary(const(2), gast.Mult, number), gast.Add, load(self.turn))
            more = binary(binary(most, gast.Add, const(1)), gast.Sub, load(self.turn))
            most = binary(more, gast.FloorDiv, const(2))
        run = gast.Expr(value=call(self.one, number, load(self.count), *map(load, self.given)))
        body: Block = [_loop(self.number, "prange", most, [run])]
        if self.share.width:
            body = [_loop(self.turn, "range", const(2), body)]
        return function(self.all, (self.count, *self.given), body)

    def call(self) -> Block:
        """The statements that replace the loop."""
        share, count = self.share, load(self.count)
        size: gast.expr = const(0)
        for name in share.totals:
            more = attribute(load(name), "size")
            size = more if isinstance(size, gast.Constant) else binary(size, gast.Add, more)
        weight = const(HEAVY_ITERATION if any(map(_is_heavy, walk_statements(share.loop.body))) else 1)
        parts = call("kernels.parts", *map(clone, self.bounds), const(share.width), size, weight)
        first = assign(self.count, parts, place_of(share.loop))
        code: Block = [note(first, comment="iterations are shared among threads")]
        for one, other in share.apart:
            overlap = call("kernels.may_overlap", load(one), load(other))
            code.append(branch(overlap, [assign(self.count, call("min", count, const(1)))], []))
        for name, kind in share.sums.items():
            dtype = [] if kind == nb.float64 else [attribute(load("np"), str(kind))]
            code.append(assign(self.kept[name], call("np.empty", count, *dtype)))
        for name in share.totals:
            shape = binary(tuple_of(count), gast.Add, attribute(load(name), "shape"))
            code.append(assign(self.kept[name], call("np.empty", shape, attribute(load(name), "dtype"))))
        code.append(assign(self.done, call("np.zeros", count, attribute(load("np"), "bool_"))))
        code.append(gast.Expr(value=call(self.all, count, *map(load, self.given))))
        again = call(self.one, call("np.argmin", load(self.done)), count, *map(load, self.given))
        failed = call("RuntimeError", const("an iteration of a parallel loop failed"))
        code.append(
            branch(
                gast.UnaryOp(op=gast.Not(), operand=call("np.all", load(self.done))),
                [gast.Expr(value=again), gast.Raise(exc=failed, cause=None)],
                [],
            )
        )
        for name in share.sums:
            code.append(augment(stored(name), gast.Add, call("np.sum", load(self.kept[name]))))
        for name in share.totals:
            code.append(gast.Expr(value=call("kernels.add_parts", load(name), load(self.kept[name]))))
        return code


def _is_heavy(statement: gast.stmt) -> bool:
    if isinstance(statement, (gast.For, gast.While)):
        return True
    nodes = walk(statement)
    return any(isinstance(node, gast.MatMult) for node in nodes) or (
        isinstance(statement, gast.AugAssign) and isinstance(notes_of(statement.target).numba_type, nb.Array)
    )


def _is_one(step: gast.expr) -> bool:
    return isinstance(step, gast.Constant) and step.value == 1


def _loop(index: str, iterator: str, bound: gast.expr, body: Block) -> gast.For:
    return gast.For(target=stored(index), iter=call(iterator, bound), body=body, orelse=[], type_comment=None)
