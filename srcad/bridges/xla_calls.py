"""Calls from programs that XLA compiled for the CPU back into Python, through XLA's foreign function interface (FFI).

    compute(NumPy arrays) -> arrays     becomes     call_back(compute, results, JAX's arrays) -> JAX's arrays

`jax.pure_callback` does the same, and first makes arrays of JAX's of all that XLA hands over, which takes longer than
most calls. The functions here get NumPy arrays that are views of XLA's memory. Where the interface is missing, in
another version than the one declared below, or where JAX computes on an accelerator, `pure_callback` is used.

Source: xla/ffi/api/c_api.h, version 0.1 and later, which jaxlib ships. Only structures that all versions share are read.
"""

from __future__ import annotations

import ctypes
import functools
import secrets
import traceback
from collections.abc import Callable, Sequence
from ctypes import POINTER, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any, NamedTuple

import numpy as np

from srcad.errors import BadArgument

_TARGET = "srcad_call"
_MAJOR = 0  # of the versions of the interface that are understood
_METADATA = 1  # the kind of extension by which XLA asks for the version
_INTERNAL = 13  # the code of an error


class _Operands(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("size", c_int64),
        ("types", c_void_p),
        ("items", POINTER(c_void_p)),
    ]


class _Attributes(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("size", c_int64),
        ("types", c_void_p),
        ("names", c_void_p),
        ("items", POINTER(c_void_p)),
    ]


class _Frame(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("api", c_void_p),
        ("context", c_void_p),
        ("stage", c_int),
        ("arguments", _Operands),
        ("results", _Operands),
        ("attributes", _Attributes),
    ]


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("dtype", c_int),
        ("data", c_void_p),
        ("rank", c_int64),
        ("dims", POINTER(c_int64)),
    ]


class _Scalar(ctypes.Structure):
    _fields_ = [("dtype", c_int), ("value", POINTER(c_int64))]


class _Version(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p), ("major", c_int), ("minor", c_int)]


class _Metadata(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("version", _Version), ("traits", c_uint32)]


class _MetadataExtension(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int),
        ("next", c_void_p),
        ("metadata", POINTER(_Metadata)),
    ]


class _Api(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("version", _Version),
        ("internal", c_void_p),
        ("error_create", c_void_p),
    ]


class _ErrorArguments(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("message", c_char_p),
        ("code", c_int),
    ]


_ERROR_CREATE = ctypes.CFUNCTYPE(c_void_p, POINTER(_ErrorArguments))


class _Array(NamedTuple):
    """An array of fixed shape and dtype in XLA's memory."""

    shape: tuple[int, ...]
    dtype: Any
    memory: Any  # the type of its bytes

    def at(self, address: int | None) -> Any:
        """The array at an address of a buffer; an array without elements has no memory."""
        data = _Buffer.from_address(address).data if address else None
        if data is None:
            return np.empty(self.shape, self.dtype)
        return np.ndarray(self.shape, self.dtype, self.memory.from_address(data))


def _array(like: Any) -> _Array:
    dtype = np.dtype(like.dtype)
    size = int(np.prod(like.shape)) * dtype.itemsize
    return _Array(tuple(like.shape), dtype, c_char * max(size, 1))


class _Call(NamedTuple):
    """A function that XLA may call, with the arrays that it takes and returns."""

    compute: Callable[..., Sequence[Any]]
    arguments: tuple[_Array, ...]
    results: tuple[_Array, ...]


# The calls of this process by number. A compiled program knows its number only, and may outlive all else: no call is
# ever removed. Numbers are random, so that a program that another process compiled and JAX kept on disk finds nothing.
_calls: dict[int, _Call] = {}


def call_back(compute: Callable[..., Sequence[Any]], results: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
    """What `compute` returns for arrays of JAX's, in a traced function; `vmap` calls it once for each element.

    compute     a function of NumPy arrays that returns a sequence of numbers or arrays. It may not write into its
                arguments, nor keep them
    results     objects with the `shape` and `dtype` of what it returns

    An exception within `compute` is an error of JAX's, with the traceback as its text.
    """
    import jax

    like = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in results]
    if not _is_registered() or jax.default_backend() != "cpu":
        return list(jax.pure_callback(_converting(compute, like), like, *arrays, vmap_method="sequential"))
    number = secrets.randbits(62)
    _calls[number] = _Call(compute, tuple(map(_array, arrays)), tuple(map(_array, like)))
    call = jax.ffi.ffi_call(_TARGET, like, vmap_method="sequential")
    return list(call(*arrays, call=np.int64(number)))


def _converting(compute: Callable[..., Sequence[Any]], results: Sequence[Any]) -> Callable[..., list[Any]]:
    def run(*given: Any) -> list[Any]:
        return [np.asarray(each, like.dtype) for each, like in zip(compute(*given), results, strict=True)]

    return run


@functools.cache
def _is_registered() -> bool:
    """Whether JAX has the interface in a version that is understood. Registers the handler."""
    import jax

    try:
        import jax.ffi
    except ImportError:  # before JAX 0.5
        return False
    if not hasattr(jax.ffi, "pycapsule"):
        return False
    handler = ctypes.cast(_handle, c_void_p)
    jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(handler), platform="cpu")
    return True


def _answered(frame: Any) -> Any:
    """Fill in the version of the interface, which XLA asks for, or make the calls of the frame."""
    if frame.extension:
        extension = _MetadataExtension.from_address(frame.extension)
        if extension.kind == _METADATA:
            theirs = _Api.from_address(frame.api).version
            version = extension.metadata.contents.version
            # XLA refuses another major version, by an error that says so.
            version.major, version.minor = _MAJOR, theirs.minor
            return None
    call = _calls.get(_Scalar.from_address(frame.attributes.items[0]).value[0])
    if call is None:
        hint = "clear JAX's compilation cache on disk"
        raise BadArgument("a program of another process calls a function of srcad's", hint=hint)
    items = frame.arguments.items
    found = call.compute(*[each.at(items[place]) for place, each in enumerate(call.arguments)])
    items = frame.results.items
    for place, (each, value) in enumerate(zip(call.results, found, strict=True)):
        if np.shape(value) != each.shape:
            raise BadArgument(f"a result has the shape {np.shape(value)}, not {each.shape}")
        each.at(items[place])[...] = value
    return None


@ctypes.CFUNCTYPE(c_void_p, POINTER(_Frame))
def _handle(frame: Any) -> Any:
    """What XLA calls. Returns the address of an error, or None."""
    try:
        return _answered(frame.contents)
    except BaseException:  # noqa: BLE001 - an exception may not pass through XLA's frames: JAX raises one of the error
        create = _ERROR_CREATE(_Api.from_address(frame.contents.api).error_create)
        message = traceback.format_exc().encode()
        return create(ctypes.byref(_ErrorArguments(ctypes.sizeof(_ErrorArguments), None, message, _INTERNAL)))
