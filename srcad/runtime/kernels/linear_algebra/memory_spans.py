"""Whether the memory of arrays may overlap, in a few instructions: adjoints are added to in place only where not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable
from numba.np import arrayobj


def may_overlap(a: Any, b: Any) -> bool:
    """Whether the bounds of the memory of two arrays overlap.

    >>> x = np.zeros(4)
    >>> may_overlap(x[1:], x[:2]), may_overlap(x[2:], x[:2])
    (True, False)
    """
    return np.may_share_memory(a, b)


@overload(may_overlap)
def _may_overlap(a, b):
    def impl(a, b):
        a_first, a_end = _span(a)
        b_first, b_end = _span(b)
        return a_first < b_end and b_first < a_end

    return impl


@register_jitable
def _span(a: Any) -> tuple[int, int]:
    """The addresses of the first byte and of that after the last one."""
    first = last = _address(a)
    for k in range(a.ndim):
        reach = (a.shape[k] - 1) * a.strides[k]
        if reach < 0:
            first += reach
        else:
            last += reach
    return first, last + a.itemsize if a.size > 0 else first


@intrinsic
def _address(typing: Any, a: Any) -> Any:
    """The address of an array's first element; unlike `a.ctypes.data` without counting references."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = arrayobj.make_array(signature.args[0])(context, builder, args[0])
        return builder.ptrtoint(array.data, cgutils.intp_t)

    return (types.intp(a), write) if isinstance(a, types.Array) else None
