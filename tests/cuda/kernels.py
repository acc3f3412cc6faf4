"""Kernels with grids and arguments, for the tests: each shows something that an adjoint has to get right."""

import math

import numba
import numpy as np
from numba import cuda, float32, float64

TILE = 4
rng = np.random.default_rng(3)
X, Y, Z = rng.normal(size=7), rng.normal(size=7), rng.uniform(0.5, 2.0, size=7)
SAMPLES = {}


def sample(grid, threads, *arguments, **options):
    """Note a kernel with a launch."""

    def noted(kernel):
        SAMPLES[kernel.py_func.__name__] = (kernel, grid, threads, arguments, options)
        return kernel

    return noted


@cuda.jit(device=True)
def squared_plus(a, b):
    return a * a + b


@cuda.jit(device=True)
def horner(x, n):
    s = 0.0
    for _ in range(n):
        s = s * x + 1.0
    return s


@sample(3, 4, 1.5, X, Y, Z)
@cuda.jit
def saxpy(a, x, y, z):
    i = cuda.grid(1)
    if i < x.shape[0]:
        z[i] = a * squared_plus(x[i], 2.0) + y[i]


@sample(2, 8, rng.normal(size=13), np.zeros(1))
@cuda.jit
def block_sum(x, out):
    part = cuda.shared.array(8, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < x.size:
        part[t] = x[i] * x[i]
    else:
        part[t] = 0.0
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])


@sample(2, 8, rng.uniform(0.5, 1.5, size=16), np.zeros(2))
@cuda.jit
def block_product(x, out):
    part = cuda.shared.array(8, float64)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    s = 4
    while s > 0:
        if t < s:
            part[t] = part[t] * part[t + s]
        cuda.syncthreads()
        s = s >> 1
    if t == 0:
        out[cuda.blockIdx.x] = part[0] * part[0]


@sample((2, 2), (4, 4), rng.normal(size=(5, 6)), rng.normal(size=(6, 7)), np.zeros((5, 7)))
@cuda.jit
def tiled_product(a, b, c):
    sa = cuda.shared.array((TILE, TILE), numba.float64)
    sb = cuda.shared.array(shape=(TILE, TILE), dtype=float64)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    acc = 0.0
    for m in range((a.shape[1] + TILE - 1) // TILE):
        sa[ty, tx] = 0.0
        sb[ty, tx] = 0.0
        if y < a.shape[0] and tx + m * TILE < a.shape[1]:
            sa[ty, tx] = a[y, tx + m * TILE]
        if x < b.shape[1] and ty + m * TILE < b.shape[0]:
            sb[ty, tx] = b[ty + m * TILE, x]
        cuda.syncthreads()
        for k in range(TILE):
            acc += sa[ty, k] * sb[k, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = acc


@sample(1, 8, rng.uniform(0.5, 1.5, size=8), np.zeros(8))
@cuda.jit
def scan(x, y):
    sh = cuda.shared.array(8, float64)
    t = cuda.threadIdx.x
    sh[t] = x[t]
    cuda.syncthreads()
    d = 1
    while d < 8:
        v = sh[t]
        if t >= d:
            v = v * sh[t - d]
        cuda.syncthreads()
        sh[t] = v
        cuda.syncthreads()
        d *= 2
    y[t] = sh[t]


@sample(1, 4, rng.normal(size=4), np.zeros(4))
@cuda.jit
def two_fills(x, y):
    sh = cuda.shared.array(4, float64)
    t = cuda.threadIdx.x
    sh[t] = math.sin(x[t])
    cuda.syncthreads()
    s = 1.0
    for k in range(4):
        s *= 1.0 + sh[k] * sh[t]
    cuda.syncthreads()
    sh[t] = s
    cuda.syncthreads()
    for k in range(4):
        s += sh[k] * sh[(t + k) % 4]
    y[t] = s


@sample(2, 4, X, Y, 3)
@cuda.jit
def recurrence(x, y, m):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        for _ in range(m):
            v = v - 0.1 * math.sin(v) * v
        y[i] = v * v


@sample(2, 4, X, Y, 3, wanted=(0, 1))
@cuda.jit
def newton(x, y, most):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i] * x[i] + 1.0
        r = 1.0
        n = 0
        while abs(r * r - v) > 1e-12:
            r = 0.5 * (r + v / r)
            n += 1
            if n > most:
                break
        y[i] = r


@sample(1, 3, 1.3, X, Y)
@cuda.jit
def grid_stride(a, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        s = 0.0
        for j in range(3):
            if x[i] > 0.0:
                s += x[i] ** j * a
            else:
                s = s * x[i] + math.exp(x[i])
        y[i] = s * x[i]


@sample(2, 4, X, 1.7)
@cuda.jit
def in_place(x, a):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] * x[i] * a
        x[i] *= x[i]
        x[i] += a


@sample(1, 3, X, 1.7)
@cuda.jit
def in_place_stride(x, a):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] = math.sin(x[i]) * a


@sample(2, 4, X, 4)
@cuda.jit
def in_place_steps(x, n):
    i = cuda.grid(1)
    if i < x.size:
        for k in range(n):
            x[i] = x[i] * x[i] * 0.5 + 0.1 * k


@sample(2, 4, X, Y, rng.integers(0, 3, size=7), np.zeros(3))
@cuda.jit
def histogram(x, w, bins, h):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(h, bins[i], w[i] * w[i] * x[i])


@sample(2, 4, X, np.array([3, 3, 0, 6, 3]), Y[:5])
@cuda.jit
def gather(x, index, y):
    i = cuda.grid(1)
    if i < index.size:
        y[i] = math.sin(x[index[i]])


@sample(2, 4, X, np.array([4, 2, 0, 6, 1]), Y, race_free=True)
@cuda.jit
def permuted(x, index, y):
    i = cuda.grid(1)
    if i < index.size:
        y[index[i]] = x[i] * x[index[i]]


@sample((2, 2), (3, 3), rng.normal(size=(5, 6)), rng.normal(size=(5, 6)))
@cuda.jit
def stencil(x, y):
    i, j = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        y[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] * x[i, j + 1]


@sample((1, 2, 1), (2, 1, 3), rng.normal(size=(2, 2, 3)), np.zeros((2, 2, 3)), 0.3)
@cuda.jit
def three_axes(x, y, c):
    i, j, k = cuda.grid(3)
    if i < x.shape[0] and j < x.shape[1] and k < x.shape[2]:
        y[i, j, k] = math.tanh(c * x[i, j, k])


@sample(2, 4, rng.normal(size=(6, 2)), np.zeros((6, 2)), 0.1)
@cuda.jit
def bodies(p, a, eps):
    i = cuda.grid(1)
    n = p.shape[0]
    if i >= n:
        return
    ax = ay = 0.0
    xi, yi = p[i, 0], p[i, 1]
    for j in range(n):
        dx = p[j, 0] - xi
        dy = p[j, 1] - yi
        r2 = dx * dx + dy * dy + eps
        w = 1.0 / (r2 * math.sqrt(r2))
        ax += dx * w
        ay += dy * w
    a[i, 0] = ax
    a[i, 1] = ay


@sample(2, 2, rng.normal(size=(3, 4)), np.zeros(3))
@cuda.jit
def local_array(x, y):
    i = cuda.grid(1)
    buffer = cuda.local.array(4, float64)
    if i < x.shape[0]:
        for k in range(4):
            buffer[k] = x[i, k] * x[i, k]
        for k in range(1, 4):
            buffer[k] = buffer[k] * buffer[k - 1]
        y[i] = buffer[3] + buffer[0] * buffer[1]


@sample(2, 4, X, Y, 3)
@cuda.jit
def nested_loops(x, y, n):
    i = cuda.grid(1)
    if i < x.size:
        s = x[i]
        for a in range(n):
            t = s
            for b in range(a):
                t = t * math.cos(t) + 0.1 * b
            s = s * 0.5 + 0.3 * math.sin(t)
        y[i] = s


@sample(2, 4, X, Y, 5)
@cuda.jit
def swapped(x, y, n):
    i = cuda.grid(1)
    if i < x.size:
        a = x[i]
        b = 1.0
        for _ in range(n):
            a, b = b, 0.5 * a * b + x[i]
        y[i] = a + b * b


@sample(2, 4, X, Y, 6)
@cuda.jit
def backwards(x, y, n):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        for k in range(n, 0, -2):
            if k == 2:
                continue
            v = math.sin(v * k)
        y[i] = v


@sample(2, 4, X, Y, 0)
@cuda.jit
def no_iteration(x, y, n):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i] * x[i]
        k = 0
        while k < n:
            v *= v
            k += 1
        for _ in range(n, n - 3):
            v *= v
        y[i] = v


@sample(2, 4, X, Y, Z)
@cuda.jit
def branches(x, y, z):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        if v > 0.0:
            w = v * v
            if w > 1.0:
                w = math.sqrt(w) * z[i]
                k = 2
            else:
                k = 3
        elif v > -0.5:
            w = -v
            k = 1
        else:
            y[i] = 2.0 * v
            return
        y[i] = w**k + max(v, z[i]) * min(v, z[i]) + abs(v)


@sample(2, 4, X, Y, 4)
@cuda.jit
def device_loops(x, y, n):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = horner(x[i], n) + horner(2.0 * x[i], i)


@sample(2, 4, X, Y)
@cuda.jit
def overwritten_twice(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] * x[i]
        y[i] = math.exp(y[i]) + x[i]
        y[i] = y[i] * 2.0


@sample(2, 2, rng.normal(size=(4, 3)), np.zeros(4), 2.0)
@cuda.jit
def rows(x, y, p):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    s = 0.0
    for j in range(x.shape[1]):
        if x[i, j] < -2.0:
            break
        s += abs(x[i, j]) ** p
    y[i] = s ** (1.0 / p)


@sample(2, 2, rng.normal(size=12), np.zeros(8))
@cuda.jit
def interleaved(x, y):
    i = cuda.grid(1)
    y[2 * i] = x[i] * x[i + 4]
    y[2 * i + 1] = x[i + 8] * x[i]


@sample(2, 4, rng.normal(size=8).astype(np.float64), np.zeros(8), np.array([2.0, 3.0]))
@cuda.jit
def shared_parameters(x, y, theta):
    i = cuda.grid(1)
    y[i] = theta[0] * x[i] + theta[1] * theta[0]


@sample(2, 4, X, Y, 3)
@cuda.jit
def recorded_in_branches(x, y, n):
    i = cuda.grid(1)
    if i < x.size:
        own = cuda.local.array(2, float64)
        own[0] = x[i]
        own[1] = 1.0
        v = 1.0
        for k in range(n):
            if k % 2 == 0:
                t = own[0] * own[1]
                v += t * t
                own[1] = t
            else:
                own[0] = math.sin(own[1] * v)
        y[i] = v + own[0]


@sample(3, 4, X, Y)
@cuda.jit
def forward_difference(x, y):
    i = cuda.grid(1)
    if i < x.size - 1:
        y[i] = x[i + 1] * x[i] - math.sin(x[i + 1])


@sample(3, 4, rng.normal(size=9), Y)
@cuda.jit
def shifted_window(x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[i + 2] * x[i + 1]


@sample(2, 4, X, Y)
@cuda.jit
def from_the_end(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i - 1] * x[i]


@sample(2, 4, X, Z, Y)
@cuda.jit
def pairs_within_range(x, q, y):
    i = cuda.grid(1)
    if i < x.size:
        s = x[i]
        for j in range(1, q.size):
            d = x[j] - x[i]
            if j != i and d * d < 1.5:
                s += q[j] * math.exp(-d * d)
            else:
                s -= 0.1 * q[j]
        y[i] = s


@sample(2, 4, X, Z, Y)
@cuda.jit
def two_sums(x, q, y):
    i = cuda.grid(1)
    if i < x.size:
        s = 0.0
        for j in range(x.size):
            s += x[j] * q[i]
        t = 1.0
        for k in range(q.size):
            t += q[k] * s * x[k]
        y[i] = t * s


@sample(2, 4, X, Z, Y)
@cuda.jit
def products_of_all(x, q, y):
    i = cuda.grid(1)
    if i < x.size:
        t = q[i]
        for j in range(x.size):
            t *= math.cos(x[j])
        y[i] = t


@sample((2, 2), (3, 3), rng.normal(size=(5, 4)), rng.normal(size=(4, 6)), np.zeros((5, 6)))
@cuda.jit
def plain_product(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        s = 0.0
        for k in range(a.shape[1]):
            s += a[i, k] * b[k, j]
        c[i, j] = s


@sample(2, 4, X, Y)
@cuda.jit
def taken_twice(x, y):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        y[i] = x[i - 1] * x[i + 1]
        y[i] = x[i - 1]


@sample(2, 4, X, Y, Z)
@cuda.jit
def results_of_two_kinds(x, y, z):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        y[i] = x[i - 1] * x[i + 1]
        cuda.atomic.add(z, 0, x[i + 1] * x[i + 1])


@cuda.jit
def in_float32(x, y, a):
    part = cuda.shared.array(4, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i]
    cuda.syncthreads()
    s = part[0]
    for k in range(1, 4):
        s = s * part[k]
    y[i] = s * a
