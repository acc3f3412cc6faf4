"""Extremes of whole arrays as calls of kernels that give the same, and are compiled in a fraction of the time.

    top = np.max(row)           becomes     top = kernels.largest(row)
    low = np.min(x) - y                     low = kernels.smallest(x) - y

Only arrays that are known to be of real numbers; complex ones have an order that is NumPy's own.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast
from numba import types as nb

from srcad.runtime.clock import stage
from srcad.transforms.build import Block, dotted, dotted_path, walk, walk_statements

_KERNELS = {
    "np.max": "kernels.largest",
    "np.amax": "kernels.largest",
    "np.min": "kernels.smallest",
    "np.amin": "kernels.smallest",
}


@stage("extremes")
def with_quick_extremes(body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> Block:
    """The statements, with such calls of arrays that are known to be of real numbers."""
    for statement in walk_statements(body):
        for node in walk(statement):
            match node:
                case gast.Call(func=function, args=[gast.Name(id=name)], keywords=[]) if _is_real(kinds.get(name)):
                    node.func = (
                        dotted(_KERNELS[path]) if (path := dotted_path(function) or "") in _KERNELS else function
                    )
    return body


def _is_real(kind: nb.Type | None) -> bool:
    return isinstance(kind, nb.Array) and kind.ndim > 0 and isinstance(kind.dtype, (nb.Float, nb.Integer))
