"""Structure expressions: tuples, lists, dictionaries and objects of known form are resolved at compile time.

    p = {"w": w, "b": b}; q = (p["w"], 2.0)         leaves nothing in core form, and `q[0]` is `w`

An element that is selected by a run-time index is selected by a branch; a loop around such an access is unrolled where
possible (`control_flow`).
"""

from __future__ import annotations

import enum
from collections.abc import Container, Mapping
from typing import Any, NoReturn, Protocol

import gast

from srcad.errors import Place
from srcad.names import Names
from srcad.refusals.long_lists import LONG_LIST_USE
from srcad.refusals.names_and_functions import FUNCTION_AS_VALUE, UNKNOWN_FORM
from srcad.refusals.refusal import Refusal
from srcad.refusals.structures import (
    EXTENTS_AS_INDEX,
    LONG_DISPLAY,
    SET_ORDER,
    STRUCTURE_AS_NUMBER,
    UNPACKED_MAPPING,
)
from srcad.transforms.ir.build import assign, at, clone, const, dotted, dotted_path, load, place_of
from srcad.transforms.ir.canonical_names import RESERVED, literal, root_name
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.ir.cost_model import MOST_PARTS
from srcad.transforms.ir.primitive import look_up
from srcad.transforms.lowering.structures.abstract_state import (
    PLAIN,
    Callee,
    Captured,
    Grown,
    Lost,
    Memory,
    Packed,
    Structure,
)
from srcad.transforms.lowering.structures.anf_expressions import Inline, Operations
from srcad.transforms.lowering.structures.array_methods import spell_attribute
from srcad.transforms.lowering.structures.set_order import visited


class NeedsConstant(Exception):
    """An index into a structure is not constant; unrolling a loop around it may make it so."""


class Outside(Protocol):
    """The captured objects of the function."""

    def bind(self, wish: str, thing: Any) -> str:
        """A free name that refers to this object."""

    def attribute(self, owner: Any, name: str, place: Place | None) -> gast.expr:
        """The expression for an attribute of a class."""

    def constants(self, values: list[Any]) -> str:
        """The name of an array of constants."""

    def collected(self, function: Any) -> Any:
        """A generator that only reads, as a function that returns a list of its values; None for others."""


class Structures(Operations):
    """Resolves structures; see `abstract_state` for their representation."""

    def __init__(
        self,
        names: Names,
        bindings: Mapping[str, Any],
        inline: Inline,
        memory: Memory | None = None,
        outside: Outside | None = None,
    ) -> None:
        super().__init__(names, bindings, inline)
        self.memory = Memory() if memory is None else memory
        self.memory.bindings = bindings
        self.outside = outside

    def refuse(self, refusal: Refusal[Any], **fields: object) -> NoReturn:
        """Raise for the present place."""
        raise refusal.at(self.place, **fields)

    # Values of expressions

    def part(self, node: gast.expr) -> gast.expr:
        """An atom, or a structure or a function."""
        outer, self.place = self.place, place_of(node) or self.place
        if isinstance(node, Lost):
            self.lost("an element", node)
        made = self.core(node)
        if isinstance(made, Lost):
            self.lost("an element", made)
        made = made if isinstance(made, (Structure, Callee)) else self.held_in_atom(made)
        self.place = outer
        return made

    def lost(self, name: str, value: Lost) -> NoReturn:
        """Raise for a value that is no longer known; an enclosing loop may be unrolled so that it is."""
        if self.memory.loops:
            raise NeedsConstant
        self.refuse_lost(name, value)

    def core(self, node: gast.expr) -> gast.expr:
        """The expression as one operation on atoms, or as a structure."""
        match node:
            case Structure() | Callee():
                return node
            case Captured():
                held = {key: self.part(each) for key, each in zip(node.keys, node.values, strict=True)}
                return self.memory.new(node.kind, held, "it belongs to the scope around the function", node.origin)
            case gast.Tuple() | gast.List() if (joined := self.joined_shapes(node)) is not None:
                return joined
            case gast.Tuple(elts=elements):
                return self.display(tuple, dict(enumerate(self.spread_out(elements))))
            case gast.Set(elts=elements):
                return self.set_of(set, self.spread_out(elements))
            case gast.List(elts=elements):
                return self.display(list, dict(enumerate(self.spread_out(elements))))
            case gast.Dict(keys=keys, values=values):
                return self.dictionary(keys, values)
            case gast.Attribute() if self.is_atom(node):
                return self.as_callee(node) or node
            case gast.Attribute(value=value, attr=name):
                return self.attribute_of(self.part(value), name)
            case gast.Subscript():
                return self.element(node)
        return super().core(node)

    def value(self, node: gast.expr) -> gast.expr:
        """The value that a name stands for, or the name or literal itself."""
        if isinstance(node, gast.Name):
            held = self.memory.names.get(node.id)
            if isinstance(held, Lost) and held is not PLAIN:
                self.refuse_lost(node.id, held)
            if isinstance(held, gast.expr):
                if isinstance(held, Structure) and held.cell in self.memory.views:
                    self.contents(held)
                return held
            if node.id in self.memory.rebound:  # code evaluated next may call a function that rebinds it
                return self.kept(node)
        return self.members_of(node) or self.as_callee(node) or self.unchanged(node)

    def members_of(self, node: gast.expr) -> Structure | None:
        """The members of an enumeration that is looped over; None for others."""
        path = dotted_path(node)
        if path is None or root_name(node) not in self.bindings:
            return None
        thing: Any = look_up(path, self.bindings)
        if not isinstance(thing, enum.EnumMeta):
            return None
        every: Any = thing
        members = [literal(each) for each in every]
        return None if None in members else self.memory.new(tuple, dict(enumerate(members)))

    def as_callee(self, node: gast.expr) -> Callee | None:
        """The function that a name or dotted path refers to, or None."""
        path, root = dotted_path(node), root_name(node)
        if path is None or not (root in self.bindings or root in RESERVED):
            return None
        thing = look_up(path, self.bindings)
        is_data = isinstance(thing, type) or (isinstance(node, gast.Attribute) and not callable(thing))
        return None if is_data else Callee(node)

    def refuse_lost(self, name: str, lost: Lost) -> NoReturn:
        """Raise for a name whose value is no longer known."""
        self.refuse(UNKNOWN_FORM, name=name, forms=lost.reason)

    def held_in_atom(self, made: gast.expr) -> gast.expr:
        """A name or literal for an operation; for a structure, a run-time tuple."""
        if isinstance(made, Callee):
            name = dotted_path(made.path) or ""
            thing = look_up(name, self.bindings)
            self.refuse(FUNCTION_AS_VALUE, name=getattr(thing, "name", None) or name)
        if isinstance(made, Structure):
            made = self.expanded(made)
        if self.is_atom(made):
            return clone(made)
        name = self.names.temporary()
        self.memory.steady.add(name)
        self.let(name, made)
        return load(name)

    def let(self, name: str, made: gast.expr) -> None:
        """Assign an operation on atoms to a variable."""
        self.emit(assign(name, made, self.place_for(made)))
        self.memory.learn(name, made)

    def tuple_of_atoms(self, node: gast.expr) -> gast.expr:
        """An atom, or a tuple of atoms, as core form requires for arguments; lists become tuples."""
        if isinstance(node, (gast.Tuple, gast.List)):
            joined = self.joined_shapes(node)
            if joined is not None:
                return self.held_in_atom(joined)
            elements = self.spread_out(node.elts)
            return gast.Tuple(elts=[self.tuple_of_atoms(element) for element in elements], ctx=gast.Load())
        outer, self.place = self.place, place_of(node) or self.place
        made = self.core(node)
        made = self.expanded(made) if isinstance(made, Structure) else made
        made = made if isinstance(made, gast.Tuple) else self.held_in_atom(made)
        self.place = outer
        return made

    def expanded(self, structure: Structure) -> gast.expr:
        """A tuple of atoms for a tuple or list."""
        contents = self.contents(structure)
        if structure.cell.type is slice:
            return gast.Call(func=load("slice"), args=list(map(self.held_in_atom, contents.values())), keywords=[])
        if not structure.cell.is_sequence:
            self.refuse(STRUCTURE_AS_NUMBER, what=structure.cell.called)
        parts = (
            self.expanded(each) if isinstance(each, Structure) else self.held_in_atom(each)
            for each in contents.values()
        )
        return gast.Tuple(elts=list(parts), ctx=gast.Load())

    def contents(self, structure: Structure) -> dict[Any, gast.expr]:
        """The current contents of a structure."""
        if structure.cell in self.memory.views:
            self.memory.cells[structure.cell] = dict(enumerate(self.shown(*self.memory.views[structure.cell])))
        held = self.memory.cells[structure.cell]
        if isinstance(held, Lost) and self.memory.loops:
            raise NeedsConstant
        if isinstance(held, Lost):
            self.refuse_lost("this", held)
        if isinstance(held, (Grown, Packed)):
            which = "that grows in a loop" if isinstance(held, Grown) else "of more than 64 elements"
            self.refuse(LONG_LIST_USE, which=which)
        return held  # type: ignore[no-any-return]

    def shown(self, base: Structure, by: str) -> list[gast.expr]:
        """What a view of a dictionary shows by now."""
        raise NotImplementedError

    def parts(self, structure: Structure, in_order: bool = True) -> list[gast.expr]:
        """What a loop over the structure visits: elements, or keys; of a set perhaps in any order."""
        contents = self.contents(structure)
        if structure.cell.is_sequence:
            return list(contents.values())
        if not structure.cell.is_container:
            return self.parts_of_object(structure)
        keys: list[Any] | None = list(contents)
        if in_order and structure.cell.is_set and structure.cell.origin is None:
            keys = visited(contents, structure.cell in self.memory.thinned)
        if keys is None:
            self.refuse(SET_ORDER)
        return [literal(key) or const(key) for key in keys]

    def parts_of_object(self, structure: Structure) -> list[gast.expr]:
        """What a loop over an object of the user's class visits."""
        raise NotImplementedError

    def extents(self, shape: gast.expr, kind: type) -> gast.Name:
        """A name of its own for a shape, or a part of one, that is of this class in Python."""
        name = self.names.temporary()
        self.memory.steady.add(name)
        self.let(name, self.held_in_atom(shape))
        self.memory.shapes[name] = kind
        if kind is list:  # as a constant it would be a tuple
            self.memory.known.pop(name, None)
        return load(name)

    def joined_shapes(self, node: gast.Tuple | gast.List) -> gast.expr | None:
        """A display with a starred shape in it as a sum of tuples, such as `x.shape + (2,)`; None for others."""
        raise NotImplementedError

    def set_of(self, kind: type, elements: list[gast.expr]) -> gast.expr:
        """A set of constants."""
        raise NotImplementedError

    def spread_out(self, elements: list[gast.expr]) -> list[gast.expr]:
        """The elements of a display, with starred structures expanded."""
        raise NotImplementedError

    # Making structures

    def display(self, kind: type, parts: Mapping[Any, gast.expr]) -> Structure:
        """A new structure; its parts are evaluated in this order."""
        if len(parts) > MOST_PARTS:
            self.refuse(LONG_DISPLAY, type=kind.__name__, count=len(parts))
        held = {key: self.kept(self.part(node)) for key, node in parts.items()}
        return self.memory.new(kind, held)

    def kept(self, value: gast.expr) -> gast.expr:
        """A value that does not change when variables are assigned later."""
        if not isinstance(value, gast.Name) or value.id in self.memory.steady or value.id in self.fixed:
            return value
        name = self.names.temporary()
        self.memory.steady.add(name)
        self.let(name, clone(value))
        return load(name)

    @property
    def fixed(self) -> Container[str]:
        """The names that are never assigned: modules, functions and classes."""
        return RESERVED if not self.bindings else {*RESERVED, *self.bindings}

    def dictionary(self, keys: list[gast.expr | None], values: list[gast.expr]) -> Structure:
        """A dictionary display, including `**other`."""
        held: dict[Any, gast.expr] = {}
        for key, node in zip(keys, values, strict=True):
            if key is None:
                other = self.part(node)
                if not (isinstance(other, Structure) and other.cell.is_mapping):
                    self.refuse(UNPACKED_MAPPING)
                held |= self.contents(other)
                continue
            known = self.key(key)
            held[known] = self.kept(self.part(node))
        return self.memory.new(dict, held)

    def key(self, node: gast.expr) -> Any:
        """The constant value of a key."""
        made = self.part(node)
        known = self.constant(made)
        if known is UNKNOWN:
            raise NeedsConstant
        return known

    def constant(self, part: gast.expr) -> Any:
        """The constant that a part is known to be, including tuples of constants, else UNKNOWN."""
        if not isinstance(part, Structure):
            return self.memory.constant(part)
        if part.cell.type is not tuple:
            return UNKNOWN
        values = tuple(self.constant(each) for each in self.contents(part).values())
        return UNKNOWN if UNKNOWN in values else values

    # Reading

    def attribute_of(self, base: gast.expr, name: str) -> gast.expr:
        """`base.name` of an array or an object."""
        if isinstance(base, Structure):
            return self.slot(base, name)
        made = spell_attribute(self.as_name(base), name, self.place)
        return self.call(made) if isinstance(made, gast.Call) else made

    def slot(self, base: Structure, name: str) -> gast.expr:
        """An attribute of a structure."""
        raise NotImplementedError

    def item(self, base: Structure, node: gast.Subscript) -> gast.expr:
        """`base[index]` of a structure."""
        raise NotImplementedError

    def as_name(self, part: gast.expr) -> gast.Name:
        """A name for an atom or a structure."""
        atom = self.held_in_atom(part)
        if isinstance(atom, gast.Name):
            return atom
        name = self.names.temporary()
        self.memory.steady.add(name)
        self.let(name, atom)
        return load(name)

    def element(self, node: gast.Subscript) -> gast.expr:
        """An element or slice: for a structure its part, for an array a subscript with atoms."""
        base = self.part(node.value)
        if isinstance(base, Structure):
            return self.item(base, node)
        return at(gast.Subscript(value=self.as_name(base), slice=self.index(node.slice), ctx=node.ctx), place_of(node))

    def index(self, node: gast.expr) -> gast.expr:
        """An index of atoms; a tuple variable is expanded, a list becomes an array."""
        if isinstance(node, gast.Tuple):
            return gast.Tuple(elts=[self.index_entry(each) for each in self.spread_out(node.elts)], ctx=gast.Load())
        if isinstance(node, gast.Slice):
            return super().index(node)
        part = self.part(node)
        if self.memory.shape_kind(part) is list:
            self.refuse(EXTENTS_AS_INDEX)
        if not isinstance(part, Structure):
            return self.held_in_atom(part)
        if part.cell.type is slice:
            return super().index(gast.Slice(**self.bounds(part)))
        if part.cell.type is list or not part.cell.is_sequence:
            return self.places_of(part)
        return gast.Tuple(elts=[self.index_entry(each) for each in self.parts(part)], ctx=gast.Load())

    def bounds(self, part: Structure) -> dict[str, gast.expr | None]:
        """The bounds of a slice object, as those of a slice in brackets."""
        parts = zip(("lower", "upper", "step"), self.contents(part).values(), strict=True)
        return {name: None if self.constant(each) is None else clone(each) for name, each in parts}

    def index_entry(self, node: gast.expr) -> gast.expr:
        """One of several indices: here a tuple means places, as a list does."""
        part = node if isinstance(node, gast.Slice) else self.part(node)
        return self.places_of(part) if isinstance(part, Structure) and part.cell.is_sequence else self.index(part)

    def places_of(self, sequence: gast.expr) -> gast.expr:
        """A list or tuple of places as an array."""
        return self.held_in_atom(self.call(gast.Call(func=dotted("np.array"), args=[sequence], keywords=[])))

    def named(self, node: gast.expr) -> gast.expr:
        """A name for the value of an expression."""
        return self.as_name(self.part(node))
