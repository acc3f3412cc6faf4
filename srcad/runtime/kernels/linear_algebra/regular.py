"""Jacobians of equations that a solution satisfies: there is a derivative only where they are not singular."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from srcad.errors import NoSolution, Place

# Beyond this condition number no digit of a derivative is right.
_WORST = 1e15


def regular(slope: Any, where: str) -> Any:
    """A copy of the matrix, or the number. Raises NoSolution if it is singular to working precision.

    >>> regular(np.eye(2), ""), regular(2.0, "")
    (array([[1., 0.],
           [0., 1.]]), 2.0)
    """
    if np.ndim(slope) == 0:
        if slope == 0.0 or not np.isfinite(slope):
            raise Singular(where)
        return slope
    if _is_singular(slope):
        raise Singular(where)
    return np.copy(slope)


@register_jitable
def _is_singular(a):
    """Whether a matrix, whose rows are scaled first, has no inverse to working precision."""
    n = a.shape[0]
    if n == 0:
        return False
    scaled = np.empty((n, n))
    for i in range(n):
        largest = np.max(np.abs(a[i]))
        if largest == 0.0 or not np.isfinite(largest):
            return True
        scaled[i] = a[i] / largest
    pivots = np.abs(np.diag(np.linalg.qr(scaled)[1]))
    if np.min(pivots) == 0.0:
        return True
    inverse = np.linalg.inv(scaled)
    size = np.max(np.sum(np.abs(scaled), axis=1)) * np.max(np.sum(np.abs(inverse), axis=1))
    return not size < _WORST


class Singular(NoSolution):
    """Makes the error for a singular Jacobian; compiled code can raise it with a text as its argument.

    The text is a name, and the place of the call: file, line, columns, and the line itself, separated by tabs.
    """

    def __new__(cls, where: str) -> Any:
        """The error, a NoSolution."""
        name, _, rest = where.partition("\t")
        found = rest.split("\t", 4)
        place = None
        if len(found) == 5:
            place = Place(found[0], int(found[1]), int(found[2]), int(found[3]), found[4])
        return NoSolution(
            f"the Jacobian of the equation that the result of `{name}` satisfies is singular there, "
            "so that the result has no derivative",
            place,
            "solve an equation whose solution is isolated, or keep away from points where two solutions meet",
        )


def told(name: str, place: Place | None) -> str:
    """The text that `Singular` reads."""
    if place is None:
        return name
    return "\t".join([name, place.file, str(place.line), str(place.column), str(place.end_column), place.text])


@overload(regular)
def _overload_regular(slope, where):
    if isinstance(slope, types.Array):

        def of_matrix(slope, where):
            if _is_singular(slope):
                raise Singular(where)
            return slope.copy()

        return of_matrix

    def of_number(slope, where):
        if slope == 0.0 or not np.isfinite(slope):
            raise Singular(where)
        return slope

    return of_number
