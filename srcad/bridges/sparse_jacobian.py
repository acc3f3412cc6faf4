"""Sparse Jacobians for SciPy's solvers, whose pattern is given as `jac_sparsity`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcad.errors import BadArgument
from srcad.sparse.compressed_products import Compressed, Plan


class SparseJacobian:
    """The Jacobian with a given pattern, as a matrix of `scipy.sparse`, from one tangent sweep for each colour.

    `push(x, direction)` gives the product of the Jacobian at `x` with a direction. Every call takes one sweep more,
    along a direction of random numbers, and raises BadArgument if the Jacobian has entries outside of the pattern.
    """

    def __init__(self, pattern: Any, push: Callable[[Any, Any], Any]) -> None:
        self._compressed = Compressed(Plan.of(pattern))
        self._push = push

    def __call__(self, x: Any) -> Any:
        """The Jacobian at `x`."""
        from scipy.sparse import csr_matrix

        found = self._compressed.matrix(lambda direction: self._push(x, direction))
        if found is None:
            raise BadArgument(
                "the Jacobian has entries outside of `jac_sparsity`", hint="add them to the pattern, or leave it out"
            )
        return csr_matrix(found)
