"""Sample points of the definitions and kernels that NumPy's less frequent functions and arguments need."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.runtime import kernels
from tests.runtime import scipy_signal_samples
from tests.runtime.sample_points import ANY, CUBE, INTEGERS, MATRIX, POSITIVE, SQUARE, STACK, SYMMETRIC, UNIT, Sample, s

GAPS = np.array([[1.1, np.nan, 2.3, 0.5], [0.3, 0.1, np.nan, np.nan], [4.0, 3.0, 2.0, 1.0]])
MASK = MATRIX > 0.0
SOME = np.array([[True, True, True, False], [True, True, True, True], [True, False, True, True]])
UFUNCS = (np.add, np.multiply, np.maximum, np.minimum)
JOINS = (np.concatenate, np.stack, np.vstack, np.hstack)
BINNED = np.array([0, 2, 1, 3])
PLACES = np.array([[0, 2], [1, 1], [-1, 0]])
V2 = ANY[:2]
series = np.polynomial

FURTHER_SAMPLES: dict[Any, list[Sample]] = {
    kernels.skew: [s(SQUARE), s(STACK)],
    kernels.skew_adjoint: [s(SQUARE), s(STACK)],
    kernels.left_vectors: [
        s(MATRIX.T @ MATRIX[:, :2], np.array([2.0, 0.5]), MATRIX.T[:, :2], fixed=(2,)),
        s(np.stack([SQUARE, SQUARE]), np.ones((2, len(SQUARE))), np.stack([SQUARE, SQUARE]), fixed=(2,)),
    ],
    kernels.over_squares: [s(MATRIX, np.array([4.0, 2.0, 1.5])), s(np.stack([MATRIX, MATRIX]), np.ones((2, 3)))],
    kernels.other_left_vectors: [s(np.linalg.svd(MATRIX.T, full_matrices=False)[0], MATRIX.T, fixed=(0, 1))],
    kernels.other_right_vectors: [s(np.linalg.svd(MATRIX, full_matrices=False)[2].T, MATRIX, fixed=(0, 1))],
    kernels.copy_in_c_order: [s(MATRIX), s(MATRIX.T), s(CUBE)],
    kernels.pseudo_inverse: [s(MATRIX), s(MATRIX.T), s(CUBE), s(SQUARE)],
    kernels.real_beside_real: [s(ANY, POSITIVE, fixed=(1,))],
    kernels.rows_to_insert: [s(MATRIX, np.array([0, 1]), 2.5, fixed=(0,)), s(ANY, 1, POSITIVE, fixed=(0,))],
    kernels.before_axes_of: [s(ANY, MATRIX, fixed=(1,)), s(MATRIX, ANY, fixed=(1,))],
    kernels.of_each: [s(ANY), s(1.5)],
    kernels.bessel_i: [s(0, ANY), s(1, MATRIX), s(3, np.array([-40.0, 0.0, 2.5, 90.0])), s(2, 0.3)],
    kernels.windows_along: [s(ANY, 3, 0), s(MATRIX, 2, 1), s(CUBE, 2, 1)],
    kernels.sums_of_windows: [s(MATRIX[:, :3], np.zeros(5), 0, fixed=(1,))],
    np.real_if_close: [s(ANY), s(0.3)],
    np.add.reduceat: [s(ANY, [0, 2]), s(MATRIX, [1, 0, 2]), s(MATRIX, [0, 3, 1], 1)],
    kernels.segment_sums_adjoint: [
        s(ANY[:2], ANY, [0, 2], 0, fixed=(1,)),
        s(MATRIX, CUBE[0], [1, 0, 2], 0, fixed=(1,)),
    ],
    kernels.put_along: [
        s(MATRIX, PLACES, MATRIX[:, :2] + 1.0, 1),
        s(MATRIX, PLACES, 1.5, 1),
        s(ANY, np.array([2, -1, 2]), POSITIVE[:3], 0),
    ],
    kernels.put_along_adjoint: [s(MATRIX, PLACES, 1), s(ANY, np.array([2, -1, 2]), 0)],
}

# Of complex numbers, or with complex results: `test_coverage` and `test_rules` compare them with differences.
FURTHER_COMPLEX = {
    *(kernels.eigenvalues, kernels.eigenvalues_alone, kernels.general_eigenvectors, kernels.eigenvectors_of),
    *(kernels.as_complex, kernels.determinant_direction, kernels.fft_of_leading, kernels.ifft_of_leading),
}

FURTHER_DISCRETE = {
    *(kernels.exponents, kernels.largest_of_columns, kernels.constant_copy, kernels.spectrum_counts),
    *(kernels.places_after_insertion, kernels.places_after_deletion, kernels.cyclic_places, kernels.nonzero_range),
    kernels.mask_places,
    *(kernels.first_places, kernels.places_in_rows, kernels.whole_places, kernels.leading_zeros, kernels.ends_of),
    *(np.isin, np.iscomplexobj),
    kernels.product_of,
    *(np.lexsort, np.argpartition, np.nanargmax, np.nanargmin),
}

# The same, of which only values are compared here: complex results, sizes that depend on values, and arguments that
# a tape's own rule does not cover. `test_coverage` compares their derivatives with differences.
ONLY_VALUES: dict[Any, list[Sample]] = {
    np.trim_zeros: [s(np.array([0.0, 1.5, 0.0, 2.0, 0.0])), s(np.array([0.0, 1.5, 0.0]), "f"), s(np.zeros(2))],
    np.unique: [s(np.array([2.0, 1.0, 2.0, 0.5])), s(MATRIX)],
    np.asanyarray: [s(MATRIX)],
    np.intersect1d: [s(ANY, MATRIX), s(ANY, ANY[::-2]), s(ANY, ANY[1:], assume_unique=True)],
    np.setdiff1d: [s(ANY, ANY[::-2]), s(ANY, MATRIX, assume_unique=True)],
    np.setxor1d: [s(ANY, np.concatenate((ANY[1:3], POSITIVE)))],
    np.sort_complex: [s(ANY)],
    np.polydiv: [s(ANY, POSITIVE[:2]), s(ANY[:1], ANY), s(np.array([1.0, 3.0, 2.0]), np.array([1.0, 1.0]))],
    np.require: [s(MATRIX)],
    np.asarray_chkfinite: [s(MATRIX)],
    np.average: [s(ANY, weights=POSITIVE, returned=True), s(MATRIX, 1, ANY, keepdims=True)],
    np.linalg.qr: [s(MATRIX)],
    np.linalg.svd: [s(MATRIX), s(MATRIX.T), s(CUBE)],
    np.delete: [s(MATRIX, 1, 0), s(MATRIX, np.array([0, 2]), 1)],
    np.linalg.eigvalsh: [s(SQUARE, "U")],
    np.linalg.eigh: [s(SQUARE, "U"), s(STACK, "U"), s(SQUARE)],
    np.linalg.eig: [s(SQUARE), s(STACK), s(MATRIX[:, :3] + 0.5j * SQUARE)],
    np.linalg.eigvals: [s(SQUARE), s(STACK)],
    np.roots: [s(np.array([1.0, -2.0, 3.0, 0.5]))],
    np.fft.fftfreq: [s(6, 0.7), s(5, d=1.3)],
    np.fft.rfftfreq: [s(6, 0.7), s(5, d=1.3)],
    np.fft.hfft: [s(ANY), s(MATRIX, 5, 0), s(ANY, norm="ortho"), s(ANY, norm="forward")],
    np.fft.ihfft: [s(ANY), s(MATRIX, 5, 0), s(ANY, norm="ortho"), s(ANY, norm="forward")],
    **{
        function: [s(MATRIX), s(CUBE), s(CUBE, (3, 4), (0, 2)), s(CUBE, axes=(2, 0), norm="ortho")]
        for function in (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn)
    },
    **{
        function: [s(MATRIX), s(CUBE), s(CUBE, (3, 4), (0, 2)), s(CUBE, norm="forward")]
        for function in (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2)
    },
}


FURTHER_DEFINED: dict[Any, list[Sample]] = {
    kernels.solve_transposed: [s(SQUARE, ANY[:3]), s(SQUARE, MATRIX)],
    kernels.extremum_adjoint: [s(ANY[:3], np.max(MATRIX, axis=1), MATRIX, 1, fixed=(1, 2, 3))],
    np.lib.stride_tricks.sliding_window_view: [s(ANY, 3), s(CUBE, (2, 2), (1, 2)), s(MATRIX, (2, 3)), s(CUBE, 2, -1)],
    np.i0: [s(ANY), s(0.3), s(MATRIX)],
    np.kaiser: [s(5, 2.5), s(4, 0.3), s(1, 0.3)],
    np.unstack: [s(MATRIX), s(CUBE, axis=-1)],
    np.fromfunction: [s(np.add, (2, 3)), s(np.multiply, (3, 2), dtype=int)],
    np.apply_over_axes: [s(np.sum, CUBE, (0, 2)), s(np.max, MATRIX, 1)],
    np.union1d: [s(ANY, MATRIX)],
    np.setxor1d: [s(ANY, POSITIVE)],
    kernels.joined_rows: [s((1.5, ANY, POSITIVE)), s((MATRIX, MATRIX + 1.0))],
    kernels.joined_columns: [s((ANY, POSITIVE)), s((MATRIX, MATRIX[:, 0])), s((CUBE, CUBE + 1.0))],
    kernels.padded_by_statistic: [
        *(s(ANY, 2, each) for each in ("maximum", "minimum", "median")),
        s(MATRIX, ((1, 0), (2, 1)), "maximum"),
        s(MATRIX, (0, 2), "median"),
    ],
    np.histogram2d: [
        s(BINNED, BINNED % 3, 3, None, None, ANY),
        s(BINNED, BINNED, [2, 3], None, True, POSITIVE),
        s(BINNED, BINNED % 2, (np.array([0.0, 1.0, 4.0]), np.array([0.0, 0.5, 2.0])), None, None, ANY, fixed=(2,)),
    ],
    np.histogramdd: [
        s((BINNED, BINNED % 3), 3, None, None, ANY),
        s((BINNED, BINNED % 2, BINNED), (2, 2, 2), ((0, 3), (0, 2), (0, 4)), None, ANY),
    ],
    kernels.mirrored: [s(SQUARE, "L"), s(SQUARE, "U"), s(STACK, "U")],
    kernels.contracted: [s(SQUARE, MATRIX, 1), s(MATRIX, MATRIX, 2), s(ANY, MATRIX, 0)],
    np.rollaxis: [s(CUBE, 2), s(CUBE, 0, 2), s(CUBE, -1, 1), s(CUBE, 0, -1)],
    np.broadcast_arrays: [s(ANY, MATRIX)],
    np.hsplit: [s(MATRIX, 2), s(ANY, [1, 3])],
    np.dsplit: [s(CUBE, 2)],
    np.frexp: [s(ANY)],
    kernels.gradient_along: [s(ANY, 0.5), s(MATRIX, [0.0, 1.0, 3.0], 0)],
    np.resize: [s(ANY, (2, 3)), s(MATRIX, 5)],
    **{
        function.outer: [
            s(POSITIVE, UNIT[:3] + 1.0),
            s(np.abs(MATRIX) + 0.5, POSITIVE[:2]),
            s(POSITIVE[:2], np.abs(MATRIX) + 0.5),
        ]
        for function in (np.divide, np.power, np.maximum, np.minimum, np.hypot, np.arctan2, np.logaddexp, np.add)
    },
    np.linalg.tensorsolve: [s(SQUARE.reshape(3, 1, 3), MATRIX[:, :1]), s(SQUARE, ANY[:3])],
    np.linalg.tensorinv: [s(SQUARE.reshape(3, 3, 1), 1), s(SQUARE.reshape(3, 1, 1, 3))],
    np.nanmedian: [s(GAPS), s(GAPS, 0), s(GAPS, 1, keepdims=True)],
    np.nanquantile: [
        s(GAPS, 0.3),
        s(GAPS, 0.3, 1),
        s(GAPS, 0.0, 0, fixed=(1,)),
        s(GAPS, 1.0, 0, fixed=(1,)),
        s(GAPS, np.array([0.2, 0.6])),
    ],
    np.nanpercentile: [s(GAPS, 30.0), s(GAPS, 62.5, 1)],
    np.partition: [s(ANY, 2), s(MATRIX, 1), s(MATRIX, 1, 0), s(MATRIX, 2, None)],
    np.unique_values: [s(np.array([1.5]))],  # several come in no particular order
    np.polyadd: [s(ANY, ANY[:2]), s(ANY[:2], ANY)],
    np.polysub: [s(ANY, ANY[:2]), s(ANY[:2], ANY)],
    np.polymul: [s(ANY, POSITIVE[:2])],
    np.polyder: [s(ANY), s(ANY, 2), s(ANY[:1])],
    np.polyint: [s(ANY), s(ANY, 2), s(ANY, 1, 3.0), s(ANY, 2, [3.0, 1.0]), s(ANY, 2, POSITIVE[:2])],
    np.poly: [s(ANY)],
    series.polynomial.polyval: [s(0.3, ANY), s(MATRIX, ANY), s(ANY, ANY[:1])],
    series.polynomial.polyvander: [s(ANY, 2)],
    series.polynomial.polyder: [s(ANY), s(ANY, 2)],
    series.polynomial.polyint: [s(ANY), s(ANY, 2), s(ANY, 2, [3.0, 1.0]), s(ANY, 2, POSITIVE[:2])],
    series.polynomial.polymul: [s(ANY, POSITIVE[:2])],
    series.polynomial.polyadd: [s(ANY, POSITIVE[:2]), s(POSITIVE[:2], ANY)],
    series.polynomial.polysub: [s(ANY, POSITIVE[:2])],
    series.polynomial.polyfit: [s(np.arange(4.0), ANY, 2)],
    **{
        function: [s(UNIT, ANY), s(0.3, ANY), s(MATRIX, ANY), s(0.3, ANY[:1]), s(0.3, V2)]
        for function in (series.chebyshev.chebval, series.legendre.legval, series.hermite.hermval)
    },
    series.hermite_e.hermeval: [s(UNIT, ANY), s(0.3, ANY), s(0.3, V2)],
    series.laguerre.lagval: [s(UNIT, ANY), s(0.3, ANY), s(0.3, V2)],
}

# Calls with arguments that the rule of the function does not cover, which a definition of its own is for.
GIVEN: dict[Any, list[Sample]] = {
    **scipy_signal_samples.GIVEN,
    **{each: [s(GAPS, axis=1, keepdims=True, where=SOME)] for each in (np.nansum, np.nanprod, np.nanmean, np.nanvar)},
    **{each: [s(GAPS, 1, initial=0.5, where=SOME)] for each in (np.nanmax, np.nanmin, np.nansum)},
    np.nanstd: [s(GAPS, 1, correction=1), s(GAPS, where=SOME)],
    **{each.reduce: [s(MATRIX, 1, keepdims=True, initial=0.2, where=MASK)] for each in UFUNCS},
    **{each.accumulate: [s(MATRIX, 1, dtype=np.float64)] for each in UFUNCS[:2]},
    **{each: [s(GAPS, axis=0, dtype=np.float64)] for each in (np.nancumsum, np.nancumprod)},
    **{
        each: [s(MATRIX, axis=0, dtype=np.float64, include_initial=True)]
        for each in (np.cumulative_sum, np.cumulative_prod)
    },
    np.linalg.trace: [s(CUBE, dtype=np.float64)],
    np.corrcoef: [s(MATRIX, dtype=np.float64)],
    np.logspace: [s(ANY, POSITIVE, 5, axis=-1), s(0.2, 0.5, 4, dtype=np.float64)],
    np.geomspace: [s(POSITIVE, POSITIVE + 1.0, 5, axis=1), s(0.2, 0.5, 4, False, dtype=np.float64)],
    **{each: [s((MATRIX, MATRIX), dtype=np.float64, casting="same_kind")] for each in JOINS},
    **{each: [s(MATRIX, order="F"), s(MATRIX.T, order="C")] for each in (np.asarray, np.asanyarray)},
    np.clip: [s(MATRIX, min=-0.5, max=0.5), s(MATRIX, max=0.1)],
    np.nan_to_num: [s(np.array([np.nan, np.inf, -np.inf, 2.0]), nan=1.0, posinf=2.0, neginf=-3.0), s(GAPS, nan=0.3)],
    np.angle: [s(MATRIX + 0.3j, deg=True)],
    np.choose: [s(np.array([0, 3, -1, 1]), [ANY, POSITIVE], mode=each) for each in ("clip", "wrap")],
    np.interp: [s(MATRIX * 3.0, np.array([1.0, 5.0, 2.0]), ANY[:3], period=4.0)],
    np.quantile: [
        *(s(MATRIX, 0.3, 0), s(MATRIX, np.array([0.2, 0.9]), 1), s(CUBE, np.array([0.2, 0.9]), 1)),
        *(s(ANY, 0.3, method=each) for each in ("lower", "higher", "midpoint", "nearest")),
        *(s(MATRIX, 0.3, 1, keepdims=True), s(MATRIX, np.array([0.3]), 1, keepdims=True)),
    ],
    np.percentile: [s(MATRIX, 62.5, axis=0, keepdims=True)],
    np.cov: [s(MATRIX, aweights=POSITIVE), s(MATRIX, fweights=np.array([1, 2, 1, 3])), s(ANY, aweights=POSITIVE)],
    np.sum: [
        s(MATRIX, where=MASK),
        s(MATRIX, 1, where=MASK, keepdims=True),
        s(MATRIX, initial=2.0),
        s(ANY, dtype=float),
    ],
    np.prod: [s(MATRIX, where=MASK), s(MATRIX, 1, initial=2.0), s(ANY, dtype=float)],
    np.max: [s(MATRIX, 1, where=MASK, initial=-9.0), s(MATRIX, initial=9.0)],
    np.min: [s(MATRIX, 1, where=MASK, initial=9.0), s(MATRIX, initial=-9.0)],
    np.mean: [s(MATRIX, where=MASK), s(MATRIX, 0, where=MASK[:, :1] | True, keepdims=True), s(ANY, dtype=float)],
    np.var: [
        s(MATRIX, where=MASK),
        s(MATRIX, 1, correction=1),
        s(MATRIX, 1, mean=np.mean(MATRIX, 1, keepdims=True)),
        s(MATRIX, 1, dtype=float, where=MASK),
    ],
    np.std: [
        s(MATRIX, where=MASK),
        s(MATRIX, dtype=float),
        s(MATRIX, 1, correction=1),
        s(MATRIX, 1, where=MASK | True, keepdims=True),
    ],
    np.cumsum: [s(MATRIX, 1, float), s(ANY, dtype=float)],
    np.cumprod: [s(MATRIX, 1, float)],
    np.reshape: [s(MATRIX, (2, 6), order="F"), s(MATRIX, -1, order="F"), s(CUBE, (4, -1), order="F")],
    np.ravel: [s(MATRIX, "F"), s(CUBE, order="F"), s(MATRIX, order="C")],
    np.copy: [s(MATRIX, order="F")],
    np.diagonal: [s(CUBE, 1, 1, 2), s(CUBE, axis1=0, axis2=2), s(CUBE, axis1=2, axis2=0)],
    np.trace: [s(STACK, 1, 1, 2), s(STACK, axis1=0, axis2=2), s(SQUARE, dtype=float)],
    np.take: [
        s(ANY, np.array([5, -7]), mode="wrap"),
        s(MATRIX, np.array([5, -7]), 1, mode="clip"),
        s(ANY, 1, mode="raise"),
    ],
    np.sort: [s(ANY, kind="stable"), s(MATRIX, 0, stable=True)],
    np.diff: [
        s(ANY, prepend=1.0),
        s(ANY, append=np.array([1.0, 2.0])),
        s(MATRIX, prepend=0.5),
        s(MATRIX, axis=0, append=MATRIX),
    ],
    np.array: [s(MATRIX, copy=True), s(ANY, ndmin=2), s((1.0, 2.0), order="F")],
    np.full: [s((2, 3), 1.5, order="F")],
    np.full_like: [s(MATRIX, 1.5, shape=(2, 2)), s(MATRIX, 1.5, order="F")],
    np.zeros_like: [s(MATRIX, shape=(2, 2)), s(MATRIX, None, "K", True, 3)],
    np.ones_like: [s(MATRIX, np.float32, shape=(2, 2)), s(MATRIX, shape=None)],
    np.empty_like: [s(MATRIX, shape=(0, 3))],
    np.linspace: [s(0.3, 1.7, 5, dtype=float), s(ANY, POSITIVE, 3, axis=1), s(0.3, 1.7, 5, retstep=True)],
    np.einsum: [s("ij,j->i", MATRIX, ANY, optimize=True)],
    np.cross: [s(SQUARE, SYMMETRIC, 0, 1), s(SQUARE, SYMMETRIC, axis=0), s(SQUARE, SYMMETRIC, axisc=0)],
    np.linalg.cholesky: [s(SYMMETRIC, upper=True), s(np.triu(SYMMETRIC), upper=True)],
    np.insert: [s(ANY, INTEGERS[:2], POSITIVE[:2])],
}
