"""Little memory: an error that says what a trace takes, and a process that goes on."""

from __future__ import annotations

import sys

import pytest

from tests.faults.processes import output, start

LITTLE = """\
import resource
import numpy as np
import srcad


def decay(x, n):
    v = x
    for i in range(n):
        v = v * np.sin(v)
    return v


slope = srcad.grad(decay, jit=JIT)
before = slope(0.5, 3)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, used + 2**28))
try:
    slope(0.5, 10**8)
except MemoryError as error:
    print(type(error).__name__, "GiB for line 9" in str(error) or "MiB for line 9" in str(error))
print(slope(0.5, 3) == before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space, and /proc, are Linux's")
@pytest.mark.parametrize("jit", ["True", "False"])
def test_a_trace_that_does_not_fit_is_an_error_and_the_process_goes_on(tmp_path, jit):
    said = output(start(tmp_path / "little.py", LITTLE.replace("JIT", jit)))
    assert said.split("\n") == ["TraceTooLarge True", "True"]
