"""The derivative rules, one table per family. Importing this package files all of them."""

from srcad.runtime.rules import (
    complex,
    composed,
    direct,
    effects,
    elementwise,
    factor,
    gathered,
    item,
    linalg,
    mapped,
    operators,
    reduce,
    shape,
    special,
    spectrum,
    widen,
)

__all__ = [
    "complex",
    "composed",
    "direct",
    "effects",
    "elementwise",
    "factor",
    "gathered",
    "item",
    "linalg",
    "mapped",
    "operators",
    "reduce",
    "shape",
    "special",
    "spectrum",
    "widen",
]
