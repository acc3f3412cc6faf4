"""Rules of the functions that check and transpose rules of the user's own."""

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, linear, tangent, zero

zero(kernels.zero_like, kernels.unit_like, kernels.elements_of)


@adjoint(kernels.fitted)
def fitted(y, value, like, rule):
    d[value] = d[y]


linear(kernels.fitted)


@adjoint(kernels.inner, handles_complex=False)
def inner(y, a, b):
    d[a] = d[y] * b
    d[b] = d[y] * a


@tangent(kernels.inner)
def inner_tangent(y, a, b):
    d[y] = kernels.inner(d[a], b) + kernels.inner(a, d[b])


@adjoint(kernels.shaped_like)
def shaped_like(y, elements, like):
    d[elements] = kernels.unshaped(d[y])


linear(kernels.shaped_like)


@adjoint(kernels.unshaped)
def unshaped(y, x):
    d[x] = kernels.shaped_like(d[y], x)


linear(kernels.unshaped)
