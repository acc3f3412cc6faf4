"""In-place addition, subtraction and copying of whole arrays, as calls that compile quickly, and copies in C order.

Numba and LLVM take forty milliseconds to compile the loops of each `a += b`, and two seconds for the first `a[:n] = b`,
most of it for building an error message. A call takes three milliseconds.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba import types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import lower_builtin, overload, register_jitable

WITHOUT_REFERENCES = {"_nrt": False}  # counting those to the arguments takes longer than the work on small arrays


@lower_builtin(operator.getitem, types.Array, types.EllipsisType)
def _all_of(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """`a[...]`, which Numba can type but not compile."""
    if not signature.args[0].ndim:
        raise NotImplementedError("all of an array without dimensions")
    return impl_ret_borrowed(context, builder, signature.return_type, args[0])


def add_to(target: Any, value: Any) -> None:
    """Add an array to one of the same shape, in place.

    >>> import numpy as np
    >>> total = np.ones(2)
    >>> add_to(total, np.array([1.0, 2.0]))
    >>> total
    array([2., 3.])
    """
    target[...] += value  # raises an error for a value that is not an array


def subtract_from(target: Any, value: Any) -> None:
    """Subtract an array from one of the same shape, in place.

    >>> import numpy as np
    >>> total = np.ones(2)
    >>> subtract_from(total, np.array([1.0, 2.0]))
    >>> total
    array([ 0., -1.])
    """
    target[...] -= value


def copy_to(target: Any, value: Any) -> None:
    """Copy an array into one of the same shape.

    >>> import numpy as np
    >>> target = np.empty(2)
    >>> copy_to(target, np.array([1.0, 2.0]))
    >>> target
    array([1., 2.])
    """
    target[...] = value


def add_scaled(target: Any, factor: Any, value: Any) -> None:
    """Add a number times an array to one of the same shape, in place, which must not overlap it.

    >>> import numpy as np
    >>> total = np.ones(2)
    >>> add_scaled(total, 2.0, np.array([1.0, 2.0]))
    >>> total
    array([3., 5.])
    """
    target[...] += factor * value


def _are_alike(target: Any, factor: Any, value: Any) -> bool:
    are_arrays = isinstance(target, types.Array) and isinstance(value, types.Array) and target.ndim == value.ndim
    return are_arrays and isinstance(factor, types.Number) and target.ndim in (1, 2)


@overload(add_scaled, jit_options=WITHOUT_REFERENCES)
def _add_scaled(target, factor, value):
    def vectors(target, factor, value):
        if target.shape != value.shape:
            raise ValueError("operands could not be broadcast together")
        for i in range(target.shape[0]):
            target[i] += factor * value[i]

    def matrices(target, factor, value):
        if target.shape != value.shape:
            raise ValueError("operands could not be broadcast together")
        for i in range(target.shape[0]):
            for j in range(target.shape[1]):
                target[i, j] += factor * value[i, j]

    if not _are_alike(target, factor, value):
        return None
    return vectors if target.ndim == 1 else matrices


@overload(add_scaled)
def _add_scaled_of_any(target, factor, value):
    if _are_alike(target, factor, value):
        return None
    return lambda target, factor, value: add_to(target, factor * value)


def copy_in_c_order(a: Any) -> Any:
    """A copy whose rows lie one after the other, as `a.copy()` makes it; `np.copy(a)` keeps the order of `a`.

    >>> import numpy as np
    >>> copy_in_c_order(np.ones((2, 3)).T).flags.c_contiguous
    True
    """
    return np.array(a, order="C")


@overload(copy_in_c_order)
def _overload_copy_in_c_order(a):
    return (lambda a: a.copy()) if isinstance(a, types.Array) else None


@register_jitable
def _add(target, place, value):
    target[place] += value


@register_jitable
def _subtract(target, place, value):
    target[place] -= value


@register_jitable
def _store(target, place, value):
    target[place] = value


@register_jitable
def _stride(length, wanted):
    """The step along a dimension: 0 if its length 1 is broadcast, else 1."""
    if length == wanted:
        return 1
    if length != 1:
        raise ValueError("operands could not be broadcast together")
    return 0


def _by_elements(function: Any, store: Any, general: Any) -> None:
    """Overload a function to do with each element what `store` does; values broadcast as in NumPy.

    `general` handles numbers, for which Numba's own code compiles as quickly.
    """
    loops = {1: _vectors(store), 2: _matrices(store)}

    def rows(target, value):
        step = _stride(value.shape[0], target.shape[0])
        for i in range(target.shape[0]):
            function(target[i], value[i * step])

    def each_row(target, value):
        for i in range(target.shape[0]):
            function(target[i], value)

    def are_arrays(target, value):
        is_array = isinstance(target, types.Array) and isinstance(value, types.Array)
        return is_array and 0 < value.ndim <= target.ndim

    @overload(function, jit_options=WITHOUT_REFERENCES)
    def choose(target, value):
        if not are_arrays(target, value):
            return None
        return each_row if value.ndim < target.ndim else loops.get(target.ndim, rows)

    @overload(function)
    def otherwise(target, value):
        return general if isinstance(target, types.Array) and not are_arrays(target, value) else None


def _vectors(store: Any) -> Any:
    def run(target, value):
        if target.shape == value.shape:
            for i in range(target.shape[0]):
                store(target, i, value[i])
        else:
            step = _stride(value.shape[0], target.shape[0])
            for i in range(target.shape[0]):
                store(target, i, value[i * step])

    return run


def _matrices(store: Any) -> Any:
    def run(target, value):
        if target.shape == value.shape:
            for i in range(target.shape[0]):
                for j in range(target.shape[1]):
                    store(target, (i, j), value[i, j])
        else:
            down, along = _stride(value.shape[0], target.shape[0]), _stride(value.shape[1], target.shape[1])
            for i in range(target.shape[0]):
                for j in range(target.shape[1]):
                    store(target, (i, j), value[i * down, j * along])

    return run


def _add_any(target, value):
    target += value


def _subtract_any(target, value):
    target -= value


def _store_any(target, value):
    target[...] = value


_by_elements(add_to, _add, _add_any)
_by_elements(subtract_from, _subtract, _subtract_any)
_by_elements(copy_to, _store, _store_any)
