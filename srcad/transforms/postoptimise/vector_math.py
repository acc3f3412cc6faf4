"""Vector math: elementary functions in loops of independent iterations become kernels that LLVM can vectorise.

    for i in range(n):                     for i in range(n):
        y[i] = np.tanh(x[i] + b[i])            y[i] = kernels.lanes.tanh(x[i] + b[i])

The kernels (`srcad.runtime.kernels.overloads.elementary_functions`) round differently from the library's functions, in
the last digit. So that both sweeps take the same branches, either all calls of a function become kernel calls, in all
code generated for a derivative, or none do; calls outside of loops change along with those that gain. Does not apply
where an iteration depends on the previous one through the call (`h = np.tanh(a * h)`), as the library is faster there,
where the argument is an array, or where control flow depends on the result (see `choosing`): a derivative must take the
same path as the function itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import gast

from srcad.transforms.analysis.aliases import Aliases, aliases_of
from srcad.transforms.analysis.dataflow import fixed_point
from srcad.transforms.analysis.liveness import carried_names
from srcad.transforms.analysis.ranks import Ranks, ranks_of
from srcad.transforms.analysis.symbolic_shapes import index_parts
from srcad.transforms.ir.array_functions import VECTOR_INSTRUCTIONS
from srcad.transforms.ir.build import dotted_path, names_in, stores_into, walk, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, changed_memory, stored_in
from srcad.transforms.loop_analysis.control_dependence import choosing, deciding, is_continuous
from srcad.transforms.loop_analysis.loop_accesses import is_counted
from srcad.transforms.postoptimise.unordered_reductions import sums_of

_NAMES = "exp", "expm1", "log", "log1p", "tanh"
KERNELS = {f"np.{name}": f"lanes.{name}" for name in _NAMES} | {f"math.{name}": f"lanes.math_{name}" for name in _NAMES}


def note_lanes(code: Code) -> Code:
    """Note on calls of such functions (`lane`): "free" in a loop that gains, "alone" elsewhere, None if ruled out."""
    body = code.body
    calls = [node for statement in body for node in walk(statement) if _kernel(node)]
    if not calls:
        return code
    aliases, ranks = aliases_of(code), ranks_of(code)
    fixed = choosing(body, aliases, (), is_continuous)
    for node in calls:
        note(node, lane="alone" if ranks.is_number(node.args[0]) else None)
    for statement in walk_statements(body):
        stored = {*all_written(statement), *changed_memory(statement)} if _is_simple(statement) else set()
        chooses = not fixed.isdisjoint(map(aliases.alias_class, stored))
        for part in (statement,) if chooses else deciding(statement, is_continuous):
            for node in filter(_kernel, walk(part)):
                note(node, lane=None)
    for loop in walk_statements(body):
        if isinstance(loop, (gast.For, gast.While)) and _is_innermost(loop):
            carried = carried_names(loop.body)
            waits = _waiting(loop, carried, aliases, ranks)
            is_free = is_counted(loop) and carried <= {*sums_of(loop)} and not _is_left(loop) and not _has_wall(loop)
            for node in walk(loop):
                if _kernel(node) and notes_of(node).lane:
                    note(node, lane=None if waits(node) else "free" if is_free else "alone")
    return code.with_body(body)


def choose_lanes(functions: Sequence[gast.FunctionDef]) -> None:
    """Choose kernels for the functions whose calls all permit it, and note `calls_kernels` on their statements."""
    lanes: dict[str, set[str | None]] = {}
    for tree in functions:
        for node in walk(tree):
            if kernel := _kernel(node):
                lanes.setdefault(kernel, set()).add(notes_of(node).lane)
    chosen = {kernel for kernel, found in lanes.items() if "free" in found and None not in found}
    for statement in (each for tree in functions if chosen for each in walk_statements(tree.body)):
        for node in walk(statement):
            if _kernel(node) in chosen:
                note(node, kernel=_kernel(node))
                note(statement, calls_kernels=True)


def _kernel(node: gast.AST) -> str | None:
    is_call = isinstance(node, gast.Call) and len(node.args) == 1 and not node.keywords
    return KERNELS.get(dotted_path(node.func) or "") if is_call else None


def _is_simple(statement: gast.stmt) -> bool:
    return isinstance(statement, (gast.Assign, gast.AugAssign))


def _is_innermost(loop: gast.stmt) -> bool:
    return not any(isinstance(each, (gast.For, gast.While)) for each in walk_statements(loop.body))


def _is_left(loop: gast.For) -> bool:
    return any(isinstance(each, (gast.Break, gast.Return, gast.Raise)) for each in walk_statements(loop.body))


def _has_wall(loop: gast.For) -> bool:
    """Whether a loop contains other library calls, or powers, that prevent its vectorisation."""
    for node in walk(loop):
        match node:
            case gast.Call(func=function) if node is not loop.iter:
                path = dotted_path(function) or ""
                is_vector = path in VECTOR_INSTRUCTIONS or notes_of(node).lane or path.startswith("kernels.")
                if not is_vector:
                    return True
            case gast.BinOp(op=gast.Pow(), right=right) if not isinstance(constant(right), int):
                return True
    return False


def _waiting(
    loop: gast.For | gast.While, carried: frozenset[str], aliases: Aliases, ranks: Ranks
) -> Callable[[gast.AST], bool]:
    """A test whether an expression may depend on the previous iteration; `carried` has the loop-carried names."""
    moving = stored_in([loop])
    places: dict[str, set[str]] = {}
    for each in walk_statements(loop.body):
        for name in changed_memory(each):
            if ranks.of.get(name) != 0:
                places.setdefault(aliases.alias_class(name), set()).add(_place(stores_into(each), moving))

    def waits(names: frozenset[str], node: gast.AST) -> bool:
        match node:
            case gast.Name(id=name):
                return name in names
            case gast.Subscript(value=gast.Name(id=name)) if name not in names:
                found = places.get(aliases.alias_class(name))
                place = _place(node, moving)
                return waits(names, node.slice) or (found is not None and (found != {place} or not place))
        return any(waits(names, each) for each in gast.iter_child_nodes(node))

    def wider(names: frozenset[str]) -> frozenset[str]:
        waiting = (each for each in walk_statements(loop.body) if _is_simple(each) and waits(names, each.value))
        return names | {name for each in waiting for name in all_written(each)}

    return partial(waits, fixed_point(wider, frozenset(carried)))


def _place(target: gast.Subscript | None, moving: frozenset[str]) -> str:
    """The parts of a subscript that change with the iteration: `i` of `a[row, i]`; "" where there are none."""
    parts = [] if target is None else index_parts(target)
    return ", ".join(gast.dump(part) for part in parts if not moving.isdisjoint(names_in(part)))
