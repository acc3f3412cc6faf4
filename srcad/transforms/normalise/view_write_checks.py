"""View write checks: refuse writes to memory of views that generated code does not have, or may not have.

y = x.imag              y = np.hsplit(x, 2)[0]          y = np.diagonal(x)          y = x[0, ...]
x[0] = 1j * y[0]        y[0] = 2.0                      y[0] = 2.0                  x[0] = 2.0
return y[0]                                                                         return y
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import gast

from srcad.refusals.memory import HIDDEN_VIEW
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.analysis.view_adjoints import (
    COPIED,
    OUT_OF_REACH,
    is_written_later,
    may_follow,
    not_followed,
    reaches,
)
from srcad.transforms.ir.build import names_in, place_of, stores_into, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.side_effects import reads
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.in_place_resolution import is_single_element
from srcad.transforms.normalise.users_rule_checks import check_calls_by_rule


def refuse_hidden_views(code: Code) -> Code:
    """Raise where a written value could be read through another name in NumPy, but not in generated code."""
    check_calls_by_rule(code)
    unit, types = code.unit, code.types
    stores = [(each, target.value.id) for each in walk_statements(unit.tree.body) if (target := stores_into(each))]
    calls = [each for each in walk_statements(unit.tree.body) if _gives_no_view(each, unit, types)]
    single = [each for each in walk_statements(unit.tree.body) if is_single_element(each, types)]
    if not stores or not (calls or single):
        return code
    program = analyse_forward(unit, types, [])
    for element in single:
        name, base = element.targets[0].id, element.value.value.id
        users = [each for each in walk_statements(unit.tree.body) if name in reads(each)]
        for store, array in stores:
            is_met = program.aliases.may_alias(array, base) and program.meeting.may_meet(
                element, element.value, store, stores_into(store)
            )
            if is_met and any(may_follow(program, store, user, element) for user in users):
                raise not_followed(program, name)
    for call in calls:
        name = call.targets[0].id
        primitive = primitive_of(call.value, unit.bindings)
        for store, array in stores:
            if not registry.variants(primitive) and name in closure([array], partial(_sources, program)):
                given = next(each for each in names_in(call.value) if _holds_floats(each, types))
                raise HIDDEN_VIEW.at(place_of(store), function=primitive_name(primitive), source=given)
            if name in program.aliases.views and reaches(program, array, name):
                raise not_followed(program, name)
        if primitive in COPIED and name in program.aliases.views and is_written_later(program, name, False):
            raise not_followed(program, name)
    return code


def _sources(program: Program, name: str) -> Iterator[str]:
    """The names that an array may come from directly, including elements of lists."""
    yield from program.aliases.points_to(name)
    for store in program.flow.stores.get(name, []):
        match store:
            case gast.Assign(value=gast.Name(id=source) | gast.Subscript(value=gast.Name(id=source))):
                yield source


def _gives_no_view(statement: gast.stmt, unit: Unit, types: Types) -> bool:
    """Whether a statement calls a NumPy function whose result may be a view in NumPy, but is none in generated code."""
    match statement:
        case gast.Assign(targets=[gast.Name()], value=gast.Call() as value):
            primitive = primitive_of(value, unit.bindings)
            if primitive in (*COPIED, *OUT_OF_REACH):
                return True
            is_numpys = str(getattr(primitive, "__module__", "")).partition(".")[0] == "numpy"
            return (
                is_numpys
                and not registry.variants(primitive)
                and any(_holds_floats(each, types) for each in names_in(value))
            )
    return False


def _holds_floats(name: str, types: Types) -> bool:
    return types.is_array(name) and types.is_real_or_complex(name)
