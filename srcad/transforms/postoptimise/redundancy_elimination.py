"""Partial redundancy elimination: function calls on scalars, and reciprocals of divisors, are computed once.

    if c:                           if c:
        ct = np.cos(th)                 ct = np.cos(th)
    if c:                           if c:
        t1 = s_bar * np.cos(th)         t1 = s_bar * ct
    t2 = px_bar / z      becomes    z_inverse = 1.0 / z
    t3 = py_bar / z                 t2 = px_bar * z_inverse
                                    t3 = py_bar * z_inverse

LLVM eliminates what is available on all paths (Aho, Lam, Sethi, Ullman, Compilers, 2006, section 9.2.6). This pass also
uses that two branches on the same test take the same arm, as those of the forward and reverse sweep do. A division
costs about ten multiplications, hence the shared reciprocals (strength reduction). A product with x * (0.5 / s), where
s is the square root of x, becomes 0.5 * s. Only divisions of derivative rules, marked by a note, may change rounding:
the user's own divisions are left alone, so the function's values stay the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce

import gast
from numba import types as nb

from srcad.names import Names
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    call,
    const,
    dotted_path,
    inner_blocks,
    load,
    names_in,
    place_of,
    walk,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_in


def with_shared_values(code: Code) -> Code:
    """Replace redundant calls and divisions by available values."""
    return code.with_body(_Sharer(code.kinds, code.fresh_names()).block(code.body, _Known(), frozenset()))


@dataclass
class _Known:
    """The available expressions at a point: names by what they hold, also under the condition of a test's result."""

    values: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict)
    under: dict[tuple[str, int], _Known] = field(default_factory=dict)

    def without(self, names: frozenset[str]) -> _Known:
        """The expressions still available after these names are stored (kill)."""
        kept = {text: (name, of) for text, (name, of) in self.values.items() if name not in names and not of & names}
        return _Known(kept, {key: each.without(names) for key, each in self.under.items() if key[0] not in names})

    def where(self, test: gast.expr, arm: int) -> _Known:
        """The expressions available in one arm of a branch."""
        more = self.under.get((test.id, arm)) if isinstance(test, gast.Name) else None
        return self.without(frozenset()) if more is None else _Known(self.values | more.values, dict(self.under))

    def name(self, node: gast.expr) -> str | None:
        """The name that holds the value of an expression, or None."""
        found = self.values.get(gast.dump(node))
        return None if found is None else found[0]

    def learn(self, node: gast.expr, name: str) -> None:
        """Record that a name holds the value of an expression."""
        if name not in names_in(node):
            self.values.setdefault(gast.dump(node), (name, frozenset(names_in(node))))


class _Sharer:
    def __init__(self, kinds: Mapping[str, nb.Type], names: Names) -> None:
        self.kinds, self.names = kinds, names

    def block(self, block: Block, known: _Known, changing: frozenset[str]) -> Block:
        """The rewritten block; `changing` has what the loop around it stores. Updates `known` to its end."""
        result: Block = []
        for k, statement in enumerate(block):
            inner, stored = inner_blocks(statement), stored_in([statement])
            if inner:
                self.compound(statement, known, stored if not isinstance(statement, gast.If) else changing)
            else:
                _Swap(lambda node: _rootless(node, known)).visit(statement)
                for number in self.wanted(statement, block[k + 1 :], known):
                    name = self.names.fresh(f"{number}_inverse")
                    known.learn(_inverse(number), name)
                    result.append(assign(name, _inverse(number), place_of(statement)))
                _Swap(lambda node: self.replaced(node, known, changing)).visit(statement)
                left = known.without(stored)
                known.values, known.under = left.values, left.under
                self.learn(statement, known)
            result.append(statement)
        return result

    def compound(self, statement: gast.stmt, known: _Known, changing: frozenset[str]) -> None:
        """Rewrite the blocks of a loop or of a branch."""
        stored = stored_in([statement])
        before, left = known.without(frozenset()), known.without(stored)
        known.values, known.under = left.values, left.under
        if not isinstance(statement, gast.If):
            statement.body = self.block(statement.body, known.without(frozenset()), changing)
            return
        for arm, inner in enumerate(inner_blocks(statement)):
            inside = before.where(statement.test, arm)
            inner[:] = self.block(inner, inside, changing)
            if isinstance(statement.test, gast.Name) and statement.test.id not in stored:
                known.under[statement.test.id, arm] = _Known(inside.values)

    def wanted(self, statement: gast.stmt, later: Block, known: _Known) -> list[str]:
        """The divisors of rule divisions for which a reciprocal pays: used again here or later, before they change."""
        own = [number for node in _divisions(statement) if (number := self.number(node))]
        stored = stored_in([statement])
        return [
            number
            for number in dict.fromkeys(own)
            if known.name(_inverse(number)) is None
            and (
                own.count(number) > 1
                or (number not in stored and any(self.number(node) == number for node in _until(later, number)))
            )
        ]

    def number(self, node: gast.BinOp) -> str | None:
        """The name of the scalar divisor of a division, or None."""
        match node.right:
            case gast.Name(id=name) if self.is_number(name):
                return str(name)
        return None

    def is_number(self, name: str) -> bool:
        kind = self.kinds.get(name)
        return isinstance(kind, (nb.Integer, nb.Float)) and kind != nb.float32

    def replaced(self, node: gast.expr, known: _Known, changing: frozenset[str]) -> gast.expr:
        """The replacement of an expression: a name that holds its value, or a product with a reciprocal."""
        if isinstance(node, gast.Call):
            name = known.name(node)
            return node if name is None else load(name)
        if not notes_of(node).of_rule:
            return node
        number = self.number(node)
        held = known.name(_inverse(number)) if number else None
        if held is not None:
            inverse = load(held)
        elif changing and (_is_literal(node.right) or (number is not None and number not in changing)):
            inverse = binary(const(1.0), gast.Div, node.right)  # loop-invariant: LLVM hoists it out of the loop
        else:
            return node
        return inverse if constant(node.left) == 1.0 else binary(node.left, gast.Mult, inverse)

    def learn(self, statement: gast.stmt, known: _Known) -> None:
        """Record the function values and reciprocals that a statement makes available."""
        name = written(statement) if isinstance(statement, gast.Assign) else None
        if name is None or not self.is_number(name):
            return
        match statement.value:
            case gast.BinOp(left=left, op=gast.Div(), right=gast.Name(id=number)):
                if constant(left) == 1.0 and self.is_number(number):
                    known.learn(_inverse(number), name)
            case gast.Call(func=function, args=[left, gast.Name(id=number)]) if dotted_path(function) == "np.divide":
                if constant(left) == 1.0 and self.is_number(number):
                    known.learn(_inverse(number), name)
            case gast.Call(args=args, keywords=[]) as value if args and self.is_function(value.func):
                if all(isinstance(each, gast.Name) and self.is_number(each.id) for each in args):
                    known.learn(value, name)

    def is_function(self, function: gast.expr) -> bool:
        """Whether this is a deterministic function of the modules np or math."""
        module, _, name = (dotted_path(function) or "").partition(".")
        return module in ("np", "math") and "." not in name


class _Swap(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, replaced: Callable[[gast.expr], gast.expr]) -> None:
        self.replaced = replaced

    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        return self.replaced(self.generic_visit(node))

    def visit_Call(self, node: gast.Call) -> gast.expr:
        return self.replaced(self.generic_visit(node))


def _rootless(node: gast.expr, known: _Known) -> gast.expr:
    """Simplify a product with `x * (c / s)`, where s is the square root of x, to `c * s`."""
    factors = _factors(node)
    for k, each in enumerate(factors):
        for other in factors if notes_of(each).of_rule and isinstance(each.right, gast.Name) else ():
            root = isinstance(other, gast.Name) and {
                known.name(call(f"{module}.sqrt", other)) for module in ("np", "math")
            }
            if root and each.right.id in root:
                factors[k] = binary(each.left, gast.Mult, each.right)
                return reduce(
                    lambda one, two: binary(one, gast.Mult, two), [each for each in factors if each is not other]
                )
    return node


def _factors(node: gast.expr) -> list[gast.expr]:
    match node:
        case gast.BinOp(left=left, op=gast.Mult(), right=right):
            return [*_factors(left), *_factors(right)]
    return [node]


def _inverse(number: str) -> gast.BinOp:
    return binary(const(1.0), gast.Div, load(number))


def _is_literal(node: gast.expr) -> bool:
    value = constant(node)
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value != 0


def _divisions(statement: gast.stmt) -> list[gast.BinOp]:
    """The divisions of derivative rules in a simple statement."""
    value = getattr(statement, "value", None)
    return [] if value is None else [node for node in walk(value) if notes_of(node).of_rule]


def _until(block: Block, name: str) -> Iterator[gast.BinOp]:
    """The divisions of derivative rules in a block, up to the first statement that stores a name."""
    for statement in block:
        yield from _divisions(statement)
        if name in stored_in([statement]):
            return
        for inner in inner_blocks(statement):
            yield from _until(inner, name)
