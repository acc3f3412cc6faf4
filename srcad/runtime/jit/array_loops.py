"""Loops of array expressions that compile quickly, in place of those that Numba generates.

Numba asks for each operand and each dimension, inside of the loops, whether the extent is one, in which case the
operand is broadcast. LLVM moves these questions out of the loops and makes a version of the loops for each combination
of answers: `a * b` in four dimensions becomes 46,000 instructions and compiles for eight seconds. Here the question is
asked before the loops:

    operands that are contiguous and of the result's shape    one loop over all elements, which vectorises
    all others                                                a nest of loops; the step of an operand along a
                                                              dimension in which it is broadcast is zero

The innermost loop of a nest has a second version, for elements that are side by side. Results are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir as llvm
from numba.core import cgutils, types
from numba.np import npyimpl

_NUMBERS = (types.Integer, types.Float, types.Complex, types.Boolean)
_original = npyimpl.numpy_ufunc_kernel


def array_loops(context: Any, builder: Any, sig: Any, args: Any, ufunc: Any, kernel_class: Any) -> Any:
    """The instructions of an array expression, in place of `numba.np.npyimpl.numpy_ufunc_kernel`."""
    is_plain = ufunc.nout == 1 and len(args) in (ufunc.nin, ufunc.nin + 1) and _is_numeric(sig.return_type)
    if not is_plain or not all(_is_numeric(each) or _is_number(each) for each in sig.args):
        return _original(context, builder, sig, args, ufunc, kernel_class)
    operands = [npyimpl._prepare_argument(context, builder, *each) for each in zip(args, sig.args, strict=True)]
    is_new = len(args) == ufunc.nin
    if is_new:
        operands.append(npyimpl._build_array(context, builder, sig.return_type, sig.args, operands))
    else:
        context.nrt.incref(builder, sig.return_type, args[ufunc.nin])
    *inputs, output = operands
    kinds = npyimpl._ufunc_loop_sig([output.base_type], [each.base_type for each in inputs])
    _Loops(context, builder, kernel_class(context, builder, kinds), inputs, output).emit(is_new)
    return npyimpl.impl_ret_new_ref(context, builder, sig.return_type, output.return_val)


def _is_numeric(kind: Any) -> bool:
    """Whether a type is that of plain arrays of numbers with at least one dimension."""
    return type(kind) is types.Array and kind.ndim > 0 and isinstance(kind.dtype, _NUMBERS)


def _is_number(kind: Any) -> bool:
    return isinstance(types.unliteral(kind), _NUMBERS)


@dataclass
class _Walk:
    """An operand during a walk over the elements: a pointer into its memory, and its steps in bytes."""

    operand: Any
    pointer: Any
    steps: Sequence[Any]


class _Loops:
    def __init__(self, context: Any, builder: Any, kernel: Any, inputs: list[Any], output: Any) -> None:
        self.context, self.builder, self.kernel = context, builder, kernel
        self.inputs, self.output = inputs, output
        self.arrays = [each for each in inputs if isinstance(each, npyimpl._ArrayHelper)]
        self.whole = context.get_value_type(types.intp)

    def emit(self, is_new: bool) -> None:
        """The loops; `is_new` says that the output was allocated for them, with the shape to which all broadcast."""
        layout, ndim = self.output.layout, self.output.ndim
        if layout not in "CF" or any((each.layout, each.ndim) != (layout, ndim) for each in self.arrays):
            return self.nest(two_versions=True)
        if is_new and len(self.arrays) == 1:
            return self.flat()
        with self.builder.if_else(self.have_equal_shapes()) as (equal, other):
            with equal:
                self.flat()
            with other:
                self.nest(two_versions=False)
        return None

    def have_equal_shapes(self) -> Any:
        """Whether all arrays have the shape of the output."""
        found = llvm.Constant(llvm.IntType(1), 1)
        for each in self.arrays:
            for size, wanted in zip(each.shape, self.output.shape, strict=True):
                found = self.builder.and_(found, self.builder.icmp_signed("==", size, wanted))
        return found

    def flat(self) -> None:
        """One loop over the elements in the order of memory."""
        size = self.whole(1)
        for extent in self.output.shape:
            size = self.builder.mul(size, extent)
        with cgutils.for_range(self.builder, size, intp=self.whole) as loop:
            self.element(lambda operand: self.builder.gep(operand.data, [loop.index], inbounds=True))

    def nest(self, two_versions: bool) -> None:
        """A loop for each dimension."""
        order = list(range(self.output.ndim))
        layouts = [each.layout for each in self.arrays]
        if layouts.count("F") > layouts.count("C"):
            order.reverse()
        walks = [_Walk(each, self.bytes_at(each.data), self.steps(each)) for each in (*self.arrays, self.output)]
        self.level(order, walks, two_versions)

    def steps(self, operand: Any) -> list[Any]:
        """The steps of an operand in bytes along all dimensions of the output; zero where it is broadcast."""
        none = self.whole(0)
        if operand is self.output:
            return list(operand.strides)
        own = [
            self.builder.select(self.builder.icmp_signed("==", size, self.whole(1)), none, stride)
            for size, stride in zip(operand.shape, operand.strides, strict=True)
        ]
        return [*[none] * (self.output.ndim - operand.ndim), *own]

    def level(self, order: list[int], walks: list[_Walk], two_versions: bool) -> None:
        """The loop over the first dimension of `order`, around the loops over the others."""
        axis, *inner = order
        if not inner and two_versions:
            with self.builder.if_else(self.are_dense(axis, walks)) as (dense, other):
                with dense:
                    self.innermost(axis, walks, is_dense=True)
                with other:
                    self.innermost(axis, walks, is_dense=False)
            return
        if not inner:
            self.innermost(axis, walks, is_dense=False)
            return
        with cgutils.for_range(self.builder, self.output.shape[axis], intp=self.whole) as loop:
            moved = [_Walk(each.operand, self.moved(each, axis, loop.index), each.steps) for each in walks]
            self.level(inner, moved, two_versions)

    def are_dense(self, axis: int, walks: list[_Walk]) -> Any:
        """Whether the elements of each operand are side by side along an axis."""
        found = llvm.Constant(llvm.IntType(1), 1)
        for each in walks:
            size = self.whole(self.context.get_abi_sizeof(self.context.get_data_type(each.operand.base_type)))
            found = self.builder.and_(found, self.builder.icmp_signed("==", each.steps[axis], size))
        return found

    def innermost(self, axis: int, walks: list[_Walk], is_dense: bool) -> None:
        """The loop over the elements along one axis."""
        with cgutils.for_range(self.builder, self.output.shape[axis], intp=self.whole) as loop:
            places = {}
            for each in walks:
                kind = each.operand.data.type
                if is_dense:
                    start = self.builder.bitcast(each.pointer, kind)
                    places[id(each.operand)] = self.builder.gep(start, [loop.index], inbounds=True)
                else:
                    places[id(each.operand)] = self.builder.bitcast(self.moved(each, axis, loop.index), kind)
            self.element(lambda operand: places[id(operand)])

    def element(self, place: Callable[[Any], Any]) -> None:
        """One element of the output; `place` gives the pointer into an array."""
        models, builder = self.context.data_model_manager, self.builder
        values = [
            models[each.base_type].load_from_data_pointer(builder, place(each))
            if isinstance(each, npyimpl._ArrayHelper)
            else each.val
            for each in self.inputs
        ]
        result = self.context.get_value_as_data(builder, self.output.base_type, self.kernel.generate(*values))
        builder.store(result, place(self.output))

    def moved(self, walk: _Walk, axis: int, index: Any) -> Any:
        """The pointer of an operand moved along an axis."""
        return self.builder.gep(walk.pointer, [self.builder.mul(index, walk.steps[axis])])

    def bytes_at(self, pointer: Any) -> Any:
        return self.builder.bitcast(pointer, cgutils.voidptr_t)
