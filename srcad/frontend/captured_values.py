"""The expressions that replace captured objects in the tree: numbers, functions, arrays and structures."""

from __future__ import annotations

import enum
import importlib
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

import gast
import numpy as np

from srcad.errors import Place
from srcad.frontend.scope import Meaning, Method, Procedure, call_of, is_array, is_static
from srcad.refusals.names_and_functions import LARGE_CAPTURE, UNSUPPORTED_CAPTURE
from srcad.runtime.rulebook.stand_ins import StandIn, stand_in_for
from srcad.runtime.support.labelled_kinds import is_labelled
from srcad.runtime.support.structured_arguments import attributes, is_object
from srcad.transforms.ir.build import at as placed_at
from srcad.transforms.ir.build import call, const, dotted
from srcad.transforms.ir.canonical_names import MODULES, constant_path, library_path, literal, module_path, path_of
from srcad.transforms.ir.constant_conditions import known_key
from srcad.transforms.ir.cost_model import MOST_PARTS
from srcad.transforms.ir.node_notes import note
from srcad.transforms.lowering.lowering_context import Draft
from srcad.transforms.lowering.structures.abstract_state import Captured


def part_of_captured(node: gast.expr, meaning: Callable[[gast.expr], Meaning | None]) -> Meaning | None:
    """A column of a captured table of pandas, `table["name"]`, or the array in one, `column.to_numpy()`; else None.

    Also the member of an enumeration, `Kind["NAME"]`.
    """
    match node:
        case gast.Subscript(value=gast.Name() | gast.Attribute() as value, slice=gast.Constant(value=str() as key)):
            base = meaning(value)
            if base is not None and is_labelled(type(base.value)) and key in base.value:
                return base.entry(key)
            if base is not None and isinstance(base.value, enum.EnumMeta) and key in base.value.__members__:
                return base.attribute(key)
        case gast.Call(func=gast.Attribute(value=value, attr="to_numpy"), args=[], keywords=[]):
            base = meaning(value)
            if base is not None and is_labelled(type(base.value)):
                return base.attribute("values")
    return None


def is_method_of_labelled(base: Meaning, name: str) -> bool:
    """Whether an attribute of a captured object is a method of pandas or xarray, which is not looked into."""
    return is_labelled(type(base.value)) and isinstance(getattr(type(base.value), name, None), FunctionType)


# Objects of NumPy that are used with brackets.
_SUBSCRIPTED = {f"np.{name}": getattr(np, name) for name in ("s_", "index_exp", "r_", "c_", "mgrid", "ogrid")}


def spell(meaning: Meaning, draft: Draft, at: Place | None, wish: str = "captured") -> gast.expr:
    """The expression for an object that is known at compile time.

    A captured array becomes a hidden parameter; numbers and functions are noted, so that a change of them is noticed.
    Raises UnsupportedSyntax for objects that cannot be captured.
    """
    value = meaning.value
    if is_array(value):
        node: gast.expr = dotted(draft.capture(meaning.owner, meaning.key, wish))
    elif (stand_in := stand_in_for(value)) is not None:
        node = _spell_stand_in(meaning, stand_in, draft, at, wish)
    elif (path := path_of(value)) is not None:
        node = dotted(path)
        if meaning.key != path.rpartition(".")[2]:  # `act = np.tanh` may be rebound; `tanh` cannot
            _note_callable(meaning, draft)
    elif (known := literal(value)) is not None:
        node = _spell_number(meaning, known, draft)
    elif (name := next((name for name, each in _SUBSCRIPTED.items() if each is value), None)) is not None:
        node = dotted(name)
    elif isinstance(value, slice):
        node = _spell_slice(meaning, draft, at)
    elif isinstance(value, np.dtype):
        node = spell(Meaning(value.type), draft, at)
        if value.names is not None:
            note(node, record_dtype=value)
            if meaning.owner is not None:
                draft.freeze(meaning.owner, meaning.key, value)
    elif type(value) is tuple:
        elements = [spell(meaning.element(i), draft, at, wish) for i in range(len(value))]
        node = gast.Tuple(elts=elements, ctx=gast.Load())
    elif isinstance(value, (set, frozenset)) and None not in map(literal, value):
        if meaning.owner is not None:
            draft.freeze(meaning.owner, meaning.key, type(value)(value))
        node = Captured(value, tuple(value), [literal(each) for each in value])
    elif isinstance(value, (list, dict)) or _is_named_tuple(value) or (is_object(type(value)) and _is_read(value)):
        node = _spell_structure(meaning, draft, at, wish)
    elif is_static(value) and not isinstance(value, ModuleType):
        node = _spell_function(meaning, draft, wish)
    else:
        raise UNSUPPORTED_CAPTURE.at(at, name=wish, type=type(value).__name__)
    return placed_at(node, at)


def _is_named_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(type(value), "_fields")


def _is_read(value: Any) -> bool:
    """Whether an object is captured by its attributes. If it can be called, all of them must be capturable."""
    return not callable(value) or (call_of(value) is not None and _is_captured(value))


def _is_captured(value: Any, above: tuple[int, ...] = ()) -> bool:
    """Whether an object can be captured with everything in it; one that contains itself cannot."""
    if is_array(value) or path_of(value) is not None or literal(value) is not None or isinstance(value, np.dtype):
        return True
    if stand_in_for(value) is not None:
        return True
    if id(value) in above:
        return False
    parts: Iterable[Any]
    if isinstance(value, (list, tuple)):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    elif is_object(type(value)) and (not callable(value) or call_of(value) is not None):
        parts = [getattr(value, name) for name in attributes(value)]
    else:
        return is_static(value) and not isinstance(value, ModuleType)
    return all(_is_captured(each, (*above, id(value))) for each in parts)


def _spell_slice(meaning: Meaning, draft: Draft, at: Place | None) -> gast.expr:
    """A captured slice: its bounds are numbers."""
    bounds = [const(None) if each is None else literal(each) for each in _bounds(meaning.value)]
    if any(each is None for each in bounds):
        raise UNSUPPORTED_CAPTURE.at(at, name="a bound of a slice", type="object")
    if meaning.owner is not None:
        draft.freeze(meaning.owner, meaning.key, meaning.value)
    return call("slice", *bounds)


def _bounds(value: slice) -> tuple[Any, Any, Any]:
    return value.start, value.stop, value.step


def _spell_structure(meaning: Meaning, draft: Draft, at: Place | None, wish: str) -> gast.expr:
    """A captured list, dictionary or object: it is captured part by part, and cannot be changed by the function."""
    value, parts = meaning.value, dict[Any, Meaning]()
    draft.freeze(meaning.layout[0], "layout", meaning.layout[1])
    if isinstance(value, (list, tuple)):
        parts = {k: meaning.element(k) for k in range(len(value))}
    elif isinstance(value, dict):
        parts = {key: meaning.entry(key) for key in value}
    else:
        parts = {name: meaning.attribute(name) for name in attributes(value)}
    if len(parts) > MOST_PARTS:
        raise LARGE_CAPTURE.at(at, name=wish, count=len(parts))
    nodes = {key: spell(each, draft, at, f"{wish}_{key}") for key, each in parts.items()}
    return Captured(value, tuple(map(known_key, nodes)), list(nodes.values()))


def _spell_stand_in(meaning: Meaning, stand_in: StandIn, draft: Draft, at: Place | None, wish: str) -> gast.expr:
    """An object of a library, as one of ours whose attributes are read from it."""
    parts = meaning.standing()
    draft.freeze(parts, "its class", type(meaning.value))
    nodes = [spell(Meaning(parts[name], parts, name), draft, at, f"{wish}_{name}") for name in stand_in.parts]
    node = Captured(meaning.value, tuple(stand_in.parts), nodes)
    node.kind = stand_in.kind
    return node


def _spell_number(meaning: Meaning, known: gast.expr, draft: Draft) -> gast.expr:
    path = constant_path(meaning.value)
    home = getattr(meaning.owner, "held", None)
    if meaning.owner is not None and not any(home is module for module in MODULES.values()):
        draft.freeze(meaning.owner, meaning.key, meaning.value)
    return known if path is None else dotted(path)


def _spell_function(meaning: Meaning, draft: Draft, wish: str) -> gast.expr:
    value = meaning.value
    home = getattr(meaning.owner, "held", None)
    if isinstance(home, ModuleType) and not isinstance(value, FunctionType):
        found = module_path(value, str(meaning.key), home)
        if found is not None:
            root, attributes = found
            return dotted(".".join([draft.bind(root, importlib.import_module(root)), *attributes]))
    _note_callable(meaning, draft)
    path = f"itertools.{value.__name__}" if is_of_itertools(value) else library_path(value)
    if path is not None:
        root, _, rest = path.partition(".")
        return dotted(f"{draft.bind(root, importlib.import_module(root))}.{rest}")
    return dotted(draft.bind(getattr(value, "__name__", wish).strip("<>") or wish, value))


def is_of_itertools(value: Any) -> bool:
    """Whether an object is an iterator of itertools, however it was imported."""
    return isinstance(value, type) and value.__module__ == "itertools"


def _note_callable(meaning: Meaning, draft: Draft) -> None:
    """Note which callable a captured name is bound to, so that a call after a rebinding does not use the old code."""
    if meaning.owner is not None and callable(meaning.value) and not isinstance(meaning.value, Procedure | Method):
        draft.freeze(meaning.owner, meaning.key, meaning.value)
