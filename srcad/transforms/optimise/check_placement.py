"""Check placement: checks of extents that are proved by now go, and the others move up again.

    h = np.empty((n, m))                                h = np.empty((n, m))
    for i in range(n):                                  for i in range(n):
        for j in range(m):                                  for j in range(m):
            h[i, j] = np.tanh(t[i, j])     becomes              h[i, j] = np.tanh(t[i, j])
    kernels.check_room(h.shape[0] - n, "...")           for i in range(n):
    for i in range(n):                                      s += h[i, 0]
        s += h[i, 0]

`bounds_checks` runs before array statements become loop nests, which show the extents of their results. A check between
two loops would keep them from being fused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import gast

from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.ir.build import dotted_path, place_of, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.normalise.bounds_checks import Item, Placement
from srcad.transforms.normalise.range_conditions import Condition

_KERNELS = ("check_room", "check_match")


def with_checks_placed(code: Code) -> Code:
    """The function without the checks that are proved, and with the others as early as they can be evaluated."""
    if not any(_kernel(each) for each in walk_statements(code.body)):
        return code
    unit = code.unit.with_tree(code.unit.copy_tree(), names=code.unit.names.copy())
    walker = _Again(code.with_unit(unit))
    body = walker.block(unit.tree.body, Facts.at_start(code.kinds), {*code.parameters})
    unit.tree.body = walker.written(body)
    return code.with_unit(replace(unit, bindings=walker.bindings))


class _Again(Placement):
    """Places the conditions of the checks that there are."""

    def needed(self, statement: gast.stmt, facts: Facts) -> Iterator[Item]:
        """Nothing new."""
        return iter(())

    def existing(self, statement: gast.stmt, facts: Facts) -> Condition | None:
        """The condition that a statement checks, in terms of what is known now."""
        kernel = _kernel(statement)
        if kernel is None:
            return None
        room, message, *needed = statement.value.args
        forms = [facts.form(each) for each in (room, *(needed[0].elts if needed else ()))]
        if any(form is None or not self.is_sound(form) for form in forms):
            return None
        first, *others = [form for form in forms if isinstance(form, Form)]
        return Condition((first,), tuple(others), message.value, place_of(statement), kernel=kernel)

    def is_barrier(self, statement: gast.stmt) -> bool:
        """Whether a check stays after a statement; also where that is what extents are taken to be equal by."""
        return any(map(_is_assumption, walk_statements([statement]))) or super().is_barrier(statement)


def _kernel(statement: gast.stmt) -> str | None:
    match statement:
        case gast.Expr(value=gast.Call(func=function)):
            name = (dotted_path(function) or "").rpartition(".")[2]
            return name if name in _KERNELS else None
    return None


def _is_assumption(statement: gast.stmt) -> bool:
    match statement:
        case gast.Expr(value=gast.Call(func=function)):
            return (dotted_path(function) or "").endswith(".same_extent")
    return False
