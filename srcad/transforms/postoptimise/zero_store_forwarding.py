"""Zero-store forwarding: a zero store and a later sum into the same elements become one store of the sum.

    for t in range(T):                              for t in range(T):
        for i in range(n):                              for i in range(n):
            u = a_bar[i + 1]                                u = a_bar[i + 1]
            a_bar[i + 1] = 0.0      becomes                 b_bar[i] = u * w[i]
            b_bar[i] = u * w[i]                         for i in (0, n + 1):
        for i in range(n + 2):                              a_bar[i] += g(b_bar, i)
            a_bar[i] += g(b_bar, i)                     for i in range(1, n + 1):
                                                            a_bar[i] = g(b_bar, i)

Adjoints of sweeps that read one array and write another have this form; for large arrays it saves two passes through
the caches. The sum may be in the next iteration of the enclosing loop: then the array must be zero before that loop,
and the elements are set to zero after it. `Box` describes the elements, `cut_out` splits the loop. The enclosing loop
may swap arrays.

A loop that adds to more elements than a box skips the box, and a second loop stores the sums there:

    for j in range(m + 2):                  skip = m if 1 <= i < n + 1 else 0
        u[i, j] += row[j]                   for at in range(m + 2 - skip):
                                                j = at + skip if 1 <= at else at
                                  becomes       u[i, j] += row[j]
                                            for j in range(1, 1 + skip):
                                                u[i, j] = row[j]

Only the innermost loop is split, where the box is proved to lie within its range; enclosing loops are handled by tests
of their indices.

A box is the set of elements that a loop nest visits, each of them once:

    for i in range(n + 2):
        if i < n:
            for j in range(m):              the box 1 <= r < n + 1, 1 <= s < m + 1
                u[i + 1, j + 1] = 0.0

Loops and tests give limits: linear forms that are not negative. Boxes are compared by proving that limits contradict
each other (see `linear_forms`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import gast
from numba import types as nb

from srcad.errors import Place
from srcad.names import Names
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.linear_forms import Form, infeasible
from srcad.transforms.analysis.liveness import liveness_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.analysis.symbolic_shapes import index_parts
from srcad.transforms.ir.array_functions import MAKES_ZEROS
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    clone,
    const,
    dotted_path,
    inner_blocks,
    load,
    loop,
    mentions,
    names_in,
    one_or_tuple,
    place_of,
    position,
    stores_into,
    subscript,
    walk,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.array_extents import Shapes, natural_extents, source
from srcad.transforms.loop_analysis.loop_accesses import is_counted
from srcad.transforms.loop_analysis.loop_order import ascending
from srcad.transforms.optimise.loop_nests import INDICES
from srcad.transforms.postoptimise.array_contraction_to_scalar import first_store, is_zero_store, made_in
from srcad.transforms.postoptimise.scatter_to_gather import shifted


@dataclass(frozen=True)
class Side:
    """A dimension of a box: `low <= r < high`, and that range in terms of the loop's index, r minus `shift`."""

    low: Form
    high: Form
    range: tuple[gast.expr, gast.expr]
    shift: Form


Box = list[Side]


@dataclass
class Visit:
    """How a statement visits an array: by one subscript, in one block.

    loops   around the block, the outermost first
    limits  linear forms that are not negative where the block runs
    tests   that are true there
    users   the statements of the block that mention the array
    """

    loops: list[gast.For]
    limits: list[Form]
    tests: list[gast.expr]
    block: Block
    users: list[gast.stmt] = field(default_factory=list)
    index: tuple[Form, ...] = ()

    def axes(self) -> list[gast.For] | None:
        """The loop whose index is in each part of the subscript; None unless every loop is there exactly once."""
        by_index = {each.target.id: each for each in self.loops}
        own = [form.symbols & set(by_index) for form in self.index]
        found = [by_index[name] for names in own for name in names]
        is_one = len(found) == len(own) == len(by_index) == len({each.target.id for each in found})
        units = all(form.coefficient(name) == 1 for form, names in zip(self.index, own, strict=True) for name in names)
        return found if is_one and units else None

    def symbols(self) -> frozenset[str]:
        """The names that the visited elements depend on, without the loop indices."""
        forms = [*self.limits, *self.index]
        return frozenset[str]().union(*(form.symbols for form in forms)) - {each.target.id for each in self.loops}

    def points(self) -> list[Form]:
        """The limits in terms of the elements; the symbol of a dimension is its number."""
        axes = self.axes() or []
        shifts = {each.target.id: (k, form) for k, (each, form) in enumerate(zip(axes, self.index, strict=True))}
        return [self._of_points(limit, shifts) for limit in self.limits]

    @staticmethod
    def _of_points(limit: Form, shifts: dict[str, tuple[int, Form]]) -> Form:
        total = limit
        for name, (axis, form) in shifts.items():
            factor = limit.coefficient(name)  # the index is the element's position minus the rest of the form
            total = total + (Form.of(f"#{axis}") - form).scaled(factor)
        return total

    def box(self, shapes: Shapes) -> Box | None:
        """The box of the visited elements; None where they are not proved to fill one."""
        axes, sides = self.axes(), list[Side]()
        for each, place in zip(axes or [], self.index, strict=True):
            low, high = ascending(each)
            for test in self.tests:
                match test:
                    case gast.Compare(left=gast.Name(id=name), ops=[gast.Lt()], comparators=[bound]):
                        high = bound if name == each.target.id else high
            first, last, shift = shapes.form(low), shapes.form(high), place - Form.of(each.target.id)
            if first is None or last is None:
                return None
            sides.append(Side(first + shift, last + shift, (low, high), shift))
        inside, points = limits_of(sides), self.points()
        known = [*shapes.facts, *natural_extents([*inside, *points])]
        return sides if sides and follow(points, inside, known) and follow(inside, points, known) else None

    def covers(self, box: Box, shapes: Shapes) -> bool:
        """Whether every element of a box is visited, and none through a negative subscript."""
        points, inside = self.points(), limits_of(box)
        known = [*shapes.facts, *natural_extents([*inside, *points])]
        places = [Form.of(f"#{axis}") for axis in range(len(box))]
        return follow(places, points, known) and follow(points, inside, known)


def limits_of(box: Box) -> list[Form]:
    """The limits of a box: linear forms that are not negative for its elements."""
    places = [(Form.of(f"#{axis}"), side) for axis, side in enumerate(box)]
    return [limit for place, side in places for limit in (place - side.low, side.high - place - 1)]


def follow(limits: list[Form], given: list[Form], known: list[Form]) -> bool:
    """Whether all limits follow from the given ones."""
    return all(infeasible([*known, *given, limit.scaled(-1) - 1]) for limit in limits)


def visits(statement: gast.stmt, array: str, shapes: Shapes) -> list[Visit]:
    """How a statement visits an array: in one way, or in two of which one precedes the other for each element.

    Empty where this cannot be proved. `shapes` has the facts before the statement.
    """
    found: list[Visit] = []
    inside = shapes.copy()
    inside.forget(stored_in([statement]))
    is_plain = _find([statement], array, inside, Visit([], [], [], []), found)
    if not is_plain or any(each.axes() is None for each in found):
        return []
    return found if len(found) == 1 or (len(found) == 2 and _in_turn(*found)) else []


def _in_turn(one: Visit, two: Visit) -> bool:
    """Whether elements that both visit are visited in this order, which is also the order of the blocks."""
    axes, others = one.axes() or [], two.axes() or []
    for outer, other in zip(one.loops, two.loops, strict=False):
        if outer is not other:
            break
        axis = next(k for k, each in enumerate(axes) if each is outer)
        later = one.index[axis] - two.index[axis]  # how much greater the loop's index is at the second visit
        if others[axis] is not outer or later.terms:
            return False
        if later.constant:
            return bool((later.constant > 0) == (constant(Shapes.step(outer)) == 1))
    return True


def _find(block: Block, array: str, at: Shapes, around: Visit, found: list[Visit]) -> bool:
    """Collect the visits in a block; False where some use of the array is not understood."""
    own = Visit(around.loops, around.limits, around.tests, block)
    for statement in block:
        if array not in mentions([statement]):
            _pass(statement, at)
            continue
        if not inner_blocks(statement):
            if not own.users:
                found.append(own)
            if not _adds(own, statement, array, at):
                return False
            at.learn(statement)
        elif not _enter(statement, array, at, own, found):
            return False
    return True


def _pass(statement: gast.stmt, at: Shapes) -> None:
    """Update the facts `at` for a statement."""
    if inner_blocks(statement):
        at.forget(stored_in([statement]))
    else:
        at.learn(statement)


def _adds(own: Visit, statement: gast.stmt, array: str, at: Shapes) -> bool:
    """Record a simple statement; False unless it mentions the array by the same subscript only."""
    places = [each for each in walk(statement) if isinstance(each, gast.Subscript) and _is_of(each, array)]
    index = {tuple(map(at.form, index_parts(each))) for each in places}
    if len(places) != mentions([statement])[array] or len(index) != 1:
        return False
    (parts,) = index
    forms = tuple(form for form in parts if form is not None)
    if len(forms) != len(parts) or (own.users and forms != own.index):
        return False
    own.index = forms
    own.users.append(statement)
    return True


def _is_of(node: gast.Subscript, array: str) -> bool:
    return getattr(node.value, "id", None) == array


def _enter(statement: gast.stmt, array: str, at: Shapes, own: Visit, found: list[Visit]) -> bool:
    """Collect the visits in a loop or a branch."""
    at.forget(stored_in([statement]))
    if isinstance(statement, gast.If) and array not in mentions([gast.Expr(value=statement.test)]):
        for holds, inner in ((True, statement.body), (False, statement.orelse)):
            under = at.under(statement.test, holds)
            new = list(under.facts[len(at.facts) :])
            tests = [*own.tests, statement.test] if holds else own.tests
            if array in mentions(inner) and not (
                new and _find(inner, array, under, Visit(own.loops, [*own.limits, *new], tests, []), found)
            ):
                return False
        return True
    if not is_counted(statement) or array in mentions([gast.Expr(value=statement.iter)]):
        return False
    inside = at.inside(statement)
    new = list(inside.facts[len(at.facts) :])
    if constant(Shapes.step(statement)) not in (1, -1) or len(new) != 2:
        return False
    around = Visit([*own.loops, statement], [*own.limits, *new], own.tests, [])
    return _find(statement.body, array, inside, around, found)


def cut_out(around: gast.stmt, add: Visit, box: Box, total: gast.Assign, at: Shapes, names: Names) -> bool:
    """Rewrite a visit `add` of a box and its surroundings, inside the statement `around`, to store `total` in the box.

    Returns False where the box cannot be separated symbolically; `at` has the facts before the visit.
    """
    known = [*at.facts, *natural_extents([*add.limits, *limits_of(box)])]
    if follow(limits_of(box), add.points(), known):
        add.block[position(add.block, add.users[0])] = total
        return True
    cutter = _Cutter(add, box, known)
    inner = add.loops[-1]
    if len(inner.body) > 1 or not cutter.is_orderly(inner):
        return False
    for block in _blocks([around]):
        if any(each is inner for each in block):
            at_ = position(block, inner)
            block[at_ : at_ + 1] = cutter.made(inner, total, names)
            return True
    return False


def _blocks(block: Block) -> list[Block]:
    """A block and all its inner blocks."""
    return [block, *(inner for statement in walk_statements(block) for inner in inner_blocks(statement))]


class _Cutter:
    """Splits loops; `ranges` has for each index its range in the box, as expressions and as linear forms."""

    def __init__(self, add: Visit, box: Box, known: list[Form]) -> None:
        self.add, self.known = add, known
        self.ranges: dict[str, tuple[tuple[gast.expr, gast.expr], tuple[Form, Form]]] = {}
        for loop_, place, side in zip(add.axes() or [], add.index, box, strict=True):
            shift = place - Form.of(loop_.target.id)
            apart = side.shift - shift
            if not apart.terms:
                low, high = (shifted(clone(each), apart.constant) for each in side.range)
                self.ranges[loop_.target.id] = (low, high), (side.low - shift, side.high - shift)

    def is_orderly(self, inner: gast.For) -> bool:
        """Whether the box's range lies within the range of the loop, also when it is empty."""
        if len(self.ranges) < len(self.add.loops):
            return False
        first, last = self.limits(inner)
        low, high = self.ranges[inner.target.id][1]
        given = [*self.known, *self.add.limits[:-2]]
        return all(infeasible([*given, each.scaled(-1) - 1]) for each in (low - first, high - low, last - high))

    def limits(self, inner: gast.For) -> tuple[Form, Form]:
        """The range of the innermost loop."""
        index = Form.of(inner.target.id)
        one, other = self.add.limits[-2:]
        lower, upper = (one, other) if one.coefficient(inner.target.id) == 1 else (other, one)
        return index - lower, upper + index + 1

    def made(self, inner: gast.For, total: gast.Assign, names: Names) -> Block:
        """The statements that replace the loop."""
        place, index, (start, stop) = place_of(inner), inner.target.id, ascending(inner)
        (low, high), (least, most) = self.ranges[index]
        skip, at = names.fresh("skip"), names.fresh("at")
        length = most - least
        base = constant(low)
        width = shifted(clone(high), -base) if isinstance(base, int) else binary(clone(high), gast.Sub, clone(low))
        width = width if length.terms else const(length.constant)
        tests = [test for each in self.add.loops[:-1] for test in self.tests(each)]
        if tests:
            test = tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.And(), values=tests)
            width = gast.IfExp(test=test, body=width, orelse=const(0))
        is_behind = gast.Compare(left=clone(low), ops=[gast.LtE()], comparators=[load(at)])
        behind = gast.IfExp(test=is_behind, body=_plus(load(at), load(skip)), orelse=load(at))
        around = [clone(start), binary(clone(stop), gast.Sub, load(skip)), const(1)]
        within = [clone(low), shifted(load(skip), base) if isinstance(base, int) else _plus(low, load(skip)), const(1)]
        return [
            assign(skip, width, place),
            loop(at, around, [assign(index, behind, place), *inner.body], place),
            loop(index, within, [total], place),
        ]

    def tests(self, outer: gast.For) -> list[gast.expr]:
        """The tests that an iteration of an outer loop is in the box, except those that are known to hold."""
        index = Form.of(outer.target.id)
        (low, high), (least, most) = self.ranges[outer.target.id]
        given = [*self.known, *self.add.limits]
        is_above, is_below = (infeasible([*given, each.scaled(-1) - 1]) for each in (index - least, most - index - 1))
        if is_above and is_below:
            return []
        ends = [None if is_above else low, load(outer.target.id), None if is_below else high]
        left, *right = [each for each in ends if each is not None]
        ops = [gast.LtE()] * (not is_above) + [gast.Lt()] * (not is_below)
        return [gast.Compare(left=left, ops=ops, comparators=right)]


def _plus(left: gast.expr, right: gast.expr) -> gast.expr:
    return binary(clone(left), gast.Add, right)


_EXITS = gast.Break, gast.Continue, gast.Return


def with_zeros_overwritten(code: Code) -> Code:
    """Replace zero stores and later sums by stores of the sums.

    Functions with parallel loops are left unchanged.
    """
    if any(is_parallel(each) for each in walk_statements(code.body)):
        return code
    writer = _Overwriter(code)
    integers = frozenset(name for name, kind in code.kinds.items() if isinstance(kind, nb.Integer))
    writer.walk(code.body, Shapes(writer.ranks.of, integers))
    return code.with_body(code.body)


@dataclass
class _Use:
    """A visit of an array in a loop, the array's name there, and the facts `at` before the statement."""

    visit: Visit | None
    name: str
    at: Shapes


@dataclass
class _Turns:
    """The uses of arrays that do not alias in one iteration, by the names that they have at its start.

    ends    the names at the loop's head, by those at its end
    """

    uses: dict[str, list[_Use]]
    ends: dict[str, str]

    def pairs(self) -> list[tuple[_Use, _Use, str]]:
        """Consecutive uses; with the name at the loop's head where the second is in the next iteration, or ""."""
        found = [(one, two, "") for uses in self.uses.values() for one, two in pairwise(uses)]
        for name, array in self.ends.items():
            if self.uses[array] and self.uses[name]:
                found.append((self.uses[array][-1], self.uses[name][0], name))
        return found


class _Overwriter:
    def __init__(self, code: Code) -> None:
        self.aliases, self.ranks = aliases_of(code), ranks_of(code)
        self.names = code.fresh_names()
        self.live = liveness_of(code).after

    def walk(self, block: Block, shapes: Shapes) -> None:
        """Rewrite a block and its inner blocks."""
        for statement in list(block):
            if not inner_blocks(statement):
                shapes.learn(statement)
                continue
            shapes.forget(stored_in([statement]))
            inside = shapes.inside(statement) if is_counted(statement) else shapes.copy()
            if isinstance(statement, (gast.For, gast.While)):
                self.loop(block, statement, inside)
            for inner in inner_blocks(statement):
                self.walk(inner, inside.copy())

    def loop(self, block: Block, around: gast.For | gast.While, inside: Shapes) -> None:
        """Forward the zeros that an iteration stores."""
        if any(isinstance(each, _EXITS) for each in walk_statements(around.body)):
            return
        stores = [(each, target) for each in walk_statements(around.body) if (target := _element(each)) is not None]
        added = {target for each, target in stores if isinstance(each, gast.AugAssign)}
        zeroed = dict.fromkeys(target for each, target in stores if is_zero_store(each, target))
        done = set[str]()
        for name in zeroed:
            is_added = name not in done and any(self.aliases.may_alias(name, other) for other in added)
            turns = self.turns(around, name, inside) if is_added else None
            if turns is not None:
                done |= set(turns.uses)
                for one, two, head in turns.pairs():
                    self.pair(block, around, one, two, head)

    def turns(self, around: gast.For | gast.While, array: str, inside: Shapes) -> _Turns | None:
        """The uses of an array, and of those that the loop swaps with it; None where these are not understood."""
        used = {name for name in mentions([around]) if self.aliases.may_alias(name, array)}
        used = {name for name in used if self.ranks.of.get(name) != 0}
        heads = self.heads(around, array)
        if not heads or (isinstance(around, gast.While) and used & set(names_in(around.test))):
            return None
        known, uses, at = {name: name for name in heads}, {name: list[_Use]() for name in heads}, inside.copy()
        for each in around.body:
            match each:
                case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=other)) if name in used:
                    if other not in known:
                        return None
                    known[name] = known[other]
                case _:
                    here = [name for name in mentions([each]) if name in used and not _asks_shape(each, name)]
                    if used & stored_in([each]) or len({known.get(name, "") for name in here} - {""}) != len(here):
                        return None
                    for name in here:
                        found = visits(each, name, at)
                        uses[known[name]] += [_Use(one, name, at.copy()) for one in found] or [_Use(None, name, at)]
            if inner_blocks(each):
                at.forget(stored_in([each]))
            else:
                at.learn(each)
        ends = {name: known[name] for name in heads}
        return _Turns(uses, ends) if sorted(ends.values()) == heads else None

    def heads(self, around: gast.For | gast.While, array: str) -> list[str]:
        """The array and those that the loop swaps with it, if these never alias; else empty."""
        groups = [group for each in walk_statements(around.body) for group in notes_of(each).distinct_arrays]
        found = sorted(next((group for group in groups if array in group), {array}))
        return found if len(found) == 1 or all(map(self.aliases.is_local, found)) else []

    def pair(self, block: Block, around: gast.For | gast.While, one: _Use, two: _Use, head: str) -> None:
        """Replace the zero store of one use by the stores of the next, if that adds to all elements of the box."""
        clear, add, ranks = one.visit, two.visit, self.ranks.of
        if clear is None or add is None or not len(clear.index) == len(add.index) == ranks.get(one.name):
            return
        box, zero, total = clear.box(one.at), clear.users[-1], first_store(add.users[0], two.name)
        if box is None or not is_zero_store(zero, one.name) or len(clear.block) == 1 or len(box) > len(INDICES):
            return
        if len(add.users) > 1 or total is None or isinstance(add.users[0], gast.Assign) or not add.covers(box, two.at):
            return
        bounds = (name for side in box for each in side.range for name in names_in(each))
        if {source(symbol) for symbol in (*clear.symbols(), *add.symbols(), *bounds)} & stored_in([around]):
            return
        if any(side.shift.terms for side in box) or (head and not self.begins_zero(block, around, head)):
            return
        if cut_out(around, add, box, total, two.at, self.names):
            clear.block.remove(zero)
            if head and self.is_wanted(around, head):
                block.insert(position(block, around) + 1, self.zeros(head, box, place_of(zero)))

    def is_wanted(self, around: gast.stmt, name: str) -> bool:
        """Whether an array may be read after a loop."""
        return any(self.aliases.may_alias(each, name) for each in self.live.get(around, ()))

    def begins_zero(self, block: Block, around: gast.stmt, name: str) -> bool:
        """Whether an array is known to be all zeros before a loop."""
        alias_class = self.aliases.alias_class
        group = alias_class(name)
        for each in block[position(block, around) - 1 :: -1] if position(block, around) else []:
            match each:
                case gast.Assign(targets=[gast.Name(id=target)], value=gast.Name(id=other)):
                    name = other if target == name else name
                    continue
            if made_in(each) == name:
                return dotted_path(each.value.func) in MAKES_ZEROS
            if any(alias_class(used) == group and not _asks_shape(each, used) for used in mentions([each])):
                return False
        return False

    def zeros(self, name: str, box: Box, place: Place | None) -> gast.stmt:
        """Loops that set the elements of a box to zero."""
        indices = [self.names.fresh(index) for index in INDICES[: len(box)]]
        parts = [shifted(load(index), side.shift.constant) for index, side in zip(indices, box, strict=True)]
        made: gast.stmt = assign(subscript(load(name), one_or_tuple(parts), store=True), const(0.0), place)
        for index, side in reversed(list(zip(indices, box, strict=True))):
            made = loop(index, [*map(clone, side.range), const(1)], [made], place)
        return made


def _element(statement: gast.stmt) -> str | None:
    """The array whose element a statement stores, or None."""
    target = stores_into(statement)
    return target.value.id if target is not None and isinstance(target.value, gast.Name) else None


def _asks_shape(statement: gast.stmt, name: str) -> bool:
    """Whether a statement uses only the shape and dtype of an array."""
    asked = [
        node.value.id
        for node in walk(statement)
        if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name) and node.attr in ("shape", "dtype")
    ]
    return asked.count(name) == mentions([statement])[name]
