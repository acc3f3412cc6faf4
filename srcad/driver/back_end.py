"""The passes on generated functions, run in the order of the table; then those on all functions of a module."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import gast
from numba import types as nb

from srcad.driver.mid_end import arguments, is_due, loaded
from srcad.driver.passes import FINISH, SIMPLIFY, Pass
from srcad.runtime.support import stage_timer
from srcad.transforms.analysis.sweep_boundary import rejoined, told_apart, without_marks
from srcad.transforms.ir.algebraic_simplification import without_detour
from srcad.transforms.ir.build import Block, rewrite_names, walk_statements
from srcad.transforms.ir.generated_functions import Made, function
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.postoptimise.dead_code import without_dead_code
from srcad.transforms.postoptimise.forward_substitution import without_idle_resets


@dataclass
class Body:
    """The statements of a generated function between two passes; a pass is given the fields that it names.

    body            the statements
    parameters      the function's
    outputs         names whose memory is for the caller
    kinds           the types of arrays and numbers, as far as known
    primals         how many of the results are the primal's, the first ones; None where there may be more
    without         passes to be left out
    apart           names that both sweeps store, for as long as they are told apart
    loops           whether loops may be made to suit Numba
    """

    body: Block
    parameters: tuple[str, ...]
    outputs: Collection[str]
    kinds: Mapping[str, nb.Type]
    primals: int | None
    without: Collection[str]
    loops: bool
    apart: Collection[str] = ()

    @property
    def knows_primals(self) -> bool:
        """Whether it is known which results are the primal's."""
        return self.primals is not None

    @property
    def without_primal(self) -> bool:
        """Whether no result is the primal's."""
        return self.primals == 0


def simplified(made: Made, loops: bool = True, without: Collection[str] = (), after: str | None = None) -> Made:
    """Generated functions as they are to be read and run; with `after`, as they are after the pass of this name."""
    functions = []
    for each in made.functions:
        if notes_of(each).is_finished:
            functions.append(each)
            continue
        parameters = tuple(argument.id for argument in each.args.args)
        functions.append(function(each.name, parameters, _simplified(each, parameters, made, loops, without, after)))
    return replace(made, functions=functions)


def _simplified(
    tree: Any, parameters: tuple[str, ...], made: Made, loops: bool, without: Collection[str], after: str | None
) -> Block:
    kinds = notes_of(tree).kinds if loops else None
    outputs = made.outputs.get(tree.name, ())
    body = Body(tree.body, parameters, outputs, kinds or {}, notes_of(tree).primals, without, kinds is not None)
    for row in SIMPLIFY:
        run(row, body)
        if row.name == after:
            join_sweeps(body)
            break
    return body.body


def finished(made: Made, loops: bool, without: Collection[str], after: str | None = None) -> Made:
    """The functions of a module with what is done to all of them together."""
    state = Module(made, loops)
    for row in FINISH:
        if is_due(row, state, without):
            with stage_timer.in_stage(row.name):
                made = state.made = loaded(row)(made)
        if row.name == after:
            break
    return made


@dataclass
class Module:
    """All functions of a module between two passes."""

    made: Made
    loops: bool


def run(row: Pass, body: Body) -> None:
    """Do one pass, if it is to be run; what it gives are the statements, or nothing where it has changed them."""
    if not is_due(row, body, body.without):
        return
    with stage_timer.in_stage(row.name):
        work: Callable[..., Any] = loaded(row)
        found = work(**arguments(work, body))
        if found is not None:
            body.body = found


def tell_sweeps_apart(state: Body) -> None:
    """Give names that both sweeps store a name for each of them."""
    state.apart = told_apart(state.body)


def drop_dead_code(body: Block, outputs: Collection[str]) -> Block:
    """The statements that the result, an effect, or the memory of one of the `outputs` depends on."""
    return without_idle_resets(without_dead_code(body, outputs))


def join_sweeps(state: Body) -> None:
    """Take the marks between the sweeps out, and give names that both store their one name back."""
    rewrite_names(gast.Module(body=state.body, type_ignores=[]), rejoined)
    state.body = without_marks(state.body)
    for statement in walk_statements(state.body):
        if isinstance(statement, gast.For):
            statement.iter.args = [without_detour(each) for each in statement.iter.args]
