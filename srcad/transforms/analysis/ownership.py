"""Ownership: may a copy of an array reference be treated as a copy of the array's value?

After `m = e` two names refer to one array. Their adjoints are separate and get added up, which is correct if the memory
is not written afterwards, or only accessed through `m` (the array has *moved*: two buffers that a loop swaps).
Everything else is refused, since a guess could give a wrong gradient.
"""

from __future__ import annotations

import gast

from srcad.errors import Place
from srcad.refusals.memory import EXCHANGED_ARRAYS
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.analysis.statement_positions import Spot
from srcad.transforms.inference.type_inference import as_written
from srcad.transforms.ir.build import load, place_of, stores_into, walk, walk_statements
from srcad.transforms.ir.side_effects import is_check, reads


def check_copy(program: Program, statement: gast.Assign) -> None:
    """Refuse a copy of an array reference unless the array does not change afterwards, or has moved."""
    source, target = statement.value.id, statement.targets[0].id
    late = [store for store in program.known(_stores) if _writes_later(program, statement, store)]
    if not late or (_is_moved(program, statement, source, target) and not _is_repeated(program, statement, late)):
        return
    place, line = place_of(statement), place_of(late[0])
    name, other = named(target, source, place)
    raise EXCHANGED_ARRAYS.at(place, name=name, source=other, line=f" (line {line.line})" if line else "")


def named(one: str, other: str, place: Place | None) -> tuple[str, str]:
    """Two variables as the user wrote them, for a message.

    >>> named("v_2", "u", None), named("v_2", "v_3", None)
    (("'v'", "'u'"), ("'v'", "another value of 'v'"))
    """
    first, second = (as_written(f"'{each}'", place) for each in (one, other))
    return first, f"another value of {first}" if first == second else second


def _writes_later(program: Program, copy: gast.Assign, store: gast.stmt) -> bool:
    target = stores_into(store)
    if target is None or not program.aliases.may_alias(target.value.id, copy.value.id):
        return False
    lifetime = program.loops_at_home(copy.targets[0].id)
    return program.meeting.may_meet(copy, load(copy.value.id), store, target, least=lifetime)


def _is_moved(program: Program, copy: gast.Assign, source: str, target: str) -> bool:
    """Whether, after the copy, no other name accesses the memory until that name is stored again."""
    flow, aliases = program.flow, program.aliases
    member = target if _begins(program, copy, target) else source
    others = {
        name
        for name in aliases.of
        if name != target
        and aliases.may_alias(name, source)
        and not _is_through(program, name, target)
        and not are_apart(program, _at(program, name, copy), member)
    }
    readers = program.known(_readers)
    for name in sorted(others):
        if any(each is not copy and _may_read_after(program, copy, each, name) for each in readers.get(name, ())):
            return False
    return all(name not in flow.parameters or name == source for name in others) or source not in flow.parameters


def _stores(program: Program) -> list[gast.stmt]:
    """The statements that write elements."""
    return [each for each in walk_statements(program.unit.tree.body) if stores_into(each) is not None]


def _readers(program: Program) -> dict[str, list[gast.stmt]]:
    """The statements that read a name, of an array what it holds: its shape does not change."""
    found: dict[str, list[gast.stmt]] = {}
    for statement in walk_statements(program.unit.tree.body):
        if not isinstance(getattr(statement, "value", None), gast.Attribute):
            for name in _contents_read(statement):
                found.setdefault(name, []).append(statement)
    return found


def _contents_read(statement: gast.stmt) -> set[str]:
    """The names that a statement reads; of a check, without the arrays of which it reads the shape."""
    found = set(reads(statement))
    if not is_check(statement):
        return found
    shapes = [each.value for each in walk(statement) if isinstance(each, gast.Attribute) and each.attr == "shape"]
    return {each.id for each in walk(statement) if isinstance(each, gast.Name) and each not in shapes} & found


def _is_repeated(program: Program, copy: gast.Assign, late: list[gast.stmt]) -> bool:
    """Whether the copy is made again, of the same array, after one of these stores."""
    flow, source = program.flow, copy.value.id
    return any(
        loop in flow.spot(store).loops and not _is_stored_in(program, source, loop)
        for loop in flow.spot(copy).loops
        for store in late
    )


def are_apart(program: Program, one: str, other: str) -> bool:
    """Whether two names are different members of a group of buffers that a loop permutes, and so never alias."""
    first, second = owner(program, one), owner(program, other)
    return first != second and any(first in group and second in group for _, group in program.known(swap_groups))


def _begins(program: Program, copy: gast.Assign, target: str) -> bool:
    """Whether a copy passes a buffer of a swapped group to the loop that swaps."""
    loop = program.carrier(target)
    return loop is not None and loop not in program.flow.spot(copy).loops


def _at(program: Program, name: str, copy: gast.Assign) -> str:
    """The value of a carried name at a copy: the name it was assigned from at the end of the iteration, if it was."""
    flow, here = program.flow, program.flow.spot(copy)
    for store in flow.stores.get(name, []):
        spot = flow.spot(store)
        is_earlier = spot.way == here.way and spot.number < here.number
        if is_earlier and isinstance(store.value, gast.Name) and program.carrier(name) in spot.loops:
            return str(store.value.id)
    return name


def owner(program: Program, name: str) -> str:
    """The name at the start of a chain of copies."""
    value = program.flow.definition(name)
    while isinstance(value, gast.Name):
        name = value.id
        value = program.flow.definition(name)
    return name


def swap_groups(program: Program) -> list[tuple[gast.stmt, frozenset[str]]]:
    """Loops with groups of array names that they permute in each iteration, and that are initially different arrays."""
    groups: list[tuple[gast.stmt, frozenset[str]]] = []
    for loop in walk_statements(program.unit.tree.body):
        if not isinstance(loop, (gast.For, gast.While)):
            continue
        moves = {
            statement.targets[0].id: owner(program, statement.value.id)
            for statement in loop.body
            if isinstance(statement, gast.Assign)
            and isinstance(statement.targets[0], gast.Name)
            and isinstance(statement.value, gast.Name)
            and program.types.is_array(statement.targets[0].id)
            and program.carrier(statement.targets[0].id) is loop
        }
        group = frozenset(name for name in moves if moves[name] in moves)
        if {moves[name] for name in group} == group and len(group) > 1 and _begin_apart(program, group, loop):
            groups.append((loop, group))
    return groups


def _begin_apart(program: Program, group: frozenset[str], loop: gast.stmt) -> bool:
    """Whether the names are different arrays when the loop starts."""
    flow = program.flow
    seen: set[str] = set()
    first, last = flow.spot(loop).number, flow.last_inside[flow.spot(loop).number]
    for name in sorted(group):
        starts = [store for store in flow.stores[name] if not first < flow.spot(store).number <= last]
        if len(starts) != 1 or not isinstance(starts[0], gast.Assign):
            return False
        value = starts[0].value
        roots = program.aliases.points_to(value.id) if isinstance(value, gast.Name) else frozenset([name])
        if not roots or roots & seen:
            return False
        seen |= roots
    return True


def _is_through(program: Program, name: str, target: str) -> bool:
    """Whether a name is a view or copy taken through the target of the copy."""
    seen = set()
    while name != target and name not in seen:
        seen.add(name)
        value = program.flow.definition(name)
        name = program.aliases.views.get(name) or (value.id if isinstance(value, gast.Name) else name)
    return name == target


def _may_read_after(program: Program, copy: gast.Assign, statement: gast.stmt, name: str) -> bool:
    """Whether a read of a name may come after the copy, while the name still has the value that it had at the copy."""
    flow = program.flow
    here, there = flow.spot(copy), flow.spot(statement)
    common = flow.common_loops(here, there)
    if there.number > here.number and not flow.exclusive(here, there):
        return not _stored_between(program, name, here, there)
    if not common:
        return False
    # In a later iteration the name has another value, if the loop stores it: SSA names are stored on every path.
    return not _is_stored_in(program, name, common[-1])


def _is_stored_in(program: Program, name: str, loop: gast.stmt) -> bool:
    return any(loop in program.flow.spot(store).loops for store in program.flow.stores.get(name, []))


def _stored_between(program: Program, name: str, here: Spot, there: Spot) -> bool:
    """Whether a name is stored on the way from one place to another: not in the other arm of a branch around either."""
    flow = program.flow
    between = [spot for spot in map(flow.spot, flow.stores.get(name, [])) if here.number < spot.number < there.number]
    return any(not flow.exclusive(here, each) and not flow.exclusive(each, there) for each in between)
