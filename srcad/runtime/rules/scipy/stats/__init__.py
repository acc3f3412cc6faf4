"""The definitions of methods of probability distributions in `scipy.stats`, from a table of formulas.

Input        the names of `runtime.rulebook`, the rules of `scipy.special`.
Output       nothing: definitions are found again by `runtime.rulebook.registry`.
Invariant    a definition gives what SciPy gives, inside and outside of the support.
Elsewhere    frozen distributions, which are taken apart where names are resolved (`frontend`).
"""

from srcad.runtime.rules.scipy.stats import (
    density_estimates,
    discrete_formulas,
    distributions,
    forms,
    formulas,
    further_formulas,
    multivariate,
    sample_statistics,
)

__all__ = [
    "density_estimates",
    "discrete_formulas",
    "distributions",
    "forms",
    "formulas",
    "further_formulas",
    "multivariate",
    "sample_statistics",
]
