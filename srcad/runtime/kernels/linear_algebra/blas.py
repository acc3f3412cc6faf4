"""Matrix products added to an array in place, without a temporary array for the product.

BLAS computes `beta * c + a b` (Dongarra, Du Croz, Hammarling, Duff, A set of level 3 basic linear algebra subprograms,
ACM Transactions on Mathematical Software 16, 1990), but Numba calls it with beta = 0 only. Adjoints of matrices in a
loop are such sums. For other ranks, and for operands of different types, the product is computed and then added.
What is stored, and not added, is in `results_in_place`.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import lower_builtin, overload, type_callable

from srcad.runtime.kernels.arrays.array_add_and_copy import add_to
from srcad.runtime.kernels.linear_algebra.products import times, times_transpose, transpose_times
from srcad.runtime.kernels.linear_algebra.quick_products import (
    added,
    store_times,
    store_times_transpose,
    store_transpose_times,
    type_of_sum,
)
from srcad.runtime.kernels.linear_algebra.results_in_place import (
    cofactors_factored_into,
    diagonal_into,
    inverse_factored_into,
    lu_factors_into,
    outer_into,
    solve_factored_into,
    solve_factored_transposed_into,
    times_into,
    times_transpose_into,
    transpose_times_into,
)
from srcad.runtime.kernels.linear_algebra.shared_passes import (
    add_outer_products,
    store_both_products,
    store_outer_products,
    store_product_and_back,
)

__all__ = [
    "add_outer_products",
    "add_times",
    "add_times_transpose",
    "add_transpose_times",
    "cofactors_factored_into",
    "diagonal_into",
    "inverse_factored_into",
    "lu_factors_into",
    "outer_into",
    "solve_factored_into",
    "solve_factored_transposed_into",
    "store_both_products",
    "store_outer_products",
    "store_product_and_back",
    "times_into",
    "times_transpose_into",
    "transpose_times_into",
]


def add_times(total: Any, a: Any, b: Any) -> None:
    """Add the product of two matrices, or of a matrix and a vector, to an array.

    >>> import numpy as np
    >>> total = np.ones((1, 1))
    >>> add_times(total, np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    >>> total
    array([[12.]])
    """
    total += times(a, b)


def add_times_transpose(total: Any, a: Any, b: Any) -> None:
    """Add the product of a matrix and the transpose of another to a matrix."""
    total += times_transpose(a, b)


def add_transpose_times(total: Any, a: Any, b: Any) -> None:
    """Add the product of the transpose of a matrix and a matrix or a vector to an array."""
    total += transpose_times(a, b)


def add_times_through_copy(total: Any, a: Any, b: Any) -> None:
    """The same after the product has been computed: for any types, and for memory that overlaps."""
    total += times(a, b)


@overload(add_times_through_copy)
def _add_times_through_copy(total, a, b):
    return lambda total, a, b: add_to(total, times(a, b))


@overload(add_times)
def _overload_add_times(total, a, b):
    if type_of_sum("times", total, a, b) is not None:
        return None
    return lambda total, a, b: add_times_through_copy(total, a, b)


@type_callable(add_times)
def _add_times_type(context):
    return lambda total, a, b: type_of_sum("times", total, a, b)


@lower_builtin(add_times, types.Array, types.Array, types.Array)
def _add_times(context, builder, signature, values):
    return added(store_times, add_times_through_copy, context, builder, signature, values)


def add_times_transpose_through_copy(total: Any, a: Any, b: Any) -> None:
    """The same after the product has been computed: for any types, and for memory that overlaps."""
    total += times_transpose(a, b)


@overload(add_times_transpose_through_copy)
def _add_times_transpose_through_copy(total, a, b):
    return lambda total, a, b: add_to(total, times_transpose(a, b))


@overload(add_times_transpose)
def _overload_add_times_transpose(total, a, b):
    if type_of_sum("times_transpose", total, a, b) is not None:
        return None
    return lambda total, a, b: add_times_transpose_through_copy(total, a, b)


@type_callable(add_times_transpose)
def _add_times_transpose_type(context):
    return lambda total, a, b: type_of_sum("times_transpose", total, a, b)


@lower_builtin(add_times_transpose, types.Array, types.Array, types.Array)
def _add_times_transpose(context, builder, signature, values):
    return added(store_times_transpose, add_times_transpose_through_copy, context, builder, signature, values)


def add_transpose_times_through_copy(total: Any, a: Any, b: Any) -> None:
    """The same after the product has been computed: for any types, and for memory that overlaps."""
    total += transpose_times(a, b)


@overload(add_transpose_times_through_copy)
def _add_transpose_times_through_copy(total, a, b):
    return lambda total, a, b: add_to(total, transpose_times(a, b))


@overload(add_transpose_times)
def _overload_add_transpose_times(total, a, b):
    if type_of_sum("transpose_times", total, a, b) is not None:
        return None
    return lambda total, a, b: add_transpose_times_through_copy(total, a, b)


@type_callable(add_transpose_times)
def _add_transpose_times_type(context):
    return lambda total, a, b: type_of_sum("transpose_times", total, a, b)


@lower_builtin(add_transpose_times, types.Array, types.Array, types.Array)
def _add_transpose_times(context, builder, signature, values):
    return added(store_transpose_times, add_transpose_times_through_copy, context, builder, signature, values)
