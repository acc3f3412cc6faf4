"""Where kernels run: the GPU of `numba.cuda`, or its simulator."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np


class Device(Protocol):
    """A GPU, the simulator, or what tests put in their place. `threads` is the size of blocks."""

    threads: int

    def taken(self, array: Any) -> Any:
        """A caller's array as kernels take it."""

    def given(self, array: Any, others: Sequence[Any]) -> Any:
        """An array that kernels have made as the caller gets it, who has passed `others`."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """New memory."""

    def launch(self, text: str, name: str, grid: tuple[int, int], block: tuple[int, int], given: Sequence[Any]) -> None:
        """Launch the kernel of this name in a module of this text."""

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        """A copy in host memory."""

    def copy(self, target: Any, source: Any) -> None:
        """Copy an array into another one of its shape."""


class CudaDevice:
    """The device of `numba.cuda`. Memory is from CuPy's pool where CuPy is installed: that of Numba has none."""

    def __init__(self) -> None:
        from numba import config

        self._is_simulated = bool(config.ENABLE_CUDASIM)
        self.threads = 8 if self._is_simulated else 256  # of the simulator, each is a thread of Python
        self._kernels: dict[str, Any] = {}
        self._configured: dict[tuple[str, tuple[int, int], tuple[int, int]], Any] = {}
        self._empty = _memory(self._is_simulated)

    def taken(self, array: Any) -> Any:
        """A caller's array as Numba's."""
        from numba import cuda

        if getattr(array, "__cuda_ndarray__", False):
            return array
        return cuda.as_cuda_array(array)

    def given(self, array: Any, others: Sequence[Any]) -> Any:
        """A CuPy array if the caller has passed one, else Numba's."""
        if any(type(each).__module__.split(".")[0] == "cupy" for each in others):
            import cupy  # type: ignore[import-not-found]

            return cupy.asarray(array)
        return array

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """New memory."""
        return self._empty(shape, dtype)

    def launch(self, text: str, name: str, grid: tuple[int, int], block: tuple[int, int], given: Sequence[Any]) -> None:
        """Launch a kernel, compiled at its first launch."""
        kernel = self._kernels.get(text)
        if kernel is None:
            kernel = self._kernels[text] = loaded(text)[name]
        if self._is_simulated:  # where a kernel has one grid at a time
            kernel[grid, block](*given)
            return
        key = text, grid, block
        configured = self._configured.get(key)
        if configured is None:
            with warnings.catch_warnings():  # of grids that are small, as arrays may be
                warnings.simplefilter("ignore")
                configured = self._configured[key] = kernel[grid, block]
        configured(*given)

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        """A copy in host memory."""
        found: np.ndarray[Any, Any] = array.copy_to_host()
        return found

    def copy(self, target: Any, source: Any) -> None:
        """Copy an array into another one of its shape."""
        target.copy_to_device(source)


def _memory(is_simulated: bool) -> Callable[[tuple[int, ...], np.dtype[Any]], Any]:
    from numba import cuda

    if is_simulated or importlib.util.find_spec("cupy") is None:
        empty: Callable[[tuple[int, ...], np.dtype[Any]], Any] = cuda.device_array
        return empty
    import cupy

    # Both libraries work in the default stream, in whose order memory is used again.
    return lambda shape, dtype: cuda.as_cuda_array(cupy.empty(shape, dtype), sync=False)


@functools.cache
def cuda_device() -> CudaDevice:
    """The device of `numba.cuda`, with the kernels that have been compiled."""
    return CudaDevice()


def loaded(text: str) -> dict[str, Any]:
    """The names of a generated module. Its text is shown by tracebacks."""
    file = f"<srcad kernels {abs(hash(text)):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "srcad.cuda.made"}
    exec(compile(text, file, "exec"), names)
    return names
