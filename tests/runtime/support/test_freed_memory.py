"""The C library keeps memory that gradients have freed, so that the next call need not ask for it."""

import subprocess
import sys

import pytest

from srcad.runtime.support.freed_memory import is_wanted

PROGRAM = """
import resource
import numpy as np
import srcad

def f(a, b, x):
    return np.sum((a @ x + b @ x) ** 2)

gradient = srcad.grad(f, wrt=(0, 1, 2))
a = np.ones((800, 800))
for _ in range(3):
    gradient(a, a, a[0])
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    gradient(a, a, a[0])
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 10)
"""


@pytest.mark.compiled
@pytest.mark.skipif(not is_wanted({}), reason="the C library is not glibc")
def test_a_gradient_that_is_called_again_asks_for_no_pages():
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=False)
    assert found.returncode == 0, found.stderr
    assert int(found.stdout) < 100  # of 2,500 pages that its results take
