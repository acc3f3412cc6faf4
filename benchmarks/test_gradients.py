"""Times of the workloads' functions and gradients, each gradient compared with the one by hand before it is timed."""

import numpy as np
import pytest

from benchmarks.alone import measured
from benchmarks.peers import FUNCTIONS, GRADIENTS, arguments, made
from benchmarks.workloads import WORKLOADS

FIRST = ("by hand", "srcad")  # whose first calls are compared


@pytest.mark.parametrize("peer", FUNCTIONS + GRADIENTS)
@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda each: each.name)
@pytest.mark.benchmark(min_rounds=15, max_time=0.5)
def test_time(benchmark, workload, peer):
    """A group for each workload; a gradient's first call is timed in a process of its own."""
    if peer == "jax":
        pytest.importorskip("jax")
    run, given = made(workload, peer), arguments(workload, workload.size)
    if peer in GRADIENTS:
        for one, other in zip(run(*given), made(workload, "by hand")(*given), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6 * np.max(np.abs(other)))
    if peer in FIRST:
        benchmark.extra_info["first call"] = measured("first", workload.name, peer)
    run(*given)
    benchmark.group = workload.name
    benchmark.extra_info["peer"] = peer
    benchmark(run, *given)
