"""Product hoisting: products of rows in loops become products of matrices before the loops.

    for i in range(n):                          p = a[0:n] @ x
        y[i] = np.tanh(a[i] @ x)    becomes     for i in range(n):
                                                    y[i] = np.tanh(p[i])

    for i in range(n):                          p = a @ b
        for j in range(m):                      for i in range(n):
            s = 0.0                     becomes     for j in range(m):
            for k in range(a.shape[1]):                 s = 0.0
                s += a[i, k] * b[k, j]                  s += p[i, j]
            c[i, j] = s                                 c[i, j] = s

A product may leave a loop that writes nothing that the product would read afterwards. What it takes from the loop's
index is then a span of indices: a vector becomes a matrix, a matrix the part of it that all iterations use together.
The rest of the loop stays as it is and reads a row, an element, or part of a row: of triangles that loops compute by
rows (`c[i, i:] = a[:, i] @ a[:, i:]`), the product has the other half as well, which nothing reads; only products of a
matrix with itself, where all rows meet anyway, as the reverse sweep multiplies that half by zeros, which NaN would
show. No other sum has other terms than in the loop. BLAS computes a product of matrices several times as fast as the
products of its rows, in the reverse sweep too, which has products of matrices for those of the loop.

A product of two matrices that no array of its size would hold otherwise stays a product of a matrix and a vector for
each iteration, so that memory stays as it is. Loops that add up numbers are quicker than BLAS for small matrices: a
test of the extents, once before the outermost loop, chooses between the loop as it was and the product. Sums are
rounded differently, so products that a choice depends on stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.runtime import kernels
from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.affine.integer_facts import step_of
from srcad.transforms.analysis.affine.linear_forms import Form, name_of
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.ir.build import (
    binary,
    branch,
    call,
    clone,
    const,
    load,
    mentions,
    names_in,
    place_of,
    rewrite_names,
    stores_into,
    walk_blocks,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.cost_model import FEWEST_HOISTED_PRODUCTS, FEWEST_TERMS
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.side_effects import changed_memory, reads, stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.control_dependence import choosing
from srcad.transforms.optimise.hoisted_products import Hoisted, Writer
from srcad.transforms.optimise.row_operands import Operand, Span, Views, operand_of
from srcad.transforms.optimise.summed_products import Read, summed


def with_products_hoisted(code: Code) -> Code:
    """Compute products of rows before the loops that they are in."""
    if not code.has_loops or code.unit.bindings.get("np") is not np:
        return code
    unit = code.unit.with_tree(
        code.unit.copy_tree(), names=code.unit.names.copy(), bindings={**code.unit.bindings, "kernels": kernels}
    )
    program = analyse_forward(unit, code.types, [])
    hoisting = _Hoisting(program, code)
    found = [each for each in hoisting.candidates() if each is not None]
    if not found:
        return code
    for each in {id(each.loop): each for each in found if each.is_of_numbers}.values():
        _choose_by_size(program, each)
    for each in found:
        Writer(program, each, code.settings.assumes).write()
    return code.with_unit(unit)


def _choose_by_size(program: Program, found: Hoisted) -> None:
    """Let a loop that adds up numbers stay for small matrices, whose products take less time than a call."""
    loop, body, names = found.loop, program.unit.tree.body, program.unit.names
    assert loop is not None
    writer, before = Writer(program, found, False), list[gast.stmt]()
    inner, *free = (writer.atom(form, before) for form in _extents(program, found))
    if len(free) == 2:
        fewest = load(writer.set("fewest", call("min", *free), before))
        work, least = binary(inner, gast.Mult, fewest), FEWEST_TERMS
    else:
        work, least = call("min", inner, *free), FEWEST_HOISTED_PRODUCTS
    size = load(writer.set("size", work, before))
    test = writer.set("test", gast.Compare(left=const(least), ops=[gast.LtE()], comparators=[size]), before)
    other, inside, every = clone(loop), mentions([loop]), mentions(body)
    local = {name: names.fresh(name) for name in sorted(stored_in([loop])) if inside[name] == every[name]}
    rewrite_names(other, lambda name: local.get(name, name))
    block, k = next((block, k) for block in walk_blocks(body) for k, each in enumerate(block) if each is loop)
    block[k : k + 1] = [*before, branch(load(test), [loop], [other], place_of(loop))]


def _extents(program: Program, found: Hoisted) -> Iterator[Form]:
    """The number of terms of each sum, and the extents of the product."""
    for whole, axis in ((found.left, found.left.inner), (found.left, found.left.free), (found.right, found.right.free)):
        if axis is not None and isinstance(part := whole.parts[axis], Span):
            yield (program.meeting.size(whole.root, axis) if part.high is None else part.high) - part.low


class _Hoisting:
    """Finds products that can leave loops."""

    def __init__(self, program: Program, code: Code) -> None:
        self.program, self.code, self.meeting, self.flow = program, code, program.meeting, program.flow
        self.body = program.unit.tree.body
        self.views = Views(self.meeting)
        self.users: dict[str, list[gast.stmt]] = {}
        for statement in walk_statements(self.body):
            for name in reads(statement):
                self.users.setdefault(name, []).append(statement)
        self.writes: dict[int, list[tuple[gast.stmt, gast.expr]]] = {}

    def candidates(self) -> Iterator[Hoisted | None]:
        """The products of the function that leave loops."""
        found = [self.product(each) or self.sum(each) for each in walk_statements(self.body)]
        if not any(found):
            return
        fixed = choosing(self.body, self.program.aliases)
        for each in found:
            if each is not None and self.program.aliases.alias_class(each.name) not in fixed:
                yield self.hoisted(each)

    def product(self, statement: gast.stmt) -> Hoisted | None:
        """A product of vectors, or of a matrix and a vector, in a loop."""
        if not isinstance(statement, gast.Assign) or not self.flow.spot(statement).loops:
            return None
        match statement:
            case gast.Assign(
                targets=[gast.Name(id=name)],
                value=gast.BinOp(op=gast.MatMult(), left=gast.Name(id=one), right=gast.Name(id=other)),
            ):
                pass
            case gast.Assign(
                targets=[gast.Name(id=name)],
                value=gast.Call(args=[gast.Name(id=one), gast.Name(id=other)], keywords=[]) as value,
            ) if primitive_of(value, self.program.unit.bindings) in (np.dot, np.matmul):
                pass
            case _:
                return None
        kinds = [self.program.types.get(each) for each in (one, other)]
        if {getattr(kind, "ndim", None) for kind in kinds} not in ({1}, {1, 2}):
            return None
        result = self.program.types.get(name)
        dtypes = {getattr(kind, "dtype", kind) for kind in (*kinds, result)}
        dtype = dtypes.pop()
        if dtypes or not isinstance(dtype, (nb.Float, nb.Complex)) or self.flow.single(name) is None:
            return None
        first, second = operand_of(self.views.named(one), True), operand_of(self.views.named(other), False)
        if first is None or second is None or not self.is_only_read(name):
            return None
        both = (statement, load(one)), (statement, load(other))
        return Hoisted(statement, name, first, second, first, second, both)

    def sum(self, statement: gast.stmt) -> Hoisted | None:
        """A loop that adds up products."""
        found = summed(self.program, statement, self.is_read_elsewhere)
        if found is None or not self.stays(found.reads, statement, len(self.flow.spot(statement).loops)):
            return None
        last = found.last[-1]
        target = last.target.value.id if isinstance(last, gast.AugAssign) else last.targets[0].id
        both = found.left, found.right
        return Hoisted(statement, target, *both, *both, found.reads, sum=found)

    def is_read_elsewhere(self, name: str, loop: gast.For) -> bool:
        """Whether a name that a loop stores is stored or read by anything else."""
        around = [*self.users.get(name, ()), *self.flow.stores.get(name, ())]
        return any(each is not loop and loop not in self.flow.spot(each).loops for each in around)

    def is_only_read(self, name: str) -> bool:
        """Whether a result may be part of a larger array: nothing writes to it, and it stays in the function."""
        if not self.program.types.is_array(name):
            return True
        if self.program.aliases.is_written(name):
            return False
        every = self.program.aliases.connected(name)
        users = [each for one in every for each in self.users.get(one, ())]
        return all(
            isinstance(each, (gast.Assign, gast.AugAssign))
            and not notes_of(each).effect
            and not isinstance(each.value, gast.Tuple)
            for each in users
        )

    def stays(self, read: tuple[Read, Read], loop: gast.stmt, depth: int) -> bool:
        """Whether what a product reads in a loop is what it would read before it."""
        if id(loop) not in self.writes:
            self.writes[id(loop)] = [
                (each, stores_into(each) if isinstance(_base(each), gast.Name) else load(name))
                for each in walk_statements(loop.body)
                for name in changed_memory(each)
            ]
        return not any(
            self.meeting.may_meet(writer, target, statement, part, least=depth)
            for writer, target in self.writes[id(loop)]
            for statement, part in read
            if not self.is_newer(writer, target, statement, part)
        )

    def is_newer(self, writer: gast.stmt, target: gast.expr, reader: gast.stmt, part: gast.expr) -> bool:
        """Whether an array that is written was allocated after what is read had got its value.

        As in `new[i] = a[i] @ old`, where the next iteration of an outer loop has `old = new`.
        """
        name, array = _base_of(target), _base_of(part)
        view = self.views.named(array)
        made = self.flow.single(name)
        is_fresh = made is not None and self.program.aliases.of.get(name) == frozenset([name])
        if view is None or not is_fresh or view.root == name:
            return False
        assert made is not None
        allocated, late = self.flow.spot(made), self.flow.spot(reader)
        inner = [loop for loop in late.loops if loop not in allocated.loops]
        is_around = late.loops[: len(allocated.loops)] == allocated.loops and allocated.number < late.number
        return is_around and not any(
            allocated.number < spot.number < late.number or any(loop in spot.loops for loop in inner)
            for spot in map(self.flow.spot, self.flow.stores.get(view.root, ()))
        )

    def hoisted(self, found: Hoisted) -> Hoisted | None:
        """The product before the outermost loop that it can leave."""
        spot, best = self.flow.spot(found.statement), None
        if found.has_gain and self.is_available(found):
            best = found
        for depth, loop in reversed([*enumerate(spot.loops)]):
            if not isinstance(loop, gast.For) or not self.is_counted_through(loop, found.statement, depth):
                break
            following = self.lifted(found, loop, depth)
            if following is None:
                break
            found = following
            if found.has_gain and self.is_available(found) and self.is_worth_it(found):
                best = found
        return best

    def is_counted_through(self, loop: gast.For, statement: gast.stmt, depth: int) -> bool:
        """Whether a loop runs through a range, and computes the product in each iteration."""
        spot = self.flow.spot(statement)
        is_whole = step_of(loop) in (1, -1) and self.flow.stores[loop.target.id] == [loop] and not is_parallel(loop)
        if not is_whole or any(isinstance(each, (gast.Break, gast.While)) for each in walk_statements(loop.body)):
            return False
        number = self.flow.spot(loop).number
        inside = [outer for outer, _ in spot.way if outer >= number]
        return len(inside) == len(spot.loops) - depth

    def lifted(self, found: Hoisted, loop: gast.For, depth: int) -> Hoisted | None:
        """The product of all iterations of one more loop."""
        every, index = self.meeting.bounds(loop).every, loop.target.id
        if every is None or not self.stays(found.reads, loop, depth):
            return None
        count = every[1] - every[0] + 1
        if not count.terms and count.constant < FEWEST_HOISTED_PRODUCTS:
            return None
        left, right = found.left.lifted(index, *every), found.right.lifted(index, *every)
        if left is None or right is None:
            return None
        of_left, of_right = left.free != found.left.free, right.free != found.right.free
        if of_left and of_right:  # products of a row with a row each
            return None
        if not all(_may_widen(old, new, index) for old, new in ((found.left, left), (found.right, right))):
            return None
        is_of_itself = (left.root, left.inner, left.free) == (right.root, right.inner, right.free)
        if _is_wider(found, left, right) and not is_of_itself:
            return None
        indices = [*found.indices, index] if of_left or of_right else found.indices
        return replace(found, left=left, right=right, loop=loop, indices=indices)

    def is_available(self, found: Hoisted) -> bool:
        """Whether the arrays, and what the spans depend on, have their values before the loop."""
        home, known = self.flow.spot(found.outer).way, self.meeting.at(found.outer)
        symbols = found.left.symbols | found.right.symbols
        for name in {found.left.root, found.right.root, *map(name_of, symbols)}:
            stores = self.flow.stores.get(name, [])
            is_before = all(found.outer not in (*self.flow.spot(each).loops, each) for each in stores)
            own = self.flow.home(name)
            if not is_before or own != home[: len(own)]:
                return False
        lows = [part.low for each in (found.left, found.right) for part in each.parts if isinstance(part, Span)]
        return all(self.meeting.is_nonnegative(form, known) for form in lows)

    def is_worth_it(self, found: Hoisted) -> bool:
        """Whether BLAS pays, and needs no more memory than the loop's results."""
        assert found.loop is not None
        is_of_matrices = found.left.free is not None and found.right.free is not None
        if found.is_of_numbers and (self.flow.spot(found.loop).loops or not (is_of_matrices or _is_by_columns(found))):
            return False  # matrices within a loop may be small, and a loop along rows is as quick as BLAS
        return not is_of_matrices or self.is_kept(found)

    def is_kept(self, found: Hoisted) -> bool:
        """Whether a loop stores what it makes of each element of the product as an element of an array."""
        pending, seen = [found.name], set[str]()
        if found.sum is not None and len(found.sum.last) == 1:
            return self.has_place(found.sum.last[0].target, found)
        while pending:
            name = pending.pop()
            seen.add(name)
            for each in self.users.get(name, ()):
                if isinstance(each, (gast.Assign, gast.AugAssign)) and stores_into(each) is not None:
                    if getattr(each.value, "id", None) == name and self.has_place(stores_into(each), found):
                        return True
                elif isinstance(each, gast.Assign) and self.is_elementwise(each.value):
                    pending += [each.targets[0].id] if each.targets[0].id not in seen else []
        return False

    def is_elementwise(self, value: gast.expr) -> bool:
        """Whether an expression has an element for each element of its operands."""
        if isinstance(value, gast.Name):
            return True
        rule = registry.find(primitive_of(value, self.program.unit.bindings))
        return rule is not None and bool(rule.elementwise)

    def has_place(self, target: Any, found: Hoisted) -> bool:
        """Whether a store is to other elements in each iteration of the loops, of an array that outlives them."""
        stores = self.flow.stores.get(target.value.id, ())
        assert found.loop is not None
        if any(found.loop in self.flow.spot(each).loops for each in stores):
            return False
        forms = [self.meeting.form(load(name)) for name in names_in(target.slice)]
        symbols = frozenset[str]().union(*(form.symbols for form in forms if form is not None))
        return symbols.issuperset(found.indices)


def _is_wider(found: Hoisted, left: Operand, right: Operand) -> bool:
    """Whether a product has columns that some iterations do not read.

    The reverse sweep multiplies these by zeros, which NaN shows: that may only be where all rows meet all others.
    """
    return any(
        old.free is not None and old.parts[old.free] != new.parts[old.free]
        for old, new in ((found.left, left), (found.right, right))
    )


def _may_widen(old: Operand, new: Operand, index: str) -> bool:
    """Whether a span that a loop moves also grows or shrinks with it: a triangle, of which half is read, not a band."""
    part = None if old.free is None else old.parts[old.free]
    if not isinstance(part, Span) or part == new.parts[old.free or 0]:
        return True
    return part.high is None or bool((part.high - part.low).coefficient(index))


def _is_by_columns(found: Hoisted) -> bool:
    """Whether the sum of a product of a matrix and a vector runs along an axis whose elements lie apart in memory."""
    matrix = found.left if found.left.free is not None else found.right
    return matrix.inner != len(matrix.parts) - 1


def _base_of(node: gast.expr) -> str:
    """The name of an array, or of the one that a subscript is of."""
    return str(node.id if isinstance(node, gast.Name) else node.value.id)


def _base(statement: gast.stmt) -> gast.expr | None:
    """The array that a store is into."""
    target = stores_into(statement)
    return None if target is None else target.value
