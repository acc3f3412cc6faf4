"""The form of formulas of probability distributions, by which `distributions` defines the methods of `scipy.stats`.

A formula is an expression in `z`, the standardised argument (x - loc) / scale, or `k`, the count less `loc`; in `q`, a
probability; and in the shapes, by SciPy's names. What is not stated follows: `pdf` is the exponential of `logpdf`, `sf`
is 1 - `cdf`, `logcdf` and `logsf` are logarithms of the smaller of the two, or of 1 less that.
"""

from __future__ import annotations

from dataclasses import dataclass

HALF_LOG_2PI = "0.9189385332046727"


@dataclass(frozen=True)
class Continuous:
    """The formulas of a continuous distribution.

    log_density, cdf, sf, logcdf, logsf      expressions in `z` and the shapes
    ppf, isf                                 expressions in `q` and the shapes
    lowest, highest                          the ends of the support, for loc 0 and scale 1
    inside                                   a point of the support
    valid                                    tests of the shapes; None: all are positive
    is_open, is_open_above                   whether the lowest and the highest end are outside of the support
    """

    log_density: str
    cdf: str = ""
    sf: str = ""
    logcdf: str = ""
    logsf: str = ""
    ppf: str = ""
    isf: str = ""
    lowest: str = "-np.inf"
    highest: str = "np.inf"
    inside: str = "0.5"
    is_open: bool = False
    is_open_above: bool = False
    valid: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Discrete:
    """The formulas of a discrete distribution, in the count `k` and the shapes; `floor` is that of the count.

    inside      a count of the support
    counts      shapes that are counts, by which there is no derivative
    """

    log_mass: str
    valid: tuple[str, ...]
    cdf: str = ""
    sf: str = ""
    lowest: str = "0"
    highest: str = "np.inf"
    inside: str = ""
    counts: tuple[str, ...] = ()
