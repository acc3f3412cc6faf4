"""Race test: what the iterations of a generated loop do to memory that they share.

    x_bar[i] += t           x_bar       each iteration has elements of its own
    k_bar[j] += t           k_bar       all iterations add to it, and none reads it
    t_trace[j] = t          t_trace     scratch, which each iteration fills before it reads it

Names that may refer to the same array are treated as one (see `aliases`). Anything that is not proved to
be free of races gives None.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.accesses import distance
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.ir.array_functions import LIBRARY, SHAPE_ATTRIBUTES, SHAPE_ONLY, returns_new
from srcad.transforms.ir.build import clone, dotted_path, walk, walk_statements, written
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, is_check, mutated_by, reads

_MODULES = {"np", "math", "operator", "kernels", LIBRARY}


@dataclass
class Reach:
    """What a loop's iterations do to arrays of the enclosing function, by name.

    totals      arrays that are only added to, at elements that iterations may share
    width       how many iterations apart two may add to the same element of an array that is not in `totals`, at most
    apart       pairs of arrays that must not share memory, which is checked at run time
    """

    totals: list[str] = field(default_factory=list)
    width: int = 0
    apart: list[tuple[str, str]] = field(default_factory=list)


class Memory:
    """The arrays of one generated function."""

    def __init__(self, code: Code) -> None:
        self.alias_class, self.parameters = aliases_of(code).alias_class, code.parameters
        self.values: dict[str, list[gast.expr]] = {}
        for each in walk_statements(code.body):
            match each:
                case gast.Assign(targets=[gast.Name(id=name)], value=value):
                    self.values.setdefault(name, []).append(value)
                case gast.Assign(targets=[gast.Tuple(elts=targets)], value=value):
                    parts = value.elts if isinstance(value, gast.Tuple) else [value] * len(targets)
                    for target, part in zip(targets, parts, strict=True):
                        self.values.setdefault(target.id, []).append(part)

    def is_dense(self, name: str, seen: Collection[str] = ()) -> bool:
        """Whether no two elements of an array share memory, as is possible in an array that the user made."""
        if name in seen or name in self.parameters:
            return name in seen
        inside = {*seen, name}
        return bool(self.values.get(name)) and all(self._is_dense(value, inside) for value in self.values[name])

    def _is_dense(self, value: gast.expr, seen: Collection[str]) -> bool:
        match value:
            case gast.Name(id=name) | gast.Subscript(value=gast.Name(id=name)):
                return self.is_dense(name, seen)
            case gast.Call(func=function):
                return returns_new(dotted_path(function))
        return isinstance(value, gast.BinOp)


def reach(loop: gast.For, memory: Memory, kinds: Mapping[str, nb.Type], scratch: Collection[str]) -> Reach | None:
    """The arrays that iterations of a loop share; None where two iterations may conflict."""
    return _Reacher(loop, memory, kinds, scratch).found()


class _Reacher:
    def __init__(self, loop: gast.For, memory: Memory, kinds: Mapping[str, nb.Type], scratch: Collection[str]) -> None:
        self.loop, self.memory, self.kinds, self.scratch = loop, memory, kinds, scratch
        self.statements = list(walk_statements(loop.body))
        self.own = {name for each in self.statements for name in all_written(each) if not self.is_array_sum(each)}

    def is_array_sum(self, statement: gast.stmt) -> bool:
        """Whether a statement adds to the memory of a name."""
        match statement:
            case gast.AugAssign(target=gast.Name(id=name)):
                return isinstance(self.kinds.get(name), nb.Array)
        return False

    def found(self) -> Reach | None:
        find = self.memory.alias_class
        changed = {find(name) for each in self.statements for name in self.changed(each)}
        if any(find(str(written(each))) in changed and _hides_memory(each.value) for each in self.assignments()):
            return None
        names = {node.id for each in self.loop.body for node in walk(each) if isinstance(node, gast.Name)}
        result = Reach()
        for group in sorted(changed):
            bases = sorted(name for name in names - self.own - set(self.scratch) if find(name) == group)
            written_into = [name for name in bases if self.is_changed(name)]
            if len(written_into) > 1 or (bases and not written_into):
                return None
            if written_into and not self.share(written_into[0], bases, result):
                return None
        return result

    def assignments(self) -> list[gast.Assign]:
        """The assignments to names in the body."""
        return [each for each in self.statements if isinstance(each, gast.Assign) and written(each)]

    def changed(self, statement: gast.stmt) -> list[str]:
        """The names of arrays that a statement writes to, without numbers that it adds to."""
        match statement:
            case gast.AugAssign(target=gast.Name(id=name)) if isinstance(self.kinds.get(name), nb.Number):
                return []
            case gast.Expr() if is_check(statement):
                return []
        return list(changed_memory(statement))

    def is_changed(self, base: str) -> bool:
        """Whether the body writes to an array, by its own name or through a view."""

        def made_of(name: str) -> list[str]:
            """The names that the body makes for an array, or for a part of it."""
            made = [str(written(each)) for each in self.assignments() if name in reads(each)]
            return [each for each in made if self.memory.alias_class(each) == self.memory.alias_class(base)]

        names = closure([base], made_of)
        return any(name in names for each in self.statements for name in self.changed(each))

    def share(self, base: str, bases: list[str], result: Reach) -> bool:
        """Record how the iterations share an array; False where they may not."""
        if not self.memory.is_dense(base):
            return False
        accesses = self.accesses(base)
        facts = Facts.at_start(self.kinds)
        facts.suppose(Form.of(name) for name in notes_of(self.loop).positions)
        apart = None if accesses is None else distance(self.loop, accesses, facts)
        result.apart += [(base, other) for other in bases if other != base]
        if apart == 0:
            return True
        if not self.is_only_added_to(base):
            return False
        if apart is None:
            if len(bases) > 1:
                return False  # through another name, the body may read sums that the parts have not added up yet
            result.totals.append(base)
        else:
            result.width = max(result.width, apart)
        return True

    def accesses(self, name: str) -> list[gast.Subscript] | None:
        """The subscripts of a name; None where the body uses the array in any other way."""
        found = [
            node
            for each in self.loop.body
            for node in walk(each)
            if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name) and node.value.id == name
        ]
        return found if self.count(name) == len(found) else None

    def count(self, name: str) -> int:
        """How often a name occurs in the body, except where only the array's shape is used."""
        copied = [clone(each) for each in self.loop.body]
        nodes = [node for each in copied for node in walk(each)]
        skipped = [node for node in nodes if _asks_for_shape(node)]
        inside = {id(inner) for node in skipped for inner in walk(node)}
        return sum(isinstance(node, gast.Name) and node.id == name and id(node) not in inside for node in nodes)

    def is_only_added_to(self, name: str, seen: Collection[str] = ()) -> bool:
        """Whether the body only adds to elements of an array, by this name or others."""
        fine = 0
        for each in self.statements:
            match each:
                case gast.AugAssign(target=target, op=gast.Add() | gast.Sub()) if _base(target) == name:
                    fine += 1
                case gast.Assign(targets=[gast.Name(id=alias)], value=gast.Subscript(value=gast.Name(id=base))) if (
                    base == name and alias not in seen
                ):
                    made = sum(written(other) == alias for other in self.statements)
                    if made != 1 or not self.is_only_added_to(alias, {*seen, name}):
                        return False
                    fine += 1
                case gast.Expr(value=gast.Call(func=function)) if mutated_by(each) == [name]:
                    if not (dotted_path(function) or "").endswith(".scatter_add"):
                        return False
                    fine += 1
        own = sum(written(each) == name for each in self.assignments())
        return fine + own == self.count(name)


def _base(target: gast.expr) -> str:
    return str(target.id if isinstance(target, gast.Name) else target.value.id)


def _hides_memory(value: gast.expr) -> bool:
    """Whether a value is, or comes from, something that names do not lead to, such as a field of a tuple."""
    return any(
        isinstance(node, gast.Attribute)
        and node.attr not in SHAPE_ATTRIBUTES
        and (dotted_path(node) or "").split(".")[0] not in _MODULES
        for node in walk(value)
    )


def _asks_for_shape(node: gast.AST) -> bool:
    match node:
        case gast.Attribute(attr=attr):
            return attr in SHAPE_ATTRIBUTES
        case gast.Call(func=function, args=[gast.Name()]):
            return dotted_path(function) in SHAPE_ONLY
    return False
