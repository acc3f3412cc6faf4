"""Shared partial derivatives: reuse function values that the primal computes already, such as a rotation's cosine.

    c = np.cos(t)                           t_bar += s_bar * np.cos(t)                  t_bar += s_bar * c
    s = np.sin(t)               had         t_bar -= c_bar * np.sin(t)      has         t_bar -= c_bar * s

Names of core form are assigned once, so a name has the same value anywhere in the same iteration. Whether that value is
recorded or recomputed is decided as for any other name.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast
from numba import types as nb

from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import Block, dotted_path, load, walk_statements

SHARED = {
    f"{module}.{name}" for module in ("np", "math") for name in ("sin", "cos", "sinh", "cosh", "exp", "log", "sqrt")
}


class Twins:
    """The scalar function values that a function computes, by expression."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[str, list[gast.Assign]] = {}
        for statement, name, value in _functions(program.unit.tree.body):
            is_number = isinstance(program.types.get(name), nb.Float)
            if is_number and program.flow.single(name) is statement and self.is_fixed(value.args[0]):
                self.known.setdefault(gast.dump(value), []).append(statement)

    def is_fixed(self, argument: gast.expr) -> bool:
        """Whether an argument is a name with a single value in each iteration."""
        flow = self.program.flow
        if not isinstance(argument, gast.Name):
            return False
        is_given = argument.id in flow.parameters and not flow.stores.get(argument.id)
        return is_given or flow.single(argument.id) is not None

    def named(self, code: Block, statement: gast.stmt) -> Block:
        """Replace function values by names that hold them, in the statements that reverse `statement`."""
        if not self.known:
            return code
        replace = _Names(self, statement)
        return [replace.visit(each) for each in code]

    def name(self, value: gast.Call, statement: gast.stmt) -> str | None:
        """The name that holds a value where a statement is reversed, or None."""
        flow = self.program.flow
        here = flow.spot(statement)
        for made in self.known.get(gast.dump(value), ()):
            there = flow.spot(made)
            is_around = here.way[: len(there.way)] == there.way
            if is_around and (there.number < here.number or there.way == here.way):
                return str(made.targets[0].id)
        return None


def _functions(block: Block) -> Iterator[tuple[gast.Assign, str, gast.Call]]:
    for statement in walk_statements(block):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(args=[_], keywords=[]) as value):
                if dotted_path(value.func) in SHARED:
                    yield statement, name, value


class _Names(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, twins: Twins, statement: gast.stmt) -> None:
        self.twins, self.statement = twins, statement

    def visit_Call(self, node: gast.Call) -> gast.expr:
        name = self.twins.name(node, self.statement) if len(node.args) == 1 and not node.keywords else None
        return load(name) if name is not None else self.generic_visit(node)
