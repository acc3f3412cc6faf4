"""Lanes: numbers and arrays that carry a few directions at once, for tangents and adjoints in vector mode.

Input        arrays with one more axis, the last, of `WIDTH` elements, one for each direction.
Output       the same, after a sweep that has computed with all directions together.
Invariant    each lane has what a sweep along its direction alone has, operation by operation.
Elsewhere    which names of a sweep become lanes is found out by `srcad.transforms.sweeps.vector_mode`.
"""

from srcad.runtime.kernels.directions.lane_arrays import (
    any_nonzero,
    apart,
    copied,
    empty,
    layer,
    of_rows,
    pick,
    put,
    rows_of,
    spread,
    strong_product,
    strong_quotient,
    together,
    transposed,
    with_lane,
    zeros,
)
from srcad.runtime.kernels.directions.lane_numbers import WIDTH

__all__ = [
    "WIDTH",
    "any_nonzero",
    "apart",
    "copied",
    "empty",
    "layer",
    "of_rows",
    "pick",
    "put",
    "rows_of",
    "spread",
    "strong_product",
    "strong_quotient",
    "together",
    "transposed",
    "with_lane",
    "zeros",
]
