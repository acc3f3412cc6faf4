"""Callee pairs: the forward and reverse function, and the tangent function, of one version of a callee.

def fib_forward(x, n, calls):                  def fib_reverse(calls, at, y_bar):
    ...                                            at[0] -= 1
    calls.fib.append(FibTrace(x, n))               trace = calls.fib[at[0]]
    return (y,)                                    ...
                                                   return (x_bar,)
"""

from __future__ import annotations

from typing import Any

import gast
from numba import types as nb

from srcad.errors import CompilerBug
from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.call_derivatives import Callees, Pair
from srcad.transforms.analysis.liveness import live_before
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.inference.subroutine_types import Specialised
from srcad.transforms.ir.build import (
    Block,
    assign,
    attribute,
    augment,
    call,
    const,
    load,
    subscript,
    tuple_of,
    walk_statements,
)
from srcad.transforms.ir.generated_functions import function
from srcad.transforms.ir.name_types import Types, differentiable
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.in_place_resolution import blank
from srcad.transforms.storage.traces import is_list
from srcad.transforms.sweeps.forward_reverse_pair import Pure, attribute_name, blanks, pure_sweeps, trace_fields
from srcad.transforms.sweeps.gradient_function import result_of, results_of, reverse_program, seed_of, tangent_function


def make_pair(pair: Pair, callees: Callees) -> tuple[int, ...]:
    """Make the functions of a pair; returns the positions of arguments that the reverse function gets again."""
    version = pair.version
    unit, types = version.unit, version.types
    arrays = [unit.parameters[position] for position in pair.wrt if isinstance(version.kinds[position], nb.Array)]
    bars: list[str] = []

    def seed(adjoints: Adjoints) -> Block:
        results = results_of(adjoints.program.unit)
        bars[:] = [adjoints.names.fresh("result_bar") for _ in pair.outs]
        return seed_of(adjoints, [results[position] for position in pair.outs], [load(bar) for bar in bars])

    def analysed(each: Unit, known: Types) -> Program:
        return reverse_program(each, known, pair.wrt, pair.outs)

    pure = pure_sweeps(unit, types, version.counts, analysed, seed, callees, arrays)
    adjoints = pure.adjoints
    wanted = live_before(pure.both.reverse)
    handed = [name for name in unit.parameters if name in wanted and not _is_number(types.get(name))]
    numbers = [name for name in unit.parameters if name in wanted and name not in handed]
    traced = trace_fields(pure.program, pure.both)
    fields = [*numbers, *traced]
    shorts = [attribute_name(name, fields) for name in fields]
    pair.fields = [(short, name, _stand_in(name, pure)) for short, name in zip(shorts, fields, strict=True)]
    calls, at = (
        adjoints.calls.trace or adjoints.names.fresh("calls"),
        adjoints.calls.cursor or adjoints.names.fresh("at"),
    )
    added = [adjoints.bar(name) for name in arrays]
    first = [*blanks(pure.program, pure.both, traced), *pure.both.forward, *recorded(pair, calls)]
    first.append(gast.Return(value=pure.both.result))
    second = [*read_back(pair, calls, at, adjoints.names.fresh("trace")), *pure.both.reverse, _returned(pair, adjoints)]
    pair.outputs = (*added, calls, at)
    pair.functions = [
        function(pair.forward, (*unit.parameters, calls), first),
        function(pair.reverse, (*handed, *added, calls, at, *bars), second),
    ]
    pair.bindings = {**adjoints.bindings, pair.trace: pair}
    return tuple(unit.parameters.index(name) for name in handed)


def recorded(pair: Pair, calls: str) -> Block:
    """The end of the forward function: append its record to the list."""
    if not pair.fields:
        return []
    record = call(pair.trace, *(load(name) for _, name, _ in pair.fields))
    append = attribute(attribute(load(calls), pair.list_name), "append")
    return [gast.Expr(value=gast.Call(func=append, args=[record], keywords=[]))]


def read_back(pair: Pair, calls: str, at: str, trace: str) -> Block:
    """The start of the reverse function: take the last record that has not been read yet."""
    if not pair.fields:
        return []
    last = subscript(attribute(load(calls), pair.list_name), subscript(load(at), _index(pair)))
    return [
        augment(subscript(load(at), _index(pair), store=True), gast.Sub, const(1)),
        assign(trace, last),
        *(assign(name, attribute(load(trace), short)) for short, name, _ in pair.fields),
    ]


def _returned(pair: Pair, adjoints: Adjoints) -> gast.stmt:
    """The adjoints of the arguments that are numbers."""
    parameters, kinds = pair.version.unit.parameters, pair.version.kinds
    numbers = [parameters[position] for position in pair.wrt if not isinstance(kinds[position], nb.Array)]
    return gast.Return(
        value=tuple_of(*(result_of(adjoints, name, handed_on=True) for name in numbers)) if numbers else const(None)
    )


def make_tangent(name: str, version: Specialised, wrt: tuple[int, ...], callees: Callees) -> Unit:
    """The tangent function: returns all results, then the tangents of those that have one."""
    made = tangent_function(version.unit, version.types, wrt, callees)
    tree = made.functions[0]
    tree.name = name
    results, dots = tree.body[-1].value.elts
    outcome = version.outcome
    tangents = [dot for dot, kind in zip(dots.elts, outcome, strict=True) if differentiable(kind)]
    tree.body[-1].value = tuple_of(*results.elts, *tangents)
    return Unit(name, tree, made.bindings, made.maker or version.unit.names, without=version.unit.without)


def _index(pair: Pair) -> gast.expr:
    """The index of the pair's counter, which is known once all pairs have been made."""
    return note(const(0), pair=pair)


def _is_number(kind: nb.Type | None) -> bool:
    return isinstance(kind, (nb.Number, nb.Boolean))


def _stand_in(name: str, pure: Pure) -> gast.expr:
    """A value of a field's type, for type inference: an empty trace, or a list with one array."""
    made = pure.both.blanks.get(name)
    if made is None:
        return typed_blank(pure.program.types.get(name))
    if is_list(made.value):
        appended = _appended(name, pure.both.forward)
        if isinstance(appended, gast.Attribute):  # a shape
            rank = pure.program.types.rank(appended.value.id) or 0
            return gast.List(elts=[tuple_of(*(const(0) for _ in range(rank)))], ctx=gast.Load())
        return gast.List(elts=[typed_blank(pure.program.types.get(appended.id))], ctx=gast.Load())
    return made.value


def _appended(name: str, block: Block) -> gast.Name | gast.Attribute:
    """The kind of element that a list gets: an array, or an array's shape."""
    for statement in walk_statements(block):
        match statement:
            case gast.Expr(
                value=gast.Call(func=gast.Attribute(value=gast.Name(id=into), attr="append"), args=[value])
            ) if into == name:
                found = value.args[0] if isinstance(value, gast.Call) else value  # a copy of an array
                if isinstance(found, (gast.Name, gast.Attribute)):
                    return found
    raise CompilerBug(f"nothing is appended to the list '{name}'")


def typed_blank(kind: nb.Type | None) -> gast.expr:
    """A value of exactly this type, including the memory layout of an array."""
    match kind:
        case nb.Array(layout="A", ndim=rank) if rank:
            whole = blank(kind)
            parts: list[Any] = [gast.Slice(lower=None, upper=None, step=const(2)) for _ in range(rank)]
            return subscript(whole, parts[0] if rank == 1 else tuple_of(*parts))
        case nb.Array(layout="F"):
            return call("np.transpose", blank(kind))
        case nb.Integer() if kind not in (nb.int64, nb.intp):
            return call(f"np.{kind}", const(0))
        case nb.BaseTuple():
            return tuple_of(*(typed_blank(each) for each in kind))
    return blank(kind)
