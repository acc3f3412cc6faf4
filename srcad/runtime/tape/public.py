"""All that users see of the tape.

Its import binds the operators of tensors, turns on the accelerator, and has operations checked in debug mode.
"""

from srcad.runtime.tape.accelerator import switch  # noqa: F401 - imports `dispatch`, which computes operations
from srcad.runtime.tape.checked_recording import checked_recording  # noqa: F401 - checks in debug mode
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.custom_gradient import custom_gradient, recompute_grad
from srcad.runtime.tape.forward_accumulator import ForwardAccumulator
from srcad.runtime.tape.gradient_tape import GradientTape, UnconnectedGradients
from srcad.runtime.tape.values.conversions import constant, convert_to_tensor, is_tensor, set_default_dtype
from srcad.runtime.tape.values.indexed_slices import IndexedSlices

__all__ = [
    "ForwardAccumulator",
    "GradientTape",
    "IndexedSlices",
    "Tensor",
    "UnconnectedGradients",
    "Variable",
    "constant",
    "convert_to_tensor",
    "custom_gradient",
    "is_tensor",
    "recompute_grad",
    "set_default_dtype",
]
