"""Kernels are compiled once for all processes, called by gradients, and never taken for one another."""

import os
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from numba import types

from srcad.runtime.jit.kernel_cache import identity_of, is_plain
from tests import waiting

PROGRAM = """
import sys
import numba
import numpy as np
import srcad
from srcad.runtime.jit import kernel_cache

compiled = []
original = kernel_cache.KernelCache.save_overload
kernel_cache.KernelCache.save_overload = lambda self, sig, data: compiled.append(sig) or original(self, sig, data)


def f(x):
    return np.sum(np.sort(x) * np.arange(x.shape[0])) + np.sum(np.cumprod(x))


x = np.array([0.3, 0.1, 0.7, 0.2])
g = srcad.grad(f)(x)
print(np.round(g, 12).tolist(), len(compiled), len(kernel_cache._loaded), len(kernel_cache._names))
"""


def run(folder):
    """The gradient in a new process; how many kernels were compiled there, are loaded, and may be called."""
    path = Path(folder) / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    environment = os.environ | {"SRCAD_CACHE_DIR": str(Path(folder) / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    gradient, _, counts = waiting.run([sys.executable, str(path)], env=environment).stdout.strip().rpartition("] ")
    return gradient, *map(int, counts.split())


def gradients(folder):
    """The stored gradients and the files with their machine code."""
    return [each for each in (Path(folder) / "cache").glob("srcad_*") if each not in kernels(folder)]


def kernels(folder):
    """The stored kernels."""
    return sorted((Path(folder) / "cache").glob("srcad_kernel_*.code"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A folder in which one process has compiled a gradient, and what it printed."""
    folder = tmp_path_factory.mktemp("kernels")
    return folder, run(folder)


@pytest.mark.slow
def test_kernels_are_stored_and_called(filled):
    folder, (_, compiled, loaded, called) = filled
    assert compiled > 5
    assert loaded == len(kernels(folder)) > 5
    assert 0 < called < loaded


@pytest.mark.slow
def test_a_gradient_that_is_stored_loads_the_kernels_that_it_calls(filled):
    folder, (gradient, *_) = filled
    again, compiled, loaded, called = run(folder)
    assert again == gradient
    assert compiled == 0
    assert loaded == called > 0


@pytest.mark.slow
def test_another_gradient_uses_the_kernels(filled):
    folder, (gradient, *_) = filled
    for each in gradients(folder):
        each.unlink()
    again, compiled, loaded, _ = run(folder)
    assert again == gradient
    assert compiled == 0
    assert loaded > 3


@pytest.mark.slow
@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:40] + b"\0" + data[41:]])
def test_damaged_and_missing_kernels_are_compiled_again(filled, damage):
    folder, (gradient, *_) = filled
    run(folder)
    files = kernels(folder)
    for each in files:
        each.write_bytes(damage(each.read_bytes()))
    again, compiled, *_ = run(folder)
    assert again == gradient
    assert compiled > 5
    for each in files:
        each.unlink()
    again, compiled, *_ = run(folder)
    assert again == gradient
    assert compiled > 5


Pair = namedtuple("Pair", "a b")


def test_types_of_classes_are_not_plain():
    f8 = types.float64
    plain = [
        f8[:, ::1],
        types.UniTuple(types.int64, 2),
        types.Tuple((f8, f8[:])),
        types.literal(-1),
        types.none,
        types.bool_,
    ]
    assert all(map(is_plain, plain))
    assert not any(
        map(
            is_plain,
            [types.NamedUniTuple(f8, 2, Pair), types.Tuple((types.NamedUniTuple(f8, 2, Pair), f8)), types.List(f8)],
        )
    )


def implementation(held):
    def impl(x):
        return x + held

    impl.__module__ = "srcad.runtime.kernels.example"
    return impl


def test_identities_tell_closures_apart():
    assert identity_of(implementation(1)) == identity_of(implementation(1))
    found = [identity_of(implementation(held)) for held in (1, 1.0, True, "1", (1,), None, implementation(1))]
    assert None not in found
    assert len(set(found)) == len(found)


def test_what_a_hash_cannot_describe_has_no_identity():
    assert identity_of(implementation(np.ones(3))) is None
    assert identity_of(implementation([1])) is None
    assert identity_of(run) is None


def test_constants_of_inner_functions_count():
    def one():
        return [each + 1 for each in range(3)]

    def two():
        return [each + 2 for each in range(3)]

    for each in (one, two):
        each.__module__ = "srcad.runtime.kernels.example"
    assert identity_of(one) != identity_of(two)
