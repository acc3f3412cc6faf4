"""Work sharing: distribute the iterations of generated loops that come from `numba.prange` among threads.

    for i in range(n):                      parts = kernels.parts(0, n, 1, 0, 0)
        x_bar[i] += k * s_bar               k_bar_parts = np.empty(parts)
        k_bar += x[i] * s_bar    becomes    done = np.zeros(parts, np.bool_)
                                            f_grad_parts(parts, x, k, s_bar, x_bar, k_bar_parts, done)
                                            ...
                                            k_bar += np.sum(k_bar_parts)

The iterations are divided into parts, whose number depends only on the sizes of arrays, not on the number of threads.
Each part adds up its own contributions to shared numbers and arrays; the parts' sums are then added in order. So
results are the same in every run. Applies only where it is proved, for the statements that will actually run, that
nothing else is loop-carried (see `carried` and `reach`); all other loops stay serial.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from dataclasses import replace

import gast
from numba import types as nb

from srcad.names import Names
from srcad.transforms.analysis.liveness import Live, liveness
from srcad.transforms.ir.build import (
    Block,
    assign,
    attribute,
    dotted_path,
    inner_blocks,
    is_exit,
    load,
    walk,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import is_check, is_draw, stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.ir.unit import Unit
from srcad.transforms.loop_analysis.loop_carried_values import carried, plain
from srcad.transforms.parallel.parallel_loop_functions import NEEDED, Share, shared_out
from srcad.transforms.parallel.race_test import Memory, reach

_ROOTS = {"np", "math", "operator", "kernels"}
_BUILTINS = {"abs", "bool", "complex", "float", "int", "len", "max", "min", "pow", "range", "round"}
SUMMED = (nb.float64, nb.float32, nb.int64)


def divided(made: Made) -> Made:
    """The functions with parallel loops divided into parts, and the functions that run the parts."""
    if not any(is_parallel(each) for tree in made.functions for each in walk_statements(tree.body)):
        return made
    bindings = dict(made.bindings)
    if any(bindings.setdefault(name, thing) is not thing for name, thing in NEEDED.items()):
        return made
    top = {*bindings, *(tree.name for tree in made.functions), *(name for tree in made.before for name in _names(tree))}
    titles = Names({*top, *(name for tree in made.functions for name in _names(tree))})
    functions: list[gast.FunctionDef] = []
    for tree in made.functions:
        divider = _Divider(tree, titles, Names({*top, *_names(tree)}))
        divider.block(tree.body)
        functions += [*divider.functions, tree]
    return replace(made, functions=functions, bindings=bindings)


class _Divider:
    """Divides the loops of one function."""

    def __init__(self, tree: gast.FunctionDef, titles: Names, names: Names) -> None:
        """`titles` makes names of functions, `names` those of the function's variables."""
        self.tree, self.titles, self.names = tree, titles, names
        self.functions: list[gast.FunctionDef] = []
        self.parameters = [argument.id for argument in tree.args.args]
        nodes = [node for node in walk(tree) if isinstance(node, gast.Name)]
        kinds = ((node.id, notes_of(node).numba_type) for node in nodes)
        self.kinds: dict[str, nb.Type] = {name: kind for name, kind in kinds if kind is not None}
        self.arrays = {name for name, kind in self.kinds.items() if isinstance(kind, nb.Array)}
        self.variables = {*self.parameters, *stored_in(tree.body)}
        self.live = liveness(tree.body).after
        self.memory = Memory(Code(Unit(tree.name, tree, {}, names), Types(self.kinds)))  # before any loop is a call

    def block(self, block: Block) -> None:
        """Divide the parallel loops in a block."""
        for each in reversed(list(block)):
            share = self.share(each, self.live[each]) if is_parallel(each) else None
            if share is not None:
                share, fields = self.with_fields(share)
                at = next(k for k, here in enumerate(block) if here is each)
                block[at:at] = fields
                self.functions += shared_out(block, share, self.tree, self.titles, self.names)
            else:
                for inner in inner_blocks(each):
                    self.block(inner)

    def with_fields(self, share: Share) -> tuple[Share, Block]:
        """The same loop with what it reads of traces in names of its own, and their statements.

        Numba passes no tuples to what it runs in parallel that have tuples in them, as traces may.
        """
        reader = _FieldReader([each for each in share.inputs if self.is_trace(each)], self.names)
        loop = reader.visit(share.loop)
        left = set(_names(loop))
        inputs = [each for each in share.inputs if each in left or not self.is_trace(each)]
        code: Block = [assign(name, attribute(load(owner), field)) for (owner, field), name in reader.found.items()]
        return replace(share, loop=loop, inputs=sorted([*inputs, *reader.found.values()])), code

    def is_trace(self, name: str) -> bool:
        """Whether a parameter is the trace of a forward sweep."""
        return name in self.parameters and name not in self.kinds

    def share(self, loop: gast.For, after: Live) -> Share | None:
        """How a loop is divided; None where that is not proved to be correct."""
        if not _is_simple(loop) or any(isinstance(kind, nb.Complex) for kind in self.kinds.values()):
            return None
        scratch = self.scratch(loop)
        passed = carried(loop, self.arrays, scratch)
        if passed is None or not all(self.may_pass(name, how) for name, how in passed.items()):
            return None
        body = plain(loop.body, self.arrays)
        stored = {loop.target.id, *stored_in(body)}
        if (stored & after) - set(passed) or stored & {name for bound in loop.iter.args for name in _names(bound)}:
            return None
        found = reach(loop, self.memory, self.kinds, scratch)
        if found is None:
            return None
        sums = {name: self.kinds[name] for name, how in passed.items() if how == "sum"}
        own = stored - set(passed) - set(scratch)
        needed = {*_names(loop), *(name for made in scratch.values() for name in _names(made))}
        inputs = sorted((needed & self.variables) - own - set(sums) - set(scratch) - set(found.totals))
        return Share(loop, sums, found.totals, list(scratch.values()), inputs, found.width, found.apart)

    def may_pass(self, name: str, how: str) -> bool:
        """Whether a loop-carried name is a number, and of a type that can be summed if it is a sum."""
        kind = self.kinds.get(name)
        return kind in SUMMED if how == "sum" else isinstance(kind, (nb.Number, nb.Boolean))

    def scratch(self, loop: gast.For) -> dict[str, gast.Assign]:
        """Arrays allocated for use by one iteration after another, with the statement that allocates each."""
        made = {
            each.targets[0].id: each
            for each in walk_statements(self.tree.body)
            if isinstance(each, gast.Assign) and notes_of(each).scratch
        }
        inside = _count(loop)
        everywhere = _count(self.tree)
        return {name: each for name, each in made.items() if name in inside and everywhere[name] == inside[name] + 1}


class _FieldReader(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Puts names in the place of the fields of traces; `found` has the name of each field."""

    def __init__(self, traces: list[str], names: Names) -> None:
        self.traces, self.names, self.found = traces, names, dict[tuple[str, str], str]()

    def visit_Attribute(self, node: gast.Attribute) -> gast.expr:
        """A name in the place of `trace.field`."""
        match node.value:
            case gast.Name(id=owner) if owner in self.traces:
                key = str(owner), str(node.attr)
                if key not in self.found:
                    self.found[key] = self.names.fresh("_".join(key))
                return load(self.found[key])
        self.generic_visit(node)
        return node


def _is_simple(loop: gast.For) -> bool:
    """Whether a loop runs to its end, and only computes and stores."""
    if not isinstance(loop.target, gast.Name) or is_exit(loop.body[-1]):
        return False
    for each in walk_statements(loop.body):
        match each:
            case gast.Assign(targets=[gast.Name() | gast.Subscript(value=gast.Name())]):
                if notes_of(each).effect:
                    return False
            case gast.AugAssign(target=gast.Name() | gast.Subscript(value=gast.Name())):
                pass
            case gast.Expr(value=gast.Call(func=gast.Attribute(attr="scatter_add"))):
                pass
            case gast.Expr() if is_check(each):
                pass
            case gast.If() | gast.For() | gast.While() | gast.Pass() | gast.Break() | gast.Raise() | gast.Assert():
                pass
            case _:
                return False
    return all(_is_known(node.func) for node in walk(loop) if isinstance(node, gast.Call))


_ERRORS = {name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)}


def _is_known(function: gast.expr) -> bool:
    """Whether a call only computes its result; not so for random numbers and the user's functions."""
    path = dotted_path(function) or ""
    root, _, rest = path.partition(".")
    return (root in _ROOTS and bool(rest) and not is_draw(path)) or path in _BUILTINS | _ERRORS


def _names(node: gast.AST) -> Iterator[str]:
    return (each.id for each in walk(node) if isinstance(each, gast.Name))


def _count(node: gast.AST) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for name in _names(node):
        found[name] = found.get(name, 0) + 1
    return found
