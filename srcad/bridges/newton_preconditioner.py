"""Newton's method with a sparse Jacobian, as a preconditioner of the Krylov method of `scipy.optimize.root`.

The Krylov method solves a linear system for each step, with products from differences of the function. With the factors
of the exact Jacobian as its preconditioner, one or two products are enough, and the steps are Newton's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import LinearOperator, splu


class NewtonPreconditioner(LinearOperator):
    """The inverse of a sparse Jacobian, which is computed and factored anew at each iterate.

    Where the Jacobian is singular, the last factors are kept; before there are any, it is the identity.

    >>> inverse = NewtonPreconditioner(lambda x: csc_matrix(np.diag(2.0 * x)), 2)
    >>> inverse.update(np.array([1.0, 2.0]), None)
    >>> inverse @ np.array([2.0, 4.0])
    array([1., 1.])
    """

    def __init__(self, jacobian: Callable[[Any], Any], size: int) -> None:
        super().__init__(np.dtype(float), (size, size))
        self._jacobian = jacobian
        self._factors: Any = None

    def setup(self, x: Any, _: Any, __: Any) -> None:
        """What SciPy calls with the first iterate, its residuals and the function."""
        self.update(x, None)

    def update(self, x: Any, _: Any) -> None:
        """What SciPy calls with each iterate and its residuals."""
        try:
            self._factors = splu(csc_matrix(self._jacobian(np.array(x, float))))
        except RuntimeError:  # singular
            return

    def _matvec(self, vector: Any) -> Any:
        return vector if self._factors is None else self._factors.solve(np.ravel(vector))
