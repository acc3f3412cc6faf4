"""Calls of NumPy's functions as calls of kernels that give the same, and are compiled in a fraction of the time.

    top = np.max(row)           becomes     top = kernels.largest(row)
    m = np.outer(x, y)                      m = kernels.outer(x, y)

Which kernel is noted here (`.kernel`, on the call), and written by `promises`, after all that knows NumPy itself.
Only of arrays that are known to be what the kernels take: of real numbers for extremes, as complex ones have an order
that is NumPy's own, and vectors for products.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast
from numba import types as nb

from srcad.runtime.clock import stage
from srcad.transforms.build import Block, dotted_path, walk, walk_statements

_EXTREMES = {
    "np.max": "largest",
    "np.amax": "largest",
    "np.min": "smallest",
    "np.amin": "smallest",
}


@stage("quick")
def with_quick_calls(body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> Block:
    """The statements, with such calls noted: of names whose types are known."""
    for statement in walk_statements(body):
        for node in walk(statement):
            if isinstance(node, gast.Call) and not node.keywords:
                of = [kinds.get(each.id) if isinstance(each, gast.Name) else None for each in node.args]
                node.kernel = _kernel(dotted_path(node.func) or "", of)
                statement.is_quick = getattr(statement, "is_quick", False) or node.kernel is not None
    return body


def _kernel(path: str, of: list[nb.Type | None]) -> str | None:
    """The kernel for a function and the types of its arguments."""
    if path in _EXTREMES and len(of) == 1 and _is_array(of[0], (nb.Float, nb.Integer)):
        return _EXTREMES[path]
    vectors = all(_is_array(each, (nb.Float, nb.Complex)) and getattr(each, "ndim", 0) == 1 for each in of)
    return "outer" if path == "np.outer" and len(of) == 2 and vectors else None


def _is_array(kind: nb.Type | None, of: tuple[type[nb.Type], ...]) -> bool:
    return isinstance(kind, nb.Array) and kind.ndim > 0 and isinstance(kind.dtype, of)
