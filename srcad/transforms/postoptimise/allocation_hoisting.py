"""Allocation hoisting: an array that each iteration of a loop allocates anew is allocated once, before the loop.

    for t in range(steps):                      rate = np.empty(n)
        rate = np.empty(n)                      for t in range(steps):
        ...                          becomes        ...
        y_bar = np.zeros((n, m))                    for k in range(n):
                                                        for k_2 in range(m):
                                                            y_bar[k, k_2] = 0.0

    for i in range(n):                          trace = np.empty(0)
        trace = np.empty(max(n - i, 0))         for i in range(n):
                                     becomes        if trace.size < max(n - i, 0):
                                                        trace = np.empty(2 * max(n - i, 0))

Input and output are the statements of one function. Applies where no name that may refer to the array has a value when
an iteration starts, or after the loop: then nothing refers to the array of an earlier iteration. The first form needs
extents that are the same in all iterations, known before the loop, and not negative (`lasting_extents`); the second a
vector whose elements are used one at a time, at places that are not negative.
"""

from __future__ import annotations

from typing import Any

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import expression_of
from srcad.transforms.analysis.affine.linear_forms import Form, is_nonnegative
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.liveness import liveness_of, stored_certainly
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    attribute,
    binary,
    branch,
    call,
    clone,
    const,
    dotted,
    dotted_path,
    inner_blocks,
    is_loop,
    load,
    one_or_tuple,
    place_of,
    position,
    subscript,
    walk,
    walk_statements,
)
from srcad.transforms.ir.build import loop as loop_over
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.array_uses import Arrays, Use
from srcad.transforms.loop_analysis.lasting_extents import lasting_extents

_ARITHMETIC = gast.BinOp, gast.UnaryOp, gast.Name, gast.Constant, gast.operator, gast.unaryop, gast.expr_context
_MAKERS = {"np.empty": None, "np.zeros": 0.0, "np.empty_like": None, "np.zeros_like": 0.0}
_REAL = (nb.Float, nb.Complex)


def with_early_allocations(code: Code) -> Code:
    """Allocate arrays before the loops that need them.

    Functions with parallel loops are left unchanged: each thread needs arrays of its own.
    """
    everything = list(walk_statements(code.body))
    if any(is_parallel(each) for each in everything) or not any(map(is_loop, everything)):
        return code
    if not any(allocated(each) for each in everything):
        return code
    hoister = _Hoister(code)
    body = hoister.walked(code.body, Facts.at_start(code.kinds, hoister.ranks.of), frozenset(code.parameters))
    return code.with_body(body, hoister.new)


def allocated(statement: gast.stmt) -> str | None:
    """The name of the array that a statement allocates, of zeros or unset."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=function, args=[_, *_], keywords=[])):
            return name if dotted_path(function) in _MAKERS else None
    return None


class _Hoister:
    def __init__(self, code: Code) -> None:
        made = [each for each in walk_statements(code.body) if allocated(each) is not None]
        self.kinds = {**{str(allocated(each)): allocated_kind(each) for each in made}, **code.kinds}
        self.stores = store_counts(code)
        self.aliases, self.ranks = aliases_of(code), ranks_of(code)
        self.live = liveness_of(code)
        self.names, self.new = code.fresh_names(), dict[str, nb.Type]()
        self.rooms = dict[str, gast.stmt]()  # what allocates vectors that grow, by name
        self.vectors = self._vectors(code, {str(allocated(each)) for each in made if _is_length(each.value.args[0])})

    def _vectors(self, code: Code, names: set[str]) -> frozenset[str]:
        """The vectors, of some names, whose elements are used one at a time, at places that are not negative."""
        alone = {each for each in names if self.stores[each] == 1 and self.aliases.connected(each) == {each}}
        found = Arrays(alone, code.body, Facts.at_start(code.kinds, self.ranks.of)).found if alone else {}
        return frozenset(
            name for name, array in found.items() if not array.queries and all(map(_is_natural, array.uses))
        )

    def is_fitting(self, name: str) -> bool:
        """Whether a name holds an array in C order that can be written into."""
        kind: Any = self.kinds.get(name)
        return type(kind) is nb.Array and kind.ndim > 0 and kind.layout == "C" and kind.mutable

    def walked(self, block: Block, at: Facts, stored: frozenset[str]) -> Block:
        """A block, with inner ones, where allocations are before their loops; `stored` are the names that have a value.

        `at` are the facts before the block, and then after it.
        """
        result: Block = []
        for statement in block:
            if is_loop(statement):
                before = at.copy()
                index = frozenset(all_written(statement))
                for inner, inside in at.descend(statement):
                    inner[:] = self.walked(inner, inside, stored | index)
                early = self.hoisted(statement, before, stored)
                for each in early:
                    at.learn(each)
                result += early
            elif inner_blocks(statement):
                for inner, inside in at.descend(statement):
                    inner[:] = self.walked(inner, inside, stored)
            else:
                at.learn(statement)
                at.learn_check(statement)
            result.append(statement)
            stored |= stored_certainly([statement])
        return result

    def hoisted(self, loop: Any, before: Facts, stored: frozenset[str]) -> Block:
        """Take allocations out of a loop; gives the statements that are to be before it."""
        made = [(each, name) for each in loop.body if (name := self.candidate(each, loop)) is not None]
        if not made:
            return []
        lasting = lasting_extents(loop, before, self.live.heads[loop])
        early: Block = []
        for statement, name in made:
            forms = lasting.get(statement, [])
            if statement is self.rooms.get(name):
                early.append(statement)
                _replace(loop, statement, [])
            elif forms and all(self.is_known(form, before, stored) for form in forms):
                early.append(assign(name, self.unset(name, [*map(expression_of, forms)]), place_of(statement)))
                _replace(loop, statement, self.filled(name, statement))
            elif (
                name in self.vectors
                and _is_length(size := statement.value.args[0])
                and allocated_fill(statement) is None
            ):
                early.append(assign(name, self.unset(name, [const(0)]), place_of(statement)))
                self.rooms[name] = early[-1]
                longer = binary(const(2), gast.Mult, clone(size))
                test = gast.Compare(left=attribute(load(name), "size"), ops=[gast.Lt()], comparators=[clone(size)])
                _replace(loop, statement, [branch(test, [assign(name, self.unset(name, [longer]))], [])])
        return early

    def candidate(self, statement: gast.stmt, loop: Any) -> str | None:
        """The name that a statement assigns a new array to, if nothing refers to that of an earlier iteration."""
        name = allocated(statement)
        if name is None or not self.is_fitting(name):
            return None
        kind: Any = self.kinds[name]
        if allocated_fill(statement) is not None and not isinstance(kind.dtype, _REAL):
            return None
        stores = (each for each in walk_statements(loop.body) if not isinstance(each, gast.AugAssign))
        if sum(name in all_written(each) for each in stores) != 1 and statement is not self.rooms.get(name):
            return None
        head = self.live.heads[loop]
        return None if any(name in self.aliases.points_to(each) for each in head) else name

    def is_known(self, form: Form, before: Facts, stored: frozenset[str]) -> bool:
        """Whether an extent is known before a loop, and not negative."""
        return form.names <= stored and before.is_nonnegative(form)

    def unset(self, name: str, extents: list[gast.expr]) -> gast.Call:
        """An array that is not set, of the type that a name has."""
        kind: Any = self.kinds[name]
        spelled = "bool_" if kind.dtype == nb.boolean else str(kind.dtype)
        dtype = [] if kind.dtype == nb.float64 else [dotted(f"np.{spelled}")]
        return call("np.empty", one_or_tuple(extents), *dtype)

    def filled(self, name: str, statement: gast.stmt) -> Block:
        """The statements that set an array to zero, where that is how it was made."""
        if allocated_fill(statement) is None:
            return []
        kind: Any = self.kinds[name]
        indices = [self.names.fresh("k") for _ in range(kind.ndim)]
        self.new |= dict.fromkeys(indices, nb.int64)
        element = subscript(load(name), one_or_tuple([load(each) for each in indices]), store=True)
        inner: gast.stmt = assign(element, const(0.0), place_of(statement))
        for axis, index in reversed([*enumerate(indices)]):
            extent = subscript(attribute(load(name), "shape"), const(axis))
            inner = loop_over(index, [const(0), extent, const(1)], [inner], place_of(statement))
        return [note(inner, comment=notes_of(statement).comment)]


def allocated_fill(statement: Any) -> float | None:
    """What an array is filled with; None where it is not set."""
    return _MAKERS[str(dotted_path(statement.value.func))]


def allocated_kind(statement: Any) -> nb.Type | None:
    """The type of an array that is made in C order; None where the call alone does not tell."""
    function, (shape, *dtype) = str(dotted_path(statement.value.func)), statement.value.args
    spelled = str(dotted_path(dtype[0])) if dtype else "np.float64"
    of = nb.boolean if spelled == "np.bool_" else getattr(nb, spelled.removeprefix("np."), None)
    rank = len(shape.elts) if isinstance(shape, gast.Tuple) else 1 if _is_length(shape) else None
    is_known = not function.endswith("_like") and rank and spelled.startswith("np.") and isinstance(of, nb.Type)
    return nb.Array(of, rank, "C") if is_known else None


def _is_natural(use: Use) -> bool:
    """Whether a subscript is of one element, at a place that is not negative."""
    form = use.form(0)
    return form is not None and is_nonnegative(form, use.known)


def _is_length(size: gast.expr) -> bool:
    """Whether an expression is `max(n, 0)`, of names and literals."""
    match size:
        case gast.Call(func=gast.Name(id="max"), args=[inner, zero], keywords=[]) if constant(zero) == 0:
            return all(isinstance(each, _ARITHMETIC) for each in walk(inner))
    return False


def _replace(loop: Any, statement: gast.stmt, by: Block) -> None:
    """Put statements in the place of one in a loop's body."""
    k = position(loop.body, statement)
    loop.body[k : k + 1] = by
    loop.body = loop.body or [gast.Pass()]
