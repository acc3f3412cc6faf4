"""In-place resolution: decide by types whether operators work in place, and coalesce names of the same array.

    x_2 = operator.iadd(x, v)    becomes    x_2 = x + v      where x is a number
                                            x[...] += v      where it is an array; x_2 is then x
    b = a; ... b[i]              becomes    a[i]             where a is an array
    t = (a, b); ... t[0]         becomes    a

Afterwards, two array names that are each stored once refer to two different arrays, or to a view and its base.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.names import Names
from srcad.refusals.numpy_calls import INTEGER_OUTPUT
from srcad.refusals.types_and_results import ZERO_DIMENSIONAL_WRITE
from srcad.runtime import kernels
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    augment,
    binary,
    call,
    const,
    dotted,
    dotted_path,
    end_of_chain,
    load,
    place_of,
    rewrite,
    rewrite_names,
    subscript,
    tuple_of,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types, carries_derivatives, is_complex
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.pass_names import ELEMENTWISE_FUSION
from srcad.transforms.lowering.calls.array_like_arguments import with_operands
from srcad.transforms.normalise.length_checks import without_known_lengths
from srcad.transforms.normalise.operands_apart import with_operands_apart

IN_PLACE: dict[str, type[gast.operator]] = {
    "iadd": gast.Add,
    "isub": gast.Sub,
    "imul": gast.Mult,
    "itruediv": gast.Div,
    "ipow": gast.Pow,
    "ifloordiv": gast.FloorDiv,
    "imod": gast.Mod,
    "imatmul": gast.MatMult,
    "iand": gast.BitAnd,
    "ior": gast.BitOr,
    "ixor": gast.BitXor,
    "ilshift": gast.LShift,
    "irshift": gast.RShift,
}
OF_COMPLEX = {
    **dict.fromkeys(("abs", "np.abs", "operator.abs"), "kernels.modulus"),
    "np.imag": "kernels.imaginary",
    "np.angle": "kernels.argument",
    "np.sign": "kernels.direction",
    "kernels.determinant_sign": "kernels.determinant_direction",
}
STORED_DIRECTLY = (gast.Add, gast.Sub, gast.Mult, gast.Div)


def settle(code: Code) -> Code:
    """Resolve in-place operators, coalesce copies of array references, replace tuple variables."""
    types = code.types
    unit = without_known_lengths(code.unit, types)
    tree = unit.copy_tree()
    names = unit.names.copy()
    bindings = {"np": np, "kernels": kernels, **unit.bindings}
    same: dict[str, str] = {}
    kinds = dict(types.of)
    types = Types(kinds, types.result)
    for statement in walk_statements(tree.body):
        if notes_of(statement).unset:
            statement.value = blank(types.get(str(written(statement))))
            note(statement, unset=False)
    for statement in walk_statements(tree.body):
        _spell_complex(statement, types)
        if notes_of(statement).must_not_truncate:
            _refuse_truncation(statement, types)
    _refuse_single_elements(tree.body, types)
    tree.body = with_operands(tree.body, kinds, names, bindings)
    tree.body = rewrite(tree.body, partial(_in_place, types, names, same, _store_counts(tree.body)))
    tree.body = _without_tuples(tree.body)
    _merge_references(tree, types, same)
    settled = code.with_unit(unit.with_tree(tree, names=names, bindings=bindings), types)
    return settled if unit.does(ELEMENTWISE_FUSION) else with_operands_apart(settled)


def _refuse_truncation(statement: Any, types: Types) -> None:
    """Refuse an integer array as `out=` for results that are floats."""
    whole, value = types.get(statement.targets[0].value.id), types.get(getattr(statement.value, "id", ""))
    if isinstance(whole, nb.Array) and isinstance(whole.dtype, (nb.Integer, nb.Boolean)) and carries_derivatives(value):
        raise INTEGER_OUTPUT.at(place_of(statement), dtype=whole.dtype, kind=value)


def is_single_element(statement: gast.stmt, types: Types) -> bool:
    """Whether a statement is `v = x[k, ...]` for a vector x: for NumPy a view without dimensions, here a number."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Subscript(slice=index)):
            parts = index.elts if isinstance(index, gast.Tuple) else [index]
            is_open = any(isinstance(each, gast.Constant) and each.value is ... for each in parts)
            return is_open and isinstance(types.get(name), (nb.Number, nb.Boolean))
    return False


def _refuse_single_elements(body: Block, types: Types) -> None:
    """Refuse operators in place of views without dimensions, which are numbers here."""
    everything = [each for each in walk_statements(body) if isinstance(each, gast.Assign)]
    single = {written(each) for each in everything if is_single_element(each, types)}
    if not single:
        return
    copies = [(written(each), each.value.id) for each in everything if isinstance(each.value, gast.Name)]
    for _ in copies:
        single |= {copy for copy, source in copies if source in single}
    for each in everything:
        match each.value:
            case gast.Call(func=function, args=[gast.Name(id=name), _]) if name in single:
                if (dotted_path(function) or "").startswith("operator.i"):
                    raise ZERO_DIMENSIONAL_WRITE.at(place_of(each))


def _spell_complex(statement: gast.stmt, types: Types) -> None:
    """Rename functions whose complex derivative differs from the real one."""
    match getattr(statement, "value", None):
        case gast.Call(func=function, args=[gast.Name(id=name)], keywords=[]) as node if is_complex(types.get(name)):
            path = OF_COMPLEX.get(dotted_path(function) or "")
            node.func = function if path is None else dotted(path)
        case gast.Call(func=function, args=[gast.Name(id=name)], keywords=[]) as node if types.get(name) is not None:
            if dotted_path(function) == "kernels.squared_modulus":
                statement.value = at(binary(load(name), gast.Mult, load(name)), place_of(node))


def blank(kind: nb.Type | None) -> gast.expr:
    """A placeholder of a type, for a name that is not read before it is stored."""
    match kind:
        case nb.Array():
            shape = tuple_of(*(const(0) for _ in range(kind.ndim)))
            return call("np.empty", shape, dotted(f"np.{'bool_' if kind.dtype == nb.boolean else kind.dtype}"))
        case nb.UniTuple() | nb.Tuple():
            return tuple_of(*(blank(each) for each in kind))
        case nb.Boolean():
            return const(False)
        case nb.Integer():
            return const(0)
        case nb.Float() | nb.Complex() if kind not in (nb.float64, nb.complex128):
            return call(f"np.{kind}", const(0.0))
        case nb.Complex():
            return const(0j)
    return const(0.0)


def _in_place(types: Types, names: Names, same: dict[str, str], counts: dict[str, int], statement: gast.stmt) -> Block:
    """In-place operators as stores; the result's name becomes the `same` as the array's, if it has no other store."""
    made = _stores(types, names, same, counts, statement)
    if (rule_call := notes_of(statement).rule_call) is not None:
        for each in made:
            note(each, rule_call=rule_call)
    return made


def _stores(types: Types, names: Names, same: dict[str, str], counts: dict[str, int], statement: gast.stmt) -> Block:
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=function, args=[target, value])) if (
            dotted_path(function) or ""
        ).startswith("operator.i"):
            operation = IN_PLACE[str(dotted_path(function)).removeprefix("operator.")]
            if not (isinstance(target, gast.Name) and types.is_array(target.id)):
                return [assign(name, binary(target, operation, value), place_of(statement))]
            stores = _augmented(target, operation, value, types, names, place_of(statement))
            if counts[name] == 1:
                same[name] = target.id
                return stores
            return [*stores, assign(name, load(target.id), place_of(statement))]
    return [statement]


def _augmented(target, operation, value, types, names, place) -> Block:  # type: ignore[no-untyped-def]
    whole = gast.Constant(value=..., kind=None)
    if operation in STORED_DIRECTLY:
        return [augment(subscript(target, whole, store=True), operation, value, place)]
    result = names.temporary()
    types.of[result] = types.of[target.id]
    return [
        assign(result, binary(load(target.id), operation, value), place),
        assign(subscript(target, whole, store=True), load(result), place),
    ]


def _without_tuples(block: Block) -> Block:
    """Replace constant subscripts of tuple displays, and returned tuple variables, by the elements."""
    tuples = {
        name: statement.value
        for statement in walk_statements(block)
        if (name := written(statement)) and isinstance(getattr(statement, "value", None), gast.Tuple)
    }
    counts = _store_counts(block)
    tuples = {name: value for name, value in tuples.items() if counts[name] == 1}
    if not tuples:
        return block
    replaced = _TupleReader(tuples)
    return [replaced.visit(statement) for statement in block]


class _TupleReader(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, tuples: dict[str, gast.Tuple]) -> None:
        self.tuples = tuples

    def visit_Assign(self, node: gast.Assign) -> gast.Assign:
        return at(self.generic_visit(node), place_of(node))

    def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
        self.generic_visit(node)
        match node:
            case gast.Subscript(value=gast.Tuple(elts=elements), slice=gast.Constant(value=int() as k)) if (
                -len(elements) <= k < len(elements)
            ):
                return elements[k]
        return node

    def visit_Name(self, node: gast.Name) -> gast.expr:
        if isinstance(node.ctx, gast.Load) and node.id in self.tuples:
            return self.visit(gast.Tuple(elts=list(self.tuples[node.id].elts), ctx=gast.Load()))
        return node


def _store_counts(block: Block) -> dict[str, int]:
    counts: dict[str, int] = {}
    for statement in walk_statements(block):
        name = written(statement)
        if name:
            counts[name] = counts.get(name, 0) + 1
    return counts


def _merge_references(tree: gast.FunctionDef, types: Types, same: dict[str, str]) -> None:
    """Coalesce names that hold the same array; `same` has names for which that is known."""
    while True:
        rewrite_names(tree, partial(end_of_chain, same))
        tree.body = rewrite(tree.body, _without_self_copies)
        counts = _store_counts(tree.body)
        handed = _handed(tree.body, types)
        # Whether a name may replace that of a loop-carried array depends on everything that is stored in the latter.
        same = {name: other for name, other in handed.items() if counts.get(other, 0) <= 1}
        if not same:
            single = [name for name in handed if counts[name] == 1]
            same = {name: handed[name] for name in single if _is_within_a_turn(tree.body, name, handed[name])}
        if not same:
            return


def _handed(body: Block, types: Types) -> dict[str, str]:
    """The array names that only ever hold the array of one other name, with that name."""
    sources: dict[str, set[str]] = {}
    for statement in walk_statements(body):
        name = written(statement)
        if name and types.is_array(name):
            value = statement.value
            sources.setdefault(name, set()).add(value.id if isinstance(value, gast.Name) else "")
    only = {name: others.pop() for name, found in sources.items() if len(others := found - {name}) == 1}
    return {name: other for name, other in only.items() if other}


def _is_within_a_turn(body: Block, name: str, carried: str) -> bool:
    """Whether a reference to a loop-carried array is used only before the loop stores the next array."""
    total = _mentions(body, name)
    for loop in walk_statements(body):
        if isinstance(loop, (gast.For, gast.While)):
            stores = (k for k, each in enumerate(loop.body) if carried in _store_counts([each]))
            if _mentions(loop.body[: next(stores, 0)], name) == total:
                return True
    return False


def _mentions(block: Block, name: str) -> int:
    return sum(isinstance(node, gast.Name) and node.id == name for each in block for node in walk(each))


def _without_self_copies(statement: gast.stmt) -> Block:
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=value)) if name == value:
            return []
        case gast.If(body=[gast.Pass(), *_], orelse=[]):
            return []
    return [statement]
