"""Scalar replacement: an array element that a loop accesses in every iteration is kept in a scalar variable.

    for q in range(j):                          a_i_j = a[i, j]
        a[i, j] -= a[i, q] * a[j, q]  becomes   for q in range(j):
                                                    a_i_j -= a[i, q] * a[j, q]
                                                a[i, j] = a_i_j

LLVM cannot do this: as far as it knows, a[i, q] may be the same element, or another array written in the loop may share
its memory. Here q < j is known from the enclosing loops, and aliasing from how the arrays were allocated (Callahan,
Carr and Kennedy, Improving Register Allocation for Subscripted Variables, 1990). An element that the loop might not
access is not read: if the loop may have no iterations, the code is guarded by a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.accesses import Access, Reached, accessed, accesses
from srcad.transforms.analysis.affine.index_ranges import apart
from srcad.transforms.analysis.affine.integer_facts import ends_of, index_parts, is_counted, step_of
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    branch,
    clone,
    inner_blocks,
    load,
    names_in,
    place_of,
    subscript,
    walk_statements,
    without_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.ir.type_annotations import is_parallel

KEPT = (nb.float64, nb.complex128)  # a variable holds exactly what an array element of these types would
Place: TypeAlias = tuple[str, tuple[Form, ...]]


@dataclass
class _Element:
    """An element to be kept in a variable: how to access it outside of the loop, and its uses inside."""

    place: Place
    node: gast.Subscript
    uses: list[gast.Subscript]
    written: bool
    name: str


def with_scalars(code: Code) -> Code:
    """Keep loop-invariant array elements in variables."""
    everything = walk_statements(code.body)
    if any(isinstance(each, gast.Assign) and isinstance(each.targets[0], gast.Tuple) for each in everything):
        return code
    at = Facts.at_start(code.kinds, ranks_of(code).of)
    replacer = _Replacer(code)
    return code.with_body(replacer.block(code.body, at, frozenset()), replacer.new)


class _Replacer:
    def __init__(self, code: Code) -> None:
        self.aliases, self.ranks, self.kinds = aliases_of(code), ranks_of(code).copy(), code.kinds
        self.names = code.fresh_names()
        self.made: dict[tuple[str, str], str] = {}
        self.new: dict[str, nb.Type] = {}  # the types of the variables

    def block(self, block: Block, at: Facts, reached: frozenset[Place]) -> Block:
        """The rewritten block; `reached` has the elements that are accessed on every path to it."""
        result: Block = []
        for k, statement in enumerate(block):
            if is_parallel(statement):
                result.append(statement)  # its iterations are distributed among threads as they are
                at.forget(stored_in([statement]))
            elif is_counted(statement):
                ((_, inside),) = at.descend(statement)
                statement.body = self.block(statement.body, inside, _without(reached, stored_in([statement])))
                result += self.replaced(statement, at, reached | self.ahead(block[k + 1 :], at))
            else:
                for inner, inside in at.descend(statement) if inner_blocks(statement) else ():
                    inner[:] = self.block(inner, inside, _without(reached, stored_in([statement])))
                reached |= self.places(statement, at)
                if not inner_blocks(statement):
                    at.learn(statement)
                result.append(statement)
            reached = _without(reached, stored_in([statement]))
        return result

    def places(self, statement: gast.stmt, at: Facts) -> frozenset[Place]:
        """The elements that a simple statement accesses."""
        if not isinstance(statement, (gast.Assign, gast.AugAssign)):
            return frozenset()
        own = accesses(statement, at)
        return frozenset((each.name, each.forms) for each in own if each.forms is not None)

    def ahead(self, block: Block, at: Facts) -> frozenset[Place]:
        """The elements that the simple statements at the start of a block access."""
        found: frozenset[Place] = frozenset()
        at, changed = at.copy(), frozenset[str]()
        for statement in block:
            if not isinstance(statement, (gast.Assign, gast.AugAssign)) or notes_of(statement).effect:
                break
            found |= _without(self.places(statement, at), changed)
            at.learn(statement)
            changed |= stored_in([statement])
        return found

    def replaced(self, loop: gast.For, at: Facts, reached: frozenset[Place]) -> Block:
        """A loop whose body has been rewritten, with the load before it and the store after it."""
        elements = [] if _ends(loop) is None else self.elements(loop, at)
        if not elements:
            return [loop]
        swap = _Swap({id(node): each.name for each in elements for node in each.uses})
        loop.body = without_statements([swap.visit(each) for each in loop.body], _is_idle)
        place = place_of(loop)
        before = [assign(each.name, clone(each.node), place) for each in elements]
        after = [assign(_target(each.node), load(each.name), place) for each in elements if each.written]
        whole = [*before, loop, *after]
        if _has_iterations(loop, at) or {each.place for each in elements} <= reached:
            return whole
        return [note(branch(_nonempty(loop), whole, [], place), asks_for_iterations=True)]

    def elements(self, loop: gast.For, at: Facts) -> list[_Element]:
        """The loop-invariant elements that a loop accesses and that nothing else in it may alias."""
        stored = stored_in([loop])
        inside = at.enter(loop)
        inside.restrict(stored_in(loop.body))
        found = list(accessed(loop.body, inside))
        if not any(each.access.kind != "read" for each in found):
            return []  # with nothing stored, LLVM can do the same
        by_place: dict[Place, list[Reached]] = {}
        for each in found:
            forms = each.access.forms
            if forms is not None and each.access.name not in stored and not _names(forms) & stored:
                by_place.setdefault((each.access.name, forms), []).append(each)
        elements = []
        for (name, forms), uses in by_place.items():
            nodes = [each.access.node for each in uses if each.access.node is not None]
            node = next((each for each in nodes if not set(names_in(each.slice)) & stored), None)
            written = any(each.access.kind != "read" for each in uses)
            own = next((each.access for each in uses if each.always), None)
            if node is None or own is None or not (self.is_kept(name) or not written):
                continue
            if all(self.is_apart(own, each.access, written) for each in found):
                elements.append(_Element((name, forms), node, nodes, written, self.name_of(node)))
        return elements

    def is_kept(self, name: str) -> bool:
        kind = self.kinds.get(name)
        return isinstance(kind, nb.Array) and kind.dtype in KEPT

    def is_apart(self, own: Access, other: Access, written: bool) -> bool:
        """Whether an access is to the element itself, or cannot interfere with it."""
        if not self.aliases.may_alias(own.name, other.name) or (other.kind == "read" and not written):
            return True
        if own.name != other.name:
            return False
        return own.forms == other.forms or apart(own.ranges, other.ranges, other.known)

    def name_of(self, node: gast.Subscript) -> str:
        """The variable for an element: the same one wherever the element has the same subscript."""
        parts = index_parts(node)
        words = [each.id if isinstance(each, gast.Name) else constant(each) for each in parts]
        known = bool(words) and all(isinstance(each, str) or (isinstance(each, int) and each >= 0) for each in words)
        key = node.value.id, gast.dump(node.slice)
        if key not in self.made:
            wish = "".join(f"_{each}" if isinstance(each, str) else str(each) for each in words) if known else "_here"
            self.made[key] = self.names.fresh(f"{node.value.id}{wish if wish.startswith('_') else '_at' + wish}")
            self.ranks.of[self.made[key]] = 0
            if isinstance(kind := self.kinds.get(node.value.id), nb.Array):
                self.new[self.made[key]] = kind.dtype
        return self.made[key]


class _Swap(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Replaces elements by variables."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self.names = names

    def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
        if id(node) in self.names:
            found = load(self.names[id(node)])
            found.ctx = node.ctx
            return found
        return self.generic_visit(node)


def _names(forms: tuple[Form, ...]) -> frozenset[str]:
    """The names that a subscript depends on, of arrays whose lengths are in it too."""
    return frozenset[str]().union(*(form.names for form in forms))


def _without(places: frozenset[Place], names: frozenset[str]) -> frozenset[Place]:
    """The elements that are still the same after these names are stored."""
    return frozenset(each for each in places if each[0] not in names and not _names(each[1]) & names)


def _target(node: gast.Subscript) -> gast.Subscript:
    return subscript(load(node.value.id), clone(node.slice), store=True)


def _is_idle(statement: gast.stmt) -> bool:
    """Whether this is `x = x`, which remains where an enclosing loop holds the element already."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=other)):
            return bool(name == other)
    return False


def _ends(loop: gast.For) -> tuple[gast.expr, gast.expr] | None:
    """Two expressions; the loop has iterations if and only if the first is less than the second."""
    start, stop = ends_of(loop)
    step = step_of(loop)
    if not step:
        return None
    return (start, stop) if step > 0 else (stop, start)


def _nonempty(loop: gast.For) -> gast.expr:
    """A test whether a loop has iterations."""
    ends = _ends(loop)
    assert ends is not None
    return gast.Compare(left=clone(ends[0]), ops=[gast.Lt()], comparators=[clone(ends[1])])


def _has_iterations(loop: gast.For, at: Facts) -> bool:
    """Whether a loop is known to have iterations, from the facts about the enclosing loops."""
    bounds = at.bounds(loop)
    return bounds.low is not None and bounds.high is not None and at.is_nonnegative(bounds.high - bounds.low)
