"""Adjoints of the programs as a person writes them who knows LAPACK.

Each matrix is factored once, for the function and for its adjoint; a symmetric inverse is `dpotri`; all rank-one
updates of a matrix are one product. For small matrices: loops in Numba, in buffers that are allocated once.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg
from numba import njit
from scipy.linalg import lapack

# Factor and solve: SciPy's interface to LAPACK.


def gaussian_evidence(k, y):
    """The derivative of the determinant is the inverse, of which LAPACK computes one triangle from the factor."""
    factor = lapack.dpotrf(k, lower=1)[0]
    weights = lapack.dpotrs(factor, y, lower=1)[0]
    half = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    k_bar = np.tril(half - np.outer(weights, weights))  # NumPy reads the lower triangle only: elements count twice,
    np.fill_diagonal(k_bar, 0.5 * np.diagonal(k_bar))  # those of the diagonal once
    return k_bar, weights


def implicit_steps(a, start, wanted, width, steps):
    """One factorisation for all steps, forth and back, and one product for all updates of the matrix."""
    n = start.size
    factors = scipy.linalg.lu_factor(np.eye(n) - 0.5 * width * a, overwrite_a=True, check_finite=False)
    behind = np.eye(n) + 0.5 * width * a
    states, sides = np.empty((steps + 1, n)), np.empty((steps, n))
    states[0] = start
    for t in range(steps):
        states[t + 1] = scipy.linalg.lu_solve(factors, behind @ states[t], check_finite=False)
    bar = 2.0 * (states[steps] - wanted)
    for t in range(steps - 1, -1, -1):
        sides[t] = scipy.linalg.lu_solve(factors, bar, trans=1, check_finite=False)
        bar = sides[t] @ behind
    return 0.5 * width * (sides.T @ (states[1:] + states[:-1])), bar


def normal_density(points, mean, spread):
    """The inverse serves the determinant as well."""
    factors, pivots, _ = lapack.dgetrf(spread)
    inverse = lapack.dgetri(factors, pivots, overwrite_lu=1)[0]
    apart = points - mean
    points_bar = 0.5 * (apart @ (inverse + inverse.T))
    inner = 0.5 * (apart.T @ apart)
    spread_bar = 0.5 * len(points) * inverse.T - inverse.T @ inner @ inverse.T
    return points_bar, -np.sum(points_bar, axis=0), spread_bar


def condensed_system(a, b, c, d, load):
    """Two factorisations."""
    factors = scipy.linalg.lu_factor(a, check_finite=False)
    inner = scipy.linalg.lu_solve(factors, b, check_finite=False)
    small = scipy.linalg.lu_factor(d - c @ inner, overwrite_a=True, check_finite=False)
    moved = scipy.linalg.lu_solve(small, load, check_finite=False)
    side = scipy.linalg.lu_solve(small, load, trans=1, check_finite=False)
    d_bar = -np.outer(side, moved)
    inner_bar = 0.2 * inner - c.T @ d_bar
    b_bar = scipy.linalg.lu_solve(factors, inner_bar, trans=1, overwrite_b=True, check_finite=False)
    return -(b_bar @ inner.T), b_bar, -(d_bar @ inner.T), d_bar, moved + side


# Small matrices: loops. `out` holds the result.


@njit
def _times(out, a, b):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


@njit
def _add_times(out, a, b):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] += total


@njit
def _subtract_times(out, a, b):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] -= total


@njit
def _apply(out, a, x):
    for i in range(a.shape[0]):
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * x[k]
        out[i] = total


@njit
def _add_outer(out, x, y):
    for i in range(x.size):
        for j in range(y.size):
            out[i, j] += x[i] * y[j]


@njit
def _factor(a, order):
    """LU factors with partial pivoting, in place; the sign of the permutation."""
    n, sign = a.shape[0], 1.0
    for i in range(n):
        order[i] = i
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            sign = -sign
            order[k], order[p] = order[p], order[k]
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
        inverse = 1.0 / a[k, k]
        for i in range(k + 1, n):
            a[i, k] *= inverse
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return sign


@njit
def _solve(x, a, order, b):
    """Columns x from the factors of a matrix and columns b."""
    n = a.shape[0]
    for c in range(b.shape[1]):
        for i in range(n):
            total = b[order[i], c]
            for j in range(i):
                total -= a[i, j] * x[j, c]
            x[i, c] = total
        for i in range(n - 1, -1, -1):
            total = x[i, c]
            for j in range(i + 1, n):
                total -= a[i, j] * x[j, c]
            x[i, c] = total / a[i, i]


@njit
def _solve_transposed(x, a, order, b, work):
    """The same for the transposed matrix."""
    n = a.shape[0]
    for c in range(b.shape[1]):
        for i in range(n):
            total = b[i, c]
            for j in range(i):
                total -= a[j, i] * work[j]
            work[i] = total / a[i, i]
        for i in range(n - 1, -1, -1):
            total = work[i]
            for j in range(i + 1, n):
                total -= a[j, i] * work[j]
            work[i] = total
        for i in range(n):
            x[order[i], c] = work[i]


@njit
def tracking(f, h, q, r, seen):
    """One inverse for gain, solution and determinant; covariances and gains of all steps are kept."""
    steps, m = seen.shape
    n = f.shape[0]
    means, covs = np.zeros((steps + 1, n)), np.empty((steps + 1, n, n))
    covs[0] = np.eye(n)
    ahead, wide = np.empty((steps, n)), np.empty((steps, n, n))
    offs, gains, inverses = np.empty((steps, m)), np.empty((steps, n, m)), np.empty((steps, m, m))
    fc, hp, ph, nn = np.empty((n, n)), np.empty((m, n)), np.empty((n, m)), np.empty((n, n))
    spread, order, one = np.empty((m, m)), np.empty(m, np.int64), np.eye(m)
    for t in range(steps):
        _apply(ahead[t], f, means[t])
        _times(fc, f, covs[t])
        p = wide[t]
        _times(p, fc, f.T)
        for i in range(n):
            for j in range(n):
                p[i, j] += q[i, j]
        _times(hp, h, p)
        _times(spread, hp, h.T)
        for i in range(m):
            total = seen[t, i]
            for j in range(n):
                total -= h[i, j] * ahead[t, j]
            offs[t, i] = total
            for j in range(m):
                spread[i, j] += r[i, j]
        _factor(spread, order)
        _solve(inverses[t], spread, order, one)
        _times(ph, p, h.T)
        _times(gains[t], ph, inverses[t])
        _times(nn, gains[t], hp)
        for i in range(n):
            total = ahead[t, i]
            for j in range(m):
                total += gains[t, i, j] * offs[t, j]
            means[t + 1, i] = total
            for j in range(n):
                covs[t + 1, i, j] = p[i, j] - nn[i, j]
    f_bar, h_bar, q_bar, r_bar = np.zeros((n, n)), np.zeros((m, n)), np.zeros((n, n)), np.zeros((m, m))
    mean_bar, cov_bar, p_bar = np.zeros(n), np.zeros((n, n)), np.empty((n, n))
    gain_bar, ph_bar, hp_bar = np.empty((n, m)), np.empty((n, m)), np.empty((m, n))
    inverse_bar, spread_bar, mm, fc_bar = np.empty((m, m)), np.empty((m, m)), np.empty((m, m)), np.empty((n, n))
    off_bar, ahead_bar = np.empty(m), np.empty(n)
    for t in range(steps - 1, -1, -1):
        p, gain, inverse, off = wide[t], gains[t], inverses[t], offs[t]
        _times(hp, h, p)
        _times(ph, p, h.T)
        for i in range(n):
            for j in range(m):
                total = mean_bar[i] * off[j]
                for k in range(n):
                    total -= cov_bar[i, k] * hp[j, k]
                gain_bar[i, j] = total
        _times(inverse_bar, ph.T, gain_bar)
        for i in range(m):
            for j in range(m):
                inverse_bar[i, j] += 0.5 * off[i] * off[j]
        _times(mm, inverse_bar, inverse.T)
        _times(spread_bar, inverse.T, mm)
        for i in range(m):
            total = 0.0
            for j in range(n):
                total += gain[j, i] * mean_bar[j]
            for j in range(m):
                spread_bar[i, j] = 0.5 * inverse[j, i] - spread_bar[i, j]
                r_bar[i, j] += spread_bar[i, j]
                total += 0.5 * (inverse[i, j] + inverse[j, i]) * off[j]
            off_bar[i] = -total
        _times(ph_bar, gain_bar, inverse.T)
        _times(hp_bar, spread_bar, h)
        _subtract_times(hp_bar, gain.T, cov_bar)
        _add_times(h_bar, hp_bar, p.T)
        _add_times(h_bar, ph_bar.T, p)
        _add_times(h_bar, spread_bar.T, hp)
        _times(p_bar, h.T, hp_bar)
        _add_times(p_bar, ph_bar, h)
        for i in range(n):
            total = mean_bar[i]
            for j in range(m):
                total += h[j, i] * off_bar[j]
            ahead_bar[i] = total
            for j in range(n):
                p_bar[i, j] += cov_bar[i, j]
                q_bar[i, j] += p_bar[i, j]
        _add_outer(h_bar, off_bar, ahead[t])
        _times(fc, f, covs[t])
        _times(fc_bar, p_bar, f)
        _add_times(f_bar, p_bar.T, fc)
        _add_times(f_bar, fc_bar, covs[t].T)
        _add_outer(f_bar, ahead_bar, means[t])
        _times(cov_bar, f.T, fc_bar)
        _apply(mean_bar, f.T, ahead_bar)
    return f_bar, h_bar, q_bar, r_bar


@njit
def coupled_oscillators(stiffness, damping, start, width, steps):
    """The matrices' factors and the states are kept."""
    states, moves = np.empty((steps + 1, 4)), np.empty((steps, 4, 1))
    factors, orders = np.empty((steps, 4, 4)), np.empty((steps, 4), np.int64)
    force = np.empty((4, 1))
    states[0] = start
    for t in range(steps):
        s, m = states[t], factors[t]
        apart = s[0] - s[1]
        bend, pull = 3.0 * stiffness[2] * apart * apart, stiffness[2] * apart * apart * apart
        m[:, :] = 0.0
        m[0, 0], m[1, 1] = 1.0, 1.0
        m[0, 2], m[1, 3] = -width, -width
        m[2, 0], m[2, 1], m[2, 2] = width * (stiffness[0] + bend), -width * bend, 1.0 + width * damping[0]
        m[3, 0], m[3, 1], m[3, 3] = -width * bend, width * (stiffness[1] + bend), 1.0 + width * damping[1]
        force[0, 0], force[1, 0] = width * s[2], width * s[3]
        force[2, 0] = width * (-stiffness[0] * s[0] - pull - damping[0] * s[2])
        force[3, 0] = width * (-stiffness[1] * s[1] + pull - damping[1] * s[3])
        _factor(m, orders[t])
        _solve(moves[t], m, orders[t], force)
        for i in range(4):
            states[t + 1, i] = s[i] + moves[t, i, 0]
    stiffness_bar, damping_bar, bar = np.zeros(3), np.zeros(2), np.zeros((4, 1))
    w, work = np.empty((4, 1)), np.empty(4)
    for t in range(steps - 1, -1, -1):
        s, x = states[t], moves[t]
        bar[0, 0] += 2.0 * states[t + 1, 0] / steps
        bar[1, 0] += 2.0 * states[t + 1, 1] / steps
        _solve_transposed(w, factors[t], orders[t], bar, work)
        w2, w3 = width * w[2, 0], width * w[3, 0]
        apart, gap = s[0] - s[1], x[0, 0] - x[1, 0]
        bend_bar = (w3 - w2) * gap
        pull_bar = w3 - w2
        apart_bar = 6.0 * stiffness[2] * apart * bend_bar + 3.0 * stiffness[2] * apart * apart * pull_bar
        stiffness_bar[0] -= w2 * (s[0] + x[0, 0])
        stiffness_bar[1] -= w3 * (s[1] + x[1, 0])
        stiffness_bar[2] += apart * apart * (3.0 * bend_bar + apart * pull_bar)
        damping_bar[0] -= w2 * (s[2] + x[2, 0])
        damping_bar[1] -= w3 * (s[3] + x[3, 0])
        bar[0, 0] += apart_bar - w2 * stiffness[0]
        bar[1, 0] -= apart_bar + w3 * stiffness[1]
        bar[2, 0] += width * w[0, 0] - w2 * damping[0]
        bar[3, 0] += width * w[1, 0] - w3 * damping[1]
    return stiffness_bar, damping_bar, bar[:, 0].copy()


@njit
def elastic_energy(frames, shear, bulk):
    """Each element forwards and at once backwards; determinant and inverse by cofactors."""
    frames_bar, shear_bar, bulk_bar = np.empty_like(frames), 0.0, 0.0
    v, stress, strain, b, inner, turned = (
        np.empty((3, 3)),
        np.empty((3, 3)),
        np.empty((3, 3)),
        np.empty((3, 3)),
        np.empty((3, 3)),
        np.empty((3, 3)),
    )
    for e in range(frames.shape[0]):
        f, f_bar = frames[e], frames_bar[e]
        for i in range(3):
            i1, i2 = (i + 1) % 3, (i + 2) % 3
            for j in range(3):
                j1, j2 = (j + 1) % 3, (j + 2) % 3
                v[i, j] = f[i1, j1] * f[i2, j2] - f[i1, j2] * f[i2, j1]  # cofactors: the transpose of the inverse
        volume = f[0, 0] * v[0, 0] + f[0, 1] * v[0, 1] + f[0, 2] * v[0, 2]
        logs, inverse = math.log(volume), 1.0 / volume
        trace = 0.0
        for i in range(3):
            for j in range(3):
                v[i, j] *= inverse
                trace += f[i, j] * f[i, j]
                total = 0.0
                for k in range(3):
                    total += f[k, i] * f[k, j]
                strain[i, j] = 0.5 * (total - (1.0 if i == j else 0.0))
        _times(b, f, strain)
        along = across = 0.0
        for i in range(3):
            for j in range(3):
                stress[i, j] = shear * (f[i, j] - v[i, j]) + bulk * logs * v[i, j]
                along += 0.01 * b[i, j] * v[i, j]
                across += 0.01 * b[i, j] * f[i, j]
        shear_bar += 0.5 * (trace - 3.0 - 2.0 * logs) + across - along
        bulk_bar += 0.5 * logs * logs + logs * along
        logs_bar = bulk * (logs + along) - shear
        _times(inner, f.T, stress)
        for i in range(3):
            for j in range(3):
                turned[i, j] = 0.005 * (inner[i, j] + inner[j, i])
        _times(f_bar, f, turned)
        slope = 0.01 * (bulk * logs - shear)
        for i in range(3):
            for j in range(3):
                total = 0.0
                for k in range(3):
                    total += b[k, i] * v[k, j]
                inner[i, j] = total
        for i in range(3):
            for j in range(3):
                total = shear * (f[i, j] + 0.01 * b[i, j]) + logs_bar * v[i, j]
                for k in range(3):
                    total += 0.01 * stress[i, k] * strain[k, j] - slope * v[i, k] * inner[k, j]
                f_bar[i, j] += total
    return frames_bar, shear_bar, bulk_bar


@njit
def optimal_control(a, b, q, r, steps):
    """Solutions and gains are kept, with the factors of the systems."""
    n, m = b.shape
    ps, gains, factors = np.empty((steps + 1, n, n)), np.empty((steps, m, n)), np.empty((steps, m, m))
    orders = np.empty((steps, m), np.int64)
    reach, side, closed, moved = np.empty((m, n)), np.empty((m, n)), np.empty((n, n)), np.empty((n, n))
    ps[0] = q
    for t in range(steps):
        p = ps[t]
        _times(reach, b.T, p)
        _times(factors[t], reach, b)
        for i in range(m):
            for j in range(m):
                factors[t, i, j] += r[i, j]
        _times(side, reach, a)
        _factor(factors[t], orders[t])
        _solve(gains[t], factors[t], orders[t], side)
        closed[:, :] = a
        _subtract_times(closed, b, gains[t])
        _times(moved, p, closed)
        ps[t + 1] = q
        _add_times(ps[t + 1], a.T, moved)
    a_bar, b_bar, q_bar, r_bar = np.zeros((n, n)), np.zeros((n, m)), np.zeros((n, n)), np.zeros((m, m))
    p_bar, moved_bar, closed_bar = np.zeros((n, n)), np.empty((n, n)), np.empty((n, n))
    gain_bar, side_bar, reach_bar = np.empty((m, n)), np.empty((m, n)), np.empty((m, n))
    system_bar, work, last_bar = np.empty((m, m)), np.empty(m), np.empty((n, n))
    for t in range(steps - 1, -1, -1):
        p, gain = ps[t], gains[t]
        _times(reach, b.T, p)
        closed[:, :] = a
        _subtract_times(closed, b, gain)
        _times(moved, p, closed)
        for i in range(n):
            p_bar[i, i] += 1.0 / steps
            for j in range(n):
                q_bar[i, j] += p_bar[i, j]
                last_bar[i, j] = p_bar[i, j]
        _add_times(a_bar, moved, last_bar.T)
        _times(moved_bar, a, last_bar)
        _times(p_bar, moved_bar, closed.T)
        _times(closed_bar, p.T, moved_bar)
        for i in range(n):
            for j in range(n):
                a_bar[i, j] += closed_bar[i, j]
        _subtract_times(b_bar, closed_bar, gain.T)
        for i in range(m):
            for j in range(n):
                total = 0.0
                for k in range(n):
                    total -= b[k, i] * closed_bar[k, j]
                gain_bar[i, j] = total
        _solve_transposed(side_bar, factors[t], orders[t], gain_bar, work)
        system_bar[:, :] = 0.0
        _subtract_times(system_bar, side_bar, gain.T)
        for i in range(m):
            for j in range(m):
                r_bar[i, j] += system_bar[i, j]
        _times(reach_bar, side_bar, a.T)
        _add_times(reach_bar, system_bar, b.T)
        _add_times(a_bar, reach.T, side_bar)
        _add_times(b_bar, reach.T, system_bar)
        _add_times(b_bar, p, reach_bar.T)
        _add_times(p_bar, b, reach_bar)
    for i in range(n):
        for j in range(n):
            q_bar[i, j] += p_bar[i, j]
    return a_bar, b_bar, q_bar, r_bar


ADJOINTS = {
    each.__name__: each
    for each in (
        gaussian_evidence,
        implicit_steps,
        normal_density,
        condensed_system,
        tracking,
        coupled_oscillators,
        elastic_energy,
        optimal_control,
    )
}
