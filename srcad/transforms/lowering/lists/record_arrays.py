"""Record arrays: structured scalars and arrays become one array for each field in core form.

    def f(a, i):  ... a[i]["x"] ... a["v"]        def f(a_x, a_v, i):  ... a_x[i] ... a_v

A record `a[i]` stands for the position of its entries, so writes through one name are seen through others.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcad.refusals.records import (
    NO_RECORD_FIELD,
    RECORD_AXES,
    RECORD_INDEX,
    RECORD_INDEX_RUNTIME,
    RECORD_VALUE,
    RECORD_VALUE_COUNT,
    RECORDS_AS_WHOLE,
    RECORDS_ATTRIBUTE,
    RECORDS_MADE,
    RECORDS_METHOD,
    SEVERAL_FIELDS,
)
from srcad.runtime.support.record_fields import Layout
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.ir.array_functions import LIKE_WITH_ONE_ARGUMENT, OF_SHAPE_AND_TYPE, functions
from srcad.transforms.ir.build import assign, attribute, call, clone, const, dotted, load, subscript, tuple_of
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.pytree_form import Part, RecordForm
from srcad.transforms.lowering.lists.packed_list_reads import LongLists
from srcad.transforms.lowering.structures.abstract_state import Fields, Memory, Structure

_MADE, _MADE_LIKE = functions(OF_SHAPE_AND_TYPE), functions(LIKE_WITH_ONE_ARGUMENT)


def new_records(memory: Memory, layout: Layout, arrays: dict[str, str], index: tuple[Any, ...] | None) -> Structure:
    """Records in these arrays; a single record has an index."""
    made = memory.new(layout.kind, {})
    memory.cells[made.cell] = Fields(layout, arrays, index)
    return made


class RecordArrays(LongLists):
    """Structures that are records."""

    def records(self, base: Any) -> Fields | None:
        """The run-time representation of records, or None."""
        held = self.memory.cells.get(base.cell) if isinstance(base, Structure) else None
        return held if isinstance(held, Fields) else None

    def made_of(self, part: Part, leaves: list[gast.expr]) -> gast.expr:
        """An element of a packed list."""
        if not isinstance(part, RecordForm):
            return super().made_of(part, leaves)
        arrays = {name: self.as_name(leaves.pop(0)).id for name in part.keys}
        return new_records(self.memory, part.layout, arrays, None if part.layout.ndim else (const(0),))

    def contents(self, structure: Structure) -> dict[Any, gast.expr]:
        """The current contents of a structure."""
        if self.records(structure) is not None:
            self.refuse(RECORDS_AS_WHOLE)
        return super().contents(structure)

    # Reading

    def slot(self, base: Structure, name: str) -> gast.expr:
        """An attribute: a field, or the shape."""
        held = self.records(base)
        if held is None:
            return super().slot(base, name)
        if name in held.arrays:
            return self.entry_of(held, name)
        if name == "ndim":
            return const(held.layout.ndim)
        if name not in ("shape", "size", "T") or held.index is not None:
            self.refuse(RECORDS_ATTRIBUTE, name=name)
        plain = next((each for each in held.arrays if not held.layout.field(each)[1]), None)
        if name == "T" or plain is None:
            self.refuse(RECORDS_ATTRIBUTE, name=name)
        return attribute(load(held.arrays[plain]), name)

    def entry_of(self, held: Fields, name: str) -> gast.expr:
        """A field: an array, or its element in a single record."""
        if name not in held.arrays:
            self.refuse(NO_RECORD_FIELD, name=name, known=", ".join(held.arrays))
        array = load(held.arrays[name])
        if held.index is None:
            return array
        read = self.held_in_atom(subscript(array, _place(held.index)))
        note(self.made[-1], accesses_records=True)
        return read

    def item(self, base: Structure, node: gast.Subscript) -> gast.expr:
        """A field, a record, or some of the records."""
        held = self.records(base)
        if held is None:
            return super().item(base, node)
        key = self.field_of(held, node.slice)
        if key is not None:
            return self.entry_of(held, key)
        if held.index is not None:
            self.refuse(RECORD_INDEX_RUNTIME)
        index = index_parts(node)
        parts = [self.index(each) if isinstance(each, gast.Slice) else self.place_of(each) for each in index]
        places = sum(not isinstance(each, gast.Slice) for each in parts)
        if len(parts) > held.layout.ndim:
            self.refuse(RECORD_AXES, count=len(parts), axes=held.layout.ndim)
        if places == held.layout.ndim:
            return self.some(held, 0, dict(held.arrays), tuple(parts))
        arrays = {}
        for name, array in held.arrays.items():
            arrays[name] = self.as_name(self.held_in_atom(subscript(load(array), _place(tuple(parts))))).id
            note(self.made[-1], accesses_records=True)
        return self.some(held, held.layout.ndim - places, arrays, None)

    def some(self, held: Fields, ndim: int, arrays: dict[str, str], index: tuple[Any, ...] | None) -> Structure:
        """Records with the same fields."""
        kind = held.layout.kind if ndim else np.void
        return new_records(self.memory, Layout(kind, held.layout.dtype, ndim), arrays, index)

    def field_of(self, held: Fields, node: gast.expr) -> str | None:
        """The field that an index names, or None."""
        if isinstance(node, (gast.Slice, gast.Tuple)):
            return None
        part = self.part(node)
        if isinstance(part, Structure):
            self.refuse(SEVERAL_FIELDS)
        known: object = self.constant(part)
        if isinstance(known, int) and held.index is not None and -len(held.arrays) <= known < len(held.arrays):
            return str(held.layout.names[known])
        return known if isinstance(known, str) else None

    def place_of(self, node: gast.expr) -> gast.expr:
        """A position along one axis."""
        atom = self.kept(self.held_in_atom(self.part(node)))
        known = self.constant(atom)
        if known is not UNKNOWN and (isinstance(known, bool) or not isinstance(known, int)):
            self.refuse(RECORD_INDEX, index=known)
        return atom

    # Writing

    def put(self, base: Structure, key: Any, value: gast.expr) -> None:
        """`base.key = value`."""
        held = self.records(base)
        if held is None:
            super().put(base, key, value)
            return
        if key not in held.arrays:
            self.refuse(NO_RECORD_FIELD, name=key, known=", ".join(held.arrays))
        self.write(held, key, value)

    def store(self, base: Structure, node: gast.Subscript, value: gast.expr) -> None:
        """`base[index] = value`."""
        held = self.records(base)
        if held is None:
            super().store(base, node, value)
            return
        key = self.field_of(held, node.slice)
        if key is not None:
            self.put(base, key, value)
            return
        target = self.records(self.item(base, node))
        source = self.records(value)
        assert target is not None
        if source is not None and source.layout.names == target.layout.names:
            parts = [self.entry_of(source, name) for name in source.layout.names]
        elif source is None and isinstance(value, Structure) and value.cell.type is tuple and target.index is not None:
            parts = self.parts(value)
        else:
            self.refuse(RECORD_VALUE)
        if len(parts) != len(target.arrays):
            self.refuse(RECORD_VALUE_COUNT, count=len(parts), fields=len(target.arrays))
        for name, part in zip(target.layout.names, parts, strict=True):
            self.write(target, name, part)

    def write(self, held: Fields, name: str, value: gast.expr) -> None:
        """Store into a field."""
        atom = self.held_in_atom(self.as_array(value))
        index = gast.Constant(value=..., kind=None) if held.index is None else _place(held.index)
        if held.index is None and isinstance(atom, gast.Name) and atom.id == held.arrays[name]:
            return  # the final store of `a["x"] += 1`
        self.emit(assign(subscript(load(held.arrays[name]), index, store=True), atom, self.place))
        note(self.made[-1], accesses_records=True)

    # Calls

    def call(self, node: gast.Call) -> gast.expr:
        """A call: `len`, copies, and new records."""
        meaning = self.meant(node.func)
        self.arrange(node)
        if meaning is not None and any(meaning is each for each in _MADE):
            found = self.new_of_dtype(node, meaning)
            if found is not None:
                return found
        if len(node.args) == 1 and (meaning is len or any(meaning is each for each in _MADE_LIKE)):
            node.args = [node.args[0] if isinstance(node.args[0], gast.Starred) else self.part(node.args[0])]
            held = self.records(node.args[0])
            if held is not None and not node.keywords and (held.index is None or meaning is np.copy):
                first = next(iter(held.arrays.values()))
                return super().call(call("len", load(first))) if meaning is len else self.made_like(held, node.func)
        return super().call(node)

    def method(self, receiver: Structure, name: str, node: gast.Call) -> gast.expr:
        """A method of a structure."""
        held = self.records(receiver)
        if held is None:
            return super().method(receiver, name, node)
        if name != "copy" or node.args or node.keywords:
            self.refuse(RECORDS_METHOD, name=name)
        return self.made_like(held, dotted("np.copy"))

    def made_like(self, held: Fields, function: gast.expr) -> Structure:
        """Records in new arrays."""
        if held.index is None:
            arrays = {name: self.fresh_array(clone(function), load(array)) for name, array in held.arrays.items()}
            return self.some(held, held.layout.ndim, arrays, None)
        copied = {name: self.entry_of(held, name) for name in held.layout.names}
        arrays = {name: self.allocated("np.empty", held.layout, name, [const(1)]) for name in copied}
        made = self.some(held, 0, arrays, (const(0),))
        for name, value in copied.items():
            self.put(made, name, value)
        return made

    def fresh_array(self, function: gast.expr, *arguments: gast.expr) -> str:
        """A variable for an array that a function makes."""
        return str(self.as_name(self.held_in_atom(gast.Call(func=function, args=list(arguments), keywords=[]))).id)

    def allocated(self, function: str, layout: Layout, name: str, sizes: list[gast.expr]) -> str:
        """An array for a field."""
        kind, inner = layout.field(name)
        shape = tuple_of(*map(clone, sizes), *map(const, inner))
        return self.fresh_array(dotted(function), shape, dotted(f"np.{'bool_' if kind.kind == 'b' else kind.name}"))

    def new_of_dtype(self, node: gast.Call, function: Any) -> Structure | None:
        """`np.zeros(n, dtype)` where the dtype has fields."""
        given = [*node.args[1:2], *(each.value for each in node.keywords if each.arg == "dtype")]
        dtype = notes_of(given[0]).record_dtype if given else None
        if dtype is None or len(node.args) + len(node.keywords) != 2:
            return None
        size = self.part(node.args[0])
        sizes = self.parts(size) if isinstance(size, Structure) else [self.kept(self.held_in_atom(size))]
        layout = Layout(np.ndarray, dtype, len(sizes))
        if not sizes or any(layout.field(name)[0].kind not in "fciub" for name in layout.names):
            self.refuse(RECORDS_MADE)
        arrays = {name: self.allocated(f"np.{function.__name__}", layout, name, sizes) for name in layout.names}
        return new_records(self.memory, layout, arrays, None)


def _place(index: tuple[Any, ...]) -> gast.expr:
    parts = [clone(each) for each in index]
    return parts[0] if len(parts) == 1 else gast.Tuple(elts=parts, ctx=gast.Load())
