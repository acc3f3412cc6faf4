"""Products of matrices in compiled code, stored into an array that the caller's code allocates, or added.

No references are counted; see `stored_results`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.array_add_and_copy import WITHOUT_REFERENCES
from srcad.runtime.kernels.linear_algebra.blas_calls import lies_in_lines, store_product
from srcad.runtime.kernels.linear_algebra.memory_spans import may_overlap
from srcad.runtime.kernels.linear_algebra.products import is_quick, times, times_transpose, transpose_times
from srcad.runtime.kernels.linear_algebra.small_products import (
    is_small_matrix,
    is_small_product,
    matrix_loops,
    vector_loops,
)
from srcad.runtime.kernels.linear_algebra.stored_results import called, stored_by


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
        inner = _vector_stored(b, a, True)
        return lambda out, a, b, adds: inner(out, b, a, adds)
    if b.ndim == 1:
        return _vector_stored(a, b, False)
    if out.layout == "F":
        return lambda out, a, b, adds: store_times(out.T, b.T, a.T, adds)
    return _matrix_stored(a, b, False, False)


@overload(store_times_transpose, jit_options=WITHOUT_REFERENCES)
def _store_times_transpose(out, a, b, adds):
    if out.layout == "F":
        return lambda out, a, b, adds: store_times_transpose(out.T, b, a, adds)
    return _matrix_stored(a, b, False, True)


@overload(store_transpose_times, jit_options=WITHOUT_REFERENCES)
def _store_transpose_times(out, a, b, adds):
    if b.ndim == 1:
        return _vector_stored(a, b, True)
    if out.layout == "F":
        return lambda out, a, b, adds: store_transpose_times(out.T, b, a, adds)
    return _matrix_stored(a, b, True, False)


def may_need_copies(a: Any, b: Any) -> bool:
    """Whether BLAS may not take operands of these types as they are."""
    return "A" in (a.layout, b.layout)


def _matrix_stored(a: Any, b: Any, a_is_turned: bool, b_is_turned: bool) -> Any:
    multiply, a_axis, b_axis = matrix_loops(a_is_turned, b_is_turned), int(not a_is_turned), int(b_is_turned)

    def stored(out, a, b, adds):
        rows, inner, columns = a.shape[1 - a_axis], a.shape[a_axis], b.shape[1 - b_axis]
        if inner != b.shape[b_axis] or out.shape[0] != rows or out.shape[1] != columns:
            raise ValueError(_NO_MATCH)
        if adds and (may_overlap(out, a) or may_overlap(out, b)):
            return False
        if is_small_product(rows, inner, columns):
            multiply(out, a, b, adds)
        elif not (lies_in_lines(a) and lies_in_lines(b)):
            return False
        else:
            store_product(out, a.T if a_is_turned else a, b.T if b_is_turned else b, adds)
        return True

    return stored


def _vector_stored(a: Any, b: Any, is_turned: bool) -> Any:
    apply, axis = vector_loops(is_turned), int(not is_turned)

    @register_jitable
    def stored(out, a, b, adds):
        if a.shape[axis] != b.size or out.size != a.shape[1 - axis]:
            raise ValueError(_NO_MATCH)
        if adds and (may_overlap(out, a) or may_overlap(out, b)):
            return False
        if is_small_matrix(a.shape[0], a.shape[1]):
            apply(out, a, b, adds)
        elif not (lies_in_lines(a) and lies_in_lines(b)):
            return False
        else:
            store_product(out, a.T if is_turned else a, b, adds)
        return True

    return stored


_NO_MATCH = "the shapes of a product do not match"

# The kernels of products, for these types: instructions that allocate the result, and a call.


def type_of_product(name: str, a: Any, b: Any) -> Any:
    """The type of the result of a kernel, where it is computed without copies; else None."""
    return types.Array(a.dtype, a.ndim + b.ndim - 2, "C") if is_quick(name, a, b) else None


def _extents(builder: Any, a: Any, b: Any) -> tuple[Any, ...]:
    return (*a[:-1], *b[1:])


def _extents_with_transpose(builder: Any, a: Any, b: Any) -> tuple[Any, ...]:
    return (*a[:-1], b[0])


def _extents_of_transpose(builder: Any, a: Any, b: Any) -> tuple[Any, ...]:
    return (*a[1:], *b[1:])


def in_lines(a: Any) -> Any:
    """The array itself, if BLAS takes it as it is; else a contiguous copy."""
    return a if lies_in_lines(a) else np.ascontiguousarray(a)


@overload(in_lines)
def _in_lines(a):
    if a.layout in ("C", "F"):
        return lambda a: a

    def impl(a):
        if lies_in_lines(a):
            return a
        return np.ascontiguousarray(a)

    return impl


def store_times_of_copies(out: Any, a: Any, b: Any, adds: bool) -> bool:
    """`store_times` with copies of the operands that BLAS does not take as they are; the next two are alike."""
    return store_times(out, in_lines(a), in_lines(b), adds)


def store_times_transpose_of_copies(out: Any, a: Any, b: Any, adds: bool) -> bool:
    """The same for the transpose of b."""
    return store_times_transpose(out, in_lines(a), in_lines(b), adds)


def store_transpose_times_of_copies(out: Any, a: Any, b: Any, adds: bool) -> bool:
    """The same for the transpose of a."""
    return store_transpose_times(out, in_lines(a), in_lines(b), adds)


@overload(store_times_of_copies)
def _store_times_of_copies(out, a, b, adds):
    return lambda out, a, b, adds: store_times(out, in_lines(a), in_lines(b), adds)


@overload(store_times_transpose_of_copies)
def _store_times_transpose_of_copies(out, a, b, adds):
    return lambda out, a, b, adds: store_times_transpose(out, in_lines(a), in_lines(b), adds)


@overload(store_transpose_times_of_copies)
def _store_transpose_times_of_copies(out, a, b, adds):
    return lambda out, a, b, adds: store_transpose_times(out, in_lines(a), in_lines(b), adds)


stored_by(
    times,
    store_times,
    lambda a, b: type_of_product("times", a, b),
    _extents,
    (False,),
    store_times_of_copies,
    may_need_copies,
)
stored_by(
    times_transpose,
    store_times_transpose,
    lambda a, b: type_of_product("times_transpose", a, b),
    _extents_with_transpose,
    (False,),
    store_times_transpose_of_copies,
    may_need_copies,
)
stored_by(
    transpose_times,
    store_transpose_times,
    lambda a, b: type_of_product("transpose_times", a, b),
    _extents_of_transpose,
    (False,),
    store_transpose_times_of_copies,
    may_need_copies,
)


def type_of_sum(name: str, total: Any, a: Any, b: Any) -> Any:
    """The type of the result of a kernel that adds a product to an array, where it needs no copies; else None."""
    product = type_of_product(name, a, b)
    is_fit = product is not None and isinstance(total, types.Array) and total.layout in ("C", "F")
    return types.none if is_fit and (total.dtype, total.ndim) == (product.dtype, product.ndim) else None


def added(store: Any, through_copy: Any, context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of such a kernel: a call, and another where memory is shared."""
    kinds = (*signature.args, types.boolean)
    is_done = called(store, kinds, context, builder, (*values, cgutils.true_bit))
    with builder.if_then(builder.not_(is_done), likely=False):
        called(through_copy, signature.args, context, builder, values)
    return context.get_dummy_value()
