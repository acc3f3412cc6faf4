"""Structured parameters in lowering: their leaves become the parameters of core form."""

from __future__ import annotations

from collections.abc import Iterator

import gast

from srcad.errors import Place
from srcad.frontend.captured_values import spell
from srcad.frontend.load_source import Source
from srcad.frontend.scope import Meaning
from srcad.runtime.rulebook.stand_ins import stand_in_for
from srcad.transforms.ir.build import const, load
from srcad.transforms.ir.canonical_names import literal
from srcad.transforms.ir.constant_conditions import known_key
from srcad.transforms.ir.pytree_form import LEAF, Form, Leaf, Part, RecordForm
from srcad.transforms.lowering.lists.record_arrays import new_records
from srcad.transforms.lowering.lowering_context import Draft
from srcad.transforms.lowering.structures.abstract_state import PLAIN, Callee, Captured, Lost, Memory, Packed
from srcad.transforms.lowering.structures.list_packing import LongForm


def given_parameter(name: str, variable: str, part: Part, source: Source, memory: Memory, draft: Draft) -> list[str]:
    """The names of the variables for a parameter: its own, or those of the leaves of a structure."""
    if part is LEAF:
        return [variable]
    leaves = list(part.names(name, draft.names.fresh)) if isinstance(part, Form) else []
    memory.steady.update(leaves)
    memory.names[variable] = _given(part, iter(leaves), source.place(source.tree), memory, draft)
    return leaves


def _given(part: Part, leaves: Iterator[str], place: Place, memory: Memory, draft: Draft) -> gast.expr:
    """The abstract value of an argument, or of a part of one, when lowering begins."""
    if isinstance(part, LongForm):
        count, *arrays = (next(leaves) for _ in part.keys)
        long = memory.new(list, {})
        memory.cells[long.cell] = Packed(part.layout, count, tuple(arrays))
        memory.names |= dict.fromkeys((count, *arrays), PLAIN)
        return long
    if isinstance(part, RecordForm):
        fields = {str(name): next(leaves) for name in part.keys}
        memory.names |= dict.fromkeys(fields.values(), PLAIN)
        return new_records(memory, part.layout, fields, None if part.layout.ndim else (const(0),))
    if isinstance(part, Form):
        held = [_given(each, leaves, place, memory, draft) for each in part.parts]
        made = memory.new(part.type, dict(zip(map(known_key, part.keys), held, strict=True)))
        memory.arguments.add(made.cell)
        return made
    if isinstance(part, Leaf):
        return load(next(leaves))
    if stand_in_for(part.value) is not None:
        return _built(spell(Meaning(part.value), draft, place, "argument"), memory)
    if literal(part.value) is None and not callable(part.value):
        made = memory.new(type(part.value), {})
        memory.cells[made.cell] = Lost("one of many objects of its class")
        return made
    node = spell(Meaning(part.value), draft, place, "argument")
    return Callee(node) if callable(part.value) and not isinstance(part.value, type) else node


def _built(node: gast.expr, memory: Memory) -> gast.expr:
    """The structure that stands for an object of a library."""
    if isinstance(node, Captured):
        held = {key: _built(each, memory) for key, each in zip(node.keys, node.values, strict=True)}
        return memory.new(node.kind, held, "it is an object of a library", node.origin)
    if isinstance(node, gast.Tuple):
        return memory.new(tuple, dict(enumerate(_built(each, memory) for each in node.elts)))
    return node
