"""The derivative rules of `scipy.special`, one table per family. Importing this package registers them, and teaches
Numba these functions.

Input        the names of `runtime.rulebook`, and the kernels of `runtime.kernels.scipy`.
Output       nothing: rules are found again by `runtime.rulebook.registry`.
Invariant    each partial derivative is written once. One that is not known is `refused`, never taken as 0.
Elsewhere    derivatives that need more than a formula (`runtime.kernels.scipy`).
"""

from srcad.runtime.rules.scipy.special import (
    bessel,
    distribution_functions,
    elementary,
    error_functions,
    exponentials,
    gamma_family,
    integrals,
    polynomials,
)

__all__ = [
    "bessel",
    "distribution_functions",
    "elementary",
    "error_functions",
    "exponentials",
    "gamma_family",
    "integrals",
    "polynomials",
]
