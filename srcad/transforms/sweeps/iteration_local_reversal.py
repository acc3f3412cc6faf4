"""Iteration-local reversal: each iteration of an independent loop is reversed right after it runs, without a trace.

That changes the order in which iterations are reversed, and moves the reversal before everything that follows the loop.
It is correct if

- no adjoint passes from one iteration to another: a loop-carried name is not active, or is a sum that nothing in the
  loop reads except to add to it; two iterations access the same element of an active array only to add to it, unless
  the array is allocated by each iteration, or privatisable: each element is stored before it is read (see
  `array_kills`);
- the adjoints of the loop's results can be computed before the loop (see `independent_loop_schedule`).

The values that the reversed iteration reads are still available, as the iteration has just run (Warp assumes such
independence, here it is proved). Does not apply to functions with calls that are not inlined, since their records are
read in the opposite order.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.affine.array_kills import Cover
from srcad.transforms.analysis.affine.integer_facts import step_of
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.inference.subroutine_types import results_of_calls
from srcad.transforms.ir.build import Block, is_exit, stores_into, walk_statements, written
from srcad.transforms.ir.cost_model import GUESSED_ITERATIONS
from srcad.transforms.ir.pass_names import ITERATION_LOCAL_REVERSAL
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.side_effects import reads
from srcad.transforms.loop_analysis.loop_carried_values import are_sums
from srcad.transforms.storage.tbr import names_with_content

Access = tuple[
    str, gast.stmt, gast.expr
]  # "read", "store" or "add", by a statement, through a subscript or a whole array


def candidates(program: Program) -> list[gast.For]:
    """The loops of the outermost block whose iterations are independent in reverse, the longest-running first."""
    if not program.unit.does(ITERATION_LOCAL_REVERSAL) or results_of_calls(program.unit):
        return []  # the records of calls are read in the opposite order
    loops = [each for each in program.unit.tree.body if isinstance(each, gast.For)]
    found = [loop for loop in loops if Independence(program, loop).holds()]
    return sorted(found, key=lambda loop: -weight(program, loop))


def weight(program: Program, loop: gast.For) -> int:
    """An estimate of a loop's running time."""
    return sum(GUESSED_ITERATIONS ** len(program.flow.spot(each).loops) for each in walk_statements(loop.body))


def tails(program: Program, loop: gast.For) -> Block:
    """The copies at the end of a loop's body that assign the loop-carried names."""
    return [
        each
        for each in loop.body
        if isinstance(each, gast.Assign)
        and isinstance(each.targets[0], gast.Name)
        and program.carrier(each.targets[0].id) is loop
    ]


class Independence:
    """Decides whether the iterations of one loop in the outermost block pass no adjoint to each other."""

    def __init__(self, program: Program, loop: gast.For) -> None:
        self.program, self.loop = program, loop
        self.statements = list(walk_statements(loop.body))
        self.accesses = [access for each in self.statements for access in accesses(program, each)]
        self.all_roots = frozenset(root for _, _, what in self.accesses for root in self.roots(what))
        self.cover = Cover(program.meeting)

    def holds(self) -> bool:
        """Whether the independence is proved."""
        loop = self.loop
        if not loop.body or is_exit(loop.body[-1]) or not step_of(loop):
            return False
        return self.ends_with_copies() and self.carries_sums_only() and self.keeps_memory_apart()

    def ends_with_copies(self) -> bool:
        """Whether the loop-carried names are assigned by copies at the end of the body only."""
        last = tails(self.program, self.loop)
        inside = {id(each) for each in last}
        carried = self.carried()
        return self.loop.body[len(self.loop.body) - len(last) :] == last and not any(
            isinstance(each, gast.Assign)
            and isinstance(each.targets[0], gast.Name)
            and each.targets[0].id in carried
            and id(each) not in inside
            for each in self.statements
        )

    def carried(self) -> set[str]:
        """The loop-carried names."""
        stored = {name for each in self.statements if (name := written(each)) is not None}
        return {name for name in stored if self.program.carrier(name) is self.loop}

    def carries_sums_only(self) -> bool:
        """Whether every active loop-carried name is a sum that is only added to."""
        active = [name for name in sorted(self.carried()) if self.program.is_active(name)]
        is_scalar = not any(map(self.program.types.is_array, active))
        return is_scalar and (not active or are_sums(self.loop.body, active))

    def keeps_memory_apart(self) -> bool:
        """Whether iterations use different elements of active arrays, only add to shared ones, or use private ones."""
        stored = {root for kind, _, what in self.accesses if kind != "read" for root in self.roots(what)}
        for root in sorted(stored):
            if self.program.is_active(root) and not self.is_private(root) and not self.is_apart(root):
                return False
        return True

    def is_private(self, root: str) -> bool:
        """Whether an array is privatisable: iterations and later statements read nothing that another left in it."""
        return self.is_own(root) or self.is_scratch(root)

    def is_own(self, root: str) -> bool:
        """Whether each iteration allocates the array again, and no name for it outlives the iteration."""
        program, inside = self.program, {id(each) for each in self.statements}
        body = (program.flow.spot(self.loop).number, 0)
        names = {root, *(name for name, roots in program.aliases.of.items() if root in roots)}
        return all(body in program.flow.home(name) for name in names) and not any(
            id(each) not in inside and names & set(reads(each)) for each in walk_statements(program.unit.tree.body)
        )

    def is_apart(self, root: str) -> bool:
        """Whether no element of an array is accessed by two iterations, other than to add to it."""
        mine = [access for access in self.accesses if root in self.roots(access[2])]
        return not any(
            {one[0], other[0]} not in ({"read"}, {"add"})
            and self.program.meeting.meets_across(self.loop, one[1], one[2], other[1], other[2])
            for k, one in enumerate(mine)
            for other in mine[k:]
        )

    def is_scratch(self, root: str) -> bool:
        """Whether each iteration stores an array's elements before it reads them, and nothing else uses the array."""
        program = self.program
        inside = {id(each) for each in self.statements}
        return all(
            kind == "store" or self.cover.is_stored_before(self.loop, statement, what)
            for kind, statement, what in self.accesses
            if root in self.roots(what)
        ) and not any(
            root in self.roots(what)
            for each in walk_statements(program.unit.tree.body)
            if id(each) not in inside
            for _, _, what in accesses(program, each)
        )

    def roots(self, what: gast.expr) -> frozenset[str]:
        """The allocated arrays that a subscript or a name may refer to."""
        name = what.id if isinstance(what, gast.Name) else what.value.id
        return self.program.aliases.of.get(name, frozenset([name]))


def accesses(program: Program, statement: gast.stmt) -> Iterator[Access]:
    """The arrays, or parts of arrays, whose contents a statement itself reads or stores."""
    target = stores_into(statement)
    if target is not None:
        is_sum = isinstance(statement, gast.AugAssign) and isinstance(statement.op, (gast.Add, gast.Sub))
        yield "add" if is_sum else "store", statement, target
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=value) if _is_reference(program, name, value):
            return
        case gast.Assign(value=value) | gast.AugAssign(value=value) | gast.Return(value=value):
            yield from _reads(program, statement, value)
        case gast.If(test=part) | gast.While(test=part) | gast.For(iter=part) | gast.Expr(value=part):
            yield from _reads(program, statement, part)
    if target is not None:
        yield from _reads(program, statement, target.slice)


def _is_reference(program: Program, name: str, value: gast.expr) -> bool:
    """Whether an assignment only gives memory another name, without reading it."""
    if isinstance(value, gast.Name) or name not in program.aliases.views:
        return isinstance(value, gast.Name)
    rule = registry.find(primitive_of(value, program.unit.bindings))
    return isinstance(value, gast.Subscript) or (rule is not None and rule.kind == "view")


def _reads(program: Program, statement: gast.stmt, node: gast.expr | None) -> Iterator[Access]:
    if node is None:
        return
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
        if program.types.is_array(node.value.id):
            yield "read", statement, node
        yield from _reads(program, statement, node.slice)
        return
    for name in names_with_content(node):
        if program.types.is_array(name):
            yield "read", statement, gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None)
