"""Functions without a rule that a tape records as an equivalent expression of functions that have rules.

    np.abs(z)             np.hypot(np.real(z), np.imag(z)), for complex z
    np.split(x, 3)        [x[0:n], x[n:2*n], x[2*n:3*n]]

This happens only while a tape follows the argument; otherwise NumPy's own function runs.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.errors import BadArgument
from srcad.runtime import kernels
from srcad.runtime.kernels.tape_rules import composed_functions
from srcad.runtime.rulebook.registry import definition, restricted_definition
from srcad.runtime.tape.core.operand import Operand
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.protocols.arithmetic import call
from srcad.runtime.tape.recording.stacked_linalg import holds_stack, of_each_matrix
from srcad.runtime.tape.recording.ufunc_methods import keyword_meaning, method_meaning
from srcad.runtime.tape.reverse.rules_on_tensors import as_primitive, on_tensors
from srcad.runtime.tape.values.list_stacking import packed


def imaginary(z: Any) -> Any:
    """The imaginary part of a complex tensor."""
    return call(kernels.imaginary, z)


def modulus(z: Any) -> Any:
    """The absolute value of a complex tensor; its derivative at the origin is taken as 0."""
    return np.hypot(np.real(z), imaginary(z))


def direction(z: Any) -> Any:
    """The sign of a complex tensor."""
    return as_primitive(kernels.direction)(z)


def variance(z: Any, *arguments: Any, **keywords: Any) -> Any:
    """The variance of a complex tensor: the sum of the variances of its real and imaginary parts."""
    if keywords.get("dtype") is not None and (meaning := keyword_meaning(np.var, keywords)) is not None:
        return meaning(z, *arguments, **keywords)  # a real type leaves imaginary parts out of the mean only
    return np.var(np.real(z), *arguments, **keywords) + np.var(imaginary(z), *arguments, **keywords)


def deviation(z: Any, *arguments: Any, **keywords: Any) -> Any:
    """The standard deviation of a complex tensor."""
    return call(kernels.root, variance(z, *arguments, **keywords))


def norm_of_modulus(z: Any, *arguments: Any, **keywords: Any) -> Any:
    """The Euclidean norm of a complex tensor."""
    return np.linalg.norm(modulus(z), *arguments, **keywords)


def phase(z: Any, deg: bool = False) -> Any:
    """The angle of a complex tensor, in radians or degrees."""
    angle = call(kernels.argument, z)
    return angle * (180.0 / np.pi) if deg else angle


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Parts of equal length, or between the indices given."""
    if _is_count(indices_or_sections) and x.shape[axis] % int(indices_or_sections):
        raise ValueError("array split does not result in an equal division")
    return array_split(x, indices_or_sections, axis)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Parts of nearly equal length, or between the indices given."""
    length = x.shape[axis]
    if _is_count(indices_or_sections):
        size, longer = divmod(length, int(indices_or_sections))
        ends = [size * k + min(k, longer) for k in range(int(indices_or_sections) + 1)]
    else:
        ends = [0, *[int(index) for index in indices_or_sections], length]
    before = (slice(None),) * (axis % x.ndim)
    keys = [(*before, slice(*pair)) for pair in itertools.pairwise(ends)]
    return [x[key] for key in keys]


def _is_count(indices_or_sections: Any) -> bool:
    return type(indices_or_sections) is int or np.ndim(indices_or_sections) == 0


def hsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the second axis, or the only one."""
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


def vsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the first axis."""
    return split(x, indices_or_sections, 0)


def dsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the third axis."""
    return split(x, indices_or_sections, 2)


_OF_SUMS = frozenset((1, np.inf, -np.inf))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """A norm of a given order; without an order `np.linalg.norm` has a rule."""
    if ord is None:
        return np.linalg.norm(x, axis=axis, keepdims=keepdims)
    array = x._value if type(x) is Tensor else x._array()
    if array.dtype.kind != "c" and (isinstance(axis, int) or (axis is None and array.ndim == 1 and not keepdims)):
        if ord in _OF_SUMS:
            arguments = (x, ord) if axis is None else (x, ord, axis, keepdims)
            return call(composed_functions.norm_of_vectors, *arguments)
        if ord == 2:
            return np.linalg.norm(x, axis=axis, keepdims=keepdims)
    if keepdims and axis is None:
        return np.reshape(norm(x, ord), (1,) * x.ndim)
    return as_primitive(kernels.norm_of_order)(x, ord, axis, keepdims)


def unstack(x: Any, *, axis: int = 0) -> tuple[Any, ...]:
    """The parts along an axis, without that axis."""
    return tuple(np.moveaxis(x, axis, 0))


def broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    """Each array broadcast to their common shape."""
    shape = np.broadcast_shapes(*[np.shape(each) for each in arrays])
    return tuple([np.broadcast_to(each, shape) for each in arrays])


def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """An axis moved before another one."""
    place, before = axis % a.ndim, start + a.ndim if start < 0 else start
    return np.moveaxis(a, place, before - (place < before))


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """The results of a function applied to each vector along an axis."""
    if np.ndim(arr) == 1 and axis in (0, -1):
        found = func1d(arr, *args, **kwargs)
        return found if isinstance(found, Operand) else packed(found)
    turned = np.moveaxis(arr, axis, -1)
    around = turned.shape[:-1]
    rows = np.reshape(turned, (-1, turned.shape[-1]))
    values = packed([func1d(row, *args, **kwargs) for row in rows])
    found = np.reshape(values, around + values.shape[1:])
    return as_primitive(kernels.axes_moved)(found, len(around), axis % arr.ndim)


def block(arrays: Any) -> Any:
    """Arrays assembled from rows of matrices, or from one row."""
    rows = arrays if isinstance(arrays, list) else []
    if not rows or any(not isinstance(row, list) or any(getattr(x, "ndim", 0) != 2 for x in row) for row in rows):
        return of_definition(np.block)(arrays)
    return np.concatenate([np.concatenate(row, -1) for row in arrays], -2)


def clip(a: Any, min: Any = None, max: Any = None) -> Any:
    """`np.clip` with the keyword names `min` and `max`."""
    return np.clip(a, min, max)


def of_definition(primitive: Any) -> Callable[..., Any]:
    """The definition of a function whose rule covers real numbers only, for complex ones."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        meaning = definition(primitive)
        assert meaning is not None
        return on_tensors(meaning)(*arguments, **keywords)

    return run


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *arguments: Any, **keywords: Any) -> Any:
    """For each element the function, or number, of the last condition that holds."""
    masks = [*_conditions(condlist, x.ndim)]
    if len(funclist) == len(masks) + 1:
        masks.append(~np.logical_or.reduce(masks))
    if len(funclist) != len(masks):
        raise BadArgument(
            f"np.piecewise has {len(masks)} conditions and {len(funclist)} functions",
            hint="give one for each, and one more for elsewhere",
        )
    result: Any = np.zeros(x.shape, x.dtype)
    for mask, function in zip(masks, funclist, strict=True):
        value = function
        if callable(function):
            if not mask.any():
                continue
            elements = function(x[mask], *arguments, **keywords)
            value = as_primitive(kernels.scatter)(np.broadcast_to(elements, (int(mask.sum()),)), x.shape, mask)
        result = np.where(mask, value, result)
    return result


def _conditions(condlist: Any, ndim: int) -> Any:
    """The conditions of `np.piecewise`, stacked; a list of truth values is one condition of an array's elements."""
    if isinstance(condlist, (list, tuple)):
        condlist = [each._array() if isinstance(each, Operand) else each for each in condlist]
    elif isinstance(condlist, Operand):
        condlist = condlist._array()
    if np.isscalar(condlist) or (ndim and not isinstance(condlist[0], (list, np.ndarray))):
        condlist = [condlist]
    return np.asarray(condlist, bool)


def spelling(primitive: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Callable[..., Any] | None:
    """The equivalent function for a primitive that has no rule for these arguments, else None.

    >>> spelling(np.split, (np.ones(3), 3), {}) is split, spelling(np.sin, (1.0,), {}) is None
    (True, True)
    """
    if holds_stack(primitive, arguments):
        return functools.partial(of_each_matrix, primitive)
    if primitive in FOR_COMPLEX and any(getattr(getattr(each, "dtype", None), "kind", "") == "c" for each in arguments):
        return FOR_COMPLEX[primitive]
    return spelled_always(primitive, len(arguments), keywords)


def spelled_always(primitive: Any, count: int, keywords: Mapping[str, Any]) -> Callable[..., Any] | None:
    """`spelling` for rewrites that depend only on the number of arguments and the keywords.

    >>> spelled_always(np.linalg.norm, 2, {}) is norm, spelled_always(np.linalg.norm, 1, {}) is None
    (True, True)
    """
    if primitive is np.linalg.norm and (count > 1 or "ord" in keywords):
        return norm
    if primitive is np.linalg.cond and (count > 1 or "p" in keywords):
        return of_definition(primitive)
    if primitive is np.clip and ("min" in keywords or "max" in keywords):
        return clip
    found = ALWAYS.get(primitive) or method_meaning(primitive) or keyword_meaning(primitive, keywords)
    if found is None and (meaning := restricted_definition(primitive, count, keywords)) is not None:
        return on_tensors(meaning) if keywords.keys() <= inspect.signature(meaning).parameters.keys() else None
    return found


ALWAYS: Mapping[Any, Callable[..., Any]] = {
    np.split: split,
    np.array_split: array_split,
    np.hsplit: hsplit,
    np.vsplit: vsplit,
    np.dsplit: dsplit,
    np.amax: np.max,
    np.block: block,
    np.apply_along_axis: apply_along_axis,
    np.amin: np.min,
    np.piecewise: piecewise,
    np.unstack: unstack,
    np.broadcast_arrays: broadcast_arrays,
    np.rollaxis: rollaxis,
}
# For complex numbers, these conjugate one of the factors.
_SQUARED = (np.vecdot, np.linalg.vecdot, np.vecmat, np.linalg.vector_norm)
FOR_COMPLEX: Mapping[Any, Callable[..., Any]] = {
    np.absolute: modulus,
    operator.abs: modulus,
    np.angle: phase,
    np.imag: imaginary,
    np.linalg.norm: norm_of_modulus,
    np.sign: direction,
    np.std: deviation,
    np.var: variance,
    **{each: of_definition(each) for each in _SQUARED},
}
