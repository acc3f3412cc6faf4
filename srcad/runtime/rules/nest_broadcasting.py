"""Rules of functions that only generated code calls: operands broadcast to a loop nest, and `select`."""

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, linear, tangent


@adjoint(kernels.expand, may_view=True)
def expand(y, x, shape):
    d[x] = kernels.unbroadcast(d[y], x)


linear(kernels.expand)


@adjoint(kernels.select, elementwise=True)
def select(y, c, a, b):
    d[a] = kernels.select(c, d[y], 0.0)
    d[b] = kernels.select(c, 0.0, d[y])


@tangent(kernels.select)
def select_tangent(y, c, a, b):
    d[y] = kernels.select(c, d[a], 0.0) + kernels.select(c, 0.0, d[b])
