"""Definitions of `scipy.fft`: Fourier transforms are those of NumPy, cosine and sine transforms are kernels.

With `orthogonalize=True` each cosine or sine transform is a multiple of an orthogonal matrix, and the transpose is the
transform of the inverse type. Without, elements at the ends of the input or of the result have other factors.
"""

import numpy as np
import scipy.fft

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, linear, zero
from srcad.runtime.rules.scipy.written_out import define_by_text

_SPACE = {"np": np, "kernels": kernels}
_LAST = "overwrite_x=False, workers=None, *, plan=None"
_AXES = "if axes is None and s is not None:\n        axes = tuple(range(-len(s), 0))"

for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    define_by_text(
        getattr(scipy.fft, _name),
        f"scipy.fft.{_name}",
        f"x, n=None, axis=-1, norm=None, {_LAST}",
        [f"return np.fft.{_name}(x, n, axis, norm)"],
        _SPACE,
    )

for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    for _axes, _end in (("None", "n"), ("(-2, -1)", "2")):
        define_by_text(
            getattr(scipy.fft, _name[:-1] + _end),
            f"scipy.fft.{_name[:-1]}{_end}",
            f"x, s=None, axes={_axes}, norm=None, {_LAST}",
            [_AXES, f"return np.fft.{_name}(x, s, axes, norm)"],
            _SPACE,
        )

# Scaled as the forward transform is.
_OTHER_NORM = 'other = "ortho" if norm == "ortho" else "backward" if norm == "forward" else "forward"'
for _axes, _end in (("None", "n"), ("(-2, -1)", "2")):
    define_by_text(
        getattr(scipy.fft, f"hfft{_end}"),
        f"scipy.fft.hfft{_end}",
        f"x, s=None, axes={_axes}, norm=None, {_LAST}",
        [_AXES, _OTHER_NORM, "return np.fft.irfftn(np.conjugate(x), s, axes, other)"],
        _SPACE,
    )
    define_by_text(
        getattr(scipy.fft, f"ihfft{_end}"),
        f"scipy.fft.ihfft{_end}",
        f"x, s=None, axes={_axes}, norm=None, {_LAST}",
        [_AXES, _OTHER_NORM, "return np.conjugate(np.fft.rfftn(x, s, axes, other))"],
        _SPACE,
    )

# SciPy passes `orthogonalize` on for real numbers only.
_ORTHOGONAL = 'is_orthogonal = norm == "ortho" if orthogonalize is None or np.iscomplexobj(x) else orthogonalize'
for _name, _is_sine in (("dct", False), ("dst", True)):
    for _prefix in ("", "i"):
        _norm = "kernels.scipy.inverse_norm(norm)" if _prefix else "norm"
        _type = "kernels.scipy.inverse_type(type)" if _prefix else "type"
        define_by_text(
            getattr(scipy.fft, _prefix + _name),
            f"scipy.fft.{_prefix}{_name}",
            "x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None",
            [
                "whole = x if n is None else kernels.resized(x, n, axis)",
                _ORTHOGONAL,
                f"return kernels.scipy.trigonometric(whole, {_is_sine}, {_type}, axis, {_norm}, is_orthogonal)",
            ],
            _SPACE,
        )
        define_by_text(
            getattr(scipy.fft, f"{_prefix}{_name}n"),
            f"scipy.fft.{_prefix}{_name}n",
            "x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None",
            [
                "y = x",
                _ORTHOGONAL,
                "for k in range(kernels.scipy.axes_count(np.ndim(x), s, axes)):",
                "    axis = kernels.scipy.axis_number(np.ndim(x), s, axes, k)",
                "    whole = y if s is None else kernels.resized(y, s[k], axis)",
                f"    y = kernels.scipy.trigonometric(whole, {_is_sine}, {_type}, axis, {_norm}, is_orthogonal)",
                "return y",
            ],
            _SPACE,
        )


@define(kernels.scipy.trigonometric)
def trigonometric(x, is_sine, type, axis, norm, is_orthogonal):
    if is_orthogonal:
        return kernels.scipy.orthogonal_transform(x, is_sine, type, axis, norm)
    before = kernels.scipy.end_weights(x.shape, is_sine, type, axis, False)
    after = kernels.scipy.end_weights(x.shape, is_sine, type, axis, True)
    return after * kernels.scipy.orthogonal_transform(before * x, is_sine, type, axis, norm)


@adjoint(kernels.scipy.orthogonal_transform)
def orthogonal_transform(y, x, is_sine, type, axis, norm):
    d[x] = kernels.scipy.orthogonal_transform(d[y], is_sine, kernels.scipy.inverse_type(type), axis, norm)


@define(scipy.fft.fftshift)
def fftshift(x, axes=None):
    return np.fft.fftshift(x, axes)


@define(scipy.fft.ifftshift)
def ifftshift(x, axes=None):
    return np.fft.ifftshift(x, axes)


@define(scipy.fft.fftfreq)
def fftfreq(n, d=1.0):
    return np.fft.fftfreq(n, d)


@define(scipy.fft.rfftfreq)
def rfftfreq(n, d=1.0):
    return np.fft.rfftfreq(n, d)


linear(kernels.scipy.orthogonal_transform)
zero(scipy.fft.next_fast_len, scipy.fft.prev_fast_len)
zero(kernels.scipy.end_weights, kernels.scipy.inverse_type, kernels.scipy.inverse_norm)
zero(kernels.scipy.axes_count, kernels.scipy.axis_number)
