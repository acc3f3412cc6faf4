"""Masked statements: those by one mask of booleans become one loop nest in which a branch asks the mask.

    t = x[m]                                for i in range(n):
    u = t * t                                   if m[i]:
    y[m] = u                becomes                 t_i = x[i]
    s = np.sum(t)                                   y[i] = t_i * t_i
                                                    s = s + t_i

A load `x[m]` has a length of its own, which is known at run time only. Where its elements meet only elements of other
loads by the same mask, and end in stores by that mask or in sums, they need no array: each is computed at its own
place. Elements that the mask does not select are not computed, in no sweep.

This module finds the statements, which `masked_nests` writes. Fortran calls such statements a WHERE construct.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.ssa_facts import ONE
from srcad.transforms.analysis.ownership import are_apart
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import (
    Block,
    clone,
    dotted_path,
    inner_blocks,
    names_in,
    rewrite_names,
    stores_into,
    walk_blocks,
    walk_statements,
    written,
)
from srcad.transforms.ir.cost_model import REPEATABLE_OPERATORS
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import (
    all_written,
    changed_in,
    changed_memory,
    is_check,
    is_effect,
    reads,
    stored_in,
)
from srcad.transforms.optimise.elementwise_statements import Elements, is_fusible
from srcad.transforms.optimise.gathers import base_of_gather, is_gather
from srcad.transforms.optimise.loop_nests import leaf_of
from srcad.transforms.optimise.masked_nests import member_measured

Key: TypeAlias = tuple[str, int]  # the mask and the rank of a region
Repeatable: TypeAlias = dict[str, tuple[Key, list[gast.stmt]]]
_EXACT = (gast.Add, gast.Sub, gast.Mult)


@dataclass
class Masked:
    """Statements of one block by one mask, in order; they become one nest, at the place of the last.

    mask        the name of the mask; others hold the same, and have this one as `equals`
    rank        the number of loops, at least as many as the mask has axes
    again       statements of an earlier nest whose elements are computed once more, before all else
    members     arrays with an element for each place that the mask selects
    absorbed    statements of which nothing is left: checks of lengths, and the places of the mask
    """

    mask: str
    rank: int
    statements: list[gast.stmt] = field(default_factory=list)
    again: list[gast.stmt] = field(default_factory=list)
    members: set[str] = field(default_factory=set)
    absorbed: list[gast.stmt] = field(default_factory=list)

    @property
    def last(self) -> gast.stmt:
        """The statement at whose place the nest stands."""
        return self.statements[-1]

    def all(self) -> list[gast.stmt]:
        """The statements that the nest replaces."""
        return [*self.absorbed, *self.statements]

    def loads(self) -> Iterator[str]:
        """The arrays of which elements are read."""
        for each in (*self.again, *self.statements):
            if isinstance(each, gast.Assign) and stores_into(each) is None and isinstance(each.value, gast.Subscript):
                yield str(each.value.value.id)

    def targets(self) -> Iterator[str]:
        """The arrays into which elements are stored."""
        for each in self.statements:
            target = stores_into(each)
            if target is not None:
                yield str(target.value.id)


class MaskedStatements:
    """The masked statements of a program.

    regions     by the id of each of their statements
    equals      masks by other names of the same value
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.places: dict[str, tuple[str, str]] = {}  # names of places, with the array and the mask
        self.equals: dict[str, str] = {}
        self.regions: dict[int, Masked] = {}
        self._repeated: dict[int, list[Masked]] = {}
        self._excluded: set[str] = set()
        for statement in walk_statements(program.unit.tree.body):
            self._learn_places(statement)
        if not self.places and not any(map(self._has_mask, walk_statements(program.unit.tree.body))):
            return
        self._users: dict[str, list[gast.stmt]] = {}
        for statement in walk_statements(program.unit.tree.body):
            for name in reads(statement):
                self._users.setdefault(name, []).append(statement)
        for block in walk_blocks(program.unit.tree.body):
            self._learn_equal(block)
        for block in walk_blocks(program.unit.tree.body):
            self._find(block)

    def of(self, statement: gast.stmt) -> Masked | None:
        """The masked statements that a statement belongs to."""
        return self.regions.get(id(statement))

    def all_of(self, statement: gast.stmt) -> list[Masked]:
        """The regions that compute a statement: the one that it belongs to, and those that repeat it."""
        own = self.of(statement)
        return [] if own is None else [own, *self._repeated.get(id(statement), ())]

    def known_mask(self, index: gast.expr) -> str | None:
        """The mask by which a subscript selects elements; None for other subscripts."""
        if not isinstance(index, gast.Name):
            return None
        name = self.places[index.id][1] if index.id in self.places else index.id
        return self.equals.get(name, name) if self._is_mask(name) else None

    def _is_mask(self, name: str) -> bool:
        kind = self.program.types.get(name)
        return isinstance(kind, nb.Array) and kind.dtype == nb.boolean and kind.ndim > 0

    def _has_mask(self, statement: gast.stmt) -> bool:
        return any(
            isinstance(each, gast.Subscript) and isinstance(each.slice, gast.Name) and self._is_mask(each.slice.id)
            for each in (getattr(statement, "value", None), stores_into(statement))
        )

    def _learn_places(self, statement: gast.stmt) -> None:
        match statement:
            case gast.Assign(value=gast.Call(func=function, args=[gast.Name(id=array), gast.Name(id=mask)])):
                if (dotted_path(function) or "").endswith(".mask_places") and self._is_mask(mask):
                    self.places[str(written(statement))] = (array, mask)

    # Masks of the same value

    def _learn_equal(self, block: Block) -> None:
        """Names of masks that one expression defines, of operands that have not changed in between."""
        available: dict[str, tuple[str, frozenset[str]]] = {}
        for statement in block:
            name = written(statement)
            kind = self.program.types.get(str(name))
            is_known = isinstance(kind, nb.Array) and kind.dtype == nb.boolean and is_fusible(self.program, statement)
            key = ""
            if is_known and self.program.flow.single(str(name)) is not None and not self._is_changed(str(name)):
                value = clone(statement.value)
                rewrite_names(value, lambda each: self.equals.get(each, each))
                key = gast.dump(value)
                if key in available:
                    self.equals[str(name)] = available[key][0]
            changed, stored = changed_in([statement]), stored_in([statement])
            for other, (_, operands) in [*available.items()]:
                if stored & operands or any(self._alias(one, two) for one in changed for two in operands):
                    del available[other]
            if key and key not in available:
                available[key] = str(name), frozenset(names_in(value))

    def _is_changed(self, name: str) -> bool:
        """Whether a store changes elements of an array."""
        return self.program.aliases.is_written(name)

    def _alias(self, one: str, other: str) -> bool:
        types = self.program.types
        return types.is_array(one) and types.is_array(other) and self.program.aliases.may_alias(one, other)

    # Regions

    def _find(self, block: Block) -> None:
        """The regions of a block, without members that other statements use as arrays."""
        while True:
            found = self._grown(block)
            outside = {name for region in found for name in region.members if not self._is_inside(name, found)}
            outside |= {name for name in self.places if self._is_torn(name, found)}
            if not outside - self._excluded:
                break
            self._excluded |= outside
        for region in found:
            self.regions.update({id(each): region for each in region.all()})
            for each in region.again:
                self._repeated.setdefault(id(each), []).append(region)

    def _is_inside(self, name: str, regions: list[Masked]) -> bool:
        """Whether only regions that compute a member use it."""
        inside = {id(each) for region in regions if name in region.members for each in region.all()}
        return all(id(user) in inside for user in self._users.get(name, []))

    def _is_torn(self, name: str, regions: list[Masked]) -> bool:
        """Whether the places of a mask are in use outside of the region that they were made for."""
        made = self.program.flow.single(name)
        region = next((each for each in regions if any(made is other for other in each.absorbed)), None)
        inside = {id(each) for each in region.all()} if region is not None else set()
        return region is not None and not all(id(user) in inside for user in self._users.get(name, []))

    def _grown(self, block: Block) -> list[Masked]:
        """Regions that each statement joins if it may: it and all between commute with those that are there."""
        found: list[Masked] = []
        open_: dict[Key, Masked] = {}
        waiting: dict[str, gast.stmt] = {}  # the places of masks, until a statement uses them
        repeatable: Repeatable = {}  # members, with the statements that compute them
        for statement in block:
            name = written(statement)
            region = None
            if name in self.places and name not in self._excluded:
                waiting[str(name)] = statement
            else:
                members = {each: key for each, (key, _) in repeatable.items()}
                members |= {each: key for key, region in open_.items() for each in region.members}
                region = self._joined(statement, self._mask_of(statement, members), open_, repeatable)
            if region is not None and (region.statements or not self._is_absorbed(statement, region)):
                found += [] if region.statements else [region]
                region.absorbed += [waiting.pop(each) for each in names_in(statement) if each in waiting]
                self._add(statement, region)
            self._close(statement, region, open_)
            self._forget(statement, repeatable)
            self._excluded |= {each for each, made in waiting.items() if not self._keeps(made, statement)}
            if region is not None and name in region.members and self._is_cheap(statement):
                self._learn_repeatable(statement, region, repeatable)
        return found

    def _close(self, statement: gast.stmt, own: Masked | None, open_: dict[Key, Masked]) -> None:
        """Nothing joins regions any more that would have to move past a statement, and cannot."""
        for key, region in [*open_.items()]:
            if region is own:
                is_open = not any(self._alias(each, region.mask) for each in changed_memory(statement))
            else:
                is_open = all(self._commute(each, statement) for each in region.all())
                is_open = is_open and all(self._keeps(each, statement) for each in region.again)
            if not is_open:
                del open_[key]

    def _learn_repeatable(self, statement: Any, region: Masked, repeatable: Repeatable) -> None:
        used = [each for each in names_in(statement.value) if each in region.members]
        if all(each in repeatable for each in used):
            before = [each for other in used for each in repeatable[other][1]]
            made = [*{id(each): each for each in (*before, statement)}.values()]
            repeatable[str(written(statement))] = (region.mask, region.rank), made

    def _joined(
        self, statement: gast.stmt, key: Key | None, open_: dict[Key, Masked], repeatable: Repeatable
    ) -> Masked | None:
        """The region of a statement: the one that is open if it may join it, else one that begins here."""
        if key is None:
            return None
        region = open_.get(key)
        if region is not None and self._may_join(statement, region) and self._repeat(statement, region, repeatable):
            return region
        region = open_[key] = Masked(*key)
        return region if self._repeat(statement, region, repeatable) else None

    def _add(self, statement: gast.stmt, region: Masked) -> None:
        if self._is_absorbed(statement, region):
            region.absorbed.append(statement)
            return
        region.statements.append(statement)
        name = written(statement)
        is_member = name is not None and self.program.types.is_array(name)
        if is_member and not Elements.sums(self.program, statement):
            region.members.add(str(name))

    def _repeat(self, statement: gast.stmt, region: Masked, repeatable: Repeatable) -> bool:
        """Have a region compute members of an earlier one that a statement uses, if that gives the same there."""
        needed = {
            id(each): each
            for name in names_in(statement)
            if name in repeatable and name not in region.members
            for each in repeatable[name][1]
            if written(each) not in region.members
        }
        users = [*region.statements, statement]
        if not all(self._is_in_step(one, other) for one in needed.values() for other in users):
            return False
        region.again += needed.values()
        region.members |= {str(written(each)) for each in needed.values()}
        return True

    def _is_cheap(self, statement: Any) -> bool:
        """Whether elements may be computed twice."""
        value = statement.value
        return isinstance(value, gast.Subscript) or isinstance(getattr(value, "op", None), REPEATABLE_OPERATORS)

    def _forget(self, statement: gast.stmt, repeatable: Repeatable) -> None:
        """Forget members that would be others after a statement."""
        for name, (_, made) in [*repeatable.items()]:
            if not all(self._keeps(each, statement) for each in made):
                del repeatable[name]

    def _keeps(self, one: gast.stmt, other: gast.stmt) -> bool:
        """Whether a statement leaves what another reads."""
        read = {*self._reads(one), *self._masks_of(one)}
        return not read & stored_in([other]) and not any(
            self._alias(each, name) for each in changed_in([other]) for name in read
        )

    def _masks_of(self, statement: Any) -> Iterator[str]:
        """The mask behind the places in a subscript."""
        return (self.places[name][1] for name in names_in(statement) if name in self.places)

    def _mask_of(self, statement: gast.stmt, members: dict[str, Key]) -> Key | None:
        """The mask and the rank of the region that a statement may be in."""
        types, name, target = self.program.types, written(statement), stores_into(statement)
        if target is not None:
            return self._mask_of_store(statement, target, members)
        match statement:
            case gast.Assign(value=gast.Subscript(value=gast.Name(id=base), slice=index)):
                mask = self._mask_of_subscript(base, index)
                is_single = name is not None and self.program.flow.single(name) is not None
                if mask is None or not is_single or name in self._excluded or not _is_number(types.get(base)):
                    return None
                return mask, types.rank(base) or 0
            case gast.Assign(value=value) if name is not None and any(each in members for each in names_in(value)):
                return self._mask_of_operation(statement, name, members)
            case gast.Expr(value=gast.Call(args=[gast.Attribute(value=gast.Name(id=member), attr="shape"), *_])):
                return members.get(member)
        return None

    def _mask_of_operation(self, statement: Any, name: str, members: dict[str, Key]) -> Key | None:
        """The same for an operation on members, which gives another one, or a number."""
        program, types, value = self.program, self.program.types, statement.value
        keys = {members.get(each) for each in names_in(value) if types.is_array(each) and not self._is_one(each)}
        if len(keys) != 1 or name in self._excluded or program.flow.single(name) is None:
            return None
        (key,) = keys
        if key is None or member_measured(value) is not None:
            return key if key is not None and key[1] == types.rank(key[0]) else None
        if Elements.sums(program, statement):
            is_number = isinstance(types.get(name), nb.Float) or (self._is_one(name) and key[1] == types.rank(key[0]))
            return key if is_number and not program.unit.options.get("parallel") else None
        is_by_elements = is_fusible(program, statement) or self._is_complex(statement)
        return key if is_by_elements and not is_gather(program, value) else None

    def _is_one(self, name: str) -> bool:
        """Whether an array is known to have one axis, with one element."""
        return self.program.types.rank(name) == 1 and self.program.meeting.size(name, 0) == ONE

    def _is_absorbed(self, statement: gast.stmt, region: Masked) -> bool:
        """Whether a statement compares the length of a member with the number of places that the mask selects."""
        match statement:
            case gast.Expr(
                value=gast.Call(
                    func=function,
                    args=[
                        gast.Attribute(value=gast.Name(id=member), attr="shape"),
                        gast.Attribute(value=gast.Subscript(value=gast.Name(id=base), slice=index), attr="shape"),
                        _,
                    ],
                )
            ):
                is_fit = (dotted_path(function) or "").endswith(".check_fits")
                is_same = self.known_mask(index) == region.mask and self.program.types.rank(base) == region.rank
                return is_fit and is_same and member in region.members
        return False

    def _mask_of_subscript(self, base: str, index: gast.expr) -> str | None:
        """The mask of a subscript that selects elements of an array by a mask of its leading axes."""
        mask, rank = self.known_mask(index), self.program.types.rank(base)
        if mask is None or not rank or index.id in self._excluded:
            return None
        return mask if rank >= (self.program.types.rank(mask) or 0) else None

    def _mask_of_store(self, statement: Any, target: gast.Subscript, members: dict[str, Key]) -> Key | None:
        types, base = self.program.types, target.value.id
        mask = self._mask_of_subscript(base, target.slice)
        if mask is None or (self._alias(base, mask) and not self.is_same_place(base, mask)):
            return None
        value, key = statement.value, (mask, types.rank(base) or 0)
        if isinstance(value, gast.Name) and types.is_array(value.id):
            return key if members.get(value.id) == key and _fits(types.get(base), types.get(value.id)) else None
        kind = types.get(value.id) if isinstance(value, gast.Name) else _kind_of(constant(value))
        is_bounded = isinstance(statement, gast.Assign) or isinstance(statement.op, (*_EXACT, gast.Div))
        return key if is_bounded and _fits(types.get(base), kind) else None

    def _is_complex(self, statement: Any) -> bool:
        """Whether a statement computes complex numbers, element by element, as NumPy does."""
        kind = self.program.types.get(str(written(statement)))
        value = statement.value
        if not isinstance(kind, nb.Array) or kind.dtype != nb.complex128 or not isinstance(value, gast.BinOp):
            return False
        return isinstance(value.op, _EXACT) and all(self._is_plain(each) for each in (value.left, value.right))

    def _is_plain(self, node: gast.expr) -> bool:
        if not isinstance(node, gast.Name):
            return _kind_of(constant(node)) is not None
        kind = self.program.types.get(node.id)
        return (kind.dtype if isinstance(kind, nb.Array) else kind) in (nb.complex128, nb.float64)

    # What may be moved

    def _may_join(self, statement: gast.stmt, region: Masked) -> bool:
        """Whether a statement may be computed right after those of a region, element by element."""
        results = {written(each) for each in region.statements} - region.members  # sums: known after the nest only
        is_in_step = all(self._is_in_step(statement, each) for each in (*region.again, *region.statements))
        return is_in_step and not results & {*reads(statement)}

    def _is_in_step(self, statement: gast.stmt, earlier: gast.stmt) -> bool:
        """Whether two statements of one mask access elements at their own places only, if they share memory."""
        one, other = _memory(statement), _memory(earlier)
        if one is None or other is None or (stores_into(statement) is None and stores_into(earlier) is None):
            return True
        return not self._alias(one, other) or self.is_same_place(one, other)

    def is_same_place(self, one: str, other: str) -> bool:
        """Whether two arrays that may share memory are one, or do not share any."""
        if one == other or are_apart(self.program, one, other):
            return True
        first, second = leaf_of(self.program, one), leaf_of(self.program, other)
        if first is None or second is None:
            return False
        return first.is_same(second, self.program.meeting, assumes=True)  # arrays of one mask have its shape

    def read_elsewhere(self, value: gast.expr) -> Iterator[str]:
        """The arrays of which an expression reads elements at other places than its own."""
        base = base_of_gather(self.program, value)
        if base is not None:
            yield base

    def _commute(self, one: gast.stmt, other: gast.stmt) -> bool:
        """Whether a statement of a region may as well run after another that is in no region, or in another one."""
        if inner_blocks(other) or (is_effect(other) and not is_check(other)):
            return False
        first, second = {*self._reads(one)}, {*self._reads(other)}
        stored, after = {*all_written(one)}, {*all_written(other)}
        if stored & second or after & (first | stored):
            return False
        changed, later = changed_memory(one), changed_memory(other)
        meets = any(self._alias(each, name) for each in later for name in (*first, *changed))
        return not meets and not any(self._alias(each, name) for each in changed for name in second)

    def _reads(self, statement: gast.stmt) -> Iterator[str]:
        """The names that a statement reads; of what makes places, only the mask, as the array gives its shape."""
        name = written(statement)
        if name in self.places:
            return iter([self.places[name][1]])
        return reads(statement)


def _memory(statement: gast.stmt) -> str | None:
    """The array of which a masked statement accesses elements."""
    target = stores_into(statement)
    if target is not None:
        return str(target.value.id)
    value = statement.value if isinstance(statement, gast.Assign) else None
    return str(value.value.id) if isinstance(value, gast.Subscript) else None


def _is_number(kind: nb.Type | None) -> bool:
    return isinstance(kind, nb.Array) and kind.dtype in (nb.float64, nb.float32, nb.int64, nb.boolean, nb.complex128)


def _kind_of(value: Any) -> nb.Type | None:
    return {bool: nb.boolean, int: nb.int64, float: nb.float64, complex: nb.complex128}.get(type(value))


def _fits(kind: nb.Type | None, value: nb.Type | None) -> bool:
    """Whether a number can be stored into an array as NumPy stores an array of it."""
    value = value.dtype if isinstance(value, nb.Array) else value
    if not isinstance(kind, nb.Array) or not _is_number(kind):
        return False
    if isinstance(kind.dtype, nb.Float):
        return isinstance(value, (nb.Float, nb.Integer, nb.Boolean))
    if kind.dtype == nb.complex128:
        return value in (nb.complex128, nb.float64, nb.int64)
    return value == kind.dtype or (kind.dtype == nb.int64 and isinstance(value, nb.IntegerLiteral))
