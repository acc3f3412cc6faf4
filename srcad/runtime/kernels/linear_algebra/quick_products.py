"""Products of contiguous matrices in compiled code, stored into an array that the caller's code allocates, or added.

A function that Numba compiles counts a reference to each of its arrays, which takes as long as the arithmetic of a
small product. The functions here allocate nothing and count nothing (`_nrt`); the array for a product is allocated by
instructions in the code that calls them.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_new_ref
from numba.extending import lower_builtin, overload, register_jitable, type_callable
from numba.np import arrayobj

from srcad.runtime.kernels.linear_algebra.blas_calls import store_product
from srcad.runtime.kernels.linear_algebra.memory_spans import may_overlap
from srcad.runtime.kernels.linear_algebra.products import is_quick, times, times_transpose, transpose_times
from srcad.runtime.kernels.linear_algebra.small_products import (
    is_small_matrix,
    is_small_product,
    matrix_loops,
    vector_loops,
)

WITHOUT_REFERENCES = {"_nrt": False}


def store_times(out: Any, a: Any, b: Any, adds: bool) -> bool:
    """Store or add the product of a matrix and a matrix or a vector; False, and nothing done, where that needs a copy.

    >>> import numpy as np
    >>> out = np.ones(1)
    >>> store_times(out, np.array([[1.0, 2.0]]), np.array([3.0, 4.0]), True), out
    (True, array([12.]))
    """
    out[...] = out * adds + times(a, b)
    return True


def store_times_transpose(out: Any, a: Any, b: Any, adds: bool) -> bool:
    """The same for the transpose of b."""
    out[...] = out * adds + times_transpose(a, b)
    return True


def store_transpose_times(out: Any, a: Any, b: Any, adds: bool) -> bool:
    """The same for the transpose of a."""
    out[...] = out * adds + transpose_times(a, b)
    return True


@overload(store_times, jit_options=WITHOUT_REFERENCES)
def _store_times(out, a, b, adds):
    if a.ndim == 1:
        inner = _vector_stored(True)
        return lambda out, a, b, adds: inner(out, b, a, adds)
    return _vector_stored(False) if b.ndim == 1 else _matrix_stored(False, False)


@overload(store_times_transpose, jit_options=WITHOUT_REFERENCES)
def _store_times_transpose(out, a, b, adds):
    return _matrix_stored(False, True)


@overload(store_transpose_times, jit_options=WITHOUT_REFERENCES)
def _store_transpose_times(out, a, b, adds):
    return _vector_stored(True) if b.ndim == 1 else _matrix_stored(True, False)


def _matrix_stored(a_is_turned: bool, b_is_turned: bool) -> Any:
    multiply, a_axis, b_axis = matrix_loops(a_is_turned, b_is_turned), int(not a_is_turned), int(b_is_turned)

    def stored(out, a, b, adds):
        rows, inner, columns = a.shape[1 - a_axis], a.shape[a_axis], b.shape[1 - b_axis]
        if inner != b.shape[b_axis] or out.shape[0] != rows or out.shape[1] != columns:
            raise ValueError(_NO_MATCH)
        if adds and (may_overlap(out, a) or may_overlap(out, b)):
            return False
        if is_small_product(rows, inner, columns):
            multiply(out, a, b, adds)
        else:
            store_product(out, a.T if a_is_turned else a, b.T if b_is_turned else b, adds)
        return True

    return stored


def _vector_stored(is_turned: bool) -> Any:
    apply, axis = vector_loops(is_turned), int(not is_turned)

    @register_jitable
    def stored(out, a, b, adds):
        if a.shape[axis] != b.size or out.size != a.shape[1 - axis]:
            raise ValueError(_NO_MATCH)
        if adds and (may_overlap(out, a) or may_overlap(out, b)):
            return False
        if is_small_matrix(a.shape[0], a.shape[1]):
            apply(out, a, b, adds)
        else:
            store_product(out, a.T if is_turned else a, b, adds)
        return True

    return stored


_NO_MATCH = "the shapes of a product do not match"

# The kernels of products, for these types: instructions that allocate the result, and a call.


@type_callable(times)
def _times_type(context):
    return lambda a, b: type_of_product("times", a, b)


@lower_builtin(times, types.Array, types.Array)
def _times(context, builder, signature, values):
    return _allocated(store_times, "times", context, builder, signature, values)


@type_callable(times_transpose)
def _times_transpose_type(context):
    return lambda a, b: type_of_product("times_transpose", a, b)


@lower_builtin(times_transpose, types.Array, types.Array)
def _times_transpose(context, builder, signature, values):
    return _allocated(store_times_transpose, "times_transpose", context, builder, signature, values)


@type_callable(transpose_times)
def _transpose_times_type(context):
    return lambda a, b: type_of_product("transpose_times", a, b)


@lower_builtin(transpose_times, types.Array, types.Array)
def _transpose_times(context, builder, signature, values):
    return _allocated(store_transpose_times, "transpose_times", context, builder, signature, values)


def type_of_product(name: str, a: Any, b: Any) -> Any:
    """The type of the result of a kernel, where it is computed without copies; else None."""
    return types.Array(a.dtype, a.ndim + b.ndim - 2, "C") if is_quick(name, a, b) else None


def _allocated(store: Any, name: str, context: Any, builder: Any, signature: Any, values: Any) -> Any:
    shapes = [
        cgutils.unpack_tuple(builder, arrayobj.make_array(kind)(context, builder, value).shape)
        for kind, value in zip(signature.args, values, strict=True)
    ]
    kind = signature.return_type
    out = arrayobj._empty_nd_impl(context, builder, kind, _extents(name, *shapes))._getvalue()
    called(store, (kind, *signature.args, types.boolean), context, builder, (out, *values, cgutils.false_bit))
    return impl_ret_new_ref(context, builder, kind, out)


def _extents(name: str, a: Any, b: Any) -> tuple[Any, ...]:
    """Those of a product, of the extents of its factors."""
    left = a[1:] if name == "transpose_times" else a[:-1]
    return (*left, b[0]) if name == "times_transpose" else (*left, *b[1:])


def type_of_sum(name: str, total: Any, a: Any, b: Any) -> Any:
    """The type of the result of a kernel that adds a product to an array, where it needs no copies; else None."""
    product = type_of_product(name, a, b)
    is_fit = product is not None and isinstance(total, types.Array) and total.layout == "C"
    return types.none if is_fit and (total.dtype, total.ndim) == (product.dtype, product.ndim) else None


def added(store: Any, through_copy: Any, context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of such a kernel: a call, and another where memory is shared."""
    kinds = (*signature.args, types.boolean)
    is_done = called(store, kinds, context, builder, (*values, cgutils.true_bit))
    with builder.if_then(builder.not_(is_done), likely=False):
        called(through_copy, signature.args, context, builder, values)
    return context.get_dummy_value()


def called(function: Any, kinds: tuple[Any, ...], context: Any, builder: Any, values: Any) -> Any:
    """Instructions that call a function with an overload; the value that it returns."""
    typing = context.typing_context
    kind = typing.resolve_value_type(function)
    signature = kind.get_call_type(typing, kinds, {})
    implementation = context.get_function(kind, signature)
    context.add_linking_libs(getattr(implementation, "libs", ()))
    return implementation(builder, values)
