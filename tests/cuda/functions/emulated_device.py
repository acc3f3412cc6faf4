"""A device in this process: arrays of NumPy that call themselves device arrays, and kernels run by the emulator."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.cuda.emulator import kernel_in, launch


def _of_numpy(function: Any) -> Any:
    def call(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*args)

    return call


# As on a GPU, `math` raises nothing: it gives nan and infinities.
_NAMES = {"pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh"}
_NAMES |= {"acosh": "arccosh", "atanh": "arctanh"}
MATH = SimpleNamespace(
    **{
        name: _of_numpy(getattr(np, _NAMES.get(name, name), getattr(math, name)))
        for name in dir(math)
        if callable(getattr(math, name)) and name[0] != "_"
    },
    inf=math.inf,
    nan=math.nan,
)


class DeviceArray(np.ndarray):
    """An array in what stands for device memory: no function of NumPy takes it."""

    @property
    def __cuda_array_interface__(self) -> Any:
        return self.__array_interface__

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("an array in device memory is computed with on the host")

    __array_function__ = __array_ufunc__


def on_device(array: Any) -> Any:
    """A copy in device memory."""
    return np.array(array).view(DeviceArray)


def on_host(array: Any) -> Any:
    """What device memory holds."""
    return np.asarray(array).view(np.ndarray)


class EmulatedDevice:
    """Runs kernels thread by thread. `backwards` is the order of threads; counts what is launched and copied."""

    def __init__(self, threads: int = 4, backwards: bool = False) -> None:
        self.threads, self.backwards = threads, backwards
        self.launched: list[str] = []
        self.copied = 0
        self._kernels: dict[str, Any] = {}

    def taken(self, array: Any) -> Any:
        return on_host(array)

    def given(self, array: Any, others: Any) -> Any:
        return array.view(DeviceArray)

    def empty(self, shape: Any, dtype: Any) -> Any:
        made = np.empty(shape, dtype)
        made.fill(math.nan if made.dtype.kind == "f" else 77)
        return made

    def launch(self, text: str, name: str, grid: Any, block: Any, given: Any) -> None:
        if text not in self._kernels:
            self._kernels[text] = kernel_in(text, name)
            self._kernels[text][1].__globals__["math"] = MATH
        self.launched.append(name)
        with np.errstate(all="ignore"):
            launch(self._kernels[text], grid, block, *given, backwards=self.backwards)

    def to_host(self, array: Any) -> Any:
        self.copied += 1
        assert array.size <= 8, "an array is copied to the host"
        return array.copy()

    def copy(self, target: Any, source: Any) -> None:
        target[...] = source
