"""Recurrences: which values of a loop's iteration depend on values of the previous one, by scalars and elements.

for j in range(1, n):
    t = a[j - 1] + b[j]         a[j - 1] is what the last iteration has stored in a[j]; t depends on it
    a[j] = 0.5 * t
"""

from __future__ import annotations

from collections.abc import Mapping

import gast
from numba import types as nb

from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.analysis.liveness import carried_names
from srcad.transforms.analysis.ranks import Ranks
from srcad.transforms.ir.build import Block, walk
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, changed_memory, stored_in
from srcad.transforms.loop_analysis.affine_subscripts import Access, Subscripts, accesses

_Forms = tuple[Form, ...]


class Recurrence:
    """The recurrences of a loop over a range whose body consists of simple statements.

    late        the reads of values that depend on themselves through earlier iterations, by the identity of their nodes
    changed     the names and arrays that statements with such reads store
    """

    def __init__(self, loop: gast.For, inside: Subscripts, ranks: Ranks, kinds: Mapping[str, nb.Type]) -> None:
        self.loop, self.ranks = loop, ranks
        body: Block = loop.body
        stored = stored_in(body)
        found = _accesses(body, inside, stored, ranks)
        step = constant(Subscripts.step(loop))
        self.earlier = _earlier(found, loop.target.id, step) if isinstance(step, int) else set()
        self.carried = {name for name in carried_names(body) if kinds.get(name) == nb.float64}
        self.sources: dict[int, frozenset[str]] = {}
        after = self._follow(body)
        cyclic = _cyclic(after)
        self.late = {node for node, sources in self.sources.items() if sources & cyclic}
        late = [each for each in body if any(id(node) in self.late for node in walk(each.value))]
        self.changed = frozenset(name for each in late for name in (*all_written(each), *changed_memory(each)))

    def is_late(self, node: gast.expr) -> bool:
        """Whether this name or element is one of `late`."""
        return id(node) in self.late

    def _follow(self, body: Block) -> dict[str, set[str]]:
        """Record the sources that each read depends on; returns those of the values left for the next iteration."""
        names: dict[str, frozenset[str]] = {name: frozenset([name]) for name in self.carried}
        left: dict[str, set[str]] = {}
        for statement in body:
            sources = frozenset[str]().union(*(self._of(node, names) for node in walk(statement.value)))
            target = statement.targets[0] if isinstance(statement, gast.Assign) else statement.target
            if isinstance(target, gast.Name):
                own = names.get(target.id, frozenset()) if isinstance(statement, gast.AugAssign) else frozenset[str]()
                names[target.id] = sources | own
            elif isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name):
                left.setdefault(_symbol(target.value.id), set()).update(sources)
        for name in self.carried:
            left.setdefault(name, set()).update(names.get(name, ()))
        return left

    def _of(self, node: gast.AST, names: Mapping[str, frozenset[str]]) -> frozenset[str]:
        if isinstance(node, gast.Subscript) and id(node) in self.earlier:
            found = frozenset([_symbol(node.value.id)])
        elif isinstance(node, gast.Name):
            found = names.get(node.id, frozenset())
        else:
            return frozenset()
        if found:
            self.sources[id(node)] = found
        return found


def _symbol(array: str) -> str:
    return f"{array}[]"


def _accesses(body: Block, inside: Subscripts, stored: frozenset[str], ranks: Ranks) -> list[Access]:
    at = inside.copy()
    at.begin(stored)
    found: list[Access] = []
    for statement in body:
        found += accesses(statement, at, ranks.is_element)
        at.learn(statement)
    return found


def _earlier(found: list[Access], index: str, step: int) -> set[int]:
    """The nodes that read an element which the previous iteration has stored or added to."""
    stores: set[tuple[str, _Forms]] = set()
    for each in found:
        if each.kind != "read" and each.forms is not None:
            stores.add((each.name, tuple(form + -form.coefficient(index) * step for form in each.forms)))
    return {id(each.node) for each in found if each.kind == "read" and (each.name, each.forms) in stores}


def _cyclic(after: Mapping[str, set[str]]) -> set[str]:
    """The symbols that depend on themselves, over one or several iterations (transitive closure)."""
    return {symbol for symbol in after if symbol in closure(after[symbol], lambda other: after.get(other, ()))}
