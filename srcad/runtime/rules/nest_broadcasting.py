"""Rules of functions that only generated code calls: widened operands, selection, the columns of Jacobians."""

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, linear, tangent, zero


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


zero(kernels.element_count, kernels.unit_direction)


@adjoint(kernels.as_row)
def as_row(y, values):
    d[values] = kernels.from_row(d[y], values)


@adjoint(kernels.from_columns)
def from_columns(y, columns, value, x):
    d[columns] = kernels.into_columns(d[y], columns)


linear(kernels.as_row, kernels.from_columns)
