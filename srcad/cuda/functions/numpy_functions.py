"""Functions of NumPy on device values: those that are elementwise, reductions, and those that move elements.

A function that is not in the table is refused. What is in it does what NumPy does for arrays; arguments that it does
not know are refused as well.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.cuda.functions import refused_operations as refused
from srcad.cuda.functions.device_values import DeviceValue, Recording, name_of
from srcad.cuda.functions.element_functions import FUNCTIONS, LOGICAL
from srcad.cuda.functions.index_maps import axes_of, broadcast, permuted, with_units, without_units

Table = dict[Any, Callable[..., Any]]
_TABLE: Table = {}


def _for(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def note(made: Callable[..., Any]) -> Callable[..., Any]:
        for each in functions:
            _TABLE[each] = made
        return made

    return note


def called(recording: Recording, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a function of NumPy, of which at least one argument is a device value."""
    own = _TABLE.get(function)
    if own is None:
        raise refused.NOT_FOR_ARRAYS.error(function=name_of(function), reason="")
    try:
        inspect.signature(own).bind(recording, *args, **kwargs)
    except TypeError as problem:
        raise refused.NOT_FOR_ARRAYS.error(function=name_of(function), reason=f" in this form ({problem})") from None
    return own(recording, *args, **kwargs)


def called_ufunc(recording: Recording, ufunc: Any, method_name: str, inputs: Any, kwargs: dict[str, Any]) -> Any:
    """A call of a ufunc, or of its method `reduce`."""
    out = kwargs.pop("out", None)
    if method_name == "reduce" and ufunc in _REDUCED and out is None:
        args = dict(zip(("a", "axis", "dtype"), inputs, strict=False)) | kwargs
        args.setdefault("axis", 0)
        return called(recording, _REDUCED[ufunc], (), args)
    if method_name != "__call__" or kwargs or (ufunc not in FUNCTIONS and ufunc not in LOGICAL):
        if method_name == "__call__" and not kwargs and ufunc in _TABLE:
            return called(recording, ufunc, inputs, {})
        reason = (
            "" if method_name == "__call__" and not kwargs else f" in this form ({method_name}, {', '.join(kwargs)})"
        )
        raise refused.NOT_FOR_ARRAYS.error(function=name_of(ufunc), reason=reason)
    made = recording.map(ufunc, *inputs)
    if out is None:
        return made
    if len(out) != 1 or not isinstance(out[0], DeviceValue) or out[0].is_number:
        raise refused.NOT_FOR_ARRAYS.error(function=name_of(ufunc), reason=" with this `out`")
    if not np.can_cast(made.dtype, out[0].dtype, "same_kind"):
        raise refused.CAST_IN_PLACE.error(found=made.dtype, dtype=out[0].dtype)
    out[0].write(made)
    return out[0]


def method(of: DeviceValue, name: str) -> Any:
    """A method of arrays, by the function of the same name."""
    if name in ("astype", "fill", "flatten", "dot", "tolist", "real", "itemsize", "nbytes", "strides", "flat", "at"):
        return _METHODS[name](of) if name in _METHODS else _missing(name)
    function = getattr(np, name, None)
    if function is None or function not in _TABLE or not hasattr(np.ndarray, name):
        return _missing(name)
    if name in ("reshape", "transpose"):
        return lambda *args: function(of, args[0] if len(args) == 1 else (args or None))
    return functools.partial(function, of)


def _missing(name: str) -> Any:
    if not hasattr(np.ndarray, name):
        raise AttributeError(name)
    raise refused.NOT_FOR_ARRAYS.error(function=f"the attribute `{name}` of arrays", reason="")


_METHODS: dict[str, Callable[[DeviceValue], Any]] = {
    "astype": lambda of: lambda dtype: of.recording.value(of.recording.graph.cast(of.expression, dtype)),
    "fill": lambda of: of.write,
    "flatten": lambda of: lambda: of.reshaped((of.size,)).copy(),
    "dot": lambda of: lambda other: np.dot(of, other),
    "real": lambda of: of,
}


# Reductions.


def _reduced(recording: Recording, kind: str, a: Any, axis: Any, keepdims: bool, dtype: Any) -> DeviceValue:
    held, graph = recording.expression(a), recording.graph
    axes = axes_of(axis, len(held.shape))
    made = graph.reduce(kind, held, axes, dtype)
    if keepdims:
        made = graph.view(made, with_units(made.shape, axes))
    return recording.value(made)


def _of_sum(a: Any) -> Any:
    dtype = a.dtype if isinstance(a, DeviceValue) else np.result_type(a)
    return np.dtype(np.int64) if dtype.kind in "bi" else dtype


@_for(np.sum)
def _sum(recording: Recording, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> DeviceValue:
    return _reduced(recording, "sum", a, axis, keepdims, _of_sum(a) if dtype is None else np.dtype(dtype))


@_for(np.mean)
def _mean(recording: Recording, a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    count = math.prod(a.shape[k] for k in axes_of(axis, a.ndim))
    dtype = a.dtype if a.dtype.kind == "f" else np.dtype(np.float64)
    return recording.map(np.true_divide, _reduced(recording, "sum", a, axis, keepdims, dtype), count)


def _extreme(kind: str) -> Callable[..., DeviceValue]:
    def extreme(recording: Recording, a: Any, axis: Any = None, *, keepdims: bool = False) -> DeviceValue:
        if any(a.shape[k] == 0 for k in axes_of(axis, a.ndim)):
            raise ValueError(f"zero-size array to reduction operation {kind}imum which has no identity")
        if a.dtype.kind == "b":
            raise refused.NOT_FOR_ARRAYS.error(function=f"np.{kind}", reason=" of truth values")
        return _reduced(recording, kind, a, axis, keepdims, a.dtype)

    return extreme


_TABLE |= {np.max: _extreme("max"), np.min: _extreme("min"), np.amax: _extreme("max"), np.amin: _extreme("min")}


def _truths(kind: str) -> Callable[..., DeviceValue]:
    def truths(recording: Recording, a: Any, axis: Any = None, *, keepdims: bool = False) -> DeviceValue:
        counted = recording.map(np.not_equal if kind == "any" else np.equal, a, 0)
        count = _reduced(recording, "sum", counted, axis, keepdims, np.int64)
        return recording.map(np.not_equal if kind == "any" else np.equal, count, 0)

    return truths


_TABLE |= {np.any: _truths("any"), np.all: _truths("all")}
_REDUCED: dict[Any, Any] = {np.add: np.sum, np.maximum: np.max, np.minimum: np.min}
_REDUCED |= {np.logical_or: np.any, np.logical_and: np.all}


@_for(np.count_nonzero)
def _count_nonzero(recording: Recording, a: Any, axis: Any = None, *, keepdims: bool = False) -> DeviceValue:
    return _reduced(recording, "sum", recording.map(np.not_equal, a, 0), axis, keepdims, np.int64)


# Elementwise functions that are no ufuncs, or several of them.


@_for(np.where)
def _where(recording: Recording, condition: Any, x: Any, y: Any) -> DeviceValue:
    there = condition
    if recording.expression(condition).dtype != np.bool_:
        there = recording.map(np.not_equal, condition, 0)
    return recording.map(np.where, there, x, y)


@_for(np.clip)
def _clip(recording: Recording, a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    found = a if a_min is None else recording.map(np.maximum, a, a_min)
    return found if a_max is None else recording.map(np.minimum, found, a_max)


@_for(np.real)
def _real(recording: Recording, val: Any) -> Any:
    return val


@_for(np.logaddexp)
def _logaddexp(recording: Recording, x1: Any, x2: Any) -> Any:
    above, apart = np.maximum(x1, x2), np.abs(x1 - x2)
    # Infinities of one sign are not apart, though their difference is nan.
    return np.where(np.equal(x1, x2), above + np.log(2.0), above + np.log1p(np.exp(-apart)))


# Copies, and arrays like others.


@_for(np.copy, np.ascontiguousarray)
def _copy(recording: Recording, a: Any) -> DeviceValue:
    return recording.value(recording.expression(a))


@_for(np.asarray)
def _asarray(recording: Recording, a: Any) -> Any:
    return a


def filled(recording: Recording, shape: Any, value: Any, dtype: Any) -> DeviceValue:
    """A new array with one value."""
    shape = tuple(int(each) for each in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    made = recording.graph.cast(recording.expression(value), dtype)
    found = recording.value(recording.graph.broadcast(made, shape))
    found.is_number = False
    return found


def _like(value: Any) -> Callable[..., DeviceValue]:
    def like(recording: Recording, a: Any, dtype: Any = None) -> DeviceValue:
        return filled(recording, a.shape, value, a.dtype if dtype is None else dtype)

    return like


_TABLE |= {np.zeros_like: _like(0), np.empty_like: _like(0), np.ones_like: _like(1)}


@_for(np.full_like)
def _full_like(recording: Recording, a: Any, fill_value: Any, dtype: Any = None) -> DeviceValue:
    return filled(recording, a.shape, fill_value, a.dtype if dtype is None else dtype)


# Shapes.


@_for(np.shape)
def _shape(recording: Recording, a: Any) -> Any:
    return a.shape


@_for(np.ndim)
def _ndim(recording: Recording, a: Any) -> int:
    return int(a.ndim)


@_for(np.size)
def _size(recording: Recording, a: Any, axis: int | None = None) -> int:
    return int(a.size if axis is None else a.shape[axis])


@_for(np.reshape)
def _reshape(recording: Recording, a: Any, shape: Any) -> DeviceValue:
    wanted = [int(each) for each in (shape if isinstance(shape, (tuple, list)) else (shape,))]
    known = math.prod(each for each in wanted if each != -1)
    if -1 in wanted and known:
        wanted[wanted.index(-1)] = a.size // known
    if math.prod(wanted) != a.size or min(wanted, default=0) < 0:
        raise ValueError(f"cannot reshape array of size {a.size} into shape {shape}")
    found: DeviceValue = a.reshaped(tuple(wanted))
    return found


@_for(np.ravel)
def _ravel(recording: Recording, a: Any) -> DeviceValue:
    found: DeviceValue = a.reshaped((a.size,))
    return found


@_for(np.transpose)
def _transpose(recording: Recording, a: Any, axes: Any = None) -> DeviceValue:
    order = range(a.ndim)[::-1] if axes is None else [each % a.ndim for each in axes]
    found: DeviceValue = a.seen_as(permuted(a.shape, list(order)))
    return found


@_for(np.swapaxes)
def _swapaxes(recording: Recording, a: Any, axis1: int, axis2: int) -> DeviceValue:
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    found: DeviceValue = a.seen_as(permuted(a.shape, order))
    return found


@_for(np.moveaxis)
def _moveaxis(recording: Recording, a: Any, source: Any, destination: Any) -> DeviceValue:
    from_axes, to_axes = (each if isinstance(each, (tuple, list)) else (each,) for each in (source, destination))
    moved = [each % a.ndim for each in from_axes]
    order = [k for k in range(a.ndim) if k not in moved]
    for place, axis in sorted((to % a.ndim, axis) for to, axis in zip(to_axes, moved, strict=True)):
        order.insert(place, axis)
    found: DeviceValue = a.seen_as(permuted(a.shape, order))
    return found


@_for(np.expand_dims)
def _expand_dims(recording: Recording, a: Any, axis: Any) -> DeviceValue:
    count = a.ndim + (len(axis) if isinstance(axis, tuple) else 1)
    found: DeviceValue = a.seen_as(with_units(a.shape, axes_of(axis, count)))
    return found


@_for(np.squeeze)
def _squeeze(recording: Recording, a: Any, axis: Any = None) -> DeviceValue:
    axes = axes_of(axis, a.ndim) if axis is not None else tuple(k for k in range(a.ndim) if a.shape[k] == 1)
    if any(a.shape[k] != 1 for k in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    found: DeviceValue = a.seen_as(without_units(a.shape, axes))
    return found


@_for(np.broadcast_to)
def _broadcast_to(recording: Recording, array: Any, shape: Any) -> DeviceValue:
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    found: DeviceValue = array.seen_as(broadcast(array.shape, shape))
    return found


@_for(np.flip)
def _flip(recording: Recording, m: Any, axis: Any = None) -> Any:
    axes = axes_of(axis, m.ndim)
    return m[tuple(slice(None, None, -1 if k in axes else 1) for k in range(m.ndim))]


@_for(np.concatenate)
def _concatenate(recording: Recording, arrays: Any, axis: int = 0) -> DeviceValue:
    first = arrays[0]
    axis %= first.ndim
    dtype = np.result_type(*(each.dtype for each in arrays))
    extents = [each.shape[axis] for each in arrays]
    made = filled(recording, (*first.shape[:axis], sum(extents), *first.shape[axis + 1 :]), 0, dtype)
    end = 0
    for each in arrays:
        start, end = end, end + each.shape[axis]
        made[(slice(None),) * axis + (slice(start, end),)] = each
    return made


@_for(np.stack)
def _stack(recording: Recording, arrays: Any, axis: int = 0) -> Any:
    return _concatenate(recording, [np.expand_dims(each, axis) for each in arrays], axis)


@_for(np.vstack)
def _vstack(recording: Recording, tup: Any) -> Any:
    return _concatenate(recording, [each[None] if each.ndim == 1 else each for each in tup], 0)


@_for(np.hstack)
def _hstack(recording: Recording, tup: Any) -> Any:
    return _concatenate(recording, tup, 0 if tup[0].ndim == 1 else 1)


@_for(np.column_stack)
def _column_stack(recording: Recording, tup: Any) -> Any:
    return _concatenate(recording, [each[:, None] if each.ndim == 1 else each for each in tup], 1)


@_for(np.diff)
def _diff(recording: Recording, a: Any, n: int = 1, axis: int = -1) -> Any:
    before = (slice(None),) * (axis % a.ndim)
    for _ in range(n):
        a = a[before + (slice(1, None),)] - a[before + (slice(None, -1),)]
    return a


@_for(np.pad)
def _pad(recording: Recording, array: Any, pad_width: Any, mode: str = "constant") -> DeviceValue:
    if mode != "constant":
        raise refused.NOT_FOR_ARRAYS.error(function="np.pad", reason=f" in the mode {mode!r}")
    widths = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    shape = tuple(before + extent + after for extent, (before, after) in zip(array.shape, widths, strict=True))
    made = filled(recording, shape, 0, array.dtype)
    inside = zip(array.shape, widths, strict=True)
    made[tuple(slice(before, before + extent) for extent, (before, _) in inside)] = array
    return made


@_for(np.roll)
def _roll(recording: Recording, a: Any, shift: int, axis: Any = None) -> Any:
    if axis is None:
        return np.roll(a.reshaped((a.size,)), shift, 0).reshaped(a.shape)
    axis, extent = axis % a.ndim, a.shape[axis]
    if not extent:
        return a.copy()
    place, before = shift % extent, (slice(None),) * axis
    made = a.copy()
    made[before + (slice(place, None),)] = a[before + (slice(0, extent - place),)]
    made[before + (slice(0, place),)] = a[before + (slice(extent - place, None),)]
    return made


# Products.


@_for(np.dot, np.matmul)
def _dot(recording: Recording, a: Any, b: Any) -> Any:
    if not (isinstance(a, DeviceValue) and isinstance(b, DeviceValue)) or a.ndim == 0 or b.ndim == 0:
        return recording.map(np.multiply, a, b)
    if a.ndim > 2 or b.ndim > 2:
        raise refused.NOT_FOR_ARRAYS.error(function="np.matmul", reason=" of more than two axes")
    if a.shape[-1] != b.shape[0]:
        raise ValueError(f"shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} != {b.shape[0]}")
    if b.ndim == 1:
        return np.sum(a * b, axis=-1)
    if a.ndim == 1:
        return np.sum(a[:, None] * b, axis=0)
    return np.sum(a[:, :, None] * b[None, :, :], axis=1)


@_for(np.vdot)
def _vdot(recording: Recording, a: Any, b: Any) -> Any:
    return np.sum(np.ravel(a) * np.ravel(b))


@_for(np.outer)
def _outer(recording: Recording, a: Any, b: Any) -> Any:
    return np.ravel(a)[:, None] * np.ravel(b)[None, :]


@_for(np.linalg.norm)
def _norm(recording: Recording, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord is not None and not (ord == 2 and (x.ndim == 1 or isinstance(axis, int))):
        raise refused.NOT_FOR_ARRAYS.error(function="np.linalg.norm", reason=f" of the order {ord}")
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


@_for(np.einsum)
def _einsum(recording: Recording, subscripts: str, *operands: Any) -> Any:
    text = subscripts.replace(" ", "")
    given, arrow, result = text.partition("->")
    terms = given.split(",")
    if not arrow:
        result = "".join(sorted(each for each in set(given) - {","} if given.count(each) == 1))
    is_known = text.replace(",", "").replace("->", "").isalpha() and len(terms) == len(operands)
    if not is_known or any(len(set(each)) < len(each) for each in (*terms, result)):
        raise refused.NOT_FOR_ARRAYS.error(function="np.einsum", reason=f" with the subscripts {subscripts!r}")
    letters = [*result, *sorted(set(given) - {","} - set(result))]
    factors = []
    for term, operand in zip(terms, operands, strict=True):
        order = sorted(range(len(term)), key=lambda k, term=term: letters.index(term[k]))  # type: ignore[misc]
        factors.append(np.transpose(operand, order)[tuple(slice(None) if each in term else None for each in letters)])
    found = functools.reduce(np.multiply, factors)
    summed = tuple(range(len(result), len(letters)))
    return np.sum(found, axis=summed) if summed else found


TABLE = _TABLE
