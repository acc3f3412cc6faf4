r"""Debug checks: after each statement that makes floating-point numbers, a check that raises at the first NaN.

    t1 = x[i]                           t1 = x[i]
    y = np.sqrt(t1)         becomes     y = np.sqrt(t1)
                                        kernels.check_finite(y, (t1,), (i,), "primal\n...")

The last argument names the primal line, the statement, its operands and the loops around it. What only moves values
(a copy, an element that is read) is not checked. An operand that the statement overwrites is kept before it. A `while`
loop gets a counter, so that the iteration can be told. Arrays are allocated with zeros: what was never stored is no
NaN. `with_sweeps_noted` runs while the boundary between the sweeps is still marked, `with_checks` when names are final.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.names import Names
from srcad.parsing import syntax_tree
from srcad.runtime import kernels
from srcad.runtime.kernels.recording.finite_checks import site_text
from srcad.runtime.support.labelled_kinds import module_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    augment,
    binary,
    call,
    clone,
    const,
    dotted_path,
    effect,
    load,
    names_in,
    place_of,
    stored,
    tuple_of,
    walk,
    walk_blocks,
    walk_statements,
)
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import look_up
from srcad.transforms.ir.side_effects import all_written, mutated_by

_RECORDING = "srcad.runtime.kernels.recording"  # kernels that move values into traces and lists, or make room
_LONGEST = 60  # characters of what a temporary stands for


def with_sweeps_noted(code: Code) -> Code:
    """The function, with a note on each statement of a reverse sweep."""
    for block in walk_blocks(code.body):
        start = next((k for k, each in enumerate(block) if notes_of(each).begins_reverse), len(block))
        for statement in walk_statements(block[start:]):
            note(statement, sweep="reverse")
    return code.with_body(code.body)


def with_checks(code: Code) -> Code:
    """The function with a check after each statement that can make a NaN or an infinity."""
    checks = _Checks(code)
    body = checks.block(code.body, [])
    if checks.made:
        code.unit.bindings.setdefault(checks.kernels, kernels)  # type: ignore[attr-defined]
    return code.with_body(body)


class _Checks:
    """Writes the checks of one function."""

    def __init__(self, code: Code) -> None:
        self.bindings, self.kinds = code.unit.bindings, code.kinds
        self.names: Names = code.fresh_names()
        bound = next((name for name, thing in self.bindings.items() if thing is kernels), None)
        self.kernels = bound or self.names.fresh("kernels")
        self.meanings = _meanings(code)
        self.made = False

    def block(self, block: Block, loops: list[tuple[str, str]]) -> Block:
        """A block with its checks; `loops` are the names and labels of the iteration numbers of the loops around it."""
        result: Block = []
        for statement in block:
            match statement:
                case gast.For(target=gast.Name(id=index)):
                    statement.body = self.block(statement.body, [*loops, (str(index), _label(str(index), statement))])
                    result.append(statement)
                case gast.While():
                    result += self.counted(statement, loops)
                case gast.If():
                    statement.body, statement.orelse = (self.block(arm, loops) for arm in _arms(statement))
                    result.append(statement)
                case _:
                    result += self.checked(self.with_zeros(statement), loops)
        return result

    def counted(self, loop: Any, loops: list[tuple[str, str]]) -> Block:
        """A `while` loop that counts its iterations, so that checks can tell them."""
        turn = self.names.fresh("iteration")
        place = place_of(loop)
        body = self.block(loop.body, [*loops, (turn, _label("iteration", loop))])
        loop.body = [*body, augment(stored(turn), gast.Add, const(1), place)]
        return [assign(turn, const(0), place), loop]

    def with_zeros(self, statement: gast.stmt) -> gast.stmt:
        """A statement whose allocations are filled with zeros."""
        for node in walk(statement):
            if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
                called = self.meaning_of(node.func)
                node.func.attr = next((filled for each, filled in _FILLED if each is called), node.func.attr)
        return statement

    def checked(self, statement: gast.stmt, loops: list[tuple[str, str]]) -> Block:
        """A statement with its check, if it can make a NaN."""
        targets = self.targets(statement)
        if not targets or place_of(statement) is None:
            return [statement]
        before: Block = []
        operands: list[gast.expr] = []
        labels: list[str] = []
        changed = {*all_written(statement), *mutated_by(statement), *_bases(targets)}
        for leaf in self.operands(statement):
            label = _text(leaf)
            if label in labels:
                continue
            if changed & {*names_in(leaf)}:
                kept = self.names.fresh("before")
                before.append(assign(kept, call(f"{self.kernels}.kept_before", leaf), place_of(statement)))
                leaf = load(kept)
            operands.append(leaf)
            labels.append(label)
        return [*before, statement, *(self.check(each, statement, operands, labels, loops) for each in targets)]

    def check(
        self,
        target: gast.expr,
        statement: gast.stmt,
        operands: list[gast.expr],
        labels: list[str],
        loops: list[tuple[str, str]],
    ) -> gast.stmt:
        """The check of what a statement has stored."""
        self.made = True
        place = place_of(statement)
        site = site_text(
            notes_of(statement).sweep,
            f"generated statement `{_statement_text(statement)}`",
            _text(target),
            [self.explained(label) for label in labels],
            [label for _, label in loops],
            place,
        )
        parts = tuple_of(*map(clone, operands)), tuple_of(*(load(name) for name, _ in loops))
        made = call(f"{self.kernels}.check_finite", target, *parts, gast.Constant(value=site, kind=None))
        return effect(at(gast.Expr(value=made), place))

    def explained(self, label: str) -> str:
        """An operand with what it stands for, if it is a temporary."""
        meaning = self.meanings.get(label)
        return label if meaning is None else f"{label} (that is, {meaning})"

    def targets(self, statement: gast.stmt) -> list[gast.expr]:
        """What a statement stores, as expressions that read it, if that may be a NaN that was not there before."""
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                return [load(name)] if self.computes(value) and self.may_be_float(name) else []
            case gast.Assign(targets=[gast.Tuple(elts=parts)], value=value) if self.computes(value):
                return [load(part.id) for part in parts if isinstance(part, gast.Name) and self.may_be_float(part.id)]
            case gast.Assign(targets=[gast.Subscript() as target], value=value):
                return [] if isinstance(value, gast.Constant) or not self.may_be_float(target) else [_read(target)]
            case gast.AugAssign(target=target):
                return [_read(target)] if self.may_be_float(target) else []
            case gast.Expr(value=gast.Call(func=function)):
                if not _module_of(self.meaning_of(function)).startswith(_RECORDING):
                    return [load(name) for name in mutated_by(statement) if self.may_be_float(name)]
        return []

    def computes(self, value: gast.expr) -> bool:
        """Whether an expression computes numbers, and does not only move them or call a function with own checks."""
        match value:
            case gast.BinOp() | gast.IfExp():
                return True
            case gast.UnaryOp(op=gast.USub(), operand=operand):
                return self.computes(operand)
            case gast.Call(func=function):
                called = self.meaning_of(function)
                moves = any(called is each for each in _MOVING) or _module_of(called).startswith(_WITHOUT_CHECKS)
                return called is not None and not moves
        return False

    def may_be_float(self, target: str | gast.expr) -> bool:
        """Whether a name or element may hold floating-point numbers, as far as types are known."""
        name = target if isinstance(target, str) else next(names_in(target), "")
        if isinstance(target, gast.Name):
            name = target.id
        kind = self.kinds.get(name)
        entry = kind.dtype if isinstance(kind, nb.Array) else kind
        return not isinstance(entry, (nb.Integer, nb.Boolean, nb.IntegerLiteral))

    def operands(self, statement: gast.stmt) -> Iterator[gast.expr]:
        """The names and elements that a statement computes with, each as often as it is read."""
        match statement:
            case gast.Assign(value=value):
                yield from self.leaves(value)
            case gast.AugAssign(target=target, value=value):
                yield _read(target)
                yield from self.leaves(value)
            case gast.Expr(value=value):
                yield from self.leaves(value)

    def leaves(self, node: gast.expr) -> Iterator[gast.expr]:
        """The names, elements and constant numbers at the ends of an expression."""
        match node:
            case gast.Name(id=name):
                if name not in self.bindings:
                    yield clone(node)
            case gast.Subscript(value=base):
                if not any(isinstance(each, gast.Call) for each in walk(node)) and [*self.leaves(base)]:
                    yield clone(node)
            case gast.Attribute(value=base):
                if isinstance(self.meaning_of(node), float):
                    yield clone(node)
                elif node.attr not in ("shape", "size", "ndim", "dtype"):
                    yield from self.leaves(base)
            case gast.Call(func=function, args=arguments, keywords=keywords):
                if isinstance(function, gast.Attribute) and self.meaning_of(function) is None:
                    yield from self.leaves(function.value)
                for argument in (*arguments, *(each.value for each in keywords)):
                    yield from self.leaves(argument)
            case _:
                for child in gast.iter_child_nodes(node):
                    if isinstance(child, gast.expr):
                        yield from self.leaves(child)

    def meaning_of(self, function: gast.expr) -> Any:
        """The object that a dotted name in the code stands for; None for a variable's attribute."""
        path = dotted_path(function)
        if path is None:
            return None
        try:
            return look_up(path, self.bindings)
        except AttributeError:
            return None


def _meanings(code: Code) -> dict[str, str]:
    """What temporaries stand for, in terms of other names, where that is short."""
    counts, found = store_counts(code), dict[str, str]()
    for statement in walk_statements(code.body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if counts[name] == 1 and _is_temporary(name):
                text = _text(_Expanded(found).visit(clone(value)))
                if len(text) <= _LONGEST and "\n" not in text:
                    found[str(name)] = text
    return found


class _Expanded(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Replaces temporaries by what they stand for."""

    def __init__(self, meanings: dict[str, str]) -> None:
        self.meanings = meanings

    def visit_Name(self, node: gast.Name) -> gast.expr:
        text = self.meanings.get(node.id)
        return node if text is None else syntax_tree(text, mode="eval").body


def _text(node: gast.expr) -> str:
    return str(gast.unparse(node)).strip()


def _statement_text(statement: gast.stmt) -> str:
    match statement:
        case gast.Assign(targets=[target], value=value):
            return f"{_text(target)} = {_text(value)}"
        case gast.AugAssign(target=target, op=op, value=value):
            return f"{_text(target)} = {_text(binary(_read(target), type(op), value))}"
        case gast.Expr(value=value):
            return _text(value)
    raise AssertionError(statement)


def _is_temporary(name: str) -> bool:
    return name.startswith("t") and name[1:].isdigit()


def _arms(statement: gast.If) -> tuple[Block, Block]:
    return statement.body, statement.orelse


def _label(index: str, loop: gast.stmt) -> str:
    place = place_of(loop)
    return index if place is None else f"{index} (line {place.line})"


def _read(target: gast.expr) -> gast.expr:
    read = clone(target)
    read.ctx = gast.Load()
    return read


def _bases(targets: list[gast.expr]) -> set[str]:
    """The arrays whose elements are stored."""
    return {name for each in targets for name in [next(names_in(each), "")] if isinstance(each, gast.Subscript)}


def _module_of(called: Any) -> str:
    if isinstance(called, type) or hasattr(called, "__qualname__"):
        return str(getattr(called, "__module__", "") or "")
    return module_of(type(called))


_FILLED = ((np.empty, "zeros"), (np.empty_like, "zeros_like"))
_MOVING = (np.zeros, np.zeros_like, np.empty, np.empty_like, np.ones, np.ones_like, np.shape, np.copy, range, len, int)
_WITHOUT_CHECKS = (_RECORDING, "srcad.transforms")  # the latter are functions of the user's, with checks of their own
