"""A shorter lowering to LLVM for what generated functions consist of: array elements and loops over ranges.

Numba's code for these is three times as long, and LLVM shortens it again: meaning and speed are the same. Everything
else is lowered by Numba.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from numba.core import cgutils, ir, ir_utils, types
from numba.core.lowering import Lower
from numba.np.arrayobj import fix_integer_index, load_item, store_item

_PLAIN = (types.Float, types.Integer, types.Complex, types.Boolean)


class Scopes:
    """The scopes of a function's memory as LLVM's metadata `alias.scope` and `noalias` (LLVM Language Reference)."""

    def __init__(self, module: Any, function: str, known: Mapping[str, Sequence[int]]) -> None:
        self.module, self.known = module, known
        self.domain = module.add_metadata([f"srcad {function}"])
        self.every = sorted({each for scopes in known.values() for each in scopes})
        self.nodes = {each: module.add_metadata([f"srcad {function} {each}", self.domain]) for each in self.every}

    def of(self, name: str) -> Sequence[int] | None:
        """The scopes of an array by name; None where nothing is known of it."""
        return self.known.get(name)

    def note(self, instruction: Any, own: Sequence[int]) -> None:
        """Note the scopes that an instruction accesses, and those that it does not."""
        others = [self.nodes[each] for each in self.every if each not in own]
        instruction.set_metadata("alias.scope", self.module.add_metadata([self.nodes[each] for each in own]))
        if others:
            instruction.set_metadata("noalias", self.module.add_metadata(others))


class BriefLower(Lower):  # type: ignore[misc]  # Numba carries no annotations
    """Numba's lowering to LLVM, which loads only the needed fields of array descriptors and iterators."""

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Lower an indexing expression."""
        kind = self.typeof(value.name)
        place = self._place(kind, value, index, signature)
        if place is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        start = self._here()
        element = load_item(self.context, self.builder, kind, place)
        self._scope(value, start)
        return self.context.cast(self.builder, element, kind.dtype, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """Lower an assignment to an index."""
        kind, written = self.typeof(target_var.name), signature.args[2]
        is_plain = isinstance(types.unliteral(written), _PLAIN)
        place = self._place(kind, target_var, index_var, signature) if is_plain else None
        if place is None:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        value = self.context.cast(self.builder, self._cast(value_var, written), written, kind.dtype)
        start = self._here()
        stored = store_item(self.context, self.builder, kind, value, place)
        self._scope(target_var, start)
        return stored

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Lower an expression."""
        if expr.op in ("pair_first", "pair_second") and isinstance(resty, types.Integer | types.Boolean):
            return self._field(expr.value, expr.op.removeprefix("pair_"))
        if expr.op in ("getiter", "iternext") and self._is_plain(expr, resty):
            if expr.op == "getiter" and self._counts_up(expr.value):
                return self._range(expr, resty)
            if expr.op == "iternext" and isinstance(self.typeof(expr.value.name), types.RangeIteratorType):
                return self._next(expr, resty)
        return super().lower_expr(resty, expr)

    def _place(self, kind: Any, array: Any, index: Any, signature: Any) -> Any:
        """A pointer to the element at an index; None if the index is not of one element of a plain type."""
        if type(kind) is not types.Array or not isinstance(kind.dtype, _PLAIN) or self.context.enable_boundscheck:
            return None
        asked = signature.args[1]
        along = tuple(asked) if isinstance(asked, types.BaseTuple) else (asked,)
        if len(along) != kind.ndim or not all(isinstance(each, types.Integer) for each in along):
            return None
        builder, given = self.builder, self._cast(index, asked)
        values = cgutils.unpack_tuple(builder, given, len(along)) if isinstance(asked, types.BaseTuple) else [given]
        data, shape, strides = (self._field(array, name) for name in ("data", "shape", "strides"))
        shapes, steps = (cgutils.unpack_tuple(builder, each, kind.ndim) for each in (shape, strides))
        places = [fix_integer_index(self.context, builder, *each) for each in zip(along, values, shapes, strict=True)]
        return cgutils.get_item_pointer2(self.context, builder, data, shapes, steps, kind.layout, places)

    def _here(self) -> tuple[Any, int]:
        return self.builder.block, len(self.builder.block.instructions)

    def _scope(self, array: Any, start: tuple[Any, int]) -> None:
        """Tell LLVM which memory the instructions since `start` do not access, by the scopes of the array."""
        scopes = self._scopes
        own = None if scopes is None else scopes.of(self._source(array))
        if scopes is None or own is None or self.builder.block is not start[0]:
            return
        for each in start[0].instructions[start[1] :]:
            if each.opname in ("load", "store"):
                scopes.note(each, own)

    @cached_property
    def _scopes(self) -> Scopes | None:
        known = getattr(self.func_ir.func_id.func, "srcad_memory", None)
        return Scopes(self.builder.module, self.fndesc.mangled_name, known) if known else None

    def _source(self, array: Any) -> str:
        """The name in the source of the variable that an array comes from."""
        while array.name.startswith("$"):
            made = ir_utils.guard(ir_utils.get_definition, self.func_ir, array)
            if not isinstance(made, ir.Var):
                return ""
            array = made
        return str(array.unversioned_name)

    def _counts_up(self, iterated: Any) -> bool:
        """Whether a variable is a `range` without a step argument."""
        if not isinstance(self.typeof(iterated.name), types.RangeType):
            return False
        made = ir_utils.guard(ir_utils.get_definition, self.func_ir, iterated)
        if not isinstance(made, ir.Expr) or made.op != "call" or len(made.args) == 3 or made.vararg is not None:
            return False
        return getattr(self.typeof(made.func.name), "typing_key", None) is range

    def _is_plain(self, expr: Any, kind: Any) -> bool:
        """Whether an operation on one value needs no cast."""
        signature = self.fndesc.calltypes[expr]
        return bool(signature.return_type == kind and signature.args == (self.typeof(expr.value.name),))

    def _range(self, expr: Any, kind: Any) -> Any:
        """The iterator of a `range` without a step: its position and the number of remaining iterations."""
        builder = self.builder
        start, stop, step = (self._field(expr.value, name) for name in ("start", "stop", "step"))
        at, count = (cgutils.alloca_once(builder, start.type) for _ in range(2))
        trips = builder.sub(stop, start)
        none = trips.type(0)
        builder.store(start, at)
        builder.store(builder.select(builder.icmp_signed(">", trips, none), trips, none), count)
        return self._made(kind, {"iter": at, "stop": stop, "step": step, "count": count})

    def _next(self, expr: Any, kind: Any) -> Any:
        """The pair of an iterator's value and whether there is one; the iterator is advanced."""
        builder = self.builder
        at, step, count = (self._field(expr.value, name) for name in ("iter", "step", "count"))
        left, value = builder.load(count), builder.load(at)
        is_valid = builder.icmp_signed(">", left, left.type(0))
        with builder.if_then(is_valid):
            builder.store(builder.add(value, step), at)
            builder.store(builder.sub(left, left.type(1), flags=["nsw"]), count)
        return self._made(kind, {"first": value, "second": is_valid})

    def _field(self, variable: Any, name: str) -> Any:
        """A field of a variable whose type is a structure."""
        model = self.context.data_model_manager[self.typeof(variable.name)]
        return self.builder.extract_value(self.loadvar(variable.name), model.get_field_position(name))

    def _made(self, kind: Any, fields: dict[str, Any]) -> Any:
        """A structure with these fields."""
        model = self.context.data_model_manager[kind]
        value = model.get_value_type()(None)
        for name, each in fields.items():
            value = self.builder.insert_value(value, each, model.get_field_position(name))
        return value

    def _cast(self, variable: Any, kind: Any) -> Any:
        return self.context.cast(self.builder, self.loadvar(variable.name), self.typeof(variable.name), kind)
