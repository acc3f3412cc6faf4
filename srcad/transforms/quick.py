"""Calls of NumPy's functions as calls of kernels that give the same, and are compiled in a fraction of the time.

    top = np.max(row)           becomes     top = kernels.largest(row)
    m = np.outer(x, y)                      m = kernels.outer(x, y)

Only of arrays that are known to be what the kernels take: of real numbers for extremes, as complex ones have an order
that is NumPy's own, and vectors for products.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast
from numba import types as nb

from srcad.runtime.clock import stage
from srcad.transforms.build import Block, dotted, dotted_path, walk, walk_statements

_EXTREMES = {
    "np.max": "kernels.largest",
    "np.amax": "kernels.largest",
    "np.min": "kernels.smallest",
    "np.amin": "kernels.smallest",
}


@stage("quick")
def with_quick_calls(body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> Block:
    """The statements, with such calls of names whose types are known."""
    for statement in walk_statements(body):
        for node in walk(statement):
            if isinstance(node, gast.Call) and not node.keywords:
                of = [kinds.get(each.id) if isinstance(each, gast.Name) else None for each in node.args]
                kernel = _kernel(dotted_path(node.func) or "", of)
                node.func = node.func if kernel is None else dotted(kernel)
    return body


def _kernel(path: str, of: list[nb.Type | None]) -> str | None:
    """The kernel for a function and the types of its arguments."""
    if path in _EXTREMES and len(of) == 1 and _is_array(of[0], (nb.Float, nb.Integer)):
        return _EXTREMES[path]
    vectors = all(_is_array(each, (nb.Float, nb.Complex)) and getattr(each, "ndim", 0) == 1 for each in of)
    return "kernels.outer" if path == "np.outer" and len(of) == 2 and vectors else None


def _is_array(kind: nb.Type | None, of: tuple[type[nb.Type], ...]) -> bool:
    return isinstance(kind, nb.Array) and kind.ndim > 0 and isinstance(kind.dtype, of)
