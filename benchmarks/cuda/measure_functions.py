"""Values and gradients of functions over device arrays: against JAX, and against kernels written by hand.

    python benchmarks/cuda/measure_functions.py [--tiny] [--json FILE] [--seconds N] [--no-check] [names of cases]

Each case is a NumPy function, for some the same function in JAX, and for some kernels that compute value and
gradient, written by hand. Results are compared before anything is timed. Times are medians of the wall-clock time of
a call, arguments in device memory, until the value is on the host and the gradient is there. `small` is the time for
small arrays: what the host takes. Then the gradients of all functions of the tests are compared with those of the
host. A case that fails is reported, and the next one is run. `--tiny` takes sizes for the simulator, where times
mean nothing.
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
import types
import warnings

TINY = "--tiny" in sys.argv
if TINY:
    os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np  # noqa: E402

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # which some versions of Numba import
from numba import cuda, float64  # noqa: E402

import srcad  # noqa: E402
import srcad.cuda  # noqa: E402

THREADS = 8 if TINY else 256
BLOCKS = 4 if TINY else 2048
MOST_SECONDS = 0.8  # of calls of one function
SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
BEGUN = time.perf_counter()


# The functions.


def least_squares(x, y, w):
    """Exponentials against observations."""
    r = np.exp(-x * w) - y
    return np.sum(r * r) / x.size


def saxpy(a, x, y):
    """An elementwise chain with a sum."""
    z = a * x + y
    return np.sum(np.sin(z) * z)


def logistic(w, x, y):
    """Logistic regression."""
    z = np.sum(x * w, axis=1)
    return np.mean(np.log(1.0 + np.exp(-y * z)))


def softmax(x, y):
    """Cross-entropy of rows."""
    m = np.max(x, axis=1)
    e = np.exp(x - m[:, None])
    return np.mean(np.log(np.sum(e, axis=1)) + m - np.sum(x * y, axis=1))


def bodies(p, m):
    """A potential of all pairs, by broadcasting."""
    d = p[:, None] - p[None, :]
    return np.sum(m[:, None] * m[None, :] / np.sqrt(d * d + 0.01))


def heat(u, steps, c):
    """Steps of a three-point stencil, in place."""
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def heat_of_jax(u, steps, c):
    """The same, without writes in place."""
    import jax

    def step(u, _):
        return u.at[1:-1].add(c * (u[2:] - 2.0 * u[1:-1] + u[:-2])), None

    u, _ = jax.lax.scan(step, u, None, steps)
    return jax.numpy.sum(u * u)


def plate(u, steps, c):
    """Steps of a five-point stencil."""
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = u[1:-1, 1:-1] + c * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        )
        u = v
    return np.sum(u * u)


def plate_of_jax(u, steps, c):
    """The same, in JAX."""
    import jax

    def step(u, _):
        inner = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        return u.at[1:-1, 1:-1].add(c * inner), None

    u, _ = jax.lax.scan(step, u, None, steps)
    return jax.numpy.sum(u * u)


def product(a, b):
    """A product of two matrices."""
    return np.sum(np.tanh(a @ b))


# Value and gradient by hand.


@cuda.jit
def least_squares_by_hand(x, y, w, x_bar, y_bar, w_bar, parts):
    """Partial sums by block, and the gradient."""
    part = cuda.shared.array(THREADS, float64)
    t = cuda.threadIdx.x
    own = 0.0
    scale = 2.0 / x.shape[0]
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        e = math.exp(-x[i] * w[i])
        r = e - y[i]
        own += r * r
        g = scale * r
        y_bar[i] = -g
        g *= -e
        x_bar[i] = g * w[i]
        w_bar[i] = g * x[i]
    part[t] = own
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        parts[cuda.blockIdx.x] = part[0]


@cuda.jit
def bodies_by_hand(p, m, p_bar, m_bar, parts):
    """A block for each body."""
    sums = cuda.shared.array((3, THREADS), float64)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x
    value, p_sum, m_sum = 0.0, 0.0, 0.0
    for j in range(t, p.shape[0], THREADS):
        d = p[i] - p[j]
        r2 = d * d + 0.01
        inverse = 1.0 / math.sqrt(r2)
        value += m[j] * inverse
        p_sum -= m[j] * d * inverse / r2
    m_sum = 2.0 * value
    sums[0, t] = value * m[i]
    sums[1, t] = 2.0 * p_sum * m[i]
    sums[2, t] = m_sum
    cuda.syncthreads()
    s = THREADS // 2
    while s > 0:
        if t < s:
            for k in range(3):
                sums[k, t] += sums[k, t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        parts[i] = sums[0, 0]
        p_bar[i] = sums[1, 0]
        m_bar[i] = sums[2, 0]


@cuda.jit
def heat_step(u, v, c):
    """One step."""
    i = cuda.grid(1)
    n = u.shape[0]
    if i < n:
        t = u[i]
        if 0 < i < n - 1:
            t += c * (u[i + 1] - 2.0 * t + u[i - 1])
        v[i] = t


@cuda.jit
def heat_back(v_bar, u_bar, c):
    """One step back, for `u` alone."""
    i = cuda.grid(1)
    n = v_bar.shape[0]
    if i < n:
        t = v_bar[i]
        if 0 < i < n - 1:
            t -= 2.0 * c * v_bar[i]
        if i + 1 < n - 1:
            t += c * v_bar[i + 1]
        if i > 1:
            t += c * v_bar[i - 1]
        u_bar[i] = t


@cuda.jit
def squares(u, u_bar, parts):
    """Partial sums of squares, and their gradient."""
    part = cuda.shared.array(THREADS, float64)
    t = cuda.threadIdx.x
    own = 0.0
    for i in range(cuda.grid(1), u.shape[0], cuda.gridsize(1)):
        own += u[i] * u[i]
        u_bar[i] = 2.0 * u[i]
    part[t] = own
    cuda.syncthreads()
    s = THREADS // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        parts[cuda.blockIdx.x] = part[0]


def by_hand_of_least_squares(x, y, w):
    """Value and gradient; memory is allocated in each call, as it is in the others."""
    bars = [cuda.device_array(x.shape, np.float64) for _ in range(3)]
    parts = cuda.device_array(BLOCKS, np.float64)
    least_squares_by_hand[BLOCKS, THREADS](x, y, w, *bars, parts)
    return float(parts.copy_to_host().sum()) / x.shape[0], bars


def by_hand_of_bodies(p, m):
    """Value and gradient."""
    bars = [cuda.device_array(p.shape, np.float64) for _ in range(2)]
    parts = cuda.device_array(p.shape, np.float64)
    bodies_by_hand[p.shape[0], THREADS](p, m, *bars, parts)
    return float(parts.copy_to_host().sum()), bars


def by_hand_of_heat(u, steps, c):
    """Value and gradient by `u`: the problem is linear, so that nothing is recorded."""
    one, other = (cuda.device_array(u.shape, np.float64) for _ in range(2))
    parts = cuda.device_array(BLOCKS, np.float64)
    blocks = -(-u.shape[0] // THREADS)
    now = u
    for k in range(steps):
        to = one if k % 2 == 0 else other
        heat_step[blocks, THREADS](now, to, c)
        now = to
    bar, next_bar = (cuda.device_array(u.shape, np.float64) for _ in range(2))
    squares[BLOCKS, THREADS](now, bar, parts)
    for _ in range(steps):
        heat_back[blocks, THREADS](bar, next_bar, c)
        bar, next_bar = next_bar, bar
    return float(parts.copy_to_host().sum()), [bar]


class Case:
    """A function, how its arguments are made for a size, and what else computes its value and gradient."""

    def __init__(self, f, wrt, make, size, small, of_jax=None, by_hand=None, static=()):
        self.f, self.wrt, self.make, self.size, self.small = f, wrt, make, size, small
        self.of_jax = of_jax or _with_jax(f)
        self.by_hand, self.static = by_hand, static


def _with_jax(f):
    """The function with JAX's functions in place of NumPy's."""

    def call(*args):
        import jax.numpy as jnp

        return types.FunctionType(f.__code__, {"np": jnp}, f.__name__)(*args)

    return call


def cases():
    """The cases by name."""
    rng = np.random.default_rng(0)
    n = 64 if TINY else 10**7
    million = 64 if TINY else 10**6
    steps = 3 if TINY else 50

    def some(*shape, dtype=np.float64):
        return rng.uniform(0.2, 1.7, shape).astype(dtype)

    return {
        "least_squares": Case(
            least_squares, (0, 1, 2), lambda n: [some(n) for _ in range(3)], n, 1000, by_hand=by_hand_of_least_squares
        ),
        "least_squares_1e6": Case(
            least_squares,
            (0, 1, 2),
            lambda n: [some(n) for _ in range(3)],
            million,
            1000,
            by_hand=by_hand_of_least_squares,
        ),
        "least_squares_f32": Case(
            least_squares, (0, 1, 2), lambda n: [some(n, dtype=np.float32) for _ in range(3)], n, 1000
        ),
        "saxpy": Case(saxpy, (0, 1, 2), lambda n: [1.3, some(n), some(n)], n, 1000),
        "logistic": Case(logistic, (0,), lambda n: [some(32), some(n, 32), np.sign(some(n) - 1.0)], n // 32, 100),
        "softmax": Case(softmax, (0,), lambda n: [some(n, 64), some(n, 64)], n // 64, 100),
        "bodies": Case(
            bodies, (0, 1), lambda n: [some(n), some(n)], 16 if TINY else 10**4, 100, by_hand=by_hand_of_bodies
        ),
        "heat": Case(
            heat, (0,), lambda n: [some(n), steps, 0.1], million, 1000, heat_of_jax, by_hand_of_heat, static=(1,)
        ),
        "plate": Case(
            plate,
            (0,),
            lambda n: [some(n, n), steps, 0.1],
            8 if TINY else 2000,
            30,
            plate_of_jax,
            static=(1,),
        ),
        "product": Case(product, (0, 1), lambda n: [some(n, n), some(n, n)], 6 if TINY else 1024, 20),
    }


def on_device(values):
    """Device arrays for arrays; numbers as they are."""
    return [cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in values]


def on_host(value):
    """An array of NumPy."""
    return value.copy_to_host() if hasattr(value, "copy_to_host") else np.asarray(value)


def distance(found, expected):
    """The relative distance of arrays in norm, in float64."""

    def joined(values):
        return np.concatenate([np.ravel(on_host(each)).astype(np.float64) for each in values])

    found, expected = joined(found), joined(expected)
    return float(np.linalg.norm(found - expected) / max(np.linalg.norm(expected), 1e-300))


def milliseconds(call):
    """The median wall-clock time of a call, after three."""
    for _ in range(3):
        call()
    times = []
    begun = time.perf_counter()
    while len(times) < 3 or (len(times) < 60 and time.perf_counter() - begun < MOST_SECONDS):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def launched(derivative, device):
    """A call that waits until all is there."""

    def call():
        derivative(*device)
        cuda.synchronize()

    return call


def measured(name, case):
    """All figures of one case."""
    derivative = srcad.cuda.value_and_grad(case.f, case.wrt)
    small = case.make(8 if TINY else case.small)
    device = on_device(small)
    start = time.perf_counter()
    value, bars = derivative(*device)
    row = {"case": name, "first_s": time.perf_counter() - start}
    expected, expected_bars = srcad.value_and_grad(case.f, case.wrt, jit=False)(
        *[np.copy(each) if isinstance(each, np.ndarray) else each for each in small]
    )
    row["error"] = distance([value, *bars], [expected, *expected_bars])
    row["small_ms"] = milliseconds(launched(derivative, device))
    args = case.make(case.size)
    device = on_device(args)
    value, bars = derivative(*device)
    row["launches"] = derivative.launches(*device)
    row["srcad_ms"] = milliseconds(launched(derivative, device))
    if case.by_hand is not None:
        other, other_bars = case.by_hand(*device)
        row["hand_error"] = distance([value, *bars], [other, *other_bars])
        row["hand_ms"] = milliseconds(launched(case.by_hand, device))
    try:
        row |= measured_by_jax(case, args, [value, *bars])
    except Exception:  # noqa: BLE001  what JAX cannot do here must not end the measurement
        traceback.print_exc()
    return row


def measured_by_jax(case, args, expected):
    """Time of the compiled value and gradient in JAX, and the distance of the results."""
    try:
        import jax
    except ImportError:
        return {}
    jax.config.update("jax_enable_x64", True)
    if not SIMULATED and jax.default_backend() != "gpu":
        return {}
    given = [jax.numpy.asarray(each) if isinstance(each, np.ndarray) else each for each in args]
    both = jax.jit(jax.value_and_grad(case.of_jax, case.wrt), static_argnums=case.static)
    value, bars = jax.block_until_ready(both(*given))
    error = distance([np.asarray(value), *map(np.asarray, bars)], expected)
    return {"jax_error": error, "jax_ms": milliseconds(lambda: jax.block_until_ready(both(*given)))}


def measured_with_cupy():
    """The first case with arrays of CuPy."""
    import cupy

    args = [cupy.random.uniform(0.2, 1.7, 64 if TINY else 10**7) for _ in range(3)]
    derivative = srcad.cuda.value_and_grad(least_squares, (0, 1, 2))
    value, bars = derivative(*args)
    r = cupy.exp(-args[0] * args[2]) - args[1]
    same = abs(float(cupy.sum(r * r)) / args[0].size - value) < 1e-10 * abs(value)
    same = same and bool(cupy.allclose(bars[1], -2.0 * r / args[0].size, rtol=1e-10, atol=0.0))
    taken = milliseconds(launched(derivative, args))
    print(f"with CuPy arrays: {type(bars[0]).__module__}, right: {same}, {taken:.4f} ms")


def check_all(seconds):
    """Compare the gradients of all functions of the tests with those of the host."""
    from tests.cuda.functions.programs import PROGRAMS

    wrong = count = 0
    for name, (f, args, _) in PROGRAMS.items():
        if time.perf_counter() - BEGUN > seconds:
            print(f"no time for {name} and those after it")
            break
        wrt = tuple(
            k
            for k, each in enumerate(args)
            if isinstance(each, float) or getattr(each, "dtype", np.dtype(int)).kind == "f"
        )
        try:
            value, bars = srcad.cuda.value_and_grad(f, wrt)(*on_device(args))
            copies = [np.copy(each) if isinstance(each, np.ndarray) else each for each in args]
            expected, expected_bars = srcad.value_and_grad(f, wrt, jit=False)(*copies)
            error = distance([value, *bars], [expected, *expected_bars])
            is_right = error < (1e-5 if name == "single" else 1e-11)
            print(f"check {name:14} {error:9.1e} {'ok' if is_right else 'WRONG'}", flush=True)
        except Exception:  # noqa: BLE001  the next one is checked all the same
            traceback.print_exc()
            print(f"check {name:14} FAILED", flush=True)
            is_right = False
        wrong, count = wrong + (not is_right), count + 1
    print(f"{count - wrong} of {count} gradients are right")


def device_name():
    """What the figures were measured on."""
    if SIMULATED:
        return "simulator"
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


COLUMNS = ("launches", "small_ms", "srcad_ms", "hand_ms", "jax_ms", "error", "hand_error", "jax_error", "first_s")


def main():
    """Measure the cases that are asked for, then check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", action="store_true", help="sizes for the simulator")
    parser.add_argument("--json", default="", help="a file for the figures")
    parser.add_argument("--seconds", type=float, default=230.0, help="after which nothing new is begun")
    parser.add_argument("--no-check", action="store_true", help="without the functions of the tests")
    parser.add_argument("names", nargs="*", help="cases; all of them if none is named")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    print(f"device: {device_name()}", flush=True)
    print(f"{'case':18}" + "".join(f"{name:>11}" for name in COLUMNS))
    for name, case in cases().items():
        if (options.names and name not in options.names) or time.perf_counter() - BEGUN > options.seconds:
            continue
        try:
            row = measured(name, case)
        except Exception:  # noqa: BLE001  the next case is measured all the same
            print(f"{name}: failed", flush=True)
            traceback.print_exc()
            continue
        rows.append(row)
        print(f"{name:18}" + "".join(f"{row.get(each, math.nan):11.3g}" for each in COLUMNS), flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"device": device_name(), "rows": rows}, file, indent=1)
    if not TINY:
        try:
            measured_with_cupy()
        except Exception:  # noqa: BLE001  CuPy may not be there
            traceback.print_exc()
    if not options.no_check:
        check_all(options.seconds)
    print(f"{time.perf_counter() - BEGUN:.0f} s in all")


if __name__ == "__main__":
    main()
