"""Recorded arrays that are copied into one array, which has a row for each iteration.

    u_trace = []                                u_trace = np.empty((steps, n))
    for t in range(steps):                      for t in range(steps):
        u_trace.append(u)                           for i in range(n):
        new = np.empty(n)           becomes             u_trace[t, i] = u[i]
        for i in range(n):                          new = np.empty(n)
            new[i] = f(u[i])                        ...
        u = new                                     u = new

A list keeps each array that an iteration makes, and memory that has never been used is dear: the system hands it out
page by page, with zeros. Copies go into memory that was asked for at once, and the arrays themselves are made again
where the last ones were. What is copied must be complete, and must not be written into any more: neither may the
function do so later, nor the reverse sweep, to undo what was stored. An array that a statement makes and others fill is
copied behind them.
"""

from __future__ import annotations

from typing import Any

import gast
from numba import types as nb

from srcad.transforms.build import attribute, call, const, load, stores_into, subscript
from srcad.transforms.decisions import Decisions, Row
from srcad.transforms.extent import is_lasting, known_extent
from srcad.transforms.models import model
from srcad.transforms.recipe import Recipes
from srcad.transforms.sites import Loop, Sites

NUMBERS = (nb.Float, nb.Complex, nb.Integer, nb.Boolean)


def can_be_made(kind: nb.Type | None) -> bool:
    """Whether `np.empty` gives an array of this type."""
    if not isinstance(kind, nb.Array) or type(kind) is not nb.Array:
        return False
    return bool(kind.layout == "C" and kind.mutable and kind.ndim) and isinstance(kind.dtype, NUMBERS)


def rows(sites: Sites, recipes: Recipes, decisions: Decisions) -> dict[str, Row]:
    """The recorded names that are copied, in loops of which the number of iterations is known."""
    finder = _Finder(sites, recipes, decisions)
    found = {name: finder.row(name) for name in sorted(decisions.recorded)}
    return {name: row for name, row in found.items() if row is not None}


class _Finder:
    def __init__(self, sites: Sites, recipes: Recipes, decisions: Decisions) -> None:
        self.sites, self.recipes, self.program = sites, recipes, sites.program
        of = self.program.roots.of
        targets = (stores_into(store) for store in decisions.undone)
        self.undone = {root for target in targets if target is not None for root in of.get(target.value.id, ())}

    def row(self, name: str) -> Row | None:
        """How a name is copied; None where it is not."""
        kind, loops = self.program.types.get(name), self.sites.loops_around(self.sites.site(name))
        roots = self.program.roots.of.get(name, frozenset())
        if not loops or not can_be_made(kind) or not roots or roots & self.undone or name in self.program.roots.views:
            return None
        if not any(self.is_made_in(loops[-1], root) for root in roots):
            return None
        shape, where = known_shape(self.sites, name), self.complete(name)
        return None if where is None or shape is None else Row(shape, *where)

    def is_made_in(self, loop: Loop, root: str) -> bool:
        """Whether an array is made anew by the iterations of a loop."""
        made = self.program.flow.single(root)
        return made is not None and loop in self.program.flow.spot(made).loops

    def complete(self, name: str) -> tuple[gast.stmt, ...] | None:
        """Nothing if a name's array is complete where it is stored; else the statement behind which it is, or None."""
        carrier: Any = self.program.carrier(name)
        if carrier is not None:
            return None if self.recipes.stores_after(carrier.body[0], load(name)) else ()
        made = self.program.flow.single(name)
        if made is None:
            return None
        if self.program.roots.of[name] != {name}:  # another name of an array
            return None if self.recipes.stores_after(made, load(name)) else ()
        filled = [self.recipes.newer.filled_in(store, made) for store in self.recipes.stores_into(name)]
        if None in filled:
            return None
        last = max((each for each in filled if each is not None), key=self.number, default=None)
        return () if last is None else (last,)

    def number(self, statement: gast.stmt) -> int:
        """Where a statement stands."""
        return self.program.flow.spot(statement).number


def known_shape(sites: Sites, name: str) -> tuple[gast.expr, ...] | None:
    """The shape of an array, as expressions of what is known before the loops around it."""
    program = sites.program
    of, rank = model(program.meeting.sizes, name), program.types.rank(name) or 0
    if of != name and is_lasting(sites, of):
        return tuple(subscript(attribute(load(of), "shape"), const(axis)) for axis in range(rank))
    known = []
    for axis in range(rank):
        form = program.meeting.size(name, axis)
        length = known_extent(sites, form)
        if length is None:
            return None
        is_of_slice = any(each.symbols & form.symbols for each in program.meeting.sizes.shortened)
        known.append(call("max", length, const(0)) if is_of_slice else length)
    return tuple(known)
