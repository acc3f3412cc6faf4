"""Products, factors and solutions that are stored into an array which exists already.

    y = a @ x                           kernels.blas.times_into(y, a, x)

In a loop, such calls need no memory of their own. The array has the type and the extents of the result, and shares no
memory with the arguments. `CALLS` has the functions that have such a form, with the type of the result for those of the
arguments, None where there is none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, overload, type_callable

from srcad.runtime.kernels.arrays.array_add_and_copy import WITHOUT_REFERENCES, copy_to
from srcad.runtime.kernels.linear_algebra.lu_factors import (
    cofactors_factored,
    inverse_factored,
    lu_factors,
    solve_factored,
    solve_factored_transposed,
    type_of_factors,
    type_of_inverse,
    type_of_solution,
)
from srcad.runtime.kernels.linear_algebra.products import times, times_transpose, transpose_times
from srcad.runtime.kernels.linear_algebra.quick_products import (
    may_need_copies,
    store_times,
    store_times_of_copies,
    store_times_transpose,
    store_times_transpose_of_copies,
    store_transpose_times,
    store_transpose_times_of_copies,
    type_of_product,
)
from srcad.runtime.kernels.linear_algebra.stored_factors import (
    store_cofactors,
    store_cofactors_of_singular,
    store_factors,
    store_inverse,
    store_solution,
)
from srcad.runtime.kernels.linear_algebra.stored_results import called


def times_into(out: Any, a: Any, b: Any) -> None:
    """Store the product of two matrices, or of a matrix and a vector.

    >>> import numpy as np
    >>> out = np.empty(1)
    >>> times_into(out, np.array([[1.0, 2.0]]), np.array([3.0, 4.0]))
    >>> out
    array([11.])
    """
    out[...] = times(a, b)


def times_transpose_into(out: Any, a: Any, b: Any) -> None:
    """Store the product of a matrix and the transpose of another."""
    out[...] = times_transpose(a, b)


def transpose_times_into(out: Any, a: Any, b: Any) -> None:
    """Store the product of the transpose of a matrix and a matrix or a vector."""
    out[...] = transpose_times(a, b)


def lu_factors_into(out: Any, a: Any) -> None:
    """Store the factors of a square matrix, as `lu_factors` gives them."""
    out[...] = lu_factors(a)


def solve_factored_into(out: Any, a: Any, factors: Any, b: Any) -> None:
    """Store the solution x of `a @ x = b`; LinAlgError for a singular matrix."""
    out[...] = solve_factored(a, factors, b)


def solve_factored_transposed_into(out: Any, a: Any, factors: Any, b: Any) -> None:
    """Store the solution x of `a.T @ x = b`."""
    out[...] = solve_factored_transposed(a, factors, b)


def inverse_factored_into(out: Any, a: Any, factors: Any) -> None:
    """Store the inverse of a matrix; LinAlgError for a singular one."""
    out[...] = inverse_factored(a, factors)


def cofactors_factored_into(out: Any, a: Any, factors: Any, whole: Any) -> None:
    """Store the matrix of cofactors, the derivative of the determinant `whole`."""
    out[...] = cofactors_factored(a, factors, whole)


def outer_into(out: Any, a: Any, b: Any) -> None:
    """Store the outer product of two vectors.

    >>> out = np.empty((1, 2))
    >>> outer_into(out, np.array([2.0]), np.array([3.0, 4.0]))
    >>> out
    array([[6., 8.]])
    """
    out[...] = np.outer(a, b)


def diagonal_into(out: Any, number: Any) -> None:
    """Store a multiple of the identity, the adjoint of a trace."""
    out[...] = np.eye(*out.shape) * number


def store_outer(out: Any, a: Any, b: Any) -> None:
    """The same as `outer_into`, in compiled code."""
    out[...] = np.outer(a, b)


@overload(store_outer, jit_options=WITHOUT_REFERENCES)
def _store_outer(out, a, b):
    def impl(out, a, b):
        if out.shape[0] != a.size or out.shape[1] != b.size:
            raise ValueError("the shapes of an outer product do not match")
        for i in range(a.size):
            for j in range(b.size):
                out[i, j] = a[i] * b[j]

    return impl


@overload(diagonal_into, jit_options=WITHOUT_REFERENCES)
def _diagonal_into(out, number):
    def impl(out, number):
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = number if i == j else 0

    return impl


def type_of_outer(a: Any, b: Any) -> Any:
    """The type of the outer product of two vectors of one type of numbers; None for others."""
    are_vectors = all(isinstance(each, types.Array) and each.ndim == 1 for each in (a, b))
    is_fit = are_vectors and a.dtype == b.dtype and isinstance(a.dtype, (types.Float, types.Complex))
    return types.Array(a.dtype, 2, "C") if is_fit else None


def type_of_cofactors(a: Any, factors: Any, whole: Any) -> Any:
    """The type of the cofactors of a matrix; None for what is no matrix."""
    return type_of_factors(a)


def _of_product(name: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: type_of_product(name, a, b)


def _stored_by(
    function: Any,
    into: Any,
    store: Any,
    kind_of: Callable[..., Any],
    flags: tuple[bool, ...] = (),
    otherwise: Any = None,
    may_refuse: Callable[..., bool] = may_need_copies,
) -> None:
    """Let calls of `into` call `store`, and `otherwise` where that returns False; with other types, copy the result."""
    count = len(inspect.signature(kind_of).parameters)

    def is_fitting(out: Any, *given: Any) -> bool:
        kind = kind_of(*given)
        is_array = isinstance(out, types.Array) and kind is not None
        return is_array and (out.dtype, out.ndim, out.layout, out.mutable) == (kind.dtype, kind.ndim, "C", True)

    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = (*signature.args, *(types.boolean for _ in flags))
        given = (*values, *(cgutils.bool_t(each) for each in flags))
        is_done = called(store, kinds, context, builder, given)
        if otherwise is not None and may_refuse(*signature.args[1:]):
            with builder.if_then(builder.not_(is_done), likely=False):
                called(otherwise, kinds, context, builder, given)
        return context.get_dummy_value()

    def other(out: Any, *given: Any) -> Any:
        return None if is_fitting(out, *given) else _COPIES[count](function)

    overload(into)(_WITH_COUNT[count](other))
    type_callable(into)(lambda context: _WITH_COUNT[count](lambda *given: types.none if is_fitting(*given) else None))
    lower_builtin(into, *(types.Any,) * (count + 1))(lower)


# Functions of arguments by name, as Numba wants them, for functions of so many arguments beside the result.
_WITH_COUNT: dict[int, Callable[[Any], Any]] = {
    1: lambda inner: lambda out, a: inner(out, a),
    2: lambda inner: lambda out, a, b: inner(out, a, b),
    3: lambda inner: lambda out, a, factors, b: inner(out, a, factors, b),
}
_COPIES: dict[int, Callable[[Any], Any]] = {
    1: lambda function: lambda out, a: copy_to(out, function(a)),
    2: lambda function: lambda out, a, b: copy_to(out, function(a, b)),
    3: lambda function: lambda out, a, factors, b: copy_to(out, function(a, factors, b)),
}
CALLS: dict[str, tuple[str, Callable[..., Any]]] = {}
_FUNCTIONS: tuple[tuple[Any, ...], ...] = (
    (times, times_into, store_times, _of_product("times"), (False,), store_times_of_copies),
    (
        times_transpose,
        times_transpose_into,
        store_times_transpose,
        _of_product("times_transpose"),
        (False,),
        store_times_transpose_of_copies,
    ),
    (
        transpose_times,
        transpose_times_into,
        store_transpose_times,
        _of_product("transpose_times"),
        (False,),
        store_transpose_times_of_copies,
    ),
    (lu_factors, lu_factors_into, store_factors, type_of_factors),
    (solve_factored, solve_factored_into, store_solution, type_of_solution, (False,)),
    (solve_factored_transposed, solve_factored_transposed_into, store_solution, type_of_solution, (True,)),
    (inverse_factored, inverse_factored_into, store_inverse, type_of_inverse),
    (
        cofactors_factored,
        cofactors_factored_into,
        store_cofactors,
        type_of_cofactors,
        (),
        store_cofactors_of_singular,
        lambda *kinds: True,
    ),
    (np.outer, outer_into, store_outer, type_of_outer),
)
for _function, _into, *_how in _FUNCTIONS:
    _stored_by(_function, _into, *_how)
    CALLS[f"{'np' if _function is np.outer else 'kernels'}.{_function.__name__}"] = f"blas.{_into.__name__}", _how[1]
