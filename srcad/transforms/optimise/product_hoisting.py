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
rows (`c[i, i:] = a[:, i] @ a[:, i:]`), the product has the other half as well, which nothing reads. No sum has other
terms than in the loop, so that no NaN gets into it. BLAS computes a product of matrices several times as fast as the
products of its rows, in the reverse sweep too, which has products of matrices for those of the loop.

A product of two matrices that no array of its size would hold otherwise stays a product of a matrix and a vector for
each iteration, so that memory stays as it is. Sums are rounded differently, so products that a choice depends on stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.runtime import kernels
from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.affine.integer_facts import ends_of, step_of
from srcad.transforms.analysis.affine.linear_forms import Form, is_extent, is_nonnegative, name_of
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    attribute,
    binary,
    branch,
    call,
    clone,
    const,
    dotted_path,
    load,
    names_in,
    one_or_tuple,
    place_of,
    rewrite_names,
    stores_into,
    subscript,
    tuple_of,
    walk_blocks,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.cost_model import FEWEST_HOISTED_PRODUCTS
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, reads
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.control_dependence import choosing
from srcad.transforms.optimise.row_operands import ZERO, Operand, Span, Views, operand_of
from srcad.transforms.optimise.summed_products import Read, Summed, summed


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
    for each in found:
        _Writer(program, code, each).write()
    return code.with_unit(unit)


@dataclass
class _Hoisted:
    """A product that leaves loops.

    statement       what computes it
    name            of the result in the loop
    first, second   the factors in the loop
    left, right     the factors before the loops
    loop            the outermost of these loops
    sum             what adds it up, if that is a loop
    """

    statement: gast.stmt
    name: str
    first: Operand
    second: Operand
    left: Operand
    right: Operand
    reads: tuple[Read, Read]
    loop: gast.For | None = None
    sum: Summed | None = None
    indices: list[str] = field(default_factory=list)  # of the loops of which each iteration has a row of its own

    @property
    def outer(self) -> gast.stmt:
        """The statement before which the product is computed."""
        return self.statement if self.loop is None else self.loop

    @property
    def is_of_numbers(self) -> bool:
        """Whether the function adds up products of numbers itself."""
        return self.sum is not None and self.first.free is self.second.free is None

    @property
    def has_gain(self) -> bool:
        """Whether a factor has become a matrix."""
        return bool(self.indices) or (self.sum is not None and self.left.free is not None)


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

    def candidates(self) -> Iterator[_Hoisted | None]:
        """The products of the function that leave loops."""
        found = [self.product(each) or self.sum(each) for each in walk_statements(self.body)]
        if not any(found):
            return
        fixed = choosing(self.body, self.program.aliases)
        for each in found:
            if each is not None and self.program.aliases.alias_class(each.name) not in fixed:
                yield self.hoisted(each)

    def product(self, statement: gast.stmt) -> _Hoisted | None:
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
        return _Hoisted(statement, name, first, second, first, second, both)

    def sum(self, statement: gast.stmt) -> _Hoisted | None:
        """A loop that adds up products."""
        found = summed(self.program, statement, self.is_read_elsewhere)
        if found is None or not self.stays(found.reads, statement, len(self.flow.spot(statement).loops)):
            return None
        last = found.last[-1]
        target = last.target.value.id if isinstance(last, gast.AugAssign) else last.targets[0].id
        both = found.left, found.right
        return _Hoisted(statement, target, *both, *both, found.reads, sum=found)

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

    def hoisted(self, found: _Hoisted) -> _Hoisted | None:
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

    def lifted(self, found: _Hoisted, loop: gast.For, depth: int) -> _Hoisted | None:
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
        indices = [*found.indices, index] if of_left or of_right else found.indices
        return replace(found, left=left, right=right, loop=loop, indices=indices)

    def is_available(self, found: _Hoisted) -> bool:
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

    def is_worth_it(self, found: _Hoisted) -> bool:
        """Whether BLAS pays, and needs no more memory than the loop's results."""
        assert found.loop is not None
        is_of_matrices = found.left.free is not None and found.right.free is not None
        if (
            found.is_of_numbers and self.flow.spot(found.loop).loops
        ):  # may be small, and loops of numbers are quick then
            return False
        return not is_of_matrices or self.is_kept(found)

    def is_kept(self, found: _Hoisted) -> bool:
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

    def has_place(self, target: Any, found: _Hoisted) -> bool:
        """Whether a store is to other elements in each iteration of the loops, of an array that outlives them."""
        stores = self.flow.stores.get(target.value.id, ())
        assert found.loop is not None
        if any(found.loop in self.flow.spot(each).loops for each in stores):
            return False
        forms = [self.meeting.form(load(name)) for name in names_in(target.slice)]
        symbols = frozenset[str]().union(*(form.symbols for form in forms if form is not None))
        return symbols.issuperset(found.indices)


def _base_of(node: gast.expr) -> str:
    """The name of an array, or of the one that a subscript is of."""
    return str(node.id if isinstance(node, gast.Name) else node.value.id)


def _base(statement: gast.stmt) -> gast.expr | None:
    """The array that a store is into."""
    target = stores_into(statement)
    return None if target is None else target.value


class _Writer:
    """Writes one product before its loop, and what reads it in the loop."""

    def __init__(self, program: Program, code: Code, found: _Hoisted) -> None:
        self.program, self.found, self.meeting = program, found, program.meeting
        self.assumes = code.settings.assumes
        self.names, self.place = program.unit.names, place_of(found.statement)

    def write(self) -> None:
        """Change the function's statements in place."""
        found, before, inside = self.found, list[gast.stmt](), list[gast.stmt]()
        pairs = [(found.first, found.left), (found.second, found.right)]
        pairs = pairs[::-1] if self.is_transposed(*pairs) else pairs
        views = [self.view(whole, before) for _, whole in pairs]
        if not self.is_matched(pairs):
            self.match(pairs, views, before)
        if None in (pairs[0][1].free, pairs[1][1].free) and self.is_second(*pairs):
            pairs, views = pairs[::-1], views[::-1]
        factors = [
            self.turned(whole, view, is_left, before)
            for (_, whole), view, is_left in zip(pairs, views, (True, False), strict=True)
        ]
        product = self.set("product", binary(load(factors[0]), gast.MatMult, load(factors[1])), before)
        index = [self.index(own, whole, inside) for own, whole in pairs if whole.free is not None]
        inside += self.read(product, index)
        self.insert(found.outer, before, 0)
        self.insert(found.statement, inside, 1)

    def is_transposed(self, one: tuple[Operand, Operand], other: tuple[Operand, Operand]) -> bool:
        """Whether rows of the product are to be what the second factor gives: an iteration of the outermost loop."""

        def rank(pair: tuple[Operand, Operand]) -> int:
            own, whole = pair
            part = None if whole.free is None else own.parts[whole.free]
            indices = [
                k for k, each in enumerate(self.found.indices) if isinstance(part, Form) and each in part.symbols
            ]
            return max(indices, default=-1)

        return rank(other) > rank(one)

    def is_second(self, one: tuple[Operand, Operand], other: tuple[Operand, Operand]) -> bool:
        """Whether the matrix of a product of a matrix and a vector is on the wrong side, as it lies in memory."""
        is_first = one[1].free is not None
        matrix = one[1] if is_first else other[1]
        assert matrix.free is not None
        return is_first != (matrix.free < matrix.inner)

    def insert(self, statement: gast.stmt, made: Block, replaced: int) -> None:
        """Put statements before another one, or in its place."""
        for block in walk_blocks(self.program.unit.tree.body):
            for k, each in enumerate(block):
                if each is statement:
                    block[k : k + replaced] = made
                    return

    def set(self, name: str, value: gast.expr, block: Block) -> str:
        """Assign a value to a new name."""
        made = self.names.fresh(f"{self.found.name}_{name}")
        block.append(assign(made, value, self.place))
        return made

    def view(self, whole: Operand, before: Block) -> str:
        """The part of an array that all iterations take together."""
        parts: list[gast.expr] = []
        for axis, part in enumerate(whole.parts):
            if isinstance(part, Form):
                parts.append(self.atom(part, before))
            else:
                is_to_end = part.high is None or part.high == self.meeting.size(whole.root, axis)
                is_to_end = is_to_end or (axis == whole.inner and self.is_taken_to_end(part))
                parts.append(self.slice(part.low, None if is_to_end else part.high, before))
        if all(isinstance(each, gast.Slice) and each.lower is each.upper is None for each in parts):
            return whole.root
        return self.set("rows", subscript(load(whole.root), one_or_tuple(parts)), before)

    def is_taken_to_end(self, part: Span) -> bool:
        """Whether a span reaches to the end of another array, and so is taken to reach to the end of this one."""
        if part.high is None or len(part.high.terms) != 1 or part.low != ZERO:
            return False
        symbol = part.high.terms[0][0]
        return self.assumes and is_extent(symbol) and part.high == Form.of(symbol)

    def slice(self, low: Form, high: Form | None, block: Block) -> gast.Slice:
        """A slice by the forms of its bounds."""
        lower = None if low == ZERO else self.atom(low, block)
        upper = None if high is None else self.atom(high, block)
        if high is not None and not self.meeting.is_nonnegative(high, self.meeting.at(self.found.outer)):
            assert upper is not None
            upper = load(self.set("end", call("max", upper, const(0)), block))
        return gast.Slice(lower=lower, upper=upper, step=None)

    def atom(self, form: Form, block: Block) -> gast.expr:
        """A form as an operand."""
        total: gast.expr | None = None
        for symbol, factor in sorted(form.terms, key=lambda term: term[1] < 0):
            term: gast.expr = load(name_of(symbol))
            if is_extent(symbol):
                shape = self.set("shape", attribute(term, "shape"), block)
                axis = const(int(symbol[symbol.rindex("[") + 1 : -1]))
                term = load(self.set("extent", subscript(load(shape), axis), block))
            if abs(factor) != 1 or (total is None and factor < 0):
                size = factor if total is None else abs(factor)
                term = load(self.set("index", binary(const(size), gast.Mult, term), block))
            if total is not None:
                term = load(self.set("index", binary(total, gast.Add if factor > 0 else gast.Sub, term), block))
            total = term
        if total is None or form.constant == 0:
            return const(form.constant) if total is None else total
        operator = gast.Add if form.constant > 0 else gast.Sub
        return load(self.set("index", binary(total, operator, const(abs(form.constant))), block))

    def is_matched(self, pairs: list[tuple[Operand, Operand]]) -> bool:
        """Whether the factors are known to have as many terms."""
        extents = [self.extent(whole) for _, whole in pairs]
        return None not in extents and extents[0] == extents[1]

    def match(self, pairs: list[tuple[Operand, Operand]], views: list[str], before: Block) -> None:
        """See to it that the factors have as many terms: where the loop has no iterations, nothing has checked it."""
        axes = [_view_axis(whole) for _, whole in pairs]
        found = []
        for view, axis in zip(views, axes, strict=True):
            shape = self.set("shape", attribute(load(view), "shape"), before)
            found.append(load(self.set("extent", subscript(load(shape), const(axis)), before)))
        self.move_checks(found, before)
        if self.assumes:
            before.append(at(gast.Expr(value=call("kernels.same_extent", *found)), self.place))
            return
        common = self.set("extent", call("min", *found), before)
        for k, ((_, whole), axis) in enumerate(zip(pairs, axes, strict=True)):
            cut = [gast.Slice(lower=None, upper=None, step=None) for _ in range(1 if whole.free is None else 2)]
            cut[axis].upper = load(common)
            views[k] = self.set("rows", subscript(load(views[k]), one_or_tuple(cut)), before)

    def move_checks(self, extents: list[gast.expr], before: Block) -> None:
        """Let the checks of the extents of the factors come before the loops, for where these have iterations."""
        found = self.found
        checks = [] if found.sum is not None else self.checks(found.statement)
        spot, outer = self.meeting.flow.spot(found.statement), found.loop
        if not checks or outer is None:
            return
        loops = spot.loops[next(k for k, each in enumerate(spot.loops) if each is outer) :]
        counts = [every[1] - every[0] for each in loops if (every := self.meeting.bounds(each).every) is not None]
        indices = {each.target.id for each in loops}
        if len(counts) < len(loops) or any(each.symbols & indices for each in counts):
            return
        needed = tuple_of(*(self.atom(each, before) for each in counts))
        for (first, second), check in zip((extents, extents[::-1]), checks, strict=True):
            self.insert(check, [], 1)
            message = check.value.args[1]
            room = binary(first, gast.Sub, second)
            before.append(at(gast.Expr(value=call("kernels.check_match", room, message, needed)), place_of(check)))

    def checks(self, product: gast.stmt) -> list[gast.stmt]:
        """The two checks in the loop that the factors have as many terms, if that is how they are checked."""
        value = product.value
        factors = {value.left.id, value.right.id} if isinstance(value, gast.BinOp) else {each.id for each in value.args}
        found = []
        for each in walk_statements(self.program.unit.tree.body):
            match each:
                case gast.Expr(
                    value=gast.Call(
                        func=function,
                        args=[
                            gast.BinOp(
                                left=gast.Subscript(value=gast.Attribute(value=gast.Name(id=one), attr="shape")),
                                op=gast.Sub(),
                                right=gast.Subscript(value=gast.Attribute(value=gast.Name(id=other), attr="shape")),
                            ),
                            _,
                        ],
                    )
                ) if {one, other} == factors and dotted_path(function) == "kernels.check_match":
                    found.append(each)
        return found if len(found) == 2 else []

    def extent(self, whole: Operand) -> Form | None:
        """The number of terms of the sums; None where the span may be cut at the end of the array."""
        part, size = whole.parts[whole.inner], self.meeting.size(whole.root, whole.inner)
        assert isinstance(part, Span)
        high = size if part.high is None else part.high
        known = self.meeting.at(self.found.outer)
        return high - part.low if all(is_nonnegative(each, known) for each in (size - high, high - part.low)) else None

    def turned(self, whole: Operand, view: str, is_left: bool, before: Block) -> str:
        """A factor, transposed if its rows are not those of the product."""
        if whole.free is None or (whole.free < whole.inner) == is_left:
            return view
        return self.set("transposed", call("np.transpose", load(view)), before)

    def index(self, own: Operand, whole: Operand, inside: Block) -> gast.expr:
        """What an iteration reads along an axis of the product."""
        assert whole.free is not None
        part, span = own.parts[whole.free], whole.parts[whole.free]
        assert isinstance(span, Span)
        if isinstance(part, Form):
            return self.atom(part - span.low, inside)
        if part == span:
            return gast.Slice(lower=None, upper=None, step=None)
        high = None if part.high is None or part.high == span.high else part.high - span.low
        return self.slice(part.low - span.low, high, inside)

    def read(self, product: str, index: list[gast.expr]) -> Block:
        """The statements in the loop that use the product."""
        found = self.found
        is_whole = all(isinstance(each, gast.Slice) and each.lower is each.upper is None for each in index)
        value: gast.expr = load(product) if is_whole else subscript(load(product), one_or_tuple(index))
        if found.sum is None:
            return [assign(found.name, value, self.place)]
        made, name = list[gast.stmt](), product
        if not is_whole:
            name = self.set("terms", value, made)
        return [*self.integers(found.sum), *made, *self.added(found.sum, name)]

    def integers(self, sum_: Summed) -> Block:
        """What the loop computes for the subscript of its sum."""
        loop, last = self.found.statement, sum_.last[0]
        wanted, kept = set(names_in(last.target) if isinstance(last, gast.AugAssign) else ()), list[gast.stmt]()
        for each in reversed(loop.body[: -len(sum_.last)]):
            if not wanted.isdisjoint(all_written(each)):
                wanted.update(reads(each))
                kept.insert(0, each)
        return kept

    def added(self, sum_: Summed, name: str) -> Block:
        """The statements that add multiples of the product; a loop without iterations multiplies nothing."""
        made, loop = list[gast.stmt](), self.found.statement
        for scale in sum_.scales:
            name = self.set("terms", binary(clone(scale), gast.Mult, load(name)), made)
        if len(sum_.last) == 1:
            sum_.last[0].value = load(name)
        else:
            rewrite_names(sum_.last[0].value, lambda each: name if each == sum_.value else each)
        every = self.meeting.bounds(loop).every
        if every is not None and is_nonnegative(every[1] - every[0], self.meeting.at(loop)):
            return [*made, *sum_.last]
        if len(sum_.last) == 2 and not sum_.scales:
            return [*made, *sum_.last]
        start, stop = ends_of(loop)
        order = gast.Lt() if step_of(loop) > 0 else gast.Gt()
        before: Block = []
        test = self.set("test", gast.Compare(left=start, ops=[order], comparators=[stop]), before)
        return [*before, branch(load(test), [*made, *sum_.last], [], self.place)]


def _view_axis(whole: Operand) -> int:
    """The axis of an operand's part of an array that is summed over."""
    return 0 if whole.free is None or whole.inner < whole.free else 1
