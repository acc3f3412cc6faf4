"""What kernels are refused for: the message of each, and the way out."""

from __future__ import annotations

from srcad.errors import BadType, MissingRule, NotDifferentiable, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

_NEEDS_CUDA = "needs numba.cuda"

NO_KERNEL = Refusal(
    BadType,
    "Functions that are no kernels",
    "a kernel is needed, not {what}",
    "decorate the function with `@cuda.jit`, without signatures and without `device=True`",
    unshown=_NEEDS_CUDA,
)
FUNCTION_OF_CUDA = Refusal(
    UnsupportedSyntax,
    "Functions of numba.cuda without an adjoint",
    "`cuda.{name}` in a kernel has no adjoint",
    "write the kernel with shared memory, `cuda.syncthreads()` and `cuda.atomic.add`, which have one",
    unshown=_NEEDS_CUDA,
)
UNKNOWN_SHAPE = Refusal(
    UnsupportedSyntax,
    "Arrays of a kernel whose shape is not known",
    "the {what} of `{name}` must be known while the kernel is compiled, and not be zero (dynamic shared memory)",
    "give a literal, or a global constant",
    unshown=_NEEDS_CUDA,
)
USED_RESULT = Refusal(
    UnsupportedSyntax,
    "Results of atomic operations",
    "the result of `cuda.atomic.add` is used: it depends on the order of threads",
    "call it as a statement of its own",
    unshown=_NEEDS_CUDA,
)
KERNEL_RESULT = Refusal(
    UnsupportedSyntax,
    "Kernels that return values",
    "a kernel returns nothing",
    "write the result into an argument",
    unshown=_NEEDS_CUDA,
)
CAPTURED_ARRAY = Refusal(
    UnsupportedSyntax,
    "Arrays that a kernel captures",
    "the kernel reads the array `{name}`, which is not among its arguments",
    "pass the array to the kernel",
    unshown=_NEEDS_CUDA,
)
NO_TYPES = Refusal(
    UnsupportedSyntax,
    "Kernels that Numba cannot type",
    "the kernel has no types for these arguments: {reason}",
    "call the kernel itself with them first, and see what Numba says",
    unshown=_NEEDS_CUDA,
)
OUTSIDE_OF_KERNELS = Refusal(
    UnsupportedSyntax,
    "Statements that the adjoint of a kernel does not know",
    "{what} is not supported in a kernel that is differentiated",
    "write it with elements of arrays, numbers, branches and loops",
    unshown=_NEEDS_CUDA,
)
NOT_ON_DEVICE = Refusal(
    MissingRule,
    "Functions that adjoint kernels cannot call",
    "the adjoint of this kernel would call {function}, which CUDA does not have",
    "write it with functions of `math`",
    unshown=_NEEDS_CUDA,
)
COMPLEX_VALUE = Refusal(
    NotDifferentiable,
    "Complex numbers in kernels",
    "`{name}` is complex: adjoint kernels know float32 and float64 only",
    "keep real and imaginary parts in arrays of their own",
    unshown=_NEEDS_CUDA,
)
RACE = Refusal(
    UnsupportedSyntax,
    "Races between threads",
    "it cannot be shown that two threads never reach the same element of `{array}` here, one of them "
    "to write it{other}",
    "write elements at the thread's own index, or add with `cuda.atomic.add`; if you know that threads never meet in "
    "an element, say so with `srcad.cuda.adjoint(kernel, race_free=True)`",
    unshown=_NEEDS_CUDA,
)
DIVERGENT_BARRIER = Refusal(
    UnsupportedSyntax,
    "Barriers that not all threads of a block reach",
    "`cuda.syncthreads()` under a condition that differs between threads",
    "let all threads reach the barrier, and guard the statements before and after it instead (`if i < n: ...` in place "
    "of `if i >= n: return`)",
    unshown=_NEEDS_CUDA,
)
LOST_ARRAY = Refusal(
    NotDifferentiable,
    "Arrays that a kernel writes and reads, without a cotangent",
    "derivatives pass through `{array}`, which the kernel writes and reads, and which has no cotangent",
    "give an array for its cotangent, filled with zeros if it is no result",
    unshown=_NEEDS_CUDA,
)
