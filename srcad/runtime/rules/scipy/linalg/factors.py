"""Decompositions and functions of matrices in `scipy.linalg`."""

import numpy as np
import scipy.linalg

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, inlined, tangent


@define(scipy.linalg.qr)
def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    if pivoting:
        raise NotImplementedError("scipy.linalg.qr with pivoting has no derivative")
    if mode == "economic" or (mode == "full" and a.shape[0] == a.shape[1]):
        return np.linalg.qr(a)
    raise NotImplementedError("scipy.linalg.qr has a derivative with mode='economic'")


@define(scipy.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    if compute_uv:
        return np.linalg.svd(a, full_matrices=full_matrices)
    return kernels.singular_values(a)


@define(scipy.linalg.svdvals)
def svdvals(a, overwrite_a=False, check_finite=True):
    return kernels.singular_values(a)


@define(scipy.linalg.eigvals)
def eigvals(a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False):
    if b is not None or homogeneous_eigvals:
        raise NotImplementedError("scipy.linalg.eigvals of pairs of matrices has no derivative: solve for b first")
    return kernels.as_complex(np.linalg.eigvals(a))


@define(scipy.linalg.eig)
def eig(
    a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True,
    homogeneous_eigvals=False
):  # fmt: skip
    if b is not None or homogeneous_eigvals or left:
        raise NotImplementedError("scipy.linalg.eig has a derivative for one matrix and its right eigenvectors")
    if not right:
        return kernels.as_complex(np.linalg.eigvals(a))
    values, vectors = np.linalg.eig(a)
    return kernels.as_complex(values), vectors


@define(scipy.linalg.polar)
def polar(a, side="right"):
    if np.ndim(a) != 2:
        raise NotImplementedError("scipy.linalg.polar of stacks has no derivative: call it for each")
    if np.iscomplexobj(a):
        raise NotImplementedError("scipy.linalg.polar has a derivative for real matrices")
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    if side == "right":
        return np.dot(u, vh), np.dot(np.transpose(vh) * s, vh)
    return np.dot(u, vh), np.dot(u * s, np.transpose(u))


@define(scipy.linalg.expm)
def expm_of_matrix(A):
    if np.ndim(A) == 2:
        return kernels.scipy.expm(A)
    flat = np.reshape(A, (-1, A.shape[-1], A.shape[-1]))
    y = np.zeros(flat.shape, flat.dtype)
    for k in range(flat.shape[0]):
        y[k] = kernels.scipy.expm(flat[k])
    return np.reshape(y, A.shape)


@adjoint(kernels.scipy.expm)
def expm(y, a):
    n = a.shape[0]
    d[a] = kernels.scipy.expm(kernels.scipy.beside(np.transpose(a), d[y]))[:n, n:]


@tangent(kernels.scipy.expm)
def expm_tangent(y, a):
    n = a.shape[0]
    d[y] = kernels.scipy.expm(kernels.scipy.beside(a, d[a]))[:n, n:]


@define(scipy.linalg.sqrtm)
def sqrtm_of_matrix(A):
    if np.ndim(A) != 2:
        raise NotImplementedError("scipy.linalg.sqrtm of stacks has no derivative: call it for each")
    return kernels.scipy.sqrtm(A)


@adjoint(kernels.scipy.sqrtm, handles_complex=False)
def sqrtm(y, a):
    d[a] = kernels.scipy.sylvester(np.transpose(y), np.transpose(y), d[y])


@tangent(kernels.scipy.sqrtm)
def sqrtm_tangent(y, a):
    d[y] = kernels.scipy.sylvester(y, y, d[a])


@define(scipy.linalg.logm)
def logm_of_matrix(A):
    if np.ndim(A) != 2:
        raise NotImplementedError("scipy.linalg.logm of stacks has no derivative: call it for each")
    return kernels.scipy.logm(A)


@adjoint(kernels.scipy.logm, handles_complex=False)
def logm(y, a):
    n = a.shape[0]
    d[a] = kernels.scipy.logm(kernels.scipy.beside(np.transpose(a), d[y]))[:n, n:]


@tangent(kernels.scipy.logm)
def logm_tangent(y, a):
    n = a.shape[0]
    d[y] = kernels.scipy.logm(kernels.scipy.beside(a, d[a]))[:n, n:]


@adjoint(kernels.scipy.beside)
def beside(y, a, e):
    n = a.shape[0]
    d[a] = d[y][:n, :n] + d[y][n:, n:]
    d[e] = d[y][:n, n:]


@tangent(kernels.scipy.beside)
def beside_tangent(y, a, e):
    d[y] = kernels.scipy.beside(d[a], d[e])


@define(scipy.linalg.solve_sylvester)
def solve_sylvester(a, b, q):
    if np.ndim(a) != 2 or np.ndim(b) != 2 or np.ndim(q) != 2:
        raise NotImplementedError("scipy.linalg.solve_sylvester of stacks has no derivative: call it for each")
    return kernels.scipy.sylvester(a, b, q)


@adjoint(kernels.scipy.sylvester, handles_complex=False)
def sylvester(x, a, b, q):
    w = kernels.scipy.sylvester(np.transpose(a), np.transpose(b), d[x])
    d[q] = w
    d[a] = -kernels.times_transpose(w, x)
    d[b] = -kernels.transpose_times(x, w)


@tangent(kernels.scipy.sylvester)
def sylvester_tangent(x, a, b, q):
    d[x] = (
        kernels.scipy.sylvester(a, b, d[q])
        - kernels.scipy.sylvester(a, b, np.dot(d[a], x))
        - kernels.scipy.sylvester(a, b, np.dot(x, d[b]))
    )


@define(scipy.linalg.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a, q):
    if np.ndim(a) != 2 or np.ndim(q) != 2:
        raise NotImplementedError(
            "scipy.linalg.solve_continuous_lyapunov of stacks has no derivative: call it for each"
        )
    return kernels.scipy.sylvester(a, np.transpose(a), q)


@define(scipy.linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a, q, method=None):
    if np.ndim(a) != 2 or np.ndim(q) != 2:
        raise NotImplementedError("scipy.linalg.solve_discrete_lyapunov of stacks has no derivative: call it for each")
    return kernels.scipy.discrete_lyapunov(a, q)


@adjoint(kernels.scipy.discrete_lyapunov, handles_complex=False)
def discrete_lyapunov(x, a, q):
    w = kernels.scipy.discrete_lyapunov(np.transpose(a), d[x])
    d[q] = w
    d[a] = np.dot(w, np.dot(a, np.transpose(x))) + np.dot(np.transpose(w), np.dot(a, x))


@tangent(kernels.scipy.discrete_lyapunov)
def discrete_lyapunov_tangent(x, a, q):
    d[x] = (
        kernels.scipy.discrete_lyapunov(a, d[q])
        + kernels.scipy.discrete_lyapunov(a, np.dot(d[a], np.dot(x, np.transpose(a))))
        + kernels.scipy.discrete_lyapunov(a, np.dot(a, np.dot(x, np.transpose(d[a]))))
    )


@define(scipy.linalg.lu_factor)
def lu_factor(a, overwrite_a=False, check_finite=True):
    if np.ndim(a) != 2 or a.shape[0] != a.shape[1]:
        raise NotImplementedError("scipy.linalg.lu_factor has a derivative for square matrices, not for stacks")
    packed = kernels.scipy.packed_lu(a)
    return packed[:-1], kernels.scipy.pivots(packed)


@adjoint(kernels.scipy.packed_lu, handles_complex=False)
def packed_lu(y, a):
    # With the order of rows kept: it is constant near matrices without ties between pivots.
    low = np.tril(y[:-1], -1) + np.eye(y.shape[1])
    high = np.triu(y[:-1])
    g = d[y][:-1]
    inner = np.tril(kernels.transpose_times(low, np.tril(g, -1)), -1)
    inner = inner + np.triu(kernels.times_transpose(np.triu(g), high))
    left = kernels.scipy.triangular_solve(low, inner, True, True)
    both = np.transpose(kernels.scipy.triangular_solve(high, np.transpose(left), False, False))
    d[a] = both[np.argsort(kernels.scipy.order_of_pivots(kernels.scipy.pivots(y)))]


@tangent(kernels.scipy.packed_lu)
def packed_lu_tangent(y, a):
    low = np.tril(y[:-1], -1) + np.eye(y.shape[1])
    high = np.triu(y[:-1])
    order = kernels.scipy.order_of_pivots(kernels.scipy.pivots(y))
    left = kernels.scipy.triangular_solve(low, d[a][order], True, False)
    both = np.transpose(kernels.scipy.triangular_solve(high, np.transpose(left), False, True))
    moved = np.dot(low, np.tril(both, -1)) + np.dot(np.triu(both), high)
    d[y] = np.concatenate((moved, np.zeros_like(y[-1:])))


@define(scipy.linalg.lu_solve)
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    factors, exchanges = lu_and_piv
    if np.ndim(factors) != 2:
        raise NotImplementedError("scipy.linalg.lu_solve of stacks has no derivative: call it for each")
    order = kernels.scipy.order_of_pivots(exchanges)
    low = np.tril(factors, -1) + np.eye(factors.shape[0])
    if trans == 0:
        return kernels.scipy.triangular_solve(
            factors, kernels.scipy.triangular_solve(low, b[order], True, False), False, False
        )
    rest = kernels.scipy.triangular_solve(low, kernels.scipy.triangular_solve(factors, b, False, True), True, True)
    return rest[np.argsort(order)]


@define(scipy.linalg.lu)
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    if np.ndim(a) != 2 or a.shape[0] != a.shape[1]:
        raise NotImplementedError("scipy.linalg.lu has a derivative for square matrices")
    packed = kernels.scipy.packed_lu(a)
    factors = packed[:-1]
    back = np.argsort(kernels.scipy.order_of_pivots(kernels.scipy.pivots(packed)))
    low = np.tril(factors, -1) + np.eye(a.shape[0])
    if permute_l:
        return low[back], np.triu(factors)
    if p_indices:
        return back, low, np.triu(factors)
    return np.eye(a.shape[0])[back], low, np.triu(factors)


@inlined
def _rotation(A):
    """The cosine and the sine of a matrix, in the exponential of [[0, -A], [A, 0]]."""
    nothing = np.zeros_like(A)
    above = np.concatenate((nothing, -A), axis=1)
    both = kernels.scipy.expm(np.concatenate((above, np.concatenate((A, nothing), axis=1)), axis=0))
    n = A.shape[0]
    return both[:n, :n], both[n:, :n]


@define(scipy.linalg.cosm)
def cosm(A):
    if np.ndim(A) != 2:
        raise NotImplementedError("scipy.linalg.cosm of stacks has no derivative: call it for each")
    return _rotation(A)[0]


@define(scipy.linalg.sinm)
def sinm(A):
    if np.ndim(A) != 2:
        raise NotImplementedError("scipy.linalg.sinm of stacks has no derivative: call it for each")
    return _rotation(A)[1]


@define(scipy.linalg.tanm)
def tanm(A):
    if np.ndim(A) != 2:
        raise NotImplementedError("scipy.linalg.tanm of stacks has no derivative: call it for each")
    cosine, sine = _rotation(A)
    return np.linalg.solve(cosine, sine)


@define(scipy.linalg.coshm)
def coshm(A):
    return 0.5 * (scipy.linalg.expm(A) + scipy.linalg.expm(-A))


@define(scipy.linalg.sinhm)
def sinhm(A):
    return 0.5 * (scipy.linalg.expm(A) - scipy.linalg.expm(-A))


@define(scipy.linalg.tanhm)
def tanhm(A):
    return np.linalg.solve(scipy.linalg.coshm(A), scipy.linalg.sinhm(A))


@define(scipy.linalg.fractional_matrix_power)
def fractional_matrix_power(A, t):
    if np.ndim(A) != 2:
        raise NotImplementedError("scipy.linalg.fractional_matrix_power of stacks: call it for each")
    return kernels.scipy.matrix_power(A, t)


@adjoint(kernels.scipy.matrix_power, handles_complex=False)
def matrix_power(y, a, t):
    n = a.shape[0]
    d[a] = kernels.scipy.matrix_power(kernels.scipy.beside(np.transpose(a), d[y]), t)[:n, n:]
    d[t] = np.sum(d[y] * np.dot(kernels.scipy.logm(a), y))


@tangent(kernels.scipy.matrix_power)
def matrix_power_tangent(y, a, t):
    n = a.shape[0]
    by_matrix = kernels.scipy.matrix_power(kernels.scipy.beside(a, d[a]), t)[:n, n:]
    d[y] = by_matrix + d[t] * np.dot(kernels.scipy.logm(a), y)


@define(scipy.linalg.expm_frechet)
def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    if np.ndim(A) != 2:
        raise NotImplementedError("scipy.linalg.expm_frechet of stacks has no derivative: call it for each")
    n = A.shape[0]
    both = kernels.scipy.expm(kernels.scipy.beside(A, E))
    if compute_expm:
        return both[:n, :n], both[:n, n:]
    return both[:n, n:]


@define(scipy.linalg.orthogonal_procrustes)
def orthogonal_procrustes(A, B, check_finite=True):
    if np.iscomplexobj(A) or np.iscomplexobj(B):
        raise NotImplementedError("scipy.linalg.orthogonal_procrustes has a derivative for real matrices")
    u, s, vh = np.linalg.svd(np.transpose(np.dot(np.transpose(B), A)), full_matrices=False)
    if s.size > 0 and s[-1] <= 1e-15 * s.size * s[0]:  # several matrices are as good
        raise np.linalg.LinAlgError("scipy.linalg.orthogonal_procrustes has no derivative where A.T @ B is singular")
    return np.dot(u, vh), np.sum(s)
