"""The cases of `measure.py` in NVIDIA Warp: adjoint kernels that Warp generates, timed alike, checked against NumPy.

    python benchmarks/cuda/in_warp.py [--tiny]

Needs `warp-lang`, which is no dependency of srcad. Versions of Warp before 1.5 have no tiles in shared memory, so the
product of matrices is a loop over elements here. `--tiny` takes small sizes on the CPU, where times mean nothing.
"""

import statistics
import sys
import time

import numpy as np
import warp as wp

TINY = "--tiny" in sys.argv
wp.init()
DEVICE = "cpu" if TINY else "cuda"
F = wp.float64
VECTOR, MATRIX, INDICES = wp.array(dtype=F), wp.array2d(dtype=F), wp.array(dtype=wp.int32)


@wp.kernel
def saxpy(a: VECTOR, x: VECTOR, y: VECTOR, z: VECTOR):
    """Z = a x + y."""
    i = wp.tid()
    z[i] = a[0] * x[i] + y[i]


@wp.kernel
def stencil(c: F, x: MATRIX, y: MATRIX):
    """Y = x + c (neighbours - 4 x) in the interior."""
    i, j = wp.tid()
    if i > 0 and i < x.shape[0] - 1 and j > 0 and j < x.shape[1] - 1:
        y[i, j] = x[i, j] + c * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - F(4.0) * x[i, j])


@wp.kernel
def reduction(x: VECTOR, total: VECTOR):
    """The sum of squares."""
    i = wp.tid()
    wp.atomic_add(total, 0, x[i] * x[i])


@wp.kernel
def bodies(p: MATRIX, m: VECTOR, a: MATRIX):
    """Accelerations of softened gravity."""
    i = wp.tid()
    ax, ay, az = F(0.0), F(0.0), F(0.0)
    px, py, pz = p[i, 0], p[i, 1], p[i, 2]
    for j in range(p.shape[0]):
        dx, dy, dz = p[j, 0] - px, p[j, 1] - py, p[j, 2] - pz
        r2 = dx * dx + dy * dy + dz * dz + F(0.01)
        w = m[j] / (r2 * wp.sqrt(r2))
        ax += w * dx
        ay += w * dy
        az += w * dz
    a[i, 0] = ax
    a[i, 1] = ay
    a[i, 2] = az


@wp.kernel
def histogram(w: VECTOR, bins: INDICES, h: VECTOR):
    """Sums of squares by bin."""
    i = wp.tid()
    wp.atomic_add(h, bins[i], w[i] * w[i])


@wp.kernel
def product(a: MATRIX, b: MATRIX, c: MATRIX):
    """The product of two matrices, by elements."""
    i, j = wp.tid()
    total = F(0.0)
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total


def of_bodies(p, m, g):
    """The cotangents of positions and masses, by rows."""
    p_bar, m_bar = np.zeros_like(p), np.zeros_like(m)
    for i in range(len(m)):
        d = p - p[i]
        r2 = (d * d).sum(1) + 0.01
        along = d @ g[i]
        q = (m / r2**1.5)[:, None] * (g[i] - 3.0 * (along / r2)[:, None] * d)
        p_bar += q
        p_bar[i] -= q.sum(0)
        m_bar += along / r2**1.5
    return p_bar, m_bar


def of_stencil(x, g):
    """The cotangent of the field."""
    inner, x_bar = g[1:-1, 1:-1], np.zeros_like(x)
    x_bar[1:-1, 1:-1] += (1.0 - 4.0 * 0.2) * inner
    for one, other in (((0, -2), (1, -1)), ((2, None), (1, -1)), ((1, -1), (0, -2)), ((1, -1), (2, None))):
        x_bar[slice(*one), slice(*other)] += 0.2 * inner
    return (x_bar,)


def cases(rng):
    """Name -> kernel, threads, arguments, positions of inputs, and their cotangents for the cotangent of the last."""
    n, side = (40, 10) if TINY else (1 << 24, 4096)
    count, bins, size = (12, 5, 8) if TINY else (1 << 14, 4096, 2048)
    x, y, square = rng.normal(size=n), rng.normal(size=n), rng.normal(size=(side, side))
    places = rng.integers(0, bins, size=n).astype(np.int32)
    p, m = rng.normal(size=(count, 3)), rng.uniform(1, 2, size=count)
    a, b = rng.normal(size=(size, size)), rng.normal(size=(size, size))
    yield "saxpy", saxpy, n, [np.array([1.5]), x, y, y], (0, 1, 2), lambda g: (np.array([x @ g]), 1.5 * g, g)
    yield "stencil", stencil, (side, side), [F(0.2), square, square], (1,), lambda g: of_stencil(square, g)
    yield "reduction", reduction, n, [x, np.zeros(1)], (0,), lambda g: (2.0 * x * g[0],)
    yield "bodies", bodies, count, [p, m, np.zeros((count, 3))], (0, 1), lambda g: of_bodies(p, m, g)
    yield "histogram", histogram, n, [x, places, np.zeros(bins)], (0,), lambda g: (2.0 * x * g[places],)
    yield "product", product, (size, size), [a, b, np.zeros((size, size))], (0, 1), lambda g: (g @ b.T, a.T @ g)


def on_device(value):
    """An array in the memory of the device, with a cotangent if it is one of floats; other values as they are."""
    if not isinstance(value, np.ndarray):
        return value
    is_float = value.dtype == np.float64
    return wp.array(value, dtype=F if is_float else wp.int32, device=DEVICE, requires_grad=is_float)


def main():
    """Print the median time of an adjoint launch, and the relative error, for each case."""
    rng = np.random.default_rng(0)
    for name, kernel, threads, arguments, inputs, expected in cases(rng):
        held = [on_device(each) for each in arguments]
        seed = rng.normal(size=arguments[-1].shape)
        held[-1].grad = wp.array(seed, dtype=F, device=DEVICE)
        given = [each.grad if isinstance(each, wp.array) else F(0.0) for each in held]
        options = {"adj_inputs": given[:-1], "adj_outputs": given[-1:], "adjoint": True, "device": DEVICE}

        def launch(kernel=kernel, threads=threads, held=held, options=options):
            wp.launch(kernel, threads, held[:-1], held[-1:], **options)

        launch()
        wanted = expected(seed)
        found = [given[k].numpy() for k in inputs]
        error = max(
            float(np.linalg.norm(one - other) / np.linalg.norm(other)) for one, other in zip(found, wanted, strict=True)
        )
        times, begun = [], time.perf_counter()
        while len(times) < 3 or (len(times) < 40 and time.perf_counter() - begun < 2.0):
            wp.synchronize()
            start = time.perf_counter()
            for _ in range(4):
                launch()
            wp.synchronize()
            times.append((time.perf_counter() - start) / 4)
        print(f"{name:10} {1e3 * statistics.median(times):10.4f} ms   error {error:.1e}", flush=True)


if __name__ == "__main__":
    main()
