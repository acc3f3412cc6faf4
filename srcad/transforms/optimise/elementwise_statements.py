"""Elementwise statements: which array statements become loop nests, and what they become (see `loop_nests`)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import gast
import numpy as np
from numba import types as nb

from srcad.errors import Place
from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.aliases import is_basic
from srcad.transforms.analysis.ownership import are_apart
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import (
    Block,
    assign,
    augment,
    binary,
    call,
    clone,
    const,
    dotted,
    dotted_path,
    load,
    names_in,
    one_or_tuple,
    place_of,
    stores_into,
    subscript,
    written,
)
from srcad.transforms.ir.name_types import differentiable, is_complex
from srcad.transforms.ir.primitive import operands, primitive_of
from srcad.transforms.optimise.gathers import base_of_gather, conversion, is_gather, is_integer_operation
from srcad.transforms.optimise.loop_nests import Leaf, Nest, leaf_of
from srcad.transforms.optimise.masked_nests import masked_nest

if TYPE_CHECKING:
    from srcad.transforms.optimise.masked_statements import Masked

_SMOOTH = (nb.Float, nb.Complex)
UNFUSED = (gast.Mod, gast.FloorDiv, gast.MatMult, gast.BitAnd, gast.BitOr, gast.BitXor, gast.LShift, gast.RShift)

LOGICAL = (gast.BitAnd, gast.BitOr, gast.BitXor)


def is_fusible(program: Program, statement: gast.stmt) -> bool:
    """Whether a statement computes an array element by element."""
    name = written(statement)
    if not isinstance(statement, gast.Assign) or not name or not program.types.rank(name):
        return False
    kind = program.types.get(name)
    value = statement.value
    if not isinstance(kind, nb.Array):
        return False
    if is_gather(program, value):
        return isinstance(kind.dtype, (*_SMOOTH, nb.Integer))
    if conversion(program, value) is not None:
        return True
    if not isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Call, gast.Compare)):
        return False
    if not isinstance(kind.dtype, (*_SMOOTH, nb.Boolean)):
        return kind.dtype == nb.int64 and is_integer_operation(program, value)
    if isinstance(value, gast.Compare) and not _is_of_numbers(program, value):
        return False
    if isinstance(value, gast.BinOp) and (kind.dtype == nb.boolean or isinstance(value.op, UNFUSED)):
        # NumPy's sum of two arrays of booleans has booleans, Numba's sum of two booleans is an integer.
        return kind.dtype == nb.boolean and isinstance(value.op, LOGICAL)
    if isinstance(value, gast.Call) and (value.keywords or not _has_scalar_form(program, name, value)):
        return False
    rule = registry.find(primitive_of(value, program.unit.bindings))
    return rule is not None and rule.elementwise and all(_is_numeric(program, node) for node in operands(value)[0])


def _is_of_numbers(program: Program, value: gast.Compare) -> bool:
    """Whether numbers can be compared as the arrays are: complex numbers have no order, but NumPy's arrays have one."""
    has_order = not isinstance(value.ops[0], (gast.Eq, gast.NotEq))
    return not has_order or not any(is_complex(program.types.get(name)) for name in names_in(value))


def _has_scalar_form(program: Program, name: str, value: gast.Call) -> bool:
    """Whether compiled code can call the function with scalars, as is the case for ufuncs and elementwise kernels.

    The real part of an array is a view of it: it is computed by elements where neither of the two is written into.
    """
    primitive = primitive_of(value, program.unit.bindings)
    if primitive is np.real:
        return is_complex(program.types.get(value.args[0].id)) and not program.aliases.is_written(name)
    is_elementwise = isinstance(primitive, np.ufunc) or getattr(primitive, "takes_numbers", False)
    return is_elementwise or (primitive in (np.where, np.clip) and len(value.args) == 3)


def _is_numeric(program: Program, node: gast.expr) -> bool:
    if not isinstance(node, gast.Name):
        return not isinstance(node, gast.Tuple) and not (isinstance(node, gast.Constant) and node.value is None)
    kind = program.types.get(node.id)
    kind = kind.dtype if isinstance(kind, nb.Array) else kind
    return isinstance(kind, (*_SMOOTH, nb.Integer, nb.Boolean))


class Elements:
    """Writes loop nests; `defined` has array results, `inlined` those that are computed inside another nest.

    assumes     whether operands that may broadcast are assumed not to, which the nests check at run time
    checks      of inlined indices, what is checked of each
    masked      statements by one mask, by the id of each of them
    """

    def __init__(
        self,
        program: Program,
        defined: dict[str, gast.Assign],
        inlined: dict[str, gast.stmt],
        assumes: bool = False,
        checks: Mapping[str, list[gast.stmt]] = MappingProxyType({}),
        masked: Mapping[int, Masked] = MappingProxyType({}),
    ) -> None:
        self.program, self.defined, self.inlined, self.assumes = program, defined, inlined, assumes
        self.masked = masked
        self.checks, self._moved = checks, {id(each) for found in checks.values() for each in found}
        self.names = program.unit.names
        self.bindings: Any = program.unit.bindings

    @staticmethod
    def sums(program: Program, statement: gast.stmt) -> bool:
        """Whether the statement is a sum or mean over dimensions of an array."""
        value = statement.value if isinstance(statement, gast.Assign) else None
        if not isinstance(value, gast.Call) or program.meeting.reduction(value) is None:
            return False
        path = dotted_path(value.func)
        if path not in ("np.sum", "np.mean"):
            return False
        kind: Any = program.types.get(str(written(statement)))
        of = program.types.get(value.args[0].id)
        if isinstance(kind, nb.Float) and path == "np.sum":
            return True
        of = getattr(of, "dtype", None)
        return of in (nb.float64, nb.complex128) and bool(getattr(kind, "dtype", kind) == of)

    @staticmethod
    def rank(program: Program, statement: gast.stmt) -> int | None:
        """The number of loops in a statement's nest."""
        target = stores_into(statement)
        if target is not None:
            return _rank_of_target(program, target)
        if Elements.sums(program, statement):
            return program.types.rank(statement.value.args[0].id)
        return program.types.rank(str(written(statement)))

    def statement(self, statement: gast.stmt) -> Block:
        """The statements that replace a statement: a loop nest, or itself."""
        name = written(statement)
        if name in self.inlined or id(statement) in self._moved:
            return []
        if (region := self.masked.get(id(statement))) is not None:
            return masked_nest(self, region) if statement is region.last else []
        if name in self.defined and is_fusible(self.program, statement):
            return self.stored_result(str(name), statement)
        if self.sums(self.program, statement):
            return self.summed(str(name), statement)
        target = stores_into(statement)
        if target is not None and is_array_store(self.program, statement, target):
            return self.stored_slice(statement, target)
        return [statement]

    def stored_result(self, name: str, statement: Any) -> Block:
        """`name = ...` as an array that a loop nest fills."""
        place = place_of(statement)
        rank = self.program.types.rank(name) or 0
        nest = Nest(self, rank, place, statement)
        extents = nest.extents_of(statement.value)
        shape = one_or_tuple(extents)
        value = nest.inner(nest.element(statement.value))
        nest.body.append(assign(subscript(load(name), nest.index(), store=True), value, place))
        if self.program.flow.single(name) is not None:
            for axis, form in enumerate(nest.forms):
                if form is not None:
                    self.program.meeting.learn(name, axis, form)
        return [*nest.before, assign(name, self.empty(clone(shape), name), place), nest.loops(extents)]

    def empty(self, shape: gast.expr, name: str) -> gast.expr:
        """`np.empty` with the type of a name."""
        dtype = self.program.types.get(name).dtype  # type: ignore[union-attr]
        if dtype == nb.float64:
            return call("np.empty", shape)
        return call("np.empty", shape, dotted("np.bool_" if dtype == nb.boolean else f"np.{dtype}"))

    def summed(self, name: str, statement: Any) -> Block:
        """`name = np.sum(...)` or `np.mean(...)`: adds in the order that Numba adds in; a mean divides at the end."""
        is_mean = dotted_path(statement.value.func) == "np.mean"
        total = self.names.fresh(f"{name}_sum") if is_mean else name
        is_array = self.program.types.is_array(name)
        block, shape, count = (self.in_array if is_array else self.in_number)(total, statement)
        if not is_mean:
            return block
        return [*block, *self.divided(name, total, shape, count, place_of(statement))]

    def in_number(self, name: str, statement: Any) -> tuple[Block, list[gast.expr], list[gast.expr]]:
        """A sum over all elements in a scalar accumulator; with the shape that is left, and the extents summed over."""
        place, source = place_of(statement), statement.value.args[0]
        nest = Nest(self, self.program.types.rank(source.id) or 0, place, statement)
        extents = nest.extents_of(source)
        carried, following = self.names.fresh(f"{name}_sum"), self.names.fresh(f"{name}_sum")
        value = nest.atom(source)
        nest.body.append(assign(following, binary(load(carried), gast.Add, value), place))
        nest.body.append(assign(carried, load(following), place))
        zero = const(0j if is_complex(self.program.types.get(source.id)) else 0.0)
        sums = nest.accumulating_loops(extents, {carried: zero})
        return [*nest.before, *sums, assign(name, load(nest.totals[carried]), place)], [], extents

    def in_array(self, name: str, statement: Any) -> tuple[Block, list[gast.expr], list[gast.expr]]:
        """Sums over some dimensions, into an array of zeros; with the remaining shape, and the extents summed over."""
        place, source = place_of(statement), statement.value.args[0]
        over, keeps = self.program.meeting.reduction(statement.value) or (frozenset(), False)
        nest = Nest(self, self.program.types.rank(source.id) or 0, place, statement)
        extents = nest.extents_of(source)
        left = [axis for axis in range(nest.rank) if keeps or axis not in over]
        shape = [const(1) if axis in over else clone(extents[axis]) for axis in left]
        index = [const(0) if axis in over else load(nest.indices[axis]) for axis in left]
        cell = subscript(load(name), one_or_tuple(index), store=True)
        nest.body.append(augment(cell, gast.Add, nest.atom(source), place))
        dtype = [dotted("np.complex128")] if is_complex(self.program.types.get(source.id)) else []
        zeros = assign(name, call("np.zeros", clone(one_or_tuple(shape)), *dtype), place)
        return [*nest.before, zeros, nest.loops(extents)], shape, [extents[axis] for axis in sorted(over)]

    def divided(
        self, name: str, total: str, shape: list[gast.expr], counts: list[gast.expr], place: Place | None
    ) -> Block:
        """`name = total / count`, for numbers or for arrays of this shape."""
        nest = Nest(self, len(shape), place, gast.Pass())
        count = clone(counts[0])
        for each in counts[1:]:
            count = nest.name(binary(count, gast.Mult, clone(each)))
        if not shape:
            return [*nest.before, assign(name, call("np.divide", load(total), count), place)]
        element = nest.inner(subscript(load(total), nest.index()))
        value = nest.inner(call("np.divide", element, clone(count)))
        nest.body.append(assign(subscript(load(name), nest.index(), store=True), value, place))
        empty = assign(name, self.empty(clone(one_or_tuple(shape)), name), place)
        return [*nest.before, empty, nest.loops(shape)]

    def stored_slice(self, statement: Any, target: gast.Subscript) -> Block:
        """`a[...] = value` or `+=` as a loop nest; a value that may overlap the target is evaluated first."""
        place = place_of(statement)
        program = self.program
        rank = _rank_of_target(program, target)
        nest = Nest(self, rank, place, statement)
        leaf, extents = nest.target(target)
        before: Block = []
        value = statement.value
        if self.overlaps(value, statement, target, leaf):
            before, value = self.evaluated(value, statement)
        nest.limits(extents)
        element = nest.atom(value)
        cell = leaf.cell(nest)
        cell.ctx = gast.Store()
        is_division = isinstance(statement, gast.AugAssign) and isinstance(statement.op, gast.Div)
        if is_division and is_complex(program.types.get(target.value.id)):  # `/=` of complex numbers may raise
            divided = nest.inner(call("np.divide", nest.inner(leaf.cell(nest)), element))
            nest.body.append(assign(cell, divided, place))
        elif isinstance(statement, gast.AugAssign):
            nest.body.append(augment(cell, type(statement.op), element, place))
        else:
            nest.body.append(assign(cell, element, place))
        return [*before, *nest.before, nest.loops(extents)]

    def overlaps(self, value: gast.expr, statement: gast.stmt, target: gast.Subscript, leaf: Leaf) -> bool:
        """Whether a loop nest could read an element after writing it."""
        program = self.program
        gathered = self.gathered(value)
        for name in dict.fromkeys([*self.leaves(value), *gathered]):
            if not program.aliases.may_alias(name, target.value.id):
                continue
            other = leaf_of(program, name)
            if other is not None and are_apart(program, other.base, leaf.base):
                continue
            if other is not None and leaf.is_apart(other, program.meeting):
                continue
            if other is not None and name not in gathered and leaf.is_same(other, program.meeting, self.assumes):
                continue
            if program.meeting.meets_now(statement, load(name), target):
                return True
        return False

    def leaves(self, node: gast.expr) -> list[str]:
        """The arrays that an expression reads at the element's own place, through inlined results, each once."""
        return self._arrays_in(node)[0]

    def gathered(self, node: gast.expr) -> list[str]:
        """The arrays of which an expression reads elements at other places, through inlined results."""
        return self._arrays_in(node)[1]

    def _arrays_in(self, node: gast.expr) -> tuple[list[str], list[str]]:
        own: dict[str, None] = {}
        others: dict[str, None] = {}
        seen: set[str] = set()

        def visit(part: gast.expr) -> None:
            base = base_of_gather(self.program, part)
            if base is not None:
                others[base] = None
            for name in names_in(part if base is None else part.slice):
                if name in self.inlined and name not in seen:
                    seen.add(name)
                    visit(self.defined[name].value)
                elif name not in self.inlined and self.program.types.is_array(name):
                    own[name] = None

        visit(node)
        return [*own], [*others]

    def evaluated(self, value: gast.expr, statement: gast.stmt) -> tuple[Block, gast.expr]:
        """The value, evaluated into an array of its own."""
        place = place_of(statement)
        if isinstance(value, gast.Name) and value.id in self.inlined:
            del self.inlined[value.id]
            return self.stored_result(value.id, self.defined[value.id]), value
        copied = self.names.temporary()
        kinds: Any = self.program.types.of
        kinds[copied] = kinds[value.id].copy(layout="C")
        self.program.flow.stores[copied] = []
        return [assign(copied, call("np.copy", value), place)], load(copied)


def is_array_store(program: Program, statement: Any, target: gast.Subscript) -> bool:
    """Whether a store becomes a loop nest: its subscript is basic and selects several floats or complex numbers.

    A value of more axes than that, of which NumPy drops leading ones of length 1, does not.
    """
    types = program.types
    kind = types.get(target.value.id)
    if any(map(types.is_opaque, index_parts(target))):
        return False
    is_cut = types.is_real(target.value.id) and any(is_complex(types.get(name)) for name in names_in(statement.value))
    rank = _rank_of_target(program, target)
    fits = all((types.rank(name) or 0) <= rank for name in names_in(statement.value))
    return differentiable(kind) and not is_cut and is_basic(target.slice, types) and rank > 0 and fits


def _rank_of_target(program: Program, target: gast.Subscript) -> int:
    """The rank of what a basic subscript selects."""
    types = program.types
    parts = index_parts(target)
    rank = types.rank(target.value.id) or 0
    for part in parts:
        if isinstance(part, gast.Constant) and part.value is None:
            rank += 1
        elif not isinstance(part, gast.Slice) and not (isinstance(part, gast.Constant) and part.value is ...):
            rank -= 1
    return rank
