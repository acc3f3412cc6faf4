"""Measure gradients of the programs with matrices against their adjoints by hand, and against the function.

    python -m benchmarks.matrices.measure
    python -m benchmarks.matrices.measure --only tracking --rounds 60

Gradient, adjoint by hand and function take turns; of each pair of neighbouring times the ratio is taken, and of the
ratios the median, so that what else the machine does at the time counts for both.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before NumPy is imported


def _seconds(call: Callable[[], Any], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def ratios(workload: Any, rounds: int) -> dict[str, float]:
    """Times of the gradient: in milliseconds, over the adjoint by hand, over the function."""
    import numba
    import numpy as np

    import srcad
    from benchmarks.matrices.by_hand import ADJOINTS

    given = workload.fresh_arguments(True)
    gradient, by_hand = srcad.grad(workload.function, wrt=workload.wrt), ADJOINTS[workload.name]
    function = numba.njit(workload.function)
    for found, expected in zip(gradient(*given), by_hand(*given), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8 * float(np.max(np.abs(expected))))
    calls = [lambda: gradient(*given), lambda: by_hand(*given), lambda: function(*given)]
    repeats = [max(1, int(4e-3 / min(_seconds(each, 1) for _ in range(3)))) for each in calls]
    times = [[_seconds(each, count) for each, count in zip(calls, repeats, strict=True)] for _ in range(rounds)]
    return {
        "gradient": 1e3 * min(each[0] for each in times),
        "by hand": statistics.median(each[0] / each[1] for each in times),
        "function": statistics.median(each[0] / each[2] for each in times),
    }


def main() -> None:
    """Print a line for each program."""
    from benchmarks.matrices.programs import WORKLOADS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| program | gradient | / by hand | / function |\n| --- | --- | --- | --- |")
    for workload in WORKLOADS:
        if not options.only or workload.name in options.only:
            row = ratios(workload, options.rounds)
            cells = f"{row['gradient']:.3g} ms | {row['by hand']:.2f} | {row['function']:.2f}"
            print(f"| {workload.name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
