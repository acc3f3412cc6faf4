"""Definitions and rules of matrix decompositions (QR, SVD), and of functions that are computed from them."""

import numpy as np
from numpy.linalg._linalg import EighResult, EigResult, QRResult, SVDResult

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, linear, tangent, zero


@define(np.linalg.qr)
def qr(a, mode="reduced"):
    if mode not in ("reduced", "r"):
        raise NotImplementedError("np.linalg.qr with other modes than 'reduced' and 'r' has no derivative")
    q = kernels.orthogonal_factor(a[..., : a.shape[-2]])  # of a wide matrix, the square part has the same Q
    r = np.triu(kernels.transpose_times(np.conjugate(q), a))
    if mode == "r":
        return r
    return QRResult(q, r)


@adjoint(kernels.orthogonal_factor)
def orthogonal_factor(y, a):
    # Assumes linearly independent columns.
    w = kernels.transpose_times(y, d[y])
    g = d[y] + kernels.times(np.conjugate(y), kernels.skew_adjoint(w) - w)
    r = kernels.transpose_times(np.conjugate(y), a)
    d[a] = np.swapaxes(np.linalg.solve(r, np.swapaxes(g, -1, -2)), -1, -2)


@tangent(kernels.orthogonal_factor)
def orthogonal_factor_tangent(y, a):
    r = np.swapaxes(kernels.transpose_times(np.conjugate(y), a), -1, -2)
    m = np.swapaxes(np.linalg.solve(r, np.swapaxes(d[a], -1, -2)), -1, -2)
    w = kernels.transpose_times(np.conjugate(y), m)
    d[y] = m + kernels.times(y, kernels.skew(w) - w)


@adjoint(kernels.skew)
def skew(y, m):
    d[m] = kernels.skew_adjoint(d[y])


@adjoint(kernels.skew_adjoint)
def skew_adjoint(y, g):
    d[g] = kernels.skew(d[y])


linear(kernels.skew, kernels.skew_adjoint)


@define(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        raise NotImplementedError("np.linalg.svd with `hermitian` has no derivative: use np.linalg.eigh")
    s = kernels.singular_values(a)
    if not compute_uv:
        return s
    v = kernels.right_vectors(a)
    u = kernels.left_vectors(kernels.times(a, v), s, kernels.constant_copy(a))
    if full_matrices:
        u = np.concatenate((u, kernels.other_left_vectors(u, kernels.constant_copy(a))), axis=-1)
        v = np.concatenate((v, kernels.other_right_vectors(v, kernels.constant_copy(a))), axis=-1)
    return SVDResult(u, s, np.conjugate(np.swapaxes(v, -1, -2)))


@adjoint(kernels.singular_values)
def singular_values(y, a):
    # At 0 the derivative 0 is chosen.
    v = kernels.right_vectors(a)
    b = np.conjugate(kernels.times(a, v)) * np.expand_dims(kernels.ratio(d[y], y), -2)
    d[a] = kernels.times_transpose(b, v)


@tangent(kernels.singular_values)
def singular_values_tangent(y, a):
    v = kernels.right_vectors(a)
    b = np.conjugate(kernels.times(a, v))
    d[y] = kernels.ratio(np.real(np.sum(b * kernels.times(d[a], v), axis=-2)), y)


@adjoint(kernels.left_vectors)
def left_vectors(y, b, s, a):
    d[b] = kernels.strong_quotient(d[y], np.expand_dims(s, -2))
    d[s] = -kernels.strong_quotient(np.real(np.sum(d[y] * y, axis=-2)), s)


@tangent(kernels.left_vectors)
def left_vectors_tangent(y, b, s, a):
    d[y] = kernels.strong_quotient(d[b] - y * np.expand_dims(d[s], -2), np.expand_dims(s, -2))


@adjoint(kernels.right_vectors)
def right_vectors(y, a):
    # Vectors of equal singular values have no derivative.
    b = kernels.times(a, y)
    w = np.sum(kernels.squared_modulus(b), axis=-2)
    g = kernels.transpose_times(y, d[y])
    gaps = kernels.strong_product(g, kernels.inverse_gaps_of_squares(np.sqrt(w)))
    turned = gaps + np.conjugate(np.swapaxes(gaps, -1, -2))
    inner = kernels.times_transpose(kernels.times(np.conjugate(b), turned), y)
    rest = np.swapaxes(d[y], -1, -2) - kernels.times_transpose(np.swapaxes(g, -1, -2), np.conjugate(y))
    d[a] = inner + np.conjugate(kernels.times(b, kernels.over_squares(rest, w)))


@tangent(kernels.right_vectors)
def right_vectors_tangent(y, a):
    b = kernels.times(a, y)
    w = np.sum(kernels.squared_modulus(b), axis=-2)
    m = kernels.transpose_times(np.conjugate(b), kernels.times(d[a], y))
    into = kernels.transpose_times(np.conjugate(b), d[a])
    rest = into - kernels.times_transpose(kernels.times(into, y), np.conjugate(y))
    both = m + np.conjugate(np.swapaxes(m, -1, -2))
    turned = kernels.times(y, kernels.strong_product(both, kernels.inverse_gaps_of_squares(np.sqrt(w))))
    d[y] = turned + np.conjugate(np.swapaxes(kernels.over_squares(rest, w), -1, -2))


@adjoint(kernels.over_squares)
def over_squares(y, rest, w):
    d[rest] = kernels.over_squares(d[y], w)
    d[w] = -kernels.strong_quotient(np.real(np.sum(d[y] * y, axis=-1)), w)


@tangent(kernels.over_squares)
def over_squares_tangent(y, rest, w):
    d[y] = kernels.over_squares(d[rest] - y * np.expand_dims(d[w], -1), w)


@adjoint(kernels.other_left_vectors, kernels.other_right_vectors)
def other_vectors(y, u, a):
    # Only the space that they span is determined: they turn as little as possible.
    d[u] = -np.conjugate(kernels.times(y, kernels.transpose_times(d[y], u)))


@tangent(kernels.other_left_vectors, kernels.other_right_vectors)
def other_vectors_tangent(y, u, a):
    d[y] = -kernels.times(u, kernels.transpose_times(np.conjugate(d[u]), y))


@define(np.linalg.svdvals)
def svdvals(x):
    return kernels.singular_values(x)


@define(np.linalg.eigh)
def eigh(a, UPLO="L"):
    symmetric = kernels.mirrored(a, UPLO)
    # LAPACK's signs of eigenvectors depend on the triangle that it reads.
    v = kernels.eigenvectors(symmetric) if UPLO == "L" else kernels.upper_eigenvectors(symmetric)
    return EighResult(kernels.values_of_vectors(symmetric, v), v)


@define(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    symmetric = kernels.mirrored(a, UPLO)
    return kernels.values_of_vectors(symmetric, kernels.eigenvectors(symmetric))


@define(kernels.mirrored)
def mirrored(a, uplo):
    lower = np.tril(a) if uplo == "L" else np.conjugate(np.swapaxes(np.triu(a), -1, -2))  # only this half is read
    return lower + np.conjugate(np.swapaxes(np.tril(lower, -1), -1, -2))


@adjoint(kernels.eigenvectors, kernels.upper_eigenvectors)
def eigenvectors(y, a):
    # Eigenvectors of equal eigenvalues have no derivative.
    w = kernels.values_of_vectors(a, y)
    m = kernels.strong_product(kernels.transpose_times(y, d[y]), kernels.inverse_gaps(w))
    bar = kernels.times_transpose(kernels.times(np.conjugate(y), m), y)
    d[a] = 0.5 * (bar + np.conjugate(np.swapaxes(bar, -1, -2)))


@tangent(kernels.eigenvectors, kernels.upper_eigenvectors)
def eigenvectors_tangent(y, a):
    w = kernels.values_of_vectors(a, y)
    hermitian = 0.5 * (d[a] + np.conjugate(np.swapaxes(d[a], -1, -2)))
    m = kernels.transpose_times(np.conjugate(y), kernels.times(hermitian, y))
    d[y] = kernels.times(y, kernels.strong_product(m, kernels.inverse_gaps(w)))


@adjoint(kernels.inverse_gaps)
def inverse_gaps(y, w):
    d[w] = np.sum(d[y] * y * y, axis=-1) - np.sum(d[y] * y * y, axis=-2)


@tangent(kernels.inverse_gaps)
def inverse_gaps_tangent(y, w):
    d[y] = y * y * (np.expand_dims(d[w], -1) - np.expand_dims(d[w], -2))


@adjoint(kernels.values_of_vectors)
def values_of_vectors(y, a, v):
    d[a] = kernels.times_transpose(np.conjugate(v) * np.expand_dims(d[y], -2), v)


@tangent(kernels.values_of_vectors)
def values_of_vectors_tangent(y, a, v):
    d[y] = np.sum(np.real(np.conjugate(v) * kernels.times(d[a], v)), axis=-2)


@adjoint(kernels.inverse_gaps_of_squares)
def inverse_gaps_of_squares(y, s):
    d[s] = 2.0 * s * (np.sum(d[y] * y * y, axis=-1) - np.sum(d[y] * y * y, axis=-2))


@tangent(kernels.inverse_gaps_of_squares)
def inverse_gaps_of_squares_tangent(y, s):
    d[y] = 2.0 * y * y * (np.expand_dims(s * d[s], -1) - np.expand_dims(s * d[s], -2))


@define(np.linalg.eig)
def eig(a):
    # LAPACK scales each vector to length 1, and turns it so that its largest element is real.
    u = kernels.general_eigenvectors(a)
    top = np.take_along_axis(u, kernels.largest_of_columns(u), -2)
    u = u * (kernels.modulus(top) / top * kernels.constant_copy(top / kernels.modulus(top)))
    length = np.sqrt(np.sum(kernels.squared_modulus(u), axis=-2, keepdims=True))
    return EigResult(kernels.eigenvalues(a), u / length)


@define(np.linalg.eigvals)
def eigvals(a):
    return kernels.eigenvalues_alone(a)


@adjoint(kernels.eigenvalues, kernels.eigenvalues_alone)
def eigenvalues(y, a):
    # Matrices without a basis of eigenvectors have no derivative: LinAlgError, or very large numbers.
    v = kernels.eigenvectors_of(a, kernels.constant_copy(y))
    left = np.swapaxes(np.linalg.inv(v), -1, -2) * np.expand_dims(d[y], -2)
    d[a] = kernels.real_beside_real(kernels.times_transpose(left, v), a)


@tangent(kernels.eigenvalues, kernels.eigenvalues_alone)
def eigenvalues_tangent(y, a):
    v = kernels.eigenvectors_of(a, kernels.constant_copy(y))
    d[y] = np.sum(np.swapaxes(np.linalg.inv(v), -1, -2) * kernels.times(kernels.as_complex(d[a]), v), axis=-2)


@adjoint(kernels.general_eigenvectors)
def general_eigenvectors(y, a):
    inverse = np.linalg.inv(y)
    w = np.sum(np.swapaxes(inverse, -1, -2) * kernels.times(kernels.as_complex(a), y), axis=-2)
    m = kernels.strong_product(kernels.transpose_times(y, d[y]), kernels.inverse_gaps(w))
    bar = kernels.times_transpose(kernels.transpose_times(inverse, m), y)
    d[a] = kernels.real_beside_real(bar, a)


@tangent(kernels.general_eigenvectors)
def general_eigenvectors_tangent(y, a):
    inverse = np.linalg.inv(y)
    w = np.sum(np.swapaxes(inverse, -1, -2) * kernels.times(kernels.as_complex(a), y), axis=-2)
    m = kernels.times(inverse, kernels.times(kernels.as_complex(d[a]), y))
    d[y] = kernels.times(y, kernels.strong_product(m, kernels.inverse_gaps(w)))


@adjoint(kernels.eigenvectors_of)
def eigenvectors_of(y, a, values):
    inverse = np.linalg.inv(y)
    w = np.sum(np.swapaxes(inverse, -1, -2) * kernels.times(kernels.as_complex(a), y), axis=-2)
    m = kernels.strong_product(kernels.transpose_times(y, d[y]), kernels.inverse_gaps(w))
    bar = kernels.times_transpose(kernels.transpose_times(inverse, m), y)
    d[a] = kernels.real_beside_real(bar, a)


@tangent(kernels.eigenvectors_of)
def eigenvectors_of_tangent(y, a, values):
    inverse = np.linalg.inv(y)
    w = np.sum(np.swapaxes(inverse, -1, -2) * kernels.times(kernels.as_complex(a), y), axis=-2)
    m = kernels.times(inverse, kernels.times(kernels.as_complex(d[a]), y))
    d[y] = kernels.times(y, kernels.strong_product(m, kernels.inverse_gaps(w)))


@adjoint(kernels.as_complex)
def as_complex(y, a):
    d[a] = kernels.real_beside_real(d[y], a)


linear(kernels.as_complex)
zero(kernels.largest_of_columns, kernels.constant_copy)


zero(kernels.full_rank)


@define(np.linalg.pinv)
def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    if rcond is not None or rtol is not None:
        raise NotImplementedError("np.linalg.pinv with a tolerance has no derivative")
    if hermitian:  # NumPy reads the lower triangle, and of its diagonal the real part
        half = 0.5 * (np.tril(a) + np.tril(a, -1))
        a = half + np.conjugate(np.swapaxes(half, -1, -2))
    return kernels.pseudo_inverse(a)


@adjoint(kernels.pseudo_inverse)
def pseudo_inverse(y, a):
    # For matrices of full rank. Golub and Pereyra, The differentiation of pseudo-inverses, SIAM J. Num. Anal. 10, 1973.
    p = np.conjugate(y)
    turned = np.conjugate(np.swapaxes(d[y], -1, -2))
    over = kernels.times(turned, kernels.times_transpose(p, y))
    under = kernels.times(kernels.transpose_times(y, p), turned)
    rest = over - kernels.times(np.conjugate(kernels.times(a, y)), over)
    rest = rest + under - kernels.times(under, np.conjugate(kernels.times(y, a)))
    d[a] = rest - kernels.transpose_times(y, kernels.times_transpose(d[y], y))


@tangent(kernels.pseudo_inverse)
def pseudo_inverse_tangent(y, a):
    t = np.conjugate(np.swapaxes(d[a], -1, -2))
    h = np.conjugate(np.swapaxes(y, -1, -2))
    over = kernels.times(kernels.times(y, h), t)
    under = kernels.times(t, kernels.times(h, y))
    rest = over - kernels.times(kernels.times(over, a), y) + under - kernels.times(y, kernels.times(a, under))
    d[y] = rest - kernels.times(y, kernels.times(d[a], y))


@define(np.linalg.lstsq)
def lstsq(a, b, rcond=None):
    rank = kernels.full_rank(a)
    s = kernels.singular_values(a)
    if rcond is not None and a.size > 0 and s[-1] <= rcond * s[0]:
        raise np.linalg.LinAlgError("the solution for a matrix that does not have full rank has no derivative")
    x = np.dot(np.linalg.pinv(a), b)
    rest = b - np.dot(a, x)
    residuals = np.sum(np.reshape(kernels.squared_modulus(rest), (b.shape[0], -1)), axis=0)
    if a.shape[0] <= a.shape[1]:
        residuals = residuals[:0]
    return x, residuals, rank, s


@define(np.linalg.cond)
def cond(x, p=None):
    if p is None or p == 2:
        s = kernels.singular_values(x)
        return s[..., 0] / s[..., -1]
    if p == -2:
        s = kernels.singular_values(x)
        return s[..., -1] / s[..., 0]
    if np.ndim(x) == 2:
        return kernels.norm_of_order(x, p) * kernels.norm_of_order(np.linalg.inv(x), p)
    return kernels.norm_of_matrices(x, p, (-2, -1)) * kernels.norm_of_matrices(np.linalg.inv(x), p, (-2, -1))


@define(np.linalg.matrix_power)
def matrix_power(a, n):
    if n == 1:
        return a  # no copy: that is what NumPy does
    base = np.linalg.inv(a) if n < 0 else a
    y = np.eye(a.shape[-1]) + np.zeros_like(a)
    for _ in range(abs(n)):
        y = kernels.times(y, base)
    return y


@define(np.roots)
def roots(p):
    # Complex numbers, real roots included; the first coefficient is not zero.
    n = len(p) - 1
    companion = np.concatenate((np.expand_dims(-p[1:] / p[0], 0), np.eye(n)[: n - 1]))
    return np.linalg.eigvals(companion)


@define(np.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None):
    if rcond is not None or full:
        raise NotImplementedError("np.polyfit with `rcond` or `full` has no derivative rule")
    rows = np.vander(x, deg + 1)
    if w is None:
        q, r = np.linalg.qr(rows)
        return np.linalg.solve(r, kernels.transpose_times(np.conjugate(q), y))
    q, r = np.linalg.qr(rows * np.expand_dims(w, 1))
    return np.linalg.solve(
        r, kernels.transpose_times(np.conjugate(q), y * w if np.ndim(y) == 1 else y * np.expand_dims(w, 1))
    )


@define(np.vander)
def vander(x, N=None, increasing=False):
    count = len(x) if N is None else N
    ones = np.ones((len(x), 1), x.dtype)
    powers = np.cumprod(np.concatenate((ones, np.expand_dims(x, 1) * np.ones((1, count - 1))), axis=1), axis=1)
    return powers if increasing else powers[:, ::-1]


@define(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    rows = m if rowvar or np.ndim(m) == 1 else np.transpose(m)
    if y is not None:
        rows = np.vstack((rows, y if rowvar or np.ndim(y) == 1 else np.transpose(y)))
    if np.ndim(rows) == 2 and rows.shape[0] == 1:
        raise NotImplementedError("the covariance of one row, which is a number, has no derivative rule as a matrix")
    correction = (0 if bias else 1) if ddof is None else ddof
    if np.ndim(rows) == 1:
        apart = rows - np.mean(rows)
        return np.sum(kernels.squared_modulus(apart)) / (rows.shape[0] - correction)
    rest = rows - np.mean(rows, axis=1, keepdims=True)
    return kernels.times_transpose(rest, np.conjugate(rest)) / (rows.shape[1] - correction)


@define(np.cov, given=("fweights", "aweights", "dtype"))
def weighted_cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    m = m if dtype is None else np.astype(m, dtype)
    y = y if dtype is None or y is None else np.astype(y, dtype)
    if fweights is None and aweights is None:
        return np.cov(m, y, rowvar, bias, ddof)
    rows = m if rowvar or np.ndim(m) == 1 else np.transpose(m)
    if y is not None:
        rows = np.vstack((rows, y if rowvar or np.ndim(y) == 1 else np.transpose(y)))
    if np.ndim(rows) == 2 and rows.shape[0] == 1:
        raise NotImplementedError("the covariance of one row, which is a number, has no derivative rule as a matrix")
    correction = (0 if bias else 1) if ddof is None else ddof
    own = 1.0 if aweights is None else np.real(aweights)  # NumPy takes real numbers
    w = own if fweights is None else fweights * own
    total = np.sum(w)
    less = total - correction * (np.sum(w * own) / total)
    if np.ndim(rows) == 1:
        apart = rows - np.sum(rows * w) / total
        return np.sum(kernels.squared_modulus(apart) * w) / less
    rest = rows - np.sum(rows * w, axis=1, keepdims=True) / total
    return kernels.times_transpose(rest * w, np.conjugate(rest)) / less


@define(np.corrcoef)
def corrcoef(x, y=None, rowvar=True):
    c = np.cov(x, y, rowvar)
    scale = np.sqrt(np.real(np.diag(c)))
    return c / np.expand_dims(scale, 1) / np.expand_dims(scale, 0)
