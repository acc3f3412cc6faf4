"""Static single assignment of Numba's intermediate representation, in time that is near linear in the function.

Numba rewrites all statements of a function once for each variable that is stored more than once; a gradient has
hundreds of these. Here only the statements that mention a variable are visited for it. The result is the same as that
of `numba.core.ssa.reconstruct_ssa`, names included.

Literature: Choi, Sarkar and Schonberg, Incremental computation of static single assignment form, CC 1996.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from copy import copy
from typing import Any

from numba.core import ir, ir_utils, ssa
from numba.core.analysis import compute_cfg_from_blocks


def reconstruct_ssa(function: Any) -> Any:
    """Numba's representation of a function, with one store for each variable."""
    blocks = function.blocks
    if not blocks:
        return function
    graph = compute_cfg_from_blocks(blocks)
    violators = list(ssa._find_defs_violators(blocks, graph))
    if violators:
        function.blocks = _Reconstruction(blocks, graph, set(violators)).blocks_without(violators)
    return function


class _Reconstruction:
    def __init__(self, blocks: dict[int, ir.Block], graph: Any, wanted: set[str]) -> None:
        self.blocks, self.graph = blocks, graph
        self.scope = ssa._get_scope(blocks)
        self.frontiers = ssa._iterated_domfronts(graph)
        self.dominators = graph.immediate_dominators()
        self.bodies = {label: list(block.body) for label, block in blocks.items()}
        self.phis: dict[int, list[Any]] = defaultdict(list)  # by block
        # Where each variable is stored, and where it is used: by block, places of statements.
        self.stores: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.uses: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for label, body in self.bodies.items():
            for place, statement in enumerate(body):
                self._index(label, place, statement, wanted)

    def _index(self, label: int, place: int, statement: Any, wanted: set[str]) -> None:
        read: Any = statement
        if isinstance(statement, ir.Assign):
            if statement.target.name in wanted:
                self.stores[statement.target.name][label].append(place)
            read = statement.value
        if isinstance(read, ir.Var):
            mentioned = {read.name}
        else:
            mentioned = {each.name for each in read.list_vars()} if isinstance(read, ir.Inst) else set()
        for name in mentioned & wanted:
            self.uses[name][label].append(place)

    def blocks_without(self, violators: list[str]) -> dict[int, ir.Block]:
        """The blocks, in which these variables have other names for each store but the first."""
        for name in violators:
            _Variable(self, name).rewrite()
        made = {}
        for label, block in self.blocks.items():
            made[label] = ir.Block(scope=block.scope, loc=block.loc)
            made[label].body = [*reversed(self.phis[label]), *self.bodies[label]]
        return made


class _Variable:
    """The stores and uses of one variable."""

    def __init__(self, by: _Reconstruction, name: str) -> None:
        self.by, self.name = by, name
        self.places = by.stores[name]
        self.stored: dict[int, list[Any]] = {}  # by block, the new names of its stores
        self.phi: dict[int, Any] = {}
        self.joins: set[int] = set()  # the blocks that may need a phi

    def rewrite(self) -> None:
        """Give each store a name, and each use that of the store that reaches it."""
        for label in self.by.blocks:
            for place in self.places.get(label, ()):
                target = self.rename(label, place, keeps_name=not self.stored)
                self.stored.setdefault(label, []).append(target)
        self.joins = set().union(*(self.by.frontiers[label] for label in self.stored))
        uses = self.by.uses[self.name]
        for label in self.by.blocks:
            for place in uses.get(label, ()):
                self.use(label, place)
        for label, phi in self.phi.items():
            self.by.phis[label].append(phi)

    def rename(self, label: int, place: int, keeps_name: bool) -> Any:
        """Give a store a new name, unless it is the first; returns the variable."""
        store = self.by.bodies[label][place]
        target = store.target if keeps_name else self.by.scope.redefine(self.name, loc=store.loc)
        self.by.bodies[label][place] = ir.Assign(target=target, value=store.value, loc=store.loc)
        return target

    def use(self, label: int, place: int) -> None:
        """Let a statement read the name of the store that reaches it."""
        statement = self.by.bodies[label][place]
        before = bisect_left(self.places.get(label, ()), place)
        name = self.stored[label][before - 1] if before else self.at_start(label, self.by.blocks[label].loc)
        if name is ir.UNDEFINED or name.name == self.name:
            return
        change = {self.name: name}
        if not isinstance(statement, ir.Assign):
            new = copy(statement)
            ir_utils.replace_vars_stmt(new, change)
        else:
            value = name
            if not isinstance(statement.value, ir.Var):
                value = copy(statement.value)
                ir_utils.replace_vars_inner(value, change)
            new = ir.Assign(target=statement.target, value=value, loc=statement.loc)
        self.by.bodies[label][place] = new

    def at_start(self, label: int, loc: Any) -> Any:
        """The name that holds the value at the start of a block; where several stores reach it, that of a phi."""
        while label not in self.phi:
            if label in self.joins:
                return self.join(label, loc)
            above = self.by.dominators[label]
            if above == label:
                ssa._warn_about_uninitialized_variable(self.name, loc)
                return ir.UNDEFINED
            label = above
            if label in self.stored:
                return self.stored[label][-1]
        return self.phi[label].target

    def join(self, label: int, loc: Any) -> Any:
        """The name of a new phi at the start of a block."""
        value = ir.Expr.phi(loc=loc)
        target = self.by.scope.redefine(self.name, loc=loc)
        self.phi[label] = ir.Assign(target=target, value=value, loc=loc)
        for before, _ in self.by.graph.predecessors(label):
            value.incoming_values.append(
                self.stored[before][-1] if before in self.stored else self.at_start(before, loc)
            )
            value.incoming_blocks.append(before)
        return target
