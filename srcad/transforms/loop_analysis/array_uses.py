"""Array references: all subscripts of arrays in a generated function, with the facts about integers at each.

An array that is used in any other way, as a whole or through a view with a name of its own, is left out. For the arrays
that remain, the references are complete.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TypeAlias

import gast

from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.ir.array_functions import MAKER_OF, returns_new
from srcad.transforms.ir.build import Block, const, dotted_path, inner_blocks, names_in
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.loop_analysis.array_extents import Shapes
from srcad.transforms.loop_analysis.loop_accesses import is_counted

Path: TypeAlias = tuple[tuple[int, int], ...]  # blocks, by identity, and the position in each


@dataclass(frozen=True, eq=False)
class Use:
    """One subscript of an array.

    statement   that contains it, possibly in its header
    path        to the statement
    forms       linear forms of the parts of the index; None for slices and for parts without one
    facts       the facts about integers there
    is_target   whether the statement only stores into it
    """

    node: gast.Subscript
    statement: gast.stmt
    path: Path
    forms: tuple[Form | None, ...]
    facts: tuple[Form, ...]
    is_target: bool

    def form(self, axis: int) -> Form | None:
        """The linear form of the index in one dimension; None if it is not an integer of known form."""
        return self.forms[axis] if axis < len(self.forms) else None

    def position(self, block: Block) -> int | None:
        """The position, in a block, of the statement that contains the use."""
        return next((position for each, position in self.path if each == id(block)), None)


@dataclass(eq=False)
class Array:
    """An array, where it is allocated, its extents there, and its uses.

    queries     expressions that use its shape
    """

    name: str
    statement: gast.Assign
    block: Block
    position: int
    extents: tuple[gast.expr, ...]
    sizes: tuple[Form | None, ...]
    uses: list[Use] = field(default_factory=list)
    queries: list[gast.expr] = field(default_factory=list)


class Arrays:
    """The arrays, of some names, that are used by subscripts only.

    found       the arrays by name
    bounds      of loops with step 1 or -1, by their identity
    """

    def __init__(self, names: Collection[str], body: Block, at: Shapes) -> None:
        """Collect the uses in a function's statements; each of the names must be stored once."""
        self.names, self.found = set(names), dict[str, Array]()
        self.bounds: dict[int, tuple[Form | None, Form | None]] = {}
        self._seen: set[int] = set()
        self._block(body, at, ())

    def _block(self, block: Block, at: Shapes, path: Path) -> None:
        for position, statement in enumerate(block):
            self._path: Path = (*path, (id(block), position))
            self._follow(statement, at)
            match statement:
                case gast.Assign(targets=[gast.Name(id=name)]) if name in self.names:
                    extents = at.of(name)
                    if extents is None:
                        self._refuse(name)
                    else:
                        sizes = tuple(map(at.form, extents))
                        self.found[name] = Array(name, statement, block, position, extents, sizes)

    def _refuse(self, name: str) -> None:
        """Give up on an array."""
        self.names.discard(name)
        self.found.pop(name, None)

    def _follow(self, statement: gast.stmt, at: Shapes) -> None:
        """Record the uses in a statement, and update the facts `at` for it."""
        blocks = inner_blocks(statement)
        if isinstance(statement, gast.While):
            at.forget(stored_in([statement]))
        self._statement, self._at = statement, at
        self._own(statement)
        if not blocks:
            at.learn(statement)
            return
        path = self._path
        if isinstance(statement, gast.If):
            inside = [at.under(statement.test, arm == 0) for arm in range(len(blocks))]
        elif is_counted(statement):
            self._note(statement, at)
            at.forget(stored_in([statement]))
            inside = [at.inside(statement)]
        else:
            at.forget(stored_in([statement]))
            inside = [at.copy()]
        for block, known in zip(blocks, inside, strict=True):
            self._block(block, known, path)
        at.forget(stored_in([statement]))

    def _note(self, loop: gast.For, at: Shapes) -> None:
        if constant(Shapes.step(loop)) in (1, -1):
            args = loop.iter.args
            start, stop = args[:2] if len(args) > 1 else (const(0), args[0])
            self.bounds[id(loop)] = at.form(start), at.form(stop)

    def _own(self, statement: gast.stmt) -> None:
        """Record the uses in a simple statement, or in the header of a compound one."""
        match statement:
            case gast.Assign(targets=[gast.Name()], value=value):
                self._visit(value, False)
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name)) as target], value=value):
                self._visit(target, True, True)
                self._visit(value, bool(self._at.ranks.get(name)) or name in self.found)
            case gast.AugAssign(target=gast.Subscript() as target, value=value):
                self._visit(target, True, True)
                self._visit(value, True)
            case gast.For(iter=header) | gast.If(test=header) | gast.While(test=header):
                self._visit(header, False)
            case _:
                self._children(statement, False)

    def _visit(self, node: gast.AST, is_copied: bool, is_target: bool = False) -> None:
        """Record the uses in an expression; `is_copied` if a subscript's value is copied, not kept as a view."""
        match node:
            case gast.Attribute(value=gast.Name(id=name), attr="dtype"):
                pass
            case gast.Subscript(value=gast.Attribute(value=gast.Name(id=name), attr="shape"), slice=index) if (
                isinstance(constant(index), int)
            ):
                self._query(name, node)
            case gast.Attribute(value=gast.Name(id=name), attr="shape"):
                self._query(name, node)
            case gast.Call(func=function, args=[gast.Name(id=name)], keywords=[]) if dotted_path(function) in MAKER_OF:
                self._query(name, node)
            case gast.Subscript(value=gast.Name(id=name), slice=index):
                if name in self.names:
                    self._use(node, is_copied, is_target)
                self._visit(index, False)
            case gast.Name(id=name):
                self._refuse(name)
            case gast.BinOp() | gast.UnaryOp() | gast.Compare():
                self._children(node, True)
            case gast.Call(func=function):
                self._children(node, returns_new(dotted_path(function)))
            case _:
                self._children(node, False)

    def _children(self, node: gast.AST, is_copied: bool) -> None:
        for key, value in gast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, gast.AST) and key != "ctx":
                    self._visit(child, is_copied)

    def _query(self, name: str, node: gast.expr) -> None:
        array = self.found.get(name)
        if array is not None and any(each == id(array.block) for each, _ in self._path):
            array.queries.append(node)
        else:
            self._refuse(name)

    def _use(self, node: gast.Subscript, is_copied: bool, is_target: bool) -> None:
        array = self.found.get(node.value.id)
        parts = list(node.slice.elts) if isinstance(node.slice, gast.Tuple) else [node.slice]
        numbers = [part for part in parts if not isinstance(part, gast.Slice)]
        rank = len(array.extents) if array else 0
        is_element = len(numbers) == rank == len(parts)
        is_plain = len(parts) <= rank and all(map(self._is_number, numbers)) and id(node) not in self._seen
        if array is None or not is_plain or not (is_element or is_copied):
            self._refuse(node.value.id)
            return
        forms = tuple(None if isinstance(part, gast.Slice) else self._at.form(part) for part in parts)
        self._seen.add(id(node))
        array.uses.append(Use(node, self._statement, self._path, forms, self._at.facts, is_target))

    def _is_number(self, part: gast.expr) -> bool:
        """Whether a part of an index is a single integer."""
        ranks = self._at.ranks
        match part:
            case gast.Subscript(value=gast.Name(id=name), slice=index):
                inner = index.elts if isinstance(index, gast.Tuple) else [index]
                return ranks.get(name) == len(inner) and all(map(self._is_number, inner))
            case gast.Name() | gast.BinOp():
                return all(ranks.get(name) == 0 for name in names_in(part))
        value = constant(part)
        return isinstance(value, int) and not isinstance(value, bool)
