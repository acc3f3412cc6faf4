"""Chunk tasks: value and gradient of one chunk, in the process that happens to compute it.

A process makes the gradient of a function once: later tasks find it by what the function was pickled to. Compiled code
is shared through srcad's cache folder, where processes have the same one.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import Any

from srcad.api.argument_binding import with_batch
from srcad.api.grad_vjp_jvp import value_and_grad
from srcad.distributed.shipped_function import checked

MOST_GRADIENTS = 32


class ChunkTask:
    """A function of parameters and a chunk: a pair of value and gradient. It can be pickled.

    A chunk is the last argument, or a tuple of the last arguments; or a function without arguments that loads one.

    >>> import numpy as np
    >>> from srcad.distributed.sample_functions import squared_error
    >>> value, gradient = ChunkTask(squared_error, 0, False)((1.5,), (np.array([1.0, 2.0]), np.array([2.0, 3.0])))
    >>> float(value), float(gradient)
    (0.25, -1.0)
    """

    def __init__(self, function: Callable[..., Any], wrt: int | str, jit: bool) -> None:
        self.content, self.wrt, self.jit = pickle.dumps(checked(function)), wrt, jit

    def __call__(self, parameters: tuple[Any, ...], chunk: Any) -> tuple[Any, Any]:
        """The value and the gradient."""
        chunk = chunk() if callable(chunk) else chunk
        gradient = gradient_of(self.content, self.wrt, self.jit)
        found: tuple[Any, Any] = gradient(*with_batch(gradient.function, parameters, chunk))
        return found


@functools.lru_cache(MOST_GRADIENTS)
def gradient_of(content: bytes, wrt: int | str, jit: bool) -> Any:
    """The gradient of a pickled function, made once in each process."""
    return value_and_grad(pickle.loads(content).function, wrt, jit=jit)
