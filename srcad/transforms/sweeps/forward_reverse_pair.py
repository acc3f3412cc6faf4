"""Forward/reverse pair: a forward function that returns result and trace, and a reverse function that reads the trace.

The reverse function does not modify the trace, so one trace serves many cotangents, also from several threads. No store
is undone here: elements that are needed and overwritten later are recorded when they are read, and a statement that
needs the contents of a whole array that is written later works on a copy.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import gast

from srcad.errors import CompilerBug
from srcad.runtime import kernels
from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.call_derivatives import Callees
from srcad.transforms.analysis.liveness import live_before, stored_certainly
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    attribute,
    call,
    const,
    load,
    names_in,
    place_of,
    rewrite,
    rewrite_names,
    stores_into,
    subscript,
    tuple_of,
    walk_statements,
    written,
)
from srcad.transforms.ir.generated_functions import Made, function
from srcad.transforms.ir.name_types import Types, is_complex
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.type_annotations import note_kinds
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.in_place_resolution import blank
from srcad.transforms.storage.tbr import Decider
from srcad.transforms.storage.traces import is_list
from srcad.transforms.sweeps.gradient_function import (
    parts_of,
    result_of,
    results_of,
    returns_tuple,
    reverse_program,
    seed_of,
    with_lists,
)
from srcad.transforms.sweeps.reverse_control_flow import Reverser
from srcad.transforms.sweeps.sweep_construction import Assembler, Sweeps

MOST_ROUNDS = 20  # of copies that make others necessary; two or three are usual


@dataclass(frozen=True)
class Pure:
    """Both sweeps of a function; the reverse sweep undoes no stores."""

    program: Program
    adjoints: Adjoints
    both: Sweeps


def pure_sweeps(
    unit: Unit,
    types: Types,
    counts: Mapping[int, str],
    analysed: Callable[[Unit, Types], Program],
    seed: Callable[[Adjoints], Block],
    callees: Callees | None = None,
    given: Collection[str] = (),
) -> Pure:
    """Both sweeps; `analysed` runs the analyses, `seed` initialises the adjoints of the results.

    The unit is copied, since other derivatives of a recursive function may be made at the same time.
    """
    unit, counts = _own_copy(unit, counts)
    types = Types(dict(types.of), types.result)
    for _ in range(MOST_ROUNDS):
        program = analysed(unit, types)
        adjoints = Adjoints(program, unit.names.copy(), dict(unit.bindings), callees, given)
        plan = Reverser(program, adjoints, counts).plan(seed(adjoints))
        decisions = Decider(program, plan, [], adjoints.bars, pure=True).decide()
        if not decisions.snapshots:
            both = Assembler(program, adjoints, counts, plan, decisions).sweeps()
            note_kinds([*both.forward, *both.reverse], program.types.of, adjoints.bars)
            return Pure(program, adjoints, both)
        unit = _with_snapshots(unit, types, decisions.snapshots)
    raise CompilerBug("a copy of an array is taken to be written to, so that it is copied again without end")


def _own_copy(unit: Unit, counts: Mapping[int, str]) -> tuple[Unit, Mapping[int, str]]:
    tree = unit.copy_tree()
    pairs = zip(walk_statements(unit.tree.body), walk_statements(tree.body), strict=True)
    own = {id(copied): counts[id(each)] for each, copied in pairs if id(each) in counts}
    return unit.with_tree(tree), own


def split_functions(
    unit: Unit, types: Types, counts: Mapping[int, str], wrt: Sequence[int], callees: Callees | None = None
) -> Made:
    """`f_forward(...) -> (result, trace)` and `f_reverse(..., trace, result_bar) -> adjoints`."""
    results = results_of(unit)
    bar = ""

    def seed(adjoints: Adjoints) -> Block:
        nonlocal bar
        bar = adjoints.names.fresh("result_bar")
        bars = [subscript(load(bar), const(k)) for k in range(len(results))] if returns_tuple(unit) else [load(bar)]
        parts = parts_of(results_of(adjoints.program.unit), bars)
        kinds = [types.get(node.id) if isinstance(node, gast.Name) else None for node, _ in parts]
        bars = [
            call("np.conj", each) if is_complex(kind) else each for (_, each), kind in zip(parts, kinds, strict=True)
        ]
        return seed_of(adjoints, [node for node, _ in parts], bars)

    pure = pure_sweeps(unit, types, counts, lambda each, known: reverse_program(each, known, wrt), seed, callees)
    program, adjoints, both = pure.program, pure.adjoints, pure.both
    names, bindings = adjoints.names, adjoints.bindings
    both = with_lists(both, adjoints)
    trace = names.fresh("trace")
    fields = trace_fields(program, both, adjoints.calls.used)
    forward, reverse = f"{unit.name}_forward", f"{unit.name}_reverse"
    attributes = [attribute_name(name, fields) for name in fields]
    before, packed = _packed(fields, attributes, both, adjoints)
    first = [*blanks(program, both, fields), *both.forward, gast.Return(value=tuple_of(both.result, packed))]
    second: Block = [
        assign(name, _handed_in(name, attribute(load(trace), each), both, adjoints))
        for name, each in zip(fields, attributes, strict=True)
    ]
    gradients = [result_of(adjoints, unit.parameters[k]) for k in wrt]
    second += [*both.reverse, gast.Return(value=tuple_of(*gradients))]
    record = function(forward, unit.parameters, first)
    pull = adjoints.typed(function(reverse, (*unit.parameters, trace, bar), second), primals=0)
    return Made([record, pull], bindings, (forward, reverse), before=before, sweeps=both)


def _packed(
    fields: list[str], attributes: list[str], both: Sweeps, adjoints: Adjoints
) -> tuple[tuple[gast.stmt, ...], gast.expr]:
    """The definition of the trace's class, and the trace itself."""
    if not fields:
        return (), tuple_of()
    made = adjoints.names.fresh("Trace")
    adjoints.bindings["namedtuple"] = namedtuple
    texts = tuple_of(*(const(each) for each in attributes))
    parts = [_handed_out(name, both, adjoints) for name in fields]
    return (assign(made, call("namedtuple", const(made), texts)),), call(made, *parts)


def _is_list(name: str, both: Sweeps, adjoints: Adjoints) -> bool:
    made = both.blanks.get(name)
    return name in adjoints.calls.used or (made is not None and is_list(made.value))


def _handed_out(name: str, both: Sweeps, adjoints: Adjoints) -> gast.expr:
    """What the trace holds of a variable."""
    return call(adjoints.kernel("hold"), load(name)) if _is_list(name, both, adjoints) else load(name)


def _handed_in(name: str, held: gast.expr, both: Sweeps, adjoints: Adjoints) -> gast.expr:
    return call(adjoints.kernel("release"), held) if _is_list(name, both, adjoints) else held


def attribute_name(name: str, fields: list[str]) -> str:
    """The name of a trace's field: `v` for `v_trace`, where that is free."""
    short = name.removesuffix("_trace").lstrip("_") or "value"
    others = {other.removesuffix("_trace").lstrip("_") or "value" for other in fields if other != name}
    return short if short not in others and short not in _TAKEN else "kept_" + name.lstrip("_")


_TAKEN = {"count", "index", "view"}  # methods of every tuple


def trace_fields(program: Program, both: Sweeps, more: Collection[str] = ()) -> list[str]:
    """The variables of the forward sweep, and of `more`, that are live at the start of the reverse sweep."""
    made = set(both.blanks) | set(program.flow.stores) | set(more)
    wanted = live_before(both.reverse)
    return sorted(name for name in wanted if name in made)


def blanks(program: Program, both: Sweeps, fields: list[str]) -> Block:
    """Empty values for fields that are not assigned on every path through the forward sweep."""
    certain = stored_certainly(both.forward)
    code: Block = []
    for name in fields:
        if name not in certain:
            made = both.blanks.get(name)
            code.append(made if made is not None else assign(name, blank(program.types.get(name))))
    return code


def _with_snapshots(unit: Unit, types: Types, snapshots: list[tuple[gast.stmt, str]]) -> Unit:
    """Let statements work on copies of arrays; a result that is written later becomes a copy of the original result."""
    names = unit.names.copy()
    known: Any = types.of
    wanted: dict[int, list[str]] = {}
    for statement, name in snapshots:
        wanted.setdefault(id(statement), []).append(name)

    bindings = dict(unit.bindings)
    alias = "kernels" if bindings.get("kernels", kernels) is kernels else names.fresh("kernels")

    def checked(name: str, other: str, statement: gast.stmt) -> gast.stmt:
        # A function that writes into one argument must see that another shares its memory; it cannot in a copy.
        bindings[alias] = kernels
        return at(gast.Expr(value=call(f"{alias}.refuse_overlap", load(name), load(other))), place_of(statement))

    def with_copies(statement: Any) -> Block:
        before, after = list[gast.stmt](), list[gast.stmt]()
        for name in sorted(set(wanted.get(id(statement), []))):
            kept = names.fresh(f"{name}_kept")
            known[kept] = known[name]
            if written(statement) == name:
                statement.targets[0].id = kept
                after.append(assign(name, call("np.copy", load(kept)), place_of(statement)))
            else:
                before += [checked(name, other, statement) for other in _passed_with(statement, name, types)]
                before.append(assign(kept, call("np.copy", load(name)), place_of(statement)))
                for part in _read_parts(statement):
                    rewrite_names(part, partial(_renamed, name, kept))
        return [*before, statement, *after]

    tree = unit.tree
    tree.body = rewrite(tree.body, with_copies)
    return unit.with_tree(tree, names=names, bindings=bindings)


def _passed_with(statement: gast.stmt, name: str, types: Types) -> list[str]:
    """The other arrays that a call takes which may write into its arguments."""
    if not notes_of(statement).effect:
        return []
    arrays = {each for part in _read_parts(statement) for each in names_in(part) if types.is_array(each)}
    return sorted(arrays - {name})


def _renamed(old: str, new: str, name: str) -> str:
    return new if name == old else name


def _read_parts(statement: gast.stmt) -> list[gast.expr]:
    """The parts of a simple statement that it reads: its value, and the subscript of its target."""
    target = stores_into(statement)
    return [statement.value] if target is None else [statement.value, target.slice]
