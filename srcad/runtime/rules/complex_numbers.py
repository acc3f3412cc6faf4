"""Rules of functions of complex numbers that are not holomorphic: for a real result L, `dL = real(bar * dz)`."""

import builtins

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, partial, tangent


@partial(np.imag, np.angle, handles_complex=False)
def of_real_numbers(y, x):
    return 0.0


@adjoint(kernels.modulus, elementwise=True)
def modulus(y, z):
    d[z] = np.real(d[y]) * kernels.ratio(np.conjugate(z), y)  # at z == 0 the derivative 0 is chosen


@tangent(kernels.modulus)
def modulus_tangent(y, z):
    d[y] = np.real(kernels.ratio(np.conjugate(z), y) * d[z])


@adjoint(kernels.squared_modulus, elementwise=True)
def squared_modulus(y, z):
    d[z] = np.real(d[y]) * (2.0 * np.conjugate(z))


@tangent(kernels.squared_modulus)
def squared_modulus_tangent(y, z):
    d[y] = np.real(2.0 * np.conjugate(z) * d[z])


@adjoint(kernels.direction, elementwise=True)
def direction(y, z):
    d[z] = kernels.ratio(d[y] - np.conjugate(d[y] * y * y), 2.0 * kernels.modulus(z))  # 0 at z == 0


@tangent(kernels.direction)
def direction_tangent(y, z):
    d[y] = kernels.ratio(d[z] - y * y * np.conjugate(d[z]), 2.0 * kernels.modulus(z))


@adjoint(kernels.imaginary, elementwise=True, may_view=True)
def imaginary(y, z):
    d[z] = -1j * np.real(d[y])


@tangent(kernels.imaginary)
def imaginary_tangent(y, z):
    d[y] = kernels.imaginary(d[z])


@adjoint(kernels.argument, elementwise=True)
def argument(y, z):
    d[z] = -1j * np.real(d[y]) / z


@tangent(kernels.argument)
def argument_tangent(y, z):
    d[y] = kernels.imaginary(d[z] / z)


@adjoint(builtins.complex)
def of_two_parts(y, real, imag=0.0):
    d[real] = d[y]
    d[imag] = 1j * d[y]


@tangent(builtins.complex)
def of_two_parts_tangent(y, real, imag=0.0):
    d[y] = d[real] + 1j * d[imag]


@adjoint(np.real_if_close, may_view=True)
def real_if_close(y, a, tol=100):
    d[a] = d[y]


@tangent(np.real_if_close)
def real_if_close_tangent(y, a, tol=100):
    d[y] = kernels.real_beside_real(d[a], y)
