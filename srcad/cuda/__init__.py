"""Adjoints of CUDA kernels: `srcad.cuda.adjoint`.

Input        a kernel that `numba.cuda.jit` has made; at each launch, device arrays and numbers.
Output       an adjoint kernel, launched with the same grid, that adds to cotangents in device memory.
Invariant    a kernel whose threads may meet in an element is refused, unless they only add to it.
Elsewhere    the front end and inference read a thread's code (`srcad.frontend`, `srcad.transforms`); rules give the
slopes.
"""

from srcad.cuda.adjoint_kernel import AdjointKernel, adjoint

__all__ = ["AdjointKernel", "adjoint"]
