"""Types after a stage that has rewritten some statements, without typing the whole function again.

    typed before                        after: only new statements are looked at
    y = x * x       array               n = x.shape[0]          int64
    return np.sum(y)                    y_sum = 0.0             float64
                                        for i in range(n):      int64
                                            y_sum = y_sum + x[i] * x[i]
                                        return y_sum            as before

Where a new statement is not plain, or its name's type would not be what it was, nothing is said: the whole function is
typed then. Typing a function by Numba takes as long as a fifth of compiling it, this a fraction of that.
"""

from __future__ import annotations

import gast
from numba import types

from srcad.runtime.jit.numba_inference import typing_only
from srcad.runtime.support.clock import stage
from srcad.transforms.inference.expression_types import Expressions, Unresolved
from srcad.transforms.inference.type_inference import Types, refuse_masks
from srcad.transforms.ir.build import walk_statements
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.unit import Unit

_SILENT = gast.Pass | gast.Break | gast.Continue | gast.Expr | gast.Raise | gast.Assert | gast.If | gast.While


@stage("type_inference")
def retyped(before: Unit, facts: Types, after: Unit) -> Types | None:
    """Types of all names of a unit that a stage has made of another; None where that takes an inference."""
    try:
        with typing_only():
            found = _Retyping(before, facts, after).of_all()
    except Unresolved:
        return None
    refuse_masks(after, found)
    return found


class _Retyping:
    """Goes through the statements in their order, in which a name is stored before it is read."""

    def __init__(self, before: Unit, facts: Types, after: Unit) -> None:
        self.facts, self.after = facts, after
        self.old = {_heading(statement) for statement in walk_statements(before.tree.body)}
        known = _locals(before)
        self.kinds = {name: kind for name, kind in facts.of.items() if name in known}
        self.expressions = Expressions(self.kinds, after.bindings)

    def of_all(self) -> Types:
        for statement in walk_statements(self.after.tree.body):
            self.look_at(statement)
        present = _locals(self.after)
        return Types({name: kind for name, kind in self.kinds.items() if name in present}, self.facts.result)

    def look_at(self, statement: gast.stmt) -> None:
        """Note the types of what a statement stores."""
        if isinstance(statement, _SILENT) or _heading(statement) in self.old:
            return
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if not notes_of(statement).unset:
                self.note(name, self.expressions.stored(value))
            case gast.Assign(targets=[gast.Subscript()]) | gast.AugAssign(target=gast.Subscript()):
                pass
            case gast.For(target=gast.Name(id=name), iter=gast.Call(func=gast.Name(id="range"), args=bounds)):
                if any(self.expressions.stored(bound) != types.int64 for bound in bounds):
                    raise Unresolved
                self.note(name, types.int64)
            case gast.Return(value=value) if value is not None:
                if self.expressions.stored(value) != self.facts.result:
                    raise Unresolved
            case _:
                raise Unresolved

    def note(self, name: str, kind: types.Type) -> None:
        if self.kinds.setdefault(name, kind) != kind:
            raise Unresolved


def _heading(statement: gast.stmt) -> str:
    """What a statement says by itself, without the blocks inside."""
    if isinstance(statement, gast.For):
        return f"for {gast.dump(statement.target)} in {gast.dump(statement.iter)}"
    return "" if isinstance(statement, gast.If | gast.While) else gast.dump(statement)


def _locals(unit: Unit) -> set[str]:
    """The parameters, and all names that are stored: what stages have done away with has left types behind."""
    return {argument.id for argument in unit.tree.args.args} | {
        node.id for node in gast.walk(unit.tree) if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)
    }
