"""Sample points for the definitions of `scipy.fft`, of the form of `samples`, which contains them all."""

from __future__ import annotations

from typing import Any

from scipy import fft

from srcad.runtime import kernels
from tests.runtime.sample_points import ANY, CUBE, MATRIX, Sample, s

k = kernels.scipy
SPECTRUM = MATRIX + 1j * MATRIX[::-1]
TYPES, NORMS = (1, 2, 3, 4), (None, "ortho", "forward")
COSINES = (fft.dct, fft.dst, fft.idct, fft.idst)

SAMPLES: dict[Any, list[Sample]] = {
    k.orthogonal_transform: [
        *(s(MATRIX, is_sine, type, -1, None) for is_sine in (False, True) for type in TYPES),
        *(s(MATRIX, False, 2, 0, norm) for norm in NORMS),
    ],
}

DEFINED: dict[Any, list[Sample]] = {
    **{each: [*(s(MATRIX, type) for type in TYPES), *(s(MATRIX, 3, 5, 0, norm) for norm in NORMS),
              s(ANY, orthogonalize=True), s(ANY, 1, norm="ortho", orthogonalize=False), s(SPECTRUM),
              s(SPECTRUM, norm="ortho"), s(SPECTRUM, orthogonalize=True)] for each in COSINES},
    **{each: [s(MATRIX), s(CUBE, 3, (4, 2)), s(CUBE, axes=(0, 2), norm="ortho")]
       for each in (fft.dctn, fft.dstn, fft.idctn, fft.idstn)},
    **{each: [s(SPECTRUM), s(SPECTRUM, 5, 0, "ortho")] for each in (fft.fft, fft.ifft, fft.irfft, fft.hfft)},
    **{each: [s(MATRIX), s(MATRIX, 5, 0, "forward")] for each in (fft.rfft, fft.ihfft)},
    **{each: [s(SPECTRUM), s(SPECTRUM, (5, 4), norm="forward")]
       for each in (fft.fft2, fft.ifft2, fft.irfft2, fft.hfft2, fft.fftn, fft.ifftn, fft.irfftn, fft.hfftn)},
    **{each: [s(MATRIX), s(MATRIX, (5, 4), norm="ortho")] for each in (fft.rfft2, fft.ihfft2, fft.rfftn, fft.ihfftn)},
    fft.fftfreq: [s(6, 0.7), s(5, d=1.3)],
    fft.rfftfreq: [s(6, 0.7), s(5, d=1.3)],
    fft.fftshift: [s(MATRIX), s(ANY, 0)],
    fft.ifftshift: [s(MATRIX), s(ANY, 0)],
    k.trigonometric: [s(MATRIX, True, 2, 0, None, False), s(MATRIX, True, 2, 0, None, True)],
}  # fmt: skip

DISCRETE = {fft.next_fast_len, fft.prev_fast_len, k.end_weights, k.inverse_type, k.inverse_norm, k.axes_count,
            k.axis_number}  # fmt: skip
