"""Numba overloads of `np.fft`, which call the compiled loops of NumPy's own transforms.

`np.fft.fft` and the like are ufuncs inside (pocketfft), whose loops are C functions with the signature that all loops
of ufuncs have: `loop(char **operands, npy_intp *dimensions, npy_intp *strides, void *data)`. Their addresses are in the
ufunc object, whose layout is part of NumPy's C API (`PyUFuncObject`). Each loop becomes a symbol of LLVM, so that
machine code which calls it can be stored and loaded by another process. Results are NumPy's to the last bit.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

from srcad.runtime.kernels.arrays.fourier import constant

_PREFIX = "srcad_np_fft_"


class _Ufunc(ctypes.Structure):
    """The first fields of `PyUFuncObject` after the object's header."""

    _fields_ = (
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
    )


@functools.cache
def symbols() -> frozenset[str]:
    """The names of the loops that are known to LLVM; none if this NumPy is built otherwise.

    >>> "srcad_np_fft_fft_D" in symbols()
    True
    """
    try:
        from numpy.fft import _pocketfft_umath as loops  # type: ignore[attr-defined]  # private
    except ImportError:
        return frozenset()
    found = set()
    for name in ("fft", "ifft", "rfft_n_even", "rfft_n_odd", "irfft"):
        ufunc = getattr(loops, name, None)
        if not isinstance(ufunc, np.ufunc) or ufunc.nin != 2 or ufunc.nout != 1:
            continue
        fields = _Ufunc.from_address(id(ufunc) + object.__basicsize__)
        if (fields.nin, fields.nout, fields.nargs, fields.ntypes) != (2, 1, 3, len(ufunc.types)):
            continue  # not the layout that is known
        for k, kind in enumerate(ufunc.types):
            symbol = f"{_PREFIX}{name}_{kind[0]}"
            if symbol not in found and fields.functions[k]:
                llvm.add_symbol(symbol, fields.functions[k])
                if fields.data and fields.data[k]:
                    llvm.add_symbol(f"{symbol}_data", fields.data[k])
                    found.add(f"{symbol}_data")
                found.add(symbol)
    return frozenset(found)


@intrinsic(prefer_literal=True)
def run_loop(typingctx: Any, symbol: Any, a: Any, factor: Any, out: Any) -> Any:
    """Run a loop on the rows of a matrix, scaled by a factor (an array of one element)."""
    del typingctx
    name = symbol.literal_value

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        number, pointer = context.get_value_type(types.intp), ir.IntType(8).as_pointer()
        parts = [
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args[1:], values[1:], strict=True)
        ]
        shapes = [cgutils.unpack_tuple(builder, each.shape) for each in parts]
        strides = [cgutils.unpack_tuple(builder, each.strides) for each in parts]
        rows, columns, results = shapes[0][0], shapes[0][1], shapes[2][1]
        steps = strides[0][0], number(0), strides[2][0], strides[0][1], strides[2][1]
        operands = cgutils.pack_array(builder, [builder.bitcast(each.data, pointer) for each in parts])
        lists = [operands, cgutils.pack_array(builder, [rows, columns, results]), cgutils.pack_array(builder, steps)]
        places = [cgutils.alloca_once_value(builder, each) for each in lists]
        first = [builder.gep(place, [ir.IntType(32)(0)] * 2) for place in places]
        kind = ir.FunctionType(ir.VoidType(), [each.type for each in first] + [pointer])
        loop = cgutils.get_or_insert_function(builder.module, kind, name)
        has_data = f"{name}_data" in symbols()
        data = (
            cgutils.add_global_variable(builder.module, pointer.pointee, f"{name}_data") if has_data else pointer(None)
        )
        builder.call(loop, [*first, data])
        return context.get_dummy_value()

    # Numba finds the instructions by the signature, which therefore has the name in it.
    return types.void(symbol, a, factor, out), codegen


def _scaling(norm: Any, is_forward: bool) -> int | None:
    """0 for no scaling, 1 for that by the root of the size, 2 for that by the size; None if it is not known."""
    known, value = constant(norm)
    if not known or value not in (None, "backward", "ortho", "forward"):
        return None
    return 1 if value == "ortho" else 2 if (value == "forward") == is_forward else 0


def _is_last(axis: Any, ndim: int) -> bool:
    """Whether an axis is known to be the last one."""
    return ndim == 1 or constant(axis) in ((True, -1), (True, ndim - 1))


@register_jitable
def _rows(a, dtype):
    """The vectors along the last axis as rows of a matrix."""
    whole = np.ascontiguousarray(a).astype(dtype)
    count = 1
    for k in range(a.ndim - 1):
        count *= a.shape[k]
    return whole.reshape((count, a.shape[-1]))


@register_jitable
def _factor(scaling, n, dtype):
    value = 1.0 if scaling == 0 else 1.0 / np.sqrt(n) if scaling == 1 else 1.0 / n
    return np.full(1, value).astype(dtype)


@register_jitable
def _check(n):
    if n < 1:
        raise ValueError("Invalid number of FFT data points specified.")


@register_jitable
def _number(n, otherwise):
    return otherwise if n is None else n


def _along_last(kind: str, dtype: Any, scaling: int) -> Any:
    """A transform along the last axis: a function of the array and the number of points, which may be None."""
    single = dtype in (types.float32, types.complex64)
    letter = ("f" if single else "d", "F" if single else "D")
    real, whole = (types.float32, types.complex64) if single else (types.float64, types.complex128)
    names = {name: f"{_PREFIX}{name}_{letter[name not in ('rfft_n_even', 'rfft_n_odd')]}" for name in _LOOPS[kind]}
    if not symbols().issuperset(names.values()):
        return None
    if kind == "rfft":
        even, odd = names["rfft_n_even"], names["rfft_n_odd"]

        def rfft(a, n):
            points = _number(n, a.shape[-1])
            _check(points)
            rows, factor = _rows(a, real), _factor(scaling, points, real)
            out = np.empty((rows.shape[0], points // 2 + 1), whole)
            if points % 2 == 0:
                run_loop(even, _points(rows, points), factor, out)
            else:
                run_loop(odd, _points(rows, points), factor, out)
            return out.reshape(a.shape[:-1] + (points // 2 + 1,))

        return register_jitable(rfft)
    name, result = names[kind], real if kind == "irfft" else whole
    is_half = kind == "irfft"

    def transform(a, n):
        points = _number(n, 2 * (a.shape[-1] - 1) if is_half else a.shape[-1])
        _check(points)
        rows, factor = _rows(a, whole), _factor(scaling, points, real)
        if rows.shape[1] == 0:  # the loop would read a first element
            return np.zeros(a.shape[:-1] + (points,), result)
        out = np.empty((rows.shape[0], points), result)
        run_loop(name, rows, factor, out)
        return out.reshape(a.shape[:-1] + (points,))

    return register_jitable(transform)


@register_jitable
def _points(rows, n):
    """Rows of n points, since the loops of `rfft` tell the number from the input."""
    if rows.shape[1] == n:
        return rows
    found = np.zeros((rows.shape[0], n), rows.dtype)
    found[:, : rows.shape[1]] = rows[:, :n]
    return found


_LOOPS = {"fft": ("fft",), "ifft": ("ifft",), "rfft": ("rfft_n_even", "rfft_n_odd"), "irfft": ("irfft",)}


def _implementation(kind: str, a: Any, axis: Any, norm: Any) -> Any:
    scaling = _scaling(norm, kind in ("fft", "rfft"))
    if not isinstance(a, types.Array) or a.ndim == 0 or scaling is None:
        return None
    along = _along_last(kind, a.dtype, scaling)
    if along is None:
        return None
    if _is_last(axis, a.ndim):
        return lambda a, n=None, axis=-1, norm=None: along(a, n)

    def impl(a, n=None, axis=-1, norm=None):
        return np.moveaxis(along(np.moveaxis(a, axis, -1), n), -1, axis)

    return impl


@overload(np.fft.fft, prefer_literal=True)
def _fft(a, n=None, axis=-1, norm=None):
    return _implementation("fft", a, axis, norm)


@overload(np.fft.ifft, prefer_literal=True)
def _ifft(a, n=None, axis=-1, norm=None):
    return _implementation("ifft", a, axis, norm)


@overload(np.fft.rfft, prefer_literal=True)
def _rfft(a, n=None, axis=-1, norm=None):
    return _implementation("rfft", a, axis, norm)


@overload(np.fft.irfft, prefer_literal=True)
def _irfft(a, n=None, axis=-1, norm=None):
    return _implementation("irfft", a, axis, norm)


def _shifted(x: Any, axes: Any, is_inverse: bool) -> Any:
    if not isinstance(x, types.Array):
        return None
    ndim, sign = x.ndim, -1 if is_inverse else 1
    if isinstance(axes, types.Integer):
        return lambda x, axes=None: np.roll(x, sign * (x.shape[axes] // 2), axes)
    if isinstance(axes, types.UniTuple):

        def several(x, axes=None):
            for axis in axes:
                x = np.roll(x, sign * (x.shape[axis] // 2), axis)
            return x

        return several

    def every(x, axes=None):
        for axis in range(ndim):
            x = np.roll(x, sign * (x.shape[axis] // 2), axis)
        return x

    return every


@overload(np.fft.fftshift)
def _fftshift(x, axes=None):
    return _shifted(x, axes, is_inverse=False)


@overload(np.fft.ifftshift)
def _ifftshift(x, axes=None):
    return _shifted(x, axes, is_inverse=True)
