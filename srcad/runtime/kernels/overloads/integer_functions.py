"""Functions of `math` from integers to integers, which Numba lacks: factorials and binomial coefficients.

Compiled integers have 64 bits. Beyond, `LeavesIntegers` is raised, upon which derivatives begin again uncompiled.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types
from numba.extending import overload

from srcad.runtime.support.assumption_errors import LeavesIntegers

_LAST = 20  # the last integer whose factorial has 64 bits
_MOST = 2**63 - 1


@overload(math.factorial)
def _factorial(n: Any) -> Any:
    if not isinstance(n, types.Integer):
        return None

    def factorial(n: Any) -> Any:
        if n < 0:
            raise ValueError("factorial() not defined for negative values")
        if n > _LAST:
            raise LeavesIntegers("the factorial is beyond the 64 bits of compiled integers")
        product = 1
        for k in range(2, n + 1):
            product *= k
        return product

    return factorial


@overload(math.perm)
def _perm(n: Any, k: Any) -> Any:
    if not isinstance(n, types.Integer) or not isinstance(k, types.Integer):
        return None

    def perm(n: Any, k: Any) -> Any:
        if n < 0 or k < 0:
            raise ValueError("perm() of negative values")
        product = 1 if k <= n else 0
        for j in range(min(k, n)):
            if product > _MOST // (n - j):
                raise LeavesIntegers("the number of permutations is beyond the 64 bits of compiled integers")
            product *= n - j
        return product

    return perm


@overload(math.comb)
def _comb(n: Any, k: Any) -> Any:
    if not isinstance(n, types.Integer) or not isinstance(k, types.Integer):
        return None

    def comb(n: Any, k: Any) -> Any:
        if n < 0 or k < 0:
            raise ValueError("comb() of negative values")
        count = 1 if k <= n else 0
        for j in range(min(k, n - k)):
            if count > _MOST // (n - j):
                raise LeavesIntegers("the binomial coefficient is beyond the 64 bits of compiled integers")
            count = count * (n - j) // (j + 1)
        return count

    return comb
