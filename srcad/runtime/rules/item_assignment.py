"""Rules of item assignment on the tape, where an array with other values at an index is a new array."""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, linear


@adjoint(kernels.with_item)
def with_item(y, x, key, value):
    d[x] = kernels.with_item(d[y], key, 0.0)
    d[value] = kernels.item_bar(d[y], key)


@adjoint(kernels.item_bar)
def item_bar(y, bar, key):
    d[bar] = kernels.with_item(np.zeros_like(bar), key, d[y])


linear(kernels.with_item, kernels.item_bar)
