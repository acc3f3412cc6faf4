"""Sample points for the rules of `scipy.linalg`, of the form of `samples`, which contains them all."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import scipy
from scipy import linalg

from srcad.runtime import kernels
from tests.runtime.sample_points import ANY, MATRIX, SQUARE, STACK, SYMMETRIC, Sample, normal, s

k = kernels.scipy
VECTOR, COLUMNS, TALL = normal(3), normal(3, 2), normal(4, 2)
TURNED = SQUARE[::-1]  # whose rows partial pivoting exchanges
BANDS = normal(3, 4) + np.array([[0.0], [5.0], [0.0]])
FOUND, PLACES = np.array([3.0, 1.0, 4.0, 0.5, 5.0]), (np.array([0, 0, 1, 2, 2]), np.array([0, 2, 1, 0, 2]))
FIRST = np.array([4.0, 1.0, 0.5])

POSITIVE_STACK = np.stack((SYMMETRIC, SYMMETRIC @ SYMMETRIC))
FACTOR_STACK = np.stack([linalg.cholesky(each) for each in POSITIVE_STACK])
TAKES_STACKS = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 16)


def supported(samples: dict[Any, list[Sample]]) -> dict[Any, list[Sample]]:
    """Those samples that the installed SciPy evaluates.

    Its functions take stacks of matrices since 1.16, and `linalg.inv` takes `assume_a` since 1.17.
    """
    return {function: [each for each in rows if _is_taken(function, each)] for function, rows in samples.items()}


def _is_taken(function: Any, sample: Sample) -> bool:
    if sample.kwargs and not sample.kwargs.keys() <= inspect.signature(function).parameters.keys():
        return False
    return TAKES_STACKS or not _has_stack(sample.args)


def _has_stack(argument: Any) -> bool:
    if isinstance(argument, tuple):
        return any(map(_has_stack, argument))
    return np.ndim(argument) == 3


SAMPLES: dict[Any, list[Sample]] = {
    k.triangular_solve: [
        s(SQUARE, each, lower, transposed)
        for each in (VECTOR, COLUMNS) for lower in (True, False) for transposed in (True, False)
    ],
    k.triangle: [s(SQUARE, True), s(MATRIX, False)],
    k.turned: [s(MATRIX, True), s(MATRIX, False)],
    k.beside: [s(SQUARE, SYMMETRIC)],
    k.banded: [s((1, 1), BANDS), s((2, 0), BANDS)],
    k.diagonals: [s((1, 1), normal(4, 4)), s((0, 2), normal(4, 4))],
    k.expm: [s(SQUARE), s(0.1 * SQUARE)],
    k.sqrtm: [s(SYMMETRIC)],
    k.logm: [s(SYMMETRIC)],
    k.matrix_power: [s(SYMMETRIC, 0.3), s(SYMMETRIC, -1.7)],
    k.sylvester: [s(SQUARE, SYMMETRIC, normal(3, 3)), s(SQUARE, np.array([[2.0]]), normal(3, 1))],
    k.discrete_lyapunov: [s(0.1 * SQUARE, SYMMETRIC)],
    kernels.regular: [s(SQUARE, "", fixed=(1,)), s(0.7, "", fixed=(1,))],
    k.sparse_solve: [s(FOUND, *PLACES, each) for each in (VECTOR, COLUMNS)],
    k.sparse_product: [s(FOUND, *PLACES, each, 3) for each in (VECTOR, COLUMNS)],
    k.products_at: [s(VECTOR, PLACES[0], VECTOR, PLACES[1]), s(COLUMNS, PLACES[0], COLUMNS, PLACES[1])],
    k.packed_lu: [s(SQUARE), s(TURNED), s(normal(4, 4))],
}  # fmt: skip

DEFINED: dict[Any, list[Sample]] = supported({
    k.from_triangle: [s(SQUARE, True), s(SQUARE, False)],
    linalg.solve_triangular: [
        *(s(SQUARE, VECTOR), s(SQUARE, COLUMNS, lower=True), s(SQUARE, COLUMNS, 1), s(SQUARE, VECTOR, "T", True)),
        s(SQUARE, VECTOR, lower=True, unit_diagonal=True),
        *(s(STACK, POSITIVE_STACK, lower=True), s(STACK, VECTOR, 1), s(STACK, COLUMNS, unit_diagonal=True)),
        s(SQUARE, POSITIVE_STACK),
    ],
    linalg.solve: [
        *(s(STACK, POSITIVE_STACK), s(STACK, VECTOR), s(STACK, COLUMNS, transposed=True), s(SQUARE, POSITIVE_STACK)),
        *(s(SQUARE, VECTOR), s(SQUARE, COLUMNS, transposed=True), s(SYMMETRIC, COLUMNS, assume_a="pos")),
        *(s(SQUARE, VECTOR, lower=True, assume_a="sym"), s(SQUARE, VECTOR, assume_a="lower triangular")),
        *(s(SQUARE, COLUMNS, assume_a="diagonal"), s(SQUARE, VECTOR, assume_a="tridiagonal")),
    ],
    linalg.cholesky: [s(SYMMETRIC), s(SYMMETRIC, lower=True), s(POSITIVE_STACK), s(POSITIVE_STACK, lower=True)],
    linalg.cho_factor: [s(SYMMETRIC), s(SYMMETRIC, True)],
    linalg.cho_solve: [
        *(s((FACTOR_STACK, False), each) for each in (STACK, COLUMNS, VECTOR)),
        s((linalg.cholesky(SYMMETRIC), False), COLUMNS), s((linalg.cholesky(SYMMETRIC, True), True), VECTOR),
    ],
    linalg.inv: [s(SQUARE), s(SYMMETRIC, assume_a="pos")],
    linalg.det: [s(SQUARE)],
    linalg.pinv: [s(TALL), s(TALL.T)],
    linalg.lstsq: [s(TALL, ANY)],
    linalg.solve_banded: [s((1, 1), BANDS, ANY)],
    linalg.solveh_banded: [s(BANDS[:2], ANY), s(BANDS[1:], MATRIX.T, lower=True)],
    linalg.toeplitz: [s(VECTOR), s(VECTOR, ANY)],
    linalg.solve_toeplitz: [s(FIRST, VECTOR), s((FIRST, FIRST * 0.5), VECTOR)],
    linalg.circulant: [s(ANY)],
    linalg.hankel: [s(VECTOR), s(VECTOR, ANY)],
    linalg.norm: [s(SQUARE), s(SQUARE, 1), s(ANY, 3), s(SQUARE, "fro"), s(MATRIX, None, 1, True)],
    linalg.qr: [s(TALL, mode="economic"), s(SQUARE)],
    linalg.svd: [s(TALL, full_matrices=False), s(TALL, compute_uv=False)],
    linalg.svdvals: [s(TALL)],
    linalg.eigvalsh: [s(SYMMETRIC), s(SQUARE, lower=False), s(SQUARE, SYMMETRIC)],
    linalg.eigh: [
        *(s(SYMMETRIC, eigvals_only=True), s(SYMMETRIC), s(SQUARE, SYMMETRIC, lower=False)),
        s(SYMMETRIC, SYMMETRIC + np.eye(3), subset_by_index=[1, 2]),
    ],
    linalg.eigh_tridiagonal: [s(VECTOR, FIRST[:2]), s(VECTOR, FIRST[:2], eigvals_only=True)],
    linalg.eigvalsh_tridiagonal: [s(VECTOR, FIRST[:2])],
    linalg.cosm: [s(SQUARE)],
    linalg.sinm: [s(SQUARE)],
    linalg.tanm: [s(0.3 * SQUARE)],
    linalg.coshm: [s(SQUARE)],
    linalg.sinhm: [s(SQUARE)],
    linalg.tanhm: [s(0.3 * SQUARE)],
    linalg.fractional_matrix_power: [s(SYMMETRIC, 0.3, fixed=(1,))],
    linalg.expm_frechet: [s(0.1 * SQUARE, SQUARE), s(0.1 * SQUARE, SQUARE, compute_expm=False)],
    linalg.orthogonal_procrustes: [s(TALL, np.abs(TALL) + TALL[::-1])],
    linalg.matmul_toeplitz: [s(VECTOR, COLUMNS), s((VECTOR, ANY), ANY)],
    linalg.solve_circulant: [s(FIRST, VECTOR), s(FIRST, COLUMNS)],
    linalg.companion: [s(FIRST), s(FIRST[:2])],
    linalg.fiedler_companion: [s(FOUND), s(FIRST), s(FIRST[:2])],
    linalg.leslie: [s(VECTOR, FIRST[:2])],
    linalg.fiedler: [s(VECTOR)],
    linalg.convolution_matrix: [
        s(a, n, mode) for a, n in ((VECTOR, 5), (ANY, 2), (FIRST, 3)) for mode in ("full", "same", "valid")
    ],
    linalg.khatri_rao: [s(MATRIX, COLUMNS @ MATRIX[:2])],
    linalg.block_diag: [s(SQUARE, COLUMNS), s(SQUARE, VECTOR, COLUMNS), s(MATRIX)],
    linalg.polar: [s(SQUARE), s(SQUARE, "left")],
    linalg.expm: [s(SQUARE)],
    linalg.eig: [s(np.array([[0.5, -2.0], [1.5, 0.25]])), s(SQUARE, right=False)],
    linalg.eigvals: [s(SQUARE)],
    linalg.sqrtm: [s(SYMMETRIC)],
    linalg.logm: [s(SYMMETRIC)],
    linalg.solve_sylvester: [s(SQUARE, SYMMETRIC, SQUARE)],
    linalg.solve_continuous_lyapunov: [s(SQUARE, SYMMETRIC)],
    linalg.solve_discrete_lyapunov: [s(0.1 * SQUARE, SYMMETRIC)],
    linalg.lu_factor: [s(TURNED)],
    linalg.lu_solve: [s(linalg.lu_factor(TURNED), VECTOR), s(linalg.lu_factor(TURNED), COLUMNS, 1)],
    linalg.lu: [s(TURNED), s(TURNED, True), s(TURNED, p_indices=True)],
})  # fmt: skip

DISCRETE = {
    *(k.signs_of_eigenvectors, k.signs_of_tridiagonal_eigenvectors),
    *(linalg.dft, linalg.hadamard, linalg.helmert, linalg.hilbert, linalg.invhilbert, linalg.pascal, linalg.invpascal),
    k.positive_set,
    k.apart_by_iteration,
    k.are_real,
    k.active_bounds,
    k.pivots,
    k.order_of_pivots,
}
