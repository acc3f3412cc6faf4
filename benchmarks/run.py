"""Gradients of the workloads: srcad against adjoints written by hand, the functions themselves, and JAX.

    python -m benchmarks.run                    measure, and print a table
    python -m benchmarks.run --jax --growth     beside JAX, and for growing numbers of steps
    python -m benchmarks.run --jax --growth --save figures.json
    python -m benchmarks.report figures.json    docs/benchmarks.md and its charts; needs matplotlib

Times are medians, of runs that take turns: what disturbs the machine disturbs all alike. First calls compile, with
nothing in a cache. Gradients are compared before they are timed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np

from benchmarks.workloads import WORKLOADS, Workload

GROWTH = {"hunting": (20000, 200000, 2000000), "diffusion": (20, 200, 2000)}
LEAST = 0.02  # seconds that one sample takes, by as many calls as that needs


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def interleaved(runs: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """The median time of each, taken in turns; short ones are called many times for one sample."""
    for run in runs.values():
        run()  # what has to be compiled is
    counts = {name: max(1, int(LEAST / max(seconds(run), 1e-7))) for name, run in runs.items()}
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeat):
        for name, run in runs.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                run()
            samples[name].append((time.perf_counter() - start) / counts[name])
    return {name: median(each) for name, each in samples.items()}


def measured(workload: Workload, repeat: int, with_jax: bool) -> dict[str, float]:
    """The times of one workload, by what was run."""
    import numba

    import srcad
    from benchmarks.by_hand import ADJOINTS

    arguments = workload.arguments(workload.size, np.random.default_rng(0))
    primal, by_hand = numba.njit(workload.function), ADJOINTS[workload.name]
    fast_primal = numba.njit(fastmath=True)(workload.function)
    ours, fast = (srcad.grad(f, wrt=workload.wrt) for f in (workload.function, fast_primal))
    found = {"first call by hand": seconds(lambda: by_hand(*arguments))}
    found["first call"] = seconds(lambda: ours(*arguments))
    runs: dict[str, Callable[[], Any]] = {
        "primal": lambda: primal(*arguments),
        "by hand": lambda: by_hand(*arguments),
        "srcad": lambda: ours(*arguments),
        "fast primal": lambda: fast_primal(*arguments),
        "fast srcad": lambda: fast(*arguments),
    }
    if with_jax:
        from benchmarks.in_jax import gradient

        theirs = gradient(workload.name, workload.wrt)
        found["first call of jax"] = seconds(lambda: theirs(*arguments))
        runs["jax"] = lambda: theirs(*arguments)
    expected = by_hand(*arguments)
    for name in ("srcad", "jax", "fast srcad"):
        for one, other in zip(runs[name]() if name in runs else (), expected, strict=name in runs):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6 * np.max(np.abs(other)), err_msg=name)
    return found | interleaved(runs, repeat)


def grown(name: str, size: int) -> tuple[float, float]:
    """Seconds and bytes of memory of one gradient of this size, in a process of its own."""
    code = f"from benchmarks.run import grow; grow({name!r}, {size})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    spent, used = json.loads(done.stdout)
    return spent, used


def grow(name: str, size: int) -> None:
    """What `grown` runs: prints the time of a gradient, and by how much memory grew at most meanwhile (on Linux)."""
    import srcad

    workload = next(each for each in WORKLOADS if each.name == name)
    run = srcad.grad(workload.function, wrt=workload.wrt)
    run(*workload.arguments(workload.small + 10, np.random.default_rng(0)))
    arguments = workload.arguments(size, np.random.default_rng(0))
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory is that from now on
    before = _memory("VmRSS")
    run(*arguments)
    used = _memory("VmHWM") - before
    print(json.dumps([median(seconds(lambda: run(*arguments)) for _ in range(5)), used]))


def _memory(what: str) -> int:
    """Bytes of memory of this process, as Linux tells."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))


def table(results: dict[str, dict[str, float]]) -> str:
    """The results as a Markdown table: ratios to the adjoint by hand, and to the function itself."""
    with_jax = any("jax" in each for each in results.values())
    head = ["workload", "srcad", "by hand", "srcad / by hand", "srcad / function", "first call / by hand's"]
    head += ["gain of fastmath: function", "gradient"] + (["JAX / srcad"] if with_jax else [])
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, each in results.items():
        row = [name, written(each["srcad"]), written(each["by hand"]), f"{each['srcad'] / each['by hand']:.2f}"]
        row += [f"{each['srcad'] / each['primal']:.2f}", f"{each['first call'] / each['first call by hand']:.2f}"]
        row += [f"{each['primal'] / each['fast primal']:.2f}", f"{each['srcad'] / each['fast srcad']:.2f}"]
        row += [f"{each['jax'] / each['srcad']:.1f}"] if with_jax else []
        lines.append("| " + " | ".join(row) + " |")
    mean = geometric_mean(each["srcad"] / each["by hand"] for each in results.values())
    row = ["geometric mean", "", "", f"{mean:.2f}", "", "", "", ""]
    if with_jax:
        row.append(f"{geometric_mean(each['jax'] / each['srcad'] for each in results.values()):.1f}")
    return "\n".join([*lines, "| " + " | ".join(row) + " |"])


def written(spent: float) -> str:
    """A time in the unit that suits it.

    >>> written(0.00123), written(2.5e-6)
    ('1.23 ms', '2.50 us')
    """
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if spent * factor >= 1.0:
            return f"{spent * factor:.3g} {unit}" if spent * factor >= 100 else f"{spent * factor:.2f} {unit}"
    return f"{spent * 1e9:.0f} ns"


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description="Time gradients of small programs.")
    parser.add_argument("--repeat", type=int, default=15, help="samples of each (default: 15)")
    parser.add_argument("--only", metavar="NAMES", help="workloads, separated by commas")
    parser.add_argument("--jax", action="store_true", help="compare with JAX")
    parser.add_argument("--growth", action="store_true", help="time and memory for growing numbers of steps")
    parser.add_argument("--save", metavar="FILE", help="keep the figures, for benchmarks.report")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:  # first calls find nothing in a cache
        os.environ["SRCAD_CACHE_DIR"] = folder
        import numba

        numba.njit(lambda x: np.zeros(3) + np.exp(x))(1.0)  # what Numba does once is nobody's first call
        chosen = [each for each in WORKLOADS if options.only is None or each.name in options.only.split(",")]
        results = {}
        for each in chosen:
            results[each.name] = measured(each, options.repeat, options.jax)
            print(each.name, {name: written(spent) for name, spent in results[each.name].items()}, file=sys.stderr)
        growth = {}
        if options.growth:
            growth = {name: {size: grown(name, size) for size in sizes} for name, sizes in GROWTH.items()}
    print(table(results))
    for name, by_size in growth.items():
        for size, (spent, used) in by_size.items():
            print(f"{name}, {size} steps: {written(spent / size)} and {used / size:.0f} bytes for each step")
    if options.save:
        Path(options.save).write_text(json.dumps({"results": results, "growth": growth, "machine": machine()}))


def machine() -> str:
    """The processor, the number of its cores here, and versions of what has a part in the figures."""
    from importlib.metadata import version

    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    names = ["numba", "numpy", *(["jax"] if "jax" in sys.modules else [])]
    parts = [f"{name} {version(name)}" for name in names]
    return f"{os.cpu_count()} cores of {model}; Python {platform.python_version()}, {', '.join(parts)}"


if __name__ == "__main__":
    main()
