"""List arrays: lists whose length is known only at run time become arrays with spare room, of the elements' type.

    list = kernels.new_list(16)                     list = np.empty(16)
    list = kernels.appended(list, count, v)         if count == list.shape[0]:
                                                        list = kernels.longer(list)
                                                    list[count] = v
    w = kernels.element(list, i)                    w = list[i]

The type of the elements, numbers or arrays of one shape, comes from type inference: Numba infers a version with Numba's
lists; where that fails, the values appended in sample runs decide. Arrays are copied when they are appended and when
they are read; `list_aliasing` refuses programs in which that would make a difference.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import gast
from numba import types as nb

from srcad.names import Names
from srcad.refusals.long_lists import LIST_ELEMENT_TYPE, REPEATED_ARRAY
from srcad.runtime import kernels
from srcad.runtime.jit.numba_inference import CannotType
from srcad.transforms.inference.execution_tracing import Conflict, joined, watch
from srcad.transforms.inference.type_inference import types_of_part, types_of_some
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    branch,
    call,
    const,
    dotted,
    dotted_path,
    load,
    place_of,
    rewrite,
    subscript,
    tuple_of,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.type_decided_branches import rank_of, without_decided

_PREFIX = "kernels."
_STORES = ("appended", "filled", "replaced")
_MAKERS = ("new_list", "listed", "repeated")
_NAMES = frozenset({*_STORES, *_MAKERS, "removed", "shifted", "element", "elements"})


def with_lists(code: Code) -> Code:
    """Replace lists by arrays, for the types of the parameters, or for those that were observed."""
    unit, observed = code.unit, code.settings.observed
    if not any(_operation(each) for each in walk_statements(code.body)):
        return code
    known = _inferred(unit, code.signature) if observed is None else _watched(unit, observed.samples)
    return code.with_unit(_rewritten(unit, known))


def with_lists_of_floats(unit: Unit) -> Unit:
    """Replace lists by arrays of floats."""
    return _rewritten(unit, {}) if any(_operation(each) for each in walk_statements(unit.tree.body)) else unit


def _rewritten(unit: Unit, known: Mapping[str, nb.Type]) -> Unit:
    names = unit.names.copy()
    tree = unit.copy_tree()
    tree.body = rewrite(tree.body, _Writer(names, known).statement)
    return unit.with_tree(tree, names=names, bindings={**unit.bindings, "kernels": kernels})


def _operation(statement: gast.stmt) -> str | None:
    """The list operation of a statement, or None."""
    match statement:
        case gast.Assign(value=gast.Call(func=function)):
            path = dotted_path(function) or ""
            name = path.removeprefix(_PREFIX)
            return name if path.startswith(_PREFIX) and name in _NAMES else None
    return None


# Types of elements


def _inferred(unit: Unit, types: tuple[nb.Type, ...]) -> dict[str, nb.Type]:
    """The types of elements, by Numba's inference with lists that are made once and only appended to."""
    tree = unit.copy_tree()
    operations = [(str(written(each)), _operation(each)) for each in walk_statements(tree.body)]
    lists = list(dict.fromkeys(name for name, operation in operations if operation in _MAKERS))
    filled = {name for name, operation in operations if operation in (*_STORES, "listed", "repeated")}
    body = _inferable(tree.body)

    def inferred(empty: Collection[str]) -> dict[str, nb.Type]:
        first = [assign(name, gast.List(elts=[] if name in empty else [const(0.0)], ctx=gast.Load())) for name in lists]
        tree.body = [*first, *body]
        kinds = _types_of_lists(unit.with_tree(tree), types, lists)
        return {name: nb.unliteral(kind.dtype) for name, kind in kinds.items() if isinstance(kind, nb.List)}

    try:
        return inferred(filled)
    except CannotType as problem:
        try:
            return inferred(())  # code that Numba knows to be unreachable gives appended values no type
        except CannotType:
            raise problem from None


def _types_of_lists(unit: Unit, types: tuple[nb.Type, ...], lists: list[str]) -> Mapping[str, nb.Type]:
    """The types of lists; where Numba cannot type the whole unit, of one without the branches that ranks decide."""
    asked: dict[str, object] = {}
    while True:
        try:
            kinds = types_of_some(unit, types, [*lists, *asked])
        except CannotType:
            less = without_decided(unit, types_of_part(unit, types), asked)
            if less is unit:
                raise
            unit = less
            continue
        if all(rank_of(kinds[name]) == asked[name] for name in asked if name in kinds):
            return kinds
        raise CannotType("the rank of an array is not known before that of a list", None)


def _inferable(block: Block) -> Block:
    result: Block = []
    for statement in block:
        for inner in ("body", "orelse"):
            if isinstance(statement, (gast.If, gast.For, gast.While)):
                setattr(statement, inner, _inferable(getattr(statement, inner)))
        operation = _operation(statement)
        arguments = statement.value.args if operation else []
        if operation == "element":
            statement.value = subscript(*arguments)
        elif operation in ("new_list", "removed", "shifted"):
            statement = gast.Pass()
        elif operation and operation != "elements":
            value = arguments[2] if operation in _STORES else arguments[0]
            value = subscript(value, const(0)) if operation == "listed" else value
            method = gast.Attribute(value=load(str(written(statement))), attr="append", ctx=gast.Load())
            appended = gast.Expr(value=gast.Call(func=method, args=[value], keywords=[]))
            statement = at(appended, place_of(statement))
        result.append(statement)
    return result


def _watched(unit: Unit, samples: Sequence[tuple[Any, ...]]) -> dict[str, nb.Type]:
    """The types of elements, from the values appended in runs on these arguments."""
    names = unit.names.copy()
    tree = unit.copy_tree()
    values: list[tuple[str, str]] = []

    def noted(block: Block) -> Block:
        result: Block = []
        for statement in block:
            for inner in ("body", "orelse"):
                if isinstance(statement, (gast.If, gast.For, gast.While)):
                    setattr(statement, inner, noted(getattr(statement, inner)))
            operation = _operation(statement)
            if operation in (*_STORES, "repeated", "listed"):
                value = statement.value.args[2 if operation in _STORES else 0]
                name = names.temporary()
                one = call("kernels.element", value, const(0)) if operation == "listed" else value
                result.append(assign(name, one, place_of(statement)))
                values.append((str(written(statement)), name))
            result.append(statement)
        return result

    tree.body = noted(tree.body)
    try:
        noting = unit.with_tree(tree, names=names, bindings={**unit.bindings, "kernels": kernels})
        found = watch(noting, samples, wanted={value for _, value in values}).types
        kinds: dict[str, nb.Type] = {}
        for name, value in values:
            kind = found.get(value)
            if kind is not None:
                kinds[name] = joined(name, kinds[name], kind) if name in kinds else kind
    except Conflict as conflict:
        raise conflict.as_error(unit) from None
    return kinds


# Arrays in place of lists


class _Writer:
    """Writes arrays for lists; `known` has the types of the elements."""

    def __init__(self, names: Names, known: Mapping[str, nb.Type]) -> None:
        self.names, self.known = names, known

    def statement(self, statement: Any) -> Block:
        """The statements that replace a statement."""
        operation = _operation(statement)
        if operation is None:
            return [statement]
        made: Block = getattr(self, operation)(str(written(statement)), statement, *statement.value.args)
        return [each if place_of(each) is not None else at(each, place_of(statement)) for each in made]

    def kind(self, name: str, statement: gast.stmt) -> tuple[nb.Type, int]:
        """The type of the numbers in a list, and the rank of the arrays in it."""
        kind = self.known.get(name, nb.float64)
        number = kind.dtype if isinstance(kind, nb.Array) else kind
        if not isinstance(number, (nb.Integer, nb.Boolean, nb.Float, nb.Complex)):
            raise LIST_ELEMENT_TYPE.at(place_of(statement), kind=kind)
        number = nb.int64 if isinstance(number, nb.Integer) else number
        return number, kind.ndim if isinstance(kind, nb.Array) else 0

    def dtype(self, number: nb.Type) -> list[gast.expr]:
        """The dtype argument, omitted for float64."""
        path = "bool_" if isinstance(number, nb.Boolean) else str(number)
        return [] if number == nb.float64 else [dotted(f"np.{path}")]

    def new_list(self, name: str, statement: gast.stmt, room: gast.expr) -> Block:
        number, rank = self.kind(name, statement)
        shape = room if rank == 0 else tuple_of(*[const(0)] * (rank + 1))
        return [assign(name, call("np.empty", shape, *self.dtype(number)))]

    def repeated(self, name: str, statement: gast.stmt, value: gast.expr, times: gast.expr) -> Block:
        number, rank = self.kind(name, statement)
        if rank:
            raise REPEATED_ARRAY.at(place_of(statement))
        return [assign(name, call("np.full", times, value, *(self.dtype(number) or [dotted("np.float64")])))]

    def listed(self, name: str, statement: gast.stmt, array: gast.expr) -> Block:
        number, _ = self.kind(name, statement)
        return [assign(name, call("np.astype", array, *(self.dtype(number) or [dotted("np.float64")])))]

    def appended(self, name: str, statement: gast.stmt, held: gast.expr, count: gast.expr, value: gast.expr) -> Block:
        _, rank = self.kind(name, statement)
        room, full = self.names.temporary(), self.names.temporary()
        longer = call("kernels.longer_rows", load(name), value) if rank else call("kernels.longer", load(name))
        shape = self.names.temporary()
        return [
            assign(shape, gast.Attribute(value=load(name), attr="shape", ctx=gast.Load())),
            assign(room, subscript(load(shape), const(0))),
            assign(full, gast.Compare(left=count, ops=[gast.Eq()], comparators=[load(room)])),
            branch(load(full), [at(assign(name, longer), place_of(statement))], [], place_of(statement)),
            *self.replaced(name, statement, held, count, value),
        ]

    def filled(self, name: str, statement: gast.stmt, held: gast.expr, count: gast.expr, value: gast.expr) -> Block:
        """One more element, for which the list has room; a list of arrays gets its room with the first array."""
        how = self.appended if self.kind(name, statement)[1] else self.replaced
        return how(name, statement, held, count, value)

    def replaced(self, name: str, statement: gast.stmt, held: gast.expr, place: gast.expr, value: gast.expr) -> Block:
        _, rank = self.kind(name, statement)
        checks: Block = []
        for axis in range(rank):
            first, second, same = (self.names.temporary() for _ in range(3))
            row, shape = self.names.temporary(), self.names.temporary()
            checks += [
                assign(row, gast.Attribute(value=load(name), attr="shape", ctx=gast.Load())),
                assign(first, subscript(load(row), const(axis + 1))),
                assign(shape, gast.Attribute(value=value, attr="shape", ctx=gast.Load())),
                assign(second, subscript(load(shape), const(axis))),
                assign(same, gast.Compare(left=load(first), ops=[gast.Eq()], comparators=[load(second)])),
                gast.Assert(test=load(same), msg=const("the arrays in a list are not of one shape")),
            ]
        store = at(assign(subscript(load(name), place, store=True), value), place_of(statement))
        return [*checks, note(store, puts_into_list=bool(rank))]

    def removed(self, name: str, statement: gast.stmt, held: gast.expr, count: gast.expr, position: gast.expr) -> Block:
        return self.moved(name, count, position, gast.Sub())

    def shifted(self, name: str, statement: gast.stmt, held: gast.expr, count: gast.expr, position: gast.expr) -> Block:
        return self.moved(name, count, position, gast.Add())

    def moved(self, name: str, count: gast.expr, position: gast.expr, op: gast.operator) -> Block:
        """Move the elements from a position on by one place up, or those after it by one place down."""
        behind, rest, moved, last = (self.names.temporary() for _ in range(4))
        one, other = (position, count), (load(behind), load(last))
        first, second = (one, other) if isinstance(op, gast.Add) else ((load(behind), count), (position, load(last)))
        return [
            assign(behind, gast.BinOp(left=position, op=gast.Add(), right=const(1))),
            assign(last, gast.BinOp(left=count, op=op, right=const(1))),
            assign(rest, subscript(load(name), gast.Slice(*first, None))),
            assign(moved, call("np.copy", load(rest))),
            assign(subscript(load(name), gast.Slice(*second, None), store=True), load(moved)),
        ]

    def element(self, name: str, statement: gast.stmt, held: gast.Name, position: gast.expr) -> Block:
        _, rank = self.kind(held.id, statement)
        if rank == 0:
            return [assign(name, subscript(held, position))]
        view = self.names.temporary()
        copied = at(assign(name, call("np.copy", load(view))), place_of(statement))
        return [assign(view, subscript(held, position)), note(copied, copies_list_element=True)]

    def elements(self, name: str, statement: gast.stmt, held: gast.Name, count: gast.expr) -> Block:
        view = self.names.temporary()
        whole = gast.Slice(lower=None, upper=count, step=None)
        return [assign(view, subscript(held, whole)), assign(name, call("np.copy", load(view)))]
