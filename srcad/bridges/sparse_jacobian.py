"""Sparse Jacobians for SciPy's solvers, whose pattern is given as `jac_sparsity`, or found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import BadArgument
from srcad.sparse.compressed_products import Compressed
from srcad.sparse.pattern_search import found_pattern
from srcad.sparse.plans import Plan

FIND = "find"  # instead of a pattern


class SparseJacobian:
    """The Jacobian as a matrix of `scipy.sparse`, from one tangent sweep for each colour of its columns.

    `pattern` is a matrix that is not zero where the Jacobian may not be, a `Plan`, or "find"; `push(x, direction)`
    gives the product of the Jacobian at `x` with a direction of `width` elements. Every call takes one sweep more,
    along a direction of random numbers, which shows entries outside of the pattern: of one that is given, the call then
    raises BadArgument; one that was found is found again.
    """

    def __init__(self, pattern: Any, push: Callable[[Any, Any], Any], width: int) -> None:
        self._push, self._width, self._is_given = push, width, not isinstance(pattern, str)
        self._compressed: Compressed | None = None
        if isinstance(pattern, str) and pattern != FIND:
            raise BadArgument(f"`jac_sparsity` is {pattern!r}", hint=f"give a matrix, a plan, or {FIND!r}")
        if self._is_given:
            self._compressed = Compressed(pattern if isinstance(pattern, Plan) else Plan.of(pattern))
            if self._compressed.plan.way == "rows":
                self._compressed = Compressed(Plan.of(self._compressed.plan.pattern))

    def __call__(self, x: Any) -> Any:
        """The Jacobian at `x`."""
        from scipy.sparse import csr_matrix

        def product(direction: Any) -> Any:
            return self._push(x, direction)

        found = None if self._compressed is None else self._compressed.matrix(product)
        if found is None and not self._is_given:
            pattern = found_pattern(product, self._width, product(np.zeros(self._width)).size)
            plan = Plan.of(pattern) if self._compressed is None else self._compressed.plan.united(pattern)
            self._compressed = Compressed(plan)
            found = self._compressed.matrix(product)
        if found is None:
            raise BadArgument(
                "the Jacobian has entries outside of `jac_sparsity`",
                hint=f"add them to the pattern, leave it out, or let it be found: jac_sparsity={FIND!r}",
            )
        return csr_matrix(found)
