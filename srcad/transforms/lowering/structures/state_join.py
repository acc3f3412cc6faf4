"""State join: the abstract states at the ends of two paths are joined, of a branch or of a loop's start and end.

Where both paths have a structure of the same form, parts that differ become variables that each path assigns at its
end:

    if c:                               if c:
        p = (x, y)                          p_0 = x
    else:                     ->        else:
        p = (z, y)                          p_0 = z
    f(p)                                f((p_0, y))

Where the forms differ, the name's value is lost (top of the lattice): reading it afterwards is refused.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gast

from srcad.transforms.ir.build import const, load
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.lowering.structures.abstract_state import (
    PLAIN,
    WHICH,
    Alternatives,
    Callee,
    Cell,
    Chosen,
    Contents,
    Fields,
    Grown,
    Lost,
    Memory,
    Packed,
    Structure,
    same,
)

Copies = list[tuple[str, gast.expr]]

_WHOLE = (Grown, Packed, Fields)
_EITHER = "it may be one of two objects by now"
_CACHED = "a `cached_property` of it may have been computed before"


@dataclass
class Joined:
    """The joined state.

    first, second   the assignments to add at the end of each path
    own             variables and cells of a loop's start that are assigned at the end of its body
    changed         whether the first path loses facts, or needs assignments
    lost            why a fact of the first path is lost
    lengths         lists that have different lengths at the ends of the paths
    """

    memory: Memory
    first: Copies = field(default_factory=list)
    second: Copies = field(default_factory=list)
    own: set[Any] = field(default_factory=set)
    changed: bool = False
    lost: str | None = None
    lengths: list[Cell] = field(default_factory=list)


def join(first: Memory, second: Memory, fresh: Callable[[str], str], own: set[Any] | None = None) -> Joined:
    """The join of two states; `own` has what an earlier join of the same loop has made.

    >>> one, other = Memory(), Memory()
    >>> one.bind("p", one.new(tuple, {0: load("x")})); other.bind("p", other.new(tuple, {0: load("z")}))
    >>> joined = join(one, other, lambda wish: wish)
    >>> [(name, value.id) for name, value in joined.first + joined.second]
    [('p_0', 'x'), ('p_0', 'z')]
    """
    return _Joiner(first, second, fresh, own or set()).join()


class _Joiner:
    def __init__(self, first: Memory, second: Memory, fresh: Callable[[str], str], own: set[Any]) -> None:
        self.first, self.second, self.fresh = first, second, fresh
        self.joined = Joined(Memory(frozen={**first.frozen, **second.frozen}), own=set(own))
        self.pairs: dict[tuple[Cell, Cell], Any] = {}

    def join(self) -> Joined:
        memory = self.joined.memory
        for name in {**self.first.names, **self.second.names}:
            memory.names[name] = self.name(name)
        for cell in {**self.first.cells, **self.second.cells}:
            if cell not in memory.cells:
                memory.cells[cell] = self.contents(cell)
        for name, value in self.first.known.items():
            other = self.second.known.get(name, UNKNOWN)
            if type(other) is type(value) and other == value:
                memory.known[name] = value
            else:
                self.joined.changed = True
        memory.shapes = {key: kind for key, kind in self.first.shapes.items() if self.second.shapes.get(key) is kind}
        memory.most = {key: most for key, most in self.first.most.items() if self.second.most.get(key) == most}
        one, other = self.first.extents, self.second.extents
        memory.extents = {name: extent for name, extent in one.items() if other.get(name) == extent}
        if memory.shapes != self.first.shapes or memory.extents != one or memory.most != self.first.most:
            self.joined.changed = True
        return self.joined

    def name(self, name: str) -> Any:
        first, second = self.first.names.get(name), self.second.names.get(name)
        if first is None or second is None:  # assigned on one path only: the other cannot read it
            return second if first is None else first
        if isinstance(first, Callee) or isinstance(second, Callee):
            first, second = self.none_or(first, name, self.first), self.none_or(second, name, self.second)
        return self.value(first, second, name)

    def none_or(self, value: Any, name: str, memory: Memory) -> Any:
        """None as an alternative to a function, where the name is known to hold it."""
        return const(None) if value is PLAIN and memory.known.get(name, UNKNOWN) is None else value

    def contents(self, cell: Cell) -> Any:
        """The joined contents of a cell that one or both paths know."""
        first, second = self.first.cells.get(cell), self.second.cells.get(cell)
        if first is None or second is None or cell in self.first.views:  # a view is made anew when it is read
            return second if first is None else first
        return self.parts(cell, first, second)

    def parts(self, cell: Cell, first: Any, second: Any) -> Any:
        if first is second or (isinstance(first, Grown) and first == second):
            return first
        if cell.type is list and not isinstance(first, Lost) and list(_keys(first)) != list(_keys(second)):
            self.joined.lengths.append(cell)
        if isinstance(first, _WHOLE) or isinstance(second, _WHOLE):
            return self.lose(first, Lost("a list that grows, a long one or records, or others"))
        if isinstance(first, Lost) or isinstance(second, Lost):
            return self.lose(first, first if isinstance(first, Lost) else second)
        first, second = self.without_cached(cell, first, second)
        if list(first) != list(second):
            return self.lose(first, Lost(f"{cell.called} that holds {_listed(first)} or {_listed(second)}"))
        wish = cell.type.__name__.lower()
        return {key: self.value(first[key], second[key], f"{wish}_{key}") for key in first}

    def without_cached(self, cell: Cell, first: Contents, second: Contents) -> tuple[Contents, Contents]:
        """The contents without what a `cached_property` computed on one path: it is computed anew, so it must stay."""
        found = {key for key in first.keys() ^ second.keys() if _is_cached(cell.type, key)}
        if found:
            frozen = dict.fromkeys(self.reached({cell}), _CACHED)
            self.joined.changed |= not found.isdisjoint(first) or not frozen.keys() <= self.first.frozen.keys()
            self.joined.memory.frozen |= frozen
        one, other = ({key: each for key, each in held.items() if key not in found} for held in (first, second))
        return one, other

    def reached(self, cells: set[Cell]) -> set[Cell]:
        """The structures that can be reached from these."""
        found, todo = set[Cell](), [*cells]
        while todo:
            cell = todo.pop()
            if cell not in found:
                found.add(cell)
                for held in (self.first.cells.get(cell), self.second.cells.get(cell)):
                    parts = held.values() if isinstance(held, dict) else ()
                    todo += [each.cell for each in parts if isinstance(each, Structure)]
        return found

    def value(self, first: Any, second: Any, wish: str) -> Any:
        if same(first, second):
            return first
        if _is_function(first) or _is_function(second):
            one, other = self.first.alternatives(first), self.second.alternatives(second)
            if one is not None and other is not None:
                return self.function(first, one, other, wish)
        if isinstance(first, Structure) and isinstance(second, Structure):
            return self.structure(first.cell, second.cell, wish)
        lost = next((each for each in (first, second) if isinstance(each, Lost) and each is not PLAIN), None)
        if lost is not None:
            return self.lose(first, lost)
        if isinstance(first, Callee) or isinstance(second, Callee):
            return self.lose(first, Lost("one function or another"))
        if isinstance(first, Structure) or isinstance(second, Structure):
            structure = first if isinstance(first, Structure) else second
            return self.lose(first, Lost(f"{structure.cell.called} or something else"))
        if isinstance(first, Lost) or isinstance(second, Lost):
            return self.lose(first, Lost("one value or another"))
        return self.variable(first, second, wish)

    def function(self, first: Any, one: Alternatives, other: Alternatives, wish: str) -> Structure:
        """One function of those on both paths: a variable has its number."""
        found = first.cell if isinstance(first, Structure) else None
        cell = found if found is not None and found in self.joined.own else Cell(Chosen)
        functions = dict(sorted((one[1] | other[1]).items()))
        self.joined.changed |= cell is not found or functions.keys() != one[1].keys()
        self.joined.own.add(cell)
        which = self.value(one[0], other[0], f"{wish}_which")
        self.joined.memory.cells[cell] = {WHICH: which, **functions}
        return Structure(cell)

    def variable(self, first: gast.expr, second: gast.expr, wish: str) -> gast.expr:
        """A variable that holds one atom or the other."""
        if isinstance(first, gast.Name) and first.id in self.joined.own:
            self.joined.second.append((first.id, second))
            return first
        name = self.fresh("".join(each if each.isalnum() else "_" for each in wish))
        self.joined.own.add(name)
        self.joined.changed = True
        self.joined.first.append((name, first))
        self.joined.second.append((name, second))
        return load(name)

    def structure(self, first: Cell, second: Cell, wish: str) -> Any:
        """One structure for two of the same form."""
        found = self.pairs.get((first, second))
        if found is None:
            found = self.pairs[first, second] = self.merged(first, second, wish)
        return found

    def merged(self, first: Cell, second: Cell, wish: str) -> Any:
        parts, others = self.first.cells[first], self.second.cells[second]
        if _are_places(parts, others):
            return self.place((first, second), parts, others, wish)
        if isinstance(parts, _WHOLE) or isinstance(others, _WHOLE):
            return self.lose(Structure(first), Lost("a list that grows, a long one or records, or others"))
        view, other = self.first.views.get(first), self.first.views.get(second)
        if view is not None and other is not None and (view[0].cell, view[1]) == (other[0].cell, other[1]):
            return Structure(first)
        if view is not None or other is not None:
            return self.lose(Structure(first), Lost("a view of one dictionary or of another"))
        lost = next((each for each in (parts, others) if isinstance(each, Lost)), None)
        if lost is not None:
            return self.lose(Structure(first), lost)
        kinds = {(each.type, each.role, each.limit) for each in (first, second)}
        if len(kinds) > 1 or list(parts) != list(others):
            forms = " or ".join(
                f"{cell.called} of {_listed(held)}" for cell, held in ((first, parts), (second, others))
            )
            return self.lose(Structure(first), Lost(forms))
        cell = self.own(first, second)
        if not self.first.thinned.isdisjoint((first, second)):
            self.first.thinned.add(cell)
        self.pairs[first, second] = Structure(cell)
        if cell.is_mutable:
            self.joined.memory.frozen |= dict.fromkeys((cell, first, second), _EITHER)
        held = {key: self.value(parts[key], others[key], f"{wish}_{key}") for key in parts}
        self.joined.memory.cells[cell] = held
        return Structure(cell)

    def own(self, first: Cell, second: Cell) -> Cell:
        """A cell for one of two structures."""
        cell = first if first in self.joined.own else first.alike()
        self.first.either.setdefault(cell, set()).update({first, second} - {cell})
        self.joined.changed |= cell is not first
        self.joined.own.add(cell)
        return cell

    def place(self, cells: tuple[Cell, Cell], one: Fields, other: Fields, wish: str) -> Structure:
        """One of two records of the same arrays."""
        assert one.index is not None
        assert other.index is not None
        cell = self.own(*cells)
        both = zip(one.index, other.index, strict=True)
        index = tuple(self.value(*each, f"{wish}_place") for each in both)
        self.joined.memory.cells[cell] = Fields(one.layout, one.arrays, index)
        return Structure(cell)

    def lose(self, first: Any, lost: Lost) -> Lost:
        if not isinstance(first, Lost) or first is PLAIN:
            self.joined.changed = True
            self.joined.lost = self.joined.lost or lost.reason
        return lost


def _are_places(one: Any, other: Any) -> bool:
    """Whether both are single records in the same arrays."""
    if not isinstance(one, Fields) or not isinstance(other, Fields) or one.arrays != other.arrays:
        return False
    return one.index is not None and other.index is not None and len(one.index) == len(other.index)


def _is_cached(kind: type, key: Any) -> bool:
    """Whether this is the name of a `cached_property` of a class."""
    return isinstance(key, str) and isinstance(inspect.getattr_static(kind, key, None), functools.cached_property)


def _is_function(value: Any) -> bool:
    """Whether this is a function, or one that is chosen at run time."""
    return isinstance(value, Callee) or (isinstance(value, Structure) and value.cell.type is Chosen)


def _keys(parts: Any) -> Any:
    return parts if isinstance(parts, dict) else (None,)


def _listed(parts: dict[Any, Any]) -> str:
    keys = list(parts)
    if keys == list(range(len(keys))):
        return f"{len(keys)} element{'s' * (len(keys) != 1)}"
    return ", ".join(f"`{key}`" for key in keys) or "nothing"
