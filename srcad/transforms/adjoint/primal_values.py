"""Available expressions: a rule reads a value that the primal has computed, in place of computing it again.

    s = np.sin(x)           the rule of sin has np.cos(x): that is c
    c = np.cos(x)           the rule of cos has np.sin(x): that is s
    t = a <= b              the rule of minimum has a <= b: that is t

Whether the reverse sweep then has the value from a record, or computes it again after all, is decided by its cost (see
`storage`). Applies to elementary functions of one real number, and to comparisons of two.
"""

from __future__ import annotations

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.array_functions import SMOOTH
from srcad.transforms.ir.build import Block, dotted_path, load, names_in, walk_statements, written
from srcad.transforms.ir.primitive import constant

_FUNCTIONS = frozenset(name for name in SMOOTH if isinstance(getattr(np, name.removeprefix("np."), None), np.ufunc))


class PrimalValues:
    """The elementary functions and comparisons that a program computes, by function and arguments."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._found: dict[tuple[str, ...], list[gast.stmt]] = {}
        for statement in walk_statements(program.unit.tree.body):
            key = self._key(statement.value) if isinstance(statement, gast.Assign) else None
            if key is not None and program.flow.single(str(written(statement))) is statement:
                self._found.setdefault(key, []).append(statement)

    def _key(self, value: gast.expr | None) -> tuple[str, ...] | None:
        match value:
            case gast.Call(func=function, args=[gast.Name(id=name)], keywords=[]):
                path = dotted_path(function)
                if path in _FUNCTIONS and self.program.types.get(name) == nb.float64:
                    return str(path), str(name)
            case gast.Compare(ops=[op]) if all(self._is_number(each) for each in _operands(value)):
                return type(op).__name__, *(str(getattr(each, "id", constant(each))) for each in _operands(value))
        return None

    def _is_number(self, operand: gast.expr) -> bool:
        if isinstance(operand, gast.Name):
            return isinstance(self.program.types.get(operand.id), (nb.Float, nb.Integer))
        return isinstance(constant(operand), (int, float))

    def read(self, code: Block, statement: gast.stmt) -> Block:
        """The adjoint of a statement, with names of values for what the primal computes as well."""
        reader = _Reader(self, statement)
        return [reader.visit(each) for each in code] if self._found else code

    def name_of(self, value: gast.expr, statement: gast.stmt) -> str | None:
        """The name that holds a value when the statement is reversed; None if there is none."""
        key = self._key(value)
        found = self._found.get(key, []) if key is not None else []
        names = [] if value is None else [name for each in _operands(value) for name in names_in(each)]
        return next(
            (str(written(each)) for each in found if all(self._holds(each, statement, name) for name in names)), None
        )

    def _holds(self, made: gast.stmt, statement: gast.stmt, argument: str) -> bool:
        """Whether `made` runs whenever the statement does, before or after it, with the same argument."""
        flow = self.program.flow
        here, there = flow.spot(statement), flow.spot(made)
        is_around = here.way[: len(there.way)] == there.way
        if not is_around or (here.way != there.way and there.number > here.number):
            return False
        first, last = sorted([here.number, there.number])
        stores = [flow.spot(each) for each in flow.stores.get(argument, [])]
        inner = here.loops[len(there.loops) :]
        return not any(first <= each.number <= last or any(loop in each.loops for loop in inner) for each in stores)


def _operands(value: gast.expr) -> list[gast.expr]:
    return [value.left, *value.comparators] if isinstance(value, gast.Compare) else list(value.args)


class _Reader(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, values: PrimalValues, statement: gast.stmt) -> None:
        self.values, self.statement = values, statement

    def visit_Call(self, node: gast.Call) -> gast.expr:
        name = self.values.name_of(node, self.statement)
        return load(name) if name is not None else self.generic_visit(node)

    def visit_Compare(self, node: gast.Compare) -> gast.expr:
        name = self.values.name_of(node, self.statement)
        return load(name) if name is not None else self.generic_visit(node)
