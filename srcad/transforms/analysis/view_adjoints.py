"""View adjoints: is the adjoint of a view a view of the adjoint?

    v = a[1:]      v_bar = a_bar[1:]      what is added to one is in the other

It is, unless the adjoint of the viewed array is passed to another name while the view is in use, or the view cannot be
written through. In these cases the view is treated as a copy, which is correct if its memory is not written later;
otherwise it is refused.
"""

from __future__ import annotations

import gast
import numpy as np
from numba import types as nb

from srcad.errors import MayOverlap
from srcad.refusals.memory import UNFOLLOWED_VIEW, VIEW_OR_COPY
from srcad.runtime import kernels
from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.inference.type_inference import as_written
from srcad.transforms.ir.array_functions import READ_ONLY_VIEWS, functions
from srcad.transforms.ir.build import load, place_of, stores_into, walk_statements, written
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.side_effects import reads

# Views, sometimes or always, whose elements cannot be written through: their adjoints are separate arrays.
OUT_OF_REACH = functions(READ_ONLY_VIEWS)
# Views in NumPy, which are copies in generated code.
COPIED = (kernels.imaginary, np.conjugate)


def is_view(program: Program, name: str, value: gast.expr) -> bool:
    """Whether a name's adjoint is a view of another adjoint.

    What is a view only for contiguous memory (reshape, ravel) is treated as a copy where the memory is never written,
    is no longer used under another name, or is not written as long as the view is read, and as a view where it is
    contiguous by type; anything else cannot be decided and is refused.
    """
    if name not in program.aliases.views or program.flow.single(name) is None:
        return False
    primitive = primitive_of(value, program.unit.bindings)
    if is_copied(program, name, value):
        return False
    certain = is_certain(program, value)
    if is_handed_on(program, name) or primitive in OUT_OF_REACH:
        if not is_written_later(program, name, is_handed_on(program, name)):
            return False
        raise not_followed(program, name)
    if certain or not program.aliases.is_written(name):
        return certain
    return is_in_one_piece(program, name, value)


def is_certain(program: Program, value: gast.expr) -> bool:
    """Whether an expression whose memory may be that of its operand always has it."""
    primitive = primitive_of(value, program.unit.bindings)
    rule = registry.find(primitive)
    is_one = isinstance(value, gast.Subscript) or primitive in (kernels.expand, np.real)
    return is_one or (rule is not None and rule.kind == "view")


def is_copied(program: Program, name: str, value: gast.expr) -> bool:
    """Whether what may be a view in NumPy is a copy in generated code."""
    primitive = primitive_of(value, program.unit.bindings)
    is_read_part = primitive is np.real and not program.aliases.is_written(name)
    return is_cast(program, name, value) or primitive in COPIED or is_read_part


def shares_memory(program: Program, name: str, value: gast.expr) -> bool:
    """Whether what may be a view of an operand always is one, so that it may be taken at any time."""
    primitive = primitive_of(value, program.unit.bindings)
    if is_copied(program, name, value) or primitive in OUT_OF_REACH:
        return primitive in (
            np.broadcast_to,
            kernels.windows_along,
        )  # np.diag is a copy in compiled code, or of a vector
    return is_certain(program, value) or is_contiguous_part(program, value)


def is_in_one_piece(program: Program, name: str, value: gast.Call) -> bool:
    """Whether a view that only contiguous memory has (`np.ravel`) is one. Refused where that is unknown and matters."""
    if is_contiguous_part(program, value):
        return True
    if not is_used_beside(program, name) or is_only_read(program, name):
        return False
    raise VIEW_OR_COPY.at(
        place_of(program.flow.stores[name][0]),
        name=name,
        source=as_written(f"'{value.args[0].id}'", place_of(program.flow.stores[name][0])),
    )


def is_contiguous_part(program: Program, value: gast.expr) -> bool:
    """Whether an expression is a view because the memory of its operand is contiguous by its type (`np.ravel`)."""
    primitive = primitive_of(value, program.unit.bindings)
    rule = registry.find(primitive)
    if rule is None or not rule.may_view or not isinstance(value, gast.Call):
        return False
    in_order = primitive is not np.asfortranarray or program.types.rank(value.args[0].id) == 1
    return in_order and is_contiguous(program, value.args[0].id)


def refuse_views(program: Program) -> None:
    """Refuse views that may be copies where it matters: also values, and tangents, depend on which of both they are."""
    for name in program.aliases.views:
        value = program.flow.definition(name)
        if not isinstance(value, gast.Call) or not program.types.is_array(name) or not program.aliases.is_written(name):
            continue
        is_known = is_certain(program, value) or is_copied(program, name, value)
        if not is_known and primitive_of(value, program.unit.bindings) not in OUT_OF_REACH:
            is_in_one_piece(program, name, value)


def not_followed(program: Program, name: str) -> MayOverlap:
    """The error for a view that is not a view in generated code."""
    return UNFOLLOWED_VIEW.at(place_of(program.flow.stores[name][0]), name=name)


def is_cast(program: Program, name: str, value: gast.expr) -> bool:
    """Whether the numbers are converted to another type, as in `np.asarray(x, dtype=np.float32)`: that is a copy."""
    of = [program.types.get(each) for each in (name, program.aliases.views[name])]
    one, other = (each.dtype if isinstance(each, nb.Array) else None for each in of)
    return one != other and None not in (one, other) and primitive_of(value, program.unit.bindings) is not np.real


def is_contiguous(program: Program, name: str, seen: frozenset[str] = frozenset()) -> bool:
    """Whether an array is C-contiguous, both for Numba and for NumPy.

    Numba's copies and results are C-contiguous where NumPy would keep the order of the operands. So a result of two or
    more dimensions, and a view, is only certain to be C-contiguous if it is computed from such arrays alone.
    """
    kind = program.types.get(name)
    if not isinstance(kind, nb.Array) or kind.layout != "C":
        return False
    if name in program.unit.parameters or name in seen or (kind.ndim < 2 and name not in program.aliases.views):
        return True
    value = program.flow.definition(name)
    if isinstance(value, gast.Call) and primitive_of(value, program.unit.bindings) is kernels.copy_in_c_order:
        return True
    read = {each for store in program.flow.stores.get(name, []) for each in reads(store)}
    return all(is_contiguous(program, each, seen | {name}) for each in sorted(read) if program.types.is_array(each))


def is_written_later(program: Program, name: str, handed_on: bool) -> bool:
    """Whether a view's memory may be written after the view was taken, and then be read through the view."""
    taken = program.flow.stores[name][0]
    everything = list(walk_statements(program.unit.tree.body))
    users = [
        each
        for each in everything
        if not isinstance(getattr(each, "value", None), gast.Attribute)  # an array's shape does not change
        and any(reaches(program, read, name) for read in set(reads(each)))
    ]
    return any(
        program.aliases.may_alias(target.value.id, name)
        and program.meeting.may_meet(taken, load(name), store, target)
        and (handed_on or any(may_follow(program, store, user, taken) for user in users))
        for store in everything
        if (target := stores_into(store)) is not None
    )


def is_used_beside(program: Program, name: str) -> bool:
    """Whether a view's memory may be read or written under another name after the view was taken."""
    flow, taken = program.flow, program.flow.stores[name][0]
    here = flow.spot(taken)

    def is_later(user: gast.stmt) -> bool:
        there = flow.spot(user)
        return bool(flow.common_loops(here, there)) or (there.number > here.number and not flow.exclusive(here, there))

    return any(  # what is stored into is among the names that are read
        program.aliases.may_alias(each, name) and not reaches(program, each, name)
        for user in walk_statements(program.unit.tree.body)
        if user is not taken and is_later(user)
        for each in set(reads(user))
    )


def is_only_read(program: Program, name: str) -> bool:
    """Whether nothing is written through a view, and nothing into its memory before it is read for the last time."""
    targets = [target.value.id for each in walk_statements(program.unit.tree.body) if (target := stores_into(each))]
    is_stored_into = any(reaches(program, each, name) for each in targets)
    return not is_stored_into and not is_written_later(program, name, handed_on=False)


def may_follow(program: Program, store: gast.stmt, user: gast.stmt, taken: gast.stmt) -> bool:
    """Whether a statement may run after a store, with a view that was taken before the store."""
    flow = program.flow
    here, there = flow.spot(store), flow.spot(user)
    if there.number > here.number:
        return not flow.exclusive(here, there)
    return any(loop not in flow.spot(taken).loops for loop in flow.common_loops(here, there))


def is_handed_on(program: Program, name: str) -> bool:
    """Whether a view of a loop-carried array is stored under another name that this loop, or one around it, carries.

    The adjoint of the carried array then passes to another name while the view's adjoint is in use.
    """
    base: str | None = name
    while base is not None and program.carrier(base) is None:
        value = program.flow.definition(base)
        base = program.aliases.views.get(base) or (value.id if isinstance(value, gast.Name) else None)
    return base is not None and any(
        program.carrier(str(written(statement))) is not None
        for statement in walk_statements(program.unit.tree.body)
        if isinstance(statement, gast.Assign)
        and isinstance(statement.value, gast.Name)
        and reaches(program, statement.value.id, name)
    )


def reaches(program: Program, name: str, view: str) -> bool:
    """Whether a name is a view, or a view of that view."""

    def sources(each: str) -> list[str]:
        stores = program.flow.stores.get(each, [])
        copied = [store.value.id for store in stores if isinstance(getattr(store, "value", None), gast.Name)]
        base = program.aliases.views.get(each)
        return [*copied, base] if base is not None and program.carrier(each) is None else copied

    return view in closure([name], sources)
