"""Bounds checks: a subscript that is not proved to be in range is checked before it is evaluated.

    for i in range(1, n):               room = x.shape[0] - n
        t1 = x[i]                       kernels.check_room(room, "x[i]: index is out of range (f.py:3)", (n - 2,))
        k = where[i]        becomes     ...
        s = s + w[k]                    for i in range(1, n):
                                            t1 = x[i]
                                            k = where[i]
                                            kernels.check_index(k, w.shape[0], "w[k]: index is out of range (f.py:5)")
                                            s = s + w[k]

Checks are statements of the primal, so a derivative has each of them once: the adjoint of an array has its shape, and
is accessed by the same subscripts. Where a subscript is proved to be in range, by linear forms and by earlier checks,
there is none. A check moves up to the first place where it can be evaluated: out of loops and branches if it is
certain that it is evaluated there (`range_conditions`), and never past a statement that a user can tell from an
exception, such as `raise` and `print`. Passes that make subscripts run later.

Literature: Rajiv Gupta, Optimizing array bound checks using flow analysis, ACM LOPLAS 2, 1993.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import gast
from numba import types as nb

from srcad.runtime import kernels
from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.affine.integer_facts import Bounds, expression_of, index_parts, is_counted
from srcad.transforms.analysis.affine.linear_forms import Form, is_extent
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import aliases_of, is_basic
from srcad.transforms.ir.array_functions import FACTS, REDUCING, last_part
from srcad.transforms.ir.build import (
    Block,
    at,
    attribute,
    call,
    clone,
    const,
    dotted_path,
    inner_blocks,
    load,
    names_in,
    place_of,
    stores_into,
    subscript,
    tuple_of,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.comments import message_at
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant, primitive_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, is_check, is_draw, stored_in
from srcad.transforms.normalise.in_place_resolution import IN_PLACE
from srcad.transforms.normalise.range_conditions import Condition, is_exact

Item: TypeAlias = gast.stmt | Condition


def with_bounds_checks(code: Code) -> Code:
    """The function with checks of all subscripts that are not proved to be in range."""
    if not any(_is_concerned(each, code.types) for each in walk_statements(code.body)):
        return code
    unit = code.unit.with_tree(code.unit.copy_tree(), names=code.unit.names.copy())
    walker = Placement(code.with_unit(unit))
    body = walker.block(unit.tree.body, Facts.at_start(code.kinds), {*code.parameters})
    unit.tree.body = walker.written(body)
    return code.with_unit(replace(unit, bindings=walker.bindings))


def _is_concerned(statement: gast.stmt, types: Types) -> bool:
    """Whether a statement may need a check: it has a subscript, is a product, or an operation in place."""
    match statement:
        case gast.Assign(value=gast.BinOp(op=gast.MatMult())):
            return True
        case gast.Assign(value=gast.Call(func=function)) if dotted_path(function) in (*_CALLS, *_IN_PLACE):
            return True
    return bool(_subscripts(statement, types))


def _subscripts(statement: gast.stmt, types: Types) -> list[gast.Subscript]:
    """The subscripts of arrays in a statement of core form, in the order in which they are evaluated."""
    target = stores_into(statement)
    found = [] if target is None else [target]
    match statement:
        case gast.Assign(value=gast.Subscript() as value):
            found.append(value)
        case gast.Assign(value=gast.Call(func=function, args=[gast.Name() as base, index, *_])):
            found += [subscript(base, index)] if dotted_path(function) == "kernels.added_at" else []
    return [each for each in found if isinstance(each.value, gast.Name) and types.rank(each.value.id)]


class Placement:
    """Goes through a function, finds what its subscripts need, and for each condition the place where it is checked."""

    def __init__(self, code: Code) -> None:
        self.types = code.types
        self.is_primal = code.settings.is_primal
        self.aliases = aliases_of(code) if self.is_primal else None
        self.kinds: Mapping[str, Any] = code.kinds
        self.bindings = dict(code.unit.bindings)
        is_free = self.bindings.get("kernels", kernels) is kernels
        self.alias = "kernels" if is_free else code.unit.names.fresh("kernels")
        self.bindings[self.alias] = kernels
        self.forms: dict[gast.stmt, Form] = {}  # of what statements assign to integers
        self.passing = self.passing_arrays(code.body)
        self._stored: dict[gast.stmt, frozenset[str]] = {}
        self._is_barrier: dict[gast.stmt, bool] = {}

    def block(self, block: Block, facts: Facts, stored: set[str]) -> list[Item]:
        """The statements of a block, with conditions between them.

        Updates the facts, and the names that are stored on every path, to the end of the block.
        """
        items: list[Item] = []
        for statement in block:
            if (there := self.existing(statement, facts)) is not None:
                self.put(items, there, facts)
                continue
            for each in self.needed(statement, facts):
                if isinstance(each, Condition):
                    self.put(items, each, facts)
                else:
                    items.append(each)
            if inner_blocks(statement):
                facts = self.inside(items, statement, facts, stored)
            else:
                facts = self.learned(statement, facts)
                stored.update(all_written(statement))
            items.append(statement)
        return items

    # What is known

    def learned(self, statement: gast.stmt, facts: Facts) -> Facts:
        """The facts after a simple statement."""
        name = written(statement)
        if name is None or not isinstance(self.kinds.get(name), nb.Integer):
            extents = None if name is None else self.elementwise_extents(name, statement.value, facts)
            facts.learn(statement)
            if extents is not None:
                facts.note(str(name), extents)
            if name is not None and self.types.rank(name) and self.passing & facts.mentioned(name):
                facts.forget([name])
            return facts.under(statement.test, True) if isinstance(statement, gast.Assert) else facts
        form = facts.form(statement.value)
        if form is not None:
            self.forms[statement] = form
        about = [] if form is not None else list(_facts_of(name, statement.value, facts))
        facts.learn(statement)
        facts.suppose(each for each in about if self.is_sound(each))
        return facts

    def elementwise_extents(self, name: str, value: gast.expr, facts: Facts) -> tuple[gast.expr, ...] | None:
        """The extents of the result of an elementwise operation, where all operands are seen to have them."""
        rank = self.types.rank(name)
        arrays = [each for each in dict.fromkeys(names_in(value)) if self.types.rank(each)]
        if not rank or not arrays or name in names_in(value) or not self.is_elementwise(value):
            return None
        whole = max(arrays, key=lambda each: self.types.rank(each) or 0)
        extents = facts.of(whole)
        if extents is None or len(extents) != rank:
            return None
        forms = [facts.form(each) for each in extents]
        for each in arrays:
            own = [facts.size(each, axis) for axis in range(self.types.rank(each) or 0)]
            if None in own or own != forms[rank - len(own) :]:
                return None
        return extents

    def is_elementwise(self, value: gast.expr) -> bool:
        """Whether an expression is an elementwise operation."""
        if not isinstance(value, (gast.UnaryOp, gast.BinOp, gast.Compare, gast.Call)):
            return False
        rule = registry.find(primitive_of(value, self.bindings))
        return rule is not None and rule.elementwise

    def passing_arrays(self, body: Block) -> set[str]:
        """Results of elementwise operations that only such operations and reductions use.

        They need not become arrays, if no check asks for their shapes.
        """
        made, kept = set[str](), set[str]()
        for statement in walk_statements(body):
            value = getattr(statement, "value", None)
            is_fused = value is not None and self.is_elementwise(value)
            if is_fused and (name := written(statement)) is not None:
                made.add(name)
            is_reduction = isinstance(value, gast.Call) and dotted_path(value.func) in REDUCING
            if not (is_fused or is_reduction) and not inner_blocks(statement):
                kept.update(names_in(statement))
        return made - kept

    def is_sound(self, form: Form) -> bool:
        """Whether arithmetic on the numbers in a form is that of integers: unsigned ones wrap around at zero."""
        for symbol in form.symbols:
            kind = self.kinds.get(symbol)
            if not is_extent(symbol) and not (isinstance(kind, nb.Integer) and kind.signed):
                return False
        return True

    def inside(self, items: list[Item], statement: gast.stmt, facts: Facts, stored: set[str]) -> Facts:
        """Go through the blocks of a statement; conditions that may leave it are put before it."""
        ends: list[set[str]] = []
        bounds = facts.bounds(statement) if is_counted(statement) else None
        before = facts.copy()
        for arm, (inner, known) in enumerate(facts.descend(statement)):
            start = known.known
            end = stored | {*all_written(statement)}
            found = self.block(inner, known, end)
            ends.append(end)
            count = next((k for k, each in enumerate(found) if not isinstance(each, Condition)), len(found))
            kept: list[Item] = []
            for each in found[:count]:
                outside = self.leaving(each, statement, arm, bounds, start, before)
                if outside is None or not all(condition.names <= stored for condition in outside):
                    kept.append(each)
                    continue
                for condition in outside:
                    self.put(items, condition, before)
                    if not condition.needed and not condition.names & self.stored(statement):
                        facts.suppose(condition.rooms)
            inner[:] = self.written([*kept, *found[count:]])
        if isinstance(statement, gast.If):
            stored |= set.intersection(*ends)
        match statement:
            case gast.If(test=test, body=[*_, gast.Raise()], orelse=[]):
                return facts.under(test, False)
        return facts

    def leaving(
        self, condition: Any, statement: gast.stmt, arm: int, bounds: Bounds | None, start: Any, before: Facts
    ) -> list[Condition] | None:
        """What a condition at the start of an inner block means before the statement; None where it has to stay."""
        if isinstance(statement, gast.If):
            tests = before.implied(statement.test, arm == 0)
            known = is_exact(before.comparison(statement.test), arm == 0) and tests
            return [condition.under(tests)] if known and all(map(self.is_sound, tests)) else None
        if bounds is None:
            return None
        index, stored = statement.target.id, stored_in(statement.body)
        if index in stored or condition.names & stored:
            return None
        if index in condition.names and any(map(self.is_barrier, statement.body)):
            return None
        found = condition.before_loop(index, bounds, start, before.known)
        forms = [form for each in found or () for form in (*each.rooms, *each.needed)]
        return found if all(map(self.is_sound, forms)) else None

    # Where conditions are checked

    def put(self, items: list[Item], condition: Condition, facts: Facts) -> None:
        """Put a condition as early as it can be evaluated, and as it does not come before what a user may observe."""
        rooms = tuple(room for room in condition.rooms if not facts.is_nonnegative(room))
        if not rooms:
            return
        moved: Condition | None = replace(condition, rooms=rooms)
        place = len(items)
        while place and moved is not None:
            item = items[place - 1]
            if isinstance(item, Condition):
                if item.covers(moved):
                    return
            elif (above := self.above(item, moved)) is None:
                break
            else:
                moved = above
            place -= 1
        while place < len(items) and isinstance(items[place], Condition):
            place += 1
        items.insert(place, moved)
        if not condition.needed:
            facts.suppose(rooms)

    def above(self, statement: gast.stmt, condition: Condition) -> Condition | None:
        """The condition before a statement; None where it cannot be evaluated there."""
        if self.is_barrier(statement):
            return None
        changed = self.stored(statement) & condition.names
        if not changed:
            return condition
        form = self.forms.get(statement)
        if form is None or not self.is_sound(form):
            return None
        return condition.replaced(str(written(statement)), form)

    def stored(self, statement: gast.stmt) -> frozenset[str]:
        """The names that a statement stores, those inside of it included."""
        if statement not in self._stored:
            self._stored[statement] = stored_in([statement])
        return self._stored[statement]

    def is_barrier(self, statement: gast.stmt) -> bool:
        """Whether a statement may do what a user can tell from an exception, or may leave the function or the loop."""
        if statement not in self._is_barrier:
            inside = list(walk_statements([statement]))
            self._is_barrier[statement] = (
                any(map(_is_observed, inside)) or any(map(self.is_seen, inside)) or _is_assumption(statement)
            )
        return self._is_barrier[statement]

    def is_seen(self, statement: gast.stmt) -> bool:
        """Whether a statement writes into an array of the caller."""
        aliases = self.aliases
        if aliases is None:
            return False
        changed = changed_memory(statement)
        match statement:
            case gast.Assign(value=gast.Call(func=function, args=[gast.Name(id=name), *_])):
                changed += [name] if dotted_path(function) in _IN_PLACE else []
        return any(not aliases.is_local(name) for name in changed)

    # What is needed

    def existing(self, statement: gast.stmt, facts: Facts) -> Condition | None:
        """The condition that a statement checks, if the statement is to be placed again."""
        return None

    def needed(self, statement: gast.stmt, facts: Facts) -> Iterator[Item]:
        """What has to hold for the subscripts of a statement: conditions, and checks of the elements of arrays."""
        for each in _subscripts(statement, self.types):
            yield from self.of_subscript(each, place_of(each) or place_of(statement), facts)
        if isinstance(statement, gast.Assign):
            yield from self.of_product(statement, facts)
            yield from self.taken(statement)
        yield from self.in_place(statement)

    def of_subscript(self, node: gast.Subscript, place: Any, facts: Facts) -> Iterator[Item]:
        """What has to hold for one subscript, or for a call that has the same array and index."""
        base, parts = node.value.id, index_parts(node)
        rank = self.types.rank(base) or 0
        taken = sum(map(self.dimensions_of, parts))
        axis = 0
        message = message_at(place, "index is out of range")
        for part in parts:
            if constant(part) is ...:
                axis += rank - taken
                continue
            kind = self.kinds.get(part.id) if isinstance(part, gast.Name) else None
            if isinstance(kind, nb.Array) and isinstance(kind.dtype, nb.Boolean):
                for own in range(kind.ndim):
                    extents = facts.size(base, axis + own), facts.size(part.id, own)
                    yield self.equal(*extents, message, place)
            elif isinstance(kind, nb.Array):
                yield self.contents(part, base, axis, message, place)
            elif self.dimensions_of(part) and not isinstance(part, gast.Slice):
                yield from self.number(part, base, axis, message, place, facts)
            axis += self.dimensions_of(part)

    def taken(self, statement: gast.Assign) -> Iterator[gast.stmt]:
        """The elements of an array that are indices along an axis."""
        match statement.value:
            case gast.Call(func=function, args=[gast.Name(id=base), gast.Name() as part, *rest], keywords=keywords):
                if dotted_path(function) != "np.take" or not self.types.rank(base) or not self.types.is_array(part.id):
                    return
                axis = constant([*rest, *(each.value for each in keywords if each.arg == "axis"), const(None)][0])
                if type(axis) is int:
                    place = place_of(statement)
                    message = message_at(place, "index is out of range")
                    yield self.contents(part, base, axis % (self.types.rank(base) or 1), message, place)

    def of_product(self, statement: gast.Assign, facts: Facts) -> Iterator[Condition]:
        """The extents over which a product sums are one."""
        match statement.value:
            case gast.BinOp(left=gast.Name(id=one), op=gast.MatMult(), right=gast.Name(id=other)):
                pass
            case gast.Call(func=function, args=[gast.Name(id=one), gast.Name(id=other)]):
                if dotted_path(function) not in _PRODUCTS:
                    return
            case _:
                return
        left, right = self.types.rank(one), self.types.rank(other)
        if left in (1, 2) and right in (1, 2):
            extents = facts.size(one, left - 1), facts.size(other, 0)
            place = place_of(statement)
            yield replace(self.equal(*extents, message_at(place, "shapes do not match"), place), kernel="check_match")

    def dimensions_of(self, part: gast.expr) -> int:
        """The number of an array's dimensions that a part of an index belongs to."""
        if isinstance(part, gast.Constant) and (part.value is None or part.value is ...):
            return 0
        kind = self.kinds.get(part.id) if isinstance(part, gast.Name) else None
        if isinstance(kind, nb.Array) and isinstance(kind.dtype, nb.Boolean):
            return int(kind.ndim)
        return len(kind) if isinstance(kind, nb.BaseTuple) else 1

    def number(self, part: gast.expr, base: str, axis: int, message: str, place: Any, facts: Facts) -> Iterator[Item]:
        """What has to hold for an integer in an index."""
        kind = self.kinds.get(part.id) if isinstance(part, gast.Name) else None
        extent, form = facts.size(base, axis), facts.form(part)
        if isinstance(kind, nb.BaseTuple):
            for own, each in enumerate(kind):
                if isinstance(each, nb.Integer):
                    yield self.at_once(subscript(part, const(own)), base, axis + own, message, place)
        elif kind is not None and not isinstance(kind, nb.Integer):
            return
        elif form is None or extent is None or not self.is_sound(form) or not self.is_sound(extent):
            yield self.at_once(part, base, axis, message, place)
        else:
            rooms = [extent - form - 1]
            if not facts.is_nonnegative(form):
                rooms.insert(0, form + extent)
            yield Condition(tuple(rooms), (), message, place, (form, extent))

    def equal(self, one: Form | None, other: Form | None, message: str, place: Any) -> Condition:
        """The condition that two extents are one."""
        assert one is not None
        assert other is not None
        return Condition((one - other, other - one), (), message, place)

    def in_place(self, statement: gast.stmt) -> Iterator[gast.stmt]:
        """A check of the shapes of an operation in place, which Numba does not compare."""
        match statement:
            case gast.AugAssign(target=gast.Subscript(value=gast.Name(id=base)) as target, value=gast.Name(id=value)):
                if is_basic(target.slice, self.types) and not self.is_primal:
                    return  # it becomes a loop nest, which has a check of its own
                whole: gast.expr = clone(target)
                whole.ctx = gast.Load()
            case gast.Assign(value=gast.Call(func=function, args=[gast.Name(id=base) as whole, gast.Name(id=value)])):
                if dotted_path(function) not in _IN_PLACE:
                    return
            case _:
                return
        if self.types.rank(base) and self.types.rank(value):
            shapes = [attribute(load(value), "shape"), attribute(clone(whole), "shape")]
            place = place_of(statement)
            yield self.check("check_fits", [*shapes, const(message_at(place, "shapes do not match"))], place)

    def at_once(self, part: gast.expr, base: str, axis: int, message: str, place: Any) -> gast.stmt:
        """A check of an integer where it is used."""
        return self.check("check_index", [clone(part), _extent(base, axis), const(message)], place)

    def contents(self, part: gast.Name, base: str, axis: int, message: str, place: Any) -> gast.stmt:
        """A check of all integers in an array."""
        return self.check("check_indices", [load(part.id), _extent(base, axis), const(message)], place)

    # How conditions are written

    def written(self, items: list[Item]) -> Block:
        """A block with its conditions as statements."""
        return [each for item in items for each in (self.condition(item) if isinstance(item, Condition) else [item])]

    def condition(self, condition: Condition) -> Block:
        """The statements that check a condition."""
        message, place = const(condition.message), condition.place
        if condition.index is not None:
            return [self.check("check_index", [*map(expression_of, condition.index), message], place)]
        needed = [tuple_of(*map(expression_of, condition.needed))] if condition.needed else []
        return [
            self.check(condition.kernel, [expression_of(room), message, *map(clone, needed)], place)
            for room in condition.rooms
        ]

    def check(self, name: str, arguments: list[gast.expr], place: Any) -> gast.stmt:
        """The call of a kernel that checks."""
        statement: gast.stmt = at(gast.Expr(value=call(f"{self.alias}.{name}", *arguments)), place)
        return statement


def _extent(array: str, axis: int) -> gast.expr:
    return subscript(attribute(load(array), "shape"), const(axis))


def _facts_of(name: str, value: gast.expr, facts: Facts) -> Iterator[Form]:
    """Forms that are not negative after an integer has been assigned a quotient, a remainder or an extreme."""
    own = Form.of(name)
    match value:
        case gast.BinOp(left=left, op=gast.FloorDiv() | gast.Mod() as op, right=right):
            whole, by = facts.form(left), facts.form(right)
            if by is None or not facts.is_nonnegative(by - 1) or name in by.names:
                return
            if isinstance(op, gast.Mod):
                yield from (own, by - own - 1)
            elif whole is not None and not by.terms and name not in whole.names:
                rest = whole - own.scaled(by.constant)
                yield from (rest, Form.number(by.constant - 1) - rest)
        case gast.Call(func=function, args=[one, other]) if dotted_path(function) in ("min", "max"):
            forms = [form for each in (one, other) if (form := facts.form(each)) is not None and name not in form.names]
            yield from (form - own if dotted_path(function) == "min" else own - form for form in forms)


def _is_assumption(statement: gast.stmt) -> bool:
    """Whether a statement checks what the code was generated for; what follows need not hold for other arguments."""
    match statement:
        case gast.Expr(value=gast.Call(func=function)):
            return last_part(function) in ("known_extent", "unit_extent")
    return False


def _is_observed(statement: gast.stmt) -> bool:
    """Whether a user can tell whether a simple statement has run, or it may leave the function or a loop."""
    match statement:
        case gast.Raise() | gast.Assert() | gast.Return() | gast.Break() | gast.Continue():
            return True
        case gast.If() | gast.For() | gast.While() | gast.Pass():
            return False
        case gast.Expr():
            return not is_check(statement)
    return notes_of(statement).effect or any(
        isinstance(node, gast.Call) and _is_observed_call(dotted_path(node.func)) for node in walk(statement)
    )


def _is_observed_call(path: str | None) -> bool:
    """Whether a call is of a function of the user's, of one that raises exceptions of its own, or draws numbers."""
    root = (path or "").partition(".")[0]
    is_observed = root not in _ROOTS or is_draw(path) or (path or "").startswith("np.linalg.")
    return path is None or (path not in FACTS and is_observed)


_PRODUCTS = frozenset({"np.dot", "np.vdot", "np.matmul"})
_CALLS = _PRODUCTS | {"np.take"}
_IN_PLACE = frozenset(f"operator.{name}" for name in IN_PLACE)
_ROOTS = frozenset({"np", "math", "operator", "kernels", "range", "abs", "min", "max", "float", "int", "bool", "len"})
