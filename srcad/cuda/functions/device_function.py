"""`function`, `grad` and `value_and_grad` of NumPy functions over arrays in device memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types as nb
from numba.np import numpy_support

from srcad.api.argument_binding import bind
from srcad.api.wrt import positions, refuse_paths
from srcad.cuda.device_arrays import is_device_array, overlapping
from srcad.cuda.functions import refused_operations as refused
from srcad.cuda.functions.call_recording import Argument, Recorded, recorded
from srcad.cuda.functions.device import Device, cuda_device
from srcad.cuda.functions.generated_code import GeneratedCode
from srcad.cuda.functions.launches import Slot
from srcad.driver.options import Options
from srcad.driver.version import Request, Version
from srcad.errors import SrcadError
from srcad.frontend.load_source import name_of, signature_of

_DTYPES = tuple(map(np.dtype, (np.float64, np.float32, np.int64, np.int32, np.bool_)))
Wrt = int | str | tuple[int | str, ...]
# Records are kept as a list of arrays; there is no loop over elements.
_WITHOUT = ("preallocated_traces",)


def function(f: Callable[..., Any]) -> DeviceFunction:
    """The function itself, on arrays in device memory: elementwise statements and reductions become few kernels.

    Parameters
    ----------
    f
        A function of arrays and numbers, in NumPy. See `value_and_grad` for what it may consist of.

    Returns
    -------
    DeviceFunction
        Called as `f` is, with device arrays; it returns device arrays, and numbers on the host.

    Raises
    ------
    BadType, MissingRule, UnsupportedSyntax, NotDifferentiable
        At the call, for what cannot be computed by kernels.
    """
    return DeviceFunction(f, Request("core", (), False, Options.of(without=_WITHOUT)))


def grad(f: Callable[..., Any], wrt: Wrt = 0) -> DeviceFunction:
    """The gradient of a function over arrays in device memory: `value_and_grad` without the value."""
    where, many = positions(f, wrt)
    refuse_paths(f, where)
    return DeviceFunction(f, Request("grad", where, many, Options.of(without=_WITHOUT)))


def value_and_grad(f: Callable[..., Any], wrt: Wrt = 0) -> DeviceFunction:
    """The value and the gradient of a function over arrays in device memory.

    Parameters
    ----------
    f
        A function in NumPy that returns a number: elementwise functions, broadcasting, slices, sums, means, extremes,
        products of vectors and matrices, writes into slices, loops and branches around these. Its arguments are
        device arrays (`numba.cuda`, CuPy, anything with `__cuda_array_interface__`) of floats, integers or truth
        values, and numbers.
    wrt
        The parameters to differentiate by, by position or name; a tuple for several.

    Returns
    -------
    DeviceFunction
        Called as `f` is, it gives the pair of the value, a number on the host, and the gradient: a device array of
        the shape and dtype of the argument, a number for a number, a tuple of these if `wrt` is a tuple. Sums are
        added in an order that sizes alone decide, so that results are the same in each call.

    Raises
    ------
    BadType
        For host arrays, and arrays of other dtypes.
    MissingRule, UnsupportedSyntax, NotDifferentiable
        For functions that have no form here, as sorting or linear algebra; subscripts by arrays; loops over elements.

    Examples
    --------
    >>> def loss(x, y, w):
    ...     r = np.exp(-x * w) - y
    ...     return np.sum(r * r) / x.size
    >>> value_and_grad(loss, wrt=("x", "w"))
    <srcad.cuda value_and_grad of loss>
    """
    where, many = positions(f, wrt)
    refuse_paths(f, where)
    return DeviceFunction(f, Request("value_and_grad", where, many, Options.of(without=_WITHOUT)))


class DeviceFunction:
    """A function, or its gradient, over device arrays: made by `srcad.cuda.function`, `grad` and `value_and_grad`."""

    def __init__(self, f: Callable[..., Any], request: Request, device: Device | None = None) -> None:
        self.function, self.request = f, request
        self._device = device
        self._version: Version | None = None
        self.__signature__ = signature_of(f)
        self._names = tuple(self.__signature__.parameters)
        self._codes: dict[tuple[nb.Type, ...], GeneratedCode] = {}
        self._recorded: dict[tuple[Argument, ...], list[Recorded]] = {}
        self.__name__ = f"{name_of(f)}_{request.mode}" if request.mode != "core" else name_of(f)

    def __repr__(self) -> str:
        mode = "function" if self.request.mode == "core" else f"{self.request.mode} of"
        return f"<srcad.cuda {mode} {name_of(self.function)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it: see `value_and_grad`."""
        call = self._prepared(args, kwargs)
        if call.found.needs_apart and overlapping([each for each in call.given if is_device_array(each)]) is not None:
            raise refused.SHARED_MEMORY.error()
        result = call.found.run(call.device, call.values, call.memory)
        return _handed(result, call)

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The text of the kernels that a call launches, after that of the generated function that they are made from.

        Where branches depend on what the device computes, the call is run.
        """
        call = self._prepared(args, kwargs)
        kernels = (each.text for each in call.found.plans if each.launches)
        return "\n\n".join((self._code(call.arguments).text, *dict.fromkeys(kernels)))

    def launches(self, *args: Any, **kwargs: Any) -> int:
        """The number of kernels that a call with these arguments launches."""
        return sum(len(each.launches) for each in self._prepared(args, kwargs).found.plans)

    def _prepared(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        signature = self.__signature__
        given = args if len(args) == len(self._names) and not kwargs else bind(signature, args, kwargs)
        arguments = tuple(map(_argument, self._names, given))
        device = self._device or cuda_device()
        values = [
            device.taken(each) if kind.kind == "array" else kind.dtype.type(each) if kind.kind == "number" else each
            for kind, each in zip(arguments, given, strict=True)
        ]
        self._renew()
        for found in self._recorded.get(arguments, ()):
            if found.suits(values):
                return _Call(found, {}, device, values, given, arguments)
        code = self._code(arguments)
        try:
            found, memory = recorded(code.function, arguments, self._names, self.__name__, device, values)
        except SrcadError as problem:
            code.place(problem)
            raise
        if found.is_fixed:
            self._recorded.setdefault(arguments, []).append(found)
        return _Call(found, memory, device, values, given, arguments)

    def _renew(self) -> None:
        """Forget what was made for other values of captured numbers."""
        if self._version is None or (self._version.may_change and not self._version.is_current()):
            self._version = Version(self.function, self.request)
            self._codes, self._recorded = {}, {}

    def _code(self, arguments: tuple[Argument, ...]) -> GeneratedCode:
        assert self._version is not None
        kinds = tuple(map(_type, arguments))
        if kinds not in self._codes:
            self._codes[kinds] = GeneratedCode(self._version, kinds)
        return self._codes[kinds]


@dataclass
class _Call:
    """A call that has been noted: what it launches, and with what."""

    found: Recorded
    memory: dict[Slot, Any]
    device: Device
    values: list[Any]
    given: tuple[Any, ...]
    arguments: tuple[Argument, ...]


def _handed(result: Any, call: _Call) -> Any:
    """A result as the caller gets it."""
    if isinstance(result, tuple):
        parts = [_handed(each, call) for each in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if isinstance(result, list):
        return [_handed(each, call) for each in result]
    if isinstance(result, dict):
        return {name: _handed(each, call) for name, each in result.items()}
    return call.device.given(result, call.given) if hasattr(result, "shape") and result.shape else result


def _argument(name: str, value: Any) -> Argument:
    """What is known of an argument before the call is noted."""
    if is_device_array(value):
        dtype, strides = _layout(value)
        if dtype not in _DTYPES:
            raise refused.DTYPE.error(name=name, dtype=dtype)
        if not value.shape:
            raise refused.HOST_ARGUMENT.error(name=name, what="a device array without axes", way=f"pass float({name})")
        return Argument("array", dtype, tuple(value.shape), _is_contiguous(value.shape, strides, dtype))
    if isinstance(value, (float, np.floating)):
        return Argument("number", np.result_type(value), (), None, isinstance(value, float))
    if value is None or isinstance(value, (bool, int, np.integer, np.bool_)):
        return Argument("value", type(value), (), value)
    what = "an array in host memory" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
    way = "pass device arrays and numbers, one by one"
    if isinstance(value, np.ndarray):
        way = "move it to the device with `cuda.to_device`, or make a CuPy array of it; on the CPU, use srcad.grad"
    raise refused.HOST_ARGUMENT.error(name=name, what=what, way=way)


def _layout(array: Any) -> tuple[np.dtype[Any], Any]:
    """The dtype and the strides of a device array; None for those of an array without gaps."""
    if hasattr(array, "strides"):
        return np.dtype(array.dtype), array.strides
    interface = array.__cuda_array_interface__  # PyTorch has dtypes of its own
    return np.dtype(interface["typestr"]), interface.get("strides")


def _is_contiguous(shape: Sequence[int], strides: Sequence[int] | None, dtype: np.dtype[Any]) -> bool:
    step = dtype.itemsize
    if strides is None:
        return True
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != step:
            return False
        step *= extent
    return True


def _type(argument: Argument) -> nb.Type:
    if argument.kind == "array":
        kind = numpy_support.from_dtype(argument.dtype)
        return nb.Array(kind, len(argument.shape), "C" if argument.value else "A")
    if argument.kind == "number":
        return numpy_support.from_dtype(argument.dtype)
    if argument.value is None:
        return nb.none
    return nb.boolean if isinstance(argument.value, (bool, np.bool_)) else nb.int64
