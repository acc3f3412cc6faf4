"""What functions over device arrays are refused for: the message of each, and the way out."""

from __future__ import annotations

from srcad.errors import BadType, MissingRule, NotDifferentiable, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

_NEEDS_CUDA = "needs numba.cuda"

NOT_FOR_ARRAYS = Refusal(
    MissingRule,
    "Functions that device arrays do not have",
    "{function} has no form for arrays in device memory{reason}",
    "write it with elementwise functions, sums, extremes, slices and broadcasting; or copy the arrays to the host and "
    "use srcad.grad",
    unshown=_NEEDS_CUDA,
)
GATHERED = Refusal(
    UnsupportedSyntax,
    "Subscripts of device arrays by arrays",
    "a device array is subscripted by {what}: threads would write, or add to, the same elements in any order",
    "use slices and np.where, or write a kernel and use srcad.cuda.adjoint",
    unshown=_NEEDS_CUDA,
)
ELEMENT_LOOP = Refusal(
    UnsupportedSyntax,
    "Loops over elements of device arrays",
    "more than {count} single elements of device arrays are read or written: such a loop would run on the host",
    "write it as an array statement over a slice, or as a kernel for srcad.cuda.adjoint",
    unshown=_NEEDS_CUDA,
)
HOST_ARRAY_MET = Refusal(
    BadType,
    "Host arrays beside device arrays",
    "an array in host memory, of the shape {shape}, meets one in device memory",
    "pass it to the function as a device array (`cuda.to_device`)",
    unshown=_NEEDS_CUDA,
)
DTYPE = Refusal(
    BadType,
    "Dtypes of device arrays",
    "`{name}` is of dtype {dtype}, which functions over device arrays do not take",
    "pass arrays of float64, float32, int64, int32 or bool; of complex numbers, the real and imaginary parts",
    unshown=_NEEDS_CUDA,
)
HIDDEN_ALIAS = Refusal(
    NotDifferentiable,
    "Writes that may reach a reshaped part of an array",
    "an array is written into while a reshaped part of it is in use, which may or may not be a copy",
    "copy the part: `np.copy(part).reshape(...)`",
    unshown=_NEEDS_CUDA,
)
BROADCAST_WRITE = Refusal(
    UnsupportedSyntax,
    "Writes into broadcast arrays",
    "an array is written into of which several elements are one",
    "copy it first: `np.copy(np.broadcast_to(x, shape))`",
    unshown=_NEEDS_CUDA,
)
CAST_IN_PLACE = Refusal(
    BadType,
    "In-place operations that need another dtype",
    "an in-place operation would store {found} in an array of {dtype}",
    "make the array of the wider dtype",
    unshown=_NEEDS_CUDA,
)
WHOLE_ARRAY_READ = Refusal(
    UnsupportedSyntax,
    "Device arrays as numbers or as host arrays",
    "a device array of the shape {shape} is used as {what} on the host",
    "keep to array statements; decide by one number, as in `if np.max(x) > 1.0`",
    unshown=_NEEDS_CUDA,
)
CAPTURED = Refusal(
    UnsupportedSyntax,
    "Arrays that a function over device arrays captures",
    "the function reads the array `{name}`, which is not among its arguments",
    "pass the array to the function, in device memory",
    unshown=_NEEDS_CUDA,
)
HOST_ARGUMENT = Refusal(
    BadType,
    "Arguments of functions over device arrays",
    "the argument `{name}` is {what}",
    "{way}",
    unshown=_NEEDS_CUDA,
)
UNTYPED = Refusal(
    NotDifferentiable,
    "Functions over device arrays without types",
    "the function has no types for these arguments: {reason}",
    "write it so that Numba can compile it for arrays of these types",
    unshown=_NEEDS_CUDA,
)
SHARED_MEMORY = Refusal(
    BadType,
    "Arguments that share memory, of a function that writes into one",
    "the function writes into an argument, and its arguments share memory",
    "pass a copy of one of them",
    unshown=_NEEDS_CUDA,
)
