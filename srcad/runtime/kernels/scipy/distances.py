"""The places of pairs in vectors and matrices of distances."""

from __future__ import annotations

import numpy as np

from srcad.runtime.kernels.scipy.elementwise import as_it_stands


@as_it_stands
def first_of_pairs(size):
    """The rows of the elements above the diagonal of a square matrix, in the order of `pdist`.

    >>> first_of_pairs(3), second_of_pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    found = np.empty(size * (size - 1) // 2, np.int64)
    at = 0
    for i in range(size):
        found[at : at + size - 1 - i] = i
        at += size - 1 - i
    return found


@as_it_stands
def second_of_pairs(size):
    """The columns of these elements."""
    found = np.empty(size * (size - 1) // 2, np.int64)
    at = 0
    for i in range(size):
        found[at : at + size - 1 - i] = np.arange(i + 1, size)
        at += size - 1 - i
    return found


@as_it_stands
def places_in_square(count):
    """The square matrix whose elements are places in a vector of distances; those on the diagonal come after the last.

    >>> places_in_square(3)
    array([[3, 0, 1],
           [0, 3, 2],
           [1, 2, 3]])
    """
    size = int(np.ceil(np.sqrt(2.0 * count))) if count else 1
    if size * (size - 1) != 2 * count:
        raise ValueError("incompatible vector size: it must be a binomial coefficient n choose 2")
    found = np.full((size, size), count)
    at = 0
    for i in range(size):
        for j in range(i + 1, size):
            found[i, j] = at
            found[j, i] = at
            at += 1
    return found
