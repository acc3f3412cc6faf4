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
s is the square root of x, becomes 0.5 * s.

Strong products and quotients, in which a derivative of 0 gives 0 (`kernels.strong_product`), stay strong, unless the
slope that could be infinite is gone with such a quotient.

A product with a reciprocal is rounded otherwise than the division. Divisions of derivative rules, marked by a note, may
be. So may those of the user in functions that return no primal value, unless a choice depends on them (see `choosing`);
elsewhere they are left alone, so that the function's values stay the same to the last bit. `x / 0.0` raises an
exception where `np.divide(x, 0.0)` is infinite, so each of the two shares reciprocals of its own kind.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, reduce

import gast
from numba import types as nb

from srcad.names import Names
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.ranks import Ranks, ranks_of
from srcad.transforms.ir.array_functions import STRONG_PRODUCT, STRONG_QUOTIENT
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    call,
    clone,
    const,
    dotted_path,
    inner_blocks,
    load,
    names_in,
    place_of,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import is_complex
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, changed_memory, stored_in
from srcad.transforms.loop_analysis.control_dependence import choosing, deciding


def with_shared_values(code: Code) -> Code:
    """Replace redundant calls and divisions by available values."""
    sharer = _Sharer(code.kinds, code.fresh_names(), _free_divisions(code), ranks_of(code).copy())
    return code.with_body(sharer.block(code.body, _Known(), frozenset()))


def _free_divisions(code: Code) -> list[gast.expr]:
    """The divisions that may be rounded otherwise: those of rules, and those of the user that nothing needs as is."""
    divisions = [
        (node, statement)
        for statement in walk_statements(code.body)
        if isinstance(statement, (gast.Assign, gast.AugAssign))
        for node in walk(statement.value)
        if _operands(node) is not None
    ]
    free = [node for node, _ in divisions if notes_of(node).of_rule]
    if not code.without_primal or len(free) == len(divisions):
        return free
    aliases = aliases_of(code)
    fixed = choosing(code.body, aliases)
    decided = {id(node) for _, each in divisions for part in deciding(each) for node in walk(part)}
    for node, statement in divisions:
        stored = map(aliases.alias_class, (*all_written(statement), *changed_memory(statement)))
        if not notes_of(node).of_rule and id(node) not in decided and fixed.isdisjoint(stored):
            free.append(node)
    return free


def _operands(node: gast.AST) -> tuple[gast.expr, gast.expr] | None:
    """What is divided, and by what; None for all but divisions."""
    match node:
        case gast.BinOp(left=left, op=gast.Div(), right=right):
            return left, right
        case gast.Call(func=function, args=[left, right], keywords=[]) if dotted_path(function) in _DIVIDING:
            return left, right
    return None


_DIVIDING = {"np.divide", STRONG_QUOTIENT}


@dataclass
class _Known:
    """The available expressions at a point: names by what they hold, also under the condition of a test's result."""

    values: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict)
    under: dict[tuple[str, int], tuple[_Known, int]] = field(default_factory=dict)  # with the length of `stored` then
    products: dict[str, gast.Call] = field(default_factory=dict)  # strong products, by the names that hold them
    stored: list[str] = field(default_factory=list)  # every name that was stored, in order

    def __post_init__(self) -> None:
        self._texts: dict[str, set[str]] = {}  # for each name, the expressions that it holds or stands in
        for text, (name, of) in self.values.items():
            self._note(text, name, of)
        self._products_of: dict[str, set[str]] = {}  # for each name, the products that it holds or stands in
        for name, product in self.products.items():
            self._note_product(name, product)

    def _note(self, text: str, name: str, of: frozenset[str]) -> None:
        for each in (name, *of):
            self._texts.setdefault(each, set()).add(text)

    def _note_product(self, name: str, product: gast.Call) -> None:
        for each in (name, *names_in(product)):
            self._products_of.setdefault(each, set()).add(name)

    def without(self, names: frozenset[str]) -> _Known:
        """The expressions still available after these names are stored (kill)."""
        kept = {text: (name, of) for text, (name, of) in self.values.items() if name not in names and not of & names}
        products = {
            name: each for name, each in self.products.items() if name not in names and names.isdisjoint(names_in(each))
        }
        return _Known(kept, dict(self.under), products, [*self.stored, *names])

    def forget(self, names: frozenset[str]) -> None:
        """Keep only the expressions still available after these names are stored."""
        for name in names:
            for text in self._texts.pop(name, ()):
                self.values.pop(text, None)
            for product in self._products_of.pop(name, ()):
                self.products.pop(product, None)
        self.stored.extend(names)

    def where(self, test: gast.expr, arm: int) -> _Known:
        """The expressions available in one arm of a branch."""
        then, count = self.under.get((test.id, arm), (None, 0)) if isinstance(test, gast.Name) else (None, 0)
        since = frozenset(self.stored[count:]) if then is not None else frozenset()
        if then is None or test.id in since:
            return self.without(frozenset())
        more = then.without(since).values
        return _Known(self.values | more, dict(self.under), dict(self.products), list(self.stored))

    def name(self, node: gast.expr) -> str | None:
        """The name that holds the value of an expression, or None."""
        found = self.values.get(gast.dump(node))
        return None if found is None else found[0]

    def learn(self, node: gast.expr, name: str) -> None:
        """Record that a name holds the value of an expression."""
        text, of = gast.dump(node), frozenset(names_in(node))
        if name not in of and text not in self.values:
            self.values[text] = name, of
            self._note(text, name, of)

    def learn_product(self, product: gast.Call, name: str) -> None:
        """Record that a name holds a strong product."""
        if name not in names_in(product):
            self.products[name] = product
            self._note_product(name, product)


class _Sharer:
    def __init__(self, kinds: Mapping[str, nb.Type], names: Names, free: list[gast.expr], ranks: Ranks) -> None:
        """`free` has the divisions that may become products with reciprocals."""
        self.kinds, self.names, self.ranks = kinds, names, ranks
        self.is_real = not any(map(is_complex, kinds.values()))
        self.free = {id(node): node for node in free}
        self.places: dict[int, tuple[Block, dict[str, list[int]]]] = {}  # by the identity of the block

    def block(self, block: Block, known: _Known, changing: frozenset[str]) -> Block:
        """The rewritten block; `changing` has what the loop around it stores. Updates `known` to its end."""
        result: Block = []
        for k, statement in enumerate(block):
            inner, stored = inner_blocks(statement), stored_in([statement])
            if inner:
                self.compound(statement, known, stored if not isinstance(statement, gast.If) else changing)
            else:
                _Swap(lambda node: _rootless(node, known)).visit(statement)
                for inverse in self.wanted(statement, partial(self.until, block, k + 1), known):
                    name = self.names.fresh(f"{_divisor(inverse)}_inverse")
                    self.ranks.of[name] = 0
                    _learn_inverse(inverse, name, known)
                    result.append(assign(name, inverse, place_of(statement)))
                _Swap(lambda node: self.replaced(node, known, changing)).visit(statement)
                known.forget(stored)
                self.learn(statement, known)
            result.append(statement)
        return result

    def compound(self, statement: gast.stmt, known: _Known, changing: frozenset[str]) -> None:
        """Rewrite the blocks of a loop or of a branch."""
        stored = stored_in([statement])
        before = known.without(frozenset())
        known.forget(stored)
        if not isinstance(statement, gast.If):
            statement.body = self.block(statement.body, known.without(frozenset()), changing)
            return
        for arm, inner in enumerate(inner_blocks(statement)):
            inside = before.where(statement.test, arm)
            inner[:] = self.block(inner, inside, changing)
            if isinstance(statement.test, gast.Name) and statement.test.id not in stored:
                known.under[statement.test.id, arm] = _Known(inside.values), len(known.stored)

    def wanted(
        self, statement: gast.stmt, later: Callable[[str], Iterator[gast.expr]], known: _Known
    ) -> list[gast.expr]:
        """The reciprocals that pay: of divisors that are used again here or later, before they change."""
        own, stored, found = self.divisions(statement), stored_in([statement]), list[gast.expr]()
        for node in own:
            inverse = self.inverse(node)
            if inverse is None or self.held(node, known) or any(self.serves(each, node) for each in found):
                continue
            again = [] if _divisor(inverse) in stored else later(_divisor(inverse))
            if sum(self.serves(inverse, each) for each in own) > 1 or any(self.serves(inverse, each) for each in again):
                found.append(inverse)
        return found

    def serves(self, inverse: gast.expr, node: gast.expr) -> bool:
        """Whether a division may use a reciprocal: exceptions of the user's divisions stay."""
        own = self.inverse(node)
        if own is None or _divisor(own) != _divisor(inverse):
            return False
        return isinstance(inverse, gast.BinOp) or isinstance(node, gast.Call) or notes_of(node).of_rule

    def held(self, node: gast.expr, known: _Known) -> str | None:
        """The name of a known reciprocal that a division may use."""
        inverse = self.inverse(node)
        if inverse is None:
            return None
        return known.name(_quiet(inverse) if notes_of(node).of_rule else inverse)

    def divisions(self, statement: gast.stmt) -> list[gast.expr]:
        """The divisions in a simple statement that may be rounded otherwise."""
        value = getattr(statement, "value", None)
        return [] if value is None else [node for node in walk(value) if id(node) in self.free]

    def until(self, block: Block, start: int, name: str) -> Iterator[gast.expr]:
        """Divisions by a name in a block from the statement with this number, up to the first one that stores it."""
        places = self.places_in(block).get(name, [])
        for k in places[bisect_left(places, start) :]:
            statement = block[k]
            yield from self.divisions(statement)
            if name in stored_in([statement]):
                return
            for inner in inner_blocks(statement):
                yield from self.until(inner, 0, name)

    def places_in(self, block: Block) -> dict[str, list[int]]:
        """For each name, the numbers of the statements of a block that divide by it, or that store it."""
        if id(block) not in self.places:
            places = defaultdict[str, list[int]](list)
            for k, statement in enumerate(block):
                own = [node for each in walk_statements([statement]) for node in self.divisions(each)]
                by = {name for node in own for name in names_in(node)}
                for name in by | set(stored_in([statement])):
                    places[name].append(k)
            self.places[id(block)] = block, places
        return self.places[id(block)][1]

    def inverse(self, node: gast.expr) -> gast.expr | None:
        """The reciprocal of a division's divisor, computed by the same kind of division; None unless it is a number."""
        operands = _operands(node)
        if operands is None or not isinstance(operands[1], gast.Name) or not self.is_number(operands[1].id):
            return None
        return _inverse(node, operands[1])

    def is_number(self, name: str) -> bool:
        kind = self.kinds.get(name)
        return isinstance(kind, (nb.Integer, nb.Float)) and kind != nb.float32

    def replaced(self, node: gast.expr, known: _Known, changing: frozenset[str]) -> gast.expr:
        """The replacement of an expression: a name that holds its value, or a product with a reciprocal."""
        if isinstance(node, gast.Call) and (name := known.name(node)) is not None:
            return load(name)
        operands = _operands(node) if id(node) in self.free else None
        if operands is None:
            return self.of_three(node, known)
        left, right = operands
        inverse, held = self.inverse(node), self.held(node, known)
        if held is not None:
            inverse = load(held)
        elif changing and (_is_literal(right) or (inverse is not None and _divisor(inverse) not in changing)):
            inverse = _inverse(node, right)  # loop-invariant: LLVM hoists it out of the loop
        else:
            return node
        if constant(left) == 1.0:
            return inverse
        is_strong = isinstance(node, gast.Call) and dotted_path(node.func) == STRONG_QUOTIENT
        return call(STRONG_PRODUCT, left, inverse) if is_strong else binary(left, gast.Mult, inverse)

    def learn(self, statement: gast.stmt, known: _Known) -> None:
        """Record the function values and reciprocals that a statement makes available."""
        name = written(statement) if isinstance(statement, gast.Assign) else None
        if name is not None and self.is_product_of_numbers(statement.value):
            known.learn_product(statement.value, name)
        if name is None or not self.is_number(name):
            return
        operands, inverse = _operands(statement.value), self.inverse(statement.value)
        if operands is not None and inverse is not None and constant(operands[0]) == 1.0:
            _learn_inverse(inverse, name, known)
            return
        match statement.value:
            case gast.Call(args=args, keywords=[]) as value if args and self.is_function(value.func):
                if all(isinstance(each, gast.Name) and self.is_number(each.id) for each in args):
                    known.learn(value, name)

    def is_product_of_numbers(self, node: gast.expr) -> bool:
        """Whether this is a strong product of two real numbers."""
        match node:
            case gast.Call(func=function, args=[_, _] as args) if dotted_path(function) == STRONG_PRODUCT:
                return self.is_real and all(map(self.ranks.is_number, args))
        return False

    def of_three(self, node: gast.expr, known: _Known) -> gast.expr:
        """`kernels.strong_product(-t, b)` as `-kernels.strong_product(g, a, b)`, where t is the strong product of g, a.

        Both then test g, which LLVM does once.
        """
        if not self.is_product_of_numbers(node):
            return node
        first, right = node.args
        is_negative = isinstance(first, gast.UnaryOp) and isinstance(first.op, gast.USub)
        inner = first.operand if is_negative else first
        held = known.products.get(inner.id) if isinstance(inner, gast.Name) else inner
        if held is None or not self.is_product_of_numbers(held):
            return node
        made = call(STRONG_PRODUCT, *map(clone, held.args), right)
        return gast.UnaryOp(op=gast.USub(), operand=made) if is_negative else made

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
    match node:
        case gast.Call(func=function, args=[left, right]) if dotted_path(function) == STRONG_PRODUCT:
            factors = _without_root([*_factors(left), right], known)
            if factors is None or len(factors) == 1:
                return node
            if factors[-1] is not right:  # a slope `c * s`, finite wherever x is, where `c / s` was not
                return _product(factors)
            return call(STRONG_PRODUCT, _product(factors[:-1]), right)
    factors = _without_root(_factors(node), known)
    return node if factors is None else _product(factors)


def _without_root(factors: list[gast.expr], known: _Known) -> list[gast.expr] | None:
    """The factors without x, and with `c * s` in place of `c / s`, where s is the square root of x; None if there is no
    such pair.
    """
    for k, each in enumerate(factors):
        is_division = isinstance(each, gast.BinOp) and isinstance(each.op, gast.Div)
        is_quotient = is_division and notes_of(each).of_rule and isinstance(each.right, gast.Name)
        for other in factors if is_quotient else ():
            root = isinstance(other, gast.Name) and {
                known.name(call(f"{module}.sqrt", other)) for module in ("np", "math")
            }
            if root and each.right.id in root:
                made = binary(each.left, gast.Mult, each.right)
                return [made if n == k else one for n, one in enumerate(factors) if one is not other]
    return None


def _product(factors: list[gast.expr]) -> gast.expr:
    return reduce(lambda one, two: binary(one, gast.Mult, two), factors)


def _factors(node: gast.expr) -> list[gast.expr]:
    match node:
        case gast.BinOp(left=left, op=gast.Mult(), right=right):
            return [*_factors(left), *_factors(right)]
    return [node]


def _inverse(division: gast.expr, divisor: gast.expr) -> gast.expr:
    """A reciprocal, computed by the same kind of division."""
    if isinstance(division, gast.Call) and dotted_path(division.func) != STRONG_QUOTIENT:
        return call("np.divide", const(1.0), divisor)
    return binary(const(1.0), gast.Div, divisor)


def _divisor(inverse: gast.expr) -> str:
    operands = _operands(inverse)
    assert operands is not None
    return str(operands[1].id)


def _learn_inverse(inverse: gast.expr, name: str, known: _Known) -> None:
    """Record a reciprocal; one that has raised no exception is that of `np.divide` as well."""
    known.learn(inverse, name)
    known.learn(_quiet(inverse), name)


def _quiet(inverse: gast.expr) -> gast.expr:
    return call("np.divide", const(1.0), load(_divisor(inverse)))


def _is_literal(node: gast.expr) -> bool:
    value = constant(node)
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value != 0
