"""What generated code calls by name: NumPy, `math`, and the kernels of the run-time library, for device values.

Each is a stand-in for the module: a call with device values goes to the tables, any other to the module itself.
Arrays that NumPy would allocate in host memory are device values here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.cuda.functions import refused_operations as refused
from srcad.cuda.functions.device_values import DeviceValue, Recording
from srcad.cuda.functions.element_functions import strong_product
from srcad.cuda.functions.index_maps import axes_of, with_units
from srcad.cuda.functions.numpy_functions import called, filled
from srcad.runtime import kernels

Own = Callable[..., Any]


def _meets(values: Any) -> bool:
    return any(isinstance(each, DeviceValue) or (isinstance(each, (tuple, list)) and _meets(each)) for each in values)


class Library:
    """A module, of which some functions are given, and all others take no device values."""

    def __init__(self, recording: Recording, module: Any, own: dict[str, Own], others: Callable[..., Any]) -> None:
        self._recording, self._module, self._own, self._others = recording, module, own, others
        self._made: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._stand_in(name)
        return self._made[name]

    def _stand_in(self, name: str) -> Any:
        thing = getattr(self._module, name)
        if name in self._own:
            own, recording = self._own[name], self._recording
            return lambda *args, **kwargs: own(recording, *args, **kwargs)
        if not callable(thing) or isinstance(thing, (type, np.ufunc)):
            return thing

        def call(*args: Any, **kwargs: Any) -> Any:
            if _meets(args) or _meets(kwargs.values()):
                return self._others(self._recording, thing, args, kwargs)
            return thing(*args, **kwargs)

        return call


def numpy_for(recording: Recording) -> Library:
    """NumPy."""
    return Library(recording, np, _ALLOCATING, called)


def kernels_for(recording: Recording) -> Library:
    """The kernels of the run-time library."""
    return Library(recording, kernels, _KERNELS, _refuse_kernel)


def math_for(recording: Recording) -> Library:
    """`math`: its functions are NumPy's, where these are of the same name, or known by another."""
    return Library(recording, math, {}, _math)


def _refuse_kernel(recording: Recording, function: Any, args: Any, kwargs: Any) -> Any:
    raise refused.NOT_FOR_ARRAYS.error(function=f"kernels.{function.__name__}", reason=", which derivatives here need")


_OF_MATH = {
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "pow": np.power,
}


def _math(recording: Recording, function: Any, args: Any, kwargs: Any) -> Any:
    name = function.__name__
    found = _OF_MATH.get(name) or getattr(np, name, None)
    if not isinstance(found, np.ufunc) or len(args) != found.nin or kwargs:
        raise refused.NOT_FOR_ARRAYS.error(function=f"math.{name}", reason="")
    return found(*args)


# Arrays that are allocated.


def _filled_with(value: Any) -> Own:
    def allocated(recording: Recording, shape: Any, dtype: Any = np.float64) -> DeviceValue:
        return filled(recording, shape, value, dtype)

    return allocated


def _full(recording: Recording, shape: Any, fill_value: Any, dtype: Any = None) -> DeviceValue:
    kind = recording.expression(fill_value).dtype if dtype is None else dtype
    return filled(recording, shape, fill_value, kind)


def _arange(recording: Recording, *args: Any) -> Any:
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    count = len(np.arange(start, stop, step)) if not all(isinstance(k, int) for k in (start, stop, step)) else None
    if count is None:
        count = len(range(start, stop, step))
    places = recording.value(recording.graph.made("count", (count,), np.int64))
    return places * step + start


def _linspace(recording: Recording, start: Any, stop: Any, num: int = 50) -> Any:
    places = recording.value(recording.graph.made("count", (int(num),), np.int64))
    found = places * ((stop - start) / max(int(num) - 1, 1)) + start
    if num > 1:
        found[-1] = stop
    return found


_ALLOCATING: dict[str, Own] = {
    "zeros": _filled_with(0),
    "empty": _filled_with(0),
    "ones": _filled_with(1),
    "full": _full,
    "arange": _arange,
    "linspace": _linspace,
}


# Kernels.


def _restore(recording: Recording, g: Any, shape: Any, axis: Any = None, keepdims: bool = False) -> Any:
    if keepdims or axis is None or not isinstance(g, DeviceValue):
        return g
    return g.seen_as(with_units(g.shape, axes_of(axis, len(shape))))


def _spread(recording: Recording, g: Any, shape: Any, axis: Any = None, keepdims: bool = False) -> Any:
    held = recording.expression(_restore(recording, g, shape, axis, keepdims))
    dtype = held.dtype if not held.is_weak else np.result_type(held.dtype)
    found = recording.value(recording.graph.broadcast(recording.graph.cast(held, dtype), tuple(shape)))
    found.is_number = False
    return found


def _unbroadcast(recording: Recording, g: Any, x: Any) -> Any:
    shape = np.shape(x)
    wide = np.shape(g)
    surplus = len(wide) - len(shape)
    if surplus < 0:
        return g.reshaped(shape) if wide else g
    axes = tuple(k for k in range(len(wide)) if k < surplus or (shape[k - surplus] == 1 != wide[k]))
    if not axes:
        return g
    return np.reshape(np.sum(g, axis=axes), shape) if shape else np.sum(g, axis=axes)


def _shares(recording: Recording, y: Any, a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    equal = a == _restore(recording, y, a.shape, axis, keepdims)
    count = np.sum(equal, axis=axis, dtype=a.dtype, keepdims=axis is not None)
    return equal.astype(a.dtype) / count


def _extremum_adjoint(recording: Recording, g: Any, y: Any, a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return _restore(recording, g, a.shape, axis, keepdims) * _shares(recording, y, a, axis, keepdims)


def _add_extremum(recording: Recording, total: Any, *args: Any) -> None:
    total += _extremum_adjoint(recording, *args)


def _select(recording: Recording, c: Any, a: Any, b: Any) -> Any:
    return np.where(c, a, b)


def _strong_product(recording: Recording, bar: Any, slope: Any, other: Any = None) -> Any:
    if not _meets((bar, slope, other)):
        return kernels.strong_product(bar, slope) if other is None else kernels.strong_product(bar, slope, other)
    found = recording.map(strong_product, bar, slope)
    return found if other is None else recording.map(strong_product, found, other)


def _mapped(function: Any) -> Own:
    def mapped(recording: Recording, *args: Any) -> Any:
        return recording.map(function, *args) if _meets(args) else function(*args)

    return mapped


def _as_python(function: Any) -> Own:
    """A kernel that is written in functions of the table, and runs as it stands."""
    return lambda recording, *args, **kwargs: function(*args, **kwargs)


def _is_below(recording: Recording, a: Any, a_min: Any, a_max: Any) -> Any:
    if a_min is None:
        return np.zeros_like(a, dtype=np.bool_)
    return a < a_min if a_max is None else (a < a_min) & (a_min <= a_max)


def _is_above(recording: Recording, a: Any, a_min: Any, a_max: Any) -> Any:
    if a_max is None:
        return np.zeros_like(a, dtype=np.bool_)
    return a > a_max if a_min is None else (a > a_max) | (a_min > a_max)


def _matmul_adjoint(first: bool) -> Own:
    def adjoint(recording: Recording, g: Any, a: Any, b: Any) -> Any:
        if a.ndim == b.ndim == 1:
            return g * (b if first else a)
        if first:
            return g[:, None] * b[None, :] if b.ndim == 1 else np.dot(g, b.T) if a.ndim == 2 else np.dot(b, g)
        return a[:, None] * g[None, :] if a.ndim == 1 else np.dot(a.T, g)

    return adjoint


def _inner(recording: Recording, a: Any, b: Any) -> Any:
    return np.sum(a * b) if np.ndim(a) else a * b


def _zero_like(recording: Recording, x: Any) -> Any:
    return np.zeros_like(x) if np.ndim(x) else 0.0


def _scatter(recording: Recording, g: Any, shape: Any, index: Any) -> Any:
    bar = filled(recording, shape, 0, recording.expression(g).dtype)
    bar[index] = g
    return bar


def _refuse_overlap(recording: Recording, a: Any, b: Any) -> None:
    if _may_overlap(recording, a, b):
        raise refused.SHARED_MEMORY.error()


def _may_overlap(recording: Recording, a: Any, b: Any) -> bool:
    """What the device arrays are is looked at in each call: it is refused if they share memory."""
    recording.needs_apart = True
    return bool(a.cell is b.cell)


def _scatter_add(recording: Recording, bar: Any, index: Any, value: Any) -> None:
    bar[index] += value


def _diff_adjoint(recording: Recording, g: Any, n: int = 1, axis: int = -1) -> Any:
    axis %= g.ndim
    after, short = ((slice(None),) * axis + (each,) for each in (slice(1, None), slice(-1)))
    for _ in range(n):
        longer = filled(recording, (*g.shape[:axis], g.shape[axis] + 1, *g.shape[axis + 1 :]), 0, g.dtype)
        longer[after] = g
        longer[short] -= g
        g = longer
    return g


def _unpad(recording: Recording, g: Any, shape: Any, pad_width: Any, mode: str = "constant") -> Any:
    starts = np.broadcast_to(pad_width, (len(shape), 2))[:, 0].tolist()
    return g[tuple(slice(start, start + size) for start, size in zip(starts, shape, strict=True))]


_KERNELS: dict[str, Own] = {
    "refuse_overlap": _refuse_overlap,
    "may_overlap": _may_overlap,
    "scatter_add": _scatter_add,
    "diff_adjoint": _diff_adjoint,
    "unpad": _unpad,
    "padded": lambda recording, *args: np.pad(*args),
    "restore": _restore,
    "spread": _spread,
    "unbroadcast": _unbroadcast,
    "shares": _shares,
    "extremum_adjoint": _extremum_adjoint,
    "add_extremum": _add_extremum,
    "select": _select,
    "strong_product": _strong_product,
    "strong_quotient": _mapped(kernels.strong_quotient),
    "ratio": _mapped(kernels.ratio),
    "root": _mapped(kernels.root),
    "power_slope": _mapped(kernels.power_slope),
    "power_log": _mapped(kernels.power_log),
    "is_below": _is_below,
    "is_above": _is_above,
    "matmul_adjoint_a": _matmul_adjoint(True),
    "matmul_adjoint_b": _matmul_adjoint(False),
    "dot_adjoint_a": _matmul_adjoint(True),
    "dot_adjoint_b": _matmul_adjoint(False),
    "inner": _inner,
    "zero_like": _zero_like,
    "scatter": _scatter,
}
_KERNELS |= {"squared_modulus": lambda recording, x: x * x}
_KERNELS |= {"ieee_quotient": _mapped(np.true_divide), "outer": lambda recording, a, b: np.outer(a, b)}
_KERNELS |= {"times": lambda recording, a, b: np.dot(a, b), "plus": lambda recording, a, b: a + b}
_KERNELS |= {"transpose_times": lambda recording, a, b: np.dot(a.T, b)}
_KERNELS |= {"times_transpose": lambda recording, a, b: np.dot(a, b.T)}
_KERNELS |= {"copy_in_c_order": lambda recording, a: np.copy(a)}
# Written in functions of the tables and basic subscripts.
_KERNELS |= {
    name: _as_python(getattr(kernels, name))
    for name in (
        *("centred", "unconcatenate", "unstack", "untranspose", "unvstack", "unhstack", "uncolumn_stack"),
        *("copy_to", "add_to", "subtract_from", "add_scaled", "einsum_adjoint"),
    )
}
