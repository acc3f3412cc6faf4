"""Convert the result of a compiled function to tensors, and to the form that its node keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.runtime.support.nested_structures import map_leaves
from srcad.runtime.tape.active_recordings import active
from srcad.runtime.tape.recording.dispatch import wrapped
from srcad.runtime.tape.recording.retention import LARGE, shell
from srcad.runtime.tape.values.tensor import Tensor, tensor_of

_float64 = np.float64


def tensors_of(value: Any) -> tuple[Any, Any]:
    """The tensors of a value, and what the node keeps: for large ones only identity, shape and dtype."""
    kind, is_large = type(value), False
    result: Any = None
    if kind is float:
        result = tensor_of(_float64(value))
    elif kind is np.ndarray:
        result = tensor_of(value if value.ndim else value[()])
        is_large = value.size >= LARGE
    elif kind is tuple:
        parts = []
        for each in value:
            kind = type(each)
            if kind is float:
                parts.append(tensor_of(_float64(each)))
            elif kind is np.ndarray:
                parts.append(tensor_of(each if each.ndim else each[()]))
                is_large = is_large or each.size >= LARGE
            else:
                parts.append(as_tensors(each, ()))
                is_large = True
        result = tuple(parts)
    else:
        result, is_large = as_tensors(value, ()), True
    # Only tangents read the values themselves.
    return result, map_leaves(_shell, result) if is_large and not active.accumulations else result


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


def _shell(leaf: Any) -> Any:
    return shell(leaf) if type(leaf) is Tensor and leaf._value.size >= LARGE else leaf
