"""Loop fusion: join loops over the same range that use the same arrays, before differentiation.

    for i in ...: y[i] = ...                for i in ...:
    s = 0.0                                     y[i] = ...
    for i in ...: s += y[i] ** 2    ->          s += y[i] ** 2
    u = 0.0                                     u += y[i] * z[i]
    for i in ...: u += y[i] * z[i]

Both sweeps then go through memory once, and arrays that only pass values on from one loop to the next become numbers.
Loops are joined if

- the iterations of each are independent in reverse, and so are those of the joined loop (`iteration_local_reversal`),
- no iteration of the second loop accesses an element that a later iteration of the first accesses, unless both read,
- no statement in between has to stay between them: it is moved before or after the joined loop,
- LLVM can vectorise both or neither: what has no loops or branches inside is not joined with what has branches, other
  than those that ask a mask.

What has to stay in order is a graph of the statements of a block. Two loops may be joined if no path of the graph leads
from one to the other by way of a third statement (Kennedy and McKinley, Maximizing loop parallelism and improving data
locality via loop fusion and distribution, LCPC 1993).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import gast

from srcad.runtime.support.stage_timer import stage
from srcad.transforms.analysis.affine.integer_facts import Bounds
from srcad.transforms.analysis.program_facts import Program, analyse
from srcad.transforms.inference.subroutine_types import results_of_calls
from srcad.transforms.ir.build import Block, assign, clone, is_exit, load, loop, place_of, walk_blocks, walk_statements
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.pass_names import LOOP_FUSION
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.ir.unit import Unit
from srcad.transforms.sweeps.iteration_local_reversal import Independence, tails
from srcad.transforms.sweeps.statement_order import Order

Pair = tuple[gast.For, gast.For]


@stage("loop_fusion")
def merged(unit: Unit, types: Types, independent: Sequence[str], dependent: Sequence[str]) -> Unit:
    """Fuse loops, for derivatives of `dependent` with respect to `independent`."""
    if not unit.does(LOOP_FUSION) or not any(len(_loops(each)) > 1 for each in walk_blocks(unit.tree.body)):
        return unit
    if results_of_calls(unit):
        return unit
    program = analyse(unit, types, independent, dependent)
    refused: set[Pair] = set()
    while True:
        again = _fused(program, refused, lambda changed: analyse(changed, types, independent, dependent))
        if again is None:
            return program.unit
        program = again


def _loops(block: Block) -> list[gast.For]:
    return [each for each in block if isinstance(each, gast.For)]


def _fused(program: Program, refused: set[Pair], analysed: Callable[[Unit], Program]) -> Program | None:
    """The program with loops fused, each with one other at most; None if there are none that can be.

    Adds pairs that cannot be fused to `refused`: fusing others does not change that.
    """
    while True:
        fusion = _Fusion(program, refused)
        body = fusion.block(program.unit.tree.body)
        if not fusion.joined:
            return None
        tree = clone_of_header(program.unit.tree)
        tree.body = body
        again = analysed(program.unit.with_tree(tree))
        failed = [pair for pair, loop in fusion.joined.items() if not Independence(again, loop).holds()]
        if not failed:
            return again
        refused.update(failed)


class _Fusion:
    """Fuses pairs of loops in all blocks of a program, which stays as it is."""

    def __init__(self, program: Program, refused: set[Pair]) -> None:
        self.program, self.refused = program, refused
        self.joined: dict[Pair, gast.For] = {}
        self.independence = cache(lambda loop: Independence(program, loop))
        self.is_independent = cache(lambda loop: self.independence(loop).holds())

    def block(self, block: Block) -> Block:
        """A block with loops fused, in it or in inner blocks."""
        order: Order | None = None
        taken: set[gast.For] = set()
        for first, second in self.pairs(block):
            if first in taken or second in taken:
                continue
            if not self.fits(first, second):
                self.refused.add((first, second))
                continue
            order = Order(self.program, block) if order is None else order
            if order.join(first, second):
                self.joined[first, second] = self.join(first, second)
                taken |= {first, second}
            else:
                self.refused.add((first, second))
        if order is None or not taken:
            return [self.inside(each) for each in block]
        return order.arranged({first: made for (first, _), made in self.joined.items()})

    def inside(self, statement: gast.stmt) -> gast.stmt:
        """A statement with loops fused in its blocks. Loops that count their iterations stay: the count knows them."""
        if isinstance(statement, gast.While) or (isinstance(statement, gast.For) and is_exit(statement.body[-1])):
            return statement
        fields = [name for name in ("body", "orelse") if isinstance(getattr(statement, name, None), list)]
        made = {name: self.block(getattr(statement, name)) for name in fields}
        if all(made[name] == getattr(statement, name) for name in fields):
            return statement
        copied = type(statement)(**{field: getattr(statement, field) for field in statement._fields})
        copied.__dict__.update({key: value for key, value in statement.__dict__.items() if key not in made})
        copied.__dict__.update(made)
        return copied

    def pairs(self, block: Block) -> list[Pair]:
        """The pairs of loops with the same range, near ones first."""
        ranges: dict[Bounds, list[gast.For]] = {}
        for each in _loops(block):
            bounds = self.program.meeting.bounds(each)
            if bounds.low is not None and bounds.high is not None and not is_exit(each.body[-1]):
                ranges.setdefault(bounds, []).append(each)
        near = [
            (k - j, place[j], place[k])
            for place in ranges.values()
            for k in range(len(place))
            for j in range(k)
            if (place[j], place[k]) not in self.refused
        ]
        return [(first, second) for _, first, second in sorted(near, key=lambda each: each[0])]

    def fits(self, first: gast.For, second: gast.For) -> bool:
        """Whether two loops use an array in common, and the joined loop computes what they do."""
        is_shared = is_parallel(first) or is_parallel(second)
        simple = [each for each in (first, second) if _is_simple(each)]
        if len(simple) == 1 and any(map(_has_branches, (first, second))) and not is_shared:
            return False  # the one that LLVM can vectorise would no longer be
        if not self.is_independent(first) or not self.is_independent(second):
            return False
        one, other = self.independence(first), self.independence(second)
        if not one.all_roots & other.all_roots:
            return False
        return not any(
            {a[0], b[0]} != {"read"} and self.program.meeting.meets_earlier(first, a[1], a[2], second, b[1], b[2])
            for a in one.accesses
            for b in other.accesses
        )

    def join(self, first: gast.For, second: gast.For) -> gast.For:
        """The fused loop."""
        last = [*tails(self.program, first), *tails(self.program, second)]
        inner = [each for each in first.body if each not in last]
        inner.append(assign(second.target.id, load(first.target.id), place_of(second)))
        inner += [each for each in second.body if each not in last]
        joined = loop(first.target.id, [clone(bound) for bound in first.iter.args], [*inner, *last], place_of(first))
        made: gast.For = note(joined, parallel=is_parallel(first) or is_parallel(second))
        return made


def _has_branches(loop: gast.For) -> bool:
    return any(isinstance(each, (gast.If, gast.While)) and not _asks_mask(each) for each in walk_statements(loop.body))


def _is_simple(loop: gast.For) -> bool:
    """Whether a loop contains neither loops nor branches other than by masks: LLVM can vectorise no other."""
    kinds = (gast.For, gast.If, gast.While)
    return not any(isinstance(each, kinds) and not _asks_mask(each) for each in walk_statements(loop.body))


def _asks_mask(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.If) and notes_of(statement).asks_mask


def clone_of_header(tree: gast.FunctionDef) -> gast.FunctionDef:
    """A copy of the function's definition, whose body is to be replaced."""
    copied = gast.FunctionDef(**{field: getattr(tree, field) for field in tree._fields})
    copied.__dict__.update({key: value for key, value in tree.__dict__.items() if key not in tree._fields})
    return copied
