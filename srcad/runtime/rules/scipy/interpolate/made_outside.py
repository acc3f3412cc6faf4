"""What stands for interpolants of `scipy.interpolate` that are made outside of the function."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from srcad.runtime.rulebook.stand_ins import stands_for
from srcad.runtime.rules.scipy.interpolate.basis_splines import Spline
from srcad.runtime.rules.scipy.interpolate.fitted_splines import FittedSpline
from srcad.runtime.rules.scipy.interpolate.grids import Grid
from srcad.runtime.rules.scipy.interpolate.piecewise import Polynomials, Steps


def _numbers(value: Any) -> Any:
    """An array of floating numbers, in order."""
    return np.ascontiguousarray(value, complex if np.iscomplexobj(value) else float)


def _beyond(made: Any) -> int:
    return 2 if made.extrapolate == "periodic" else int(bool(made.extrapolate))


for _kind in (interpolate.CubicSpline, interpolate.PchipInterpolator, interpolate.Akima1DInterpolator):
    stands_for(
        _kind,
        Polynomials,
        c=lambda made: _numbers(made.c),
        x=lambda made: _numbers(made.x),
        axis=lambda made: int(made.axis),
        extrapolate=_beyond,
    )

stands_for(
    interpolate.BSpline,
    Spline,
    t=lambda made: _numbers(made.t),
    c=lambda made: _numbers(made.c[: len(made.t) - made.k - 1]),
    k=lambda made: int(made.k),
    extrapolate=lambda made: made.extrapolate if made.extrapolate == "periodic" else bool(made.extrapolate),
    axis=lambda made: int(made.axis),
)

stands_for(
    interpolate.UnivariateSpline,
    FittedSpline,
    t=lambda made: _numbers(made._eval_args[0]),
    c=lambda made: _numbers(made._eval_args[1][: len(made._eval_args[0]) - made._eval_args[2] - 1]),
    k=lambda made: int(made._eval_args[2]),
    ext=lambda made: int(made.ext),
)


def _filled(made: Any) -> Any:
    """What is beyond the points: a text, a number or array, or two of these."""
    value = made.fill_value
    if isinstance(value, (str, tuple)):
        return value
    if np.ndim(value) == 0:
        return np.nan if np.isnan(value) else float(value)  # one object, which equals itself
    return np.asarray(value, float)


_NAMES = {"slinear": "linear", "zero": "previous"}

stands_for(
    interpolate.interp1d,
    Steps,
    x=lambda made: _numbers(made.x),
    y=lambda made: _numbers(np.moveaxis(made.y, made.axis, 0)),
    axis=lambda made: int(made.axis),
    kind=lambda made: "spline" if hasattr(made, "_spline") else _NAMES.get(made._kind, made._kind),
    fill_value=_filled,
    bounds_error=lambda made: bool(made.bounds_error),
    spline=lambda made: _in_columns(made) if hasattr(made, "_spline") else None,
)


def _in_columns(made: Any) -> Any:
    """The spline that interp1d has, with the axes of the values."""
    found = made._spline
    rest = np.moveaxis(made.y, made.axis, 0).shape[1:]
    return interpolate.BSpline(found.t, np.reshape(found.c, (-1, *rest)), found.k)


stands_for(
    interpolate.RegularGridInterpolator,
    Grid,
    grid=lambda made: tuple(_numbers(each) for each in made.grid),
    values=lambda made: _numbers(made.values),
    method=lambda made: made.method,
    bounds_error=lambda made: bool(made.bounds_error),
    fill_value=lambda made: None if made.fill_value is None else float(made.fill_value),
)
