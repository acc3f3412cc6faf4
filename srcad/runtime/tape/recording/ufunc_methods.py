"""Methods of ufuncs, and keywords of ufuncs and reductions, as equivalent expressions of functions that have rules.

    np.subtract.outer(a, b)                  np.subtract(a[..., None], b)
    np.hypot.reduce(x)                       np.hypot(np.hypot(x[0], x[1]), x[2])
    np.add(x, y, dtype="float32")            np.add of both in single precision
    np.sum(x, where=mask, initial=1.0)       np.sum(np.where(mask, x, 0.0)) + 1.0

They replace the call while a tape follows an argument.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import definition, variants
from srcad.runtime.tape.core.operand import Operand
from srcad.runtime.tape.protocols.arithmetic import call
from srcad.runtime.tape.reverse.eager_rules import says_something

_LAYOUT = frozenset(("casting", "order", "subok"))  # these affect NumPy's computation and checks, not derivatives


def outer(ufunc: Any, a: Any, b: Any, **keywords: Any) -> Any:
    """The function of each element of `a` with each element of `b`."""
    shape = (*np.shape(a), *[1] * np.ndim(b))
    return ufunc(np.reshape(a, shape), b, **keywords)


def reduce(ufunc: Any, array: Any, axis: Any = 0, keepdims: bool = False) -> Any:
    """The elements along an axis, combined from left to right."""
    if isinstance(axis, tuple) or (axis is None and array.ndim != 1):
        raise NotImplementedError(f"np.{ufunc.__name__}.reduce along several axes: reduce one after the other")
    place = axis or 0
    turned = np.moveaxis(array, place, 0)
    if not len(turned):
        raise NotImplementedError(f"np.{ufunc.__name__}.reduce of nothing")
    total = functools.reduce(ufunc, list(turned))
    return np.expand_dims(total, place) if keepdims else total


def accumulate(ufunc: Any, array: Any, axis: int = 0) -> Any:
    """The elements along an axis, each combined with all before it."""
    parts = list(np.moveaxis(array, axis, 0))
    for place in range(1, len(parts)):
        parts[place] = ufunc(parts[place - 1], parts[place])
    return np.stack(parts, axis) if parts else array


def reduceat(ufunc: Any, array: Any, indices: Any, axis: int = 0) -> Any:
    """Slices along an axis, each reduced; for a slice that ends before it starts, the element where it starts."""
    turned = np.moveaxis(array, axis, 0)
    starts = [int(each) for each in np.asarray(indices)]
    parts = []
    for start, stop in zip(starts, [*starts[1:], len(turned)], strict=True):
        parts.append(ufunc.reduce(turned[start:stop], axis=0) if start < stop else turned[start])
    return np.stack(parts, axis)


_METHODS: Mapping[str, Callable[..., Any]] = {
    "outer": outer,
    "reduce": reduce,
    "accumulate": accumulate,
    "reduceat": reduceat,
}

_REDUCTIONS: Mapping[tuple[Any, str], Any] = {
    (np.add, "reduce"): np.sum,
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "reduce"): np.prod,
    (np.multiply, "accumulate"): np.cumprod,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
}


@functools.cache
def method_meaning(primitive: Any) -> Callable[..., Any] | None:
    """The function that a method of a ufunc is recorded as; None for other functions.

    >>> method_meaning(np.maximum.outer)(np.array([1.5]), np.array([1.0, 2.0])).tolist(), method_meaning(np.sin)
    ([[1.5, 2.0]], None)
    """
    ufunc, name = getattr(primitive, "__self__", None), getattr(primitive, "__name__", "")
    if (ufunc, name) in _REDUCTIONS:
        function = _REDUCTIONS[ufunc, name]
        # NumPy's functions reduce all axes by default, the methods of ufuncs the first axis.
        return lambda array, axis=0, *rest, **keywords: function(array, axis, *rest, **keywords)
    if not isinstance(ufunc, np.ufunc) or name not in _METHODS or (ufunc.nin, ufunc.nout) != (2, 1):
        return None
    if ufunc in (np.power, np.float_power) and name.startswith("reduce"):
        return None  # NumPy 2 has 4 for [2, 3, 2]
    if variants(primitive) or (name != "outer" and definition(primitive) is not None):
        return None  # the rule is better than one element after another
    return functools.partial(_METHODS[name], ufunc)


def _converted(value: Any, dtype: Any) -> Any:
    if isinstance(value, Operand):
        return value.astype(dtype)
    return value if isinstance(value, (list, tuple)) else np.asarray(value).astype(dtype)[()]


def in_dtype(ufunc: Any, *arguments: Any, dtype: Any = None, **layout: Any) -> Any:
    """A ufunc of its arguments converted to a dtype."""
    given = arguments if dtype is None else [_converted(each, dtype) for each in arguments]
    return ufunc(*given)


def _reduction(
    function: Any,
    a: Any,
    axis: Any = None,
    *,
    where: Any = True,
    initial: Any = None,
    dtype: Any = None,
    correction: Any = None,
    **keywords: Any,
) -> Any:
    """A reduction with the keywords `where`, `initial`, `dtype` and `correction`."""
    if correction is not None:
        keywords["ddof"] = correction
    if function in (np.var, np.std) and (where is not True or dtype is not None):
        return _spread(function, a, axis, where, dtype, **keywords)
    a = a if dtype is None else _converted(a, dtype)
    if where is not True:
        if function is np.mean:
            count = np.sum(np.broadcast_to(where, a.shape), axis, **keywords)
            return np.sum(np.where(where, a, 0.0), axis, **keywords) / count
        a = call(np.where, where, a, _NEUTRAL[function])
    found = call(function, *((a,) if axis is None else (a, axis)), **keywords)
    return found if initial is None else _JOINED[function](found, initial)


def _spread(function: Any, a: Any, axis: Any, where: Any, dtype: Any, ddof: Any = 0, keepdims: bool = False) -> Any:
    """The variance, or the standard deviation, of the elements selected by `where`; means and sums are in `dtype`."""
    apart = np.abs(a - _reduction(np.mean, a, axis, where=where, dtype=dtype, keepdims=True))
    count = np.sum(np.broadcast_to(where, a.shape), axis, keepdims=keepdims) - ddof
    found = _reduction(np.sum, apart * apart, axis, where=where, dtype=dtype, keepdims=keepdims) / count
    return call(kernels.root, found) if function is np.std else found


_NEUTRAL: Mapping[Any, float] = {np.sum: 0.0, np.prod: 1.0, np.max: -np.inf, np.min: np.inf}
_JOINED: Mapping[Any, Any] = {np.sum: np.add, np.prod: np.multiply, np.max: np.maximum, np.min: np.minimum}
_TAKES: Mapping[Any, frozenset[str]] = {
    **dict.fromkeys((np.sum, np.prod), frozenset(("where", "initial", "dtype"))),
    **dict.fromkeys((np.max, np.min), frozenset(("where", "initial"))),
    np.mean: frozenset(("where", "dtype")),
    **dict.fromkeys((np.cumsum, np.cumprod), frozenset(("dtype",))),
    **dict.fromkeys((np.var, np.std), frozenset(("where", "correction", "dtype"))),
}


def keyword_meaning(primitive: Any, keywords: Mapping[str, Any]) -> Callable[..., Any] | None:
    """The function that a call with such keywords is recorded as, if its rule does not take them, else None.

    >>> float(keyword_meaning(np.sum, {"initial": 2.0})(np.ones(3), initial=2.0)), keyword_meaning(np.sum, {"axis": 0})
    (5.0, None)
    """
    if not keywords:
        return None
    stated: Sequence[str] = [name for name, value in keywords.items() if name != "axis" and says_something(name, value)]
    if isinstance(primitive, np.ufunc):
        if stated and primitive.nout == 1 and _LAYOUT.union(("dtype",)).issuperset(stated) and not primitive.signature:
            return functools.partial(in_dtype, primitive)
        return None
    takes = _TAKES.get(primitive)
    if takes is None or takes.isdisjoint(stated) or keywords.get("out") is not None:
        return None
    return functools.partial(_reduction, primitive)
