"""Vector mode: a sweep along several directions at once, which computes what they have in common only once.

    def f_tangent(x, x_dot):                    def f_tangent_lanes(x, x_dots):
        y = np.empty_like(x)                        x_dot = directions.of_rows(x_dots)
        y_dot = np.zeros_like(x)                    y = np.empty_like(x)
        for i in range(x.shape[0]):                 y_dot = directions.zeros(x.shape)
            t = np.exp(x[i])            becomes     for i in range(x.shape[0]):
            y[i] = t                                    t = np.exp(x[i])
            y_dot[i] = t * x_dot[i]                     y[i] = t
        return y, y_dot                                 y_dot[i] = t * x_dot[i]
                                                    return y, directions.rows_of(y_dot)

A name *varies* if its value depends on the direction: a tangent, an adjoint, an array of these. These become lanes
(`srcad.runtime.kernels.directions`), all other statements stay what they are. Sweeps are linear in their directions, so
that products, sums and elements of arrays are all that most statements consist of; others become a loop over the lanes
(`lane_statements`). Where the course of a function may depend on a direction there is no vector mode, but for tests
that skip zeros: what is skipped for all lanes or for none adds zeros, unless infinities meet them, which shows in the
results.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import gast
from numba import types as nb

from srcad.names import Names
from srcad.transforms.ir.array_functions import returns_new
from srcad.transforms.ir.build import dotted_path, inner_blocks, is_loop, names_in, walk, walk_statements
from srcad.transforms.ir.side_effects import all_written, changed_memory

SHAPES = frozenset(("shape", "size", "ndim", "dtype"))
_OF_SHAPE = frozenset(("np.zeros_like", "np.empty_like", "np.ones_like", "len", "np.shape", "np.size", "np.ndim"))
PLUS = "kernels.plus"  # a sum whose terms may be added in any order
# Kernels that add to their first argument, and write to no other; beside those that store into it.
_ADDING = ("blas.add_times", "blas.add_times_transpose", "blas.add_transpose_times", "add_outer", "add_extremum")
# Kernels whose results are in memory of their own, beside those of `array_functions`.
_NEW = frozenset(("kernels.outer", "kernels.cumsum_adjoint"))
_OF_INTEGERS = (gast.Add, gast.Sub, gast.Mult, gast.FloorDiv, gast.Mod)
_COMPUTED = (gast.BinOp, gast.UnaryOp, gast.Compare, gast.BoolOp, gast.Constant)


class NotInLanes(Exception):
    """A sweep has no vector mode."""


@dataclass(frozen=True)
class Sweep:
    """A generated function, the types of its names and of its result, and the parameters that hold the direction.

    primals     how many of the results are the primal's, the first ones
    """

    tree: gast.FunctionDef
    types: Mapping[str, nb.Type]
    result: nb.Type
    directions: Sequence[str]
    primals: int

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters."""
        return [each.id for each in self.tree.args.args]


class Varying:
    """The names of a sweep whose values depend on the direction, and what follows for expressions.

    Raises NotInLanes where a captured array, or a parameter other than the directions, would be one of them.
    """

    def __init__(self, sweep: Sweep) -> None:
        self.sweep, self.types = sweep, sweep.types
        self.statements = list(walk_statements(sweep.tree.body))
        self.names: set[str] = set(sweep.directions)
        self._primal = _memory_of_primal(self.statements, set(sweep.parameters) - set(sweep.directions))
        self._shared = _shared_memory(self.statements, sweep.types, self._primal)
        self._places = dict(_places(sweep.tree.body))
        self._writes = [(self._places[id(each)], set(names)) for each in self.statements if (names := changed_by(each))]
        known = -1
        while known != len(self.names):
            known = len(self.names)
            for each in self.statements:
                self.names.update(self._made_varying(each))
            for name in list(self.names):
                self.names |= self._shared.get(name, set())
        if self.names & self._primal:
            raise NotInLanes("memory of the primal would vary")
        for name in self.names:
            self.is_array(name)

    def _made_varying(self, statement: gast.stmt) -> Iterator[str]:
        match statement:
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base), slice=index)], value=value):
                if self.holds(index):
                    raise NotInLanes("an index varies")
                if self.holds(value):
                    yield base
            case gast.AugAssign(target=gast.Subscript(value=gast.Name(id=base), slice=index), value=value):
                if self.holds(index):
                    raise NotInLanes("an index varies")
                if self.holds(value):
                    yield base
            case (
                gast.Assign(targets=[gast.Name(id=name)], value=value)
                | gast.AugAssign(target=gast.Name(id=name), value=value)
            ):
                if self.holds(value):
                    yield name
            case gast.Expr(value=value):
                if self.holds(value):
                    yield from changed_by(statement)
            case gast.Assign(value=value) | gast.AugAssign(value=value) | gast.For(iter=value) | gast.While(test=value):
                if self.holds(value):
                    raise NotInLanes("a loop or several names at once depend on a direction")

    def holds(self, node: gast.AST | None) -> bool:
        """Whether the value of an expression depends on the direction."""
        match node:
            case None:
                return False
            case gast.Name(id=name):
                return name in self.names
            case gast.Attribute(value=value, attr=attr) if attr in SHAPES:
                return not self.is_seen(value) and self.holds(value)
            case gast.Call(func=function, args=args) if dotted_path(function) in _OF_SHAPE:
                return any(self.holds(each) for each in args if not isinstance(each, gast.Name))
        return any(self.holds(each) for each in gast.iter_child_nodes(node))

    def is_array(self, name: str) -> bool:
        """Whether a name that varies holds an array, and no number."""
        kind = self.types.get(name)
        if isinstance(kind, nb.Array) and kind.ndim and kind.dtype == nb.float64:
            return True
        if kind == nb.float64:
            return False
        raise NotInLanes(f"{name} is {kind}")

    def is_number(self, node: gast.expr) -> bool:
        """Whether an expression is computed with all lanes at once: sums and products of numbers of lanes."""
        if not self.holds(node):
            return not self.is_opaque(node)
        match node:
            case gast.Name(id=name):
                return not self.is_array(name)
            case gast.UnaryOp(op=gast.USub() | gast.UAdd(), operand=operand):
                return self.is_number(operand)
            case gast.BinOp(left=left, op=gast.Add() | gast.Sub() | gast.Mult(), right=right):
                return self.is_number(left) and self.is_number(right)
            case gast.BinOp(left=left, op=gast.Div(), right=right):
                return self.is_number(left) and not self.holds(right) and not self.is_opaque(right)
            case gast.Subscript(value=gast.Name(id=name), slice=index):
                return self.is_element(name, index)
            case gast.Call(func=function, args=[left, right], keywords=[]) if dotted_path(function) == PLUS:
                return self.is_number(left) and self.is_number(right)
            case gast.Call(args=[first, *others], keywords=[]) if strong(node):
                return (
                    self.is_number(first) and not any(map(self.holds, others)) and not any(map(self.is_opaque, others))
                )
        return False

    def is_opaque(self, node: gast.expr) -> bool:
        """Whether an expression that does not vary is known to be an array, or a tuple."""
        return isinstance(node, gast.Tuple) or (
            isinstance(node, gast.Name) and isinstance(self.types.get(node.id), nb.Array)
        )

    def is_element(self, name: str, index: gast.expr) -> bool:
        """Whether a subscript is one element of an array."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        kind = self.types.get(name)
        return isinstance(kind, nb.Array) and kind.ndim == len(parts) and all(map(self.is_integer, parts))

    def is_integer(self, node: gast.expr) -> bool:
        """Whether an expression is certainly an integer."""
        match node:
            case gast.Constant(value=value):
                return type(value) is int
            case gast.Name(id=name):
                return isinstance(self.types.get(name), nb.Integer)
            case gast.UnaryOp(op=gast.USub(), operand=operand):
                return self.is_integer(operand)
            case gast.BinOp(
                left=left, op=gast.Add() | gast.Sub() | gast.Mult() | gast.FloorDiv() | gast.Mod(), right=right
            ):
                return self.is_integer(left) and self.is_integer(right)
            case gast.Subscript(value=gast.Attribute(attr="shape"), slice=index):
                return self.is_integer(index)
            case gast.Subscript(value=gast.Name(id=name), slice=index):
                kind = self.types.get(name)
                return isinstance(getattr(kind, "dtype", None), nb.Integer) and self.is_element(name, index)
            case gast.Attribute(attr="size" | "ndim"):
                return True
            case gast.Call(func=gast.Name(id="max" | "min"), args=args):
                return all(map(self.is_integer, args))
        return False

    def is_view(self, index: gast.expr) -> bool:
        """Whether a subscript is a view: slices and integers alone."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        is_sliced = any(isinstance(each, gast.Slice) for each in parts)
        return is_sliced and all(isinstance(each, gast.Slice) or self.is_integer(each) for each in parts)

    def is_row(self, name: str, index: gast.expr) -> bool:
        """Whether a subscript by integers is an array: fewer of them than the array has axes."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        kind = self.types.get(name)
        return isinstance(kind, nb.Array) and kind.ndim > len(parts) and all(map(self.is_integer, parts))

    def is_seen(self, node: gast.expr) -> bool:
        """Whether an expression is an array by its name, or a view of one: of lanes as much as of numbers."""
        match node:
            case gast.Name():
                return True
            case gast.Subscript(value=gast.Name(id=name), slice=index):
                return self.is_view(index) or self.is_row(name, index)
        return False

    def is_written_later(self, name: str, statement: gast.stmt) -> bool:
        """Whether memory that a name shares with others may be written to after this statement."""
        others, (place, loops) = self._shared.get(name, set()), self._places[id(statement)]
        return any(others & names and (where > place or loops & around) for (where, around), names in self._writes)

    def may_overlap(self, names: Sequence[str]) -> bool:
        """Whether two of several names may share memory."""
        return any(other in self._shared.get(name, set()) for k, name in enumerate(names) for other in names[k + 1 :])


def _places(block: Sequence[gast.stmt]) -> Iterator[tuple[int, tuple[int, frozenset[int]]]]:
    """By the id of each statement, its place in the order of the text, and the ids of the loops around it."""
    pending: list[tuple[gast.stmt, frozenset[int]]] = [(each, frozenset()) for each in reversed(block)]
    count = itertools.count()
    while pending:
        statement, loops = pending.pop()
        yield id(statement), (next(count), loops)
        inside = loops | {id(statement)} if is_loop(statement) else loops
        pending += [(each, inside) for inner in reversed(inner_blocks(statement)) for each in reversed(inner)]


def changed_by(statement: gast.stmt) -> list[str]:
    """The names of arrays that a statement writes to."""
    match statement:
        case gast.Expr(value=gast.Call(func=function, args=[gast.Name(id=name), *_])):
            if (dotted_path(function) or "").removeprefix("kernels.") in _ADDING:
                return [name]
    return changed_memory(statement)


def strong(node: gast.Call) -> str | None:
    """The name of a product or quotient that keeps zeros, if a call is one."""
    path = dotted_path(node.func) or ""
    name = path.removeprefix("kernels.")
    return name if path.startswith("kernels.") and name in ("strong_product", "strong_quotient") else None


def is_new(value: gast.expr) -> bool:
    """Whether an expression is in memory of its own."""
    if not isinstance(value, gast.Call):
        return isinstance(value, _COMPUTED)
    path = dotted_path(value.func)
    return path in _NEW or returns_new(path)


def _memory_of_primal(statements: Sequence[gast.stmt], parameters: set[str]) -> set[str]:
    """The parameters, and names of what they and the trace have inside. No derivative is ever written into these."""
    found = set(parameters)
    for statement in statements:
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Attribute() | gast.Subscript() as value):
                if set(names_in(value)) <= found:
                    found.add(name)
    return found


def _shared_memory(
    statements: Sequence[gast.stmt], types: Mapping[str, nb.Type], primal: set[str]
) -> dict[str, set[str]]:
    """For each array, the names that may share memory with it, its own included; those of the primal aside."""
    found: dict[str, set[str]] = {}
    for statement in statements:
        if not isinstance(statement, gast.Assign) or is_new(statement.value):
            continue
        stored = set(all_written(statement)) - primal
        arrays = {
            each for each in (*stored, *names_in(statement.value)) if isinstance(types.get(each), nb.Array)
        } - primal
        if not arrays & stored:
            continue
        together = arrays.union(*(found.get(each, set()) for each in arrays))
        for each in together:
            found[each] = together
    return found


def own_names(tree: gast.FunctionDef) -> Names:
    """A maker of names that occur nowhere in a function."""
    return Names({node.id for node in walk(tree) if isinstance(node, gast.Name)})
