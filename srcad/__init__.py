"""Differentiates numerical Python by rewriting its source: gradients that can be read, compiled by Numba.

`grad` and its relatives take functions, `GradientTape` records a block, `source` shows what is generated.
"""

from srcad.api import function, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from srcad.check import check_grads
from srcad.runtime.custom import custom_gradient, recompute_grad
from srcad.runtime.forward import ForwardAccumulator
from srcad.runtime.slices import IndexedSlices
from srcad.runtime.stop import stop_gradient
from srcad.runtime.tape import GradientTape, UnconnectedGradients
from srcad.runtime.tensor import Tensor, constant, convert_to_tensor, is_tensor, set_default_dtype
from srcad.runtime.variable import Variable
from srcad.show import source

__all__ = [
    "ForwardAccumulator",
    "GradientTape",
    "IndexedSlices",
    "Tensor",
    "UnconnectedGradients",
    "Variable",
    "check_grads",
    "constant",
    "convert_to_tensor",
    "custom_gradient",
    "function",
    "grad",
    "hessian",
    "hvp",
    "is_tensor",
    "jacobian",
    "jvp",
    "recompute_grad",
    "set_default_dtype",
    "source",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
