"""Rules of Fourier transforms, which are linear. Complex transforms are symmetric, so each is its own transpose."""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, linear, zero


@adjoint(np.fft.fft)
def fft(y, a, n=None, axis=-1):
    d[a] = kernels.resized(np.fft.fft(d[y], axis=axis), a.shape[axis], axis)


@adjoint(np.fft.ifft)
def ifft(y, a, n=None, axis=-1):
    d[a] = kernels.resized(np.fft.ifft(d[y], axis=axis), a.shape[axis], axis)


@adjoint(np.fft.rfft)
def rfft(y, a, n=None, axis=-1):
    d[a] = kernels.rfft_adjoint(d[y], n, a.shape[axis], axis)


@adjoint(np.fft.irfft)
def irfft(y, a, n=None, axis=-1):
    d[a] = kernels.resized(kernels.irfft_adjoint(d[y], axis), a.shape[axis], axis)


@adjoint(np.fft.fft2)
def fft2(y, a):
    d[a] = np.fft.fft2(d[y])


@adjoint(np.fft.ifft2)
def ifft2(y, a):
    d[a] = np.fft.ifft2(d[y])


@adjoint(np.fft.fftshift)
def fftshift(y, x, axes=None):
    d[x] = np.fft.ifftshift(d[y], axes)


@adjoint(np.fft.ifftshift)
def ifftshift(y, x, axes=None):
    d[x] = np.fft.fftshift(d[y], axes)


@adjoint(kernels.resized)
def resized(y, g, size, axis):
    d[g] = kernels.resized(d[y], g.shape[axis], axis)


linear(np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.fft2, np.fft.ifft2)
linear(np.fft.fftshift, np.fft.ifftshift, kernels.resized)
zero(np.fft.fftfreq, np.fft.rfftfreq)
