"""Length checks: remove tests of the lengths of tuples and arrays that are known to hold from their types and shapes.

    t1 = x.shape
    t2 = len(t1)
    t3 = t2 != 2                   becomes    t1 = x.shape
    if t3: raise ValueError(...)

Unpacking, as in `a, b = x`, generates such a test, whatever x turns out to be.
"""

from __future__ import annotations

import gast
from numba import types as nb

from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.analysis.statement_positions import Flow, flow_of
from srcad.transforms.analysis.symbolic_shapes import Sizes
from srcad.transforms.ir.build import mentions, walk_statements, without_statements
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.unit import Unit
from srcad.transforms.lowering.desugaring.for_loops import called


def without_known_lengths(unit: Unit, types: Types) -> Unit:
    """Remove `if` statements that raise for a length other than the known one."""
    if not any(_test_of(statement) for statement in walk_statements(unit.tree.body)):
        return unit
    flow = flow_of(unit)
    lengths = _Lengths(flow, types, Sizes(unit, flow, types, _number))
    idle = {id(each) for each in walk_statements(unit.tree.body) if lengths.is_idle(each)}
    if not idle:
        return unit
    tree = unit.copy_tree()
    copies = zip(walk_statements(unit.tree.body), walk_statements(tree.body), strict=True)
    idle = {copy for original, copy in copies if id(original) in idle}
    tree.body = without_statements(tree.body, idle.__contains__)
    for _ in range(2):  # first the comparison, then the length that it compares
        count = mentions(tree.body)
        unread = {each for each in walk_statements(tree.body) if _is_unread(each, lengths.asked, count)}
        tree.body = without_statements(tree.body, unread.__contains__)
    return unit.with_tree(tree)


class _Lengths:
    def __init__(self, flow: Flow, types: Types, sizes: Sizes) -> None:
        self.flow, self.types, self.sizes = flow, types, sizes
        self.asked: set[str] = set()  # names in tests that are removed

    def is_idle(self, statement: gast.stmt) -> bool:
        """Whether the statement is a length check that is known to pass."""
        test = _test_of(statement)
        comparison = None if test is None else self.flow.definition(test)
        match comparison:
            case gast.Compare(left=gast.Name(id=name), ops=[gast.NotEq() | gast.Lt() as op], comparators=[right]):
                value = self.flow.definition(name)
                if isinstance(value, gast.Call) and called(value) == "len" and isinstance(value.args[0], gast.Name):
                    self.asked |= {str(test), name}
                    known = self.length(value.args[0].id)
                    wanted = constant(right)
                    return known is not None and (known == wanted or (isinstance(op, gast.Lt) and known > wanted))
        return False

    def length(self, name: str) -> int | None:
        """The number of elements of a tuple or array, if known."""
        kind = self.types.get(name)
        if isinstance(kind, nb.BaseTuple):
            return len(kind)
        if not isinstance(kind, nb.Array) or not kind.ndim:
            return None
        form = self.sizes.size(name, 0)
        return None if form.terms else form.constant


def _test_of(statement: gast.stmt) -> str | None:
    match statement:
        case gast.If(test=gast.Name(id=name), body=[gast.Raise()], orelse=[]):
            return str(name)
    return None


def _number(node: gast.expr | None) -> Form | None:
    value = None if node is None else constant(node)
    return Form.number(value) if type(value) is int else None


def _is_unread(statement: gast.stmt, names: set[str], count: dict[str, int]) -> bool:
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)]):
            return name in names and count[name] == 1
    return False
