"""Algorithms as textbooks have them, unmodified: factorisations, recursions over tables, iterations to convergence."""

import math

import numpy as np

from tests.programs.program import Program, numbers, vector


def cholesky_in_place(a, b):
    """Solves a x = b for a symmetric positive definite matrix: its energy, and the logarithm of the determinant."""
    n = a.shape[0]
    for j in range(n):
        for k in range(j):
            a[j, j] -= a[j, k] ** 2
        a[j, j] = math.sqrt(a[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
    logdet = 0.0
    for i in range(n):
        logdet += 2.0 * math.log(a[i, i])
    for i in range(n):
        for k in range(i):
            b[i] -= a[i, k] * b[k]
        b[i] /= a[i, i]
    energy = np.dot(b, b)
    return 0.5 * (energy + logdet)


def lu_with_pivoting_in_place(a, b):
    n = a.shape[0]
    sign = 1.0
    for k in range(n - 1):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            sign = -sign
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
            b[i] -= a[i, k] * b[k]
    det = sign
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]
        det *= a[i, i]
    return np.sum(b * b) + det


def thomas(lower, diagonal, upper, right):
    n = diagonal.shape[0]
    c, d = np.empty(n), np.empty(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = right[0] / diagonal[0]
    for i in range(1, n):
        m = diagonal[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] = upper[i] / m
        d[i] = (right[i] - lower[i - 1] * d[i - 1]) / m
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def gram_schmidt(a):
    m = a.shape[1]
    q = a.copy()
    r = np.zeros((m, m))
    for j in range(m):
        v = q[:, j]
        for k in range(j):
            r[k, j] = np.dot(q[:, k], v)
            v -= r[k, j] * q[:, k]
        r[j, j] = np.sqrt(np.dot(v, v))
        v /= r[j, j]
    return np.sum(r**2 * np.arange(1.0, m + 1.0)) + np.sum(q[0])


def householder_reflection(a):
    r = a.copy()
    for j in range(r.shape[1]):
        v = r[j:, j].copy()
        s = np.sqrt(np.sum(v * v))
        v[0] += s if v[0] > 0.0 else -s
        v = v / np.sqrt(np.sum(v * v))
        r[j:, j:] -= 2.0 * np.outer(v, v @ r[j:, j:])
    total = 0.0
    for i in range(r.shape[1]):
        total += r[i, i] ** 2 * (i + 1) + r[0, i]
    return total


def jacobi_eigenvalues(a):
    m = (a + a.T) / 2
    n = m.shape[0]
    for _ in range(6):
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(m[p, q]) < 1e-12:
                    continue
                theta = (m[q, q] - m[p, p]) / (2.0 * m[p, q])
                t = np.sign(theta) / (abs(theta) + np.sqrt(theta * theta + 1.0))
                c = 1.0 / np.sqrt(t * t + 1.0)
                s = t * c
                for k in range(n):
                    mkp, mkq = m[k, p], m[k, q]
                    m[k, p], m[k, q] = c * mkp - s * mkq, s * mkp + c * mkq
                for k in range(n):
                    mpk, mqk = m[p, k], m[q, k]
                    m[p, k], m[q, k] = c * mpk - s * mqk, s * mpk + c * mqk
    largest = m[0, 0]
    for i in range(1, n):
        largest = max(largest, m[i, i])
    return largest


def power_iteration(a, tolerance):
    v = np.ones(a.shape[0])
    value = 0.0
    for _ in range(500):
        w = a @ v
        new = np.sqrt(w @ w)
        v = w / new
        if abs(new - value) < tolerance:
            break
        value = new
    return new


def gauss_seidel_to_convergence(a, b):
    n = b.shape[0]
    x = np.zeros(n)
    change = 1.0
    sweeps = 0
    while change > 1e-13 and sweeps < 200:
        change = 0.0
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= a[i, j] * x[j]
            new = s / a[i, i]
            change += abs(new - x[i])
            x[i] = new
        sweeps += 1
    return np.sum(x * x)


def conjugate_gradients(a, b):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    for _ in range(b.shape[0]):
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if new < 1e-24:
            break
        p = r + (new / rs) * p
        rs = new
    return np.sum(np.sin(x))


def newton_to_convergence(c, start):
    x = start
    for _ in range(50):
        f = x**3 - c * x - 2.0
        step = f / (3.0 * x * x - c)
        x -= step
        if abs(step) < 1e-14:
            break
    return x


def newton_for_a_system(x, target):
    u = x.copy()
    count = 0
    while True:
        f0 = u[0] ** 2 + u[1] ** 2 - target[0]
        f1 = u[0] * u[1] - target[1]
        if f0 * f0 + f1 * f1 < 1e-26 or count == 30:
            break
        a, b, c, d = 2.0 * u[0], 2.0 * u[1], u[1], u[0]
        det = a * d - b * c
        u[0], u[1] = u[0] - (d * f0 - b * f1) / det, u[1] - (a * f1 - c * f0) / det
        count += 1
    return u[0] + 2.0 * u[1]


def dynamic_time_warping(x, y):
    n, m = len(x), len(y)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = (x[i - 1] - y[j - 1]) ** 2
            cost[i, j] = d + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[n, m]


def soft_min(a, b, gamma):
    m = min(a, b)
    return m - gamma * math.log(math.exp((m - a) / gamma) + math.exp((m - b) / gamma))


def viterbi_with_soft_min(emission, transition):
    steps, states = emission.shape
    score = emission[0].copy()
    for t in range(1, steps):
        new = np.empty(states)
        for s in range(states):
            best = score[0] + transition[0, s]
            for r in range(1, states):
                best = soft_min(best, score[r] + transition[r, s], 0.3)
            new[s] = best + emission[t, s]
        score = new
    best = score[0]
    for s in range(1, states):
        best = soft_min(best, score[s], 0.3)
    return best


def edit_distance_with_costs(x, y, gap):
    """A recursion over two rows that are swapped."""
    m = len(y)
    previous, current = np.arange(m + 1.0) * gap, np.empty(m + 1)
    for v in x:
        current[0] = previous[0] + gap
        for j in range(1, m + 1):
            change = previous[j - 1] + abs(v - y[j - 1])
            current[j] = min(change, min(previous[j] + gap, current[j - 1] + gap))
        previous, current = current, previous
    return previous[m]


def hidden_markov_forward(initial, transition, emission, seen):
    alpha = np.exp(initial)
    alpha = alpha / np.sum(alpha)
    likelihood = 0.0
    for t in range(len(seen)):
        if t > 0:
            alpha = alpha @ transition
        alpha = alpha * emission[:, seen[t]]
        total = alpha.sum()
        alpha /= total
        likelihood += np.log(total)
    return -likelihood


def bubble_sort_until_sorted(x):
    n = len(x)
    swapped = True
    while swapped:
        swapped = False
        for i in range(1, n):
            if x[i - 1] > x[i]:
                x[i - 1], x[i] = x[i], x[i - 1]
                swapped = True
        n -= 1
    return x


def insertion_sort(x):
    a = x.copy()
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return np.sum(a * np.arange(len(a)) ** 2)


def quantile_by_selection(x, k):
    a = x.copy()
    low, high = 0, len(a) - 1
    while low < high:
        pivot = a[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return a[k] ** 2


def fft_by_loops(x):
    """Radix 2, in place, real and imaginary parts apart; the power spectrum against weights."""
    n = x.shape[0]
    re, im = x.copy(), np.zeros(n)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
    size = 2
    while size <= n:
        angle = -2.0 * np.pi / size
        for start in range(0, n, size):
            for k in range(size // 2):
                c, s = np.cos(angle * k), np.sin(angle * k)
                p, q = start + k, start + k + size // 2
                tr = c * re[q] - s * im[q]
                ti = c * im[q] + s * re[q]
                re[q], im[q] = re[p] - tr, im[p] - ti
                re[p] += tr
                im[p] += ti
        size *= 2
    return np.sum((re * re + im * im) * np.arange(n))


def horner(coefficients, x):
    y = 0.0
    for c in coefficients[::-1]:
        y = y * x + c
    return y


def de_casteljau(points, t):
    p = points.copy()
    n = p.shape[0]
    for k in range(1, n):
        for i in range(n - k):
            p[i] = (1.0 - t) * p[i] + t * p[i + 1]
    return p[0, 0] * p[0, 1]


def page_rank(weights, damping):
    n = weights.shape[0]
    m = weights / np.sum(weights, axis=0)
    rank = np.full(n, 1.0 / n)
    for _ in range(200):
        new = (1.0 - damping) / n + damping * (m @ rank)
        change = np.sum(np.abs(new - rank))
        rank = new
        if change < 1e-14:
            break
    return np.sum(rank * rank)


def levenberg_marquardt(x, y, start):
    """A step is taken only where it helps; the damping follows."""
    a, b = start[0], start[1]
    damping = 0.1
    best = np.sum((y - a * np.exp(b * x)) ** 2)
    for _ in range(6):
        e = np.exp(b * x)
        r = y - a * e
        ja, jb = e, a * x * e
        haa, hab, hbb = ja @ ja + damping, ja @ jb, jb @ jb + damping
        ga, gb = ja @ r, jb @ r
        det = haa * hbb - hab * hab
        na = a + (hbb * ga - hab * gb) / det
        nb = b + (haa * gb - hab * ga) / det
        new = np.sum((y - na * np.exp(nb * x)) ** 2)
        if new < best:
            a, b, best = na, nb, new
            damping *= 0.5
        else:
            damping *= 4.0
    return a * 2.0 + b


def spline_interpolation(xs, ys, at):
    """Natural cubic spline; the intervals are found by np.searchsorted."""
    n = len(xs)
    h = xs[1:] - xs[:-1]
    diagonal, right = np.ones(n), np.zeros(n)
    upper = np.zeros(n)
    for i in range(1, n - 1):
        diagonal[i] = 2.0 * (h[i - 1] + h[i]) - h[i - 1] * upper[i - 1]
        upper[i] = h[i] / diagonal[i]
        slope = (ys[i + 1] - ys[i]) / h[i] - (ys[i] - ys[i - 1]) / h[i - 1]
        right[i] = (6.0 * slope - h[i - 1] * right[i - 1]) / diagonal[i]
    m = np.zeros(n)
    for i in range(n - 2, 0, -1):
        m[i] = right[i] - upper[i] * m[i + 1]
    total = 0.0
    for k in range(len(at)):
        i = np.searchsorted(xs, at[k]) - 1
        t, u = at[k] - xs[i], xs[i + 1] - at[k]
        value = (m[i] * u**3 + m[i + 1] * t**3) / (6.0 * h[i])
        value += (ys[i] / h[i] - m[i] * h[i] / 6.0) * u + (ys[i + 1] / h[i] - m[i + 1] * h[i] / 6.0) * t
        total += value * value
    return total


def simpson_adaptive(a, b, tolerance):
    """A stack of intervals in arrays; an interval is halved until two rules agree."""
    low, high = np.zeros(64), np.zeros(64)
    low[0], high[0] = a, b
    depth, total = 1, 0.0
    while depth > 0:
        depth -= 1
        u, v = low[depth], high[depth]
        m, h = 0.5 * (u + v), v - u
        fu, fm, fv = np.exp(-u * u), np.exp(-m * m), np.exp(-v * v)
        fl, fr = np.exp(-((0.75 * u + 0.25 * v) ** 2)), np.exp(-((0.25 * u + 0.75 * v) ** 2))
        whole = h * (fu + 4.0 * fm + fv) / 6.0
        parts = h * (fu + 4.0 * fl + 2.0 * fm + 4.0 * fr + fv) / 12.0
        if abs(parts - whole) < tolerance:
            total += parts + (parts - whole) / 15.0
            continue
        low[depth], high[depth] = u, m
        low[depth + 1], high[depth + 1] = m, v
        depth += 2
    return total


def spd(rng, n=4):
    a = rng.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


def dominant(rng, n=4):
    return rng.normal(size=(n, n)) + 2.0 * n * np.eye(n)


def probabilities(rng, *shape):
    p = rng.uniform(0.2, 1.0, size=shape)
    return p / p.sum(axis=-1, keepdims=True)


KNOTS = np.array([0.0, 0.7, 1.1, 2.0, 2.6])

PROGRAMS = [
    Program(cholesky_in_place, lambda rng: (spd(rng), rng.normal(size=4)), (0, 1), compiled=True),
    Program(
        lu_with_pivoting_in_place, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=4)), (0, 1), compiled=True
    ),
    Program(
        thomas,
        lambda rng: (rng.normal(size=4), rng.normal(size=5) + 4.0, rng.normal(size=4), rng.normal(size=5)),
        (0, 1, 2, 3),
        compiled=True,
    ),
    Program(gram_schmidt, lambda rng: (rng.normal(size=(4, 3)),)),
    Program(householder_reflection, lambda rng: (rng.normal(size=(4, 3)),)),
    Program(jacobi_eigenvalues, lambda rng: (rng.normal(size=(3, 3)),)),
    Program(power_iteration, lambda rng: (spd(rng) + 20.0, 1e-14), compiled=True),  # a wide gap: it converges fast
    Program(gauss_seidel_to_convergence, lambda rng: (dominant(rng), rng.normal(size=4)), (0, 1), compiled=True),
    Program(conjugate_gradients, lambda rng: (spd(rng, 3), rng.normal(size=3)), (0, 1), rtol=1e-6),
    Program(newton_to_convergence, numbers(1.3, 2.0), compiled=True),
    Program(newton_for_a_system, numbers(np.array([2.0, 1.0]), np.array([6.0, 2.5])), (1,)),
    Program(dynamic_time_warping, lambda rng: (rng.normal(size=4), rng.normal(size=5)), (0, 1), compiled=True),
    Program(
        viterbi_with_soft_min, lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(3, 3))), (0, 1), compiled=True
    ),
    Program(
        edit_distance_with_costs, lambda rng: (rng.normal(size=4), rng.normal(size=3), 0.7), (0, 1, 2), compiled=True
    ),
    Program(
        hidden_markov_forward,
        lambda rng: (rng.normal(size=3), probabilities(rng, 3, 3), probabilities(rng, 3, 2), np.array([0, 1, 1, 0])),
        (0, 1, 2),
    ),
    Program(bubble_sort_until_sorted, vector(6), compiled=True),
    Program(insertion_sort, vector(6), compiled=True),
    Program(quantile_by_selection, lambda rng: (rng.normal(size=7), 2)),
    Program(fft_by_loops, vector(8), compiled=True),
    Program(horner, lambda rng: (rng.normal(size=5), 0.7), (0, 1)),
    Program(de_casteljau, lambda rng: (rng.normal(size=(4, 2)), 0.3), (0, 1)),
    Program(page_rank, lambda rng: (rng.uniform(0.1, 1.0, size=(4, 4)), 0.85), (0, 1)),
    Program(
        levenberg_marquardt,
        lambda rng: (np.linspace(0.0, 1.0, 6), np.exp(np.linspace(0.0, 1.0, 6)) + 0.1, np.array([0.5, 0.2])),
        (1, 2),
    ),
    Program(
        spline_interpolation,
        lambda rng: (KNOTS.copy(), rng.normal(size=5), np.array([0.3, 0.9, 1.7, 2.5])),
        (0, 1, 2),
        compiled=True,
    ),
    Program(simpson_adaptive, numbers(-0.5, 1.7, 1e-5), (0, 1)),
]
