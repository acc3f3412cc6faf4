"""Stand-ins: classes of ours for objects of libraries that are made outside of the function that is differentiated.

    spline = CubicSpline(t, y)                  stands_for(CubicSpline, Polynomials, c=..., x=..., ...)

    def f(x):
        return spline(x)            becomes     return Polynomials(c, x, axis, extrapolate)(x)

Each attribute of the stand-in is read from the object at each call, so that a change of its arrays counts.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from srcad.runtime.support.labelled_kinds import module_of

_HOMES = {  # package of the library -> module that states what stands for its classes
    "scipy.interpolate": "srcad.runtime.rules.scipy.interpolate.made_outside",
    "scipy.sparse": "srcad.runtime.rules.scipy.sparse",
    "scipy.stats": "srcad.runtime.rules.scipy.stats.density_estimates",
}
_stand_ins: dict[type, StandIn] = {}


@dataclass(frozen=True, eq=False)
class StandIn:
    """A class of ours, and how each of its attributes is read from an object."""

    kind: type
    parts: Mapping[str, Callable[[Any], Any]]


def stands_for(theirs: type, ours: type, **parts: Callable[[Any], Any]) -> None:
    """State what stands for objects of a class and of those derived from it."""
    _stand_ins[theirs] = StandIn(ours, parts)


def stand_in_for(value: Any) -> StandIn | None:
    """What stands for an object, if it is of a class that has a stand-in.

    >>> import numpy as np
    >>> from scipy.interpolate import CubicSpline
    >>> stand_in_for(CubicSpline([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])).kind.__name__
    'Polynomials'
    >>> stand_in_for(np.ones(3)) is None
    True
    """
    kind = type(value)
    package = ".".join(module_of(kind).split(".")[:2])
    home = _HOMES.get(package)
    if home is None or isinstance(value, type):
        return None
    if home not in sys.modules:
        importlib.import_module(home)
    return next((_stand_ins[each] for each in kind.__mro__ if each in _stand_ins), None)
