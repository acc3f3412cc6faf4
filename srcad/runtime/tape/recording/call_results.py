"""Convert the result of a compiled function to tensors, and to the form that its node keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.runtime.support.nested_structures import map_leaves
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.tensor import tensor_of
from srcad.runtime.tape.recording.dispatch import wrapped
from srcad.runtime.tape.recording.retention import shell

_float64 = np.float64


def tensors_of(value: Any) -> tuple[Any, Any]:
    """The tensors of a value, and what the node keeps: for large ones only identity, shape and dtype."""
    result = as_tensors(value, ())
    # Only tangents read the values themselves.
    return result, result if active.accumulations or type(value) is float else map_leaves(shell, result)


def as_tensors(value: Any, inputs: Any) -> Any:
    """The result of a compiled function, including Python numbers, as tensors.

    >>> as_tensors((1.0,), ())
    (<srcad.Tensor: shape=(), dtype=float64, numpy=1.0>,)
    """
    if type(value) is float:
        return tensor_of(_float64(value))
    if type(value) is tuple:
        return tuple([as_tensors(each, inputs) for each in value])
    if type(value) is np.ndarray and not inputs:
        return tensor_of(value if value.ndim else value[()])
    if isinstance(value, (float, complex, int)):
        return tensor_of(np.asarray(value)[()])
    if isinstance(value, (list, tuple, dict)):
        return map_leaves(lambda leaf: as_tensors(leaf, inputs), value)
    return wrapped(value, inputs)
