"""Elementwise fusion: array statements become loop nests, without temporary arrays where none is needed.

    b[1:-1] = 0.5 * (a[:-2] + a[2:])        becomes      for i in range(n): b[i + 1] = 0.5 * (a[i] + a[i + 2])

An array result that is used by only one later statement of the same block is computed there, element by element; others
get an array of their own. A right-hand side that may read elements that the statement writes, other than the same
element, is evaluated first. Operands whose shape is not known to equal that of the result are broadcast by
`kernels.expand`, which costs a comparison if they have that shape already. Runs before differentiation, so that both
sweeps are fused. Arrays are real or complex; quotients are those of `np.divide`, as `/` of complex numbers raises an
exception where the divisor is zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import gast

from srcad.transforms.analysis.affine.ssa_facts import ONE
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.ir.build import (
    Block,
    dotted_path,
    inner_blocks,
    is_loop,
    names_in,
    rewrite,
    stores_into,
    walk,
    walk_blocks,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.cost_model import REPEATABLE_OPERATORS
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.side_effects import changed_memory, reads
from srcad.transforms.normalise.operands_apart import with_operands_apart
from srcad.transforms.optimise.elementwise_statements import Elements, is_array_store, is_fusible
from srcad.transforms.optimise.gathered_products import with_sums_of_gathered
from srcad.transforms.optimise.gathers import base_of_gather, checked_indices, is_gather, is_vectorised, may_pass
from srcad.transforms.optimise.masked_statements import Masked, MaskedStatements
from srcad.transforms.optimise.outer_products import as_products_of_elements, outer_products, with_axes_as_views

_MOVES = ("np.abs", "np.conj", "np.imag", "np.maximum", "np.minimum", "np.negative", "np.real", "np.sign", "np.where")


@dataclass
class Plan:
    """The fusion plan: `inlined` maps names to the statements that compute them, `defined` to their definitions.

    `checks` has what is checked of all elements of an inlined array of indices, `masked` the regions of statements by
    one mask.
    """

    inlined: dict[str, gast.stmt] = field(default_factory=dict)
    defined: dict[str, gast.Assign] = field(default_factory=dict)
    checks: dict[str, list[gast.stmt]] = field(default_factory=dict)
    masked: dict[int, Masked] = field(default_factory=dict)


def fuse(code: Code) -> Code:
    """Rewrite elementwise array statements as loop nests.

    With the setting `assumes`, operands whose shapes are not known to be equal are assumed to be equal; if they are not
    at run time, the function raises `kernels.Widens` and must be generated again without the assumption.
    """
    given = with_sums_of_gathered(with_axes_as_views(code.unit, code.types), code.types)
    unit = given.with_tree(given.copy_tree(), names=given.names.copy(), bindings=dict(given.bindings))
    outer = outer_products(unit, code.types)
    if outer:
        unit = as_products_of_elements(given, code.types, outer)
    program = analyse_forward(unit, code.types, [])
    plan = _planned(program, code.settings.assumes)
    if not outer.keys() <= plan.inlined.keys():  # the others are made, by one call of BLAS
        unit = as_products_of_elements(given, code.types, outer.keys() & plan.inlined.keys())
        program = analyse_forward(unit, code.types, [])
        plan = _planned(program, code.settings.assumes)
    elements = Elements(program, plan.defined, plan.inlined, code.settings.assumes, plan.checks, plan.masked)
    loops = {id(each) for each in walk_statements(unit.tree.body) if is_loop(each)}
    unit.tree.body = rewrite(unit.tree.body, elements.statement)
    if unit.options.get("parallel"):
        _note_parallel(unit.tree.body, loops)
    return with_operands_apart(code.with_unit(unit))  # of integers, for one, which stay array statements


def _note_parallel(block: Block, known: set[int]) -> None:
    """Note on the outermost loops that array statements have become that threads may share them, as in Numba.

    Not where elements are only moved, added and multiplied: that takes as long on several threads as on one.
    """
    for statement in block:
        if not isinstance(statement, gast.For) or id(statement) in known:
            for inner in inner_blocks(statement):
                _note_parallel(inner, known)
        elif any(isinstance(node, gast.Call) and _takes_long(node) for each in statement.body for node in walk(each)):
            note(statement, parallel=True)


def _takes_long(node: gast.Call) -> bool:
    """Whether a call computes a function, rather than an extent or a place."""
    return (dotted_path(node.func) or "").startswith("np.") and dotted_path(node.func) not in _MOVES


def _planned(program: Program, assumes: bool) -> Plan:
    """The plan, in which gathers stay out of the nests that compute several elements at once."""
    masked = MaskedStatements(program)
    plan = _Planner(program, assumes, frozenset(), masked).plan()
    vectorised = {
        id(plan.inlined.get(name, each)) for name, each in plan.defined.items() if is_vectorised(program, each.value)
    }
    roots = {id(plan.inlined[name]) for name in plan.inlined if is_gather(program, plan.defined[name].value)}
    return _Planner(program, assumes, frozenset(vectorised), masked).plan() if roots & vectorised else plan


class _Planner:
    """Decides which array results are computed inside the statement that uses them."""

    def __init__(
        self, program: Program, assumes: bool, without_gathers: frozenset[int], masked: MaskedStatements
    ) -> None:
        """`without_gathers` are the statements, by id, in whose nests no gather is to be."""
        self.program, self.assumes, self.without_gathers, self.masked = program, assumes, without_gathers, masked
        self.users: dict[str, list[gast.stmt]] = {}
        for statement in walk_statements(program.unit.tree.body):
            for name in reads(statement):
                self.users.setdefault(name, []).append(statement)
        self.found = Plan(masked=masked.regions)
        self.early: set[str] = set()  # what the masks of regions are computed from, before anything is stored

    def plan(self) -> Plan:
        for block in walk_blocks(self.program.unit.tree.body):
            self.block(block)
        return self.found

    def block(self, block: Block) -> None:
        """Plan a block from its end upwards, since consumers must be planned before producers."""
        for statement in reversed(block):
            if self.masked.of(statement) is None and is_fusible(self.program, statement):
                name = str(written(statement))
                self.found.defined[name] = statement
                root = self.root(name, statement, block)
                if root is not None:
                    self.found.inlined[name] = root

    def root(self, name: str, statement: gast.Assign, block: Block) -> gast.stmt | None:
        """The only statement of the block that all uses of a result lead to, if it can be computed there; else None."""
        if self.program.flow.single(name) is None:
            return None
        roots: dict[int, gast.stmt] = {}
        checks = [user for user in self.users.get(name, []) if checked_indices(user) == name]
        for user in self.users.get(name, []):
            if any(user is check for check in checks):
                continue
            if not self.takes_elements(user, name):
                return None
            roots.update({id(final): final for final in self.finals(user)})
        if len(roots) != 1:
            return None
        (final,) = roots.values()
        if not any(final is other for other in block):
            return None
        if is_gather(self.program, statement.value) and id(final) in self.without_gathers:
            return None
        if self.is_early(name):
            self.early.add(name)
        if not self.fits(name, statement, final) or not self.is_unchanged(statement, final):
            return None
        if not all(self.moves(check, name, final, block) for check in checks):
            return None
        if checks:
            self.found.checks[name] = checks
        return final

    def finals(self, user: gast.stmt) -> list[gast.stmt]:
        """The statements in whose nests a user is computed."""
        regions = self.masked.all_of(user)
        if regions:
            return [each.last for each in regions]
        target = written(user)
        return [self.found.inlined.get(str(target), user) if target in self.found.defined else user]

    def moves(self, check: gast.stmt, name: str, final: gast.stmt, block: Block) -> bool:
        """Whether a check of all elements of indices can be one of each element, where the final statement uses it."""
        program = self.program
        rank = program.types.rank(name) or 0
        if not self.assumes or Elements.rank(program, final) != rank:
            return False
        if any(program.meeting.size(name, axis) == ONE for axis in range(rank)):
            return False  # it may be broadcast to no element
        places = [place for place, each in enumerate(block) if each is check or each is final]
        between = block[places[0] + 1 : places[-1]]
        is_clear = all(written(each) in self.found.defined or may_pass(program, each) for each in between)
        return len(places) == 2 and is_clear and self.is_unchanged(check, final)

    def takes_elements(self, user: gast.stmt, name: str) -> bool:
        """Whether a statement uses the result element by element."""
        region = self.masked.of(user)
        if region is not None:
            is_mask = self.masked.equals.get(name, name) == region.mask
            return (is_mask or self.assumes) and name not in {*region.targets()}
        target = stores_into(user)
        if target is not None:
            return (
                isinstance(user.value, gast.Name)
                and user.value.id == name
                and is_array_store(self.program, user, target)
                and name not in names_in(target)
            )
        if isinstance(user, gast.Assign) and base_of_gather(self.program, user.value) == name:
            return False
        return is_fusible(self.program, user) or Elements.sums(self.program, user)

    def fits(self, name: str, statement: gast.Assign, final: gast.stmt) -> bool:
        """Whether computing the result for every element of the final statement repeats no expensive work."""
        rank = self.program.types.rank(name)
        op = getattr(statement.value, "op", None)
        region = self.masked.of(final)
        if region is not None:
            return region.rank == rank
        return Elements.rank(self.program, final) == rank or isinstance(op, REPEATABLE_OPERATORS)

    def is_early(self, name: str) -> bool:
        """Whether only masks of regions use a result, which are computed before the regions store anything."""
        users = self.users.get(name, [])
        return bool(users) and all(
            written(user) in self.early if region is None else self.masked.equals.get(name, name) == region.mask
            for user in users
            for region in (self.masked.of(user),)
        )

    def is_unchanged(self, statement: gast.Assign | gast.Expr, final: gast.stmt) -> bool:
        """Whether the operands of the expression are unchanged at the final statement."""
        flow, meeting = self.program.flow, self.program.meeting
        first, last = flow.spot(statement).number, flow.spot(final).number
        arrays = [name for name in names_in(statement.value) if self.program.types.is_array(name)]
        region = self.masked.of(final)
        if region is not None and not self.is_apart(statement, arrays, region):
            return False
        for store in walk_statements(self.program.unit.tree.body):
            target = stores_into(store)
            if target is None or not first < flow.spot(store).number < last:
                continue
            if region is not None and self.masked.of(store) is region:
                continue
            for name in arrays:
                read = gast.Name(name, gast.Load(), None, None)
                if meeting.may_meet(statement, read, store, target, at_once=True):
                    return False
        return not any(
            first < flow.spot(store).number <= last for name in arrays for store in self._carried_stores(name)
        )

    def is_apart(self, statement: gast.Assign, arrays: list[str], region: Masked) -> bool:
        """Whether what a region stores does not change what a result is computed from, element by element."""
        aliases, own = self.program.aliases, {*self.masked.read_elsewhere(statement.value)}
        for name, target in ((name, target) for name in arrays for target in region.targets()):
            if not aliases.may_alias(name, target):
                continue
            is_last = target == next(iter(changed_memory(region.last)), None) and [*region.targets()].count(target) == 1
            if name in own or not self.masked.is_same_place(name, target):
                return False
            if not is_last and written(statement) not in self.early:
                return False
        return True

    def _carried_stores(self, name: str) -> list[gast.stmt]:
        stores = self.program.flow.stores.get(name, [])
        return stores if len(stores) > 1 else []


__all__ = ["fuse", "primitive_of"]
