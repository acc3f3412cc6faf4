"""Calls from programs that XLA compiled for the CPU back into Python, through XLA's foreign function interface (FFI).

    compute(NumPy arrays) -> arrays     becomes     call_back(compute, results, JAX's arrays) -> JAX's arrays

`jax.pure_callback` does the same, and first makes arrays of JAX's of all that XLA hands over, which takes longer than
most calls. The functions here get NumPy arrays that are views of XLA's memory. Where the interface is missing or has
another major version, and where JAX computes on an accelerator, `pure_callback` is used.

Source: xla/ffi/api/c_api.h of version 0.1 and later, which jaxlib ships. Only what all versions share is read.
"""

from __future__ import annotations

import ctypes
import functools
import secrets
import traceback
from collections.abc import Callable, Sequence
from ctypes import POINTER, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

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


def _words(kind: Any, *path: str) -> int:
    """Where a field of a structure within a structure is, in words."""
    place = 0
    for name in path:
        place += getattr(kind, name).offset
        kind = dict(kind._fields_)[name]
    return place // _WORD


# Reading words of memory takes a tenth of the time of reading fields of structures.
_WORD = ctypes.sizeof(c_void_p)
_FRAME = c_size_t * (ctypes.sizeof(_Frame) // _WORD)
_BUFFER = c_size_t * (ctypes.sizeof(_Buffer) // _WORD)
_EXTENSION, _API, _DATA = _words(_Frame, "extension"), _words(_Frame, "api"), _words(_Buffer, "data")
_ARGUMENTS, _RESULTS = _words(_Frame, "arguments", "items"), _words(_Frame, "results", "items")
_ATTRIBUTES = _words(_Frame, "attributes", "items")
_ERROR_CREATE = ctypes.CFUNCTYPE(c_void_p, POINTER(_ErrorArguments))


class _Array:
    """An array of fixed shape and dtype in XLA's memory."""

    __slots__ = ("_memory", "dtype", "shape")

    def __init__(self, like: Any) -> None:
        self.shape, self.dtype = tuple(like.shape), np.dtype(like.dtype)
        self._memory = c_char * (int(np.prod(self.shape)) * self.dtype.itemsize)

    def at(self, buffer: int) -> Any:
        """The array that the buffer at an address describes. One without elements may have no memory."""
        data = _BUFFER.from_address(buffer)[_DATA]
        return np.ndarray(self.shape, self.dtype, self._memory.from_address(data) if data else None)


class _Call:
    """A function that XLA may call, with the arrays that it takes and returns."""

    __slots__ = ("_addresses", "_arguments", "_compute", "_results", "_returned")

    def __init__(self, compute: Callable[..., Sequence[Any]], arguments: Sequence[Any], results: Sequence[Any]) -> None:
        self._compute = compute
        self._arguments, self._results = tuple(map(_Array, arguments)), tuple(map(_Array, results))
        self._addresses, self._returned = c_size_t * len(arguments), c_size_t * len(results)

    def __call__(self, frame: Any) -> None:
        """Compute the results of a frame from its arguments."""
        given = self._addresses.from_address(frame[_ARGUMENTS]) if self._arguments else ()
        found = self._compute(*[each.at(given[place]) for place, each in enumerate(self._arguments)])
        addresses = self._returned.from_address(frame[_RESULTS])
        for each, address, value in zip(self._results, addresses, found, strict=True):
            if np.shape(value) != each.shape:
                raise BadArgument(f"a result has the shape {np.shape(value)}, not {each.shape}")
            each.at(address)[...] = value


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
    _calls[number] = _Call(compute, arrays, like)
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
    if not hasattr(jax.ffi, "pycapsule") or ctypes.sizeof(c_void_p) != 8:
        return False
    handler = ctypes.cast(_handle, c_void_p)
    try:
        jax.local_devices(backend="cpu")  # once the CPU is set up, what is registered is looked at immediately
        jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(handler), platform="cpu")
    except RuntimeError:  # another major version, or no CPU
        return False
    return True


def _answer(address: int) -> None:
    """Make the call that a frame describes, or fill in the version of the interface, which XLA asks for."""
    frame = _FRAME.from_address(address)
    if frame[_EXTENSION]:
        extension = _MetadataExtension.from_address(frame[_EXTENSION])
        if extension.kind == _METADATA:
            version = extension.metadata.contents.version
            # XLA refuses another major version.
            version.major, version.minor = _MAJOR, _Api.from_address(frame[_API]).version.minor if frame[_API] else 1
            return
    attribute = c_size_t.from_address(frame[_ATTRIBUTES]).value
    call = _calls.get(_Scalar.from_address(attribute).value[0])
    if call is None:
        hint = "clear JAX's compilation cache on disk"
        raise BadArgument("a program that another process compiled calls back into Python", hint=hint)
    call(frame)


@ctypes.CFUNCTYPE(c_void_p, c_void_p)
def _handle(address: int) -> Any:
    """What XLA calls. Returns the address of an error, or None."""
    try:
        return _answer(address)
    except BaseException:  # noqa: BLE001 - an exception may not pass through XLA's frames: JAX raises one of the error
        create = _ERROR_CREATE(_Api.from_address(_FRAME.from_address(address)[_API]).error_create)
        message = traceback.format_exc().encode()
        return create(ctypes.byref(_ErrorArguments(ctypes.sizeof(_ErrorArguments), None, message, _INTERNAL)))
