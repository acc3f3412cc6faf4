"""Affine subscripts: subscripts of generated code as linear forms of loop indices, with a dependence test.

Used to decide which elements an iteration accesses, and whether other iterations access the same ones. Names are
followed through preceding assignments, `t5 = j - 1`. Subscripts that may be negative, and so count from the end of the
array, give no information: `a[j - 1]` with j from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import gast

from srcad.transforms.analysis.linear_forms import Form, infeasible
from srcad.transforms.ir.build import clone, const, names_in, walk
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_in

IsElement: TypeAlias = Callable[[str, list[gast.expr]], bool]


@dataclass(frozen=True)
class Access:
    """A read, store or addition by a statement; `forms` of the subscript, None unless it selects one element."""

    kind: str
    name: str
    forms: tuple[Form, ...] | None
    node: gast.Subscript | None = field(default=None, compare=False)


class Subscripts:
    """The facts about integers at one point of the code."""

    def __init__(self) -> None:
        self.forms: dict[str, Form] = {}
        self.least: dict[str, int] = {}
        self.facts: tuple[Form, ...] = ()  # forms of the indices of the enclosing loops that are not negative
        self.values: dict[str, gast.expr | None] = {}  # what the current loop stores

    def copy(self) -> Subscripts:
        """An independent copy of the facts."""
        other = Subscripts()
        other.forms, other.least, other.values = dict(self.forms), dict(self.least), dict(self.values)
        other.facts = self.facts
        return other

    def forget(self, names: Collection[str]) -> None:
        """Kill the facts about these names, which are stored."""
        for name in names:
            self.forms.pop(name, None)
            self.least.pop(name, None)
        gone = [each for each, form in self.forms.items() if any(symbol in names for symbol, _ in form.terms)]
        for each in gone:
            del self.forms[each]
        self.facts = tuple(each for each in self.facts if not any(symbol in names for symbol, _ in each.terms))

    def learn(self, statement: gast.stmt) -> None:
        """Update the facts for a simple statement."""
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                form = self.form(value)
                self._stored(name)
                if form is not None and not form.coefficient(name):
                    self.forms[name] = form
                    self.values[name] = value
            case gast.AugAssign(target=gast.Name(id=name)):
                self._stored(name)

    def _stored(self, name: str) -> None:
        self.forget([name])
        gone = [each for each, value in self.values.items() if value is not None and name in names_in(value)]
        self.values |= dict.fromkeys([name, *gone])

    @staticmethod
    def step(loop: gast.For) -> gast.expr:
        """The step of a loop's index."""
        return loop.iter.args[2] if len(loop.iter.args) == 3 else const(1)

    def inside(self, loop: gast.For) -> Subscripts:
        """The facts in the body of a loop."""
        found = self.copy()
        index, step, args = loop.target.id, constant(self.step(loop)), loop.iter.args
        found.forget([index])
        found.forms[index] = Form.of(index)
        found.facts += tuple(each for each in self._limits(loop) if not each.symbols & stored_in(loop.body))
        low = constant(args[0]) if len(args) > 1 else 0
        if isinstance(step, int) and step < 0:
            stop = constant(args[1])
            low = stop + 1 if isinstance(stop, int) else None
        if isinstance(low, int):
            found.least[index] = low
        return found

    def _limits(self, loop: gast.For) -> tuple[Form, ...]:
        """The bounds of a loop's index, as forms that are not negative."""
        args, step, index = loop.iter.args, constant(self.step(loop)), Form.of(loop.target.id)
        if not isinstance(step, int) or step == 0:
            return ()
        start, stop = (self.form(each) for each in (args if len(args) > 1 else [const(0), *args])[:2])
        sign = 1 if step > 0 else -1
        known = [each for each in (start, stop) if each is not None and loop.target.id not in each.symbols]
        return tuple(
            (index - each).scaled(sign) if each is start else (each - index).scaled(sign) - 1 for each in known
        )

    def begin(self, stored: Collection[str]) -> None:
        """Restrict the facts to one iteration of a loop that stores these names."""
        self.forget(stored)
        self.values = dict.fromkeys(stored)

    def form(self, node: gast.expr) -> Form | None:
        """The linear form of an integer expression."""
        value = constant(node)
        if isinstance(value, int) and not isinstance(value, bool):
            return Form.number(value)
        match node:
            case gast.Name(id=name):
                return None if name in self.values and name not in self.forms else self.forms.get(name, Form.of(name))
            case gast.BinOp(left=left, op=gast.Add() | gast.Sub() as op, right=right):
                one, other = self.form(left), self.form(right)
                if one is None or other is None:
                    return None
                return one + other if isinstance(op, gast.Add) else one - other
            case gast.BinOp(left=left, op=gast.Mult(), right=right):
                for factor, other in ((constant(left), right), (constant(right), left)):
                    form = self.form(other)
                    if isinstance(factor, int) and not isinstance(factor, bool) and form is not None:
                        return form.scaled(factor)
        return None

    def is_natural(self, form: Form) -> bool:
        """Whether a form cannot be negative, given the least values of loop indices."""
        if any(factor < 0 or symbol not in self.least for symbol, factor in form.terms):
            return False
        return form.constant + sum(factor * self.least[symbol] for symbol, factor in form.terms) >= 0

    def differ(self, one: Form, other: Form) -> bool:
        """Whether two subscripts differ, for all values of the enclosing loops' indices."""
        if not (self.is_never_negative(one) and self.is_never_negative(other)):
            return False
        apart = one - other
        if not apart.terms:
            return apart.constant != 0
        return infeasible([*self.facts, apart]) or infeasible([*self.facts, apart.scaled(-1)])

    def is_never_negative(self, form: Form) -> bool:
        """Whether a form cannot be negative, given all facts about the enclosing loops."""
        return self.is_natural(form) or infeasible([*self.facts, form.scaled(-1) - 1])

    def resolved(self, index: gast.expr) -> gast.expr | None:
        """A subscript in terms of the loop's index and names that the loop does not store; None if impossible."""
        if isinstance(index, gast.Tuple):
            parts = [self.resolved(part) for part in index.elts]
            whole = gast.Tuple(elts=parts, ctx=gast.Load())
            return None if any(part is None for part in parts) else whole
        match index:
            case gast.Name(id=name) if name in self.values:
                value = self.values[name]
                return None if value is None else self.resolved(value)
            case gast.BinOp(left=left, op=gast.Add() | gast.Sub() as op, right=right):
                one, other = self.resolved(left), self.resolved(right)
                return None if one is None or other is None else gast.BinOp(left=one, op=op, right=other)
        return clone(index) if isinstance(index, gast.Name) or isinstance(constant(index), int) else None

    def advances(self, own: Access, index: str) -> bool:
        """Whether different iterations access different elements."""
        assert own.forms is not None
        return any(abs(form.coefficient(index)) == 1 and self.is_natural(form) for form in own.forms)

    def later(self, own: Access, at: int, other: Access, where: int, index: str, forward: bool) -> bool:
        """Dependence test: whether the element of one access may be accessed by the other later on.

        Later means in the same iteration, or in a later one. `at` and `where` are the positions of their statements in
        the loop's body.
        """
        if own.name != other.name or own.forms is None or other.forms is None or len(own.forms) != len(other.forms):
            return True
        ahead: int | None = None
        for one, two in zip(own.forms, other.forms, strict=True):
            factor, apart = one.coefficient(index), two - one
            if two.coefficient(index) != factor or apart.terms or not (self.is_natural(one) and self.is_natural(two)):
                continue
            if not factor:
                if apart.constant:
                    return False
                continue
            distance, rest = divmod(-apart.constant, factor)
            if rest or (ahead is not None and ahead != distance):
                return False
            ahead = distance
        if ahead is None:
            return True
        return where > at if ahead == 0 else (ahead > 0) == forward


def accesses(statement: gast.stmt, at: Subscripts, is_element: IsElement) -> Iterator[Access]:
    """The accesses of a simple statement; `is_element` tells whether a subscript selects one element."""
    match statement:
        case gast.AugAssign(target=gast.Name(id=name)):
            yield Access("store", name, None)
        case gast.AugAssign(target=gast.Subscript() as target, op=op):
            kind = "add" if isinstance(op, (gast.Add, gast.Sub)) else "store"
            yield _access(kind, target, at, is_element)
        case gast.Assign(targets=[gast.Subscript() as target]):
            yield _access("store", target, at, is_element)
    bases = set()
    for node in walk(statement.value):
        if isinstance(node, gast.Subscript):
            bases.add(id(node.value))
            yield _access("read", node, at, is_element)
        elif isinstance(node, gast.Name) and id(node) not in bases:
            yield Access("read", node.id, None)


def _access(kind: str, node: gast.Subscript, at: Subscripts, is_element: IsElement) -> Access:
    name = node.value.id if isinstance(node.value, gast.Name) else next(iter(names_in(node.value)), "")
    parts = list(node.slice.elts) if isinstance(node.slice, gast.Tuple) else [node.slice]
    forms = [at.form(part) for part in parts]
    if not isinstance(node.value, gast.Name) or None in forms or not is_element(name, parts):
        return Access(kind, name, None)
    return Access(kind, name, tuple(form for form in forms if form is not None), node)
