"""Structure passing: structures are passed part by part to functions that are lowered separately.

    go((a, b), n)          becomes          t = go(a, b, n)          where `go` knows that its first two are a tuple

Tuples can be returned as well. The called function cannot change such a structure, since the caller would not see the
change.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import gast

from srcad.errors import Place
from srcad.names import Names
from srcad.refusals.large_functions import (
    DIFFERENT_LENGTHS,
    GROWING_LIST_ARGUMENT,
    RECORDS_ARGUMENT,
    STRUCTURE_RESULT,
    UNCLEAR_STRUCTURE_ARGUMENT,
)
from srcad.transforms.ir.build import assign, clone, const, load, place_of, subscript
from srcad.transforms.ir.pytree_form import Form as Structured
from srcad.transforms.ir.pytree_form import Part
from srcad.transforms.lowering.structures.abstract_state import (
    Callee,
    Chosen,
    Fields,
    Grown,
    Lost,
    Memory,
    Packed,
    Structure,
)

# None for a number or an array; for a structure its class and the forms of its parts.
Form: TypeAlias = "tuple[type, tuple[tuple[Any, Any], ...]] | None"


@dataclass(frozen=True)
class Fixed:
    """The form of a part that is a function, a text or None: it is not passed, since it is part of the form."""

    text: str
    value: gast.expr = field(compare=False)


def _fixed(value: gast.expr) -> Fixed | None:
    """The form of a function, a text or None; None for others."""
    if isinstance(value, Callee):
        return Fixed(str(gast.dump(value.path)), value)
    if isinstance(value, gast.Constant) and isinstance(value.value, (str, bytes, type(None))):
        return Fixed(repr(value.value), value)
    return None


def form_of(value: gast.expr, memory: Memory, place: Place | None = None) -> Any:
    """The form of an argument of a call at a place.

    >>> memory = Memory()
    >>> form_of(memory.new(dict, {"w": load("w"), "b": load("b")}), memory)
    (<class 'dict'>, (('w', None), ('b', None)))
    """
    if not isinstance(value, Structure):
        return _fixed(value) if isinstance(value, Callee) else None
    held, place = memory.cells[value.cell], place_of(value) or place
    if isinstance(held, Lost):
        raise UNCLEAR_STRUCTURE_ARGUMENT.at(place, forms=held.reason)
    if isinstance(held, Grown):
        raise GROWING_LIST_ARGUMENT.at(place)
    if isinstance(held, Fields):
        raise RECORDS_ARGUMENT.at(place)
    if isinstance(held, Packed):
        return Packed, held.layout
    if value.cell.type is Chosen:
        raise UNCLEAR_STRUCTURE_ARGUMENT.at(place, forms="one function or another")
    return value.cell.type, tuple((key, _fixed(part) or form_of(part, memory, place)) for key, part in held.items())


def leaves_of(value: gast.expr, caller: Any) -> list[gast.expr]:
    """The numbers and arrays in an argument, from left to right."""
    if isinstance(value, Callee):
        return []
    if not isinstance(value, Structure):
        return [caller.held_in_atom(value)]
    held = caller.memory.cells[value.cell]
    if isinstance(held, Packed):
        return [load(name) for name in (held.count, *held.arrays)]
    return [leaf for part in held.values() if _fixed(part) is None for leaf in leaves_of(part, caller)]


def received(name: str, form: Any, memory: Memory, names: Names, function: str) -> list[str]:
    """The parameters that replace a parameter; the structure that it stands for is built from them."""
    if form is None:
        memory.opaque.add(name)
        return [name]
    if isinstance(form, Fixed):
        memory.names[name] = form.value
        return []
    parameters: list[str] = []
    memory.bind(name, _built(name, form, memory, names, parameters, function))
    return parameters


def _built(name: str, form: Any, memory: Memory, names: Names, parameters: list[str], function: str) -> Structure:
    kind, parts = form
    frozen = f"handed to `{function}`, which calls itself or is large"
    if kind is Packed:
        own = [names.fresh(f"{name}_{key}") for key in parts.keys]
        parameters += own
        long = memory.new(list, {}, frozen)
        memory.cells[long.cell] = Packed(parts, own[0], tuple(own[1:]))
        return long
    contents: dict[Any, gast.expr] = {}
    for key, inner in parts:
        wish = f"{name}_{key}" if f"{name}_{key}".isidentifier() else name
        if inner is None:
            parameters.append(names.fresh(wish))
            contents[key] = load(parameters[-1])
        elif isinstance(inner, Fixed):
            contents[key] = clone(inner.value)
        else:
            contents[key] = _built(wish, inner, memory, names, parameters, function)
    made = memory.new(kind, contents, frozen)
    memory.arguments.add(made.cell)  # only its caller knows which object it is
    return made


def inside(around: Memory, function: str) -> Memory:
    """The outer state as seen by a separately lowered function, which runs when it may have changed."""
    lost = Lost(f"a structure outside of `{function}`, which calls itself or is large")
    names = {
        name: lost if isinstance(held, Structure) or (isinstance(held, Callee) and name not in around.steady) else held
        for name, held in around.names.items()
    }
    return Memory(
        names,
        steady=around.steady,
        rebound=around.rebound,
        closed=around.closed,
        opaque=around.opaque,
        functions=around.functions,
    )


def at_call(around: Memory, function: str) -> tuple[Memory, Hashable]:
    """The outer state as seen by a function that is lowered separately for one call, which cannot change it.

    Together with it a key: functions that are lowered in states with the same key read the same structures.
    """
    memory = around.copy()
    memory.known.clear()
    memory.extents.clear()
    memory.frozen |= dict.fromkeys(memory.cells, f"outside of `{function}`, whose derivative is taken")
    held = {name: each for name, each in memory.names.items() if isinstance(each, (Structure, Callee))}
    return memory, tuple((name, _contents(each, memory)) for name, each in sorted(held.items()))


def _contents(value: gast.expr, memory: Memory) -> Hashable:
    if not isinstance(value, Structure):
        return str(gast.dump(value.path if isinstance(value, Callee) else value))
    held = memory.cells[value.cell]
    if not isinstance(held, dict):
        return id(held)
    return value.cell.type, tuple((key, _contents(part, memory)) for key, part in held.items())


def returned_length(tree: gast.FunctionDef) -> int | None:
    """The length of the tuples that a function returns, if all have the same length.

    >>> returned_length(gast.parse("def f(x, n): return x, n").body[0])
    2
    """
    lengths = {len(value.elts) if isinstance(value, gast.Tuple) else None for value in _returned(tree.body)}
    return next(iter(lengths - {None}), None) if len(lengths - {None}) == 1 else None


def _returned(body: list[gast.stmt]) -> list[gast.expr | None]:
    found: list[gast.expr | None] = []
    for statement in body:
        if isinstance(statement, gast.Return):
            found.append(statement.value)
        elif not isinstance(statement, gast.FunctionDef):
            for block in ("body", "orelse"):
                found += _returned(getattr(statement, block, []))
    return found


def parts_of_result(result: gast.Name, length: int | None, caller: Any, place: Place | None) -> gast.expr:
    """The value of a call: a tuple of names where the function returns a tuple."""
    if length is None:
        return result
    parts: dict[Any, gast.expr] = {}
    for position in range(length):
        part = caller.names.temporary()
        caller.emit(assign(part, subscript(load(result.id), const(position)), place))
        caller.memory.learn(part, subscript(load(result.id), const(position)))
        parts[position] = load(part)
    made: Structure = caller.memory.new(tuple, parts)
    return made


def check_length(tree: gast.FunctionDef, result: gast.expr, last: gast.stmt) -> None:
    """Refuse a function that returns a tuple on some paths, and something else on others."""
    length = returned_length(tree)
    found = len(result.elts) if isinstance(result, gast.Tuple) else None
    if length is not None and found != length:
        raise DIFFERENT_LENGTHS.at(place_of(last))


def check_form(form: Part, last: gast.stmt) -> None:
    """Refuse a function that returns a list, a dictionary or an object."""
    if isinstance(form, Structured):
        raise STRUCTURE_RESULT.at(place_of(last), type=form.type.__name__)
