"""Time and memory of gradients of more and more steps, with all that they record and with twenty snapshots."""

import numpy as np
import pytest

from benchmarks.alone import measured
from benchmarks.peers import NAMED, arguments, made

STEPS = {"hunting": (20000, 200000, 2000000), "diffusion": (20, 200, 2000)}


@pytest.mark.parametrize(("name", "steps"), [(name, steps) for name in STEPS for steps in STEPS[name]])
@pytest.mark.parametrize("peer", ["function", "srcad", "snapshots"])
def test_growth(benchmark, name, steps, peer):
    """Five rounds in this process, and the peak of memory in another."""
    run, given = made(NAMED[name], peer), arguments(NAMED[name], steps)
    found = run(*given)
    if peer == "snapshots":
        for one, other in zip(found, made(NAMED[name], "srcad")(*given), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9 * np.max(np.abs(other)))
    benchmark.group = f"{name}, more and more steps"
    benchmark.extra_info.update(name=name, steps=steps, peer=peer)
    if peer != "function":
        benchmark.extra_info["bytes"] = measured("memory", name, peer, str(steps))
    benchmark.pedantic(run, given, rounds=5)
