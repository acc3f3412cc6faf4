"""The loops of `srcad.sparse.sparse_loops` compiled, with machine code in the cache folder as generated code has it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from srcad.runtime.jit import disk_cache
from srcad.runtime.jit.disk_cache import Stored
from srcad.runtime.jit.dispatchers import compiled, load
from srcad.sparse import sparse_loops


def compiled_loop(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `sparse_loops`, compiled.

    >>> import numpy as np
    >>> compiled_loop(sparse_loops.least_period)(np.array([0, 2]), np.array([0, 2]), 3, 2, 4)
    3
    """
    return _loops()[function.__name__]


@functools.cache
def _loops() -> dict[str, Callable[..., Any]]:
    text = inspect.getsource(sparse_loops)
    names = tuple(name for name, value in vars(sparse_loops).items() if isinstance(value, FunctionType))
    name, stored = disk_cache.key("sparse_loops", text), Stored(text, names)
    if disk_cache.fetch(name) is None:
        disk_cache.store(name, stored)
    made = compiled(load(name, stored, {}), names, {"error_model": "numpy"})
    return dict(zip(names, made, strict=True))
