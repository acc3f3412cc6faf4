"""NumPy functions and arguments that Numba lacks or compiles slowly, taught to it.

Input        types of arguments, when Numba asks.
Output       implementations that Numba compiles.
Invariant    gives what NumPy gives, the type of the result included.
Elsewhere    functions that only derivatives need (`arrays`, `linear_algebra`).
"""

import numba

from srcad.runtime.kernels.linear_algebra import cholesky_reverse
from srcad.runtime.kernels.overloads import (
    axis_functions,
    einsum_loops,
    fourier_transforms,
    integer_functions,
    matrix_stacks,
    mixed_products,
    numpy_joins,
    numpy_shapes,
    reductions,
    vector_products,
)

# Modules that tell Numba more of NumPy, and more of a kernel.
__all__ = [
    "axis_functions",
    "cholesky_reverse",
    "einsum_loops",
    "fourier_transforms",
    "integer_functions",
    "matrix_stacks",
    "mixed_products",
    "numpy_joins",
    "numpy_shapes",
    "reductions",
    "vector_products",
]

if numba.version_info.short < (0, 68):  # for the newest there is nothing in it, and what it imports takes time
    from srcad.runtime.kernels.overloads import older_numba

    __all__ += ["older_numba"]
