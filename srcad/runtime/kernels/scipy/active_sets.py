"""Which bounds are active at the solution of linear least squares, as SciPy finds it. Not compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import NoSolution

_NEAR = 1e-9


def positive_set(a: Any, b: Any) -> Any:
    """1 for each element of the solution of `nnls` that is positive, 0 for the others.

    >>> positive_set(np.eye(2), np.array([1.0, -1.0]))
    array([1., 0.])
    """
    import scipy.optimize

    x, _ = scipy.optimize.nnls(a, b)
    slopes = a.T @ (a @ x - b)
    _check("nnls", x > 0.0, slopes, a, b)
    return (x > 0.0).astype(float)


def active_bounds(a: Any, b: Any, lows: Any, highs: Any) -> Any:
    """-1 and 1 for each element of the solution of `lsq_linear` that lies on its lower and upper bound, 0 for others.

    >>> active_bounds(np.eye(2), np.array([3.0, 0.5]), np.zeros(2), np.ones(2))
    array([1., 0.])
    """
    import scipy.optimize

    found = scipy.optimize.lsq_linear(a, b, (lows, highs), method="bvls")
    if not found.success:
        raise NoSolution(f"`lsq_linear` found no solution: {found.message}", None, "allow more iterations")
    _check("lsq_linear", found.active_mask == 0, a.T @ (a @ found.x - b), a, b)
    return found.active_mask.astype(float)


def _check(name: str, is_free: Any, slopes: Any, a: Any, b: Any) -> None:
    """Refuse a solution in which a bound is active, but not needed: the slopes to the two sides differ."""
    size = np.linalg.norm(a) * np.linalg.norm(b) + np.finfo(float).tiny
    if np.any(~is_free & (np.abs(slopes) <= _NEAR * size)):
        raise NoSolution(
            f"`{name}` has a solution on a bound that is not needed: the slopes to the two sides differ",
            None,
            "move the bound, or leave it out",
        )


def without_derivative(value: Any, of: Any) -> Any:
    """A value that depends on another in a way that is not differentiated."""
    return value + 0.0
