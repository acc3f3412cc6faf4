"""Path conditions: what holds where a statement runs, as linear inequalities from loop bounds, sizes and branches."""

from __future__ import annotations

import gast
from numba import types as nb

from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.analysis.statement_positions import Spot
from srcad.transforms.ir.build import walk_statements
from srcad.transforms.ir.primitive import constant


class Conditions:
    """The inequalities that hold at the statements of one program."""

    def __init__(self, program: Program) -> None:
        self.program, self.meeting, self.types = program, program.meeting, program.types
        self.branches = {
            program.flow.spot(each).number: each
            for each in walk_statements(program.unit.tree.body)
            if isinstance(each, gast.If)
        }

    def at(self, statement: gast.stmt) -> list[Form]:
        """The forms that are not negative where a statement runs."""
        spot = self.program.flow.spot(statement)
        return self.meeting.bounds(spot, {}) + self._tested(spot)

    def _tested(self, spot: Spot) -> list[Form]:
        """The inequalities from the tests of the branches around a statement."""
        system: list[Form] = []
        for number, arm in spot.way:
            branch = self.branches.get(number)
            if branch is not None and isinstance(branch.test, gast.Name):
                system += self._inequalities(self.program.flow.definition(branch.test.id), arm == 0)
        return system

    def _inequalities(self, test: gast.expr | None, holds: bool) -> list[Form]:
        match test:
            case gast.Compare(left=left, ops=[operator], comparators=[right]) if self._is_whole(left, right):
                a, b = self.meeting.form(left), self.meeting.form(right)
                if a is None or b is None:
                    return []
                kind = type(operator) if holds else _OPPOSITE.get(type(operator))
                meant = {
                    gast.Lt: [b - a - 1],
                    gast.LtE: [b - a],
                    gast.Gt: [a - b - 1],
                    gast.GtE: [a - b],
                    gast.Eq: [a - b, b - a],
                }
                return meant.get(kind, []) if kind is not None else []
        return []

    def _is_whole(self, *atoms: gast.expr) -> bool:
        """Whether all atoms are integers."""
        return all(
            isinstance(self.types.get(atom.id), nb.Integer)
            if isinstance(atom, gast.Name)
            else isinstance(constant(atom), int)
            for atom in atoms
        )


_OPPOSITE = {gast.Lt: gast.GtE, gast.LtE: gast.Gt, gast.Gt: gast.LtE, gast.GtE: gast.Lt, gast.NotEq: gast.Eq}
