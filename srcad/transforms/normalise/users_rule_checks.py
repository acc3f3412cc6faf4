"""Checks of calls that are differentiated by a rule of the user's own: they must change nothing and share nothing.

y = same(x)         where `same` returns its argument: in Python, the second line changes x as well
y[0] = 1.0
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.refusals.users_rules import RULE_WRITES, SHARED_RESULT
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.ir.build import place_of, stores_into, walk_statements, written
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import primitive_of


def check_calls_by_rule(code: Code) -> None:
    """Raise WrongRule where a function of a rule writes into an argument, or a shared result is written to."""
    calls = [each for each in walk_statements(code.unit.tree.body) if _result(each, code) is not None]
    if not calls:
        return
    program = analyse_forward(code.unit, code.types, [])
    for call in calls:
        _check(call, _result(call, code), program)


def _check(call: Any, result: Any, program: Program) -> None:
    aliases, arguments = program.aliases, call.value.args
    given = [arguments[place].id for place in result.inputs if isinstance(arguments[place], gast.Name)]
    roots = frozenset(root for name in given for root in aliases.points_to(name))
    for each in walk_statements(program.unit.tree.body):
        target = stores_into(each)
        if target is None or notes_of(each).rule_call is not result.first:
            continue
        if aliases.points_to(target.value.id) & roots:
            raise RULE_WRITES.at(place_of(each), function=result.wish, rule=result.origin)
    value = getattr(arguments[0], "id", "")
    shared = aliases.points_to(value) & roots
    if shared and (shared & aliases.written or aliases.is_written(str(written(call)))):
        raise SHARED_RESULT.at(place_of(call), function=result.wish)


def _result(statement: gast.stmt, code: Code) -> Any:
    value = getattr(statement, "value", None)
    found = primitive_of(value, code.unit.bindings) if isinstance(value, gast.Call) else None
    return found if hasattr(type(found), "__srcad_result__") else None
