"""Hoisted products: a product that leaves loops, written before them, and what reads it in the loops.

    rows = a[0:n]                   what all iterations take together
    product = rows @ x
    for i in range(n):
        t = product[i]              what an iteration takes of the product

`product_hoisting` decides which products leave which loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import gast

from srcad.transforms.analysis.affine.integer_facts import ends_of, step_of
from srcad.transforms.analysis.affine.linear_forms import Form, is_extent, is_nonnegative, name_of
from srcad.transforms.analysis.program_facts import Program
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
    subscript,
    tuple_of,
    walk_blocks,
    walk_statements,
)
from srcad.transforms.ir.side_effects import all_written, reads
from srcad.transforms.optimise.row_operands import ZERO, Operand, Span
from srcad.transforms.optimise.summed_products import Read, Summed


@dataclass
class Hoisted:
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


class Writer:
    """Writes one product before its loop, and what reads it in the loop."""

    def __init__(self, program: Program, found: Hoisted, assumes: bool) -> None:
        self.program, self.found, self.meeting, self.assumes = program, found, program.meeting, assumes
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
