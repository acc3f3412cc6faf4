"""Systems of equations and factors in `scipy.linalg`, in terms of NumPy's and of triangular systems."""

import numpy as np
import scipy.linalg

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, inlined, linear, tangent, zero


@define(scipy.linalg.solve_triangular)
def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    if trans not in (0, 1, "N", "T"):
        raise NotImplementedError("scipy.linalg.solve_triangular has a derivative with trans=0 and trans=1")
    matrix = a
    if unit_diagonal:
        matrix = (np.tril(a, -1) if lower else np.triu(a, 1)) + np.eye(a.shape[-1])
    if np.ndim(a) != 2 or np.ndim(b) > 2:
        return _solved_in_stack(matrix, b, lower, trans in (1, "T"))
    return kernels.scipy.triangular_solve(matrix, b, lower, trans in (1, "T"))


@inlined
def _solved_in_stack(a, b, lower, transposed):
    part = np.tril(a) if lower else np.triu(a)
    return np.linalg.solve(np.swapaxes(part, -1, -2) if transposed else part, b)


@adjoint(kernels.scipy.triangular_solve, ndim=(2, 1), handles_complex=False)
def triangular_solve(x, a, b, lower, transposed):
    w = kernels.scipy.triangular_solve(a, d[x], lower, not transposed)
    d[b] = w
    d[a] = -kernels.scipy.triangle(np.outer(x, w) if transposed else np.outer(w, x), lower)


@adjoint(kernels.scipy.triangular_solve, ndim=(2, 2), handles_complex=False)
def triangular_solve_for_columns(x, a, b, lower, transposed):
    w = kernels.scipy.triangular_solve(a, d[x], lower, not transposed)
    d[b] = w
    outer = kernels.times_transpose(x, w) if transposed else kernels.times_transpose(w, x)
    d[a] = -kernels.scipy.triangle(outer, lower)


@tangent(kernels.scipy.triangular_solve, ndim=(2, 1))
def triangular_solve_tangent(x, a, b, lower, transposed):
    d[x] = kernels.scipy.triangular_solve(a, d[b], lower, transposed) - kernels.scipy.triangular_solve(
        a, np.dot(kernels.scipy.turned(kernels.scipy.triangle(d[a], lower), transposed), x), lower, transposed
    )


@tangent(kernels.scipy.triangular_solve, ndim=(2, 2))
def triangular_solve_for_columns_tangent(x, a, b, lower, transposed):
    d[x] = kernels.scipy.triangular_solve(a, d[b], lower, transposed) - kernels.scipy.triangular_solve(
        a, np.dot(kernels.scipy.turned(kernels.scipy.triangle(d[a], lower), transposed), x), lower, transposed
    )


@adjoint(kernels.scipy.triangle)
def triangle(y, a, lower):
    d[a] = kernels.scipy.triangle(d[y], lower)


@adjoint(kernels.scipy.turned)
def turned(y, a, transposed):
    d[a] = kernels.scipy.turned(d[y], transposed)


linear(kernels.scipy.triangle, kernels.scipy.turned)


@define(kernels.scipy.from_triangle)
def from_triangle(a, lower):
    if lower:
        return np.tril(a) + np.transpose(np.tril(a, -1))
    return np.triu(a) + np.transpose(np.triu(a, 1))


@define(scipy.linalg.solve)
def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, transposed=False):
    if np.ndim(a) != 2 or np.ndim(b) > 2:
        if assume_a not in (None, "gen", "general"):
            raise NotImplementedError("scipy.linalg.solve of stacks has a derivative without `assume_a`")
        return np.linalg.solve(np.swapaxes(a, -1, -2) if transposed else a, b)
    if assume_a not in (None, "gen", "general") and (np.iscomplexobj(a) or np.iscomplexobj(b)):
        raise NotImplementedError("scipy.linalg.solve of complex matrices has a derivative without `assume_a`")
    if assume_a in ("sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        return np.linalg.solve(kernels.scipy.from_triangle(a, lower), b)
    if assume_a in ("upper triangular", "lower triangular"):
        return kernels.scipy.triangular_solve(a, b, assume_a == "lower triangular", transposed)
    if assume_a == "diagonal":
        return np.transpose(np.transpose(b) / np.diag(a))
    if assume_a == "tridiagonal":
        middle = np.triu(np.tril(a, 1), -1)
        return np.linalg.solve(kernels.scipy.turned(middle, transposed), b)
    return np.linalg.solve(kernels.scipy.turned(a, transposed), b)


@define(scipy.linalg.cholesky)
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    if lower:
        return np.linalg.cholesky(a)
    return np.swapaxes(np.linalg.cholesky(np.swapaxes(a, -1, -2)), -1, -2)


@define(scipy.linalg.cho_factor)
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    # The other triangle is that of the argument.
    if lower:
        return np.linalg.cholesky(a) + np.triu(a, 1), lower
    return np.swapaxes(np.linalg.cholesky(np.swapaxes(a, -1, -2)), -1, -2) + np.tril(a, -1), lower


@define(scipy.linalg.cho_solve)
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    if np.ndim(c) != 2 or np.ndim(b) > 2:
        right = np.expand_dims(b, 1) if np.ndim(b) == 1 else b
        x = _solved_in_stack(c, _solved_in_stack(c, right, lower, not lower), lower, lower)
        return x[..., 0] if np.ndim(b) == 1 else x
    first = kernels.scipy.triangular_solve(c, b, lower, not lower)
    return kernels.scipy.triangular_solve(c, first, lower, lower)


@define(scipy.linalg.inv)
def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    if np.ndim(a) != 2 and assume_a not in (None, "gen", "general"):
        raise NotImplementedError("scipy.linalg.inv of stacks has a derivative without `assume_a`")
    if assume_a not in (None, "gen", "general") and np.iscomplexobj(a):
        raise NotImplementedError("scipy.linalg.inv of complex matrices has a derivative without `assume_a`")
    if assume_a in ("sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        return np.linalg.inv(kernels.scipy.from_triangle(a, lower))
    if assume_a in ("upper triangular", "lower triangular"):
        return np.linalg.inv(kernels.scipy.triangle(a, assume_a == "lower triangular"))
    return np.linalg.inv(a)


@define(scipy.linalg.det)
def det(a, overwrite_a=False, check_finite=True):
    return np.linalg.det(a)


@define(scipy.linalg.pinv)
def pinv(a):
    return np.linalg.pinv(a)


@define(scipy.linalg.lstsq)
def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None):
    if np.ndim(a) != 2 or np.ndim(b) > 2 or a.shape[0] <= a.shape[1]:
        raise NotImplementedError("scipy.linalg.lstsq has a derivative for more equations than unknowns")
    rank = kernels.full_rank(a)
    s = kernels.singular_values(a)
    if cond is not None and a.size > 0 and s[-1] <= cond * s[0]:
        raise np.linalg.LinAlgError("the solution for a matrix that does not have full rank has no derivative")
    x = np.dot(np.linalg.pinv(a), b)
    return x, np.sum(kernels.squared_modulus(b - np.dot(a, x)), axis=0), rank, s


@define(scipy.linalg.solve_banded)
def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    if np.ndim(ab) != 2:
        raise NotImplementedError("scipy.linalg.solve_banded of stacks has no derivative: call it for each")
    return np.linalg.solve(kernels.scipy.banded(l_and_u, ab), b)


@define(scipy.linalg.solveh_banded)
def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True):
    if np.ndim(ab) != 2:
        raise NotImplementedError("scipy.linalg.solveh_banded of stacks has no derivative: call it for each")
    if np.iscomplexobj(ab):
        raise NotImplementedError("scipy.linalg.solveh_banded has a derivative for real matrices")
    width = ab.shape[0] - 1
    if lower:
        return np.linalg.solve(kernels.scipy.from_triangle(kernels.scipy.banded((width, 0), ab), True), b)
    return np.linalg.solve(kernels.scipy.from_triangle(kernels.scipy.banded((0, width), ab), False), b)


@adjoint(kernels.scipy.banded)
def banded(y, l_and_u, ab):
    d[ab] = kernels.scipy.diagonals(l_and_u, d[y])


@adjoint(kernels.scipy.diagonals)
def diagonals(y, l_and_u, a):
    d[a] = kernels.scipy.banded(l_and_u, d[y])


linear(kernels.scipy.banded, kernels.scipy.diagonals)


@define(scipy.linalg.norm)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    if ord is None:
        return np.linalg.norm(a, axis=axis, keepdims=keepdims)
    return np.linalg.norm(a, ord, axis, keepdims)


zero(kernels.scipy.pivots, kernels.scipy.order_of_pivots)
