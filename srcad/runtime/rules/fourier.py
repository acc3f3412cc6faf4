"""Rules of Fourier transforms, which are linear. Complex transforms are symmetric, so each is its own transpose.

Transforms of several axes are those of one axis, one after the other.
"""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, linear, zero


@adjoint(np.fft.fft)
def fft(y, a, n=None, axis=-1, norm=None):
    d[a] = kernels.resized(np.fft.fft(d[y], axis=axis, norm=norm), a.shape[axis], axis)


@adjoint(np.fft.ifft)
def ifft(y, a, n=None, axis=-1, norm=None):
    d[a] = kernels.resized(np.fft.ifft(d[y], axis=axis, norm=norm), a.shape[axis], axis)


@adjoint(np.fft.rfft)
def rfft(y, a, n=None, axis=-1, norm=None):
    whole = kernels.resized(d[y], a.shape[axis] if n is None else n, axis)
    d[a] = kernels.resized(np.real(np.fft.fft(whole, axis=axis, norm=norm)), a.shape[axis], axis)


@adjoint(np.fft.irfft)
def irfft(y, a, n=None, axis=-1, norm=None):
    # All coefficients but those at the ends stand for two.
    spectrum = np.conjugate(np.fft.rfft(np.real(d[y]), axis=axis))
    whole = spectrum * kernels.spectrum_counts(y.shape, axis, norm)
    d[a] = kernels.real_beside_real(kernels.resized(whole, a.shape[axis], axis), a)


@adjoint(kernels.fft_of_leading)
def fft_of_leading(y, a, norm=None):
    d[a] = kernels.fft_of_leading(d[y], norm)


@adjoint(kernels.ifft_of_leading)
def ifft_of_leading(y, a, norm=None):
    d[a] = kernels.ifft_of_leading(d[y], norm)


@adjoint(np.fft.fftshift)
def fftshift(y, x, axes=None):
    d[x] = np.fft.ifftshift(d[y], axes)


@adjoint(np.fft.ifftshift)
def ifftshift(y, x, axes=None):
    d[x] = np.fft.fftshift(d[y], axes)


@adjoint(kernels.resized)
def resized(y, g, size, axis):
    d[g] = kernels.resized(d[y], g.shape[axis], axis)


@adjoint(kernels.real_beside_real, may_view=True)
def real_beside_real(y, g, a):
    d[g] = d[y]


linear(np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, kernels.fft_of_leading, kernels.ifft_of_leading)
linear(np.fft.fftshift, np.fft.ifftshift, kernels.resized, kernels.real_beside_real)
zero(kernels.spectrum_counts)


@define(np.fft.fftfreq)
def fftfreq(n, d=1.0):
    return np.concatenate((np.arange((n - 1) // 2 + 1), np.arange(-(n // 2), 0))) * (1.0 / (n * d))


@define(np.fft.rfftfreq)
def rfftfreq(n, d=1.0):
    return np.arange(n // 2 + 1) * (1.0 / (n * d))


@define(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None):
    # Scaled as the forward transform is.
    if norm == "ortho":
        return np.fft.irfft(np.conjugate(a), n, axis, "ortho")
    return np.fft.irfft(np.conjugate(a), n, axis, "backward" if norm == "forward" else "forward")


@define(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None):
    if norm == "ortho":
        return np.conjugate(np.fft.rfft(a, n, axis, "ortho"))
    return np.conjugate(np.fft.rfft(a, n, axis, "backward" if norm == "forward" else "forward"))


@define(np.fft.fftn)
def fftn(a, s=None, axes=None, norm=None):
    if axes is None and s is None:
        return kernels.fft_of_leading(np.fft.fft(a, norm=norm), norm)
    axes = tuple(range(-len(s), 0)) if axes is None else axes
    y = a
    for k in reversed(range(len(axes))):
        y = np.fft.fft(y, None if s is None else s[k], axes[k], norm)
    return y


@define(np.fft.ifftn)
def ifftn(a, s=None, axes=None, norm=None):
    if axes is None and s is None:
        return kernels.ifft_of_leading(np.fft.ifft(a, norm=norm), norm)
    axes = tuple(range(-len(s), 0)) if axes is None else axes
    y = a
    for k in reversed(range(len(axes))):
        y = np.fft.ifft(y, None if s is None else s[k], axes[k], norm)
    return y


@define(np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None):
    if axes is None and s is None:
        return kernels.fft_of_leading(np.fft.rfft(a, norm=norm), norm)
    axes = tuple(range(-len(s), 0)) if axes is None else axes
    y = np.fft.rfft(a, None if s is None else s[-1], axes[-1], norm)
    for k in reversed(range(len(axes) - 1)):
        y = np.fft.fft(y, None if s is None else s[k], axes[k], norm)
    return y


@define(np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None):
    if axes is None and s is None:
        return np.fft.irfft(kernels.ifft_of_leading(a, norm), norm=norm)
    axes = tuple(range(-len(s), 0)) if axes is None else axes
    y = a
    for k in range(len(axes) - 1):
        y = np.fft.ifft(y, None if s is None else s[k], axes[k], norm)
    return np.fft.irfft(y, None if s is None else s[-1], axes[-1], norm)


@define(np.fft.fft2)
def fft2(a, s=None, axes=(-2, -1), norm=None):
    return np.fft.fftn(a, s, axes, norm)


@define(np.fft.ifft2)
def ifft2(a, s=None, axes=(-2, -1), norm=None):
    return np.fft.ifftn(a, s, axes, norm)


@define(np.fft.rfft2)
def rfft2(a, s=None, axes=(-2, -1), norm=None):
    return np.fft.rfftn(a, s, axes, norm)


@define(np.fft.irfft2)
def irfft2(a, s=None, axes=(-2, -1), norm=None):
    return np.fft.irfftn(a, s, axes, norm)
