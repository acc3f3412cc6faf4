"""The derivative rules, one table per family. Importing this package files all of them."""

from srcad.runtime.rules import effects, elementwise, item, linalg, operators, reduce, shape, special, widen

__all__ = ["effects", "elementwise", "item", "linalg", "operators", "reduce", "shape", "special", "widen"]
