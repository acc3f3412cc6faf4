"""Type-decided branches: remove branches whose tests are decided by ranks or known numbers, and orders of copies.

    def f(x):                           # x a vector
        if np.ndim(x) == 2:                             y = np.sum(x)
            y = np.sum(x @ x)           becomes
        else:
            y = np.sum(x)

Applies to types inferred by Numba, which hold for all calls; observed ranks may differ at the next call. A copy in C
order of what is in C order is `np.copy`, which passes know.
"""

from __future__ import annotations

import math

import gast
import numpy as np
from numba import types as nb

from srcad.runtime import kernels
from srcad.runtime.jit.numba_inference import CannotType
from srcad.transforms.analysis.statement_positions import Flow, flow_of
from srcad.transforms.inference.type_inference import types_of, types_of_part, without_unreached
from srcad.transforms.ir.build import dotted, dotted_path, inner_blocks, is_exit, rewrite, walk_statements
from srcad.transforms.ir.constant_conditions import UNKNOWN, computed
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.unit import Unit


def without_decided(unit: Unit, types: Types, asked: dict[str, object] | None = None) -> Unit:
    """Replace each branch whose test is known by the arm that is taken; `asked` gets the ranks that were looked up."""
    tests = [each for each in walk_statements(unit.tree.body) if isinstance(each, gast.If)]
    if not tests:
        return unit
    decider = _Decider(unit, types, flow_of(unit), {} if asked is None else asked)
    if all(decider.arm(each) is None for each in tests):
        return unit
    tree = unit.copy_tree()
    copies = zip(walk_statements(unit.tree.body), walk_statements(tree.body), strict=True)
    arms = {copy: arm for original, copy in copies if (arm := decider.arm(original)) is not None}
    tree.body = rewrite(tree.body, lambda each: inner_blocks(each)[arms[each]] if each in arms else [each])
    return without_decided(unit.with_tree(tree), types, asked)  # a name with two meanings may have one now


def with_plain_copies(unit: Unit, types: Types) -> Unit:
    """`kernels.copy_in_c_order(x)` as `np.copy(x)` where this keeps the C order of x."""

    def is_plain(statement: gast.stmt) -> bool:
        match getattr(statement, "value", None):
            case gast.Call(args=[gast.Name(id=name)]) as node:
                kind = types.get(name)
                # A copy of a vector that Numba knows as part of a matrix in Fortran's order has that order for Numba.
                is_in_order = isinstance(kind, nb.Array) and kind.layout in ("CA" if kind.ndim < 2 else "C")
                return is_in_order and primitive_of(node, unit.bindings) is kernels.copy_in_c_order
        return False

    if unit.bindings.get("np") is not np or not any(is_plain(each) for each in walk_statements(unit.tree.body)):
        return unit
    tree = unit.copy_tree()
    for statement in walk_statements(tree.body):
        if is_plain(statement):
            statement.value.func = dotted("np.copy")
    return unit.with_tree(tree)


def decided_before_typing(unit: Unit, kinds: tuple[nb.Type, ...]) -> tuple[Unit, Types] | None:
    """The unit without branches that ranks decide, and its types, where Numba cannot type the whole unit.

        if np.ndim(x) == 2:             # x a matrix
            y = np.expand_dims(x, 2)                    y = np.expand_dims(x, 2)
        else:                           becomes
            y = x[0, 0, 0]              # Numba cannot type this for a matrix

    The ranks are those found by an inference that goes on after errors. None if they decide nothing, if the rest cannot
    be typed either, or if one of them turns out to be another.
    """
    asked: dict[str, object] = {}
    while True:
        less = without_decided(unit, types_of_part(unit, kinds), asked)
        if less is unit:
            return None
        unit = less
        try:
            types = types_of(unit, kinds)
        except CannotType:
            continue
        same = all(asked.get(name, rank_of(kind)) == rank_of(kind) for name, kind in types.of.items())
        return (without_unreached(unit, types), types) if same else None


def rank_of(kind: nb.Type) -> object:
    """The number of dimensions of an array or a number; UNKNOWN for other types."""
    return kind.ndim if isinstance(kind, nb.Array) else 0 if isinstance(kind, (nb.Number, nb.Boolean)) else UNKNOWN


class _Decider:
    def __init__(self, unit: Unit, types: Types, flow: Flow, asked: dict[str, object]) -> None:
        self.unit, self.types, self.flow, self.asked = unit, types, flow, asked

    def arm(self, statement: gast.stmt) -> int | None:
        """The arm of a branch that is always taken, 0 or 1; None if unknown, or if that arm leaves a loop or raises."""
        if not isinstance(statement, gast.If) or is_exit(statement):
            return None
        known = self.value(statement.test)
        if not isinstance(known, bool):
            return None
        arm = 0 if known else 1
        stops = any(isinstance(each, (gast.Break, gast.Raise)) for each in inner_blocks(statement)[arm])
        return None if stops else arm

    def value(self, node: gast.expr | None) -> object:
        """The value of an expression if it is known, or UNKNOWN."""
        match node:
            case gast.Constant(value=value):
                return value
            case gast.Name(id=name):
                return self.value(self.flow.definition(name))
            case gast.Attribute(value=gast.Name(id=name), attr="ndim"):
                return self.rank(name)
            case gast.Attribute(attr="inf") if self.of_numpy(node) == "inf":
                return math.inf
            case gast.UnaryOp(op=gast.USub(), operand=operand) if self.of_numpy(operand) == "inf":
                return -math.inf
            case gast.Call(func=function, args=[gast.Constant(value=int() | float() | complex())], keywords=[]):
                return 0 if self.of_numpy(function) == "ndim" else UNKNOWN
            case gast.Call(func=function, args=[gast.Name(id=name)], keywords=[]):
                if self.of_numpy(function) == "ndim":
                    return self.rank(name)
                kind, is_len = self.types.get(name), dotted_path(function) == "len" and "len" not in self.unit.bindings
                return len(kind) if is_len and isinstance(kind, nb.BaseTuple) else UNKNOWN
            case gast.Compare(
                left=gast.Name(id=name),
                ops=[gast.Is() | gast.IsNot() as op],
                comparators=[gast.Constant(value=bool() | None)],
            ) if self.types.is_array(name) or isinstance(self.types.get(name), nb.Number):
                return isinstance(op, gast.IsNot)
            case gast.expr():
                return computed(node, self.value)
        return UNKNOWN

    def rank(self, name: str) -> object:
        kind = self.types.get(name)
        if kind is None:
            return UNKNOWN
        self.asked[name] = rank_of(kind)
        return self.asked[name]

    def of_numpy(self, node: gast.expr) -> str | None:
        """The name of a member of NumPy, or None."""
        module, _, name = (dotted_path(node) or "").rpartition(".")
        return name if module and self.unit.bindings.get(module) is np else None
