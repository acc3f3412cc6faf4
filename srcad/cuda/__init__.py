"""Derivatives on a GPU: of kernels, `srcad.cuda.adjoint`, and of functions over device arrays, `srcad.cuda.grad`.

Input        a kernel that `numba.cuda.jit` has made, or a function in NumPy; at each call, device arrays and numbers.
Output       an adjoint kernel, launched with the same grid, that adds to cotangents in device memory; or a gradient
in
             device memory.
Invariant    a kernel whose threads may meet in an element is refused, unless they only add to it; so is what has no
form
             in kernels.
Elsewhere    the front end and inference read a thread's code (`srcad.frontend`, `srcad.transforms`); rules give the
slopes. Functions over device arrays are in `srcad.cuda.functions`.
"""

from srcad.cuda.adjoint_kernel import AdjointKernel, adjoint
from srcad.cuda.functions.device_function import DeviceFunction, function, grad, value_and_grad

__all__ = ["AdjointKernel", "DeviceFunction", "adjoint", "function", "grad", "value_and_grad"]
