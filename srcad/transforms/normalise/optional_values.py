"""Optional values: a name that is None on some paths gets a flag that tells whether it holds a value.

    state = None                            state = <nothing yet>; state_given = False
    for i in range(n):                      for i in range(n):
        t = state is None         becomes       t = not state_given
        if t:                                   if t:
            state_2 = np.zeros(3)                   state_2 = np.zeros(3)
        else:                                   else:
            state_2 = state                         state_2 = state
        state = np.tanh(state_2)                state = np.tanh(state_2); state_given = True

So every name has one type. Where a name is read that may be None, other than in a comparison, a TypeError is raised.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import gast

from srcad.names import Names
from srcad.refusals.types_and_results import MAY_BE_NONE
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.inference.type_inference import as_written
from srcad.transforms.ir.build import (
    Block,
    assign,
    branch,
    call,
    const,
    load,
    place_of,
    reads,
    walk_statements,
    written,
)
from srcad.transforms.ir.unit import Unit
from srcad.transforms.lowering.desugaring.structured_exits import NO_VALUE
from srcad.transforms.normalise.ssa import unset


def with_flags(unit: Unit) -> Unit:
    """Replace values that are None on some paths only, in a unit in SSA form."""
    if not any(_is_none(getattr(each, "value", None)) for each in _assignments(unit.tree.body)):
        return unit
    tree, names = unit.copy_tree(), unit.names.copy()
    flags: dict[str, str] = {}
    found: set[str] = set()
    while True:  # fixed point: which names may be None depends on others that may be
        walker = _Walker(tree.body, found)
        walker.block(tree.body, _State())
        if walker.found == found:
            break
        found = walker.found
    chosen = found - _always_none(tree.body)
    if not chosen:
        return unit
    flags = {name: names.fresh(f"{name}_given") for name in sorted(chosen)}
    tree.body = _Writer(tree.body, found, flags, names).block(tree.body, _State())
    return unit.with_tree(tree, names=names)


@dataclass
class _State:
    """The names that certainly hold a value here, and those that are certainly None."""

    given: set[str] = field(default_factory=set)
    empty: set[str] = field(default_factory=set)

    def copy(self) -> _State:
        return _State(set(self.given), set(self.empty))

    def without(self, names: set[str]) -> _State:
        return _State(self.given - names, self.empty - names)

    def meet(self, other: _State) -> None:
        self.given &= other.given
        self.empty &= other.empty


class _Walker:
    """Follows all paths; `found` collects the names that may be None."""

    def __init__(self, body: Block, known: set[str]) -> None:
        self.known, self.found = known, set(known)
        stores: dict[str, list[gast.Assign]] = {}
        for each in _assignments(body):
            stores.setdefault(str(written(each)), []).append(each)
        self.values = {name: each[0].value for name, each in stores.items() if len(each) == 1}

    def block(self, block: Block, state: _State) -> Block:
        """The rewritten block; `state` becomes the state at its end."""
        result: Block = []
        for statement in block:
            result += self.statement(statement, state)
        return result

    def statement(self, statement: gast.stmt, state: _State) -> Block:
        before = self.before(statement, state)
        match statement:
            case gast.If():
                arms = [self.arm(statement.test, sense, state) for sense in (True, False)]
                statement.body = self.block(statement.body, arms[0])
                statement.orelse = self.block(statement.orelse, arms[1])
                ends = [isinstance(arm[-1], gast.Raise) if arm else False for arm in (statement.body, statement.orelse)]
                left, right = (arms[1], arms[1]) if ends[0] else (arms[0], arms[0]) if ends[1] else arms
                left.meet(right)
                state.given, state.empty = left.given, left.empty
                return [*before, statement]
            case gast.For() | gast.While():
                stored = {str(written(each)) for each in _assignments(statement.body)}
                state.given, state.empty = state.given - stored, state.empty - stored
                statement.body = self.block(statement.body, state.copy())
                return [*before, statement]
            case gast.Assign(targets=[gast.Name(id=name)]):
                return [*before, *self.assigned(statement, name, state)]
        return [*before, statement]

    def assigned(self, statement: gast.Assign, name: str, state: _State) -> Block:
        is_empty, may_be = self.holds(statement.value, state)
        made = self.stored(statement, name, is_empty, may_be)
        for held, is_so in ((state.empty, is_empty), (state.given, not may_be)):
            held.discard(name)
            held.update({name} if is_so else ())
        return made

    def holds(self, value: gast.expr, state: _State) -> tuple[bool, bool]:
        """Whether a value is certainly None, and whether it may be."""
        if isinstance(value, gast.Name):
            return value.id in state.empty, value.id in self.known and value.id not in state.given
        return _is_none(value), _is_none(value)

    def arm(self, test: gast.expr, sense: bool, state: _State) -> _State:
        """The state in one arm of a branch."""
        inner = state.copy()
        compared = self.compared(test)
        if compared is not None:
            name, is_none = compared
            (inner.empty if is_none == sense else inner.given).add(name)
        return inner

    def compared(self, test: gast.expr | None) -> tuple[str, bool] | None:
        """The name that a test compares with None, and whether the test is true for None."""
        match test:
            case gast.Name(id=name):
                return self.compared(self.values.get(name))
            case gast.UnaryOp(op=gast.Not(), operand=operand):
                inner = self.compared(operand)
                return None if inner is None else (inner[0], not inner[1])
            case gast.Compare(left=gast.Name(id=name), ops=[op], comparators=[other]) if _is_none(other):
                is_known = name in self.known and isinstance(op, (gast.Is, gast.IsNot, gast.Eq, gast.NotEq))
                return (name, isinstance(op, (gast.Is, gast.Eq))) if is_known else None
        return None

    def before(self, statement: gast.stmt, state: _State) -> Block:
        """Statements to insert before a statement."""
        return []

    def stored(self, statement: gast.Assign, name: str, is_empty: bool, may_be: bool) -> Block:
        """The statements that replace an assignment."""
        if may_be:
            self.found.add(name)
        return [statement]


class _Writer(_Walker):
    """Writes the flags."""

    def __init__(self, body: Block, known: set[str], flags: dict[str, str], names: Names) -> None:
        super().__init__(body, known)
        self.flags, self.names = flags, names

    def before(self, statement: gast.stmt, state: _State) -> Block:
        value = getattr(statement, "value", None)
        is_copy = isinstance(value, gast.Name) and written(statement) is not None
        is_test = isinstance(value, gast.Compare) and self.compared(value) is not None
        code: Block = []
        for name in sorted(({*reads(statement)} & self.flags.keys()) - state.given):
            if is_copy or is_test:
                continue
            place = place_of(statement)
            if isinstance(statement, (gast.If, gast.While)):
                raise MAY_BE_NONE.at(place, name=as_written(f"'{name}'", place))
            missing = self.names.temporary()
            said = NO_VALUE if isinstance(statement, gast.Return) else as_written(f"'{name}' is None", place)
            error = gast.Raise(exc=call("TypeError", const(said)), cause=None)
            error.place = place
            code.append(assign(missing, gast.UnaryOp(op=gast.Not(), operand=load(self.flags[name])), place))
            code.append(branch(load(missing), [error], [], place))
            state.given.add(name)
        return code

    def stored(self, statement: gast.Assign, name: str, is_empty: bool, may_be: bool) -> Block:
        compared = self.compared(statement.value) if isinstance(statement.value, gast.Compare) else None
        if compared is not None and compared[0] in self.flags:
            flag = load(self.flags[compared[0]])
            statement.value = gast.UnaryOp(op=gast.Not(), operand=flag) if compared[1] else flag
        if name not in self.flags:
            return [statement]
        place, flag = place_of(statement), self.flags[name]
        if is_empty:
            return [unset(name), assign(flag, const(False), place)]
        source = statement.value.id if may_be and isinstance(statement.value, gast.Name) else None
        if source is None:
            return [statement, assign(flag, const(True), place)]
        return [statement, assign(flag, load(self.flags[source]), place)]


def _assignments(block: Block) -> list[gast.Assign]:
    return [each for each in walk_statements(block) if isinstance(each, gast.Assign) and written(each)]


def _is_none(value: gast.AST | None) -> bool:
    return isinstance(value, gast.Constant) and value.value is None


def _always_none(block: Block) -> set[str]:
    """The names that are only ever assigned None."""
    copies: dict[str, list[str]] = {}
    given: set[str] = set()
    for each in _assignments(block):
        name = str(written(each))
        if isinstance(each.value, gast.Name):
            copies.setdefault(each.value.id, []).append(name)
        elif not _is_none(each.value):
            given.add(name)
    names = {str(written(each)) for each in _assignments(block)}
    given |= copies.keys() - names  # parameters
    return names - closure(given, lambda name: copies.get(name, ())).keys()
