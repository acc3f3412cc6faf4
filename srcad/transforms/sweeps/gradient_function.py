"""Gradient function: a gradient from both sweeps, tangent functions, and checks of what has a gradient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import gast
from numba import types as nb

from srcad.errors import CompilerBug
from srcad.refusals.numpy_calls import FORM_WITHOUT_RULE
from srcad.refusals.types_and_results import (
    ALWAYS_RAISES,
    ARGUMENT_TYPE,
    RECORD_WRITE,
    RESULT_NOT_SCALAR,
    ZERO_DIMENSIONAL_WRITE,
)
from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.call_derivatives import Callees
from srcad.transforms.adjoint.to_core_form import Splitter
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.liveness import live_before, stored_certainly
from srcad.transforms.analysis.program_facts import Program, analyse, analyse_forward
from srcad.transforms.analysis.view_adjoints import refuse_views
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    call,
    clone,
    const,
    load,
    names_in,
    place_of,
    rewrite,
    stores_into,
    subscript,
    tuple_of,
    walk_statements,
    written,
)
from srcad.transforms.ir.generated_functions import Made, function
from srcad.transforms.ir.name_types import Types, differentiable, is_complex
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.type_annotations import note_kinds
from srcad.transforms.ir.unit import Unit
from srcad.transforms.storage.tbr import names_with_content
from srcad.transforms.sweeps.loop_fusion import merged
from srcad.transforms.sweeps.sweep_construction import Sweeps, sweeps
from srcad.transforms.sweeps.tangent_mode import Tangents


def results_of(unit: Unit) -> list[gast.expr]:
    """The expressions that a core function returns."""
    last = unit.tree.body[-1]
    if not isinstance(last, gast.Return) or last.value is None:
        return []
    return list(last.value.elts) if isinstance(last.value, gast.Tuple) else [last.value]


def parts_of(results: list[gast.expr], bars: list[gast.expr]) -> list[tuple[gast.expr, gast.expr]]:
    """The atoms of results, which may be nested tuples, each with its part of the cotangent."""
    found: list[tuple[gast.expr, gast.expr]] = []
    for node, bar in zip(results, bars, strict=True):
        if isinstance(node, gast.Tuple):
            found += parts_of(node.elts, [subscript(clone(bar), const(k)) for k in range(len(node.elts))])
        else:
            found.append((node, bar))
    return found


def dependents_of(unit: Unit, outs: Sequence[int] | None = None) -> list[str]:
    """The names that a core function returns; only those of some results, if `outs` is given."""
    results = results_of(unit)
    wanted = results if outs is None else [results[k] for k in outs]
    return [node.id for node, _ in parts_of(wanted, wanted) if isinstance(node, gast.Name)]


def reverse_program(unit: Unit, types: Types, wrt: Sequence[int], outs: Sequence[int] | None = None) -> Program:
    """The analyses for reverse mode with respect to some parameters; of some results only, if `outs` is given."""
    independent = [unit.parameters[k] for k in wrt]
    program = analyse(unit, types, independent, dependents_of(unit, outs))
    for statement in walk_statements(unit.tree.body):
        target = stores_into(statement)
        if target is not None and types.rank(target.value.id) == 0 and program.is_active(target.value.id):
            # NumPy makes a number of every result without dimensions, which no adjoint can be written into.
            raise ZERO_DIMENSIONAL_WRITE.at(place_of(statement))
    return program


def gradient_function(
    unit: Unit,
    types: Types,
    counts: Mapping[int, str],
    wrt: Sequence[int],
    tuple_result: bool,
    with_value: bool,
    callees: Callees | None = None,
) -> Made:
    """`f_grad(...)`, the gradient of a function with one real result; `f_value_and_grad(...)` returns the value too."""
    refuse_result(unit, types)
    unit = merged(unit, types, [unit.parameters[k] for k in wrt], dependents_of(unit))
    program = reverse_program(unit, types, wrt)
    names, bindings = unit.names.copy(), dict(unit.bindings)
    adjoints = Adjoints(program, names, bindings, callees)
    seed = seed_of(adjoints, results_of(unit), [const(1.0)])
    both = with_lists(sweeps(program, adjoints, counts, seed), adjoints)
    gradients = [result_of(adjoints, unit.parameters[k]) for k in wrt]
    value: gast.expr = tuple_of(*gradients) if tuple_result else gradients[0]
    both = replace(both, forward=[*trace_blanks(both), *both.forward])
    kept: Block = []
    if with_value:
        stored = names.fresh("value")
        kept = [assign(stored, both.result)]
        value = tuple_of(load(stored), value)
    body = [*joined(both, kept), gast.Return(value=value)]
    name = f"{unit.name}_{'value_and_grad' if with_value else 'grad'}"
    made = adjoints.typed(function(name, unit.parameters, body), primals=int(with_value))
    return Made([made], bindings, (name,), sweeps=both)


def joined(both: Sweeps, kept: Sequence[gast.stmt] = ()) -> Block:
    """Both sweeps in sequence, with `kept` inserted where the primal is complete."""
    at = next((k for k, each in enumerate(both.reverse) if notes_of(each).completes_primal), None)
    if at is None:
        return [*both.forward, *kept, *both.reverse]
    return [*both.forward, *both.reverse[:at], *kept, *both.reverse[at + 1 :]]


def trace_blanks(both: Sweeps) -> Block:
    """Empty traces for loops that are not on every path through the forward sweep."""
    wanted = live_before(both.reverse) - stored_certainly(both.forward)
    return [made for name, made in both.blanks.items() if name in wanted]


def with_lists(both: Sweeps, adjoints: Adjoints) -> Sweeps:
    """The sweeps of a whole derivative, which make the lists that calls record onto, and count their records."""
    calls = adjoints.calls
    if not calls.forward:
        return both
    first, second = calls.lists(adjoints.bindings)
    return replace(both, forward=[first, *both.forward], reverse=[both.reverse[0], second, *both.reverse[1:]])


def tangent_function(unit: Unit, types: Types, wrt: Sequence[int], callees: Callees | None = None) -> Made:
    """`f_tangent(..., *dots) -> (result, result_dot)`: forward mode, in core form."""
    program = analyse_forward(unit, types, [unit.parameters[k] for k in wrt], dependents_of(unit))
    refuse_views(program)
    names, bindings = unit.names.copy(), dict(unit.bindings)
    tangents = Tangents(program, names, bindings, callees)
    dots = [tangents.dot(unit.parameters[k]) for k in wrt]
    copied = unit.copy_tree()
    body = rewrite(copied.body[:-1], tangents.with_tangents)
    note_kinds(body, types.of, tangents.dots)
    results = results_of(unit)
    both: list[gast.expr] = []
    for node in results:
        both.append(Splitter(names).atom(tangents.of_atom(node), body, place_of(unit.tree.body[-1])))
    whole: list[gast.expr] = [clone(node) for node in results]
    pair = [tuple_of(*whole), tuple_of(*both)] if returns_tuple(unit) else [whole[0], both[0]]
    body.append(at(gast.Return(value=tuple_of(*pair)), None))
    name = f"{unit.name}_tangent"
    # A parameter that has no tangent itself, but may alias an array that has one.
    still = [each for each in unit.parameters if each in tangents.dots and tangents.dot(each) not in dots]
    body[:0] = [assign(tangents.dot(each), tangents.zeros.zero(each), None) for each in still]
    return Made([function(name, (*unit.parameters, *dots), body)], bindings, (name,), names)


def tangent_unit(unit: Unit, types: Types, wrt: Sequence[int], callees: Callees | None = None) -> Unit:
    """The directional derivative alone, as a unit that can be differentiated again."""
    made = tangent_function(unit, types, wrt, callees)
    tree = made.functions[0]
    last = tree.body[-1]
    tree.body[-1] = at(gast.Return(value=last.value.elts[1]), place_of(unit.tree.body[-1]))
    return replace(unit, name=tree.name, tree=tree, bindings=made.bindings, names=made.maker or unit.names)


def returns_tuple(unit: Unit) -> bool:
    """Whether the function returns a tuple, possibly of one element."""
    last = unit.tree.body[-1]
    return isinstance(last, gast.Return) and isinstance(last.value, gast.Tuple)


def seed_of(adjoints: Adjoints, results: list[gast.expr], bars: list[gast.expr]) -> Block:
    """Add the cotangents of the results to the adjoints of the returned names."""
    code: Block = []
    for node, bar in parts_of(results, bars):
        if isinstance(node, gast.Name) and adjoints.program.is_active(node.id):
            code += adjoints.add(node.id, clone(bar), None)
        elif not isinstance(node, gast.Name) and any(map(adjoints.program.is_active, names_with_content(node))):
            raise CompilerBug(f"a result that is something else than an atom: {gast.dump(node)}")
    return code


def result_of(adjoints: Adjoints, parameter: str, handed_on: bool = False) -> gast.expr:
    """The adjoint of a parameter, in the parameter's type; conjugated for the user, not where it is `handed_on`."""
    kind = adjoints.program.types.get(parameter)
    if not adjoints.program.is_active(parameter):
        return call("np.zeros_like", load(parameter)) if isinstance(kind, nb.Array) else _cast(kind, const(0.0))
    bar: gast.expr = load(adjoints.bar(parameter))
    if is_complex(kind):
        return bar if handed_on else _cast(kind, call("np.conj", bar))
    if isinstance(kind, nb.Float) and any(is_complex(each) for each in adjoints.program.types.of.values()):
        return _cast(kind, call("np.real", bar))
    return _cast(kind, bar)


def _cast(kind: nb.Type | None, value: gast.expr) -> gast.expr:
    if not isinstance(kind, (nb.Float, nb.Complex)) or kind == nb.float64:
        return value
    return call("complex" if kind == nb.complex128 else f"np.{kind}", value)


def _refuse_arguments_of_definition(ends: gast.Raise) -> None:
    """Raise MissingRule, at the user's call, if it is a definition of ours that refuses its arguments."""
    inner = place_of(ends)
    place = None if inner is None else inner.in_users_file()
    match ends.exc:
        case gast.Call(func=gast.Name(id="NotImplementedError"), args=[gast.Constant(value=str() as said)]):
            if place is not inner:
                what, _, way = said.partition(": ")
                raise FORM_WITHOUT_RULE.at(place, what=what, way=way or "compute it in the caller")


def refuse_result(unit: Unit, types: Types) -> None:
    """Refuse results other than one real number: only that has a gradient."""
    results = results_of(unit)
    kind = types.result
    if len(results) == 1 and not returns_tuple(unit) and isinstance(kind, nb.Float):
        return
    ends = next((each for each in walk_statements(unit.tree.body) if isinstance(each, gast.Raise)), None)
    if isinstance(kind, nb.NoneType) and ends is not None and ends.exc is not None:
        _refuse_arguments_of_definition(ends)
        raise ALWAYS_RAISES.at(place_of(ends), function=unit.name, problem=gast.unparse(ends.exc).strip())
    what = "nothing" if not results or isinstance(kind, nb.NoneType) else f"a value of type {kind}"
    raise RESULT_NOT_SCALAR.at(place_of(unit.tree.body[-1]), function=unit.name, what=what, way=_way_to_a_number(kind))


def _way_to_a_number(kind: nb.Type | None) -> str:
    """What to do about a result that is not one real number."""
    if isinstance(kind, nb.BaseTuple) and len(kind) == 2 and isinstance(kind[0], nb.Float):
        return "grad and value_and_grad take has_aux=True for a pair; use srcad.vjp or srcad.jacobian for all results"
    if isinstance(kind, (nb.Array, nb.BaseTuple)):
        return "use srcad.vjp or srcad.jacobian for functions with several results"
    if is_complex(kind):
        return "return its real part, or use srcad.vjp"
    return "return the number that is to be differentiated, a float"


def refuse_arguments(unit: Unit, types: Types, wrt: Sequence[int]) -> None:
    """Refuse arguments other than floats and arrays of them: only these have derivatives."""
    for k in wrt:
        name = unit.parameters[k]
        kind = types.get(name)
        if not differentiable(kind):
            cure = "pass 2.0 instead of 2" if isinstance(kind, nb.Integer) else "convert it with .astype(float)"
            raise ARGUMENT_TYPE.at(place_of(unit.tree), name=name, function=unit.name, kind=kind, cure=cure)


def refuse_records(unit: Unit, types: Types) -> None:
    """Refuse stores into records and typed dictionaries: their entries are constants, and have no adjoint."""
    held = {name for name, kind in types.of.items() if _is_record(kind)}
    if not held:
        return
    made: dict[str, list[str]] = {}
    for statement in walk_statements(unit.tree.body):
        name = written(statement)
        if name and types.is_array(name):
            for read in names_in(getattr(statement, "value", None)):
                made.setdefault(read, []).append(name)
    held |= {*closure(held, lambda name: made.get(name, ()))}
    for statement in walk_statements(unit.tree.body):
        target = stores_into(statement)
        if target is not None and target.value.id in held:
            raise RECORD_WRITE.at(place_of(statement), function=unit.name)


def _is_record(kind: nb.Type) -> bool:
    entry = kind.dtype if isinstance(kind, nb.Array) else kind
    return isinstance(entry, (nb.Record, nb.DictType, nb.Set))
