"""Fourier transforms of short vectors as matrix products with a table, for the adjoints of such transforms.

NumPy's transforms of a few dozen numbers take five microseconds, of which the transform itself is one; a product with a
table of roots of unity takes one or two. The rounding errors are of the same order. A table has at most 16,640 numbers.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

LONGEST = 128  # the most real numbers; half as many complex ones


def is_short(g: Any, dtype: type) -> bool:
    """Whether there are tables for this: a short vector in double precision."""
    return type(g) is np.ndarray and g.ndim == 1 and 0 < g.nbytes <= 8 * LONGEST and g.dtype == dtype


def _roots(size: int, sign: int) -> Any:
    k = np.arange(size)
    return np.exp(sign * 2j * np.pi * (np.outer(k, k) % size) / size)


@functools.lru_cache(32)
def _of_complex(size: int, sign: int, count: int) -> Any:
    """The table of `real_part` for the first `count` numbers; real and imaginary parts alternate."""
    roots = _roots(size, sign)[:count]
    return np.stack((roots.real, -roots.imag), axis=1).reshape(-1, size).copy()


def real_part(g: Any, size: int, sign: int) -> Any:
    """The real parts of `sum_j g[j] * exp(sign * 2j * pi * j * k / size)` for each k < size.

    >>> np.round(real_part(np.array([1.0, 1j]), 3, 1), 12).tolist()
    [1.0, 0.133974596216, 1.866025403784]
    """
    return np.dot(np.ascontiguousarray(g).view(np.float64), _of_complex(size, sign, g.size))


@functools.lru_cache(32)
def _to_half(size: int) -> Any:
    """The table of `half_of_real`: all coefficients but those at the ends count twice."""
    roots = _roots(size, 1)[:, : size // 2 + 1] * (2.0 / size)
    roots[:, 0] /= 2.0
    if size % 2 == 0:
        roots[:, -1] /= 2.0
    return roots.view(np.float64)


def half_of_real(g: Any) -> Any:
    """The adjoint of `np.fft.irfft`: that of the spectrum, from that of the real numbers.

    >>> np.round(half_of_real(np.array([1.0, 0.0, 0.0])), 6)
    array([0.333333+0.j, 0.666667+0.j])
    """
    return np.dot(g, _to_half(g.size)).view(np.complex128)
