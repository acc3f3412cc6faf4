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

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

import gast

from srcad.names import Names
from srcad.refusals.types_and_results import MAY_BE_NONE
from srcad.transforms.analysis.dataflow import Forward, closure, fixed_point
from srcad.transforms.inference.type_inference import as_written
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    branch,
    call,
    const,
    load,
    place_of,
    rewrite,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.side_effects import reads
from srcad.transforms.lowering.desugaring.structured_exits import NO_VALUE
from srcad.transforms.normalise.ssa import unset


def with_flags(code: Code) -> Code:
    """Replace values that are None on some paths only, in a function in SSA form."""
    unit = code.unit
    if not any(_is_none(getattr(each, "value", None)) for each in _assignments(code.body)):
        return code
    tree, names = unit.copy_tree(), unit.names.copy()
    # Which names may be None depends on others that may be.
    found = fixed_point(partial(_may_be_none, tree.body), frozenset[str]())
    chosen = found - _always_none(tree.body)
    if not chosen:
        return code
    flags = {name: names.fresh(f"{name}_given") for name in sorted(chosen)}
    tree.body = rewrite(tree.body, _Writer(tree.body, found, flags, names).written)
    return code.with_unit(unit.with_tree(tree, names=names))


def _may_be_none(body: Block, known: frozenset[str]) -> frozenset[str]:
    """The names that may be None if those that are `known` to may be."""
    values = _Values(body, known)
    before = values.solve(body, _NOTHING).before
    return known | {
        str(written(each)) for each in _assignments(body) if values.may_be_none(each.value, before.get(each, _NOTHING))
    }


@dataclass(frozen=True)
class _State:
    """The names that certainly hold a value here, and those that are certainly None."""

    given: frozenset[str] = frozenset()
    empty: frozenset[str] = frozenset()


_NOTHING = _State()


class _Values(Forward[_State]):
    """What names certainly hold; `known` are those that may be None, `checked` those whose reads are checked."""

    def __init__(self, body: Block, known: Collection[str], checked: Collection[str] = ()) -> None:
        self.known, self.checked = known, checked
        stores: dict[str, list[gast.Assign]] = {}
        for each in _assignments(body):
            stores.setdefault(str(written(each)), []).append(each)
        self.values = {name: each[0].value for name, each in stores.items() if len(each) == 1}

    def join(self, one: _State, other: _State) -> _State:
        return _State(one.given & other.given, one.empty & other.empty)

    def arm(self, statement: gast.If | gast.While, holds: bool, state: _State) -> _State:
        compared = self.compared(statement.test)
        if compared is None:
            return state
        name, is_none = compared
        if is_none == holds:
            return _State(state.given, state.empty | {name})
        return _State(state.given | {name}, state.empty)

    def transfer(self, statement: gast.stmt, state: _State) -> _State:
        given, empty = state.given.union(self.unchecked(statement, state)), state.empty
        if not isinstance(statement, gast.Assign) or not written(statement):
            return _State(given, empty)
        name = {str(written(statement))}
        return _State(
            given - name if self.may_be_none(statement.value, state) else given | name,
            empty | name if self.is_none(statement.value, state) else empty - name,
        )

    def unchecked(self, statement: gast.stmt, state: _State) -> list[str]:
        """The names that are to be checked before a statement: it reads them other than to copy or compare them."""
        value = getattr(statement, "value", None)
        is_copy = isinstance(value, gast.Name) and written(statement) is not None
        is_test = isinstance(value, gast.Compare) and self.compared(value) is not None
        return [] if is_copy or is_test else sorted({*reads(statement)} & {*self.checked} - state.given)

    def is_none(self, value: gast.expr, state: _State) -> bool:
        """Whether a value is certainly None."""
        return value.id in state.empty if isinstance(value, gast.Name) else _is_none(value)

    def may_be_none(self, value: gast.expr, state: _State) -> bool:
        """Whether a value may be None."""
        if isinstance(value, gast.Name):
            return value.id in self.known and value.id not in state.given
        return _is_none(value)

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


class _Writer:
    """Writes the flags, and the checks of names that are read."""

    def __init__(self, body: Block, known: Collection[str], flags: dict[str, str], names: Names) -> None:
        self.flags, self.names = flags, names
        self.values = _Values(body, known, flags)
        self.before = self.values.solve(body, _NOTHING).before

    def written(self, statement: gast.stmt) -> Block:
        """The statements that replace a statement."""
        state = self.before.get(statement, _NOTHING)
        checks = [each for name in self.values.unchecked(statement, state) for each in self.check(name, statement)]
        name = written(statement)
        is_flagged = isinstance(statement, gast.Assign) and name is not None
        return [*checks, *(self.stored(statement, str(name), state) if is_flagged else [statement])]

    def check(self, name: str, statement: gast.stmt) -> Block:
        """A check that a name holds a value."""
        place = place_of(statement)
        if isinstance(statement, (gast.If, gast.While)):
            raise MAY_BE_NONE.at(place, name=as_written(f"'{name}'", place))
        missing = self.names.temporary()
        said = NO_VALUE if isinstance(statement, gast.Return) else as_written(f"'{name}' is None", place)
        error = gast.Raise(exc=call("TypeError", const(said)), cause=None)
        at(error, place)
        flag = gast.UnaryOp(op=gast.Not(), operand=load(self.flags[name]))
        return [assign(missing, flag, place), branch(load(missing), [error], [], place)]

    def stored(self, statement: gast.Assign, name: str, state: _State) -> Block:
        """The statements that replace an assignment."""
        may_be, value = self.values.may_be_none(statement.value, state), statement.value
        compared = self.values.compared(value) if isinstance(value, gast.Compare) else None
        if compared is not None and compared[0] in self.flags:
            flag = load(self.flags[compared[0]])
            statement.value = gast.UnaryOp(op=gast.Not(), operand=flag) if compared[1] else flag
        if name not in self.flags:
            return [statement]
        place, flag = place_of(statement), self.flags[name]
        if self.values.is_none(value, state):
            return [unset(name), assign(flag, const(False), place)]
        source = value.id if may_be and isinstance(value, gast.Name) else None
        return [statement, assign(flag, const(True) if source is None else load(self.flags[source]), place)]


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
