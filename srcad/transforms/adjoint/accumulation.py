"""Adjoint accumulation: statements that add contributions to the adjoints of numbers, arrays and broadcast operands."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from typing import Any

import gast
from numba import types as nb

from srcad.errors import Place
from srcad.names import Names
from srcad.runtime import kernels
from srcad.transforms.adjoint.call_derivatives import CallAdjoints, Callees, calls_in
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.analysis.view_adjoints import is_contiguous_part
from srcad.transforms.ir.array_functions import LIKE, OF_SHAPE_AND_TYPE
from srcad.transforms.ir.build import (
    Block,
    assign,
    augment,
    call,
    clone,
    const,
    dotted,
    dotted_path,
    load,
    names_in,
    one_or_tuple,
    stored,
    subscript,
    walk,
)
from srcad.transforms.ir.name_types import is_complex
from srcad.transforms.ir.node_notes import note
from srcad.transforms.normalise.carried_shapes import keeps_shape, shapes_behind


class Adjoints:
    """Names of adjoints, and the statements that initialise, add to and clear them."""

    def __init__(
        self,
        program: Program,
        names: Names,
        bindings: dict[str, Any],
        callees: Callees | None = None,
        given: Collection[str] = (),
    ) -> None:
        """`callees` makes the derivatives of calls; the adjoints of `given` names exist, and are only added to."""
        self.program, self.names, self.bindings, self.given = program, names, bindings, given
        self.calls = CallAdjoints(calls_in(program.unit), callees, names)
        self._bars: dict[str, str] = {}

    def bar(self, name: str) -> str:
        """The name of a name's adjoint."""
        if name not in self._bars:
            self._bars[name] = self.names.fresh(f"{name}_bar")
        return self._bars[name]

    @property
    def bars(self) -> Mapping[str, str]:
        """The adjoint names made so far, by primal name."""
        return self._bars

    def typed(self, tree: gast.FunctionDef, primals: int | None = None) -> gast.FunctionDef:
        """A generated function, with the types of the primal's arrays and numbers and of their adjoints noted on it.

        `primals` is the number of leading results that are the primal's; None if the function may pass on more of
        these.
        """
        known = {
            name: kind
            for name, kind in self.program.types.of.items()
            if isinstance(kind, (nb.Array, nb.Number, nb.Boolean))
        }
        kinds = known | {bar: known[name] for name, bar in self.bars.items() if name in known}
        return note(tree, primals=primals, kinds=kinds)

    def kernel(self, function: str) -> str:
        """The dotted name of a kernel in generated code."""
        if self.bindings.setdefault("kernels", kernels) is kernels:
            return f"kernels.{function}"
        alias = next((name for name, value in self.bindings.items() if value is kernels), None)
        if alias is None:
            alias = self.names.fresh("kernels")
            self.bindings[alias] = kernels
        return f"{alias}.{function}"

    def add(
        self,
        name: str,
        contribution: gast.expr,
        place: Place | None,
        operation: type[gast.operator] = gast.Add,
        is_exact: bool = False,
    ) -> Block:
        """`name_bar += contribution` of the same shape; `is_exact` if its only array is known to have that shape."""
        if isinstance(contribution, gast.UnaryOp) and isinstance(contribution.op, gast.USub):
            flipped = gast.Sub if operation is gast.Add else gast.Add
            return self.add(name, contribution.operand, place, flipped, is_exact)
        if self.program.types.is_real(name) and self.may_be_complex(contribution):
            contribution = call("np.real", contribution)
        statement = augment(stored(self.bar(name)), operation, contribution, place)
        return [note(statement, whole=self.program.types.is_array(name) and self.is_all_double, exact=is_exact)]

    def may_be_complex(self, contribution: gast.expr) -> bool:
        """Whether an expression reads complex values, or values of unknown type."""
        types = self.program.types
        if not self._has_complex:
            return False
        primal = {bar: name for name, bar in self._bars.items()}
        if any(isinstance(node, gast.Constant) and isinstance(node.value, complex) for node in walk(contribution)):
            return True
        kinds = [types.get(primal.get(read, read)) for read in names_in(contribution) if read not in self.bindings]
        return any(kind is None or is_complex(kind) for kind in kinds)

    @functools.cached_property
    def _has_complex(self) -> bool:
        return any(map(is_complex, self.program.types.of.values()))

    @property
    def is_all_double(self) -> bool:
        """Whether all floating-point values are float64, so that a contribution has the type of its adjoint."""
        kinds = {kind.dtype if isinstance(kind, nb.Array) else kind for kind in self.program.types.of.values()}
        return not any(isinstance(kind, (nb.Float, nb.Complex)) and kind != nb.float64 for kind in kinds)

    def summed(self, name: str, contribution: gast.expr, rank: int, same_shape: bool) -> gast.expr:
        """An elementwise contribution of the given rank, summed to the operand's shape (undoing a broadcast)."""
        own = self.program.types.rank(name) or 0
        if rank == 0 or same_shape:
            return contribution
        if own == 0:
            return call("np.sum", contribution)
        return call(self.kernel("unbroadcast"), contribution, load(name))

    def begin(self, name: str, value: gast.expr) -> gast.stmt:
        """The statement that initialises an adjoint; `place_zeros` may merge it with the first contribution."""
        return note(
            assign(self.bar(name), value),
            value_is_number=not self.program.types.is_array(name),
            is_view=name in self.program.aliases.views,
            in_c_order=name in self._viewed_in_one_piece,
        )

    @functools.cached_property
    def _viewed_in_one_piece(self) -> set[str]:
        """The arrays that have views like `np.ravel(a)`: their adjoints have them too, in the same order."""
        views, flow = self.program.aliases.views, self.program.flow
        flat = [name for name in views if is_contiguous_part(self.program, flow.definition(name))]
        return set(closure(flat, lambda name: [views[name]] if name in views else []))

    def zero(self, name: str) -> gast.expr:
        """The initial value of an adjoint."""
        program = self.program
        kind = program.types.get(name)
        if not isinstance(kind, nb.Array):
            return const(0j) if isinstance(kind, nb.Complex) else const(0.0)
        value = program.flow.definition(name)
        if isinstance(value, gast.Call):
            path = dotted_path(value.func)
            if path in OF_SHAPE_AND_TYPE:
                made = clone(value)
                made.func.attr = "zeros"
                return made
            if path in LIKE and isinstance(value.args[0], gast.Name):
                like = program.types.get(value.args[0].id)
                if isinstance(like, nb.Array) and like.layout == kind.layout:  # else views of the two are not alike
                    return call("np.zeros_like", load(value.args[0].id), *_type_unless(kind.dtype, like.dtype))
        extents = self._shapes_behind.get(name)
        if extents is not None:
            shape = one_or_tuple([load(each) for each in extents])
            return call("np.zeros", shape, *_type_unless(kind.dtype, nb.float64))
        return call("np.zeros_like", load(name))

    @functools.cached_property
    def _shapes_behind(self) -> dict[str, list[str]]:
        return shapes_behind(self.program.unit, self.program.flow)

    def clear(self, name: str, place: Place | None) -> Block:
        """Reset an adjoint to zero."""
        if not self.program.types.is_array(name):
            return [assign(self.bar(name), self.zero(name), place)]
        if self.keeps_shape(name):
            whole = subscript(load(self.bar(name)), gast.Constant(value=..., kind=None), store=True)
            return [assign(whole, const(0.0), place)]
        return [assign(self.bar(name), call("np.zeros_like", load(name)), place)]

    def keeps_shape(self, name: str) -> bool:
        """Whether all values of a carried array are known to have the same shape."""
        return keeps_shape(name, self.program.flow, self.program.types, self.program.meeting.size)

    def same_shape(self, one: str, other: str) -> bool:
        """Whether two arrays are known to have the same shape."""
        types, size = self.program.types, self.program.meeting.size
        rank = types.rank(one)
        if rank is None or rank != types.rank(other):
            return False
        return all(size(one, axis) == size(other, axis) for axis in range(rank))


def _type_unless(kind: nb.Type, usual: nb.Type) -> list[gast.expr]:
    """The argument that says which type elements have, unless they have the usual one."""
    return [] if kind == usual else [dotted(f"np.{kind}")]
