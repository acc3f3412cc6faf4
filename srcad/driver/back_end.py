"""The passes on generated functions: on each of them, then on all functions of a module."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import gast

from srcad.driver.pass_manager import passed, passed_module
from srcad.driver.passes import FINISH, SIMPLIFY
from srcad.transforms.analysis.sweep_boundary import rejoined, told_apart, without_marks
from srcad.transforms.ir.algebraic_simplification import without_detour
from srcad.transforms.ir.build import rewrite_names, walk_statements
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.postoptimise.dead_code import without_dead_code
from srcad.transforms.postoptimise.forward_substitution import without_idle_resets


def simplified(
    made: Made, loops: bool = True, without: Collection[str] = (), after: str | None = None, debug: bool = False
) -> Made:
    """Generated functions as they are to be read and run; with `after`, as they are after the pass of this name."""
    functions = []
    stops_here = any(row.name == after for row in SIMPLIFY)
    for code in made.codes(without, loops, debug):
        if not notes_of(code.unit.tree).is_finished:
            code = passed(code, SIMPLIFY, after)
            code = join_sweeps(code) if stops_here else code
        has_types = notes_of(code.unit.tree).kinds is not None
        functions.append(note(code.unit.tree, kinds=code.kinds) if has_types else code.unit.tree)
    return replace(made, functions=functions)


def finished(made: Made, loops: bool, without: Collection[str], after: str | None = None) -> Made:
    """The functions of a module with what is done to all of them together."""
    return passed_module(made, FINISH, Settings(loops=loops), without, after)


def tell_sweeps_apart(code: Code) -> Code:
    """Give names that both sweeps store a name for each of them."""
    apart = told_apart(code.body)
    return replace(code.with_body(code.body), apart=apart)


def drop_dead_code(code: Code) -> Code:
    """The statements that the result, an effect, or the memory of one of the outputs depends on."""
    return code.with_body(without_idle_resets(without_dead_code(code)))


def join_sweeps(code: Code) -> Code:
    """Take the marks between the sweeps out, and give names that both stored their one name back."""
    rewrite_names(gast.Module(body=code.body, type_ignores=[]), rejoined)
    body = without_marks(code.body)
    for statement in walk_statements(body):
        if isinstance(statement, gast.For):
            statement.iter.args = [without_detour(each) for each in statement.iter.args]
    return replace(code.with_body(body), apart=())
