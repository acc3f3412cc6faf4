"""Delayed updates: outer products that a loop adds to a large matrix wait for others, and are added together.

                                          a_bar_most = kernels.most_delayed(a_bar)
                                          a_bar_left = np.empty((a_bar_most, a_bar.shape[0]))
                                          a_bar_right = np.empty((a_bar_most, a_bar.shape[1]))
                                          a_bar_count = 0
    for t in range(n):                    for t in range(n):
        ...                                   ...
        a_bar += np.outer(y_bar, x)           if a_bar_most:
                                becomes           a_bar_count = kernels.delay_outer(a_bar, ..., a_bar_count, y_bar, x)
                                              else:
                                                  a_bar += np.outer(y_bar, x)
                                          kernels.add_delayed(a_bar, a_bar_left, a_bar_right, a_bar_count)

That is what a product of a matrix and a vector in each iteration comes to in the reverse sweep. The matrix is read and
written once for all that wait, in place of once for each. Whether that pays depends on its size, which is known at run
time. Input and output are the statements of one function. Applies where the function allocated the matrix, and the loop
mentions it, or a name of the same memory, in such sums only.
"""

from __future__ import annotations

from typing import Any

import gast
from numba import types as nb

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    attribute,
    branch,
    call,
    clone,
    const,
    dotted_path,
    inner_blocks,
    is_loop,
    load,
    mentions,
    place_of,
    subscript,
    tuple_of,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.postoptimise.kernel_calls import kernel_call, means_kernels, with_kernel_calls


def with_delayed_updates(code: Code) -> Code:
    """Let outer products wait, where a loop adds several to one matrix."""
    everything = list(walk_statements(code.body))
    totals = {name for each in everything if (name := _total(each)) is not None}
    if not totals or any(is_parallel(each) for each in everything) or not means_kernels(code):
        return code
    delayer = _Delayer(code)
    delayer.walk(code.body, {each for each in totals if delayer.is_fitting(each)}, frozenset())
    return code.with_body(code.body, delayer.new)


def _total(statement: gast.stmt) -> str | None:
    """The matrix to which a statement adds an outer product."""
    match statement:
        case gast.AugAssign(
            target=gast.Name(id=total), op=gast.Add(), value=gast.Call(func=function, args=[_, _], keywords=[]) as value
        ):
            is_outer = dotted_path(function) == "np.outer" and notes_of(statement).whole
            return total if is_outer and mentions([gast.Expr(value=value)])[total] == 0 else None
    return None


class _Delayer:
    def __init__(self, code: Code) -> None:
        self.aliases, self.kinds = aliases_of(code), code.kinds
        self.names = code.fresh_names()
        self.new: dict[str, nb.Type] = {}  # the types of the names that are made

    def is_fitting(self, total: str) -> bool:
        """Whether a name holds matrices of doubles that the function allocated."""
        return self.kinds.get(total) == nb.Array(nb.float64, 2, "C") and self.aliases.is_local(total)

    def walk(self, block: Block, totals: set[str], stored: frozenset[str]) -> None:
        """Let updates wait in the outermost loops of a block, and of its inner blocks, in which that is possible.

        `stored` has the names that have a value on every path to the block.
        """
        result: Block = []
        for statement in block:
            before: Block = []
            after: Block = []
            if is_loop(statement):
                for total in sorted(each for each in totals & stored if self.only_adds(statement, each)):
                    begin, end = self.delay(statement, total)
                    before, after = [*before, *begin], [*after, end]
            for inner in inner_blocks(statement):
                self.walk(inner, totals, stored)
            stored |= {*all_written(statement)} if isinstance(statement, gast.Assign) else set()
            result += [*before, statement, *after]
        block[:] = result

    def only_adds(self, loop: gast.stmt, total: str) -> bool:
        """Whether a loop adds outer products to a matrix, and mentions it nowhere else, nor leaves the function."""
        inside = [each for each in walk_statements([loop]) if each is not loop]
        sums = [each for each in inside if _total(each) == total]
        used = mentions([loop])
        others = self.aliases.connected(total) - {total}
        return (
            bool(sums)
            and used[total] == len(sums)
            and not any(used[each] for each in others)
            and not any(isinstance(each, gast.Return) for each in inside)
        )

    def delay(self, loop: Any, total: str) -> tuple[Block, gast.stmt]:
        """Let the updates in a loop wait; gives the statements before it, and the one after it."""
        most, left, right, count = (self.names.fresh(f"{total}_{word}") for word in ("most", "left", "right", "count"))
        self.new |= dict.fromkeys((most, count), nb.int64) | dict.fromkeys((left, right), self.kinds[total])
        waiting = load(total), load(left), load(right), load(count)
        for statement in list(walk_statements(loop.body)):
            if _total(statement) == total:
                a, b = statement.value.args
                delayed = kernel_call("delay_outer", *map(clone, (*waiting, a, b)))
                _replace(
                    loop,
                    statement,
                    branch(load(most), [with_kernel_calls(assign(count, delayed, place_of(statement)))], []),
                )
        before: Block = [
            with_kernel_calls(assign(most, kernel_call("most_delayed", load(total)))),
            *(
                assign(
                    name,
                    call("np.empty", tuple_of(load(most), subscript(attribute(load(total), "shape"), const(axis)))),
                )
                for axis, name in enumerate((left, right))
            ),
            assign(count, const(0)),
        ]
        return before, with_kernel_calls(at(gast.Expr(value=kernel_call("add_delayed", *waiting)), place_of(loop)))


def _replace(outer: gast.stmt, statement: gast.stmt, chosen: gast.If) -> None:
    """Put a branch in the place of a statement, which becomes its other arm."""
    for each in walk_statements([outer]):
        for block in inner_blocks(each):
            for k, inner in enumerate(block):
                if inner is statement:
                    note(chosen.body[0], comment=notes_of(statement).comment)
                    chosen.orelse = [statement]
                    block[k] = chosen
                    return
