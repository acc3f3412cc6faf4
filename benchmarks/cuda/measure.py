"""Adjoint kernels by srcad against adjoint kernels written by hand, and against `jax.vjp` where JAX has the GPU.

    python benchmarks/cuda/measure.py [--tiny] [--json FILE] [names of cases]

Each case is a kernel, its adjoint by hand, and the same function in JAX. Before anything is timed, cotangents are
compared on the host by their relative distance in norm. Times are medians over rounds of a few launches between two
events, after warm-up; those of JAX are wall-clock times of a compiled vjp until its result is there. A case that
fails is reported, and the next one is run. `--tiny` takes sizes for the simulator, where times mean nothing.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import time
import traceback

TINY = "--tiny" in sys.argv
if TINY:
    os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np  # noqa: E402
from numba import cuda, float64  # noqa: E402

import srcad.cuda  # noqa: E402

THREADS = 8 if TINY else 256
TILE = 4 if TINY else 16
PADDED = TILE + 1  # columns of a tile that is read by columns: no two rows of it begin in one bank
MOST_SECONDS = 2.0  # of launches of one kernel
LAUNCHES = 4  # between two events, so that the time to prepare a launch is not measured
SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"


@cuda.jit
def saxpy(a, x, y, z):
    """Z = a x + y."""
    i = cuda.grid(1)
    if i < x.shape[0]:
        z[i] = a * x[i] + y[i]


@cuda.jit
def saxpy_by_hand(a, x, z_bar, a_bar, x_bar, y_bar):
    """Its adjoint, with a sum over the block for `a`."""
    part = cuda.shared.array(THREADS, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = 0.0
    if i < x.shape[0]:
        g = z_bar[i]
        x_bar[i] += a * g
        y_bar[i] += g
        part[t] = x[i] * g
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        cuda.atomic.add(a_bar, 0, part[0])


@cuda.jit
def stencil(c, x, y):
    """Y = x + c (neighbours - 4 x) in the interior."""
    j, i = cuda.grid(2)
    if i > 0 and i < x.shape[0] - 1 and j > 0 and j < x.shape[1] - 1:
        y[i, j] = x[i, j] + c * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4.0 * x[i, j])


@cuda.jit
def stencil_by_hand(c, y_bar, x_bar):
    """Its adjoint, as a gather."""
    j, i = cuda.grid(2)
    rows, columns = y_bar.shape
    if i < rows and j < columns:
        inner_row, inner_column = i > 0 and i < rows - 1, j > 0 and j < columns - 1
        total = 0.0
        if inner_row and inner_column:
            total += (1.0 - 4.0 * c) * y_bar[i, j]
        if inner_column:
            if i + 1 < rows - 1:
                total += c * y_bar[i + 1, j]
            if i - 1 > 0:
                total += c * y_bar[i - 1, j]
        if inner_row:
            if j + 1 < columns - 1:
                total += c * y_bar[i, j + 1]
            if j - 1 > 0:
                total += c * y_bar[i, j - 1]
        x_bar[i, j] += total


@cuda.jit
def reduction(x, total):
    """Sum of squares, in shared memory."""
    part = cuda.shared.array(THREADS, float64)
    t = cuda.threadIdx.x
    own = 0.0
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        own += x[i] * x[i]
    part[t] = own
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        cuda.atomic.add(total, 0, part[0])


@cuda.jit
def reduction_by_hand(x, total_bar, x_bar):
    """Its adjoint."""
    g = 2.0 * total_bar[0]
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        x_bar[i] += g * x[i]


@cuda.jit
def bodies(p, m, a):
    """Accelerations of bodies that attract each other."""
    i = cuda.grid(1)
    n = p.shape[0]
    if i < n:
        x = p[i, 0]
        y = p[i, 1]
        z = p[i, 2]
        ax = 0.0
        ay = 0.0
        az = 0.0
        for j in range(n):
            dx = p[j, 0] - x
            dy = p[j, 1] - y
            dz = p[j, 2] - z
            r2 = dx * dx + dy * dy + dz * dz + 0.01
            w = m[j] / (r2 * math.sqrt(r2))
            ax += w * dx
            ay += w * dy
            az += w * dz
        a[i, 0] = ax
        a[i, 1] = ay
        a[i, 2] = az


@cuda.jit
def bodies_by_hand(p, m, a_bar, p_bar, m_bar):
    """Its adjoint, as a gather."""
    i = cuda.grid(1)
    n = p.shape[0]
    if i < n:
        x, y, z, mass = p[i, 0], p[i, 1], p[i, 2], m[i]
        gx, gy, gz = a_bar[i, 0], a_bar[i, 1], a_bar[i, 2]
        sx = sy = sz = sm = 0.0
        for j in range(n):
            dx, dy, dz = p[j, 0] - x, p[j, 1] - y, p[j, 2] - z
            hx, hy, hz = a_bar[j, 0], a_bar[j, 1], a_bar[j, 2]
            r2 = dx * dx + dy * dy + dz * dz + 0.01
            v = 1.0 / (r2 * math.sqrt(r2))
            w = m[j] * v
            # j acts on i, and i on j, whose distance is -d
            ux, uy, uz = w * gx - mass * v * hx, w * gy - mass * v * hy, w * gz - mass * v * hz
            dot = dx * gx + dy * gy + dz * gz
            back = dx * hx + dy * hy + dz * hz
            f = 3.0 * v / r2 * (m[j] * dot - mass * back)
            sx -= ux - f * dx
            sy -= uy - f * dy
            sz -= uz - f * dz
            sm -= back * v
        p_bar[i, 0] += sx
        p_bar[i, 1] += sy
        p_bar[i, 2] += sz
        m_bar[i] += sm


@cuda.jit
def histogram(w, bins, h):
    """Sums of squares by bin."""
    i = cuda.grid(1)
    if i < w.shape[0]:
        cuda.atomic.add(h, bins[i], w[i] * w[i])


@cuda.jit
def histogram_by_hand(w, bins, h_bar, w_bar):
    """Its adjoint."""
    i = cuda.grid(1)
    if i < w.shape[0]:
        w_bar[i] += 2.0 * w[i] * h_bar[bins[i]]


@cuda.jit
def product(a, b, c):
    """Matrix product by tiles."""
    tile_a = cuda.shared.array((TILE, TILE), float64)
    tile_b = cuda.shared.array((TILE, TILE), float64)
    j, i = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    total = 0.0
    for m in range(a.shape[1] // TILE):
        tile_a[ty, tx] = a[i, m * TILE + tx]
        tile_b[ty, tx] = b[m * TILE + ty, j]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    c[i, j] = total


@cuda.jit
def product_a_by_hand(c_bar, b, a_bar):
    """a_bar += c_bar b^T."""
    tile_c = cuda.shared.array((TILE, TILE), float64)
    tile_b = cuda.shared.array((TILE, PADDED), float64)
    j, i = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    total = 0.0
    for m in range(c_bar.shape[1] // TILE):
        tile_c[ty, tx] = c_bar[i, m * TILE + tx]
        tile_b[ty, tx] = b[cuda.blockIdx.x * TILE + ty, m * TILE + tx]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_c[ty, k] * tile_b[tx, k]
        cuda.syncthreads()
    a_bar[i, j] += total


@cuda.jit
def product_b_by_hand(a, c_bar, b_bar):
    """b_bar += a^T c_bar."""
    tile_a = cuda.shared.array((TILE, TILE), float64)
    tile_c = cuda.shared.array((TILE, TILE), float64)
    j, i = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    total = 0.0
    for m in range(a.shape[0] // TILE):
        tile_a[ty, tx] = a[m * TILE + ty, cuda.blockIdx.y * TILE + tx]
        tile_c[ty, tx] = c_bar[m * TILE + ty, j]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[k, ty] * tile_c[k, tx]
        cuda.syncthreads()
    b_bar[i, j] += total


class Case:
    """A kernel with its arguments, a hand-written adjoint, and the function in JAX.

    arguments   of the kernel; arrays are those of the host
    results     positions of the arguments that are results: their cotangents are given, all others are compared
    by_hand     a function of device arrays and of cotangents that launches the adjoint
    jax         a function of the inputs that are floats
    """

    def __init__(self, kernel, launch, arguments, results, by_hand, jax_function, inputs):
        self.kernel, self.launch, self.arguments, self.results = kernel, launch, arguments, results
        self.by_hand, self.jax_function, self.inputs = by_hand, jax_function, inputs


def cases(rng):
    """Name -> a function that makes the case, so that only one is in memory."""
    n = 40 if TINY else 1 << 24
    blocks = -(-n // THREADS)
    side = 10 if TINY else 4096
    grid = ((-(-side // TILE), -(-side // TILE)), (TILE, TILE))
    square = ((-(-side // 32), -(-side // 8)), (32, 8)) if not TINY else grid

    def of_saxpy():
        x, y = rng.normal(size=n), rng.normal(size=n)

        def by_hand(d, bar):
            saxpy_by_hand[blocks, THREADS](d[0], d[1], bar[3], bar[0], bar[1], bar[2])

        return Case(
            saxpy, (blocks, THREADS), [1.5, x, y, np.zeros(n)], (3,), by_hand, lambda a, x, y: a * x + y, (0, 1, 2)
        )

    def of_stencil():
        x = rng.normal(size=(side, side))

        def by_hand(d, bar):
            stencil_by_hand[square](d[0], bar[2], bar[1])

        def of_jax(x):
            inner = x[1:-1, 1:-1]
            laplacian = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4.0 * inner
            return x.at[1:-1, 1:-1].set(inner + 0.2 * laplacian) - x.at[1:-1, 1:-1].set(0.0)

        return Case(stencil, square, [0.2, x, np.zeros((side, side))], (2,), by_hand, of_jax, (1,))

    def of_reduction():
        few = 2 if TINY else 132 * 16

        def by_hand(d, bar):
            reduction_by_hand[few, THREADS](d[0], bar[1], bar[0])

        args = [rng.normal(size=n), np.zeros(1)]
        return Case(reduction, (few, THREADS), args, (1,), by_hand, lambda x: (x * x).sum()[None], (0,))

    def of_bodies():
        count = 12 if TINY else 1 << 14
        shape = (-(-count // THREADS), THREADS) if TINY else (count // 128, 128)

        def by_hand(d, bar):
            bodies_by_hand[shape](d[0], d[1], bar[2], bar[0], bar[1])

        def of_jax(p, m):
            d = p[None, :, :] - p[:, None, :]
            r2 = (d * d).sum(-1) + 0.01
            return ((m[None, :] / (r2 * r2**0.5))[:, :, None] * d).sum(1)

        args = [rng.normal(size=(count, 3)), rng.uniform(1, 2, size=count), np.zeros((count, 3))]
        return Case(bodies, shape, args, (2,), by_hand, of_jax, (0, 1))

    def of_histogram():
        size = 5 if TINY else 4096
        bins = rng.integers(0, size, size=n)

        def by_hand(d, bar):
            histogram_by_hand[blocks, THREADS](d[0], d[1], bar[2], bar[0])

        def of_jax(w):
            import jax.numpy as jnp

            return jnp.zeros(size).at[bins_of_jax()].add(w * w)

        def bins_of_jax():
            import jax.numpy as jnp

            return jnp.asarray(bins)

        args = [rng.normal(size=n), bins, np.zeros(size)]
        return Case(histogram, (blocks, THREADS), args, (2,), by_hand, of_jax, (0,))

    def of_product():
        size = 8 if TINY else 2048
        shape = ((size // TILE, size // TILE), (TILE, TILE))

        def by_hand(d, bar):
            product_a_by_hand[shape](bar[2], d[1], bar[0])
            product_b_by_hand[shape](d[0], bar[2], bar[1])

        args = [rng.normal(size=(size, size)), rng.normal(size=(size, size)), np.zeros((size, size))]
        return Case(product, shape, args, (2,), by_hand, lambda a, b: a @ b, (0, 1))

    return {
        "saxpy": of_saxpy,
        "stencil": of_stencil,
        "reduction": of_reduction,
        "bodies": of_bodies,
        "histogram": of_histogram,
        "product": of_product,
    }


def on_device(values):
    """Device arrays for arrays; numbers as they are."""
    return [cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in values]


def cotangents(case, seeds):
    """New cotangents: those of results as given, zeros for other floats, None for integers."""
    made = []
    for k, value in enumerate(case.arguments):
        if k in case.results:
            made.append(cuda.to_device(seeds[k]))
        elif isinstance(value, float):
            made.append(cuda.to_device(np.zeros(1)))
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            made.append(cuda.to_device(np.zeros_like(value)))
        else:
            made.append(None)
    return made


def milliseconds(launch):
    """The median time of a launch, by events."""
    if SIMULATED:
        start = time.perf_counter()
        launch()
        return 1e3 * (time.perf_counter() - start)
    times = []
    for _ in range(3):
        launch()
    cuda.synchronize()
    begun = time.perf_counter()
    while len(times) < 3 or (len(times) < 40 and time.perf_counter() - begun < MOST_SECONDS):
        first, last = cuda.event(), cuda.event()
        first.record()
        for _ in range(LAUNCHES):
            launch()
        last.record()
        last.synchronize()
        times.append(cuda.event_elapsed_time(first, last) / LAUNCHES)
    return statistics.median(times)


def distance(found, expected):
    """The relative distance of arrays in norm, in float64."""
    found, expected = (np.concatenate([np.ravel(x).astype(np.float64) for x in each]) for each in (found, expected))
    return float(np.linalg.norm(found - expected) / max(np.linalg.norm(expected), 1e-300))


def compared(case, bars, expected_bars):
    """The relative distance of the cotangents of the inputs."""
    pairs = [
        (one.copy_to_host(), other.copy_to_host())
        for k, (one, other) in enumerate(zip(bars, expected_bars, strict=True))
        if k in case.inputs
    ]
    return distance([one for one, _ in pairs], [other for _, other in pairs])


def measured_by_jax(case, seeds, expected_bars):
    """Time of the compiled vjp in JAX, and its distance; None where JAX has no GPU."""
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    if not SIMULATED and jax.default_backend() != "gpu":
        return None
    inputs = [jax.numpy.asarray(case.arguments[k]) for k in case.inputs]
    seed = jax.numpy.asarray(seeds[case.results[0]])
    pulled = jax.jit(lambda seed, *given: jax.vjp(case.jax_function, *given)[1](seed))
    found = jax.block_until_ready(pulled(seed, *inputs))
    expected = [expected_bars[k].copy_to_host() for k in case.inputs]
    error, times = distance([np.asarray(each) for each in found], expected), []
    begun = time.perf_counter()
    while len(times) < 3 or (len(times) < 40 and time.perf_counter() - begun < MOST_SECONDS):
        start = time.perf_counter()
        jax.block_until_ready(pulled(seed, *inputs))
        times.append(1e3 * (time.perf_counter() - start))
    return {"ms": statistics.median(times), "error": error}


def measured(name, make, rng):
    """All figures of one case."""
    case, row = make(), {"case": name}
    seeds = {k: rng.normal(size=case.arguments[k].shape) for k in case.results}
    device = on_device(case.arguments)
    start = time.perf_counter()
    adjoint = srcad.cuda.adjoint(case.kernel)
    bars, by_hand = cotangents(case, seeds), cotangents(case, seeds)
    for k in set(range(len(bars))) - set(case.inputs) - set(case.results):
        bars[k] = None  # by which the hand-written adjoint has no derivative
    adjoint[case.launch](*device, *bars)
    cuda.synchronize()
    row["first_s"] = time.perf_counter() - start
    case.by_hand(device, by_hand)
    row["error"] = compared(case, bars, by_hand)
    expected = by_hand
    row["primal_ms"] = milliseconds(lambda: case.kernel[case.launch](*device))
    row["srcad_ms"] = milliseconds(lambda: adjoint[case.launch](*device, *bars))
    again = cotangents(case, seeds)
    row["hand_ms"] = milliseconds(lambda: case.by_hand(device, again))
    row["ratio"] = row["srcad_ms"] / row["hand_ms"]
    try:
        row["jax"] = measured_by_jax(case, seeds, expected)
    except Exception:  # noqa: BLE001  what JAX cannot do here must not end the measurement
        traceback.print_exc()
        row["jax"] = None
    return row


def device_name():
    """What the figures were measured on."""
    if SIMULATED:
        return "simulator"
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def main():
    """Measure the cases that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", action="store_true", help="sizes for the simulator")
    parser.add_argument("--json", default="", help="a file for the figures")
    parser.add_argument("names", nargs="*", help="cases; all of them if none is named")
    options = parser.parse_args()
    rng, rows = np.random.default_rng(0), []
    print(f"device: {device_name()}", flush=True)
    print(
        f"{'case':10} {'primal ms':>10} {'hand ms':>10} {'srcad ms':>10} {'ratio':>7} {'error':>9} {'jax ms':>10} "
        f"{'jax error':>10}"
    )
    for name, make in cases(rng).items():
        if options.names and name not in options.names:
            continue
        try:
            row = measured(name, make, rng)
        except Exception:  # noqa: BLE001  the next case is measured all the same
            print(f"{name}: failed", flush=True)
            traceback.print_exc()
            continue
        rows.append(row)
        jax = row["jax"] or {"ms": math.nan, "error": math.nan}
        print(
            f"{name:10} {row['primal_ms']:10.4f} {row['hand_ms']:10.4f} {row['srcad_ms']:10.4f} {row['ratio']:7.2f} "
            f"{row['error']:9.1e} {jax['ms']:10.4f} {jax['error']:10.1e}   first launch {row['first_s']:.1f} s",
            flush=True,
        )
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"device": device_name(), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
