"""The derivative rules of `scipy.linalg`: most are definitions in terms of NumPy's functions.

Input        the names of `runtime.rulebook`, and the kernels of `runtime.kernels.scipy`.
Output       nothing: rules are found again by `runtime.rulebook.registry`.
Invariant    what a definition does not cover raises NotImplementedError, with the reason.
Elsewhere    NumPy's linear algebra (`runtime.rules.linalg`, `runtime.rules.decompositions`).
"""

from srcad.runtime.rules.scipy.linalg import factors, special_matrices, symmetric, systems

__all__ = ["factors", "special_matrices", "symmetric", "systems"]
