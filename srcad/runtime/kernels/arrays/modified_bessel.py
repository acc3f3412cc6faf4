"""The modified Bessel functions of the first kind of integer order: `np.i0` and its derivatives of all orders.

Up to 30 they are summed by their power series, whose terms have one sign; beyond by the asymptotic expansion, whose
terms have become negligible there before they grow.

Source: M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 9.6.10 and 9.7.1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from srcad.runtime.kernels.arrays.scalar import ufunc


def bessel_i(n: int, x: Any) -> Any:
    """The modified Bessel function of an order >= 0, for numbers and arrays.

    >>> round(float(bessel_i(1, 2.0)), 12), float(bessel_i(0, 0.0))
    (1.590636854637, 1.0)
    """
    with np.errstate(all="ignore"):
        found = ufunc(_bessel_i)(n, x)
    return found.astype(x.dtype) if getattr(x, "dtype", None) == np.float32 else found


def _bessel_i(n, x):
    size = abs(x)
    if size == math.inf:
        value = size
    elif size > 30.0 and n * n < size:
        term = total = 1.0
        for k in range(1, 40):
            term *= -(4.0 * n * n - (2.0 * k - 1.0) ** 2) / (8.0 * k * size)
            total += term
            if abs(term) < 1e-17 * abs(total):
                break
        value = math.exp(0.5 * size) / math.sqrt(2.0 * math.pi * size) * total * math.exp(0.5 * size)
    else:
        term = 1.0
        for k in range(1, n + 1):
            term *= 0.5 * size / k
        total, k, square = term, 0, 0.25 * size * size
        while term > 1e-17 * total:
            k += 1
            term *= square / (k * (k + n))
            total += term
        value = total
    return -value if x < 0.0 and n % 2 == 1 else value


@overload(bessel_i)
def _overload_bessel_i(n, x):
    elementwise, dtype = ufunc(_bessel_i), getattr(x, "dtype", x)
    if isinstance(dtype, types.Complex):
        return None
    if dtype != types.float32:
        return lambda n, x: elementwise(n, x)
    if isinstance(x, types.Array):
        return lambda n, x: elementwise(n, x).astype(np.float32)
    return lambda n, x: np.float32(elementwise(n, x))


@overload(np.i0)
def _overload_i0(x):
    return None if isinstance(getattr(x, "dtype", x), types.Complex) else lambda x: bessel_i(0, x)
