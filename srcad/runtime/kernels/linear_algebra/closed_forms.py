"""Inverses of matrices of 2 and 3 rows by their cofactors, where that is as accurate as elimination.

    inv(A)[i, j] = cofactors[j, i] / det A

Errors of a determinant by products are those of its largest product, so it may not be much smaller than the sum of
their sizes; solutions by the inverse lose as many digits as the condition number has, which therefore is small here
(Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, sections 1.10.1 and 14.1).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.extending import register_jitable

from srcad.runtime.kernels.arrays.array_add_and_copy import WITHOUT_REFERENCES

INVERSE = -2  # in the place of the first exchange: there was no elimination
_CANCELLATION = 16.0  # sum of the sizes of the products, over the determinant
_CONDITION = 4096.0  # the square of the condition number in the Frobenius norm


@register_jitable(**WITHOUT_REFERENCES)
def store_closed_form(factors: Any, a: Any) -> bool:
    """Store the inverse of a matrix of real numbers with 2 or 3 rows, and then a row with a mark and its determinant.

    False, and nothing that is to be used, for other matrices, and where elimination would be more accurate.

    >>> import numpy as np
    >>> factors = np.zeros((3, 2))
    >>> store_closed_form(factors, np.array([[2.0, 1.0], [0.0, 4.0]])), factors.tolist()
    (True, [[0.5, -0.125], [-0.0, 0.25], [-2.0, 8.0]])
    >>> store_closed_form(factors, np.array([[1.0, 1.0], [1.0, 1.001]]))
    False
    """
    if a.shape[0] == 2:
        return bool(_of_two_rows(factors, a))
    if a.shape[0] == 3:
        return bool(_of_three_rows(factors, a))
    return False


@cache
def closed_form(n: int) -> Any:
    """The same for matrices of n rows, 2 or 3, as instructions where it is called.

    >>> import numpy as np
    >>> factors = np.zeros((3, 2))
    >>> closed_form(2)(factors, np.array([[2.0, 1.0], [0.0, 4.0]])), factors.tolist()
    (True, [[0.5, -0.125], [-0.0, 0.25], [-2.0, 8.0]])
    """

    @register_jitable(forceinline=True, **WITHOUT_REFERENCES)
    def store(factors, a):
        whole = products = square = square_of_cofactors = abs(a[0, 0]) * 0
        if n == 2:
            p, q = a[0, 0] * a[1, 1], a[0, 1] * a[1, 0]
            whole, products = p - q, abs(p) + abs(q)
            factors[0, 0], factors[0, 1], factors[1, 0], factors[1, 1] = a[1, 1], -a[0, 1], -a[1, 0], a[0, 0]
        else:
            for i in range(3):
                one, two = i + 1 if i < 2 else 0, i - 1 if i > 0 else 2
                for j in range(3):
                    left, right = j + 1 if j < 2 else 0, j - 1 if j > 0 else 2
                    p, q = a[one, left] * a[two, right], a[one, right] * a[two, left]
                    factors[j, i] = p - q
                    if i == 0:
                        whole, products = whole + a[0, j] * (p - q), products + abs(a[0, j]) * (abs(p) + abs(q))
        for i in range(n):
            for j in range(n):
                square += a[i, j] * a[i, j]
                square_of_cofactors += factors[i, j] * factors[i, j]
        if not (abs(whole) * _CANCELLATION > products and square * square_of_cofactors < _CONDITION * whole * whole):
            return False
        for i in range(n):
            for j in range(n):
                factors[i, j] *= 1 / whole
        factors[n, n - 1], factors[n, 0], factors[n, 1] = 0, INVERSE, whole
        return True

    return store


_of_two_rows, _of_three_rows = closed_form(2), closed_form(3)


@register_jitable(**WITHOUT_REFERENCES)
def multiply_by_inverse(inverse: Any, x: Any, is_turned: bool) -> None:
    """Replace columns by the product of an inverse in the first 2 or 3 rows of an array, or its transpose, and them.

    >>> import numpy as np
    >>> x = np.array([[1.0], [2.0]])
    >>> multiply_by_inverse(np.array([[2.0, 0.0], [1.0, 1.0]]), x, True)
    >>> x.tolist()
    [[4.0], [2.0]]
    """
    n, last = inverse.shape[1], inverse.shape[1] - 1
    for c in range(x.shape[1]):
        p, q, r = x[0, c], x[1, c], x[last, c]
        for i in range(n):
            total = (inverse[0, i] * p + inverse[1, i] * q) if is_turned else (inverse[i, 0] * p + inverse[i, 1] * q)
            if last == 2:
                total += (inverse[last, i] if is_turned else inverse[i, last]) * r
            x[i, c] = total
