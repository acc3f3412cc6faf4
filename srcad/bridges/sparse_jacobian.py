"""Sparse Jacobians from few sweeps: columns without a common row share one tangent (Curtis, Powell and Reid, 1974)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import BadArgument

_TOLERANCE = 1e-7  # of the test that the pattern is complete, relative to the size of what is compared


class SparseJacobian:
    """The Jacobian with a given pattern, as a matrix of `scipy.sparse`, from one tangent sweep for each group.

    `push(x, direction)` gives the product of the Jacobian at `x` with a direction. Every call takes one sweep more,
    along a direction of random numbers, and raises BadArgument if the Jacobian has entries outside of the pattern.
    """

    def __init__(self, pattern: Any, push: Callable[[Any, Any], Any]) -> None:
        from scipy.sparse import csc_matrix

        self._pattern = csc_matrix(pattern)
        self._pattern.sort_indices()
        self._groups = grouped_columns(self._pattern)
        self._push = push
        self._direction = np.random.default_rng(0).uniform(0.5, 1.5, self._pattern.shape[1])

    def __call__(self, x: Any) -> Any:
        """The Jacobian at `x`."""
        found = self._pattern.astype(np.float64)
        rows, starts = self._pattern.indices, self._pattern.indptr
        columns = np.repeat(np.arange(found.shape[1]), np.diff(starts))
        for group in range(self._groups.max(initial=-1) + 1):
            chosen = self._groups == group
            product = self._push(x, chosen.astype(np.float64))
            entries = chosen[columns]
            found.data[entries] = product[rows[entries]]
        expected, got = self._push(x, self._direction), found @ self._direction
        scale = np.max(np.abs(expected), initial=0.0) + np.max(np.abs(got), initial=0.0)
        if not np.allclose(expected, got, rtol=0.0, atol=_TOLERANCE * scale, equal_nan=True):
            raise BadArgument(
                "the Jacobian has entries outside of `jac_sparsity`", hint="add them to the pattern, or leave it out"
            )
        return found.tocsr()


def grouped_columns(pattern: Any) -> Any:
    """A group for each column of a sparse matrix; no two columns of one group have an entry in the same row.

    >>> from scipy.sparse import csc_matrix
    >>> grouped_columns(csc_matrix(np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]])))
    array([0, 1, 0])
    """
    taken: list[set[int]] = []  # of each group, the rows in which it has an entry
    groups = np.zeros(pattern.shape[1], int)
    for column in range(pattern.shape[1]):
        rows = set(pattern.indices[pattern.indptr[column] : pattern.indptr[column + 1]].tolist())
        place = next((k for k, each in enumerate(taken) if each.isdisjoint(rows)), len(taken))
        if place == len(taken):
            taken.append(set())
        taken[place] |= rows
        groups[column] = place
    return groups
