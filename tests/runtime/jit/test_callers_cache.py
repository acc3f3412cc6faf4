"""A cached function of the user's that calls a gradient is compiled anew in each process, with a warning."""

import numba
import pytest

import srcad
from srcad.runtime.jit.callers_cache import calls_gradient
from tests.faults.processes import output, start

PROGRAM = """
import warnings
import numba
import numpy as np
import srcad
warnings.simplefilter("always")


def energy(x):
    return np.sum(x * x * x)


slope = srcad.grad(energy)


@numba.njit(cache=True)
def inner(x):
    return slope(x)


@numba.njit(cache=True)
def outer(x):
    return x - 0.1 * inner(x)


@numba.njit(cache=True)
def apart(x):
    return x + 1.0


with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    print(outer(np.ones(2)).round(12).tolist(), apart(1.0), sum(apart.stats.cache_hits.values()))
print(sorted(str(each.message).split('"')[1] for each in said if "made by srcad" in str(each.message)))
"""


@pytest.mark.slow
def test_two_processes(tmp_path):
    environment = {"SRCAD_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    for hits in (0, 1, 1):
        said = output(start(tmp_path / "program.py", PROGRAM, **environment)).splitlines()
        assert said == [f"[0.7, 0.7] 2.0 {hits}", "['inner', 'outer']"]


def test_other_functions_are_not_touched():
    plain = numba.njit(lambda x: x + 1.0)
    plain.compile("f8(f8)")
    assert not calls_gradient(plain.overloads[plain.signatures[0]].library)


@pytest.mark.slow
def test_functions_that_call_a_gradient_are_found():
    slope = srcad.grad(lambda x: x * x)
    inner = numba.njit(lambda x: slope(x))  # noqa: PLW0108 - to be compiled
    outer = numba.njit(lambda x: inner(x) + 1.0)
    assert outer(1.0) == 3.0
    assert calls_gradient(outer.overloads[outer.signatures[0]].library)
