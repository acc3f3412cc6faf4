"""Shared traces: the value that an iteration leaves in a loop-carried name is found there, and not recorded again.

    for t in range(n):                      for t in range(n - 1, -1, -1):
        h_trace.append(h)                       new = h
        new = f(h)              with            h = h_trace[t]
        h = new                                 ...

At the start of a reversed iteration, `h` holds what that iteration left: nothing has changed it after the last one, and
each reversed iteration restores what was there before its own. So where both `h` and `new` are needed, one trace is
enough. Does not apply to loops that are left early, or nested in another loop, except one with iteration-local
reversal.
"""

from __future__ import annotations

import gast

from srcad.transforms.adjoint.reverse_plan import Way
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import Block, assign, load, walk
from srcad.transforms.storage.placement import Sites
from srcad.transforms.storage.tbr_result import Decisions


def find_left(sites: Sites, decisions: Decisions) -> None:
    """Stop recording names whose value is left in a recorded loop-carried name."""
    program, left = sites.program, dict[str, str]()
    for carried in sorted(decisions.recorded):
        name = left_in(sites, carried)
        if name in decisions.recorded and name not in left and name not in _followed(left, carried):
            assert name is not None
            if _same_kind(program, name, carried):
                left[name] = carried
    decisions.left = left
    decisions.recorded -= set(left)
    decisions.recomputed |= {name: load(carried) for name, carried in left.items()}


def taken_over(left: dict[str, str], sites: Sites, way: Way) -> Block:
    """The copies at the start of a reversed iteration, ordered so that each name is read before it is overwritten."""
    rest, code = {name: held for name, held in left.items() if sites.site(name) == way}, []
    while rest:
        for name in [each for each in rest if each not in rest.values()]:
            code.append(assign(name, load(rest.pop(name))))
    return code


def _followed(left: dict[str, str], name: str) -> list[str]:
    """A name, the name in which its value is found, the name in which that one's is found, and so on."""
    found = [name]
    while found[-1] in left:
        found.append(left[found[-1]])
    return found


def _same_kind(program: Program, one: str, other: str) -> bool:
    return program.types.get(one) == program.types.get(other)


def left_in(sites: Sites, carried: str) -> str | None:
    """The name whose value each iteration leaves in a loop-carried one; None where there is none."""
    program, flow = sites.program, sites.program.flow
    loop, stores = program.carrier(carried), flow.stores.get(carried, [])
    if not isinstance(loop, (gast.For, gast.While)) or len(stores) != 2 or _leaves_early(loop):
        return None
    spot = flow.spot(loop)
    body = (*spot.way, (spot.number, 0))
    if sites.loops_around(spot.way):
        return None  # another iteration of the outer loop has changed the name since
    inside = [each for each in stores if loop in flow.spot(each).loops]
    outside = [each for each in stores if loop not in flow.spot(each).loops]
    if len(inside) != 1 or flow.spot(inside[0]).way != body or flow.spot(outside[0]).way != spot.way:
        return None
    return _origin(sites, inside[0], loop, body)


def _origin(sites: Sites, store: gast.stmt, loop: gast.For | gast.While, body: Way) -> str | None:
    """The name whose value a statement stores, following chains of copies."""
    flow, found = sites.program.flow, None
    while isinstance(store, gast.Assign) and isinstance(store.value, gast.Name):
        name = store.value.id
        if sites.site(name) != body or not _is_as_wanted(sites.program, name, loop, store, body):
            break
        found, store = name, flow.single(name)
    return found


def _is_as_wanted(program: Program, name: str, loop: gast.For | gast.While, store: gast.stmt, body: Way) -> bool:
    """Whether a name holds, where a statement reads it, the value that the reversed iteration refers to."""
    flow = program.flow
    made = flow.single(name)
    if made is not None:
        return flow.spot(made).way == body
    if program.carrier(name) is not loop:
        return False  # stored in the arms of a branch
    changed = [flow.spot(each).number for each in flow.stores[name] if loop in flow.spot(each).loops]
    return all(number > flow.spot(store).number for number in changed)


def _leaves_early(loop: gast.For | gast.While) -> bool:
    return any(isinstance(each, (gast.Break, gast.Return)) for each in walk(loop))
