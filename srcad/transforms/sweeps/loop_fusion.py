"""Loop fusion: join a loop with a later one over the same range that reads what the first stores.

    for i in ...: y[i] = ...                for i in ...:
    for i in ...: s += y[i] ** 2    ->          y[i] = ...
                                                s += y[i] ** 2

Applies only where the fused loop can be reversed iteration by iteration (see `iteration_local_reversal`). It is correct
if no iteration of the second loop accesses an element that a later iteration of the first loop accesses, unless both
only read it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import gast

from srcad.runtime.support.stage_timer import stage
from srcad.transforms.analysis.program_facts import Program, analyse
from srcad.transforms.inference.subroutine_types import results_of_calls
from srcad.transforms.ir.build import assign, clone, is_exit, load, loop, place_of
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.pass_names import LOOP_FUSION
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.ir.unit import Unit
from srcad.transforms.sweeps.independent_loop_schedule import Touched, late_statements
from srcad.transforms.sweeps.iteration_local_reversal import Independence, tails


@stage("loop_fusion")
def merged(unit: Unit, types: Types, independent: Sequence[str], dependent: Sequence[str]) -> Unit:
    """Fuse loops, for derivatives of `dependent` with respect to `independent`."""
    if not unit.does(LOOP_FUSION) or len(_loops(unit)) < 2 or results_of_calls(unit):
        return unit
    program = analyse(unit, types, independent, dependent)
    refused: set[tuple[gast.For, gast.For]] = set()
    while True:
        fused = _fused_once(program, refused, lambda changed: analyse(changed, types, independent, dependent))
        if fused is None:
            return program.unit
        program = fused


def _loops(unit: Unit) -> list[gast.For]:
    return [each for each in unit.tree.body if isinstance(each, gast.For)]


def _fused_once(
    program: Program, refused: set[tuple[gast.For, gast.For]], analysed: Callable[[Unit], Program]
) -> Program | None:
    """The program with the last two neighbouring loops fused that can be; None if there are none.

    Adds the pairs that cannot be to `refused`: fusing others does not change that.
    """
    loops = _loops(program.unit)
    for first, second in reversed([*pairwise(loops)]):
        joined = None if (first, second) in refused else _joined(program, first, second)
        if joined is not None:
            again = analysed(_replaced(program, first, second, joined))
            if Independence(again, joined).holds():
                return again
        refused.add((first, second))
    return None


def _joined(program: Program, first: gast.For, second: gast.For) -> gast.For | None:
    """The fused loop; None where it would compute something else, or nothing is gained."""
    if not _have_one_range(program, first, second):
        return None
    one, other = Independence(program, first), Independence(program, second)
    if not {root for kind, _, what in one.accesses if kind != "read" for root in one.roots(what)} & {
        root for kind, _, what in other.accesses if kind == "read" for root in other.roots(what)
    }:
        return None
    body = program.unit.tree.body
    between = body[body.index(first) + 1 : body.index(second)]
    waiting = Touched.by(program, late_statements(program, first, between))
    late = Touched.by(program, [first]).with_these(waiting)
    touched = Touched.by(program, [second])
    if touched.names & late.stored or touched.roots & waiting.stores or touched.stores & waiting.roots:
        return None
    if touched.has_effect or late.has_effect:
        return None
    if any(
        {a[0], b[0]} != {"read"} and program.meeting.meets_earlier(first, a[1], a[2], second, b[1], b[2])
        for a in one.accesses
        for b in other.accesses
    ):
        return None
    last = [*tails(program, first), *tails(program, second)]
    inner = [each for each in first.body if each not in last]
    inner.append(assign(second.target.id, load(first.target.id), place_of(second)))
    inner += [each for each in second.body if each not in last]
    joined = loop(first.target.id, [clone(bound) for bound in first.iter.args], [*inner, *last], place_of(first))
    return note(joined, parallel=is_parallel(first) or is_parallel(second))


def _have_one_range(program: Program, first: gast.For, second: gast.For) -> bool:
    """Whether two loops run over the same indices, in the same order, to the end."""
    if is_exit(first.body[-1]) or is_exit(second.body[-1]):
        return False
    bounds = program.meeting.bounds(first)
    return bounds == program.meeting.bounds(second) and bounds.low is not None and bounds.high is not None


def _replaced(program: Program, first: gast.For, second: gast.For, joined: gast.For) -> Unit:
    """The unit with the fused loop in place of the first; statements between the two move before or after it."""
    unit, body = program.unit, program.unit.tree.body
    start, stop = body.index(first), body.index(second)
    late = late_statements(program, first, body[start + 1 : stop])
    early = [each for each in body[start + 1 : stop] if each not in late]
    tree = clone_of_header(unit.tree)
    tree.body = [*body[:start], *early, joined, *late, *body[stop + 1 :]]
    return unit.with_tree(tree)


def clone_of_header(tree: gast.FunctionDef) -> gast.FunctionDef:
    """A copy of the function's definition, whose body is to be replaced."""
    copied = gast.FunctionDef(**{field: getattr(tree, field) for field in tree._fields})
    copied.__dict__.update({key: value for key, value in tree.__dict__.items() if key not in tree._fields})
    return copied
