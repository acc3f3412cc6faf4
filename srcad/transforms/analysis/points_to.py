"""Points-to sets: the allocations whose memory each array name may refer to.

Every array name has *roots*: the allocations (or parameters) that it may refer to, through references and views, as the
fixed point over all assignments. Two names may alias if their roots intersect; `dependence_test` compares their
subscripts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import gast
import numpy as np
from numba import types as nb

from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.analysis.statement_positions import Flow, Spot
from srcad.transforms.inference.subroutine_types import results_of_calls
from srcad.transforms.ir.build import names_in, stores_into, walk_statements, written
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.unit import Unit

Way = tuple[tuple[int, int], ...]


def is_basic(index: gast.expr, types: Types) -> bool:
    """Whether a subscript uses only integers, slices, newaxis and the ellipsis: then it gives a view or an element."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    for part in parts:
        if isinstance(part, gast.Name) and _selects_places(types.get(part.id)):
            return False
        if isinstance(part, (gast.Slice, gast.Constant, gast.UnaryOp, gast.Name)):
            continue
        return False
    return True


def _selects_places(kind: nb.Type | None) -> bool:
    """Whether an index of this type selects single positions: an array or list, or a tuple that contains one."""
    if isinstance(kind, nb.BaseTuple):
        return any(_selects_places(each) for each in kind)
    return isinstance(kind, (nb.Array, nb.List, nb.ListType))


@dataclass(frozen=True)
class Roots:
    """The roots of every array name, and the roots that some statement writes to."""

    of: dict[str, frozenset[str]]
    written: frozenset[str]
    views: dict[str, str]

    def meet(self, one: str, other: str) -> bool:
        """Whether two names may refer to the same memory."""
        return bool(self.of.get(one, frozenset()) & self.of.get(other, frozenset()))

    def is_written(self, name: str) -> bool:
        """Whether the memory that a name refers to is written anywhere."""
        return bool(self.of.get(name, frozenset()) & self.written)


def roots_of(unit: Unit, flow: Flow, types: Types) -> Roots:
    """The roots of all array names of a unit."""
    of: dict[str, frozenset[str]] = {name: frozenset([name]) for name in unit.parameters if types.is_array(name)}
    views: dict[str, str] = {}
    assignments = [
        (name, statement.value)
        for statement in walk_statements(unit.tree.body)
        if isinstance(statement, gast.Assign) and (name := written(statement)) and _may_hold_array(types, name)
    ]
    calls = results_of_calls(unit)
    for name, value in assignments:
        base = _base(value, unit, types, calls)
        if base is not None and not isinstance(value, gast.Name):
            views[name] = base
    changed = True
    while changed:
        changed = False
        for name, value in assignments:
            base = _base(value, unit, types, calls)
            found = of.get(base, frozenset()) if base is not None else frozenset([name])
            wider = of.get(name, frozenset()) | found
            if wider != of.get(name):
                of[name], changed = wider, True
    stored = frozenset(
        root
        for statement in walk_statements(unit.tree.body)
        if (target := stores_into(statement)) is not None
        for root in of.get(target.value.id, frozenset([target.value.id]))
    )
    return Roots(of, stored, views)


def _base(value: gast.expr, unit: Unit, types: Types, calls: Collection[str]) -> str | None:
    """The array that an expression is a view of; results of calls belong to the caller."""
    base = base_of_view(value, unit, types)
    return None if base in calls else base


def _may_hold_array(types: Types, name: str) -> bool:
    return types.is_array(name) or types.get(name) is None


def base_of_view(value: gast.expr, unit: Unit, types: Types) -> str | None:
    """The array that an expression is, or may be, a view of."""
    match value:
        case gast.Name(id=name):
            return str(name)
        case gast.Subscript(value=gast.Name(id=base), slice=index) if is_basic(index, types):
            return str(base)
        case gast.Call(args=[gast.Name(id=base), *_]) if not isinstance(types.get(base), nb.Number):
            primitive = primitive_of(value, unit.bindings)
            rule = registry.find(primitive)
            if rule is not None and (rule.kind == "view" or rule.may_view):
                return str(base)
            if primitive is np.conjugate and types.is_real(base):  # the method returns a real array itself
                return str(base)
    return None


Meets = Callable[[gast.stmt, gast.Subscript, gast.stmt, gast.Subscript], bool]


def form_symbols(form: Form) -> list[str]:
    """The symbols of a linear form."""
    return [symbol for symbol, _ in form.terms]


__all__ = ["Form", "Roots", "Spot", "base_of_view", "is_basic", "names_in", "roots_of"]
