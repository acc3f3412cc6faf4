"""Index sets of branches that a call does not take: what they would have their results depend on.

    if c:                      y_other = 0
        y = x[i + 1]           t = i + 1
                               y_other = index_sets.unite(sets, y_other, index_sets.peek(x_set, (t,)))
                               if c: ...
                               y_set = index_sets.unite(sets, y_set, y_other)

Both arms of a branch whose condition depends on the argument are gone through for sets alone, before it. Of their
values only integers are computed, by sums, differences and products. An element whose place is not known so stands for
all elements; one outside of the array has the empty set. Sets only grow there, and what a store replaces is kept. Loops
with other bounds, and arrays that are made in such a branch, are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gast
from numba import types as nb

from srcad.refusals.names_and_functions import NO_FORWARD_RULE
from srcad.transforms.analysis.liveness import carried_names, liveness, stored_certainly
from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    clone,
    const,
    effect,
    inner_blocks,
    load,
    names_in,
    place_of,
    rewrite_names,
    subscript,
    tuple_of,
    walk_statements,
    written,
)

if TYPE_CHECKING:
    from srcad.transforms.sweeps.index_set_mode import IndexSets

_COMPUTED = (gast.Add, gast.Sub, gast.Mult)  # of integers, safe whatever their values are


def depends_on_values(block: Block, is_active: Any) -> set[str]:
    """The names whose values depend on active ones, directly or by the branch in which they are assigned."""
    found: set[str] = set()
    while True:
        before = len(found)
        for statement in walk_statements(block):
            reads = set(names_in(getattr(statement, "value", None)))
            if any(is_active(name) or name in found for name in reads):
                found.add(str(written(statement)))
            if isinstance(statement, gast.If) and set(names_in(statement.test)) & found:
                found |= {str(written(each)) for arm in inner_blocks(statement) for each in walk_statements(arm)}
        if len(found) == before:
            return found


@dataclass(frozen=True)
class Flow:
    """What is known of a branch: the names that are live before and after it, and those that each path stores."""

    before: frozenset[str]
    after: frozenset[str]
    stored: frozenset[str]


def flow_of_branches(block: Block) -> dict[gast.stmt, Flow]:
    """The flow around each branch."""
    live = liveness(block)
    found = {}
    for each in walk_statements(block):
        if isinstance(each, gast.If):
            ends = frozenset(live.before.get(each, ())), frozenset(live.after.get(each, ()))
            found[each] = Flow(*ends, stored_certainly([each]))
    return found


def both_arms(branch: gast.If, flow: Flow, mode: IndexSets) -> Block:
    """The branch, with the sets of both arms united; stores in the arms add to the sets that they replace."""
    shadow = _Shadow(mode, flow)
    first = [code for arm in (branch.body, branch.orelse) for code in shadow.arm(arm)]
    out = [name for name in shadow.others if name in flow.after]
    kept = {name: mode.names.fresh(f"{name}_before") for name in out if name not in flow.stored}
    begin = [assign(other, const(0)) for other in shadow.others.values()]
    begin += [assign(before, load(mode.dot(name))) for name, before in kept.items()]
    for statement in walk_statements([branch]):
        _weaken(statement, mode)
    mode.shadows |= {*kept.values(), *shadow.others.values(), *shadow.shadows}
    after = []
    for name in out:
        parts = [mode.dot(name), shadow.others[name], *([kept[name]] if name in kept else [])]
        after.append(assign(mode.dot(name), mode.united([load(each) for each in parts])))
    return [*begin, *first, branch, *after]


def _weaken(statement: Any, mode: IndexSets) -> None:
    """Let a store of sets keep what it replaces."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base), slice=index)]) if base in mode.of_arrays:
            statement.value = mode.united([subscript(load(base), clone(index)), statement.value])


class _Shadow:
    """Goes through the statements of arms for their sets."""

    def __init__(self, mode: IndexSets, flow: Flow) -> None:
        self.mode, self.program, self.flow = mode, mode.program, flow
        self.shadows: set[str] = set()
        self.others: dict[str, str] = {}  # of numbers that the arms assign: the names of their sets here
        self.computed: dict[str, str] = {}  # of integers: the names of their values here
        self.unknown: set[str] = set()

    def arm(self, block: Block) -> Block:
        """The statements for the sets of a block that may not run: integers that it computes are not known after it."""
        kept = dict(self.computed)
        code = self.block(block)
        self.computed = kept
        self.unknown |= {str(written(each)) for each in walk_statements(block)} - self.others.keys()
        return code

    def block(self, block: Block) -> Block:
        """The statements for sets."""
        return [code for statement in block for code in self.statement(statement)]

    def statement(self, statement: Any) -> Block:
        """Those of one statement, which may already stand beside those for the sets of the arm."""
        if written(statement) in self.mode.own:
            return []
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                return self.assignment(str(name), value, statement)
            case gast.Assign(targets=[gast.Subscript() as target]) | gast.AugAssign(target=target):
                return self.store(target, statement.value) if self.program.is_active(target.value.id) else []
            case gast.If():
                return self.arms(statement)
            case gast.For(target=gast.Name(id=index), iter=gast.Call(args=bounds)) if all(map(self.is_known, bounds)):
                return self.loop(statement, str(index), bounds)
            case gast.Expr() | gast.Assert() | gast.Raise() | gast.Pass() | gast.Break():
                return []
        raise NO_FORWARD_RULE.at(place_of(statement), function="a loop of unknown length in a branch")

    def arms(self, branch: gast.If) -> Block:
        """The statements of both arms, neither of which knows the integers of the other."""
        unknown, code = set(self.unknown), []
        for arm in inner_blocks(branch):
            before = set(self.unknown)
            self.unknown = set(unknown)
            code += self.arm(arm)
            self.unknown |= before
        return code

    def loop(self, statement: Any, index: str, bounds: list[gast.expr]) -> Block:
        """A loop over the same range; integers that its iterations pass on are not known."""
        made = clone(statement)
        made.iter.args = [self.known(each) for each in bounds]
        self.unknown |= carried_names(statement.body)
        kept = dict(self.computed)
        self.unknown.discard(index)
        made.target.id = self.value(index)
        made.body = self.arm(statement.body) or [gast.Pass()]
        self.computed = kept
        self.unknown.add(index)
        return [made]

    def value(self, name: str) -> str:
        """The name of an integer's value here."""
        self.computed[name] = self.computed.get(name) or self.mode.names.fresh(name)
        self.shadows.add(self.computed[name])
        return self.computed[name]

    def assignment(self, name: str, value: gast.expr, statement: gast.stmt) -> Block:
        """`name = value`: the union with what it has here, or an integer that can be computed."""
        kind = self.program.types.get(name)
        if isinstance(kind, nb.Array):
            raise NO_FORWARD_RULE.at(place_of(statement), function="an array that is made in a branch")
        if self.program.is_active(name):
            other = self.others.setdefault(name, self.mode.names.fresh(f"{name}_other"))
            code = [assign(other, self.mode.united([load(other), self.read(value)]))]
            if not isinstance(value, (gast.Name, gast.Subscript)):
                code.append(self.mode.met(load(other), load(other), None))
            return code
        if self.is_computed(value) and isinstance(kind, (nb.Integer, nb.BaseTuple)) and name not in self.unknown:
            made = self.known(value)
            return [assign(self.value(name), made)]
        self.unknown.add(name)
        return []

    def store(self, target: gast.Subscript, value: gast.expr) -> Block:
        """`a[i] = value`: the element's set grows, or all elements' do."""
        base, found = load(self.mode.dot(target.value.id)), self.read(value)
        sets, place = load(self.mode.sets), self.place(target)
        if place is not None:
            return [effect(gast.Expr(value=call("index_sets.poke", sets, base, place, found)))]
        every = subscript(base, const(...))
        return [assign(subscript(base, const(...), store=True), self.mode.united([every, found]))]

    def read(self, value: gast.expr) -> gast.expr:
        """The union of the sets of all that an expression reads."""
        match value:
            case gast.Subscript(value=gast.Name(id=base)) if self.program.is_active(base):
                place = self.place(value)
                if place is not None:
                    return call("index_sets.peek", load(self.mode.dot(base)), place)
        parts = [self.of_name(name) for name in dict.fromkeys(names_in(value)) if self.program.is_active(name)]
        return self.mode.united(parts) if parts else const(0)

    def of_name(self, name: str) -> gast.expr:
        """The set of a number here, or of all elements of an array."""
        found = load(self.mode.dot(name))
        if self.program.types.is_array(name):
            return call("index_sets.unite_all", load(self.mode.sets), found)
        if name not in self.others:
            return found
        other = load(self.others[name])
        return self.mode.united([other, found]) if name in self.flow.before else other

    def place(self, element: gast.Subscript) -> gast.expr | None:
        """The indices of an element as a tuple, if they can be computed."""
        index = element.slice
        parts = list(index.elts) if isinstance(index, gast.Tuple) else [index]
        kind = self.program.types.get(element.value.id)
        if not isinstance(kind, nb.Array) or len(parts) != kind.ndim or not all(map(self.is_known, parts)):
            return None
        return tuple_of(*(self.known(each) for each in parts))

    def is_known(self, node: gast.expr) -> bool:
        """Whether an atom is an integer whose value can be had here."""
        if isinstance(node, gast.Name):
            return node.id not in self.unknown and isinstance(self.program.types.get(node.id), nb.Integer)
        return isinstance(node, gast.Constant) and isinstance(node.value, int)

    def is_computed(self, value: gast.expr) -> bool:
        """Whether integers can be computed here, without exceptions."""
        match value:
            case gast.BinOp(left=left, op=op, right=right):
                return isinstance(op, _COMPUTED) and self.is_known(left) and self.is_known(right)
            case gast.Attribute(value=gast.Name(id=base), attr="shape" | "size"):
                return base not in self.unknown
            case gast.Subscript(value=gast.Name(id=base), slice=gast.Constant()):
                return base not in self.unknown and isinstance(self.program.types.get(base), nb.BaseTuple)
        return self.is_known(value)

    def known(self, node: gast.expr) -> gast.expr:
        """An expression with the names of values here."""
        made = clone(node)
        rewrite_names(made, lambda name: self.computed.get(name, name))
        return made
